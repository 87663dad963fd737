use std::num::ParseIntError;

use crate::Input;

crate::text_scalar! {
    /// A global id (`ID`), as `gid://shopify/Product/1234?key=value`.
    ///
    /// The whole text is the id: equality and hash are over all of it, and ids of any other form
    /// are kept too. Resource, number and parameters are views.
    ///
    /// ```
    /// use tollgate::Id;
    ///
    /// let id = Id::from("gid://shopify/InventoryLevel/123?inventory_item_id=456");
    /// assert_eq!(id.resource(), Some("InventoryLevel"));
    /// assert_eq!(id.number(), Ok(123));
    /// assert_eq!(id.param("inventory_item_id"), Some("456"));
    /// assert_eq!(Id::of("Product", 7), "gid://shopify/Product/7");
    /// ```
    Id;
}

impl Id {
    /// The id of a resource of the shop: `gid://shopify/Product/7`.
    #[must_use]
    pub fn of(resource: &str, number: u64) -> Self {
        Self::new(format!("gid://shopify/{resource}/{number}"))
    }

    /// Application, resource and name, when it is a global id.
    fn parts(&self) -> Option<(&str, &str)> {
        let path = self.as_str().strip_prefix("gid://")?;
        let path = path.split_once('?').map_or(path, |(path, _)| path);
        let (_, rest) = path.split_once('/')?;
        rest.split_once('/')
    }

    /// The type of the resource, as `Product`; `None` when it is not a global id.
    #[must_use]
    pub fn resource(&self) -> Option<&str> {
        self.parts().map(|(resource, _)| resource)
    }

    /// What names the resource among those of its type; usually a number, not always.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.parts().map(|(_, name)| name)
    }

    /// The number of the resource, as REST and webhooks give it.
    ///
    /// # Errors
    /// [`IdError`], when it is not a global id or its name is not a number.
    pub fn number(&self) -> Result<u64, IdError> {
        let number = match self.name() {
            Some(name) => name.parse(),
            None => self.as_str().parse(),
        };
        number.map_err(|source| IdError {
            id: self.clone(),
            source,
        })
    }

    /// The parameters after `?`, as they are written.
    pub fn params(&self) -> impl Iterator<Item = (&str, &str)> {
        let query = self.as_str().split_once('?').map(|(_, query)| query);
        let pairs = query.into_iter().flat_map(|query| query.split('&'));
        pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")))
    }

    /// The parameter `key`, as it is written.
    #[must_use]
    pub fn param(&self, key: &str) -> Option<&str> {
        let mut params = self.params();
        params
            .find(|(name, _)| *name == key)
            .map(|(_, value)| value)
    }
}

/// Of a number in text.
impl From<u64> for Id {
    fn from(number: u64) -> Self {
        Self::new(number.to_string())
    }
}

impl From<&Id> for Id {
    fn from(id: &Id) -> Self {
        id.clone()
    }
}

impl From<&Id> for Input<Id> {
    fn from(id: &Id) -> Self {
        Self::Value(id.clone())
    }
}

/// Why an id has no number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{id}` has no number")]
#[non_exhaustive]
pub struct IdError {
    /// The id.
    pub id: Id,
    /// What is wrong with the number.
    pub source: ParseIntError,
}
