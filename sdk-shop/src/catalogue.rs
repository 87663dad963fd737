use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use crate::seed::Seed;

/// How many objects there are at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Size {
    /// The same number at every parent.
    Exactly(u64),
    /// A number between the two, both included, different from parent to parent.
    Between(u64, u64),
}

impl Size {
    /// The number at one parent.
    pub(crate) fn at(self, place: Seed) -> u64 {
        match self {
            Self::Exactly(size) => size,
            Self::Between(least, most) => {
                let spread = most.saturating_sub(least);
                least + place.below(spread.saturating_add(1))
            }
        }
    }
}

impl From<u64> for Size {
    fn from(size: u64) -> Self {
        Self::Exactly(size)
    }
}

impl From<RangeInclusive<u64>> for Size {
    fn from(range: RangeInclusive<u64>) -> Self {
        Self::Between(*range.start(), *range.end())
    }
}

/// What the shop holds: how many objects each connection has.
///
/// A place is a field of the query root (`"products"`) or a coordinate (`"Product.variants"`).
/// Places that are not named have the defaults. Where a child names its parent (`variants` of a
/// `Product`, `product` of a `ProductVariant`), the root connection of the children holds the
/// children of all parents unless it is given a size of its own.
///
/// ```
/// use tollgate_shop::Catalogue;
///
/// let catalogue = Catalogue::default()
///     .with("products", 2_500)
///     .with("Product.variants", 4)
///     .with("Order.lineItems", 1..=30);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Catalogue {
    sizes: BTreeMap<String, Size>,
    root: u64,
    nested: u64,
    list: u64,
}

impl Default for Catalogue {
    /// 50 objects in a root connection, 3 in a nested one, 2 in a plain list.
    fn default() -> Self {
        Self {
            sizes: BTreeMap::new(),
            root: 50,
            nested: 3,
            list: 2,
        }
    }
}

impl Catalogue {
    /// Sets the size of a connection or list.
    #[must_use]
    pub fn with(mut self, place: impl Into<String>, size: impl Into<Size>) -> Self {
        self.sizes.insert(place.into(), size.into());
        self
    }

    /// Sets what places without a size of their own have: root connections, nested connections,
    /// plain lists.
    #[must_use]
    pub fn with_defaults(mut self, root: u64, nested: u64, list: u64) -> Self {
        (self.root, self.nested, self.list) = (root, nested, list);
        self
    }

    /// The places that were given a size.
    pub(crate) fn places(&self) -> impl Iterator<Item = &str> {
        self.sizes.keys().map(String::as_str)
    }

    pub(crate) fn root_size(&self, field: &str) -> Option<Size> {
        self.sizes.get(field).copied()
    }

    pub(crate) fn root_default(&self) -> u64 {
        self.root
    }

    pub(crate) fn nested_size(&self, parent: &str, field: &str) -> Size {
        let size = self.sizes.get(&format!("{parent}.{field}"));
        size.copied().unwrap_or(Size::Exactly(self.nested))
    }

    /// Whether a connection was given a size.
    pub(crate) fn has_nested(&self, parent: &str, field: &str) -> bool {
        self.sizes.contains_key(&format!("{parent}.{field}"))
    }

    pub(crate) fn list_size(&self, parent: &str, field: &str) -> Size {
        let size = self.sizes.get(&format!("{parent}.{field}"));
        size.copied().unwrap_or(Size::Exactly(self.list))
    }
}
