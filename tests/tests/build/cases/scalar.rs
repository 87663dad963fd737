tollgate::operations! {
    schema: "schema/admin.graphql",
    document: "query Name { shop { name } }",
    scalars: { Mony: String },
}

fn main() {
    let _ = name::Variables::default();
}
