//! What the golden files do once compiled: decoding and encoding, as users see them.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and says when it is skipped"
)]

#[rustfmt::skip]
#[path = "../golden/abstract.rs"]
mod abstracts;
#[rustfmt::skip]
#[path = "../golden/inputs.rs"]
mod inputs;
#[rustfmt::skip]
#[path = "../golden/prelude.rs"]
mod prelude;
#[rustfmt::skip]
#[path = "../golden/root.rs"]
mod root;
#[rustfmt::skip]
#[path = "../golden/selections.rs"]
mod selections;

mod answers;
mod contracts;
mod variables;

use tollgate::Operation;

fn decode<O: Operation>(data: &str) -> O::Data {
    O::decode(data).unwrap_or_else(|error| panic!("{error}"))
}

fn encode<O: Operation>(variables: &O::Variables) -> String {
    let mut out = Vec::new();
    O::encode(variables, &mut out);
    String::from_utf8(out).unwrap()
}
