use crate::{
    Argument, Condition, Fields, MilliPoints, Node, Plan, Points, Size, View, page::page_weight,
};

/// The longest input list that the server takes in general.
pub const MAX_LIST: u64 = 250;

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
    /// A value above the bound declared with `@max`.
    #[error("variable `${variable}` is {value}, above the declared `@max(value: {max})`")]
    AboveMax {
        /// The variable, without `$`.
        variable: String,
        /// Its value.
        value: i64,
        /// The declared bound.
        max: u64,
    },
}

impl Plan {
    /// The exact price of a call with these variables, at least 1 point. Takes well under a
    /// microsecond unless input lists are counted.
    ///
    /// # Errors
    /// [`CostError`] when a page size is negative, or a variable is above its declared `@max`.
    pub fn price(&self, variables: &dyn Fields) -> Result<Points, CostError> {
        for bound in self.bounds.iter() {
            let Some(max) = bound.max else { continue };
            if let View::Int(value) = variables.field(&bound.variable)
                && u64::try_from(value).is_ok_and(|value| value > max)
            {
                let variable = bound.variable.to_string();
                return Err(CostError::AboveMax {
                    variable,
                    value,
                    max,
                });
            }
        }
        let total = Exact(variables).node(&self.root)?;
        Ok(Points(total.round().0.max(1)))
    }

    /// The most that any call within the declared bounds costs.
    #[must_use]
    pub fn bound(&self) -> Points {
        Points(self.worst(&self.root).round().0.max(1))
    }

    fn worst(&self, node: &Node) -> MilliPoints {
        match node {
            Node::Const(price) => *price,
            Node::Sum(terms) | Node::When { then: terms, .. } => self.worst_sum(terms),
            Node::Max(terms) => terms
                .iter()
                .map(|term| self.worst(term))
                .max()
                .unwrap_or_default(),
            Node::Connection { sizes, children } => {
                let size = sizes.iter().map(|size| self.worst_size(size)).max();
                connection(size, self.worst_sum(children))
            }
            Node::PerItem {
                path,
                each,
                at_most,
                ..
            } => {
                let lists = u32::try_from(path.len().max(1)).unwrap_or(u32::MAX);
                each.times(at_most.saturating_pow(lists))
            }
            Node::PerOwner {
                weights, at_most, ..
            } => {
                let dearest = weights
                    .iter()
                    .map(|(_, price)| *price)
                    .max()
                    .unwrap_or_default();
                dearest.times(*at_most)
            }
        }
    }

    fn worst_sum(&self, terms: &[Node]) -> MilliPoints {
        terms
            .iter()
            .fold(MilliPoints::ZERO, |sum, term| sum.plus(self.worst(term)))
    }

    fn worst_size(&self, size: &Size) -> u64 {
        match size {
            Size::Fixed(size) => u64::try_from(*size).unwrap_or(0),
            Size::Variable { name, .. } => self
                .bounds
                .iter()
                .find(|bound| bound.variable == *name)
                .map_or(crate::MAX_PAGE, |bound| bound.assumed),
        }
    }
}

fn connection(size: Option<u64>, children: MilliPoints) -> MilliPoints {
    MilliPoints::from_points(2).plus(children.times(page_weight(size.unwrap_or(0))))
}

struct Exact<'a>(&'a dyn Fields);

impl Exact<'_> {
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
                connection(self.first_size(sizes)?, self.sum(children)?)
            }
            Node::When { condition, then } if self.holds(condition) => self.sum(then)?,
            Node::When { .. } => MilliPoints::ZERO,
            Node::PerItem {
                argument,
                path,
                each,
                ..
            } => each.times(self.count(argument, path)),
            Node::PerOwner {
                argument,
                field,
                weights,
                ..
            } => self.owners(argument, field, weights),
        })
    }

    fn sum(&self, terms: &[Node]) -> Result<MilliPoints, CostError> {
        terms.iter().try_fold(
            MilliPoints::ZERO,
            |sum, term| Ok(sum.plus(self.node(term)?)),
        )
    }

    fn first_size(&self, sizes: &[Size]) -> Result<Option<u64>, CostError> {
        for size in sizes {
            let (variable, value) = match size {
                Size::Fixed(value) => ("", Some(*value)),
                Size::Variable { name, default } => match self.0.field(name) {
                    View::Int(value) => (&**name, Some(value)),
                    View::Absent => (&**name, *default),
                    _ => (&**name, None),
                },
            };
            if let Some(value) = value {
                return u64::try_from(value)
                    .map(Some)
                    .map_err(|_| CostError::NegativeSize {
                        variable: variable.to_owned(),
                        value,
                    });
            }
        }
        Ok(None)
    }

    fn holds(&self, condition: &Condition) -> bool {
        match condition {
            Condition::Is {
                variable,
                default,
                value,
            } => match self.0.field(variable) {
                View::Bool(given) => given == *value,
                _ => default.is_some_and(|default| default == *value),
            },
            Condition::All(all) => all.iter().all(|condition| self.holds(condition)),
            Condition::Any(any) => any.iter().any(|condition| self.holds(condition)),
        }
    }

    // `PerItem` and `PerOwner` are counted by the input's owner: see `count.rs` once it lands.
    fn count(&self, _argument: &Argument, _path: &[std::borrow::Cow<'static, str>]) -> u64 {
        0
    }

    fn owners(
        &self,
        _argument: &Argument,
        _field: &str,
        _weights: &[(std::borrow::Cow<'static, str>, MilliPoints)],
    ) -> MilliPoints {
        MilliPoints::ZERO
    }
}
