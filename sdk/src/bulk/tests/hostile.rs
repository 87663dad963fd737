//! Result files that the service would not write.

use serde_json::{Value, json};

use super::super::*;
use super::joining::read;

/// Ids that are nearly the same, and some that are no ids of the service.
fn alike() -> Vec<String> {
    let endings = [
        "1",
        "01",
        "001",
        "+1",
        "-1",
        "1?x=1",
        "1?x=01",
        "1?x=2",
        "1 ",
        "1.0",
        "1e0",
        "0",
        "00",
        "-0",
        "\u{661}",
        "\u{ff11}",
        "a1",
        "10",
        "",
        "18446744073709551615",
        "18446744073709551616",
        "018446744073709551615",
        "184467440737095516150",
        "99999999999999999999999999999999999",
    ];
    let gid = |ending: &str| format!("gid://shopify/Product/{ending}");
    let others = [
        "gid://shopify/product/1",
        "gid://shopify/Video/1",
        "gid:/1",
        "1",
        "01",
        "",
        "Product",
    ];
    let others = others.map(str::to_owned).into_iter();
    // More kinds than are told apart by their stems.
    let kinds = (0..70).map(|kind| format!("gid://shopify/Product/{kind}?k=1"));
    endings
        .iter()
        .map(|e| gid(e))
        .chain(others)
        .chain(kinds)
        .collect()
}

#[test]
fn ids_that_are_nearly_the_same_are_not_mixed_up() {
    let ids = alike();
    let product = |id: &String| json!({ "id": id, "_0": "Product" });
    let variant =
        |id: &String| json!({ "id": format!("{id}/v"), "for": id, "_1": "x", "__parentId": id });
    let products = || ids.iter().map(product);
    let variants = || ids.iter().rev().map(variant);
    let grouped = ids.iter().flat_map(|id| [product(id), variant(id)]);
    let orders: [(Vec<Value>, Grouping); 4] = [
        (products().chain(variants()).collect(), Grouping::Any),
        (variants().chain(products()).collect(), Grouping::Any),
        (grouped.clone().collect(), Grouping::Any),
        (grouped.collect(), Grouping::Grouped),
    ];
    for (lines, grouping) in orders {
        let file: String = lines.iter().map(|line| format!("{line}\n")).collect();
        for budget in [0, 1 << 20] {
            let rows = read(file.as_bytes(), &[7, 4096], grouping, budget).unwrap();
            assert_eq!(rows.len(), ids.len());
            for (row, id) in rows.iter().zip(&ids) {
                let row: Value = serde_json::from_str(row.json()).unwrap();
                assert_eq!(row["id"], **id);
                let nodes = row["variants"]["nodes"].as_array().unwrap();
                assert_eq!(nodes.len(), 1, "{row}");
                assert_eq!(nodes[0]["for"], **id);
            }
        }
    }
}

#[test]
fn a_line_that_never_ends_does_not_fill_the_memory() {
    let piece = vec![b'x'; 8 << 20];
    let mut lines = Lines::new();
    let each = |_: Line<'_>| Ok::<_, JsonlError>(());
    lines.push(b"{}\n", each).unwrap();
    let pieces = Lines::LONGEST / piece.len();
    for _ in 0..pieces {
        lines.push(&piece, each).unwrap();
    }
    let error = lines.push(b"x", each).unwrap_err();
    assert!(matches!(error, JsonlError::TooLong { place } if place.line == 2));
    assert_eq!(error.to_string(), "line 2 (byte 3): longer than 128 MB");
}
