use tollgate_codegen::document;
use tollgate_codegen::pricing::{self, Bounds, Rules};
use tollgate_codegen::source::Source;
use tollgate_cost::Points;

use super::schema;

fn trusted(text: &str) -> Result<Points, String> {
    let schema = schema();
    let source = Source::new("recorded.graphql", text);
    let document = document::trust(&schema, vec![source]).map_err(|e| e.to_string())?;
    let operation = &document.operations[0];
    let priced = pricing::price(
        &schema,
        &document,
        operation,
        Rules::newest(),
        Bounds::default(),
    );
    Ok(priced.plan.bound())
}

#[test]
fn unknown_fields_are_priced_by_their_shape() {
    let unknown = "{ shop { slogan plan { name } payouts(first: 10) { nodes { bank { id } } } } }";
    // shop 1, plan 1, and a connection of 10, though its size is not known to be one.
    assert_eq!(trusted(unknown), Ok(Points(1 + 1 + 2 + 4 * 2)));
    let on_unknown = "{ node(id: 1) { ... on Payout { bank { id } } } }";
    assert_eq!(trusted(on_unknown), Ok(Points(2)));
}

#[test]
fn a_recorded_document_without_needed_selections_has_a_price() {
    assert_eq!(trusted("{ order(id: 1) { customer } }"), Ok(Points(2)));
}

#[test]
fn fragments_that_spread_themselves_are_refused() {
    for cycle in [
        "query { shop { ...A } } fragment A on Shop { name ...A }",
        "query { order(id: 1) { ...A } } fragment A on Order { customer { orders { nodes { ...A } } } }",
    ] {
        assert!(trusted(cycle).is_err(), "{cycle}");
    }
}
