//! Moving a project over from `graphql_client`.
//!
//! The derive has the attributes of `graphql_client`'s, so an operation moves by its import. It
//! implements both `graphql_client::GraphQLQuery` and [`Operation`](crate::Operation): code that is
//! written for the former goes on working, and the operation has a price.
//!
//! ```
//! // was: use graphql_client::GraphQLQuery;
//! use tollgate::GraphQLQuery;
//!
//! #[derive(GraphQLQuery)]
//! #[graphql(
//!     schema_path = "schema/admin.graphql",
//!     query_path = "queries/shop.graphql",
//!     response_derives = "Debug, Clone"
//! )]
//! pub struct ShopInfo;
//!
//! // As before:
//! let body = ShopInfo::build_query(shop_info::Variables {});
//! assert_eq!(body.operation_name, "ShopInfo");
//! // And new: a price before it is sent.
//! use tollgate::Operation;
//! println!("{} points at most", ShopInfo::MAX_COST);
//! ```
//!
//! What is different, and why:
//!
//! - Documents are validated by all rules of the specification: some that built before are refused,
//!   with the place.
//! - Ids, money, dates and URLs have types of their own; `response_derives` adds to `Clone`,
//!   `Debug` and `PartialEq`, which are always there.
//! - Enums keep values that the schema does not know, with their text.
//! - Unions and interfaces are enums on `__typename`, which is asked for by itself.
//!
//! When a folder of operations has moved, [`operations!`](crate::operations) makes one set of
//! enums, inputs and fragments for all of them, and a function for each.
