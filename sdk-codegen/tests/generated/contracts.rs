//! The contract of `graphql_client`, and what everything has: `Clone`, `Debug`, `PartialEq`.

use graphql_client::GraphQLQuery as _;
use tollgate::{Operation as _, OperationKind};

use crate::inputs::{MediaSet, Search, search};
use crate::root::{self, Everything, OnlyRoot};
use crate::selections::{Always, ShopPage, always, shop_page};

#[test]
fn operations_are_queries_of_graphql_client() {
    let body = Search::build_query(search::Variables {
        with: Some(true),
        ..Default::default()
    });
    let json = serde_json::to_value(&body).unwrap();
    assert_eq!(json["variables"], serde_json::json!({ "with": true }));
    assert_eq!(json["operationName"], "Search");
    assert_eq!(json["query"], Search::DOCUMENT);

    let text = r#"{"data":{"shop":{"id":"1","name":"n","featured":null}},"errors":null}"#;
    let answer: graphql_client::Response<always::ResponseData> =
        serde_json::from_str(text).unwrap();
    assert_eq!(answer.data.unwrap().shop.name, "n");
    let wrong = text.replace("\"n\"", "1");
    let error = serde_json::from_str::<graphql_client::Response<always::Data>>(&wrong).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("`shop.name`: expected String, found 1"),
        "{error}"
    );
}

#[test]
fn answers_and_variables_can_be_copied_compared_and_shown() {
    let data = crate::decode::<Always>(r#"{"shop":{"id":"1","name":"n"}}"#);
    assert_eq!(data.clone(), data);
    let mut other = data.clone();
    other.shop.shop_name.id = "2".into();
    assert_ne!(other, data);
    assert_eq!(
        format!("{data:?}"),
        "Data { shop: Shop { id: Id(\"1\"), name: \"n\", \
         ...ShopName: ShopName { id: Id(\"1\"), name: \"n\" }, featured: None } }"
    );
    let variables = shop_page::Variables::new(true);
    assert_eq!(variables.clone(), variables);
    assert_eq!(format!("{variables:?}"), r#"{"deep":true}"#);
    assert_eq!(
        (ShopPage::NAME, ShopPage::KIND),
        ("ShopPage", OperationKind::Query)
    );
}

#[test]
fn names_of_the_prelude_hide_nothing() {
    use crate::prelude::{Some_, Some_3};
    let data = crate::decode::<Some_>(r#"{"search":[],"prelude":{"some":"TWO"}}"#);
    let prelude = data.prelude.unwrap();
    assert_eq!(prelude.some.some, Some(Some_3::Two));
}

#[test]
fn prices_follow_the_variables() {
    let price = |first| {
        let variables = shop_page::Variables {
            first,
            ..shop_page::Variables::new(true)
        };
        ShopPage::cost(&variables).unwrap()
    };
    assert!(price(Some(1)) < price(None) && price(None) < price(Some(100)));
    assert_eq!(ShopPage::MAX_COST, ShopPage::PLAN.bound());
}

#[test]
fn futures_can_be_spawned() {
    fn is_send<T: Send>(_: &T) {}
    fn spawnable(client: &tollgate::Client) {
        let variables = always::Variables::new(true);
        is_send(&crate::selections::always(client, variables));
    }
    let _ = spawnable;
}

#[test]
fn errors_and_keys_are_found_through_fragments() {
    let text =
        r#"{"productUpdate":{"mediaUserErrors":[{"code":"A","field":["b"],"message":"c"}]}}"#;
    let data = crate::decode::<MediaSet>(text);
    let errors = MediaSet::user_errors(&data);
    assert_eq!(errors[0].message, "c");
    assert_eq!(errors[0].field, ["b"]);
    assert_eq!(errors[0].code.as_deref(), Some("A"));
    assert_eq!(MediaSet::IDEMPOTENCY_VARIABLE, Some("key"));
}

#[test]
fn an_operation_may_have_no_type_of_its_own() {
    let data = crate::decode::<OnlyRoot>(r#"{"shop":{"id":"1","name":"n"}}"#);
    let same: &Everything = &data;
    assert_eq!(same.shop.name, "n");
    assert_eq!(root::only_root::Variables, root::only_root::Variables {});
}
