use serde_json::json;
use tollgate_codegen::pricing::{Basis, outline};
use tollgate_cost::Points;

use super::{fixed, price, priced};

#[test]
fn scalars_are_free_and_a_document_costs_at_least_one() {
    assert_eq!(fixed("{ __typename }"), Points(1));
    assert_eq!(fixed("{ shop { name id } }"), Points(1));
}

#[test]
fn objects_cost_one_and_lists_of_them_too() {
    assert_eq!(fixed("{ shop { billingAddress { city } } }"), Points(2));
    let nodes = "{ nodes(ids: [1, 2, 3]) { id ... on Order { customer { email } } } }";
    assert_eq!(fixed(nodes), Points(2));
}

#[test]
fn value_objects_are_free() {
    assert_eq!(
        fixed("{ shop { currencyFormats { moneyFormat } } }"),
        Points(1)
    );
    assert_eq!(fixed("{ order(id: 1) { total { amount } } }"), Points(1));
    // The same type is free on one field and not on another.
    let addresses = "{ customer(id: 1) { defaultAddress { city } } }";
    assert_eq!(fixed(addresses), Points(1));
    assert_eq!(
        fixed("{ order(id: 1) { billingAddress { city } } }"),
        Points(2)
    );
}

#[test]
fn a_connection_costs_two_and_its_children_by_the_logarithm_of_its_size() {
    assert_eq!(
        fixed("{ products(first: 250) { nodes { id } } }"),
        Points(13)
    );
    assert_eq!(fixed("{ products(last: 10) { nodes { id } } }"), Points(6));
    let nested = "{ products(first: 10) { nodes { variants(first: 5) { nodes { sku } } } } }";
    assert_eq!(fixed(nested), Points(26));
    assert_eq!(fixed("{ products { nodes { id } } }"), Points(2));
    assert_eq!(fixed("{ products(first: 0) { nodes { id } } }"), Points(2));
}

#[test]
fn edges_cost_what_nodes_cost_both_cost_both_and_page_info_is_free() {
    let edges = "{ products(first: 10) { edges { node { id } } pageInfo { endCursor } } }";
    assert_eq!(fixed(edges), Points(6));
    let both = "{ products(first: 10) { nodes { id } edges { node { id } } } }";
    assert_eq!(fixed(both), Points(10));
}

#[test]
fn a_default_of_the_schema_sizes_a_connection() {
    assert_eq!(
        fixed("{ theme(id: 1) { files { nodes { name } } } }"),
        Points(10)
    );
}

#[test]
fn the_dearest_possible_type_counts() {
    let text = "{ node(id: 1) {
        ... on Order { customer { id } billingAddress { city } }
        ... on Product { options { values { name } } }
        ... on HasMetafields { metafields(first: 3) { nodes { id } } }
    } }";
    // Order and Product are both 2 and their metafields 2 + 2 × 1.
    assert_eq!(fixed(text), Points(1 + 2 + 4));
    let union = "{ order(id: 1) { purchaser { ... on Customer { defaultAddress { city } }
        ... on Company { contact { email } } } } }";
    assert_eq!(fixed(union), Points(3));
}

#[test]
fn equal_response_keys_are_merged_across_fragments() {
    let text = "query { order(id: 1) { ...A ...B customer { email } } }
        fragment A on Order { customer { id orders(first: 1) { nodes { id } } } }
        fragment B on Order { customer { orders(first: 1) { nodes { name } } } }";
    assert_eq!(fixed(text), Points(1 + 1 + 3));
    let aliases = "{ a: shop { id } b: shop { id } }";
    assert_eq!(fixed(aliases), Points(2));
}

#[test]
fn introspection_fields_are_ordinary_objects() {
    let text = "{ __schema { types { name fields { name type { name } } } } }";
    assert_eq!(fixed(text), Points(4));
    assert_eq!(fixed("{ __type(name: \"Order\") { name } }"), Points(1));
}

#[test]
fn mutations_cost_ten_their_payload_nothing_and_what_is_below_it_as_ever() {
    let tags = "mutation { tagsAdd(id: 1, tags: []) { node { id } userErrors { message } } }";
    assert_eq!(fixed(tags), Points(10));
    let below =
        "mutation { tagsAdd(id: 1, tags: []) { node { ... on Order { customer { id } } } } }";
    assert_eq!(fixed(below), Points(11));
    let capture = "mutation { orderCapture(id: 1) { order { id } } }";
    assert_eq!(fixed(capture), Points(20));
    let three = "mutation { a: tagsAdd(id: 1, tags: []) { userErrors { message } }
        b: tagsAdd(id: 1, tags: []) { userErrors { message } } }";
    assert_eq!(fixed(three), Points(20));
}

#[test]
fn root_counts_cost_ten() {
    assert_eq!(fixed("{ productsCount { count } }"), Points(10));
}

#[test]
fn what_is_skipped_is_not_charged() {
    let text = "query($with: Boolean!, $without: Boolean = false) {
        shop { name }
        order(id: 1) @include(if: $with) { id customer @skip(if: $without) { id } }
    }";
    let price = |variables| price(text, variables);
    assert_eq!(price(json!({"with": true})), Points(3));
    assert_eq!(price(json!({"with": true, "without": true})), Points(2));
    assert_eq!(price(json!({"with": false})), Points(1));
    assert_eq!(priced(text).plan.bound(), Points(3));
    assert_eq!(
        fixed("mutation { orderCapture(id: 1) @skip(if: true) { order { id } } }"),
        Points(1)
    );
}

#[test]
fn a_field_selected_twice_is_charged_when_either_is() {
    let text = "query($a: Boolean!, $b: Boolean!) {
        order(id: 1) @include(if: $a) { customer { id } }
        order(id: 1) @include(if: $b) { billingAddress { city } }
    }";
    let both = |a, b| price(text, json!({"a": a, "b": b}));
    assert_eq!(both(true, true), Points(3));
    assert_eq!(both(true, false), Points(2));
    assert_eq!(both(false, false), Points(1));
}

#[test]
fn sizes_come_from_variables_their_defaults_and_null() {
    let text = "query($first: Int = 10, $last: Int) {
        products(first: $first, last: $last) { nodes { id } }
    }";
    assert_eq!(fixed(text), Points(6));
    assert_eq!(price(text, json!({"first": 250})), Points(13));
    assert_eq!(price(text, json!({"first": null, "last": 3})), Points(4));
    assert_eq!(price(text, json!({"first": null})), Points(2));
}

#[test]
fn input_items_are_priced_by_hand_written_rules_and_by_descriptions() {
    let create = "mutation($product: ProductInput!, $media: [MediaInput!]) {
        productCreate(product: $product, media: $media) { product { id } }
    }";
    let media = json!({"product": {"metafields": [{}, {}]}, "media": [{}]});
    // 10 + 2 × 0.4 + 1.9
    assert_eq!(price(create, media), Points(13));
    let set = "mutation($input: ProductSetInput!) { productSet(input: $input) { product { id } } }";
    let input = json!({"input": {
        "files": [{}], "variants": [{"file": {}}, {"metafields": [{}, {}]}, {}],
    }});
    // 10 + 1.9 + 3 × 0.2 + 0.6 + 2 × 0.4
    assert_eq!(price(set, input), Points(14));
    assert_eq!(priced(set).plan.declared_bound(), Points(10));
}

#[test]
fn literal_input_is_counted_at_build_time_and_its_variables_at_run_time() {
    let text = "mutation($variants: [VariantSetInput!]!, $file: MediaInput!) {
        productSet(input: {files: [{source: \"\"}, $file], variants: $variants}) { product { id } }
    }";
    let variants = json!({"variants": [{}, {}, {}, {}, {}, {}], "file": {}});
    // 10 + 2 × 1.9 + 6 × 0.2
    assert_eq!(price(text, variants), Points(15));
}

#[test]
fn a_declared_length_bounds_a_list() {
    let text = "mutation($media: [MediaInput!] @max(value: 20)) {
        productCreate(product: {title: \"\"}, media: $media) { product { id } }
    }";
    assert_eq!(priced(text).plan.declared_bound(), Points(10 + 38));
}

#[test]
fn owners_are_charged_once_each() {
    let text = "mutation($more: [MetafieldsSetInput!]!) {
        a: metafieldsSet(metafields: $more) { userErrors { message } }
        b: metafieldsSet(metafields: [{ownerId: \"gid://shopify/Order/1\", key: \"\", value: \"\"}]) {
            userErrors { message }
        }
    }";
    let owner = |id: &str| json!({"ownerId": id});
    let order = owner("gid://shopify/Order/1");
    let product = owner("gid://shopify/Product/1");
    let more = json!({"more": [order, order, product, owner("gid://shopify/Page/1")]});
    assert_eq!(price(text, more), Points(10 + 10 + 4 + 10 + 10));
}

#[test]
fn sizes_are_bounded_by_max_then_default_then_the_page_size_then_the_server() {
    let bound = |declaration: &str| {
        let text =
            format!("query({declaration}) {{ products(first: $first) {{ nodes {{ id }} }} }}");
        priced(&text).plan.bound()
    };
    assert_eq!(bound("$first: Int! = 3 @max(value: 10)"), Points(6));
    assert_eq!(bound("$first: Int! = 3"), Points(4));
    assert_eq!(bound("$first: Int!"), Points(13));
}

#[test]
fn the_breakdown_leaves_out_the_nodes_of_connections_only() {
    let labels = |text: &str| {
        let rows = priced(text).breakdown(Basis::Bound).unwrap();
        let lines = outline(&rows).into_iter();
        lines.map(|line| line.label).collect::<Vec<_>>()
    };
    let by_id = "{ node(id: \"1\") { id ... on Order { customer { id } } } }";
    assert_eq!(labels(by_id), ["node", "customer"]);
    let page = "{ orders(first: 5) { edges { node { customer { id } } } } }";
    assert_eq!(labels(page), ["orders(first: 5)", "customer"]);
}
