tollgate::operations! {
    schema: "schema/admin.graphql",
    document: "query Dear($n: Int!) { orders(first: $n) { nodes { lineItems(first: 250) { nodes { variant { inventoryItem { inventoryLevels(first: 250) { nodes { location { id } } } } } } } } } }",
}

fn main() {
    let _ = dear::Variables { n: 3 };
}
