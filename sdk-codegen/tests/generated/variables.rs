use tollgate::{Input, Operation as _};

use crate::inputs::{
    CustomId, Filter, Find, Identifier, MediaErrorCode, NotFilter, ProductInput, ProductUpdate,
    RangeInput, Search, SortKey, Status, find, product_update, search,
};
use crate::{decode, encode};

#[test]
fn what_is_not_given_is_not_sent() {
    assert_eq!(encode::<Search>(&search::Variables::default()), "{}");
    let input = ProductInput {
        title: "x".into(),
        ..ProductInput::new("gid://shopify/Product/1".into())
    };
    let variables = product_update::Variables::new(input, "k".into());
    assert_eq!(
        encode::<ProductUpdate>(&variables),
        r#"{"input":{"id":"gid://shopify/Product/1","title":"x"},"key":"k"}"#
    );
}

#[test]
fn null_is_sent_where_it_is_written() {
    let input = ProductInput {
        compare_at: Input::Null,
        title: None::<String>.into(),
        tags: Input::or_null(None),
        limits: vec![Some(1), None].into(),
        type_: String::from("t").into(),
        metadata: serde_json::json!({ "a": 1.5, "b": [null] }).into(),
        views: u64::MAX.into(),
        ..ProductInput::new("1".into())
    };
    let variables = product_update::Variables {
        media: vec![None].into(),
        ..product_update::Variables::new(input, "k".into())
    };
    assert_eq!(
        encode::<ProductUpdate>(&variables),
        concat!(
            r#"{"input":{"id":"1","compareAt":null,"tags":null,"limits":[1,null],"type":"t","#,
            r#""metadata":{"a":1.5,"b":[null]},"views":"18446744073709551615"},"#,
            r#""media":[null],"key":"k"}"#
        )
    );
}

#[test]
fn recursive_inputs_and_defaults() {
    let variables = search::Variables {
        filter: Filter {
            and: Filter {
                status: Status::V1_2.into(),
                ..Filter::default()
            }
            .into(),
            any: vec![Filter::default()].into(),
            not: NotFilter {
                filter: Filter::default().into(),
            }
            .into(),
            price: RangeInput {
                min: Some("1.50".into()),
                ..RangeInput::default()
            }
            .into(),
            ..Filter::default()
        }
        .into(),
        sort: Input::Null,
        required: Some(SortKey::Id),
        limits: Some(vec![1]),
        with: Some(false),
    };
    assert_eq!(
        encode::<Search>(&variables),
        concat!(
            r#"{"filter":{"and":{"status":"v1_2"},"any":[{}],"not":{"filter":{}},"#,
            r#""price":{"min":"1.50"}},"sort":null,"required":"ID","limits":[1],"with":false}"#
        )
    );
}

#[test]
fn one_of_several() {
    let by = |by| encode::<Find>(&find::Variables::new(by));
    assert_eq!(by(Identifier::Id("1".into())), r#"{"by":{"id":"1"}}"#);
    assert_eq!(
        by(Identifier::Handle("h\"\n".into())),
        r#"{"by":{"handle":"h\"\n"}}"#
    );
    let custom = CustomId {
        value: "v".into(),
        ..CustomId::new("n".into(), "t".into())
    };
    assert_eq!(
        by(Identifier::Custom(custom)),
        r#"{"by":{"custom":{"namespace":"n","type":"t","value":"v"}}}"#
    );
}

#[test]
fn enums_keep_values_that_are_new() {
    assert_eq!(Status::from("ACTIVE"), Status::Active);
    assert_eq!(Status::from("UNKNOWN"), Status::Unknown_2);
    assert_eq!(Status::from("OTHER"), Status::Other);
    assert_eq!(Status::from("self"), Status::Self_);
    assert_ne!(Status::V1_2, Status::V12);
    let new = Status::from("FROM_THE_FUTURE");
    assert!(matches!(new, Status::Unknown(value) if value.as_str() == "FROM_THE_FUTURE"));
    assert_eq!(
        (new.to_string().as_str(), format!("{new:?}").as_str()),
        ("FROM_THE_FUTURE", "FROM_THE_FUTURE")
    );
    for status in [
        Status::Active,
        Status::Draft,
        Status::Other,
        Status::Self_,
        Status::V12,
        Status::V1_2,
        new,
    ] {
        assert_eq!(Status::from(status.as_str()), status);
        let filter = Filter {
            status: status.into(),
            ..Filter::default()
        };
        assert_eq!(format!("{filter:?}"), format!(r#"{{"status":"{status}"}}"#));
    }
}

#[test]
fn user_errors_are_found_through_fragments_and_aliases() {
    let data = r#"{"productUpdate":{"product":null,
        "userErrors":[{"field":["input","title"],"message":"too long"}],
        "mediaUserErrors":[{"field":null,"message":"no","code":"INVALID"}]},
        "second":{"failed":[{"message":"again"}]}}"#;
    let data = decode::<ProductUpdate>(data);
    assert_eq!(
        data.product_update
            .as_ref()
            .unwrap()
            .media_user_errors
            .as_ref()
            .unwrap()[0]
            .code,
        Some(MediaErrorCode::Invalid)
    );
    let errors = ProductUpdate::user_errors(&data);
    let shown: Vec<_> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["too long (at input.title)", "no", "again"]);
    assert_eq!(errors[1].code.as_deref(), Some("INVALID"));
    assert!(
        ProductUpdate::user_errors(&decode::<ProductUpdate>(
            r#"{"productUpdate":null,"second":null}"#
        ))
        .is_empty()
    );
    assert_eq!(ProductUpdate::IDEMPOTENCY_VARIABLE, Some("key"));
}
