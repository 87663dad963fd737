use std::borrow::Cow;

use crate::{MilliPoints, Points};

/// What an operation costs, as a function of its variables.
///
/// Made at build time from the validated document and folded: what does not depend on a variable
/// is one constant. Evaluate it with [`Plan::price`] for a call, with [`Plan::bound`] for the most
/// that any call within the declared bounds can cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The price of the whole document, before rounding.
    pub root: Node,
    /// The variables whose declared bounds (`@max`, default, page size) limit a call.
    pub bounds: Cow<'static, [Bound]>,
}

/// The declared bound of one size variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The variable, without `$`.
    pub variable: Cow<'static, str>,
    /// The largest value the build-time bound assumes: `@max`, else the default, else the macro's
    /// `page_size`, else 250.
    pub assumed: u64,
    /// The value above which a call is refused before it is sent: `@max`, where it was declared.
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
    /// A term that is only charged when the condition holds (`@include`, `@skip`).
    When {
        /// The condition.
        condition: Condition,
        /// The terms, summed.
        then: Cow<'static, [Node]>,
    },
    /// A price per item of an input list, at every place the path reaches.
    PerItem {
        /// The argument that holds the input.
        argument: Argument,
        /// The fields to follow from there; lists on the way are entered item by item.
        path: Cow<'static, [Cow<'static, str>]>,
        /// What one item costs.
        each: MilliPoints,
        /// The most items the bound assumes in each list.
        at_most: u64,
    },
    /// A price per distinct owner of an input list (`metafieldsSet`).
    PerOwner {
        /// The argument that holds the list.
        argument: Argument,
        /// The field of an item that names its owner by global id.
        field: Cow<'static, str>,
        /// Price by the resource of the owner (`Order` in `gid://shopify/Order/1`).
        weights: Cow<'static, [(Cow<'static, str>, MilliPoints)]>,
        /// The most items the bound assumes.
        at_most: u64,
    },
}

/// The size of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Size {
    /// A number in the document.
    Fixed(i64),
    /// A variable.
    Variable {
        /// Its name, without `$`.
        name: Cow<'static, str>,
        /// Its default in the document.
        default: Option<i64>,
    },
}

/// When a conditional term is charged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A boolean variable has a value.
    Is {
        /// Its name, without `$`.
        variable: Cow<'static, str>,
        /// Its default in the document.
        default: Option<bool>,
        /// The value it must have.
        value: bool,
    },
    /// All of them hold.
    All(Cow<'static, [Condition]>),
    /// One of them holds.
    Any(Cow<'static, [Condition]>),
}

/// The value of an argument: literals of the document with variables in places.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A variable, without `$`.
    Variable(Cow<'static, str>),
    /// A null.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A string or an enum value.
    Text(Cow<'static, str>),
    /// A list.
    List(Cow<'static, [Argument]>),
    /// An input object.
    Object(Cow<'static, [(Cow<'static, str>, Argument)]>),
    /// A value without meaning for a price.
    Other,
}

impl Plan {
    /// A plan that costs the same whatever the variables.
    #[must_use]
    pub const fn constant(points: Points) -> Self {
        Self {
            root: Node::Const(MilliPoints::from_points(points.0)),
            bounds: Cow::Borrowed(&[]),
        }
    }
}
