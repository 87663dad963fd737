tollgate::operations! {
    schema: "schema/admin.graphql",
    document: "query Name { shop { name } }",
    pagesize: 50,
    page_size: 251,
    scalars: { Money: String },
    scalars: {},
}

fn main() {
    let _ = name::Variables::default();
}
