use std::borrow::Cow;

use crate::{Literal, MilliPoints, Points};

/// What an operation costs, as a function of its variables.
///
/// Made at build time from the validated document and folded: what does not depend on a variable
/// is one constant. Evaluate it with [`Plan::price`] for a call, with [`Plan::bound`] for the most
/// that any call within the declared bounds can cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The price of the whole document, before rounding.
    pub root: Node,
    /// The variables that the price depends on, or that carry a declared bound. Nodes name them
    /// by their place here.
    pub parameters: Cow<'static, [Parameter]>,
}

/// A variable of the operation, as far as its price is concerned.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The variable, without `$`.
    pub name: Cow<'static, str>,
    /// Its default in the document, which stands in when a call leaves the variable out.
    pub default: Option<Literal>,
    /// The page size the bound assumes: `@max`, else the default, else the macro's `page_size`,
    /// else 250.
    pub assumed: u64,
    /// The value, or for a list the length, above which a call is refused before it is sent:
    /// `@max`, where it was declared.
    pub max: Option<u64>,
}

/// One term of a price.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A constant.
    Const(MilliPoints),
    /// The sum of the terms.
    Sum(Cow<'static, [Node]>),
    /// The dearest of the terms: the possible types of an interface or union.
    Max(Cow<'static, [Node]>),
    /// A connection: `2 + page_weight(size) × children`, and exactly 2 without a size.
    Connection {
        /// `first`, else `last`: the first that is given counts.
        sizes: Cow<'static, [Size]>,
        /// What one node costs; the terms are summed.
        children: Cow<'static, [Node]>,
    },
    /// Terms that are only charged when the condition holds (`@include`, `@skip`).
    When {
        /// The condition.
        condition: Condition,
        /// The terms, summed.
        then: Cow<'static, [Node]>,
    },
    /// A price per item of an input list, at every place the path reaches.
    PerItem {
        /// The parameter that holds the input.
        parameter: usize,
        /// The fields to follow from there; lists on the way are entered item by item.
        path: Cow<'static, [Cow<'static, str>]>,
        /// What one item costs.
        each: MilliPoints,
        /// The most items in all that a call can carry within the bounds.
        at_most: u64,
        /// Whether `at_most` was declared in the document, not only the server's limit.
        declared: bool,
    },
    /// A price per distinct owner of an input list (`metafieldsSet`).
    PerOwner {
        /// Where the owners are named.
        owners: Cow<'static, [Owner]>,
        /// Price by the resource of the owner (`Order` in `gid://shopify/Order/1`); resources
        /// that are not listed are free.
        weights: Cow<'static, [(Cow<'static, str>, MilliPoints)]>,
        /// The most owners that a call can carry within the bounds.
        at_most: u64,
    },
}

/// The size of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// A number in the document.
    Fixed(u64),
    /// A parameter of the plan.
    Parameter(usize),
}

/// When a conditional term is charged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A boolean parameter has a value.
    Is {
        /// The parameter of the plan.
        parameter: usize,
        /// The value it must have.
        value: bool,
    },
    /// All of them hold.
    All(Cow<'static, [Condition]>),
    /// One of them holds.
    Any(Cow<'static, [Condition]>),
}

/// Where global ids of owners stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// In the document.
    Id(Cow<'static, str>),
    /// In the variables.
    Parameter {
        /// The parameter that holds them.
        parameter: usize,
        /// The fields to follow from there; lists on the way are entered item by item.
        path: Cow<'static, [Cow<'static, str>]>,
    },
}

impl Plan {
    /// A plan that costs the same whatever the variables.
    #[must_use]
    pub const fn constant(points: Points) -> Self {
        Self {
            root: Node::Const(MilliPoints::from_points(points.0)),
            parameters: Cow::Borrowed(&[]),
        }
    }
}
