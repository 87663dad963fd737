use std::borrow::Cow;

use serde_json::{Map, Value};
use tollgate::bulk::{BulkMutation, BulkQuery, Shape, Template};
use tollgate::{CostError, DecodeError, Operation, OperationKind, Plan, Points};

use crate::project::BULK_START;

/// A bulk operation without generated code: its document is given when it is run, and its data are
/// JSON.
pub(super) struct Untyped;

static PLAN: Plan = Plan::constant(BULK_START);
static TEMPLATE: Template = Template {
    pieces: Cow::Borrowed(&[]),
    variables: Cow::Borrowed(&[]),
    inputs: Cow::Borrowed(&[]),
};
static SHAPE: Shape = Shape {
    connections: Cow::Borrowed(&[]),
};

impl Operation for Untyped {
    type Variables = Map<String, Value>;
    type Data = Value;
    const NAME: &'static str = "Untyped";
    // What starts either kind is a mutation.
    const KIND: OperationKind = OperationKind::Mutation;
    const DOCUMENT: &'static str = "";
    const PLAN: &'static Plan = &PLAN;
    const MAX_COST: Points = BULK_START;

    fn cost(_: &Self::Variables) -> Result<Points, CostError> {
        Ok(Self::MAX_COST)
    }

    fn encode(variables: &Self::Variables, out: &mut Vec<u8>) {
        out.extend_from_slice(Value::Object(variables.clone()).to_string().as_bytes());
    }

    fn decode(data: &str) -> Result<Value, DecodeError> {
        tollgate::decode::from_str(data)
    }
}

impl BulkMutation for Untyped {}

impl BulkQuery for Untyped {
    type Row = Value;

    fn template() -> &'static Template {
        &TEMPLATE
    }

    fn shape() -> &'static Shape {
        &SHAPE
    }

    fn decode_row(json: &str) -> Result<Value, DecodeError> {
        tollgate::decode::from_str(json)
    }
}
