use std::borrow::Cow;

/// How the flat lines of a bulk result nest: the connections of the document, in its order.
///
/// Emitted by the generator next to the document it describes. The first connection is the root:
/// one row per node of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The connections, the root first, each after the one it is nested in.
    pub connections: Cow<'static, [Connection]>,
}

/// One connection of a bulk document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    /// The connection it is nested in, as an index; `None` for the root.
    pub parent: Option<usize>,
    /// The objects to enter, from the node it is nested in, to the object that holds it. Empty
    /// when the node itself does.
    pub path: Cow<'static, [Cow<'static, str>]>,
    /// The alias under which the submitted document asks every node of this connection for its
    /// `__typename`: it tells the lines of two connections apart, whatever else they hold.
    pub marker: Cow<'static, str>,
    /// The object types a node can have, for lines that carry no marker.
    pub types: Cow<'static, [Cow<'static, str>]>,
    /// The text before the nodes, from the key on: `"variants":{"nodes":[`.
    pub open: Cow<'static, str>,
    /// The text after the nodes: `]}`.
    pub close: Cow<'static, str>,
    /// The text before each node: `{"node":` where the document selects edges, else nothing.
    pub open_node: Cow<'static, str>,
    /// The text after each node.
    pub close_node: Cow<'static, str>,
}

impl Shape {
    /// Whether lines can have children.
    pub(super) fn is_nested(&self) -> bool {
        self.connections.len() > 1
    }

    /// The connections nested in a connection.
    pub(super) fn children(&self, connection: usize) -> impl Iterator<Item = usize> {
        let nested = self.connections.iter().enumerate();
        nested
            .filter(move |(_, nested)| nested.parent == Some(connection))
            .map(|(index, _)| index)
    }

    /// The connection of a line without a marker: the only one at its level that has its type.
    pub(super) fn by_type(&self, ty: &str, nested: bool) -> Option<usize> {
        let mut fitting = self.connections.iter().enumerate().filter(|(_, c)| {
            c.parent.is_some() == nested && c.types.iter().any(|known| known == ty)
        });
        match (fitting.next(), fitting.next()) {
            (Some((index, _)), None) => Some(index),
            _ => None,
        }
    }
}
