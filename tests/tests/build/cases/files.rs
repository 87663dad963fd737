tollgate::operations! { schema: "schema/admin.graphql", documents: "queries" }

fn main() {
    let _ = (One::default(), two::Variables::default());
}
