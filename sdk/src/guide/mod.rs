//! How to work with Tollgate, from the first query to a fleet of workers.
//!
//! 1. [`first_query`]: from a `.graphql` file to a typed answer
//! 2. [`cost`]: where a price comes from, and how to lower it
//! 3. [`budgets`]: bounds, budgets, and the project's own prices
//! 4. [`gate_and_retry`]: when a call goes, waits, and goes again
//! 5. [`errors`]: what can go wrong, and what is known then
//! 6. [`pagination`]: whole connections, page by page
//! 7. [`bulk`]: whole data sets as one job of the server
//! 8. [`processes`]: one bucket for many workers
//! 9. [`testing`]: your own tests, against the emulated shop
//! 10. [`from_graphql_client`]: moving a project over
//!
//! The examples run against the emulated shop of `tollgate-shop`, in process.

pub mod budgets;
pub mod bulk;
pub mod cost;
pub mod errors;
pub mod first_query;
pub mod from_graphql_client;
pub mod gate_and_retry;
pub mod pagination;
pub mod processes;
pub mod testing;
