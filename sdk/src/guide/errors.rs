//! What can go wrong, and what is known then.
//!
//! An [`Error`](crate::Error) has a [`kind`](crate::Error::kind), which says what happened, and a
//! [`context`](crate::Error::context), which says to which call: operation, shop, attempts, request
//! id, cost, where the time went. The access token is in none of it.
//!
//! | you want to | look at |
//! | --- | --- |
//! | try again later | [`Error::retry_at`](crate::Error::retry_at): the instant, where one is known |
//! | know whether a mutation ran | [`Error::outcome_is_unknown`](crate::Error::outcome_is_unknown) |
//! | use the data beside errors | [`Error::partial`](crate::Error::partial), or [`accept_partial`](crate::ClientBuilder::accept_partial) |
//! | tell a missing scope | [`ErrorKind::AccessDenied`](crate::ErrorKind::AccessDenied), or the errors of [`graphql_errors`](crate::Error::graphql_errors) |
//! | quote a request to support | `context().request_id` |
//!
//! # `userErrors`
//! A mutation that the shop refuses answers with status 200, no errors, and `userErrors` in its
//! payload. They are collected in [`Response::user_errors`](crate::Response::user_errors);
//! [`into_result`](crate::Response::into_result) makes them an error, and
//! [`strict_user_errors`](crate::ClientBuilder::strict_user_errors) does so for every call.
//!
//! ```
//! use tollgate::ErrorKind;
//!
//! tollgate::operations! {
//!     schema: "schema/admin.graphql",
//!     document: r#"
//!         mutation AddTags($id: ID!, $tags: [String!]!) {
//!             tagsAdd(id: $id, tags: $tags) { node { id } userErrors { field message } }
//!         }
//!     "#,
//! }
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let emulated = tollgate_shop::Shop::builder().build()?;
//! # let refusal = serde_json::json!({ "field": ["tags"], "message": "Too many tags" });
//! # emulated.set_user_errors("tagsAdd", vec![refusal]);
//! # let shop = tollgate::Client::builder("test.myshopify.com", "t").transport(emulated).build()?;
//! let variables = add_tags::Variables {
//!     id: "gid://shopify/Product/1".into(),
//!     tags: vec!["sale".into()],
//! };
//! let answer = add_tags(&shop, variables).await?;
//! match answer.into_result() {
//!     Ok(data) => println!("done: {data:?}"),
//!     Err(error) => match error.kind() {
//!         ErrorKind::UserErrors(errors) => {
//!             for refused in errors {
//!                 println!("refused: {}", refused.message);
//!             }
//!             # assert_eq!(errors.len(), 1);
//!         }
//!         _ => return Err(error.into()),
//!     },
//! }
//! # Ok(())
//! # }
//! ```
