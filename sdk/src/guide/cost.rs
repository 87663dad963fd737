//! Where a price comes from, and how to lower it.
//!
//! The server takes points from a bucket for every query, before it runs: `requestedQueryCost`.
//! Afterwards it gives back what was too much: what stays charged is `actualQueryCost`. One query
//! may ask for at most 1 000 points; a standard shop's bucket holds 2 000 and restores 100 a
//! second.
//!
//! # The rules
//! | what | points |
//! | --- | --- |
//! | a scalar, an enum | 0 |
//! | an object | 1, and what is selected on it; a list of objects the same, however long |
//! | an interface, a union | 1, and the dearest of its possible types |
//! | a connection of `n` nodes | 2, and ⌊2 ln n⌋ times what is selected on a node |
//! | a mutation | 10, unless it has a price of its own, and what grows with its input |
//! | `pageInfo` of a connection, the objects right in the payload of a mutation, `userErrors` | 0, and what is selected on them |
//! | a field left out by `@skip` or `@include` | 0 |
//! | the whole of it | rounded once, at least 1 |
//!
//! Some objects are values to the server, and cost nothing: `MoneyV2`, `MoneyBag`,
//! `CurrencyFormats`, `PricingValue`, `Weight`, `InventoryItemMeasurement`, `LocationAddress`,
//! `ShopAddress`, `ApiVersion`, `CustomerEmailMarketingConsentState`,
//! `CustomerSmsMarketingConsentState`, `CollectionRuleSet` with its rules and conditions; and so do
//! `Customer.defaultAddress`, `Customer.addresses` and `WebhookSubscription.endpoint`. Others are
//! dearer than they look: every count at the root (`productsCount`) costs 10,
//! `StoreCreditAccount.balance` 5, `Location.hasUnfulfilledOrders`, a scalar, 1.
//!
//! The page size counts by its logarithm: 250 nodes cost 11 times a node, 50 cost 7 times, 10 cost
//! 4 times. So large pages are cheap and nesting is dear: a connection in a connection multiplies.
//! Where the server prices by hand, Tollgate knows the prices that were seen, with their dates: they
//! are in `sdk-codegen/src/pricing/rules.toml`.
//!
//! # The price of a call
//! [`Operation::cost`](crate::Operation::cost) is exact for the variables it is given, takes less
//! than a microsecond, and sends nothing. [`Operation::MAX_COST`](crate::Operation::MAX_COST) is
//! the most that any call within the declared bounds costs, as a constant.
//!
//! ```
//! use tollgate::{Operation, Points};
//!
//! tollgate::operations! {
//!     schema: "schema/admin.graphql",
//!     document: r#"
//!         query Catalogue($first: Int! = 50 @max(value: 100), $variants: Boolean! = true) {
//!             products(first: $first) {
//!                 nodes {
//!                     title
//!                     variants(first: 10) @include(if: $variants) { nodes { sku } }
//!                 }
//!             }
//!         }
//!     "#,
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut variables = catalogue::Variables { first: Some(100), ..Default::default() };
//! // 2 + 9 × (1 + 2 + 4 × 1): a hundred nodes weigh 9, ten variants 4.
//! assert_eq!(Catalogue::cost(&variables)?, Points(65));
//! variables.variants = Some(false);
//! assert_eq!(Catalogue::cost(&variables)?, Points(11));
//! assert_eq!(Catalogue::MAX_COST, Points(65));
//! # Ok(())
//! # }
//! ```
//!
//! # Where the points go
//! `tollgate cost Catalogue` shows the price as a tree; `tollgate report --html costs.html` shows
//! all operations on one page, with flame graphs and sliders for the page sizes.
//!
//! # When the server knows better
//! Prices move without a new API version. When an answer's `requestedQueryCost` is not our price,
//! the client goes by the server's number from the next call on, says so once in an
//! [`Event`](crate::Event), and lists it in [`Client::drift`](crate::Client::drift). To put it right
//! for everybody, see [the project's own prices](super::budgets#the-projects-own-prices).
