//! From a `.graphql` file to a typed answer.
//!
//! # What you need
//! A schema and a query. `tollgate init` makes both, with an example that runs. Beside a clone of
//! the repository:
//!
//! ```sh
//! cargo install --path tollgate/sdk-cli
//! cargo init my-app && cd my-app
//! cargo add tollgate --path ../tollgate/sdk
//! cargo add tokio --features macros,rt-multi-thread
//! tollgate init
//! ```
//!
//! (Once the crates are published: `cargo install tollgate-cli`, `cargo add tollgate`.) Then, with
//! `tollgate shop` in another terminal, `cargo run --example first_products`.
//!
//! The schema of `init` is the part of the Admin API that common jobs use. The whole of it comes
//! from your shop: `TOLLGATE_TOKEN=… tollgate schema pull --shop my-shop.myshopify.com`.
//!
//! # The query
//! [`operations!`](crate::operations) reads a folder of documents and makes, for each operation, a
//! function, a module of types, and a marker that implements [`Operation`](crate::Operation). Here
//! the document is in the macro; a project says `documents: "queries"`.
//!
//! ```
//! tollgate::operations! {
//!     schema: "schema/admin.graphql",
//!     document: r#"
//!         query Titles($first: Int! = 20) {
//!             products(first: $first) { nodes { id title status } }
//!         }
//!     "#,
//! }
//!
//! # async fn client() -> Result<tollgate::Client, Box<dyn std::error::Error>> {
//! #     let shop = tollgate_shop::Shop::builder().build()?;
//! #     Ok(tollgate::Client::builder("test.myshopify.com", "token").transport(shop).build()?)
//! # }
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     # #[cfg(any())]
//!     let shop = tollgate::Client::builder("my-shop.myshopify.com", token).build()?;
//!     # let shop = client().await?;
//!
//!     let variables = titles::Variables { first: Some(5) };
//!     let page = titles(&shop, variables).await?;
//!     for product in &page.data.products.nodes {
//!         println!("{} {} ({})", product.id, product.title, product.status);
//!     }
//!     println!("{} points, {} left", page.cost.actual, page.cost.available);
//!     # assert_eq!(page.data.products.nodes.len(), 5);
//!     Ok(())
//! }
//! ```
//!
//! A variable with a default is an `Option` that may stay `None`; one that may be null is an
//! [`Input`](crate::Input), which tells "left out" from "null": `title: "x".into()`,
//! `compare_at_price: Input::Null`, `..Default::default()` for the rest.
//!
//! # Fragments
//! A fragment is a type of its own, the same wherever it is spread, so that one function works for
//! the answers of many operations. Where a selection is nothing but the spread, the field is of
//! that type; beside other fields, the fragment is a field with its name.
//!
//! ```
//! tollgate::operations! {
//!     schema: "schema/admin.graphql",
//!     document: r#"
//!         query Cards { products(first: 5) { nodes { ...ProductCard } } }
//!         query Details($id: ID!) { product(id: $id) { ...ProductCard vendor } }
//!         fragment ProductCard on Product { title totalInventory }
//!     "#,
//! }
//!
//! fn line(card: &ProductCard) -> String {
//!     format!("{} ({} left)", card.title, card.total_inventory)
//! }
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let emulated = tollgate_shop::Shop::builder().build()?;
//! # let shop = tollgate::Client::builder("test.myshopify.com", "t").transport(emulated).build()?;
//! let page = cards(&shop, cards::Variables::default()).await?;
//! for card in &page.data.products.nodes {
//!     println!("{}", line(card));
//! }
//! # assert_eq!(page.data.products.nodes.len(), 5);
//!
//! let variables = details::Variables { id: "gid://shopify/Product/1".into() };
//! if let Some(product) = details(&shop, variables).await?.data.product {
//!     println!("{} by {}", line(&product.product_card), product.vendor);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # When something is wrong
//! The build says so, with file, line and column: a field that does not exist, an argument that is
//! missing, a query that costs more than the server takes. `tollgate check` says the same without
//! a build.
//!
//! Next: [what it costs](super::cost).
