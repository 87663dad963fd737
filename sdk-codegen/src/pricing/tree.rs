use tollgate_cost::{Condition, MilliPoints, Node, Parameter, Plan, Size};

use super::fold;
use crate::source::Span;

/// The price of one operation: as a plan to evaluate, and as a tree to explain.
#[derive(Clone, Debug)]
pub struct Priced {
    /// The price as a function of the variables.
    pub plan: Plan,
    /// The root fields.
    pub entries: Vec<Entry>,
    /// The input fields, as type and field, that the plan reads in the variables of a call.
    pub reads: Vec<(String, String)>,
}

/// One priced place of a document: a field, or what its input adds.
#[derive(Clone, Debug)]
pub struct Entry {
    /// How it is written, with the arguments its price depends on: `orders(first: $n)`.
    pub label: String,
    /// Its place in the answer: the response keys from the root.
    pub path: Vec<String>,
    /// Its place in the document.
    pub span: Span,
    /// When it is charged, if not always.
    pub condition: Option<Condition>,
    /// What it costs.
    pub charge: Charge,
}

/// How a price comes about.
#[derive(Clone, Debug)]
pub enum Charge {
    /// `own` and the sum of what is selected below.
    Object {
        /// The price of the field itself.
        own: MilliPoints,
        /// What is selected below it.
        fields: Vec<Entry>,
    },
    /// `own` and the dearest of the possible types.
    Abstract {
        /// The price of the field itself.
        own: MilliPoints,
        /// What is selected below it, for each group of types that answer alike.
        types: Vec<Possible>,
    },
    /// `2 + page_weight(size) × the sum of what is selected below`.
    Connection {
        /// The size: the first that is given counts.
        sizes: Vec<Size>,
        /// What is selected below it.
        fields: Vec<Entry>,
    },
    /// A price that grows with the input.
    Input {
        /// What is counted: `variant`.
        unit: String,
        /// What one of it costs.
        each: MilliPoints,
        /// The terms of the plan.
        terms: Vec<Node>,
    },
}

/// What is selected for some of the possible types of an interface or union.
#[derive(Clone, Debug)]
pub struct Possible {
    /// The types.
    pub types: Vec<String>,
    /// What is selected on them.
    pub fields: Vec<Entry>,
}

/// What a field costs itself, without what is below it. Connections have no such price.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnPrice {
    /// Its place in the answer: the response keys from the root.
    pub path: Vec<String>,
    /// The type it is selected on.
    pub on: String,
    /// Its name.
    pub name: String,
    /// Its price, in points.
    pub points: MilliPoints,
}

impl Priced {
    pub(super) fn new(
        entries: Vec<Entry>,
        parameters: Vec<Parameter>,
        reads: Vec<(String, String)>,
    ) -> Self {
        let plan = Plan {
            root: fold::sum(terms(&entries)),
            parameters: parameters.into(),
        };
        Self {
            plan,
            entries,
            reads,
        }
    }
}

impl Entry {
    /// The price as a term of the plan, folded.
    #[must_use]
    pub fn node(&self) -> Node {
        let terms = match &self.charge {
            Charge::Object { own, fields } => with_own(*own, terms(fields)),
            Charge::Abstract { own, types } => {
                let possible = types
                    .iter()
                    .map(|possible| fold::sum(terms(&possible.fields)));
                with_own(*own, vec![fold::max(possible.collect())])
            }
            Charge::Connection { sizes, fields } => {
                vec![fold::connection(sizes.clone(), terms(fields))]
            }
            Charge::Input { terms, .. } => terms.clone(),
        };
        match &self.condition {
            None => fold::sum(terms),
            Some(condition) => fold::when(condition.clone(), terms),
        }
    }

    /// What is selected below, of the dearest type by `price` where it depends on the type.
    pub fn below<P: Ord>(&self, price: impl Fn(&[Self]) -> P) -> &[Self] {
        match &self.charge {
            Charge::Object { fields, .. } | Charge::Connection { fields, .. } => fields,
            Charge::Abstract { types, .. } => {
                let dearest = types.iter().max_by_key(|possible| price(&possible.fields));
                dearest.map_or(&[], |possible| &possible.fields)
            }
            Charge::Input { .. } => &[],
        }
    }
}

pub(super) fn terms(entries: &[Entry]) -> Vec<Node> {
    entries.iter().map(Entry::node).collect()
}

fn with_own(own: MilliPoints, mut terms: Vec<Node>) -> Vec<Node> {
    terms.insert(0, Node::Const(own));
    terms
}
