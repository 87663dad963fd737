//! The rules file: what it looks like, and which of it holds on a day.

use std::collections::BTreeMap;

use serde::Deserialize;
use tollgate_cost::{MAX_LIST, MilliPoints};

use super::{OwnerRule, Surcharge};
use crate::pricing::price::Price;

const TEXT: &str = include_str!("../rules.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rules {
    r#type: Vec<Priced>,
    field: Vec<Priced>,
    root: Vec<Root>,
    mutation: Vec<Priced>,
    surcharge: Vec<PerItem>,
    owner: Vec<PerOwner>,
    /// Since when the prices in the descriptions of the schema are charged.
    described: Evidence,
}

#[derive(Deserialize)]
struct Priced {
    names: Vec<String>,
    points: Price,
    #[serde(flatten)]
    evidence: Evidence,
}

#[derive(Deserialize)]
struct Root {
    returns: String,
    points: Price,
    #[serde(flatten)]
    evidence: Evidence,
}

#[derive(Deserialize)]
struct PerItem {
    mutations: Vec<String>,
    paths: Vec<String>,
    unit: String,
    points: Price,
    #[serde(default = "max_list")]
    at_most: u64,
    #[serde(flatten)]
    evidence: Evidence,
}

#[derive(Deserialize)]
struct PerOwner {
    mutations: Vec<String>,
    path: String,
    weights: BTreeMap<String, Price>,
    at_most: u64,
    #[serde(flatten)]
    evidence: Evidence,
}

/// Why a price is believed, and when it held.
#[derive(Deserialize)]
struct Evidence {
    since: Option<String>,
    until: Option<String>,
    /// The day of the newest answer that shows it.
    seen: String,
    evidence: String,
}

impl Evidence {
    fn holds(&self, day: &str) -> bool {
        self.since.as_deref().is_none_or(|since| since <= day)
            && self.until.as_deref().is_none_or(|until| day < until)
    }
}

const fn max_list() -> u64 {
    MAX_LIST
}

impl Rules {
    #[expect(clippy::expect_used, reason = "the file is ours, and a test reads it")]
    pub(super) fn parse() -> Self {
        toml::from_str(TEXT).expect("the rules file is valid")
    }

    pub(super) fn on(mut self, day: &str) -> super::Rules {
        self.r#type.retain(|group| group.evidence.holds(day));
        self.field.retain(|group| group.evidence.holds(day));
        self.root.retain(|root| root.evidence.holds(day));
        self.mutation.retain(|group| group.evidence.holds(day));
        self.surcharge.retain(|group| group.evidence.holds(day));
        self.owner.retain(|group| group.evidence.holds(day));
        let mut rules = super::Rules {
            described: self.described.holds(day),
            ..Default::default()
        };
        for group in self.r#type {
            let names = group.names.into_iter();
            rules.types.extend(names.map(|name| (name, group.points.0)));
        }
        for group in self.field {
            for name in group.names {
                rules.set_field(&name, group.points.0);
            }
        }
        for root in self.root {
            rules.roots.insert(root.returns, root.points.0);
        }
        for group in self.mutation {
            let names = group.names.into_iter();
            rules
                .mutations
                .extend(names.map(|name| (name, group.points.0)));
        }
        for group in self.surcharge {
            group.add(&mut rules);
        }
        for group in self.owner {
            group.add(&mut rules);
        }
        rules
    }

    /// Every price by itself, with its evidence.
    pub(super) fn listed(self) -> Vec<HandPrice> {
        let mut listed = Vec::new();
        let mut list = |place: String, points: Price, evidence: &Evidence| {
            listed.push(HandPrice {
                place,
                points: points.0,
                since: evidence.since.clone(),
                until: evidence.until.clone(),
                seen: evidence.seen.clone(),
                evidence: evidence.evidence.clone(),
            });
        };
        for group in self.r#type.iter().chain(&self.field) {
            for name in &group.names {
                list(name.clone(), group.points, &group.evidence);
            }
        }
        for root in &self.root {
            list(root_place(&root.returns), root.points, &root.evidence);
        }
        for group in &self.mutation {
            for name in &group.names {
                list(mutation_place(name), group.points, &group.evidence);
            }
        }
        for group in &self.surcharge {
            for mutation in &group.mutations {
                for path in &group.paths {
                    list(input_place(mutation, path), group.points, &group.evidence);
                }
            }
        }
        for group in &self.owner {
            for mutation in &group.mutations {
                let dearest = group.weights.values().max_by_key(|weight| weight.0);
                let points = dearest.copied().unwrap_or(Price(MilliPoints::ZERO));
                list(input_place(mutation, &group.path), points, &group.evidence);
            }
        }
        listed
    }
}

/// A price set by hand on the server, and why it is believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandPrice {
    /// What it is the price of: a type, `Type.field`, `QueryRoot: Type`, `Mutation.field` or
    /// `Mutation.field(input.path)`.
    pub place: String,
    /// Points; for inputs per item, for owners the dearest.
    pub points: MilliPoints,
    /// The first day with it, where it was seen to change.
    pub since: Option<String>,
    /// The first day without it, where it was seen to change.
    pub until: Option<String>,
    /// The day of the newest answer that shows it.
    pub seen: String,
    /// Where it was read.
    pub evidence: String,
}

pub(super) fn root_place(returns: &str) -> String {
    format!("QueryRoot: {returns}")
}

pub(super) fn mutation_place(name: &str) -> String {
    format!("Mutation.{name}")
}

pub(super) fn input_place(mutation: &str, path: &str) -> String {
    format!("Mutation.{mutation}({path})")
}

impl PerItem {
    fn add(self, rules: &mut super::Rules) {
        for mutation in self.mutations {
            let surcharges = rules.surcharges.entry(mutation).or_default();
            surcharges.extend(self.paths.iter().map(|path| Surcharge {
                path: steps(path),
                each: self.points.0,
                unit: self.unit.clone(),
                at_most: self.at_most,
            }));
        }
    }
}

impl PerOwner {
    fn add(self, rules: &mut super::Rules) {
        let weights = self.weights.into_iter();
        let weights: BTreeMap<_, _> = weights.map(|(name, price)| (name, price.0)).collect();
        for mutation in self.mutations {
            rules.owners.entry(mutation).or_default().push(OwnerRule {
                path: steps(&self.path),
                weights: weights.clone(),
                at_most: self.at_most,
            });
        }
    }
}

fn steps(path: &str) -> Vec<String> {
    path.split('.').map(str::to_owned).collect()
}
