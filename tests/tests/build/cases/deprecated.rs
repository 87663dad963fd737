#![deny(warnings)]

tollgate::operations! {
    schema: "schema/admin.graphql",
    document: "query Old { orders(first: 1) { nodes { riskLevel } } }",
}

mod refused {
    tollgate::operations! {
        schema: "schema/admin.graphql",
        document: "query Old { orders(first: 1) { nodes { riskLevel } } }",
        deprecated: "deny",
    }
}

fn main() {
    drop(old);
    drop(refused::old);
}
