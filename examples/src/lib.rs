//! What the examples share: the generated operations, and the shop they talk to.

tollgate::operations! {
    schema: "../schema/admin.graphql",
    documents: "queries",
}

mod checkpoint;
pub mod export;

use anyhow::Context as _;
use tollgate::{Client, ClientBuilder};
use tollgate_shop::{Builder, BulkPace, Server, Shop};

/// Which shop an example talks to: a real one, another server of the protocol, or one that is
/// emulated on this machine.
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
        default_value = "no token"
    )]
    token: String,
    /// Another server of the same protocol
    #[arg(long, env = "TOLLGATE_ENDPOINT")]
    endpoint: Option<String>,
}

impl ShopArgs {
    /// A client to be built, and the emulated shop where one was started, which runs as long as it
    /// is kept.
    ///
    /// # Errors
    /// When the emulated shop cannot be started.
    pub async fn connect(
        &self,
        emulated: Builder,
    ) -> anyhow::Result<(ClientBuilder, Option<Server>)> {
        let shop = self.shop.as_deref().unwrap_or("emulated.myshopify.com");
        let client = Client::builder(shop, self.token.clone());
        if let Some(endpoint) = &self.endpoint {
            return Ok((client.endpoint(endpoint), None));
        }
        if self.shop.is_some() {
            return Ok((client, None));
        }
        let server = emulated.start().await;
        let server = server.context("cannot start the emulated shop")?;
        Ok((client.endpoint(server.url()), Some(server)))
    }
}

/// The shop of an example that reads whole sets.
#[derive(clap::Args, Debug)]
pub struct CatalogueArgs {
    #[command(flatten)]
    shop: ShopArgs,
    /// Products of the emulated shop
    #[arg(long, default_value_t = 2_000)]
    products: u64,
    /// Variants of each
    #[arg(long, default_value_t = 5)]
    variants: u64,
}

impl CatalogueArgs {
    /// A client, and the emulated shop, which runs as long as it is kept.
    ///
    /// # Errors
    /// When the settings cannot be used, or the emulated shop cannot be started.
    pub async fn open(&self) -> anyhow::Result<(Client, Option<Server>)> {
        let (client, server) = self.shop.connect(self.emulated()).await?;
        Ok((client.build()?, server))
    }

    /// The shop to emulate, with a bucket that does not slow an example down.
    #[must_use]
    pub fn emulated(&self) -> Builder {
        let catalogue = tollgate_shop::Catalogue::default()
            .with("products", self.products)
            .with("Product.variants", self.variants);
        Shop::builder()
            .catalogue(catalogue)
            .bucket(1_000_000, 1_000_000)
            .bulk(BulkPace {
                lines_per_second: 1_000_000,
                ..BulkPace::default()
            })
    }
}
