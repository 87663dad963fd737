//! The rules file: what it looks like, and which of it holds on a day.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use tollgate_cost::{MAX_LIST, MilliPoints};

use super::{OwnerRule, Surcharge};

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

/// A number of points, with decimals.
#[derive(Clone, Copy)]
pub(in crate::pricing) struct Price(pub(in crate::pricing) MilliPoints);

impl<'de> Deserialize<'de> for Price {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Number {
            Whole(u64),
            Decimal(f64),
        }
        let text = match Number::deserialize(deserializer)? {
            Number::Whole(points) => points.to_string(),
            Number::Decimal(points) => points.to_string(),
        };
        text.parse().map(Self).map_err(serde::de::Error::custom)
    }
}

impl Rules {
    #[expect(clippy::expect_used, reason = "the file is ours, and a test reads it")]
    pub(super) fn parse() -> Self {
        toml::from_str(TEXT).expect("the rules file is valid")
    }

    pub(super) fn on(self, day: &str) -> super::Rules {
        let mut rules = super::Rules::default();
        for priced in self.r#type {
            if priced.evidence.holds(day) {
                let names = priced.names.into_iter();
                rules
                    .types
                    .extend(names.map(|name| (name, priced.points.0)));
            }
        }
        for priced in self.field {
            if priced.evidence.holds(day) {
                for name in priced.names {
                    rules.set_field(&name, priced.points.0);
                }
            }
        }
        for root in self.root {
            if root.evidence.holds(day) {
                rules.roots.insert(root.returns, root.points.0);
            }
        }
        for priced in self.mutation {
            if priced.evidence.holds(day) {
                let names = priced.names.into_iter();
                rules
                    .mutations
                    .extend(names.map(|name| (name, priced.points.0)));
            }
        }
        for per_item in self.surcharge {
            if per_item.evidence.holds(day) {
                per_item.add(&mut rules);
            }
        }
        for per_owner in self.owner {
            if per_owner.evidence.holds(day) {
                per_owner.add(&mut rules);
            }
        }
        rules
    }
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
