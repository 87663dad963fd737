//! What a careful programmer writes for `DecodePlain`.
#![allow(dead_code, reason = "only decoded")]

use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct Data {
    products: Products,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Products {
    page_info: PageInfo,
    nodes: Vec<Product>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageInfo {
    has_next_page: bool,
    end_cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Product {
    id: String,
    handle: String,
    title: String,
    status: Status,
    vendor: String,
    tags: Vec<String>,
    updated_at: String,
    price_range_v2: PriceRange,
    variants: Variants,
}

#[derive(Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Status {
    Active,
    Archived,
    Draft,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PriceRange {
    min_variant_price: Price,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Price {
    amount: String,
    currency_code: Currency,
}

#[derive(Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Currency {
    Cad,
    Eur,
    Jpy,
    Usd,
}

#[derive(Deserialize)]
struct Variants {
    nodes: Vec<Variant>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Variant {
    id: String,
    sku: Option<String>,
    title: String,
    position: i32,
    price: String,
    compare_at_price: Option<String>,
    inventory_quantity: Option<i32>,
    selected_options: Vec<SelectedOption>,
}

#[derive(Deserialize)]
struct SelectedOption {
    name: String,
    value: String,
}
