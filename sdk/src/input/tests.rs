use tollgate_cost::{Fields, Item};

use super::{Input, encode, input_eq, input_fmt, serialize, user_error};

/// Two fields of any types.
struct Two<A, B>(A, B);

impl<A: Item, B: Item> Fields for Two<A, B> {
    fn member(&self, index: usize) -> Option<(&str, &dyn Item)> {
        Some(match index {
            0 => ("a", &self.0),
            1 => ("b", &self.1),
            _ => return None,
        })
    }
}

fn json(fields: &dyn Fields) -> String {
    let mut out = Vec::new();
    encode(fields, &mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn omitted_null_and_a_value_are_three_things() {
    assert_eq!(json(&Two(Input::<i32>::Omitted, 1)), r#"{"b":1}"#);
    assert_eq!(
        json(&Two(Input::<i32>::Null, Input::Value(2))),
        r#"{"a":null,"b":2}"#
    );
    assert_eq!(json(&Two(None::<i32>, Input::<bool>::default())), "{}");
    assert_eq!(Input::from(Some(1)).into_value(), Some(1));
    assert_eq!(Input::<i32>::or_null(None), Input::Null);
    assert!(Input::<i32>::from(None).is_omitted());
    assert_eq!(
        Input::<Box<String>>::from("x".to_owned())
            .value()
            .unwrap()
            .as_str(),
        "x"
    );
}

#[test]
fn values_are_written_as_json() {
    assert_eq!(json(&Two(1.0, f64::NAN)), r#"{"a":1.0}"#);
    assert_eq!(
        json(&Two("\u{1}\"é\\".to_owned(), true)),
        r#"{"a":"\u0001\"é\\","b":true}"#
    );
    assert_eq!(
        json(&Two(vec![Some(1), None], Two(u64::MAX, i64::MIN))),
        r#"{"a":[1,null],"b":{"a":"18446744073709551615","b":"-9223372036854775808"}}"#
    );
    assert_eq!(
        json(&Two(
            Vec::<i32>::new(),
            serde_json::json!({ "m": [u64::MAX], "n": 1e300 })
        )),
        r#"{"a":[],"b":{"m":[18446744073709551615],"n":1e+300}}"#
    );
}

#[test]
fn inputs_are_equal_and_shown_by_what_is_sent() {
    struct Shown<'a>(&'a dyn Fields);
    impl std::fmt::Debug for Shown<'_> {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            input_fmt(self.0, f)
        }
    }
    assert!(input_eq(
        &Two(Input::Value(1), None::<i32>),
        &Two(1, Input::<i32>::Omitted)
    ));
    assert!(!input_eq(
        &Two(1, Input::<i32>::Null),
        &Two(1, Input::<i32>::Omitted)
    ));
    assert_eq!(format!("{:?}", Shown(&Two(1, true))), r#"{"a":1,"b":true}"#);
    let mut out = Vec::new();
    serialize(&Two(1, true), &mut serde_json::Serializer::new(&mut out)).unwrap();
    assert_eq!(out, br#"{"a":1,"b":true}"#);
}

#[test]
fn a_user_error_has_what_the_document_selects() {
    let path = Some(vec!["input".to_owned(), "title".to_owned()]);
    let error = user_error(&path, &None::<String>, &"too long".to_owned());
    assert_eq!(error.to_string(), "too long (at input.title)");
    assert_eq!(error.code, None);
    let error = user_error(
        &None::<Vec<String>>,
        &Some("TAKEN".to_owned()),
        &None::<String>,
    );
    assert_eq!(
        (
            error.field.len(),
            error.code.as_deref(),
            error.message.as_str()
        ),
        (0, Some("TAKEN"), "")
    );
}
