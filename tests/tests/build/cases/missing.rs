tollgate::operations! { schema: "schema/nothing.graphql", documents: "nowhere/*.graphql" }

tollgate::operations! {}

fn main() {}
