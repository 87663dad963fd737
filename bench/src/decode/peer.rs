//! The types of `graphql_client` for the same document.
#![allow(dead_code, unreachable_pub, reason = "the peer's code")]

use graphql_client::GraphQLQuery;

type DateTime = String;
type Decimal = String;
type Money = String;
#[allow(clippy::upper_case_acronyms, reason = "as the schema has it")]
type URL = String;

#[derive(GraphQLQuery)]
#[graphql(
    schema_path = "../schema/admin.graphql",
    query_path = "queries/decode.graphql",
    response_derives = "Debug"
)]
pub(super) struct Decode;
