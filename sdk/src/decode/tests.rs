use proptest::prelude::*;
use serde_json::Value;

use super::{Decode, DecodeError, Failed, Object, OtherType, Reader, Select, from_str};
use crate::{Foreign, Id, scalar::Decimal};

#[derive(Clone, Debug, PartialEq)]
struct Point {
    x: i32,
    label: Option<String>,
}

impl Select for Point {
    fn select(object: &mut Object<'_, '_>) -> Result<Self, Failed> {
        Ok(Self {
            x: object.field("x")?,
            label: object.field("label")?,
        })
    }
}

#[derive(Debug)]
struct Pair {
    name: String,
    near: Point,
    far: Option<Point>,
    last: Vec<Point>,
}

impl Select for Pair {
    fn select(object: &mut Object<'_, '_>) -> Result<Self, Failed> {
        Ok(Self {
            name: object.field("name")?,
            near: object.select()?,
            far: object.select_if("__in_Far")?,
            last: object.field("last")?,
        })
    }
}

fn fails<T: Decode>(text: &str) -> DecodeError {
    match from_str::<T>(text) {
        Ok(_) => panic!("{text} was decoded"),
        Err(error) => error,
    }
}

#[test]
fn fields_are_found_in_any_order_and_read_as_often_as_they_are_asked_for() {
    for text in [
        r#"{"name":"n","x":1,"label":"l","__in_Far":"T","last":[{"x":2}]}"#,
        r#" { "last" : [ { "label" : null , "x" : 2 } ] , "label":"l","x":1, "__in_Far":"T", "more":{"x":9}, "name":"n" } "#,
        r#"{"x":1,"x":7,"name":"n","label":"l","name":"m","__in_Far":"T","last":[{"x":2,"x":3}]}"#,
        r#"{"\u0078":1,"na\u006de":"n","label":"l","__in_Far":"T","last":[{"x":2}]}"#,
    ] {
        let pair: Pair = from_str(text).unwrap();
        assert_eq!((pair.name.as_str(), pair.near.x), ("n", 1), "{text}");
        assert_eq!(pair.far.unwrap().label.as_deref(), Some("l"), "{text}");
        assert_eq!(pair.last, [Point { x: 2, label: None }], "{text}");
    }
    let pair: Pair =
        from_str(r#"{"name":"n","x":1,"last":[{"x":2},{"label":"m","x":3}]}"#).unwrap();
    assert_eq!((pair.near.label, pair.far), (None, None));
    assert_eq!(pair.last[1].label.as_deref(), Some("m"));
}

#[test]
fn a_key_that_stands_twice_is_read_by_each_who_asks() {
    #[derive(Debug)]
    struct Twice(i32, Point);

    impl Select for Twice {
        fn select(object: &mut Object<'_, '_>) -> Result<Self, Failed> {
            Ok(Self(object.field("x")?, object.select()?))
        }
    }

    let twice = |text: &str| {
        let Twice(x, point) = from_str(text).unwrap();
        (x, point.x, point.label)
    };
    let label = Some("l".to_owned());
    assert_eq!(twice(r#"{"x":1,"label":"l"}"#), (1, 1, label.clone()));
    assert_eq!(twice(r#"{"x":1,"x":7,"label":"l"}"#), (1, 7, label.clone()));
    assert_eq!(twice(r#"{"x":1,"label":"l","x":7}"#), (1, 1, label));
}

#[test]
fn strings_are_unescaped_and_half_a_surrogate_is_replaced() {
    for (text, expected) in [
        (r#""""#, ""),
        (r#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"),
        (r#""\u00e9\u20AC\ud83d\ude00""#, "é€😀"),
        (r#""a\ud83db""#, "a\u{FFFD}b"),
        (r#""\ude00\ud83d""#, "\u{FFFD}\u{FFFD}"),
        (r#""\ud83d\u0041""#, "\u{FFFD}A"),
        (
            r#""ünïcödé 😀 over eight bytes \" and more""#,
            "ünïcödé 😀 over eight bytes \" and more",
        ),
    ] {
        assert_eq!(from_str::<String>(text).unwrap(), expected, "{text}");
    }
    for text in [
        r#"""#,
        r#""abc"#,
        r#""\"#,
        r#""\x""#,
        r#""\u12""#,
        r#""\u12g4""#,
        r#""\u+123""#,
        "\"a\nb\"",
        "\"\\é\"",
        "\"abcdefghijk\u{1}\"",
        "'a'",
        "a",
        "",
    ] {
        fails::<String>(text);
    }
}

#[test]
fn numbers_are_those_of_json_and_of_their_type() {
    assert_eq!(from_str::<i32>("-2147483648").unwrap(), i32::MIN);
    assert_eq!(from_str::<f64>("-0.5e-3").unwrap(), -0.0005);
    assert_eq!(from_str::<f64>("7").unwrap(), 7.0);
    assert_eq!(
        from_str::<u64>("\"18446744073709551615\"").unwrap(),
        u64::MAX
    );
    assert_eq!(from_str::<i64>("-9223372036854775808").unwrap(), i64::MIN);
    for text in [
        "1e400", "-1e999", "01", "1.", ".5", "+1", "-", "1e", "0x1", "NaN", "1_0", "--1",
    ] {
        fails::<f64>(text);
    }
    for text in ["2147483648", "1.0", "1e2", "\"1\"", "null", "1 2"] {
        fails::<i32>(text);
    }
    for text in ["-1", "\"-1\"", "\"\"", "\"1.5\"", "18446744073709551616"] {
        fails::<u64>(text);
    }
}

#[test]
fn exact_text_of_decimals_and_ids() {
    for text in ["0.10", "-0.00", "123456789012345678901234567890.123456789"] {
        assert_eq!(
            from_str::<Decimal>(&format!("\"{text}\""))
                .unwrap()
                .as_str(),
            text
        );
        assert_eq!(from_str::<Decimal>(text).unwrap().as_str(), text);
    }
    assert_eq!(from_str::<Vec<Id>>("[1,\"2\"]").unwrap(), ["1", "2"]);
    fails::<Id>("null");
    fails::<Id>("{}");
}

#[test]
fn errors_say_where_and_what() {
    let text = "{\"name\":\"n\",\n \"x\": 1,\n \"last\":[{\"x\":1},{\"x\":\"ü\",\"label\":true}]}";
    let error = fails::<Pair>(text);
    assert_eq!(
        error.to_string(),
        "cannot decode `last[1].x`: expected Int, found \"ü\" (line 3, column 23, byte 44)"
    );
    let error = fails::<Pair>(r#"{"name":"n","last":[]}"#);
    assert_eq!(
        error.to_string(),
        "cannot decode `x`: expected the field `x`, found an object without it (line 1, column 23, byte 22)"
    );
    for (text, path, expected) in [
        (
            r#"{"name":"n","x":1,"last":[{"x":1},{"label":"]"} ]}"#,
            "last[1].x",
            "the field `x`",
        ),
        (
            r#"{"name":"n","x":1,"last":[{"x":1}, 2]}"#,
            "last[1]",
            "an object",
        ),
        (
            r#"{"name":"n","x":1,"last":[{"x":1} 2]}"#,
            "last",
            "`,` or `]`",
        ),
        (r#"{"na\u006de":[], "x":1}"#, "name", "String"),
        // Passed in search of the name, and read after it.
        (r#"{"last":5,"x":1,"name":"n"}"#, "last", "a list"),
    ] {
        let error = fails::<Pair>(text);
        assert_eq!(
            (&*error.path(), error.expected()),
            (path, expected),
            "{text}"
        );
    }
    assert_eq!(fails::<Pair>("[]").path(), "");
    assert!(
        fails::<Pair>("[]")
            .to_string()
            .starts_with("cannot decode `data`: expected an object, found a list")
    );
    let long = format!("\"{}\"", "x".repeat(1000));
    assert!(fails::<i32>(&long).found().len() < 60);
    assert_eq!(fails::<i32>("nul").found(), "nul");
    assert_eq!(fails::<bool>("truethy").expected(), "Boolean");
    assert_eq!(fails::<bool>("true false").expected(), "nothing more");
}

#[test]
fn deep_nesting_is_skipped_and_refused_without_a_deep_stack() {
    let deep =
        format!("{}{}", "[{\"a\":".repeat(200_000), "}]".repeat(200_000)).replace(":}", ":0}");
    let text = format!(r#"{{"deep":{deep},"x":1}}"#);
    assert_eq!(from_str::<Point>(&text).unwrap().x, 1);
    let error = fails::<Value>(&deep);
    assert!(
        error.expected().contains("recursion limit exceeded"),
        "{error}"
    );
    fails::<Point>(&"{\"x\":".repeat(100_000));
    fails::<Point>(&"[".repeat(100_000));
}

#[test]
fn other_types_keep_their_name() {
    let other: OtherType = from_str(r#"{"id":1,"__typename":"New"}"#).unwrap();
    assert_eq!(other.typename, "New");
    assert_eq!(fails::<OtherType>("{}").path(), "__typename");
}

#[test]
fn more_than_a_server_can_make_a_program_keep_is_refused() {
    #[derive(Clone, Copy, Debug)]
    struct Any(super::UnknownValue);
    impl super::Enum for Any {
        const TEXTS: &'static [&'static str] = &[];
        const VALUES: &'static [Self] = &[];
        fn unknown(value: super::UnknownValue) -> Self {
            Self(value)
        }
    }
    impl Decode for Any {
        fn decode(reader: &mut Reader<'_>) -> Result<Self, Failed> {
            super::enum_decode(reader)
        }
    }
    fails::<Any>(&format!("\"{}\"", "X".repeat(257)));
    let flood = (0..5000).map(|n| from_str::<Any>(&format!("\"V{n}\"")));
    let (kept, refused): (Vec<_>, Vec<_>) = flood.partition(Result::is_ok);
    assert!(
        kept.len() <= 4096 && refused.len() >= 904,
        "{} kept",
        kept.len()
    );
    assert_eq!(from_str::<Any>("\"V0\"").unwrap().0.as_str(), "V0");
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..6)
                .prop_map(|map| map.into_iter().collect()),
        ]
    })
}

proptest! {
    #[test]
    fn any_json_is_skipped_to_its_end(value in json(), pretty: bool) {
        let text = if pretty { format!("{value:#}") } else { value.to_string() };
        let after = format!(" {text} ,");
        let mut reader = Reader::new(&after);
        prop_assert_eq!(reader.skip().unwrap(), text.as_str());
        prop_assert_eq!(from_str::<Value>(&text).unwrap(), serde_json::from_str::<Value>(&text).unwrap());
    }

    #[test]
    fn any_string_is_read_as_serde_json_reads_it(string: String) {
        let text = Value::from(string.as_str()).to_string();
        prop_assert_eq!(from_str::<String>(&text).unwrap(), string);
    }

    #[test]
    fn any_float_is_read_as_serde_json_reads_it(float: f64) {
        prop_assume!(float.is_finite());
        let text = Value::from(float).to_string();
        prop_assert_eq!(from_str::<f64>(&text).unwrap(), float);
    }

    #[test]
    fn no_text_makes_it_panic(text: String, cut in 0..400_usize, junk in "[\\[\\]{}\",:\\\\a-z0-9.]{0,12}") {
        let whole = r#"{"name":"n\u00e9","x":-1.5e3,"label":"l","last":[{"x":2,"y":{"z":[true,null]}}]}"#;
        let mut cut = cut.min(whole.len());
        while !whole.is_char_boundary(cut) {
            cut -= 1;
        }
        for text in [text, format!("{}{junk}{}", &whole[..cut], &whole[cut..]), whole[..cut].to_owned()] {
            let _ = from_str::<Pair>(&text);
            let _ = Reader::new(&text).skip();
            if let Err(error) = from_str::<Value>(&text) {
                prop_assert!(error.offset() <= text.len());
                prop_assert!(!error.to_string().is_empty());
            }
        }
    }
}

#[test]
fn what_another_type_says_of_its_text_is_cut() {
    #[derive(Debug, serde::Deserialize)]
    enum Kind {
        New,
    }
    assert!(matches!(
        from_str::<Foreign<Kind>>("\"New\"").unwrap().0,
        Kind::New
    ));
    let error = fails::<Foreign<Kind>>(&format!("\"{}\"", "x".repeat(100_000)));
    assert!(error.expected().contains("unknown variant"), "{error}");
    assert!(error.to_string().len() < 2_000);
}

#[test]
fn a_way_without_end_is_cut() {
    let deep = format!("{{\"z\":{}", "[".repeat(100_000));
    let long = format!("{{\"{}\":?}}", "z".repeat(100_000));
    for text in [deep, long] {
        let error = fails::<Point>(&text);
        assert!(error.path().len() >= 100_000);
        assert!(error.to_string().len() < 2_000);
    }
}
