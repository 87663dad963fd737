use tollgate::GraphQLQuery;

#[derive(GraphQLQuery)]
#[graphql(schema_path = "schema/admin.graphql", query_path = "queries/two.graphql", response_derive = "Eq")]
struct Two;

#[derive(GraphQLQuery)]
#[graphql(schema_path = "schema/admin.graphql", response_type = "Mine")]
struct One;

fn main() {
    let _ = Two::build_query(two::Variables { x: None });
}
