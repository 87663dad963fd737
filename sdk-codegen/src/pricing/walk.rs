use std::collections::BTreeSet;
use std::rc::Rc;

use tollgate_cost::{Condition, Literal, MAX_PAGE, MilliPoints, Node, Parameter, Plan, Size};

use super::guard::Guard;
use super::merge::{self, Level, Merged};
use super::place::{Place, is_connection};
use super::tree::{Charge, Entry, OwnPrice, Possible, Priced};
use super::{Bounds, Rules};
use crate::document::{Directive, Document, Field, Operation, Value, Variable};
use crate::schema::PossibleTypes;

/// The walk over one operation.
pub(super) struct Walk<'a> {
    pub(super) types: Rc<PossibleTypes<'a>>,
    document: &'a Document,
    pub(super) operation: &'a Operation,
    pub(super) rules: &'a Rules,
    bounds: Bounds,
    parameters: Vec<Parameter>,
    pub(super) reads: BTreeSet<(String, String)>,
    /// Every field with its own price, when that was asked for.
    own_prices: Option<Vec<OwnPrice>>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        types: Rc<PossibleTypes<'a>>,
        document: &'a Document,
        operation: &'a Operation,
        rules: &'a Rules,
        bounds: Bounds,
    ) -> Self {
        Self {
            types,
            document,
            operation,
            rules,
            bounds,
            parameters: Vec::new(),
            reads: BTreeSet::new(),
            own_prices: None,
        }
    }

    /// The own prices of all fields, those that are free included.
    pub(super) fn own_prices(mut self) -> Vec<OwnPrice> {
        self.own_prices = Some(Vec::new());
        let operation = self.operation;
        let root = vec![(Guard::Always, &operation.selections)];
        let place = Place::root(operation.kind);
        self.fields(&root, &operation.selections.parent, place, &[]);
        self.own_prices.unwrap_or_default()
    }

    /// The price of what is selected on one object at one place.
    pub(super) fn plan(mut self, level: &Level<'a>, on: &str, place: Place) -> Plan {
        let entries = self.fields(level, on, place, &[]);
        Priced::new(entries, self.parameters, Vec::new()).plan
    }

    pub(super) fn priced(mut self) -> Priced {
        let operation = self.operation;
        // A declared maximum holds for a call whether or not the price depends on the variable.
        for variable in &operation.variables {
            if variable.max().is_some() {
                self.parameter(&variable.name);
            }
        }
        let root = vec![(Guard::Always, &operation.selections)];
        let place = Place::root(operation.kind);
        let entries = self.fields(&root, &operation.selections.parent, place, &[]);
        Priced::new(entries, self.parameters, self.reads.into_iter().collect())
    }

    fn fields(&mut self, level: &Level<'a>, on: &str, place: Place, path: &[String]) -> Vec<Entry> {
        let document = self.document;
        let types = Rc::clone(&self.types);
        let merged = merge::merge(&types, document, level, on, &mut |directives| {
            self.guard(directives)
        });
        let entries = merged
            .iter()
            .filter_map(|merged| self.field(merged, on, place, path));
        entries.collect()
    }

    /// One field; `None` when it costs nothing, as most scalars do.
    fn field(
        &mut self,
        merged: &Merged<'a>,
        on: &str,
        place: Place,
        path: &[String],
    ) -> Option<Entry> {
        let field = merged.field();
        let base = field.definition.ty.base();
        let mut path = path.to_vec();
        path.push(field.response_key().to_owned());
        let below = merged.below();
        let schema = self.types.schema;
        let charge = if is_connection(field) {
            Charge::Connection {
                sizes: self.sizes(field),
                fields: self.fields(&below, base, Place::Connection, &path),
            }
        } else {
            let own = place.own(schema, self.rules, on, field);
            if let Some(known) = &mut self.own_prices {
                known.push(OwnPrice {
                    path: path.clone(),
                    on: on.to_owned(),
                    name: field.name.clone(),
                    points: own,
                });
            }
            self.object(own, field, &below, place, &path)
        };
        let entry = Entry {
            label: label(field),
            path,
            span: field.span.clone(),
            condition: match merged.guard() {
                Guard::When(condition) => Some(condition),
                Guard::Always | Guard::Never => None,
            },
            charge,
        };
        let free = entry.node() == Node::Const(MilliPoints::ZERO);
        (!free).then_some(entry)
    }

    fn object(
        &mut self,
        own: MilliPoints,
        field: &'a Field,
        below: &Level<'a>,
        place: Place,
        path: &[String],
    ) -> Charge {
        let base = field.definition.ty.base();
        let inner = place.below();
        let is_abstract = self
            .types
            .schema
            .get(base)
            .is_some_and(|ty| ty.is_abstract());
        if !is_abstract {
            let mut fields = Vec::new();
            if place == Place::Mutation {
                fields = self.input_charges(field, path);
            }
            fields.extend(self.fields(below, base, inner, path));
            return Charge::Object { own, fields };
        }
        let rules = self.rules;
        let apart = |name: &str| rules.mentions(name);
        let groups = merge::groups(&self.types, self.document, below, base, apart);
        let possible = |types: Vec<String>| {
            let fields = self.fields(below, &types[0], inner, path);
            Possible { types, fields }
        };
        let types = groups.into_iter().map(possible).collect();
        Charge::Abstract { own, types }
    }

    /// `first`, else `last`, as far as they are given, else the default of the schema.
    fn sizes(&mut self, field: &Field) -> Vec<Size> {
        let mut sizes = Vec::new();
        for name in ["first", "last"] {
            match field.argument(name) {
                Some(Value::Variable(variable)) => {
                    sizes.push(Size::Parameter(self.parameter(variable)));
                }
                Some(value) => {
                    if let Some(size) = value.as_i64() {
                        // A negative literal is reported by `check`, and refused by the server.
                        sizes.push(Size::Fixed(u64::try_from(size).unwrap_or(0)));
                        return sizes;
                    }
                }
                None => {
                    let argument = field.definition.argument(name);
                    let default = argument.and_then(|argument| argument.default.as_ref());
                    if let Some(size) = default.and_then(Value::as_i64) {
                        sizes.push(Size::Fixed(u64::try_from(size).unwrap_or(0)));
                        return sizes;
                    }
                }
            }
        }
        sizes
    }

    fn guard(&mut self, directives: &[Directive]) -> Guard {
        let mut guard = Guard::Always;
        for directive in directives {
            let value = match directive.name.as_str() {
                "include" => true,
                "skip" => false,
                _ => continue,
            };
            let own = match directive.argument("if") {
                Some(Value::Boolean(given)) if *given == value => Guard::Always,
                Some(Value::Variable(name)) => {
                    let parameter = self.parameter(name);
                    Guard::When(Condition::Is { parameter, value })
                }
                _ => Guard::Never,
            };
            guard = guard.and(own);
        }
        guard
    }

    /// The place of a variable among the parameters of the plan.
    pub(super) fn parameter(&mut self, name: &str) -> usize {
        let known = self.parameters.iter().position(|known| known.name == name);
        if let Some(index) = known {
            return index;
        }
        let variable = self.operation.variable(name);
        let max = variable.and_then(Variable::max);
        let default = variable.and_then(|variable| variable.default.as_ref());
        let default_size = default
            .and_then(Value::as_i64)
            .and_then(|size| u64::try_from(size).ok());
        let assumed = max
            .or(default_size)
            .or(self.bounds.page_size)
            .unwrap_or(MAX_PAGE);
        self.parameters.push(Parameter {
            name: name.to_owned().into(),
            default: default.map(literal),
            assumed,
            max,
        });
        self.parameters.len() - 1
    }
}

fn label(field: &Field) -> String {
    let mut label = match &field.alias {
        Some(alias) => format!("{alias}: {}", field.name),
        None => field.name.clone(),
    };
    let sizes: Vec<_> = ["first", "last"]
        .into_iter()
        .filter_map(|name| field.argument(name).map(|value| format!("{name}: {value}")))
        .collect();
    if !sizes.is_empty() {
        label = format!("{label}({})", sizes.join(", "));
    }
    label
}

pub(super) fn literal(value: &Value) -> Literal {
    match value {
        Value::Null => Literal::Null,
        Value::Boolean(value) => Literal::Bool(*value),
        Value::Int(_) => value.as_i64().map_or(Literal::Other, Literal::Int),
        Value::String(text) | Value::Enum(text) => Literal::Text(text.clone().into()),
        Value::List(items) => Literal::List(items.iter().map(literal).collect()),
        Value::Object(fields) => {
            let field = |(name, value): &(String, Value)| (name.clone().into(), literal(value));
            Literal::Object(fields.iter().map(field).collect())
        }
        Value::Float(_) | Value::Variable(_) => Literal::Other,
    }
}
