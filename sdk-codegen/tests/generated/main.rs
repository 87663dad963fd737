//! What the golden files do once compiled: decoding and encoding, as users see them.

#[path = "../golden/abstract.rs"]
mod abstracts;
#[path = "../golden/inputs.rs"]
mod inputs;
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
