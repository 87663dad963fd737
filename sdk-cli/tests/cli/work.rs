//! A shop in this process, and the jobs that are run against it.

use std::path::Path;
use std::process::Command;

use serde_json::json;
use tokio::runtime::Runtime;
use tollgate_shop::{BulkPace, Catalogue, Latency, Server, Shop};

use crate::tollgate::{command, run, workspace};

pub(crate) const CATALOGUE: &str = "query Catalogue($first: Int, $after: String) {
  products(first: $first, after: $after) {
    pageInfo { hasNextPage endCursor }
    nodes { id title variants(first: 10) { nodes { id sku price } } }
  }
}";

pub(crate) const PRICES: &str = "
mutation Prices($product: ID!, $variants: [ProductVariantsBulkInput!]!) {
  changed: productVariantsBulkUpdate(productId: $product, variants: $variants) {
    productVariants { id price }
    wrong: userErrors { field message }
  }
}";

/// Variables of `PRICES`, a line for each product.
pub(crate) fn prices(products: u64) -> String {
    let line = |product: u64| {
        let variant = json!({ "id": "gid://shopify/ProductVariant/1", "price": "1.00" });
        let product = format!("gid://shopify/Product/{product}");
        format!("{}\n", json!({ "product": product, "variants": [variant] }))
    };
    (1..=products).map(line).collect()
}

/// A shop that takes its time.
pub(crate) struct Work {
    server: Server,
    _runtime: Runtime,
}

impl Work {
    pub(crate) fn new(products: u64) -> Self {
        let catalogue = Catalogue::default()
            .with("products", products)
            .with("Product.variants", 2);
        let builder = Shop::builder()
            .catalogue(catalogue)
            .bucket(1_000_000, 1_000_000)
            .latency(Latency::between(
                std::time::Duration::from_millis(2),
                std::time::Duration::from_millis(4),
            ))
            .bulk(BulkPace {
                lines_per_second: 100_000,
                ..BulkPace::default()
            });
        let runtime = Runtime::new().unwrap();
        let server = runtime.block_on(builder.start()).unwrap();
        Self {
            server,
            _runtime: runtime,
        }
    }

    pub(crate) fn shop(&self) -> &Shop {
        &self.server
    }

    /// Runs `query.graphql` of a folder: exit code, output, errors.
    pub(crate) fn run(&self, here: &Path, options: &[&str]) -> (i32, String, String) {
        self.line(options, |line| run(here, line))
    }

    /// The same, to be run.
    pub(crate) fn command(&self, here: &Path, options: &[&str]) -> Command {
        self.line(options, |line| command(here, line))
    }

    fn line<T>(&self, options: &[&str], run: impl FnOnce(&[&str]) -> T) -> T {
        let schema = workspace().join("schema/admin.graphql");
        let url = self.server.url();
        let mut line = vec!["run", "query.graphql", "--quiet"];
        line.extend(["--schema", schema.to_str().unwrap()]);
        line.extend(["--shop", "emulated.myshopify.com", "--token", "none"]);
        line.extend(["--endpoint", &url]);
        line.extend(options);
        run(&line)
    }
}
