use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::tollgate::{folder, run, says, workspace};

const OLD: &str = r#"type Query { shop: Shop products(first: Int): ProductConnection! }
type ProductConnection { nodes: [Product!]! }
"A shop."
type Shop { name: String! @deprecated(reason: "Use `title`.") title: String! }
type Product { id: ID! kind: Kind! cost: Money }
enum Kind { BOOK }
scalar Money
"#;
const NEW: &str = r#"type Query { shop: Shop products(first: Int): ProductConnection! }
type ProductConnection { nodes: [Product!]! }
type Shop { title: String! @deprecated(reason: "No more titles.") }
type Product { id: ID! kind: Kind! cost: MoneyPair }
type MoneyPair { amount: String }
enum Kind { BOOK FILM }
scalar Money
"#;

fn schemas() -> TempDir {
    folder(&[
        ("old.graphql", OLD),
        ("new.graphql", NEW),
        ("queries/shop.graphql", "query Name {\n  shop { name }\n}"),
        (
            "queries/kinds.graphql",
            "query Kinds { products(first: 250) { nodes { kind } } }",
        ),
    ])
}

#[test]
fn diff_says_what_breaks_and_what_is_deprecated() {
    let here = schemas();
    let said = says(
        here.path(),
        &["schema", "diff", "old.graphql", "new.graphql"],
    );
    let expected = "\
Breaks
  Product.cost was `Money`, is `MoneyPair`
  Shop.name is gone
    Use `title`.

Deprecated
  Shop.title is deprecated
    No more titles.

2 breaking, 0 dearer, 1 deprecated, 1 worth knowing (shown with --all)
";
    assert_eq!(said, expected);
    let all = says(
        here.path(),
        &["schema", "diff", "old.graphql", "new.graphql", "--all"],
    );
    assert!(
        all.contains("Worth knowing\n  Kind.FILM is a new value"),
        "{all}"
    );
}

#[test]
fn diff_is_restricted_to_what_the_documents_use() {
    let here = schemas();
    let said = says(
        here.path(),
        &["schema", "diff", "old.graphql", "new.graphql", "--used"],
    );
    assert!(
        said.contains("used by Name (queries/shop.graphql:2:10)"),
        "{said}"
    );
    assert!(
        said.contains("Kind.FILM is a new value\n    used by Kinds"),
        "{said}"
    );
    assert!(
        !said.contains("Product.cost") && !said.contains("Shop.title"),
        "{said}"
    );
}

#[test]
fn diff_counts_what_a_schema_does_to_prices() {
    let here = schemas();
    // What is paid for later, and what the new schema refuses: it has no price there.
    let old = OLD.replace("cost: Money", "price: MoneyV2 cost: Money") + "type MoneyV2 { is: Int }";
    let new = NEW.replace("cost: Money", "price: Price cost: Money") + "type Price { is: Int }";
    let dearer = "query Dearer { products(first: 250) { nodes { price { is } } } }";
    let broken = "query Costs { products(first: 250) { nodes { cost } } }";
    for (name, text) in [
        ("old.graphql", &*old),
        ("new.graphql", &new),
        ("queries/dearer.graphql", dearer),
        ("queries/costs.graphql", broken),
    ] {
        std::fs::write(here.path().join(name), text).unwrap();
    }
    let line = [
        "schema",
        "diff",
        "old.graphql",
        "new.graphql",
        "--used",
        "--json",
    ];
    let json: Value = serde_json::from_str(&says(here.path(), &line)).unwrap();
    let expected = serde_json::json!([
        { "operation": "Costs", "before": 13, "after": null, "breaks": true },
        { "operation": "Dearer", "before": 13, "after": 24, "breaks": false },
        { "operation": "Name", "before": 1, "after": null, "breaks": true },
    ]);
    assert_eq!(json["prices"], expected);
    let said = says(here.path(), &line[..5]);
    assert!(said.contains("  Costs  13 → breaks\n"), "{said}");
    assert!(said.contains("  Dearer  13 → 24 points\n"), "{said}");
    let mut changes = json["changes"].as_array().unwrap().iter();
    let cost = changes.find(|change| change["coordinate"] == "Product.cost");
    let cost = cost.unwrap();
    assert_eq!(cost["impact"], "breaking");
    assert_eq!(cost["uses"][0]["place"], "queries/costs.graphql:1:46");
}

#[test]
fn diff_exits_with_1_on_what_is_denied() {
    let here = schemas();
    let line = [
        "schema",
        "diff",
        "old.graphql",
        "new.graphql",
        "--deny",
        "breaking,deprecated",
    ];
    let (code, _, stderr) = run(here.path(), &line);
    assert_eq!(code, 1);
    assert!(
        stderr.contains("3 changes of a kind that `--deny` names"),
        "{stderr}"
    );
    let (code, ..) = run(
        here.path(),
        &[
            "schema",
            "diff",
            "old.graphql",
            "new.graphql",
            "--deny",
            "dearer",
        ],
    );
    assert_eq!(code, 0);
}

fn real(version: &str) -> Option<PathBuf> {
    let shared = std::env::var_os("TOLLGATE_SHARED");
    let shared = shared.map_or_else(|| workspace().join("../shared"), PathBuf::from);
    let path = shared.join(format!("schema/admin_{version}.json.gz"));
    if !path.exists() {
        println!("skipped: no {}", path.display());
        return None;
    }
    path.canonicalize().ok()
}

/// Samples looked up by hand in both schemas.
#[test]
fn diff_of_the_real_schemas() {
    let (Some(old), Some(new)) = (real("2025-10"), real("2026-04")) else {
        return;
    };
    let here = folder(&[]);
    let began = Instant::now();
    let line = [
        "schema",
        "diff",
        old.to_str().unwrap(),
        new.to_str().unwrap(),
        "--json",
    ];
    let json: Value = serde_json::from_str(&says(here.path(), &line)).unwrap();
    let changes = json["changes"].as_array().unwrap();
    println!("{} changes in {:?}", changes.len(), began.elapsed());
    // Loose, since tests run unoptimised and side by side; optimised it takes a third of a second.
    assert!(began.elapsed() < Duration::from_secs(60));
    let find = |coordinate: &str, impact: &str| {
        let mut found = changes.iter();
        found.any(|c| c["coordinate"] == coordinate && c["impact"] == impact)
    };
    for (coordinate, impact) in SAMPLES {
        assert!(find(coordinate, impact), "{coordinate} {impact}");
    }
}

const SAMPLES: [(&str, &str); 7] = [
    ("DeliverySetting", "breaking"),
    ("FulfillmentService.permitsSkuSharing", "breaking"),
    ("InventoryQuantityInput.compareQuantity", "breaking"),
    ("FulfillmentOrderCancelPayload.userErrors", "breaking"),
    ("InventoryItem.variant", "deprecated"),
    (
        "Mutation.bulkOperationRunMutation(groupObjects:)",
        "deprecated",
    ),
    ("ReturnLineItemInput.returnReason", "deprecated"),
];

#[test]
fn pull_writes_sdl_from_a_file_with_or_without_descriptions() {
    let here = schemas();
    let said = says(here.path(), &["schema", "pull", "old.graphql"]);
    assert!(said.starts_with("schema/admin.graphql ("), "{said}");
    let pulled = std::fs::read_to_string(here.path().join("schema/admin.graphql")).unwrap();
    assert_eq!(pulled, OLD);
    let bare = says(
        here.path(),
        &[
            "schema",
            "pull",
            "old.graphql",
            "--no-descriptions",
            "--out",
            "-",
        ],
    );
    assert_eq!(bare, OLD.replace("\"A shop.\"\n", ""));
}

#[test]
fn pull_keeps_the_schema_when_what_came_is_none() {
    let here = folder(&[
        ("schema/admin.graphql", OLD),
        ("html.json", "<html>"),
        ("answer.json", r#"{"errors": "Not Found"}"#),
    ]);
    for file in ["html.json", "answer.json", "nothing.json"] {
        let (code, _, stderr) = run(here.path(), &["schema", "pull", file]);
        assert_eq!(code, 3, "{file}: {stderr}");
    }
    let kept = std::fs::read_to_string(here.path().join("schema/admin.graphql")).unwrap();
    assert_eq!(kept, OLD);
}

#[test]
fn pull_from_a_shop_wants_a_token_and_never_shows_it() {
    let here = folder(&[]);
    let shop = ["schema", "pull", "--shop", "example.myshopify.com"];
    let (code, _, stderr) = run(here.path(), &shop);
    assert_eq!(code, 2);
    assert!(stderr.contains("TOLLGATE_TOKEN"), "{stderr}");
    let (code, _, stderr) = run(here.path(), &["schema", "pull"]);
    assert_eq!(code, 2);
    for way in [
        "--shop my-shop",
        "pull https://",
        "--endpoint http://127.0.0.1:4010",
    ] {
        assert!(stderr.contains(way), "{stderr}");
    }
    let wrong = ["schema", "pull", "--shop", "example.com"];
    let mut command = crate::tollgate::command(here.path(), &wrong);
    let output = command
        .env("TOLLGATE_TOKEN", "shpat_canary")
        .output()
        .unwrap();
    assert!(!output.status.success());
    assert!(!String::from_utf8_lossy(&output.stderr).contains("canary"));
}
