//! The prices that are data: those set by hand on the server, with the days they held.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use tollgate_cost::MilliPoints;

use super::Overrides;

mod file;

pub use file::HandPrice;

/// What a mutation costs that has no price of its own.
const MUTATION: MilliPoints = MilliPoints::from_points(10);

/// Prices of types, fields and mutations that the general rule does not give.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    types: BTreeMap<String, MilliPoints>,
    /// By type and field.
    fields: BTreeMap<(String, String), MilliPoints>,
    /// The types that have prices of their own fields.
    mentioned: BTreeSet<String>,
    /// Fields of the query root, by what they return.
    roots: BTreeMap<String, MilliPoints>,
    mutations: BTreeMap<String, MilliPoints>,
    surcharges: BTreeMap<String, Vec<Surcharge>>,
    owners: BTreeMap<String, Vec<OwnerRule>>,
    /// Whether the prices in the schema's descriptions are charged.
    pub(super) described: bool,
}

/// A price per item of an input.
#[derive(Clone, Debug)]
pub(super) struct Surcharge {
    /// The argument, then the fields of input objects.
    pub(super) path: Vec<String>,
    /// What one item costs.
    pub(super) each: MilliPoints,
    /// What an item is called.
    pub(super) unit: String,
    /// The longest list the server takes there.
    pub(super) at_most: u64,
}

/// A price per distinct owner in an input.
#[derive(Clone, Debug)]
pub(super) struct OwnerRule {
    /// The argument, then the fields of input objects.
    pub(super) path: Vec<String>,
    /// Price by resource.
    pub(super) weights: BTreeMap<String, MilliPoints>,
    /// The longest list the server takes there.
    pub(super) at_most: u64,
}

impl OwnerRule {
    pub(super) fn dearest(&self) -> MilliPoints {
        self.weights.values().copied().max().unwrap_or_default()
    }
}

impl Rules {
    /// The newest prices: what a build uses.
    #[must_use]
    pub fn newest() -> &'static Self {
        static NEWEST: LazyLock<Rules> = LazyLock::new(|| Rules::on("9999-12-31"));
        &NEWEST
    }

    /// The prices of a day, as `2026-07-29`: what recorded answers are judged by.
    #[must_use]
    pub fn on(day: &str) -> Self {
        file::Rules::parse().on(day)
    }

    /// The prices set by hand that the rules know, whenever they held, with their evidence.
    #[must_use]
    pub fn hand_prices() -> Vec<HandPrice> {
        file::Rules::parse().listed()
    }

    /// Without one of the prices set by hand, to see what depends on it.
    #[must_use]
    pub fn without(&self, price: &HandPrice) -> Self {
        let place = &price.place;
        let mut rules = self.clone();
        rules.types.retain(|name, _| name != place);
        rules
            .fields
            .retain(|(on, field), _| format!("{on}.{field}") != *place);
        rules
            .roots
            .retain(|returns, _| file::root_place(returns) != *place);
        rules
            .mutations
            .retain(|name, _| file::mutation_place(name) != *place);
        for (mutation, surcharges) in &mut rules.surcharges {
            surcharges.retain(|known| file::input_place(mutation, &known.path.join(".")) != *place);
        }
        for (mutation, owners) in &mut rules.owners {
            owners.retain(|known| file::input_place(mutation, &known.path.join(".")) != *place);
        }
        rules
    }

    /// With a project's own prices in place of these.
    #[must_use]
    pub fn with(&self, overrides: &Overrides) -> Self {
        let mut rules = self.clone();
        rules.types.extend(overrides.types.clone());
        rules.mutations.extend(overrides.mutations.clone());
        for (coordinate, price) in &overrides.fields {
            rules.set_field(coordinate, *price);
        }
        rules
    }

    fn set_field(&mut self, coordinate: &str, price: MilliPoints) {
        if let Some((on, field)) = coordinate.split_once('.') {
            self.fields.insert((on.to_owned(), field.to_owned()), price);
            self.mentioned.insert(on.to_owned());
        }
    }

    pub(super) fn field(&self, on: &str, field: &str, returns: &str) -> Option<MilliPoints> {
        let own = self.fields.get(&(on.to_owned(), field.to_owned()));
        let own = own.or_else(|| self.types.get(returns));
        own.copied()
    }

    pub(super) fn root(&self, returns: &str) -> Option<MilliPoints> {
        self.roots.get(returns).copied()
    }

    pub(super) fn mutation(&self, name: &str) -> MilliPoints {
        self.mutations.get(name).copied().unwrap_or(MUTATION)
    }

    /// Whether fields of the type have prices of their own.
    pub(super) fn mentions(&self, type_name: &str) -> bool {
        self.mentioned.contains(type_name)
    }

    pub(super) fn surcharges(&self, mutation: &str) -> impl Iterator<Item = &Surcharge> {
        self.surcharges.get(mutation).into_iter().flatten()
    }

    pub(super) fn owners(&self, mutation: &str) -> impl Iterator<Item = &OwnerRule> {
        self.owners.get(mutation).into_iter().flatten()
    }
}
