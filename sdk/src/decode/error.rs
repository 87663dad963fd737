/// Why the `data` of an answer does not fit the type generated for it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot decode `{path}`: expected {expected}, found {found} (byte {offset})")]
#[non_exhaustive]
pub struct DecodeError {
    /// Where in `data`, as `products.nodes[3].title`.
    pub path: String,
    /// What the type wants.
    pub expected: String,
    /// What the answer holds.
    pub found: String,
    /// Byte offset in the text of `data`.
    pub offset: usize,
}

impl DecodeError {
    /// An error at a place.
    pub fn new(
        path: impl Into<String>,
        expected: impl Into<String>,
        found: impl Into<String>,
        offset: usize,
    ) -> Self {
        Self {
            path: path.into(),
            expected: expected.into(),
            found: found.into(),
            offset,
        }
    }
}
