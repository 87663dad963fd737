//! Whole sets from the emulated shop over HTTP: by pages and by bulk, undisturbed and disturbed.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and says when it is skipped"
)]

use std::io::Write as _;
use std::time::Duration;

use tollgate::bulk::Outcome;
use tollgate::{Client, ResumeToken};
use tollgate_examples::{ProductVariantsBulkInput, catalogue, export, more_variants, prices};
use tollgate_shop::{BulkPace, Catalogue, Fault, Server, Shop};

async fn open(products: u64, variants: u64) -> (Client, Server) {
    let catalogue = Catalogue::default()
        .with("products", products)
        .with("Product.variants", variants)
        .with("orders", 2000);
    let pace = BulkPace {
        start: Duration::from_millis(10),
        lines_per_second: 1_000_000,
        cancel: Duration::from_millis(10),
    };
    let builder = Shop::builder().catalogue(catalogue).bulk(pace);
    let server = builder.bucket(1_000_000, 1_000_000).start().await.unwrap();
    let builder = Client::builder("emulated.myshopify.com", "no token");
    let client = builder.endpoint(server.url()).build().unwrap();
    (client, server)
}

/// Id, title and SKUs of a product.
type Row = (String, String, Vec<Option<String>>);

fn row(product: &catalogue::ProductsNodes) -> Row {
    let skus = product
        .variants
        .nodes
        .iter()
        .map(|variant| variant.sku.clone());
    (
        product.id.as_str().to_owned(),
        product.title.clone(),
        skus.collect(),
    )
}

async fn by_pages(client: &Client) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut items = catalogue::items(client, catalogue::Variables::default());
    while let Some(product) = items.next().await {
        let product = product.unwrap();
        let (id, title, mut skus) = row(&product);
        if let Some(cursor) = product.variants.page_info.rest().unwrap() {
            let variables = more_variants::Variables::new(product.id.clone());
            let mut more = more_variants::pages(client, variables)
                .after(cursor)
                .items();
            while let Some(variant) = more.next().await {
                skus.push(variant.unwrap().sku);
            }
        }
        rows.push((id, title, skus));
    }
    rows
}

async fn by_bulk(client: &Client, grouped: bool) -> Vec<Row> {
    let run = catalogue::run(client, catalogue::Variables::default());
    let mut rows = run.group_objects(grouped).await.unwrap();
    let mut taken = Vec::new();
    while let Some(product) = rows.next().await {
        taken.push(row(&product.unwrap()));
    }
    taken
}

#[tokio::test]
async fn pages_and_bulk_give_the_same_set() {
    // More variants than the document asks for: the rest is continued by id.
    let (client, _server) = open(300, 13).await;
    let pages = by_pages(&client).await;
    assert_eq!(pages.len(), 300);
    assert!(pages.iter().all(|(_, _, skus)| skus.len() == 13));
    assert_eq!(by_bulk(&client, false).await, pages);
    assert_eq!(by_bulk(&client, true).await, pages);
}

#[tokio::test]
async fn nothing_is_lost_or_doubled_when_everything_goes_wrong() {
    let (client, server) = open(300, 3).await;
    let shop = &*server;
    let undisturbed = by_pages(&client).await;
    shop.fail_next_of("BulkQueryRun", Fault::throttled());
    shop.fail_next_of("BulkProgress", Fault::throttled());
    shop.fail_next_of("BulkProgress", Fault::status(502));
    for fault in [
        Fault::cut_off(),
        Fault::reset(),
        Fault::status(503),
        Fault::cut_off(),
    ] {
        shop.fail_next_of("bulk download", fault);
    }
    assert_eq!(by_bulk(&client, false).await, undisturbed);
}

/// Downloads cut at random offsets, addresses that stop working, throttles on start and look, and
/// workers that die anywhere: over HTTP, by seed.
#[tokio::test]
async fn whatever_happens_the_set_is_the_same() {
    let (client, server) = open(150, 3).await;
    let shop = &*server;
    let undisturbed = by_pages(&client).await;
    let size = 60_000;
    for seed in 0..12 {
        let mut random = Random(seed);
        if random.below(2) == 0 {
            shop.fail_next_of("BulkQueryRun", Fault::throttled());
        }
        if random.below(2) == 0 {
            shop.fail_next_of("BulkProgress", Fault::throttled());
        }
        for _ in 0..random.below(4) {
            let fault = match random.below(4) {
                0 => Fault::status(503),
                1 => Fault::too_many_requests("0"),
                _ => Fault::cut_off_after(random.below(size)),
            };
            shop.fail_next_of("bulk download", fault);
        }
        let grouped = random.below(2) == 0;
        let call = || catalogue::run(&client, catalogue::Variables::default());
        let mut job = call().group_objects(grouped).start().await.unwrap();
        let mut taken = Vec::new();
        while taken.len() < undisturbed.len() {
            let mut rows = job.rows().await.unwrap();
            for _ in 0..=random.below(100) {
                let Some(product) = rows.next().await else {
                    break;
                };
                taken.push(row(&product.unwrap()));
            }
            let kept = rows.token().to_string();
            drop(rows);
            if random.below(2) == 0 {
                shop.expire_downloads();
            }
            let token = kept.parse::<ResumeToken>().unwrap();
            job = call().resume(&token).await.unwrap();
        }
        assert_eq!(taken, undisturbed, "seed {seed}");
    }
}

/// Numbers by a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        (mixed ^ (mixed >> 27)) % limit
    }
}

/// An export that dies at any moment, whatever it had written by then.
#[tokio::test]
async fn an_export_that_dies_goes_on_exactly_where_it_was() {
    let (client, _server) = open(10, 1).await;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (out, state) = (path("whole.csv"), path("whole.state"));
    let orders = export::export(&client, None, &out, &state).await.unwrap();
    let whole = std::fs::read_to_string(out).unwrap();
    assert!(
        whole.lines().count() as u64 >= orders && orders > 1000,
        "{orders}"
    );
    assert!(!state.exists());
    let (out, state) = (path("torn.csv"), path("torn.state"));
    let mut deaths = 0;
    for time in (20..).step_by(10) {
        let run = export::export(&client, None, &out, &state);
        match tokio::time::timeout(Duration::from_millis(time), run).await {
            Ok(ended) => {
                ended.unwrap();
                break;
            }
            Err(_) => deaths += 1,
        }
        // What a buffer or the system may have written beyond what was kept.
        let mut file = std::fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(&out)
            .unwrap();
        file.write_all(b"#1001,half a li").unwrap();
    }
    assert!(deaths > 0);
    assert_eq!(std::fs::read_to_string(out).unwrap(), whole);
}

#[tokio::test]
async fn an_expired_address_is_renewed_and_a_later_process_goes_on() {
    let (client, server) = open(300, 3).await;
    let shop = &*server;
    let undisturbed = by_pages(&client).await;
    let call = || catalogue::run(&client, catalogue::Variables::default());
    let mut rows = call().await.unwrap();
    let mut taken = Vec::new();
    for _ in 0..100 {
        taken.push(row(&rows.next().await.unwrap().unwrap()));
    }
    let kept = rows.token().to_string();
    drop(rows);
    shop.expire_downloads();
    let job = call()
        .resume(&kept.parse::<ResumeToken>().unwrap())
        .await
        .unwrap();
    let mut rows = job.rows().await.unwrap();
    while let Some(product) = rows.next().await {
        taken.push(row(&product.unwrap()));
    }
    assert_eq!(taken, undisturbed);
}

#[tokio::test]
async fn every_price_has_its_result() {
    let (client, server) = open(200, 5).await;
    let mut input = prices::bulk(&client);
    let mut items = catalogue::items(&client, catalogue::Variables::default());
    while let Some(product) = items.next().await {
        let product = product.unwrap();
        let variants = product
            .variants
            .nodes
            .iter()
            .map(|variant| ProductVariantsBulkInput {
                id: variant.id.clone().into(),
                price: "1.00".to_owned().into(),
                ..Default::default()
            });
        input
            .push(&prices::Variables::new(product.id, variants.collect()))
            .unwrap();
    }
    let mut results = input.start().await.unwrap().results().await.unwrap();
    let mut done = 0;
    while let Some(result) = results.next().await {
        let result = result.unwrap();
        assert_eq!(result.index, done);
        assert!(
            matches!(result.outcome, Outcome::Done(_)),
            "{:?}",
            result.outcome
        );
        done += 1;
    }
    assert_eq!(done, 200);
    assert_eq!(server.runs("productVariantsBulkUpdate"), 200);
}
