//! `tollgate calibrate` against the emulated shop.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tollgate_shop::{Server, Shop};

const SCHEMA: &str = "
schema { query: QueryRoot  mutation: Mutation }
type QueryRoot { products(first: Int, last: Int): ProductConnection!  shop: Shop! }
type Mutation { touch(id: ID!): TouchPayload }
type TouchPayload { shop: Shop }
type Shop { name: String!  owner: Owner! }
type Owner { name: String! }
type Product { title: String!  brand: Owner! }
type ProductConnection { nodes: [Product!]!  pageInfo: PageInfo! }
type PageInfo { hasNextPage: Boolean! }
";

const DOCUMENT: &str = "
query Products($first: Int!) @cost(max: 400) {
  products(first: $first) { nodes { title brand { name } } }
}
query Owner { shop { owner { name } } }
mutation Touch { touch(id: \"1\") { shop { name } } }
";

fn project(costs: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        ("schema/admin.graphql", SCHEMA),
        ("schema/costs.toml", costs),
        ("queries/all.graphql", DOCUMENT),
    ];
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// A shop that answers while the command runs.
struct Open {
    // Dropped first, while its runtime still is.
    shop: Server,
    runtime: tokio::runtime::Runtime,
}

impl Open {
    fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .unwrap();
        let shop = runtime
            .block_on(Shop::builder().schema(SCHEMA).start())
            .unwrap();
        Self { shop, runtime }
    }

    fn calibrate(&self, folder: &Path, arguments: &[&str]) -> Output {
        let _entered = self.runtime.enter();
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        command
            .arg("calibrate")
            .args(arguments)
            .current_dir(folder)
            .env("TOLLGATE_ENDPOINT", self.shop.endpoint("2026-10"));
        command.output().unwrap()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn prices_that_hold_pass_the_check() {
    let folder = project("");
    let output = Open::new().calibrate(folder.path(), &["--check"]);
    assert!(output.status.success(), "{output:?}");
    let expected = "\
Products  4 points, as priced
Owner  2 points, as priced
Touch  not sent: a mutation
";
    assert_eq!(text(&output.stdout), expected);
}

#[test]
fn variables_of_no_operation_are_refused_before_anything_is_sent() {
    let folder = project("");
    let open = Open::new();
    for (names, variables, wrong) in [
        (&["Products"][..], r#"{"frist": 3}"#, "no variable `$frist`"),
        (
            &[],
            r#"{"Prodcuts": {"first": 3}}"#,
            "no operation `Prodcuts`",
        ),
    ] {
        fs::write(folder.path().join("v.json"), variables).unwrap();
        let output = open.calibrate(folder.path(), &[names, &["--variables", "v.json"]].concat());
        assert!(text(&output.stderr).contains(wrong), "{output:?}");
        assert!(!output.status.success(), "{output:?}");
    }
    assert_eq!(open.shop.summary().requests, 0);
}

#[test]
fn a_program_reads_what_differs() {
    let folder = project("[fields]\n\"Shop.owner\" = 5\n");
    let output = Open::new().calibrate(folder.path(), &["--json", "--check"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let read: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let [same, drifted, unsent] = [0, 1, 2].map(|at| &read["operations"][at]);
    assert_eq!((&same["price"], &same["requested"]), (&4.into(), &4.into()));
    assert_eq!(drifted["drifts"][0]["coordinate"], "Shop.owner");
    assert_eq!(drifted["drifts"][0]["requested"], "1");
    assert_eq!(unsent["not_sent"], "a mutation");
}

#[test]
fn drift_fails_the_check_and_is_written_without_it() {
    let shop = Open::new();
    let folder = project("[fields]\n\"Shop.owner\" = 5\n[mutations]\ntouch = 30\n");
    let check = shop.calibrate(folder.path(), &["--check", "--mutations"]);
    assert_eq!(check.status.code(), Some(1), "{check:?}");
    let expected = "\
Products  4 points, as priced
Owner  2 points, priced at 6
  shop.owner: 1 instead of 5 (Shop.owner)
Touch  10 points, priced at 30
  touch: 10 instead of 30
";
    assert_eq!(text(&check.stdout), expected);
    assert_eq!(text(&check.stderr), "error: 2 prices have changed\n");
    let written = shop.calibrate(folder.path(), &["--mutations"]);
    assert!(written.status.success(), "{written:?}");
    let costs = fs::read_to_string(folder.path().join("schema/costs.toml")).unwrap();
    assert_eq!(
        costs,
        "[fields]\n\"Shop.owner\" = 1\n\n[mutations]\n\"touch\" = 10\n"
    );
    assert!(
        shop.calibrate(folder.path(), &["--check", "--mutations"])
            .status
            .success()
    );
}

#[test]
fn drift_without_a_place_fails_the_check_too() {
    let folder = project("[types]\nOwner = 2\n");
    let output = Open::new().calibrate(folder.path(), &["Products", "--check"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    // The field is named, since a type has many.
    assert!(
        text(&output.stdout).contains("(Product.brand)"),
        "{output:?}"
    );
}

#[test]
fn a_shop_that_is_not_there_is_told_without_the_token() {
    let folder = project("");
    let output = Command::new(env!("CARGO_BIN_EXE_tollgate"))
        .args(["calibrate", "Owner", "--endpoint", "http://127.0.0.1:9/"])
        .current_dir(folder.path())
        .env("TOLLGATE_SHOP", "emulated.myshopify.com")
        .env("TOLLGATE_TOKEN", "shpat_secret")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(
        text(&output.stderr).contains("`Owner` was not answered"),
        "{output:?}"
    );
    assert!(!text(&output.stderr).contains("shpat_secret"), "{output:?}");
    let help = Command::new(env!("CARGO_BIN_EXE_tollgate"))
        .args(["calibrate", "--help"])
        .env("TOLLGATE_TOKEN", "shpat_secret")
        .output()
        .unwrap();
    assert!(!text(&help.stdout).contains("shpat_secret"), "{help:?}");
}
