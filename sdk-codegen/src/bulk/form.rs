//! How a document selects the nodes of a connection, and what children need of them.

use super::connection::{Form, is_connection};
use super::walk::Walk;
use crate::document::{Field, SelectionSet};

impl<'a> Walk<'a> {
    /// How the nodes are selected, and the fields that do it.
    pub(super) fn form(
        &mut self,
        field: &Field,
        inner: &[&'a Field],
    ) -> Option<(Form, Vec<&'a Field>)> {
        let mut lists: Vec<&'a Field> = Vec::new();
        for selected in inner {
            match selected.name.as_str() {
                "edges" | "nodes" => match lists.first() {
                    Some(first) if first.response_key() != selected.response_key() => {
                        self.problem(
                            format!("`{}` is selected by `{}` already", field.response_key(), first.response_key()),
                            &selected.span,
                            "in a bulk operation, select a connection by `nodes` or by `edges`, once",
                        );
                    }
                    _ => lists.push(selected),
                },
                "pageInfo" | "__typename" => {}
                other => self.problem(
                    format!("`{other}` of a connection is not in the result of a bulk operation"),
                    &selected.span,
                    "count the rows, or fetch it with an operation of its own",
                ),
            }
        }
        let Some(first) = lists.first() else {
            self.problem(
                format!("`{}` selects no nodes", field.response_key()),
                &field.span,
                "",
            );
            return None;
        };
        if first.name == "nodes" {
            let nodes = first.response_key().to_owned();
            return Some((Form::Nodes { nodes }, lists));
        }
        let node = self.edge(&lists)?;
        let edges = first.response_key().to_owned();
        Some((Form::Edges { edges, node }, lists))
    }

    /// The key of `node` in edges, which may select nothing else.
    fn edge(&mut self, lists: &[&'a Field]) -> Option<String> {
        let mut node: Option<&Field> = None;
        for field in self.below(lists) {
            match field.name.as_str() {
                "node" if node.is_none_or(|node| node.response_key() == field.response_key()) => {
                    node = Some(field);
                }
                other => self.problem(
                    format!("`{other}` of an edge is not in the result of a bulk operation"),
                    &field.span,
                    "select `node` once, and nothing else",
                ),
            }
        }
        if node.is_none()
            && let [list, ..] = lists
        {
            self.problem(
                format!("`{}` selects no nodes", list.response_key()),
                &list.span,
                "",
            );
        }
        node.map(|node| node.response_key().to_owned())
    }

    fn below(&self, lists: &[&'a Field]) -> Vec<&'a Field> {
        let mut inner = Vec::new();
        for set in lists.iter().filter_map(|list| list.selections.as_ref()) {
            self.document.fields(set, &mut inner);
        }
        inner
    }

    pub(super) fn nodes_of(&self, edges: &'a Field) -> Vec<&'a SelectionSet> {
        let inner = self.below(&[edges]);
        let nodes = inner.iter().filter(|field| field.name == "node");
        nodes.filter_map(|node| node.selections.as_ref()).collect()
    }

    /// Lines of children name their parent by its `id`: parents must have it, under that name.
    pub(super) fn parent_id(&mut self, lists: &[&'a Field]) {
        let nodes: Vec<&Field> = match lists {
            [list, ..] if list.name == "nodes" => lists.to_vec(),
            _ => self
                .below(lists)
                .into_iter()
                .filter(|field| field.name == "node")
                .collect(),
        };
        let inner = self.below(&nodes);
        let Some(nested) = inner.iter().find_map(|field| self.nested(field)) else {
            return;
        };
        let Some(parent) = nodes
            .first()
            .map(|node| node.definition.ty.base().to_owned())
        else {
            return;
        };
        let id = self.schema.field(&parent, "id");
        if id.is_none_or(|id| id.ty.base() != "ID") {
            self.problem(
                format!(
                    "`{parent}` has no `id`, so `{}` cannot be nested in it in bulk",
                    nested.response_key()
                ),
                &nested.span,
                "",
            );
        } else if let Some(other) = inner
            .iter()
            .find(|f| f.response_key() == "id" && f.name != "id")
        {
            self.problem(
                format!(
                    "`id` stands for `{}` here, but a bulk operation needs the object's own `id`",
                    other.name
                ),
                &other.span,
                "use another alias",
            );
        } else {
            self.template.text(" id");
        }
    }

    /// The connection that a field is, or that an object it gives holds.
    fn nested(&self, field: &'a Field) -> Option<&'a Field> {
        if is_connection(self.schema, field) {
            return Some(field);
        }
        self.below(&[field])
            .into_iter()
            .find_map(|field| self.nested(field))
    }
}
