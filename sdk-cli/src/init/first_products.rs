//! The first page of the catalogue, and what it cost.
//!
//! Without a shop of your own: `tollgate shop --port 4000` in another terminal, then
//! `TOLLGATE_ENDPOINT=http://127.0.0.1:4000 cargo run --example first_products`.
//! With one: set `TOLLGATE_SHOP` to its domain and `TOLLGATE_TOKEN` to the access token.

tollgate::operations! { schema: "schema/admin.graphql", documents: "queries/first_products.graphql" }

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let set = |name: &str| std::env::var(name).ok();
    let domain = set("TOLLGATE_SHOP").unwrap_or_else(|| "example.myshopify.com".into());
    let token = set("TOLLGATE_TOKEN").unwrap_or_else(|| "none".into());
    let mut builder = tollgate::Client::builder(domain, token);
    if let Some(endpoint) = set("TOLLGATE_ENDPOINT") {
        builder = builder.endpoint(endpoint);
    }
    let shop = builder.build()?;

    let page = first_products(&shop, first_products::Variables::default()).await?;
    for product in &page.data.products.nodes {
        println!("{} ({} variants)", product.title, product.variants.nodes.len());
    }
    println!("{:#?}", page.cost);
    Ok(())
}
