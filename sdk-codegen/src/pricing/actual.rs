//! What the server charges once it has answered: `actualQueryCost`.
//!
//! Found in recorded answers of 2026, and exact for about nine in ten: a full page costs what was
//! requested, and a part of it pro rata of the linear price `2 + pageInfo + n × child` that the
//! server had before it weighed page sizes by their logarithm.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::{Map, Value as Json};
use tollgate_cost::{MilliPoints, Plan, Points, page_weight};

use super::guard::Guard;
use super::merge::{self, Level, Merged};
use super::place::{Place, is_connection};
use super::walk::Walk;
use super::{Bounds, Charge, Entry, Priced, Rules, Shape, fold, price};
use crate::document::{Directive, Document, Field, Operation, Valid, Value};
use crate::schema::{PossibleTypes, Schema};

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
    let priced = price(schema, document, operation, rules, Bounds::default());
    let requested = priced.plan.price(variables);
    if let Ok(requested) = requested
        && input_counts(&priced, variables, answer)
    {
        return requested;
    }
    let settlement = Settlement {
        types: Rc::new(PossibleTypes::new(schema)),
        document,
        operation,
        rules,
        variables,
    };
    let root = vec![(Guard::Always, &operation.selections)];
    let place = Place::root(operation.kind);
    let on = &operation.selections.parent;
    let at = At { place, ..At::NODE };
    let charged = settlement.fields(&root, on, at, &[(1.0, answer)]);
    let charged = whole(charged).max(1);
    requested.map_or(Points(charged), |requested| requested.min(Points(charged)))
}

/// Whether input has raised the price of a mutation that was carried out: then the server charges
/// all that it requested.
fn input_counts(priced: &Priced, variables: &Map<String, Json>, answer: &Shape) -> bool {
    let Shape::Object { fields, .. } = answer else {
        return false;
    };
    let carried_out =
        |entry: &&Entry| matches!(fields.get(&entry.path[0]), Some(Shape::Object { .. }));
    let carried_out = priced.entries.iter().filter(carried_out);
    let inputs = carried_out
        .flat_map(|entry| entry.below(<[Entry]>::len))
        .filter(|entry| matches!(entry.charge, Charge::Input { .. }));
    let plan = Plan {
        root: fold::sum(inputs.map(Entry::node).collect()),
        parameters: priced.plan.parameters.clone(),
    };
    plan.exact_price(variables)
        .is_ok_and(|input| input.round() > Points::ZERO)
}

/// Objects of an answer with their numbers.
type Instances<'s> = Vec<(f64, &'s Shape)>;

/// Where a field is answered.
#[derive(Clone, Copy)]
struct At {
    place: Place,
    spread: Spread,
}

impl At {
    const NODE: Self = Self {
        place: Place::Object,
        spread: Spread::Page,
    };
}

/// How the objects of one selection stand together.
#[derive(Clone, Copy)]
enum Spread {
    /// On a page: what they cost is averaged.
    Page,
    /// In a plain list: a field counts once when any of them has it.
    List,
}

struct Settlement<'a> {
    types: Rc<PossibleTypes<'a>>,
    document: &'a Document,
    operation: &'a Operation,
    rules: &'a Rules,
    variables: &'a Map<String, Json>,
}

impl<'a> Settlement<'a> {
    /// What the fields of a level cost over the objects.
    fn fields(&self, level: &Level<'a>, on: &str, at: At, objects: &[(f64, &Shape)]) -> f64 {
        let mut by_type: BTreeMap<&str, Instances<'_>> = BTreeMap::new();
        for (number, shape) in objects {
            let of = match shape {
                Shape::Object { of: Some(of), .. } => of,
                _ => on,
            };
            by_type.entry(of).or_default().push((*number, shape));
        }
        let mut average = 0.0;
        let mut dearest: BTreeMap<&str, f64> = BTreeMap::new();
        for (of, alike) in &by_type {
            for merged in self.merged(level, of) {
                let price = self.field(&merged, of, at, alike);
                average += price * total(alike) / total(objects);
                let known = dearest.entry(merged.field().response_key()).or_default();
                *known = known.max(price);
            }
        }
        match at.spread {
            Spread::Page => average,
            Spread::List => dearest.values().sum(),
        }
    }

    fn merged(&self, level: &Level<'a>, on: &str) -> Vec<Merged<'a>> {
        merge::merge(&self.types, self.document, level, on, &mut |directives| {
            self.guard(directives)
        })
    }

    fn field(&self, merged: &Merged<'a>, on: &str, at: At, objects: &[(f64, &Shape)]) -> f64 {
        let field = merged.field();
        if field.name == "__typename" {
            return 1.0;
        }
        let values = values(objects, field.response_key());
        if is_connection(field) {
            return self.connection(merged, at.spread, &values);
        }
        let own = self.own(at.place, on, field);
        let base = field.definition.ty.base();
        let below: Instances<'_> = values.iter().flat_map(|value| objects_of(*value)).collect();
        if below.is_empty() {
            return own;
        }
        let is_list = field.definition.ty.is_list();
        let share = match at.spread {
            Spread::Page => {
                let answered = values
                    .iter()
                    .filter(|(_, shape)| !objects_of((1.0, shape)).is_empty());
                answered.map(|(number, _)| number).sum::<f64>() / total(objects)
            }
            Spread::List => 1.0,
        };
        let inner = At {
            place: at.place.below(),
            spread: if is_list { Spread::List } else { at.spread },
        };
        own + share * self.fields(&merged.below(), base, inner, &below)
    }

    /// What a connection costs over its instances: in a list each adds its page, as far as one
    /// full page goes.
    fn connection(&self, merged: &Merged<'a>, spread: Spread, values: &[(f64, &Shape)]) -> f64 {
        let level = merged.below();
        let field = merged.field();
        let answered: Instances<'_> = values
            .iter()
            .filter(|(_, shape)| matches!(shape, Shape::Object { .. }))
            .copied()
            .collect();
        if answered.is_empty() {
            return CONNECTION;
        }
        let size = self.size(field);
        let full = float(page_weight(size)) * self.requested(&level, field.definition.ty.base());
        let gain = match spread {
            Spread::Page => {
                let gain = self.page(&level, field, &answered).gain(size).min(full);
                gain * total(&answered) / total(values)
            }
            Spread::List => {
                let pages = answered.iter().map(|instance| {
                    instance.0 * self.page(&level, field, &[(1.0, instance.1)]).gain(size)
                });
                pages.sum::<f64>().min(full)
            }
        };
        CONNECTION + gain
    }

    fn page(&self, level: &Level<'a>, field: &Field, answered: &[(f64, &Shape)]) -> Page {
        let base = field.definition.ty.base();
        let instances = total(answered);
        let mut page = Page::default();
        for merged in self.merged(level, base) {
            let inner = merged.field();
            let values = self::values(answered, inner.response_key());
            let items: Instances<'_> = values.iter().flat_map(|value| items_of(*value)).collect();
            match &*inner.name {
                "pageInfo" => page.info = 1.0,
                "nodes" => {
                    page.returned = total(&items) / instances;
                    page.nodes = true;
                    page.child += 1.0 + self.below(&merged, &items);
                }
                "edges" => {
                    page.returned = total(&items) / instances;
                    page.child += self.below(&merged, &items);
                }
                _ => page.child += self.own(Place::Connection, base, inner),
            }
        }
        page
    }

    /// What is selected below a list costs on average over its items; nulls have nothing below.
    fn below(&self, merged: &Merged<'a>, items: &[(f64, &Shape)]) -> f64 {
        let objects: Instances<'_> = items
            .iter()
            .filter(|(_, shape)| matches!(shape, Shape::Object { .. }))
            .copied()
            .collect();
        if objects.is_empty() {
            return 0.0;
        }
        let base = merged.field().definition.ty.base();
        let each = self.fields(&merged.below(), base, At::NODE, &objects);
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
                let argument = field.definition.argument(name)?;
                argument.default.as_ref()?.as_i64()
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
        self.operation.variable(variable)?.default.as_ref()
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
    fn gain(&self, size: u64) -> f64 {
        let (weight, size) = (float(page_weight(size)), float(size));
        if self.returned == 0.0 {
            return if self.nodes { weight } else { 0.0 };
        }
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
