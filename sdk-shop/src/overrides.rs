//! What a test wants different from the generated data.

use std::collections::BTreeMap;

use serde_json::Value;

/// Kept by the shop, read by every execution.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overrides {
    /// Values by coordinate (`Product.title`).
    pub(crate) values: BTreeMap<String, Value>,
    /// The scope that is missing, by coordinate.
    pub(crate) denied: BTreeMap<String, String>,
    /// Entries of `userErrors` by mutation.
    pub(crate) user_errors: BTreeMap<String, Vec<Value>>,
    /// How likely a nullable field is null, 0 to 1.
    pub(crate) nulls: f64,
}
