//! Any text as the `data` of an answer to our operations.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tollgate::Operation;

mod queries {
    tollgate::operations! { schema: "../schema/admin.graphql", documents: "../queries" }
}

fn decode<O: Operation>(text: &str)
where
    O::Data: Clone + PartialEq + std::fmt::Debug,
{
    match O::decode(text) {
        // NaN is never decoded, so a value equals its copy.
        Ok(data) => assert!(data.clone() == data, "{data:?}"),
        Err(error) => assert!(!error.to_string().is_empty() && error.line() > 0),
    }
}

fuzz_target!(|text: &str| {
    decode::<queries::ProductPage>(text);
    decode::<queries::DiscountPage>(text);
    decode::<queries::OrderById>(text);
    decode::<queries::MenuTree>(text);
    decode::<queries::TagsAdd>(text);
    decode::<queries::ShopInfo>(text);
});
