//! What the examples share: the generated operations, and the shop they talk to.

tollgate::operations! {
    schema: "../schema/admin.graphql",
    documents: "queries",
}

mod checkpoint;
pub mod export;

use anyhow::Context as _;
use tollgate::Client;
use tollgate_shop::{BulkPace, Server, Shop};

/// The shop of an example: a real one, or one that is emulated on this machine.
#[derive(clap::Args, Debug)]
pub struct ShopArgs {
    /// A real shop, as my-shop.myshopify.com; without it, one is emulated
    #[arg(long, env = "TOLLGATE_SHOP")]
    shop: Option<String>,
    /// Its access token
    #[arg(
        long,
        env = "TOLLGATE_TOKEN",
        hide_env_values = true,
        default_value = ""
    )]
    token: String,
    /// Where an emulated shop runs already
    #[arg(long, env = "TOLLGATE_ENDPOINT")]
    endpoint: Option<String>,
    /// Products of the emulated shop
    #[arg(long, default_value_t = 2_000)]
    pub products: u64,
    /// Variants of each
    #[arg(long, default_value_t = 5)]
    pub variants: u64,
}

impl ShopArgs {
    /// A client, and the emulated shop, which runs as long as it is kept.
    ///
    /// # Errors
    /// When the settings cannot be used, or the emulated shop cannot be started.
    pub async fn open(&self) -> anyhow::Result<(Client, Option<Server>)> {
        if let Some(shop) = &self.shop {
            return Ok((Client::builder(shop, self.token.clone()).build()?, None));
        }
        let (endpoint, server) = match &self.endpoint {
            Some(endpoint) => (endpoint.clone(), None),
            None => {
                let server = self.emulate().await?;
                (server.url(), Some(server))
            }
        };
        let client = Client::builder("emulated.myshopify.com", "no token")
            .endpoint(endpoint)
            .build()?;
        Ok((client, server))
    }

    /// Starts an emulated shop with a bucket that does not slow an example down.
    ///
    /// # Errors
    /// When it cannot be started.
    pub async fn emulate(&self) -> anyhow::Result<Server> {
        let catalogue = tollgate_shop::Catalogue::default()
            .with("products", self.products)
            .with("Product.variants", self.variants);
        let builder = Shop::builder()
            .catalogue(catalogue)
            .bucket(1_000_000, 1_000_000)
            .bulk(BulkPace {
                lines_per_second: 1_000_000,
                ..BulkPace::default()
            });
        builder
            .start()
            .await
            .context("cannot start the emulated shop")
    }
}
