use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::{
    Condition, Fields, MilliPoints, Node, Owner, Plan, Points, Size, View, page::page_weight,
};

/// The most that the server lets one query cost, in points; it refuses a dearer one unanswered.
pub const MAX_QUERY: Points = Points(1000);

/// The longest input list that the server takes in general.
pub const MAX_LIST: u64 = 250;

/// What a connection costs before its children, and without a page size.
const CONNECTION: MilliPoints = MilliPoints::from_points(2);

/// The least that a document costs.
const MINIMUM: u64 = 1;

/// Why variables have no price.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CostError {
    /// A page size below zero.
    #[error("variable `${variable}` is {value}: a page size is 0 or more")]
    NegativeSize {
        /// The variable, without `$`.
        variable: String,
        /// Its value.
        value: i64,
    },
    /// A page size that is no GraphQL `Int`.
    #[error(
        "variable `${variable}` is {value}: a page size is an `Int`, at most {}",
        i32::MAX
    )]
    HugeSize {
        /// The variable, without `$`.
        variable: String,
        /// Its value.
        value: i64,
    },
    /// A value, or the length of a list, above the bound declared with `@max`.
    #[error("variable `${variable}` {} {value}, above the declared `@max(value: {max})`", verb(*.list))]
    AboveMax {
        /// The variable, without `$`.
        variable: String,
        /// Its value, or its length.
        value: u64,
        /// The declared bound.
        max: u64,
        /// Whether it is the length of a list.
        list: bool,
    },
}

fn verb(list: bool) -> &'static str {
    if list { "has a length of" } else { "is" }
}

impl Plan {
    /// The exact price of a call with these variables, at least 1 point. Takes well under a
    /// microsecond unless input lists are counted, and allocates only to tell owners apart.
    ///
    /// # Errors
    /// [`CostError`] when a page size is negative or no `Int`, or a variable is above its
    /// declared `@max`.
    pub fn price(&self, variables: &dyn Fields) -> Result<Points, CostError> {
        Ok(whole(self.exact_price(variables)?))
    }

    /// [`Plan::price`] before it is rounded: what a part of a document adds to the whole.
    ///
    /// # Errors
    /// As [`Plan::price`].
    pub fn exact_price(&self, variables: &dyn Fields) -> Result<MilliPoints, CostError> {
        let call = Call {
            plan: self,
            variables,
        };
        call.check_bounds()?;
        call.node(&self.root)
    }

    /// The most that any call within the declared bounds costs. An input list without a declared
    /// length is taken as long as the server lets it be; see [`Plan::declared_bound`].
    #[must_use]
    pub fn bound(&self) -> Points {
        whole(self.exact_bound())
    }

    /// [`Plan::bound`] before it is rounded.
    #[must_use]
    pub fn exact_bound(&self) -> MilliPoints {
        Bounds {
            plan: self,
            all: true,
        }
        .node(&self.root)
    }

    /// The most that the document declares: page sizes at their bounds, but input lists without
    /// a declared length left out. This is what a build is held to: a nested list that the server
    /// would take 250 × 250 items of is no reason to refuse a mutation that sends five.
    #[must_use]
    pub fn declared_bound(&self) -> Points {
        whole(self.exact_declared_bound())
    }

    /// [`Plan::declared_bound`] before it is rounded.
    #[must_use]
    pub fn exact_declared_bound(&self) -> MilliPoints {
        Bounds {
            plan: self,
            all: false,
        }
        .node(&self.root)
    }
}

fn whole(exact: MilliPoints) -> Points {
    Points(exact.round().0.max(MINIMUM))
}

fn connection(size: u64, children: MilliPoints) -> MilliPoints {
    CONNECTION.plus(children.times(page_weight(size)))
}

/// Evaluation with every parameter at its bound.
struct Bounds<'a> {
    plan: &'a Plan,
    /// Whether input lists without a declared length count.
    all: bool,
}

impl Bounds<'_> {
    fn node(&self, node: &Node) -> MilliPoints {
        match node {
            Node::Const(price) => *price,
            Node::Sum(terms) | Node::When { then: terms, .. } => self.sum(terms),
            Node::Max(terms) => {
                let prices = terms.iter().map(|term| self.node(term));
                prices.max().unwrap_or_default()
            }
            Node::Connection { sizes, children } => {
                let size = sizes.iter().map(|size| self.size(*size)).max();
                connection(size.unwrap_or(0), self.sum(children))
            }
            Node::PerItem {
                each,
                at_most,
                declared,
                ..
            } if *declared || self.all => each.times(*at_most),
            Node::PerItem { .. } => MilliPoints::ZERO,
            Node::PerOwner {
                weights, at_most, ..
            } => {
                let dearest = weights.iter().map(|(_, price)| *price).max();
                dearest.unwrap_or_default().times(*at_most)
            }
        }
    }

    fn sum(&self, terms: &[Node]) -> MilliPoints {
        let prices = terms.iter().map(|term| self.node(term));
        prices.fold(MilliPoints::ZERO, MilliPoints::plus)
    }

    fn size(&self, size: Size) -> u64 {
        match size {
            Size::Fixed(size) => size,
            Size::Parameter(index) => {
                let parameter = self.plan.parameters.get(index);
                parameter.map_or(crate::MAX_PAGE, |parameter| parameter.assumed)
            }
        }
    }
}

/// Evaluation with the variables of a call.
struct Call<'a> {
    plan: &'a Plan,
    variables: &'a dyn Fields,
}

impl<'a> Call<'a> {
    fn check_bounds(&self) -> Result<(), CostError> {
        for (index, parameter) in self.plan.parameters.iter().enumerate() {
            let Some(max) = parameter.max else { continue };
            let (value, list) = match self.parameter(index) {
                View::Int(value) => (u64::try_from(value).unwrap_or(0), false),
                View::List(items) => (u64::try_from(items.len()).unwrap_or(u64::MAX), true),
                _ => continue,
            };
            if value > max {
                let variable = parameter.name.to_string();
                return Err(CostError::AboveMax {
                    variable,
                    value,
                    max,
                    list,
                });
            }
        }
        Ok(())
    }

    /// The value of a parameter, its default applied.
    fn parameter(&self, index: usize) -> View<'a> {
        let Some(parameter) = self.plan.parameters.get(index) else {
            return View::Absent;
        };
        match (self.variables.field(&parameter.name), &parameter.default) {
            (View::Absent, Some(default)) => View::from(default),
            (given, _) => given,
        }
    }

    fn node(&self, node: &Node) -> Result<MilliPoints, CostError> {
        Ok(match node {
            Node::Const(price) => *price,
            Node::Sum(terms) => self.sum(terms)?,
            Node::Max(terms) => {
                let mut dearest = MilliPoints::ZERO;
                for term in terms.iter() {
                    dearest = dearest.max(self.node(term)?);
                }
                dearest
            }
            Node::Connection { sizes, children } => {
                connection(self.size(sizes)?, self.sum(children)?)
            }
            Node::When { condition, then } if self.holds(condition) => self.sum(then)?,
            Node::When { .. } => MilliPoints::ZERO,
            Node::PerItem {
                parameter,
                path,
                each,
                ..
            } => each.times(count(self.parameter(*parameter), path)),
            Node::PerOwner {
                owners, weights, ..
            } => self.owners(owners, weights),
        })
    }

    fn sum(&self, terms: &[Node]) -> Result<MilliPoints, CostError> {
        let mut sum = MilliPoints::ZERO;
        for term in terms {
            sum = sum.plus(self.node(term)?);
        }
        Ok(sum)
    }

    fn size(&self, sizes: &[Size]) -> Result<u64, CostError> {
        for size in sizes {
            let index = match size {
                Size::Fixed(size) => return Ok(*size),
                Size::Parameter(index) => *index,
            };
            if let View::Int(value) = self.parameter(index) {
                return self.checked_size(index, value);
            }
        }
        Ok(0)
    }

    fn checked_size(&self, index: usize, value: i64) -> Result<u64, CostError> {
        let variable = || {
            let parameter = self.plan.parameters.get(index);
            parameter.map_or_else(String::new, |parameter| parameter.name.to_string())
        };
        match u64::try_from(value) {
            Err(_) => Err(CostError::NegativeSize {
                variable: variable(),
                value,
            }),
            Ok(_) if i32::try_from(value).is_err() => Err(CostError::HugeSize {
                variable: variable(),
                value,
            }),
            Ok(size) => Ok(size),
        }
    }

    fn holds(&self, condition: &Condition) -> bool {
        match condition {
            Condition::Is { parameter, value } => {
                matches!(self.parameter(*parameter), View::Bool(given) if given == *value)
            }
            Condition::All(all) => all.iter().all(|condition| self.holds(condition)),
            Condition::Any(any) => any.iter().any(|condition| self.holds(condition)),
        }
    }

    fn owners(
        &self,
        owners: &[Owner],
        weights: &[(Cow<'static, str>, MilliPoints)],
    ) -> MilliPoints {
        let mut distinct = BTreeSet::new();
        for owner in owners {
            match owner {
                Owner::Id(id) => {
                    distinct.insert(&**id);
                }
                Owner::Parameter { parameter, path } => {
                    texts(self.parameter(*parameter), path, &mut distinct);
                }
            }
        }
        let weight = |id: &str| {
            let listed = weights.iter().find(|(name, _)| resource(id) == Some(name));
            listed.map_or(MilliPoints::ZERO, |(_, weight)| *weight)
        };
        distinct
            .into_iter()
            .map(weight)
            .fold(MilliPoints::ZERO, MilliPoints::plus)
    }
}

/// `Order` in `gid://shopify/Order/1`.
fn resource(id: &str) -> Option<&str> {
    id.strip_prefix("gid://")?.split('/').nth(1)
}

/// How many values the path reaches: the items of a list, or one for a value that is not null.
fn count(value: View<'_>, path: &[Cow<'static, str>]) -> u64 {
    match (value, path) {
        (View::Absent | View::Null, _) => 0,
        (View::List(items), []) => u64::try_from(items.len()).unwrap_or(u64::MAX),
        (View::List(items), path) => (0..items.len())
            .map(|index| count(items.item(index), path))
            .fold(0, u64::saturating_add),
        (View::Object(fields), [field, rest @ ..]) => count(fields.field(field), rest),
        (_, []) => 1,
        (_, _) => 0,
    }
}

/// The texts that the path reaches.
fn texts<'a>(value: View<'a>, path: &[Cow<'static, str>], found: &mut BTreeSet<&'a str>) {
    match (value, path) {
        (View::Text(text), []) => {
            found.insert(text);
        }
        (View::List(items), path) => {
            for index in 0..items.len() {
                texts(items.item(index), path, found);
            }
        }
        (View::Object(fields), [field, rest @ ..]) => texts(fields.field(field), rest, found),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
