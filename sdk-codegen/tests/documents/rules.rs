use super::{admin, problems};

/// Each document breaks one rule of the specification: the place and the words that must show.
const CASES: &[(&str, &str, &[&str])] = &[
    (
        "unknown field",
        "{ shop { nmae } }",
        &[
            "`Shop` has no field `nmae`",
            "q.graphql:1:10",
            "did you mean `name`?",
        ],
    ),
    (
        "a field of the nodes",
        "{ products(first: 1) { title } }",
        &[
            "`ProductConnection` has no field `title`",
            "q.graphql:1:24",
            "nodes { title }",
        ],
    ),
    (
        "unknown type in a fragment",
        "{ shop { ...F } }\nfragment F on Shopp { name }",
        &[
            "there is no type `Shopp`",
            "q.graphql:2:15",
            "did you mean `Shop`?",
        ],
    ),
    (
        "unknown type in an inline fragment",
        "{ node(id: 1) { ... on Prodct { id } } }",
        &[
            "there is no type `Prodct`",
            "q.graphql:1:24",
            "did you mean `Product`?",
        ],
    ),
    (
        "unknown type of a variable",
        "query Q($a: Strng) { product(id: $a) { id } }",
        &[
            "there is no type `Strng`",
            "q.graphql:1:13",
            "did you mean `String`?",
        ],
    ),
    (
        "unknown argument",
        "{ products(fisrt: 1) { nodes { id } } }",
        &[
            "`products` has no argument `fisrt`",
            "q.graphql:1:12",
            "did you mean `first`?",
        ],
    ),
    (
        "unknown argument of a directive",
        "{ shop { name @include(if: true, iff: true) } }",
        &[
            "`@include` has no argument `iff`",
            "q.graphql:1:34",
            "did you mean `if`?",
        ],
    ),
    (
        "unknown directive",
        "{ shop { name @inclde(if: true) } }",
        &[
            "there is no directive `@inclde`",
            "q.graphql:1:15",
            "did you mean `@include`?",
        ],
    ),
    (
        "unknown fragment",
        "query Q { shop { ...Nmae } }\nfragment Name on Shop { name }\nquery Other { shop { ...Name } }",
        &[
            "there is no fragment `Nmae`",
            "q.graphql:1:21",
            "did you mean `Name`?",
        ],
    ),
    (
        "unknown variable",
        "query Q($first: Int) { products(first: $frist) { nodes { id } } other: products(first: $first) { nodes { id } } }",
        &[
            "`Q` does not declare `$frist`",
            "q.graphql:1:40",
            "did you mean `$first`?",
        ],
    ),
    (
        "missing required argument",
        "{ node { id } }",
        &["`node` needs `id: ID!`", "q.graphql:1:3"],
    ),
    (
        "missing required argument of a directive",
        "{ shop { name @include } }",
        &["`@include` needs `if: Boolean!`", "q.graphql:1:15"],
    ),
    (
        "literal of the wrong type",
        "{ products(first: \"ten\") { nodes { id } } }",
        &["`Int` is needed, not string", "q.graphql:1:19"],
    ),
    (
        "null for a required argument",
        "{ node(id: null) { id } }",
        &["`ID!` may not be null", "q.graphql:1:12"],
    ),
    (
        "integer out of range",
        "{ products(first: 2147483648) { nodes { id } } }",
        &["an `Int` lies between", "q.graphql:1:19"],
    ),
    (
        "variable of the wrong type",
        "query Q($id: String!) { node(id: $id) { id } }",
        &[
            "`$id` is `String!`, but `ID!` is needed here",
            "q.graphql:1:34",
        ],
    ),
    (
        "nullable variable in a non-null place",
        "query Q($id: ID) { node(id: $id) { id } }",
        &["`$id` is `ID`, but `ID!` is needed here", "q.graphql:1:29"],
    ),
    (
        "variable of an output type",
        "query Q($shop: Shop) { node(id: $shop) { id } }",
        &["`$shop` cannot be a `Shop`", "q.graphql:1:16"],
    ),
    (
        "unused variable",
        "query Q($first: Int) { shop { name } }",
        &["`$first` is never used", "q.graphql:1:9"],
    ),
    (
        "unused fragment",
        "{ shop { name } }\nfragment F on Shop { name }",
        &["fragment `F` is never used", "q.graphql:2:10"],
    ),
    (
        "duplicate operation",
        "query Q { shop { name } }\nquery Q { shop { id } }",
        &[
            "two operations are named `Q`",
            "q.graphql:2:7",
            "q.graphql:1:7",
            "first here",
        ],
    ),
    (
        "duplicate fragment",
        "{ shop { ...F } }\nfragment F on Shop { name }\nfragment F on Shop { id }",
        &[
            "two fragments are named `F`",
            "q.graphql:3:10",
            "q.graphql:2:10",
        ],
    ),
    (
        "duplicate variable",
        "query Q($a: ID!, $a: ID!) { node(id: $a) { id } }",
        &["`$a` is declared twice", "q.graphql:1:18", "q.graphql:1:9"],
    ),
    (
        "duplicate argument",
        "{ products(first: 1, first: 2) { nodes { id } } }",
        &[
            "argument `first` is given twice",
            "q.graphql:1:22",
            "q.graphql:1:12",
        ],
    ),
    (
        "duplicate input field",
        "mutation M { orderUpdate(input: {id: 1, note: \"a\", note: \"b\"}) { order { id } } }",
        &["`note` is given twice", "q.graphql:1:52", "q.graphql:1:41"],
    ),
    (
        "duplicate directive",
        "{ shop { name @include(if: true) @include(if: false) } }",
        &[
            "`@include` is given twice",
            "q.graphql:1:34",
            "q.graphql:1:15",
        ],
    ),
    (
        "leaf with a selection",
        "{ shop { name { first } } }",
        &["nothing can be selected on `String!`", "q.graphql:1:15"],
    ),
    (
        "composite without a selection",
        "{ shop }",
        &[
            "`shop` needs a selection",
            "q.graphql:1:3",
            "it is a `Shop!`",
        ],
    ),
    (
        "impossible inline fragment",
        "{ shop { ... on Product { id } } }",
        &["a `Shop` is never a `Product`", "q.graphql:1:17"],
    ),
    (
        "impossible spread",
        "{ shop { ...F } }\nfragment F on Product { id }",
        &["`F` can never apply to a `Shop`", "q.graphql:1:13"],
    ),
    (
        "fragment on a scalar",
        "{ shop { ... on String { length } } }",
        &["`String` has no fields to select", "q.graphql:1:17"],
    ),
    (
        "fragment cycle",
        "{ shop { ...A } }\nfragment A on Shop { ...B }\nfragment B on Shop { ...A }",
        &["contains itself", "q.graphql:2:25", "q.graphql:3:10"],
    ),
    (
        "directive at a wrong place",
        "query Q @include(if: true) { shop { name } }",
        &[
            "`@include` may not stand on QUERY",
            "q.graphql:1:9",
            "FRAGMENT_SPREAD",
        ],
    ),
    (
        "client directive at a wrong place",
        "{ shop { name @cost(max: 3) } }",
        &["`@cost` may not stand on FIELD", "q.graphql:1:15"],
    ),
    (
        "different fields under one key",
        "{ shop { a: name a: email } }",
        &[
            "two selections answer as `a`",
            "different fields",
            "q.graphql:1:21",
            "q.graphql:1:13",
        ],
    ),
    (
        "different arguments under one key",
        "{ products(first: 1) { nodes { id } } products(first: 2) { nodes { id } } }",
        &[
            "two selections answer as `products`",
            "arguments differ",
            "q.graphql:1:39",
        ],
    ),
    (
        "different types under one key",
        "{ node(id: 1) { ... on Product { x: title } ... on Order { x: test } } }",
        &[
            "two selections answer as `x`",
            "one is `String!`, the other `Boolean!`",
        ],
    ),
    (
        "unknown enum value",
        "{ products(first: 1, sortKey: TITEL) { nodes { id } } }",
        &[
            "`ProductSortKeys` has no value `TITEL`",
            "q.graphql:1:31",
            "did you mean `TITLE`?",
        ],
    ),
    (
        "missing required input field",
        "mutation M { orderUpdate(input: {note: \"a\"}) { order { id } } }",
        &["`OrderInput` needs `id`", "q.graphql:1:33"],
    ),
    (
        "unknown input field",
        "mutation M { orderUpdate(input: {id: 1, noet: \"a\"}) { order { id } } }",
        &[
            "`OrderInput` has no field `noet`",
            "q.graphql:1:41",
            "did you mean `note`?",
        ],
    ),
    (
        "two fields in @oneOf",
        "{ productByIdentifier(identifier: {id: 1, handle: \"a\"}) { id } }",
        &[
            "`ProductIdentifierInput` takes exactly one field",
            "q.graphql:1:35",
        ],
    ),
    (
        "nullable variable in @oneOf",
        "query Q($h: String) { productByIdentifier(identifier: {handle: $h}) { id } }",
        &[
            "`$h` is `String`, but may not be null here",
            "q.graphql:1:64",
        ],
    ),
    (
        "anonymous among several",
        "{ shop { name } }\nquery Q { shop { id } }",
        &[
            "an operation without a name must be the only one",
            "q.graphql:1:1",
        ],
    ),
    (
        "subscription",
        "subscription S { shop { name } }",
        &["the schema has no subscription root", "q.graphql:1:1"],
    ),
    (
        "syntax error",
        "query Q { shop { name }",
        &["syntax error", "q.graphql:1:24"],
    ),
    (
        "syntax error in a value",
        "{ products(first: ) { nodes { id } } }",
        &["syntax error: `)` is not expected here", "q.graphql:1:19"],
    ),
    (
        "empty selection",
        "{ shop { } }",
        &["syntax error", "q.graphql:1:10"],
    ),
    ("empty document", "# nothing", &["nothing in this document"]),
    (
        "type definition among operations",
        "{ shop { name } }\ntype T { a: Int }",
        &["syntax error: `type` is not expected here", "q.graphql:2:1"],
    ),
    (
        "default of the wrong type",
        "query Q($first: Int = \"ten\") { products(first: $first) { nodes { id } } }",
        &["`Int` is needed, not string", "q.graphql:1:23"],
    ),
    (
        "unknown enum value as a default",
        "query Q($s: ProductSortKeys = TITEL) { products(first: 1, sortKey: $s) { nodes { id } } }",
        &["`ProductSortKeys` has no value `TITEL`", "q.graphql:1:31"],
    ),
    (
        "variable in a default",
        "query Q($a: Int, $b: Int = $a) { products(first: $b, last: $a) { nodes { id } } }",
        &["syntax error", "q.graphql:1:28"],
    ),
];

#[test]
fn every_rule_says_what_where_and_what_to_do() {
    let schema = admin();
    let mut wrong = Vec::new();
    for (rule, document, wanted) in CASES {
        let said = problems(&schema, document);
        let missing: Vec<_> = wanted
            .iter()
            .filter(|words| !said.contains(**words))
            .collect();
        if !missing.is_empty() {
            wrong.push(format!("{rule}: {document}\n{said}\nlacks {missing:?}\n"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn one_mistake_is_one_problem() {
    let schema = admin();
    let mut wrong = Vec::new();
    for (rule, document, _) in CASES {
        // A cycle is a mistake of every fragment in it.
        let count = problems(&schema, document)
            .lines()
            .filter(|line| line.starts_with("error: "))
            .count();
        if count != 1 && *rule != "fragment cycle" {
            wrong.push(format!(
                "{rule}: {count} problems\n{}",
                problems(&schema, document)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_problem_is_shown_with_its_line_and_a_caret() {
    let said = problems(&admin(), "query Q {\n  shop {\n    nmae\n  }\n}\n");
    let wanted = "\
error: `Shop` has no field `nmae`
  ┌ q.graphql:3:5
3 │     nmae
  │     ^^^^
help: did you mean `name`?
";
    assert_eq!(said, wanted);
}

#[test]
fn a_variable_in_a_misspelt_argument_is_not_a_second_mistake() {
    let said = problems(
        &admin(),
        "query Q($n: Int!, $m: Int, $o: Int) { products(fisrt: $n) { nodes { id } } }\nquery P($m: Int) { products(first: $m) { nodes { id } } }",
    );
    assert!(!said.contains("`$n` is never used"), "{said}");
    assert!(
        said.contains("`$m` is never used") && said.contains("`$o` is never used"),
        "{said}"
    );
}

#[test]
fn all_problems_come_at_once_and_sorted() {
    let said = problems(
        &admin(),
        "query B { shop { nmae } }\nquery A($x: Int) { products(fisrt: 1) { nodes { ttle } } }",
    );
    let places: Vec<_> = said.lines().filter(|line| line.contains('┌')).collect();
    let wanted = [
        "  ┌ q.graphql:1:18",
        "  ┌ q.graphql:2:9",
        "  ┌ q.graphql:2:29",
        "  ┌ q.graphql:2:49",
    ];
    assert_eq!(places, wanted);
}
