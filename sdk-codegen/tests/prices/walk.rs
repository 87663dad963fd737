//! The price of a call by the plainest reading of the rules: variables first, then one type at a
//! time. It shares nothing with the walk that makes plans but the file of prices.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value as Json};
use tollgate_codegen::document::{
    Directive, Document, Field, Operation, Selection, SelectionSet, Valid, Value,
};
use tollgate_codegen::schema::Schema;
use tollgate_cost::Points;

/// The prices set by hand that a query can meet.
pub(crate) struct Prices {
    by_place: BTreeMap<String, u64>,
}

impl Prices {
    pub(crate) fn read() -> Self {
        let text = include_str!("../../src/pricing/rules.toml");
        let file: toml::Table = text.parse().unwrap();
        let mut by_place = BTreeMap::new();
        let groups = |section: &str| file[section].as_array().unwrap().clone();
        for group in groups("type").into_iter().chain(groups("field")) {
            for name in group["names"].as_array().unwrap() {
                by_place.insert(name.as_str().unwrap().to_owned(), points(&group));
            }
        }
        for group in groups("root") {
            let returns = group["returns"].as_str().unwrap();
            by_place.insert(format!("root: {returns}"), points(&group));
        }
        Self { by_place }
    }

    fn find(&self, schema: &Schema, on: &str, field: &Field) -> Option<u64> {
        let returns = field.definition.ty.base();
        let root = (on == schema.query_type()).then(|| format!("root: {returns}"));
        let places = [
            Some(format!("{on}.{}", field.name)),
            Some(returns.to_owned()),
            root,
        ];
        places
            .into_iter()
            .flatten()
            .find_map(|place| self.by_place.get(&place).copied())
    }
}

fn points(group: &toml::Value) -> u64 {
    u64::try_from(group["points"].as_integer().unwrap()).unwrap()
}

pub(crate) fn price(
    schema: &Schema,
    prices: &Prices,
    document: &Valid<Document>,
    variables: &Map<String, Json>,
) -> Points {
    let operation = &document.operations[0];
    let call = Call {
        schema,
        prices,
        operation,
        variables,
    };
    Points(
        call.sum(&[&operation.selections], schema.query_type())
            .max(1),
    )
}

struct Call<'a> {
    schema: &'a Schema,
    prices: &'a Prices,
    operation: &'a Operation,
    variables: &'a Map<String, Json>,
}

impl<'a> Call<'a> {
    fn sum(&self, sets: &[&'a SelectionSet], on: &str) -> u64 {
        let mut fields: BTreeMap<&str, Vec<&Field>> = BTreeMap::new();
        for set in sets {
            self.collect(set, on, &mut fields);
        }
        fields.values().map(|same| self.field(same, on)).sum()
    }

    fn collect(
        &self,
        set: &'a SelectionSet,
        on: &str,
        fields: &mut BTreeMap<&'a str, Vec<&'a Field>>,
    ) {
        for selection in &set.items {
            match selection {
                Selection::Field(field) if self.charged(&field.directives) => {
                    fields.entry(field.response_key()).or_default().push(field);
                }
                Selection::Inline(inline) if self.charged(&inline.directives) => {
                    let types: BTreeSet<_> = self
                        .schema
                        .possible_types(&inline.selections.parent)
                        .into_iter()
                        .collect();
                    if types.contains(on) {
                        self.collect(&inline.selections, on, fields);
                    }
                }
                _ => {}
            }
        }
    }

    fn field(&self, same: &[&'a Field], on: &str) -> u64 {
        let field = same[0];
        let returns = field.definition.ty.base();
        let below: Vec<_> = same
            .iter()
            .filter_map(|field| field.selections.as_ref())
            .collect();
        let by_hand = self.prices.find(self.schema, on, field);
        if below.is_empty() {
            return by_hand.unwrap_or(0);
        }
        if returns.ends_with("Connection") {
            return 2 + weight(self.size(field)) * self.sum(&below, returns);
        }
        let inside = on.ends_with("Connection");
        let structure = inside && matches!(&*field.name, "edges" | "pageInfo");
        let own = by_hand.unwrap_or(if structure { 0 } else { 1 });
        let types = self.schema.possible_types(returns);
        let dearest = types.iter().map(|name| self.sum(&below, name)).max();
        own + dearest.unwrap_or(0)
    }

    fn size(&self, field: &Field) -> u64 {
        for name in ["first", "last"] {
            let given = match field.argument(name) {
                Some(Value::Variable(variable)) => self.variable(variable).as_i64(),
                Some(literal) => literal.as_i64(),
                None => {
                    let mut arguments = field.definition.arguments.iter();
                    let definition = arguments.find(|argument| argument.name == name);
                    definition.and_then(|definition| definition.default.as_ref()?.as_i64())
                }
            };
            if let Some(size) = given {
                return u64::try_from(size).unwrap();
            }
        }
        0
    }

    fn variable(&self, name: &str) -> Json {
        if let Some(given) = self.variables.get(name) {
            return given.clone();
        }
        let mut variables = self.operation.variables.iter();
        let variable = variables.find(|variable| variable.name == name).unwrap();
        let default = variable.default.as_ref().and_then(Value::as_i64);
        default.map_or(Json::Null, Json::from)
    }

    fn charged(&self, directives: &[Directive]) -> bool {
        directives.iter().all(|directive| {
            let given = match directive.argument("if") {
                Some(Value::Variable(name)) => self.variable(name).as_bool().unwrap(),
                Some(literal) => literal.as_bool().unwrap(),
                None => unreachable!("validated"),
            };
            given == (directive.name == "include")
        })
    }
}

/// By the formula itself.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]
fn weight(size: u64) -> u64 {
    if size == 0 {
        return 0;
    }
    (2.0 * (size.max(2) as f64).ln()).floor() as u64
}
