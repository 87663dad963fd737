//! The first page of the catalogue, and what it cost.
//!
//! With `tollgate shop` in another terminal: `cargo run --example first_products`.
//! With a shop of your own: the same, with `TOLLGATE_SHOP` set to its domain and `TOLLGATE_TOKEN`
//! to the access token.

tollgate::operations! { schema: "schema/admin.graphql", documents: "queries/first_products.graphql" }

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let set = |name: &str| std::env::var(name).ok();
    let shop = match set("TOLLGATE_SHOP") {
        Some(domain) => tollgate::Client::builder(domain, set("TOLLGATE_TOKEN").unwrap_or_default()),
        None => tollgate::Client::builder("emulated.myshopify.com", "none")
            .endpoint(set("TOLLGATE_ENDPOINT").unwrap_or("http://127.0.0.1:4010".into())),
    };
    let shop = shop.build()?;

    let page = first_products(&shop, first_products::Variables::default()).await?;
    for product in &page.data.products.nodes {
        println!("{} ({} variants)", product.title, product.variants.nodes.len());
    }
    let cost = page.cost;
    println!("{} points of {} requested, {} left", cost.actual, cost.requested, cost.available);
    Ok(())
}
