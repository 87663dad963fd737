//! What the server charges once it has answered: `actualQueryCost`.
//!
//! Found in recorded answers of 2026, and exact for about nine in ten: a full page costs what was
//! requested, and a part of it pro rata of the linear price `2 + pageInfo + n × child` that the
//! server had before it weighed page sizes by their logarithm.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::{Map, Value as Json};
use tollgate_cost::{MilliPoints, Points, page_weight};

use super::guard::Guard;
use super::merge::{self, Level, Merged, Types};
use super::place::{Place, is_connection};
use super::walk::Walk;
use super::{Bounds, Rules, Shape, price};
use crate::document::{Directive, Document, Field, Operation, Valid, Value};
use crate::schema::Schema;

/// Added before a page's price is cut to whole points; known to lie between 0.554 and 0.596.
const ROUNDING: f64 = 0.56;

/// What a connection costs before its children.
const CONNECTION: f64 = 2.0;

/// The points that the server takes in the end for an answer of this shape; never more than it
/// requested, and at least 1.
#[must_use]
pub fn actual(
    schema: &Schema,
    document: &Valid<Document>,
    operation: &Operation,
    rules: &Rules,
    variables: &Map<String, Json>,
    answer: &Shape,
) -> Points {
    let requested = price(schema, document, operation, rules, Bounds::default())
        .plan
        .price(variables);
    let settlement = Settlement {
        types: Rc::new(Types::new(schema)),
        document,
        operation,
        rules,
        variables,
    };
    let root = vec![(Guard::Always, &operation.selections)];
    let place = Place::root(operation.kind);
    let on = &operation.selections.parent;
    let charged = settlement.fields(&root, on, place, &[(1.0, answer)]);
    let charged = whole(charged).max(1);
    requested.map_or(Points(charged), |requested| requested.min(Points(charged)))
}

/// Objects of an answer with their numbers.
type Instances<'s> = Vec<(f64, &'s Shape)>;

struct Settlement<'a> {
    types: Rc<Types<'a>>,
    document: &'a Document,
    operation: &'a Operation,
    rules: &'a Rules,
    variables: &'a Map<String, Json>,
}

impl<'a> Settlement<'a> {
    /// What the fields of a level cost on average over the objects.
    fn fields(&self, level: &Level<'a>, on: &str, place: Place, objects: &[(f64, &Shape)]) -> f64 {
        let mut by_type: BTreeMap<&str, Instances<'_>> = BTreeMap::new();
        for (number, shape) in objects {
            let of = match shape {
                Shape::Object { of: Some(of), .. } => of,
                _ => on,
            };
            by_type.entry(of).or_default().push((*number, shape));
        }
        let all = total(objects);
        let mut sum = 0.0;
        for (of, objects) in &by_type {
            let merged = self.merged(level, of);
            let fields = merged
                .iter()
                .map(|merged| self.field(merged, of, place, objects));
            sum += fields.sum::<f64>() * total(objects) / all;
        }
        sum
    }

    fn merged(&self, level: &Level<'a>, on: &str) -> Vec<Merged<'a>> {
        merge::merge(&self.types, self.document, level, on, &mut |directives| {
            self.guard(directives)
        })
    }

    fn field(&self, merged: &Merged<'a>, on: &str, place: Place, objects: &[(f64, &Shape)]) -> f64 {
        let field = merged.field();
        if field.name == "__typename" {
            return 1.0;
        }
        let values = values(objects, field.response_key());
        if is_connection(field) {
            return self.connection(merged, &values);
        }
        let own = self.own(place, on, field);
        let base = field.definition.ty.base();
        let below: Instances<'_> = values.iter().flat_map(|value| objects_of(*value)).collect();
        if below.is_empty() {
            return own;
        }
        let answered: f64 = values
            .iter()
            .filter(|(_, shape)| !objects_of((1.0, shape)).is_empty())
            .map(|(number, _)| number)
            .sum();
        let share = answered / total(objects);
        own + share * self.fields(&merged.below(), base, place.below(), &below)
    }

    fn connection(&self, merged: &Merged<'a>, values: &[(f64, &Shape)]) -> f64 {
        let field = merged.field();
        let level = merged.below();
        let base = field.definition.ty.base();
        let answered: Instances<'_> = values
            .iter()
            .filter(|(_, shape)| matches!(shape, Shape::Object { .. }))
            .copied()
            .collect();
        if answered.is_empty() {
            return CONNECTION;
        }
        let size = self.size(field);
        let weight = float(page_weight(size));
        let instances = total(&answered);
        let mut page = Page::default();
        for merged in self.merged(&level, base) {
            let inner = merged.field();
            let values = self::values(&answered, inner.response_key());
            let items: Instances<'_> = values.iter().flat_map(|value| items_of(*value)).collect();
            match &*inner.name {
                "pageInfo" => page.info = 1.0,
                "nodes" => {
                    page.returned = total(&items) / instances;
                    page.nodes = true;
                    page.child += 1.0 + self.below(&merged, Place::Object, &items);
                }
                "edges" => {
                    page.returned = total(&items) / instances;
                    page.child += self.below(&merged, Place::Object, &items);
                }
                _ => page.child += self.own(Place::Connection, base, inner),
            }
        }
        let requested = weight * self.requested(&level, base);
        let gain = if page.returned == 0.0 {
            if page.nodes { weight } else { 0.0 }
        } else {
            page.gain(weight, float(size)).min(requested)
        };
        CONNECTION + gain * instances / total(values)
    }

    /// What is selected below a list costs on average over its items; nulls have nothing below.
    fn below(&self, merged: &Merged<'a>, place: Place, items: &[(f64, &Shape)]) -> f64 {
        let objects: Instances<'_> = items
            .iter()
            .filter(|(_, shape)| matches!(shape, Shape::Object { .. }))
            .copied()
            .collect();
        if objects.is_empty() {
            return 0.0;
        }
        let base = merged.field().definition.ty.base();
        let each = self.fields(&merged.below(), base, place, &objects);
        each * total(&objects) / total(items)
    }

    /// What one node of a connection was requested at.
    fn requested(&self, level: &Level<'a>, on: &str) -> f64 {
        let bounds = Bounds::default();
        let types = Rc::clone(&self.types);
        let walk = Walk::new(types, self.document, self.operation, self.rules, bounds);
        let plan = walk.plan(level, on, Place::Connection);
        plan.exact_price(self.variables).map_or(0.0, points)
    }

    fn own(&self, place: Place, on: &str, field: &Field) -> f64 {
        points(place.own(self.types.schema, self.rules, on, field))
    }

    fn size(&self, field: &Field) -> u64 {
        let sizes = ["first", "last"].into_iter().filter_map(|name| {
            let given = field.argument(name).map(|value| self.integer(value));
            given.unwrap_or_else(|| {
                let mut arguments = field.definition.arguments.iter();
                arguments
                    .find(|argument| argument.name == name)?
                    .default
                    .as_ref()?
                    .as_i64()
            })
        });
        sizes
            .map(|size| u64::try_from(size).unwrap_or(0))
            .next()
            .unwrap_or(0)
    }

    fn integer(&self, value: &Value) -> Option<i64> {
        match value {
            Value::Variable(name) => match self.variables.get(name) {
                Some(given) => given.as_i64(),
                None => self.default(name)?.as_i64(),
            },
            value => value.as_i64(),
        }
    }

    fn default(&self, variable: &str) -> Option<&Value> {
        let mut variables = self.operation.variables.iter();
        variables
            .find(|known| known.name == variable)?
            .default
            .as_ref()
    }

    fn guard(&self, directives: &[Directive]) -> Guard {
        let charged = directives.iter().all(|directive| {
            let needed = match directive.name.as_str() {
                "include" => true,
                "skip" => false,
                _ => return true,
            };
            let given = match directive.argument("if") {
                Some(Value::Variable(name)) => match self.variables.get(name) {
                    Some(given) => given.as_bool(),
                    None => self.default(name).and_then(Value::as_bool),
                },
                Some(value) => value.as_bool(),
                None => None,
            };
            given == Some(needed)
        });
        if charged { Guard::Always } else { Guard::Never }
    }
}

/// The nodes of one connection, on average over its instances.
#[derive(Default)]
struct Page {
    /// Nodes returned.
    returned: f64,
    /// What each of them costs.
    child: f64,
    /// 1 when `pageInfo` is selected.
    info: f64,
    /// Whether they are selected through `nodes`, whose empty list still costs.
    nodes: bool,
}

impl Page {
    /// What the nodes add, in whole points.
    fn gain(&self, weight: f64, size: f64) -> f64 {
        let linear = |nodes: f64| CONNECTION + self.info + nodes * self.child;
        let full = weight * self.child;
        (full * linear(self.returned) / linear(size) + ROUNDING).floor()
    }
}

/// The values under a response key, a missing one as null.
fn values<'s>(objects: &[(f64, &'s Shape)], key: &str) -> Instances<'s> {
    let value = |(number, shape): &(f64, &'s Shape)| {
        let value = match shape {
            Shape::Object { fields, .. } => fields.get(key),
            _ => None,
        };
        (*number, value.unwrap_or(&Shape::Null))
    };
    objects.iter().map(value).collect()
}

/// The items of a list, nulls included; a value that is no list is one item.
fn items_of((number, shape): (f64, &Shape)) -> Instances<'_> {
    match shape {
        Shape::List(runs) => runs
            .iter()
            .flat_map(|(count, item)| items_of((number * float(*count), item)))
            .collect(),
        shape => vec![(number, shape)],
    }
}

/// The objects in a value, through lists.
fn objects_of(value: (f64, &Shape)) -> Instances<'_> {
    let mut items = items_of(value);
    items.retain(|(_, shape)| matches!(shape, Shape::Object { .. }));
    items
}

fn total(objects: &[(f64, &Shape)]) -> f64 {
    objects.iter().map(|(number, _)| number).sum()
}

fn points(price: MilliPoints) -> f64 {
    float(price.0) / 1000.0
}

#[expect(
    clippy::cast_precision_loss,
    reason = "prices and counts are far below 2^53"
)]
fn float(number: u64) -> f64 {
    number as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sums of prices"
)]
fn whole(charged: f64) -> u64 {
    charged.round() as u64
}
