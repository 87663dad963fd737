//! The nodes of a bulk query, one after the other, over all root connections.

use std::rc::Rc;

use serde_json::{Map, Value};
use tollgate_codegen::document::{Document, Operation};

use super::connection::Page;
use super::level::{Chosen, Level};
use super::{Context, Execution, Resolved};
use crate::answer::Answer;

/// An iterator over the nodes of the root connections, with all connections below whole.
pub(crate) struct BulkNodes<'a> {
    execution: Execution<'a>,
    root: Option<Rc<Level<'a>>>,
    field: usize,
    node: u64,
    /// The nodes of the field under way.
    open: Option<(Rc<Page>, Rc<Level<'a>>)>,
}

/// Bulk documents have no variables.
static NONE: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);

impl<'a> BulkNodes<'a> {
    /// Goes on at a node of a root field, both counted from 0.
    pub(crate) fn new(
        context: Context<'a>,
        document: &'a Document,
        field: usize,
        node: u64,
    ) -> Self {
        let mut execution = Execution::new(context, document, &NONE, None);
        execution.unpaged = true;
        let first = document.operations.first();
        let root =
            first.and_then(|operation: &Operation| execution.collector.root(&operation.selections));
        Self {
            execution,
            root,
            field,
            node,
            open: None,
        }
    }

    /// The root field and the node that come next.
    pub(crate) fn position(&self) -> (usize, u64) {
        (self.field, self.node)
    }

    /// The page of a root field, and what is selected on its edges.
    fn open(&mut self, chosen: &Chosen<'a>) -> Option<(Rc<Page>, Rc<Level<'a>>)> {
        let page = match self.execution.root_field(chosen) {
            Resolved::Page(page) => page,
            _ => return None,
        };
        let connection = self.execution.collector.below(chosen, page.ty());
        let edges = connection.chosen.iter().find(|c| c.field.name == "edges")?;
        let schema = &self.execution.world().schema;
        let edge = schema.get(edges.field.definition.ty.base())?;
        Some((page, self.execution.collector.below(edges, edge)))
    }
}

impl<'a> Iterator for BulkNodes<'a> {
    type Item = Answer<'a>;

    fn next(&mut self) -> Option<Answer<'a>> {
        let root = Rc::clone(self.root.as_ref()?);
        loop {
            let chosen = root.chosen.get(self.field)?;
            if self.open.is_none() {
                self.open = self.open(chosen);
            }
            if let Some((page, edge)) = &self.open
                && self.node < page.len()
                && let Some(node) = edge.chosen.iter().find(|c| c.field.name == "node")
            {
                let value = page.node(self.node);
                self.node += 1;
                let ty = &node.field.definition.ty;
                let answer = self.execution.complete(ty, node, value);
                return Some(answer.unwrap_or(Answer::Null));
            }
            (self.field, self.node, self.open) = (self.field + 1, 0, None);
        }
    }
}
