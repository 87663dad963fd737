use super::{DateTime, Foreign, Id, Money, Url};
use crate::{Input, decode::from_str, input};

#[test]
fn an_id_is_its_whole_text_and_its_parts_are_views() {
    let id =
        Id::from("gid://shopify/InventoryQuantity/123?inventory_item_id=456&name=on_hand&flag");
    assert_eq!(id.resource(), Some("InventoryQuantity"));
    assert_eq!(id.number(), Ok(123));
    let params: Vec<_> = id.params().collect();
    assert_eq!(
        params,
        [
            ("inventory_item_id", "456"),
            ("name", "on_hand"),
            ("flag", "")
        ]
    );
    assert_ne!(id, Id::from("gid://shopify/InventoryQuantity/123"));
    assert_eq!(Id::of("Product", u64::MAX).number(), Ok(u64::MAX));
}

#[test]
fn ids_of_other_forms_are_kept() {
    let text = "gid://shopify/OnlineStoreTheme/main/sections?x=%20";
    assert_eq!(Id::from(text).as_str(), text);
    assert_eq!(Id::from(text).name(), Some("main/sections"));
    assert_eq!(
        Id::from("gid://shopify/File/01J-abc").resource(),
        Some("File")
    );
    assert_eq!(Id::from(7).number(), Ok(7));
    for text in [
        "",
        "gid://",
        "gid://shopify",
        "gid://shopify/Product",
        "x",
        "gid://a/B/99999999999999999999",
    ] {
        let error = Id::from(text).number().unwrap_err();
        assert_eq!(error.id.as_str(), text);
        assert!(error.to_string().contains("has no number"));
        assert!(std::error::Error::source(&error).is_some());
    }
}

#[test]
fn text_scalars_go_through_serde_as_text() {
    let money: Money = serde_json::from_str("\"0.10\"").unwrap();
    assert_eq!(money, "0.10");
    assert_eq!(serde_json::to_string(&money).unwrap(), "\"0.10\"");
    assert_eq!(format!("{money:>6}"), "  0.10");
    assert_eq!(String::from(money), "0.10");
    assert_eq!(
        Url::from("https://a.b/c").to_url().unwrap().host_str(),
        Some("a.b")
    );
    assert!(Url::from("/c").to_url().is_err());
}

#[test]
fn foreign_types_are_read_and_written_by_serde() {
    let day: Foreign<Option<std::net::Ipv4Addr>> = from_str("\"127.0.0.1\"").unwrap();
    assert!(day.0.is_some());
    let error = from_str::<Foreign<std::net::Ipv4Addr>>(" 5").unwrap_err();
    assert!(
        error
            .expected()
            .starts_with("core::net::ip_addr::Ipv4Addr (invalid type"),
        "{error}"
    );
    assert_eq!(error.offset(), 1);
    let input: Input<Foreign<u8>> = 5.into();
    let mut out = Vec::new();
    input::encode(&One(input), &mut out);
    assert_eq!(out, br#"{"one":5}"#);
}

struct One(Input<Foreign<u8>>);

impl tollgate_cost::Fields for One {
    fn member(&self, index: usize) -> Option<(&str, &dyn tollgate_cost::Item)> {
        (index == 0).then_some(("one", &self.0 as &dyn tollgate_cost::Item))
    }
}

#[cfg(feature = "rust_decimal")]
#[test]
fn decimals_are_exact_or_an_error() {
    use super::Decimal;

    for text in ["0.10", "-0.01", "79228162514264337593543950335"] {
        let number = Decimal::from(text).to_decimal().unwrap();
        assert_eq!(Decimal::from(number).as_str(), text);
    }
    assert!(Decimal::from("1".repeat(30).as_str()).to_decimal().is_err());
    assert!(Money::from("1,5").to_decimal().is_err());
}

#[cfg(feature = "jiff")]
#[test]
fn times_to_jiff() {
    let noon = jiff::Timestamp::from_second(1_790_000_000).unwrap();
    for text in [
        "2026-09-21T14:13:20Z",
        "2026-09-21T16:13:20+02:00",
        "2026-09-21T14:13:20.000+00:00",
    ] {
        assert_eq!(DateTime::from(text).to_timestamp().unwrap(), noon, "{text}");
    }
    assert_eq!(DateTime::from(noon), "2026-09-21T14:13:20Z");
    assert!(DateTime::from("2026-09-21").to_timestamp().is_err());
    assert_eq!(
        super::Date::from("2026-09-21").to_civil().unwrap(),
        jiff::civil::date(2026, 9, 21)
    );
}

#[cfg(feature = "chrono")]
#[test]
fn times_to_chrono_keep_their_offset() {
    let time = DateTime::from("2026-09-21T16:13:20+02:00")
        .to_chrono()
        .unwrap();
    assert_eq!(time.offset().local_minus_utc(), 7200);
    assert_eq!(DateTime::from(time), "2026-09-21T16:13:20+02:00");
    assert!(DateTime::from("now").to_chrono().is_err());
    assert!(super::Date::from("2026-09-31").to_naive_date().is_err());
}

#[cfg(not(feature = "jiff"))]
#[test]
fn times_keep_their_text() {
    assert_eq!(
        DateTime::from("2026-09-21T16:13:20+02:00").as_str(),
        "2026-09-21T16:13:20+02:00"
    );
}
