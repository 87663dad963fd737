use crate::document::{Field, Selection, SelectionSet};
use crate::schema::Schema;

/// One connection of a bulk query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BulkConnection {
    /// The connection it is nested in, as an index; `None` for the root.
    pub parent: Option<usize>,
    /// The response keys from the node it is nested in to the object that holds it.
    pub path: Vec<String>,
    /// Its response key.
    pub key: String,
    /// The alias under which every node is asked for its `__typename`.
    pub marker: String,
    /// The object types its nodes can have.
    pub types: Vec<String>,
    /// What the document selects it with.
    pub form: Form,
    /// The JSON text before the nodes, from the key on.
    pub open: String,
    /// The JSON text after the nodes.
    pub close: String,
    /// The JSON text before each node.
    pub open_node: String,
    /// The JSON text after each node.
    pub close_node: String,
}

/// How a document selects the nodes of a connection, by the response keys it uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// `nodes { … }`.
    Nodes {
        /// The key of `nodes`.
        nodes: String,
    },
    /// `edges { node { … } }`.
    Edges {
        /// The key of `edges`.
        edges: String,
        /// The key of `node`.
        node: String,
    },
}

/// Whether a field gives pages: its type has `pageInfo` and `edges` or `nodes`.
#[must_use]
pub fn is_connection(schema: &Schema, field: &Field) -> bool {
    let Some(ty) = schema.get(field.definition.ty.base()) else {
        return false;
    };
    let has = |name: &str| ty.fields().iter().any(|field| field.name == name);
    !field.definition.ty.is_list() && has("pageInfo") && (has("edges") || has("nodes"))
}

/// The members that a service writes into a connection, but not into a bulk result: they are put
/// back when rows are joined.
pub(super) fn constant_members(fields: &[&Field], parent: &str) -> Vec<String> {
    let mut members = Vec::new();
    let mut push = |key: &str, value: &str| {
        let member = format!("\"{key}\":{value}");
        if !members.contains(&member) {
            members.push(member);
        }
    };
    for field in fields {
        match field.name.as_str() {
            "__typename" => push(field.response_key(), &format!("\"{parent}\"")),
            "pageInfo" => push(field.response_key(), &page_info(field.selections.as_ref())),
            _ => {}
        }
    }
    members
}

/// Nothing is left of a connection whose nodes are all there.
fn page_info(selections: Option<&SelectionSet>) -> String {
    let items = selections.map(|set| &set.items[..]).unwrap_or_default();
    let members = items.iter().filter_map(|item| match item {
        Selection::Field(field) => {
            let value = match field.name.as_str() {
                "__typename" => "\"PageInfo\"",
                "hasNextPage" | "hasPreviousPage" => "false",
                _ => "null",
            };
            Some(format!("\"{}\":{value}", field.response_key()))
        }
        Selection::Spread(_) | Selection::Inline(_) => None,
    });
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}
