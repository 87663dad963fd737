//! Prices that grow with the input of a mutation.

use tollgate_cost::{MAX_LIST, MilliPoints, Node, Owner};

use super::rules::{OwnerRule, Surcharge};
use super::tree::{Charge, Entry};
use super::walk::Walk;
use crate::document::{Field, Value};
use crate::schema::{InputDefinition, TypeRef};

/// The way from an argument to what is charged.
struct Way {
    /// The argument, then the fields of input objects.
    steps: Vec<String>,
    /// Whether the value after each step is a list.
    lists: Vec<bool>,
}

impl<'a> Walk<'a> {
    /// What the input of a mutation adds to its price.
    pub(super) fn input_charges(&mut self, field: &'a Field, path: &[String]) -> Vec<Entry> {
        let rules = self.rules;
        let mut charges = Vec::new();
        let mut surcharges = self.described(field);
        surcharges.extend(rules.surcharges(&field.name).cloned());
        for surcharge in surcharges {
            let Some((argument, value)) = self.argument(field, &surcharge.path) else {
                continue;
            };
            let way = self.way(argument, &surcharge.path);
            let mut terms = Vec::new();
            self.items(value, &way, 0, &surcharge, &mut terms);
            charges.push((surcharge.unit, surcharge.each, terms));
        }
        for rule in rules.owners(&field.name) {
            if let Some((argument, value)) = self.argument(field, &rule.path) {
                let way = self.way(argument, &rule.path);
                let mut owners = Vec::new();
                self.owner_places(value, &way, 0, &mut owners);
                charges.push((
                    "owner".to_owned(),
                    rule.dearest(),
                    vec![per_owner(rule, owners)],
                ));
            }
        }
        let entry = |(unit, each, terms): (String, MilliPoints, Vec<Node>)| Entry {
            label: format!("{each} per {unit}"),
            path: path.to_vec(),
            span: field.span.clone(),
            condition: None,
            charge: Charge::Input { unit, each, terms },
        };
        let charged = |(_, _, terms): &(_, _, Vec<Node>)| !terms.is_empty();
        charges.into_iter().filter(charged).map(entry).collect()
    }

    fn argument<'f>(
        &self,
        field: &'f Field,
        path: &[String],
    ) -> Option<(&'f InputDefinition, &'f Value)> {
        let name = path.first()?;
        Some((field.definition.argument(name)?, field.argument(name)?))
    }

    /// The prices in the descriptions of the schema, on all input fields that the arguments reach.
    fn described(&self, field: &Field) -> Vec<Surcharge> {
        let mut found = Vec::new();
        if !self.rules.described {
            return found;
        }
        for argument in &field.definition.arguments {
            if field.argument(&argument.name).is_some() {
                self.describe(argument, &mut Vec::new(), &mut Vec::new(), &mut found);
            }
        }
        found
    }

    fn describe(
        &self,
        input: &InputDefinition,
        path: &mut Vec<String>,
        within: &mut Vec<String>,
        found: &mut Vec<Surcharge>,
    ) {
        path.push(input.name.clone());
        if let Some((each, unit)) = input.description.as_deref().and_then(described_price) {
            found.push(Surcharge {
                path: path.clone(),
                each,
                unit: unit.to_owned(),
                at_most: MAX_LIST,
            });
        }
        let base = input.ty.base();
        if !within.iter().any(|name| name == base)
            && let Some(definition) = self.types.schema.get(base)
        {
            within.push(base.to_owned());
            for inner in definition.input_fields() {
                self.describe(inner, path, within, found);
            }
            within.pop();
        }
        path.pop();
    }

    fn way(&mut self, argument: &InputDefinition, path: &[String]) -> Way {
        let mut lists = vec![argument.ty.is_list()];
        let mut base = argument.ty.base().to_owned();
        for step in path.iter().skip(1) {
            self.reads.insert((base.clone(), step.clone()));
            let definition = self.types.schema.get(&base);
            let inner = definition.and_then(|definition| {
                let mut fields = definition.input_fields().iter();
                fields.find(|field| field.name == *step)
            });
            lists.push(inner.is_some_and(|inner| inner.ty.is_list()));
            base = inner.map_or_else(String::new, |inner| inner.ty.base().to_owned());
        }
        Way {
            steps: path.to_vec(),
            lists,
        }
    }

    /// The terms of a surcharge, from the value after step `at` of the way.
    fn items(
        &mut self,
        value: &Value,
        way: &Way,
        at: usize,
        surcharge: &Surcharge,
        terms: &mut Vec<Node>,
    ) {
        let rest = &way.steps[at + 1..];
        match value {
            Value::Null => {}
            Value::Variable(name) => {
                let (at_most, declared) = self.most_items(name, &way.lists[at..], surcharge);
                terms.push(Node::PerItem {
                    parameter: self.parameter(name),
                    path: rest.iter().map(|step| step.clone().into()).collect(),
                    each: surcharge.each,
                    at_most,
                    declared,
                });
            }
            Value::List(items) => {
                for item in items {
                    if rest.is_empty() && !matches!(item, Value::Variable(_)) {
                        terms.push(Node::Const(surcharge.each));
                    } else {
                        self.items(item, way, at, surcharge, terms);
                    }
                }
            }
            Value::Object(fields) => {
                let Some(step) = rest.first() else {
                    terms.push(Node::Const(surcharge.each));
                    return;
                };
                if let Some((_, inner)) = fields.iter().find(|(name, _)| name == step) {
                    self.items(inner, way, at + 1, surcharge, terms);
                }
            }
            _ if rest.is_empty() => terms.push(Node::Const(surcharge.each)),
            _ => {}
        }
    }

    /// How many items a variable can hold, and whether the document declares it.
    fn most_items(&self, name: &str, lists: &[bool], surcharge: &Surcharge) -> (u64, bool) {
        let variable = self.operation.variable(name);
        let own_list = variable.is_some_and(|variable| matches!(variable.ty, TypeRef::List { .. }));
        let max = variable
            .and_then(|variable| variable.max())
            .filter(|_| own_list);
        let below = lists.iter().skip(1).filter(|list| **list).count();
        let mut most: u64 = 1;
        if own_list {
            most = max.unwrap_or(surcharge.at_most);
        }
        for _ in 0..below {
            most = most.saturating_mul(MAX_LIST);
        }
        (most, below == 0 && (!own_list || max.is_some()))
    }

    fn owner_places(&mut self, value: &Value, way: &Way, at: usize, owners: &mut Vec<Owner>) {
        let rest = &way.steps[at + 1..];
        match value {
            Value::Variable(name) => owners.push(Owner::Parameter {
                parameter: self.parameter(name),
                path: rest.iter().map(|step| step.clone().into()).collect(),
            }),
            Value::List(items) => {
                for item in items {
                    self.owner_places(item, way, at, owners);
                }
            }
            Value::Object(fields) => {
                let inner = rest.first().and_then(|step| {
                    let found = fields.iter().find(|(name, _)| name == step);
                    found.map(|(_, inner)| inner)
                });
                if let Some(inner) = inner {
                    self.owner_places(inner, way, at + 1, owners);
                }
            }
            Value::String(id) if rest.is_empty() => owners.push(Owner::Id(id.clone().into())),
            _ => {}
        }
    }
}

fn per_owner(rule: &OwnerRule, owners: Vec<Owner>) -> Node {
    let listed = owners.iter().all(|owner| matches!(owner, Owner::Id(_)));
    let known = u64::try_from(owners.len()).unwrap_or(u64::MAX);
    let weights = rule.weights.iter();
    Node::PerOwner {
        at_most: if listed { known } else { rule.at_most },
        owners: owners.into(),
        weights: weights
            .map(|(resource, weight)| (resource.clone().into(), *weight))
            .collect(),
    }
}

/// `0.2` and `variant` in "Complexity cost: 0.2 per variant.".
pub(crate) fn described_price(description: &str) -> Option<(MilliPoints, &str)> {
    let (_, rest) = description.split_once("Complexity cost: ")?;
    let (price, rest) = rest.split_once(" per ")?;
    let unit = rest.split(['.', '\n']).next()?;
    Some((price.parse().ok()?, unit))
}

#[cfg(test)]
mod tests {
    use super::described_price;
    use tollgate_cost::MilliPoints;

    #[test]
    fn prices_are_read_from_descriptions() {
        let text = "The file of the variant.\n\nComplexity cost: 0.6 per variant file.\n\nMore.";
        let price = Some((MilliPoints(600), "variant file"));
        assert_eq!(described_price(text), price);
        assert_eq!(described_price("Due to the complexity of it."), None);
        assert_eq!(described_price("Complexity cost: some per item."), None);
    }
}
