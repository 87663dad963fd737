//! Terms of a plan, with everything that is known at build time added up.

use tollgate_cost::{Condition, MilliPoints, Node, Plan, Size};

/// The sum: nested sums flattened, constants added, nothing left out that can cost something.
pub(super) fn sum(terms: Vec<Node>) -> Node {
    let terms = flat(terms);
    match <[Node; 1]>::try_from(terms) {
        Ok([term]) => term,
        Err(terms) if terms.is_empty() => Node::Const(MilliPoints::ZERO),
        Err(terms) => Node::Sum(terms.into()),
    }
}

/// The terms of a sum: at most one constant, and it comes first.
fn flat(terms: Vec<Node>) -> Vec<Node> {
    let mut constant = MilliPoints::ZERO;
    let mut others = Vec::new();
    for term in terms {
        match term {
            Node::Const(price) => constant = constant.plus(price),
            Node::Sum(inner) => {
                for term in inner.into_owned() {
                    match term {
                        Node::Const(price) => constant = constant.plus(price),
                        term => others.push(term),
                    }
                }
            }
            term => others.push(term),
        }
    }
    if constant > MilliPoints::ZERO {
        others.insert(0, Node::Const(constant));
    }
    others
}

/// The dearest: at most one constant, equal terms once.
pub(super) fn max(terms: Vec<Node>) -> Node {
    let mut constant = MilliPoints::ZERO;
    let mut others: Vec<Node> = Vec::new();
    for term in terms {
        match term {
            Node::Const(price) => constant = constant.max(price),
            term if others.contains(&term) => {}
            term => others.push(term),
        }
    }
    if others.is_empty() {
        return Node::Const(constant);
    }
    if constant > MilliPoints::ZERO {
        others.insert(0, Node::Const(constant));
    }
    match <[Node; 1]>::try_from(others) {
        Ok([term]) => term,
        Err(terms) => Node::Max(terms.into()),
    }
}

/// A connection, a constant when size and children are.
pub(super) fn connection(sizes: Vec<Size>, children: Vec<Node>) -> Node {
    let children = flat(children);
    let fixed = matches!(sizes.first(), None | Some(Size::Fixed(_)));
    let constant = matches!(children[..], [] | [Node::Const(_)]);
    let node = Node::Connection {
        sizes: sizes.into(),
        children: children.into(),
    };
    if fixed && constant {
        evaluated(node)
    } else {
        node
    }
}

/// Terms under a condition.
pub(super) fn when(condition: Condition, terms: Vec<Node>) -> Node {
    let then = flat(terms);
    if then.is_empty() {
        return Node::Const(MilliPoints::ZERO);
    }
    Node::When {
        condition,
        then: then.into(),
    }
}

/// A term without parameters as a constant: by the evaluation that prices calls.
fn evaluated(node: Node) -> Node {
    let plan = Plan {
        root: node,
        parameters: Vec::new().into(),
    };
    Node::Const(plan.exact_bound())
}
