use std::borrow::Cow;

use serde_json::{Map, Value, json};

use crate::{
    Condition, CostError, Literal, MilliPoints, NoVariables, Node, Owner, Parameter, Plan, Points,
    Size,
};

fn parameter(name: &'static str) -> Parameter {
    Parameter {
        name: name.into(),
        default: None,
        assumed: 250,
        max: None,
    }
}

fn plan(root: Node, parameters: Vec<Parameter>) -> Plan {
    Plan {
        root,
        parameters: parameters.into(),
    }
}

fn variables(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        other => panic!("not an object: {other}"),
    }
}

fn points(points: u64) -> Node {
    Node::Const(MilliPoints::from_points(points))
}

/// A connection with children of 1 point, sized by `$first`, else `$last`.
fn page() -> Node {
    Node::Connection {
        sizes: vec![Size::Parameter(0), Size::Parameter(1)].into(),
        children: vec![points(1)].into(),
    }
}

fn per_item(path: &[&'static str], declared: bool) -> Node {
    Node::PerItem {
        parameter: 0,
        path: path.iter().map(|field| Cow::Borrowed(*field)).collect(),
        each: MilliPoints(200),
        at_most: 250,
        declared,
    }
}

#[test]
fn first_counts_else_last_else_the_page_is_empty() {
    let plan = plan(page(), vec![parameter("first"), parameter("last")]);
    let price = |value| plan.price(&variables(value)).unwrap();
    assert_eq!(price(json!({"first": 10, "last": 250})), Points(6));
    assert_eq!(price(json!({"first": null, "last": 250})), Points(13));
    assert_eq!(price(json!({"first": 0, "last": 250})), Points(2));
    assert_eq!(price(json!({})), Points(2));
    assert_eq!(plan.bound(), Points(13));
}

#[test]
fn a_default_stands_in_for_an_omitted_variable_and_not_for_null() {
    let mut first = parameter("first");
    first.default = Some(Literal::Int(10));
    let plan = plan(page(), vec![first, parameter("last")]);
    assert_eq!(plan.price(&NoVariables), Ok(Points(6)));
    let null = variables(json!({"first": null}));
    assert_eq!(plan.price(&null), Ok(Points(2)));
}

#[test]
fn sizes_that_are_none_are_typed_errors() {
    let plan = plan(page(), vec![parameter("first"), parameter("last")]);
    let negative = plan.price(&variables(json!({"first": -1}))).unwrap_err();
    let message = "variable `$first` is -1: a page size is 0 or more";
    assert_eq!(negative.to_string(), message);
    let huge = plan.price(&variables(json!({"first": i64::MAX})));
    assert!(matches!(huge, Err(CostError::HugeSize { .. })), "{huge:?}");
}

#[test]
fn a_call_above_the_declared_maximum_names_the_variable() {
    let mut first = parameter("first");
    (first.assumed, first.max) = (20, Some(20));
    let plan = plan(page(), vec![first, parameter("last")]);
    assert_eq!(plan.price(&variables(json!({"first": 20}))), Ok(Points(7)));
    let error = plan.price(&variables(json!({"first": 21}))).unwrap_err();
    let message = "variable `$first` is 21, above the declared `@max(value: 20)`";
    assert_eq!(error.to_string(), message);
}

#[test]
fn a_declared_maximum_of_a_list_bounds_its_length() {
    let mut variants = parameter("variants");
    variants.max = Some(2);
    let plan = plan(per_item(&[], true), vec![variants]);
    let error = plan.price(&variables(json!({"variants": [{}, {}, {}]})));
    let message = "variable `$variants` has a length of 3, above the declared `@max(value: 2)`";
    assert_eq!(error.unwrap_err().to_string(), message);
}

#[test]
fn items_are_counted_through_every_list_on_the_way() {
    let input = json!({"input": {"variants": [
        {"metafields": [{}, {}]}, {"metafields": null}, {}, {"metafields": [{}, {}, {}]},
    ]}});
    let per_metafield = plan(
        Node::Sum(vec![points(10), per_item(&["variants", "metafields"], false)].into()),
        vec![parameter("input")],
    );
    assert_eq!(per_metafield.price(&variables(input)), Ok(Points(11)));
    // One object where a list is expected is a list of one.
    let one = json!({"input": {"variants": {"metafields": {}}}});
    let whole = plan(
        per_item(&["variants", "metafields"], false),
        vec![parameter("input")],
    );
    assert_eq!(whole.price(&variables(one)), Ok(Points(1)));
}

#[test]
fn undeclared_lists_count_in_the_bound_and_not_in_the_declared_bound() {
    let root = Node::Sum(vec![points(10), per_item(&[], false)].into());
    let undeclared = plan(root, vec![parameter("variants")]);
    assert_eq!(undeclared.bound(), Points(60));
    assert_eq!(undeclared.declared_bound(), Points(10));
}

#[test]
fn fractions_are_summed_over_the_document_and_rounded_once() {
    let terms: Vec<_> = (0..3).map(|_| per_item(&[], false)).collect();
    let plan = plan(Node::Sum(terms.into()), vec![parameter("variants")]);
    // 3 × 0.2, where each alone would round to nothing.
    let one = variables(json!({"variants": [{}]}));
    assert_eq!(plan.price(&one), Ok(Points(1)));
    let four = variables(json!({"variants": [{}, {}, {}, {}]}));
    assert_eq!(plan.price(&four), Ok(Points(2)));
}

#[test]
fn owners_are_charged_once_each_by_their_kind() {
    let owners = vec![
        Owner::Id("gid://shopify/Order/1".into()),
        Owner::Parameter {
            parameter: 0,
            path: vec![Cow::Borrowed("ownerId")].into(),
        },
    ];
    let node = Node::PerOwner {
        owners: owners.into(),
        weights: vec![
            ("Order".into(), MilliPoints::from_points(10)),
            ("Product".into(), MilliPoints::from_points(4)),
        ]
        .into(),
        at_most: 25,
    };
    let plan = plan(node, vec![parameter("metafields")]);
    let input = json!({"metafields": [
        {"ownerId": "gid://shopify/Order/1"}, {"ownerId": "gid://shopify/Product/1"},
        {"ownerId": "gid://shopify/Product/1"}, {"ownerId": "gid://shopify/Product/2"},
        {"ownerId": "gid://shopify/Page/1"}, {"ownerId": "7"},
    ]});
    assert_eq!(plan.price(&variables(input)), Ok(Points(18)));
    assert_eq!(plan.bound(), Points(250));
}

#[test]
fn conditions_decide_and_the_bound_takes_them_as_true() {
    let is = |parameter, value| Condition::Is { parameter, value };
    let root = Node::When {
        condition: Condition::All(
            vec![
                is(0, true),
                Condition::Any(vec![is(1, false), is(0, false)].into()),
            ]
            .into(),
        ),
        then: vec![points(5), points(2)].into(),
    };
    let plan = plan(root, vec![parameter("with"), parameter("without")]);
    let price = |with, without| {
        let given = variables(json!({"with": with, "without": without}));
        plan.price(&given).unwrap()
    };
    assert_eq!(price(true, false), Points(7));
    assert_eq!(price(true, true), Points(1));
    assert_eq!(price(false, false), Points(1));
    assert_eq!(plan.bound(), Points(7));
}

#[test]
fn the_dearest_type_counts_and_overflow_saturates() {
    let dear = Node::Max(vec![points(3), page(), points(8)].into());
    let plan = plan(dear, vec![parameter("first"), parameter("last")]);
    let price = |first| plan.price(&variables(json!({"first": first}))).unwrap();
    assert_eq!((price(1), price(250)), (Points(8), Points(13)));
    let endless = Plan::constant(Points(u64::MAX));
    assert_eq!(endless.price(&NoVariables), Ok(endless.bound()));
    assert!(endless.bound() > Points(1_000_000_000));
}
