tollgate::operations! { schema: "broken/schema.json", document: "query Name { shop { name } }" }

fn main() {
    let _ = name::Variables::default();
}
