use serde_json::{Value, json};

use super::{ask, catalogue, data};

const PAGE: &str = "query Page($first: Int, $after: String, $last: Int, $before: String) {
  products(first: $first, after: $after, last: $last, before: $before) {
    edges { cursor node { id } }
    nodes { id }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}";

async fn walk(total: u64, size: u64, forward: bool) -> Vec<String> {
    let shop = catalogue(total, 1);
    let (size_name, cursor_name, end, more) = if forward {
        ("first", "after", "endCursor", "hasNextPage")
    } else {
        ("last", "before", "startCursor", "hasPreviousPage")
    };
    let mut ids = Vec::new();
    let mut cursor = Value::Null;
    loop {
        shop.set_level(2000);
        let page = data(&shop, PAGE, json!({ size_name: size, cursor_name: cursor })).await;
        let page = &page["products"];
        let nodes = page["nodes"].as_array().unwrap().clone();
        let edges = page["edges"].as_array().unwrap();
        let from_edges: Vec<_> = edges.iter().map(|edge| edge["node"].clone()).collect();
        assert_eq!(nodes, from_edges);
        let mut of_page: Vec<_> = nodes
            .iter()
            .map(|n| n["id"].as_str().unwrap().to_owned())
            .collect();
        if forward {
            ids.extend(of_page);
        } else {
            of_page.extend(ids);
            ids = of_page;
        }
        cursor = page["pageInfo"][end].clone();
        if page["pageInfo"][more] == false {
            return ids;
        }
        assert!(cursor.is_string(), "{page}");
    }
}

#[tokio::test]
async fn every_node_comes_once_at_every_boundary() {
    for total in [0, 1, 9, 10, 11, 20, 27] {
        let all: Vec<_> = (1..=total)
            .map(|n| format!("gid://shopify/Product/{n}"))
            .collect();
        assert_eq!(walk(total, 10, true).await, all, "forward over {total}");
        assert_eq!(walk(total, 10, false).await, all, "backward over {total}");
    }
}

#[tokio::test]
async fn cursors_of_edges_continue_in_the_middle() {
    let shop = catalogue(10, 1);
    let page = data(&shop, PAGE, json!({ "first": 5 })).await;
    let cursor = &page["products"]["edges"][2]["cursor"];
    let rest = data(&shop, PAGE, json!({ "first": 2, "after": cursor })).await;
    assert_eq!(
        rest["products"]["nodes"][0]["id"],
        "gid://shopify/Product/4"
    );
    assert_eq!(rest["products"]["pageInfo"]["hasPreviousPage"], true);
}

#[tokio::test]
async fn reverse_turns_the_order_around() {
    let shop = catalogue(10, 1);
    let query = "{ products(first: 3, reverse: true) { nodes { id } } }";
    let page = data(&shop, query, json!({})).await;
    assert_eq!(
        page["products"]["nodes"][0]["id"],
        "gid://shopify/Product/10"
    );
}

#[tokio::test]
async fn wrong_pages_are_refused_with_the_cost_block() {
    let shop = catalogue(10, 1);
    let cases = [
        (
            json!({ "first": 2, "after": "nonsense" }),
            "Malformed cursor",
        ),
        (json!({}), "you must provide one of first or last"),
        (json!({ "first": 251 }), "first cannot exceed 250"),
    ];
    for (variables, message) in cases {
        let body = ask(&shop, PAGE, variables).await;
        assert_eq!(body["errors"][0]["message"], message);
        assert_eq!(body["errors"][0]["extensions"]["code"], "BAD_REQUEST");
        assert_eq!(body["errors"][0]["path"], json!(["products"]));
        assert_eq!(body["data"], Value::Null);
        assert!(body["extensions"]["cost"]["actualQueryCost"].is_u64());
    }
}

#[tokio::test]
async fn nested_connections_belong_to_their_parents() {
    let shop = catalogue(4, 3);
    let query = "{ products(first: 4) { nodes { id variants(first: 2) { nodes { id product { id } } \
                 pageInfo { hasNextPage } } } } productVariants(first: 20) { nodes { id } } }";
    let page = data(&shop, query, json!({})).await;
    let third = &page["products"]["nodes"][2];
    assert_eq!(
        third["variants"]["nodes"][0]["id"],
        "gid://shopify/ProductVariant/7"
    );
    assert_eq!(third["variants"]["nodes"][0]["product"]["id"], third["id"]);
    assert_eq!(third["variants"]["pageInfo"]["hasNextPage"], true);
    assert_eq!(
        page["productVariants"]["nodes"].as_array().unwrap().len(),
        12
    );
}
