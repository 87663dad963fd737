//! The server's rules for bulk documents, by the limits that code generation goes by too.

use tollgate_codegen::bulk::{
    Bulk, MAX_CONNECTIONS, MAX_DOCUMENT, MAX_NESTING, bulk, is_connection,
};
use tollgate_codegen::document::{Document, Field, OperationKind, Selection, SelectionSet};
use tollgate_codegen::schema::Schema;

use crate::prepared::Prepared;

/// What the server refuses in a bulk query, in a sentence.
pub(super) fn check_query(schema: &Schema, prepared: &Prepared, text: &str) -> Result<(), String> {
    if text.len() > MAX_DOCUMENT {
        return Err(format!(
            "The query cannot be longer than {MAX_DOCUMENT} bytes."
        ));
    }
    let document = &prepared.document;
    let [operation] = &document.operations[..] else {
        return Err("Bulk queries must contain exactly one operation.".into());
    };
    if operation.kind != OperationKind::Query {
        return Err("Invalid bulk query: only queries are allowed.".into());
    }
    let mut check = Check {
        schema,
        document,
        connections: 0,
    };
    for field in fields(document, &operation.selections) {
        if ["node", "nodes"].contains(&field.name.as_str()) {
            let name = &field.name;
            return Err(format!(
                "Bulk queries cannot contain a top-level `{name}` field."
            ));
        }
    }
    check.set(&operation.selections, &operation.selections, 0, false)?;
    match check.connections {
        0 => Err("Bulk queries must contain at least one connection.".into()),
        count if count > MAX_CONNECTIONS => Err(format!(
            "Bulk queries cannot contain more than {MAX_CONNECTIONS} connections."
        )),
        _ => Ok(()),
    }
}

/// What the server refuses in a bulk mutation, in a sentence.
pub(super) fn check_mutation(schema: &Schema, prepared: &Prepared) -> Result<(), String> {
    match &prepared.document.operations[..] {
        [operation] if operation.kind == OperationKind::Mutation => {
            match bulk(schema, &prepared.document, operation) {
                Ok(Bulk::Query(_) | Bulk::Mutation) => Ok(()),
                Err(problems) => Err(problems
                    .into_iter()
                    .map(|problem| problem.message)
                    .collect::<Vec<_>>()
                    .join("; ")),
            }
        }
        _ => Err("The document must contain exactly one mutation.".into()),
    }
}

struct Check<'a> {
    schema: &'a Schema,
    document: &'a Document,
    connections: usize,
}

impl Check<'_> {
    /// A selection set on `node`, the node of a connection, or on an object in it.
    fn set(
        &mut self,
        set: &SelectionSet,
        node: &SelectionSet,
        depth: usize,
        in_list: bool,
    ) -> Result<(), String> {
        for field in fields(self.document, set) {
            self.field(field, node, depth, in_list)?;
        }
        Ok(())
    }

    fn field(
        &mut self,
        field: &Field,
        parent: &SelectionSet,
        depth: usize,
        in_list: bool,
    ) -> Result<(), String> {
        let Some(below) = &field.selections else {
            return Ok(());
        };
        if !is_connection(self.schema, field) {
            let in_list = in_list || field.definition.ty.is_list();
            return self.set(below, parent, depth, in_list);
        }
        self.connections += 1;
        let name = &field.name;
        if in_list {
            return Err(
                "Queries that contain a connection field within a list field are not \
                        supported."
                    .into(),
            );
        }
        if depth > MAX_NESTING {
            return Err(format!(
                "Bulk queries cannot contain connections nested deeper than {MAX_NESTING} levels."
            ));
        }
        let has_id = |set: &SelectionSet| {
            let mut fields = fields(self.document, set).into_iter();
            fields.any(|field| field.name == "id" && field.response_key() == "id")
        };
        if depth > 0 && !has_id(parent) {
            return Err(format!(
                "The parent 'node' field for a nested connection must select the 'id' field \
                 without an alias and must be of 'ID' return type. Connection fields without \
                 'id': {name}."
            ));
        }
        let edges = fields(self.document, below);
        let node = edges.iter().find(|field| field.name == "edges");
        let node = node.and_then(|edges| edges.selections.as_ref());
        let node = node.map(|edges| fields(self.document, edges));
        let node = node.and_then(|fields| fields.into_iter().find(|field| field.name == "node"));
        match node.and_then(|node| node.selections.as_ref()) {
            Some(node) => self.set(node, node, depth + 1, false),
            None => Err(format!(
                "The connection `{name}` must select `edges {{ node {{ … }} }}`."
            )),
        }
    }
}

/// The fields of a selection, fragments entered.
fn fields<'a>(document: &'a Document, set: &'a SelectionSet) -> Vec<&'a Field> {
    let below = |item: &'a Selection| match item {
        Selection::Field(field) => vec![field],
        Selection::Inline(inline) => fields(document, &inline.selections),
        Selection::Spread(spread) => document
            .fragments
            .get(&spread.fragment)
            .map(|fragment| fields(document, &fragment.selections))
            .unwrap_or_default(),
    };
    set.items.iter().flat_map(below).collect()
}
