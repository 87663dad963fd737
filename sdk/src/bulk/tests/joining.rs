use std::borrow::Cow;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::*;

/// products → (variants as nodes → metafields as edges), (options.media: below an object)
const SHAPE: Shape = Shape {
    connections: Cow::Borrowed(&[
        Connection {
            parent: None,
            path: Cow::Borrowed(&[]),
            marker: Cow::Borrowed("_0"),
            types: Cow::Borrowed(&[Cow::Borrowed("Product")]),
            open: Cow::Borrowed(""),
            close: Cow::Borrowed(""),
            open_node: Cow::Borrowed(""),
            close_node: Cow::Borrowed(""),
        },
        Connection {
            parent: Some(0),
            path: Cow::Borrowed(&[]),
            marker: Cow::Borrowed("_1"),
            types: Cow::Borrowed(&[Cow::Borrowed("ProductVariant")]),
            open: Cow::Borrowed(r#""variants":{"nodes":["#),
            close: Cow::Borrowed("]}"),
            open_node: Cow::Borrowed(""),
            close_node: Cow::Borrowed(""),
        },
        Connection {
            parent: Some(1),
            path: Cow::Borrowed(&[]),
            marker: Cow::Borrowed("_2"),
            types: Cow::Borrowed(&[Cow::Borrowed("Metafield")]),
            open: Cow::Borrowed(r#""metafields":{"edges":["#),
            close: Cow::Borrowed("]}"),
            open_node: Cow::Borrowed(r#"{"node":"#),
            close_node: Cow::Borrowed("}"),
        },
        Connection {
            parent: Some(0),
            path: Cow::Borrowed(&[Cow::Borrowed("gallery")]),
            marker: Cow::Borrowed("_3"),
            types: Cow::Borrowed(&[Cow::Borrowed("MediaImage"), Cow::Borrowed("Video")]),
            open: Cow::Borrowed(r#""media":{"nodes":["#),
            close: Cow::Borrowed("]}"),
            open_node: Cow::Borrowed(""),
            close_node: Cow::Borrowed(""),
        },
    ]),
};

/// Reads a file in chunks of the given lengths, repeated.
pub(super) fn read(
    file: &[u8],
    chunks: &[usize],
    grouping: Grouping,
    budget: usize,
) -> Result<Vec<RawRow>, JsonlError> {
    let mut lines = Lines::new();
    let mut join = Join::with_budget(SHAPE, grouping, budget);
    let mut rows = Vec::new();
    let mut rest = file;
    let mut lengths = chunks.iter().cycle();
    while !rest.is_empty() {
        let length = lengths.next().map_or(1, |l| *l).clamp(1, rest.len());
        let (chunk, after) = rest.split_at(length);
        rest = after;
        lines.push(chunk, |line| {
            rows.extend(join.push(line)?.into_iter().flatten());
            Ok::<_, JsonlError>(())
        })?;
    }
    lines.finish(|line| {
        rows.extend(join.push(line)?.into_iter().flatten());
        Ok::<_, JsonlError>(())
    })?;
    for batch in join.finish()? {
        rows.extend(batch?);
    }
    Ok(rows)
}

fn read_text(file: &str, grouping: Grouping) -> Result<Vec<RawRow>, JsonlError> {
    read(file.as_bytes(), &[7], grouping, Join::BUDGET)
}

fn value(row: &RawRow) -> Value {
    serde_json::from_str(row.json()).unwrap_or_else(|e| panic!("{e}: {}", row.json()))
}

const GROUPED: &str = concat!(
    r#"{"_0":"Product","id":"gid://shopify/Product/1","title":"Ä 🧤","gallery":{}}"#,
    "\n",
    r#"{"_1":"ProductVariant","id":"gid://shopify/ProductVariant/1","__parentId":"gid://shopify/Product/1"}"#,
    "\n",
    r#"{"_2":"Metafield","key":"no id","__parentId":"gid://shopify/ProductVariant/1"}"#,
    "\n\n",
    r#"{"_3":"MediaImage","image":null,"__parentId":"gid://shopify/Product/1"}"#,
    "\n  \n",
    r#"{"_0":"Product","id":"gid://shopify/Product/2","title":"B","gallery":null}"#,
    "\n",
);

#[test]
fn children_go_back_where_the_document_selects_them() {
    for grouping in [Grouping::Any, Grouping::Grouped] {
        let rows = read_text(GROUPED, grouping).unwrap();
        assert_eq!(rows.len(), 2);
        let variant = json!({
            "id": "gid://shopify/ProductVariant/1",
            "metafields": {"edges": [{"node": {"key": "no id"}}]},
        });
        let image = json!({ "image": null });
        assert_eq!(
            value(&rows[0]),
            json!({
                "id": "gid://shopify/Product/1",
                "title": "Ä 🧤",
                "gallery": {"media": {"nodes": [image]}},
                "variants": {"nodes": [variant]},
            })
        );
        assert_eq!(
            value(&rows[1]),
            json!({
                "id": "gid://shopify/Product/2",
                "title": "B",
                "gallery": null,
                "variants": {"nodes": []},
            })
        );
        assert_eq!(rows[1].place().line, 7);
    }
}

#[test]
fn a_letter_may_be_cut_at_every_byte() {
    let whole = read_text(GROUPED, Grouping::Any).unwrap();
    for cut in 1..GROUPED.len() {
        let rows = read(
            GROUPED.as_bytes(),
            &[cut, GROUPED.len()],
            Grouping::Any,
            Join::BUDGET,
        );
        assert_eq!(rows.unwrap(), whole, "cut at {cut}");
    }
    assert_eq!(
        read(GROUPED.as_bytes(), &[1], Grouping::Any, 0).unwrap(),
        whole
    );
}

#[test]
fn every_truncation_inside_a_line_is_seen() {
    for end in 1..GROUPED.len() {
        let cut = &GROUPED.as_bytes()[..end];
        let inside = !matches!(GROUPED.as_bytes()[end - 1], b'\n' | b'}' | b' ');
        match read(cut, &[64], Grouping::Any, Join::BUDGET) {
            Err(JsonlError::Truncated { .. }) => {}
            Err(JsonlError::NotUtf8 { .. }) => {
                assert!(std::str::from_utf8(cut).is_err(), "cut at {end}");
            }
            other => assert!(!inside, "cut at {end}: {other:?}"),
        }
    }
}

#[test]
fn a_bad_line_is_named_with_its_offset() {
    let file = GROUPED.replace(r#""key":"no id""#, r#""key":"no id"]"#);
    let Err(JsonlError::NotAnObject { place, at, .. }) = read_text(&file, Grouping::Any) else {
        panic!("a bracket too many");
    };
    let offset = file.find(r#"{"_2""#).unwrap();
    assert_eq!((place.line, place.offset), (3, offset as u64));
    assert_eq!(at, file.find(r#""]"#).unwrap() as u64 + 1);
}

#[test]
fn bytes_that_are_no_text_are_named_with_their_offset() {
    let mut file = GROUPED.as_bytes().to_vec();
    let at = GROUPED.find('Ä').unwrap();
    file[at] = 0xff;
    match read(&file, &[5], Grouping::Any, Join::BUDGET) {
        Err(JsonlError::NotUtf8 { place, at: bad }) => {
            assert_eq!((place.line, bad), (1, at as u64));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_line_of_no_connection_is_an_error() {
    for line in [
        r#"{"id":"gid://shopify/Order/1"}"#,
        r#"{"_0":"Product","id":"gid://shopify/Product/9","__parentId":"gid://shopify/Product/1"}"#,
        r#"{"_1":"ProductVariant","id":"gid://shopify/ProductVariant/9"}"#,
        r#"{"errors":"elsewhere"}"#,
    ] {
        let error = read_text(&format!("{GROUPED}{line}\n"), Grouping::Any).unwrap_err();
        assert!(
            matches!(&error, JsonlError::UnknownLine { place, .. } if place.line == 8),
            "{line}: {error}"
        );
    }
}

#[test]
fn lines_without_a_marker_are_told_by_their_type() {
    let bare = GROUPED
        .replace(r#""_1":"ProductVariant","#, "")
        .replace(r#""_0":"Product","#, "");
    let rows = read_text(&bare, Grouping::Any).unwrap();
    assert_eq!(
        value(&rows[0])["variants"]["nodes"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn a_line_without_its_parent_is_an_error() {
    let orphan = r#"{"_1":"ProductVariant","id":"v","__parentId":"gid://shopify/Product/3"}"#;
    let file = format!("{orphan}\n{GROUPED}");
    match read_text(&file, Grouping::Any) {
        Err(JsonlError::Orphan { place, parent }) => {
            assert_eq!(
                (place.line, parent.as_str()),
                (1, "gid://shopify/Product/3")
            );
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(
        read_text(&file, Grouping::Grouped),
        Err(JsonlError::OutOfGroup { .. })
    ));
}

#[test]
fn children_of_an_object_that_is_there_twice_are_dealt_by_group_or_refused() {
    let product = |n: u32| format!(r#"{{"_0":"Product","id":"p{n}","gallery":null}}"#);
    let variant = |n: u32| format!(r#"{{"_1":"ProductVariant","id":"v","__parentId":"p{n}"}}"#);
    let metafield = r#"{"_2":"Metafield","key":"k","__parentId":"v"}"#;
    let grouped = [
        product(1),
        variant(1),
        metafield.into(),
        product(2),
        variant(2),
        metafield.into(),
    ];
    let rows = read_text(&grouped.join("\n"), Grouping::Grouped).unwrap();
    for row in &rows {
        let edges = &value(row)["variants"]["nodes"][0]["metafields"]["edges"];
        assert_eq!(edges.as_array().unwrap().len(), 1);
    }
    for order in [[0, 1, 2, 3, 4, 5], [0, 3, 1, 4, 2, 5], [2, 5, 0, 3, 1, 4]] {
        let file = order.map(|line: usize| grouped[line].clone()).join("\n");
        let error = read_text(&file, Grouping::Any).unwrap_err();
        assert!(
            matches!(&error, JsonlError::AmbiguousParent { parent, .. } if parent == "v"),
            "{error}"
        );
    }
}

#[test]
fn a_row_that_does_not_decode_names_the_line_of_the_child_at_fault() {
    let rows = read_text(GROUPED, Grouping::Any).unwrap();
    let at = rows[0].json().find("no id").unwrap();
    let error =
        rows[0].decode::<()>(|json| Err(crate::DecodeError::new("x", "y".into(), json, at)));
    assert!(matches!(error, Err(JsonlError::Row { place, .. }) if place.line == 3));
    let after = rows[0].json().rfind('}').unwrap();
    assert_eq!(rows[0].place_of(after).line, 1);
}

#[test]
fn an_empty_file_has_no_rows() {
    for file in ["", "\n", "\r\n \n"] {
        assert_eq!(read_text(file, Grouping::Any).unwrap(), []);
        assert_eq!(read_text(file, Grouping::Grouped).unwrap(), []);
    }
}

/// A tree of random width; `n` orders siblings.
fn tree() -> impl Strategy<Value = Vec<Value>> {
    let metafield = "[a-zé\"\\\\🧤]{0,6}".prop_map(|key| json!({ "key": key }));
    let variant = (
        proptest::collection::vec(metafield.clone(), 0..3),
        "[a-z{}ü\\[\\]]{0,8}",
    )
        .prop_map(|(metafields, sku)| json!({ "sku": sku, "metafields": metafields }));
    let product = (
        proptest::collection::vec(variant, 0..4),
        proptest::collection::vec(metafield, 0..3),
    )
        .prop_map(|(variants, media)| json!({ "variants": variants, "media": media }));
    proptest::collection::vec(product, 0..6)
}

/// The lines of a tree in grouped order, and the rows that they must give.
fn flatten(tree: &[Value]) -> (Vec<String>, Vec<Value>) {
    let mut lines = Vec::new();
    let mut next = 0;
    let mut line = |mut value: Value| {
        lines.push(value.to_string());
        if let Value::Object(members) = &mut value {
            members.retain(|key, _| !key.starts_with('_'));
        }
        value
    };
    let mut id = |ty: &str| {
        next += 1;
        format!("gid://shopify/{ty}/{next}")
    };
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let rows = tree.iter().map(|product| {
        let product_id = id("Product");
        let mut row = line(json!({"_0": "Product", "id": product_id, "gallery": {"x": 1}}));
        let mut variants = Vec::new();
        for variant in list(&product["variants"]) {
            let variant_id = id("ProductVariant");
            let mut node = line(json!({
                "_1": "ProductVariant", "id": variant_id, "sku": variant["sku"],
                "__parentId": product_id,
            }));
            let edges = list(&variant["metafields"]).into_iter().map(|field| {
                let node = line(json!({
                    "_2": "Metafield", "id": id("Metafield"), "key": field["key"],
                    "__parentId": variant_id,
                }));
                json!({ "node": node })
            });
            node["metafields"] = json!({ "edges": edges.collect::<Vec<_>>() });
            variants.push(node);
        }
        let media = list(&product["media"]).into_iter().map(|media| {
            line(json!({
                "_3": "Video", "id": id("Video"), "key": media["key"], "__parentId": product_id,
            }))
        });
        row["gallery"]["media"] = json!({ "nodes": media.collect::<Vec<_>>() });
        row["variants"] = json!({ "nodes": variants });
        row
    });
    let rows = rows.collect();
    (lines, rows)
}

/// Sorts every list by the text of its items, since siblings keep the order of the file.
fn sorted(mut value: Value) -> Value {
    match &mut value {
        Value::Array(items) => {
            *items = items.drain(..).map(sorted).collect();
            items.sort_by_key(Value::to_string);
        }
        Value::Object(members) => {
            for member in members.values_mut() {
                *member = sorted(member.take());
            }
        }
        _ => {}
    }
    value
}

proptest! {
    #[test]
    fn any_order_any_chunks_any_budget_give_the_tree_back(
        (lines, rows, order) in tree().prop_map(|tree| flatten(&tree)).prop_flat_map(|(lines, rows)| {
            (Just(lines.clone()), Just(rows), Just(lines).prop_shuffle())
        }),
        chunks in proptest::collection::vec(1_usize..90, 1..6),
        budget in prop_oneof![Just(0), 100_usize..4000, Just(Join::BUDGET)],
    ) {
        let grouped = lines.join("\n");
        for grouping in [Grouping::Any, Grouping::Grouped] {
            let joined = read(grouped.as_bytes(), &chunks, grouping, budget).unwrap();
            prop_assert_eq!(joined.iter().map(value).collect::<Vec<_>>(), rows.clone());
        }
        let shuffled = order.join("\r\n\n");
        let joined = read(shuffled.as_bytes(), &chunks, Grouping::Any, budget).unwrap();
        let of_file = order.iter().filter(|line| line.contains(r#""_0""#)).map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["id"].clone()
        });
        prop_assert_eq!(
            joined.iter().map(|row| value(row)["id"].clone()).collect::<Vec<_>>(),
            of_file.collect::<Vec<_>>()
        );
        prop_assert_eq!(
            sorted(joined.iter().map(value).collect()),
            sorted(rows.into())
        );
    }
}
