//! Global ids: `gid://shopify/Product/7`.

use std::fmt;

/// A global id, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gid<'a> {
    /// The type it names.
    pub(crate) resource: &'a str,
    /// The number at its end.
    pub(crate) key: u64,
}

impl<'a> Gid<'a> {
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let rest = text.strip_prefix("gid://shopify/")?;
        let (resource, id) = rest.split_once('/')?;
        let id = id.split_once('?').map_or(id, |(id, _)| id);
        let name = !resource.is_empty() && resource.bytes().all(|b| b.is_ascii_alphanumeric());
        name.then_some(Self {
            resource,
            key: id.parse().ok()?,
        })
    }
}

impl fmt::Display for Gid<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "gid://shopify/{}/{}", self.resource, self.key)
    }
}

#[cfg(test)]
mod tests {
    use super::Gid;

    #[test]
    fn reads_what_it_writes_and_refuses_the_rest() {
        let gid = Gid::parse("gid://shopify/ProductVariant/42").unwrap();
        assert_eq!((gid.resource, gid.key), ("ProductVariant", 42));
        assert_eq!(gid.to_string(), "gid://shopify/ProductVariant/42");
        let query = Gid::parse("gid://shopify/InventoryQuantity/3?name=on_hand").unwrap();
        assert_eq!(query.key, 3);
        for wrong in [
            "42",
            "gid://shopify/Product",
            "gid://shopify/Product/x",
            "gid://other/Product/1",
        ] {
            assert_eq!(Gid::parse(wrong), None, "{wrong}");
        }
    }
}
