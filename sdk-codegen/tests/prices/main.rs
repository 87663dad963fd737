//! What must hold for the price of any document: generated ones, over our small schema and over
//! the real one where it is at hand.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test")]

mod generate;
mod walk;

use std::path::{Path, PathBuf};

use fastrand::Rng;
use serde_json::{Map, Value};
use tollgate_codegen::document::{self, Document, Valid};
use tollgate_codegen::pricing::{self, Bounds, Priced, Rules};
use tollgate_codegen::schema::Schema;
use tollgate_codegen::source::{Files, Source};
use tollgate_cost::{Node, Points};

use generate::Query;
use walk::Prices;

/// How many documents are generated over the small and over the real schema.
const SMALL: u64 = 400;
const REAL: u64 = 60;

/// How many calls of each document.
const CALLS: usize = 8;

fn small() -> Schema {
    let sdl = Source::new("schema.graphql", include_str!("../pricing/schema.graphql"));
    Schema::from_sdl(sdl).unwrap_or_else(|problems| panic!("{problems}"))
}

/// The newest real schema: under `TOLLGATE_SHARED`, else in `shared` beside the workspace.
fn real() -> Option<Schema> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let shared = std::env::var_os("TOLLGATE_SHARED").map_or_else(beside, PathBuf::from);
    let path = shared.join("schema/admin_2026-10.graphql.gz");
    if !path.is_file() {
        println!("skipped: no real schema at {}", path.display());
        return None;
    }
    let sdl = Files::new(&shared).schema(&path).unwrap();
    Some(Schema::from_sdl(sdl).unwrap_or_else(|problems| panic!("{problems}")))
}

fn each_query(check: impl Fn(&Schema, &Query, &mut Rng)) {
    let schemas = [(Some(small()), SMALL), (real(), REAL)];
    for (schema, count) in schemas
        .iter()
        .filter_map(|(schema, n)| Some((schema.as_ref()?, n)))
    {
        for seed in 0..*count {
            let mut rng = Rng::with_seed(seed);
            let query = Query::generate(schema, &mut rng);
            check(schema, &query, &mut rng);
        }
    }
}

fn valid(schema: &Schema, query: &Query) -> Valid<Document> {
    let text = query.to_string();
    let source = Source::new("generated.graphql", text.as_str());
    document::validate(schema, vec![source]).unwrap_or_else(|problems| panic!("{problems}\n{text}"))
}

fn priced(schema: &Schema, document: &Valid<Document>) -> Priced {
    let operation = &document.operations[0];
    pricing::price(
        schema,
        document,
        operation,
        Rules::newest(),
        Bounds::default(),
    )
}

#[test]
fn generated_queries_are_worth_trying() {
    let schema = small();
    let mut dear = 0;
    let mut variable = 0;
    for seed in 0..SMALL {
        let query = Query::generate(&schema, &mut Rng::with_seed(seed));
        let plan = priced(&schema, &valid(&schema, &query)).plan;
        dear += u64::from(plan.bound() > Points(100));
        variable += u64::from(!matches!(plan.root, Node::Const(_)));
    }
    assert!(
        dear * 10 > SMALL,
        "{dear} of {SMALL} cost more than 100 points"
    );
    assert!(
        variable * 2 > SMALL,
        "{variable} of {SMALL} depend on variables"
    );
}

#[test]
fn a_plan_gives_what_a_walk_over_the_document_gives() {
    let prices = Prices::read();
    each_query(|schema, query, rng| {
        let document = valid(schema, query);
        let plan = priced(schema, &document).plan;
        for _ in 0..CALLS {
            let variables = query.call(rng);
            let walked = walk::price(schema, &prices, &document, &variables);
            let planned = plan.price(&variables);
            assert_eq!(planned, Ok(walked), "{}\n{query}", Value::Object(variables));
        }
    });
}

#[test]
fn no_call_within_the_bounds_is_dearer_than_the_bound() {
    each_query(|schema, query, rng| {
        let document = valid(schema, query);
        let plan = priced(schema, &document).plan;
        let bound = plan.bound();
        for _ in 0..CALLS {
            let variables = query.call(rng);
            let price = plan.price(&variables).unwrap();
            assert!(price <= bound, "{price} > {bound}\n{query}");
        }
    });
}

#[test]
fn one_more_field_never_makes_a_query_cheaper() {
    each_query(|schema, query, rng| {
        let more = query.with_one_more(schema, rng);
        let variables: Vec<Map<String, Value>> = (0..CALLS).map(|_| query.call(rng)).collect();
        let price = |query: &Query| -> Vec<Points> {
            let plan = priced(schema, &valid(schema, query)).plan;
            variables
                .iter()
                .map(|variables| plan.price(variables).unwrap())
                .collect()
        };
        for (before, after) in price(query).into_iter().zip(price(&more)) {
            assert!(before <= after, "{before} > {after}\n{query}\n{more}");
        }
    });
}
