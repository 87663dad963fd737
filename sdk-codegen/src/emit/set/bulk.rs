//! What makes an operation one that runs in bulk.

use crate::bulk::{BulkQuery, Form, Piece, Value};
use crate::document::Operation;
use crate::emit::module::{Module, TypeName};
use crate::emit::{Emitter, Layout};

impl Emitter<'_> {
    pub(super) fn bulk_query(
        &self,
        outer: &mut Module,
        inside: &mut Module,
        operation: &Operation,
        data: &TypeName,
        query: &BulkQuery,
    ) {
        let Some(row) = self.row(data, query) else {
            return;
        };
        let (marker, called) = &self.markers[&operation.name];
        let row = self.outside(&row, called);
        outer.line(0, &format!("impl t::BulkQuery for {marker} {{"));
        outer.line(1, &format!("type Row = {row};"));
        outer.line(1, "fn template() -> &'static t::bulk::Template {");
        outer.line(2, &format!(
            "static TEMPLATE: t::bulk::Template = t::bulk::Template {{ pieces: {}, variables: {}, inputs: {} }};",
            list(query.template.pieces.iter().map(piece)),
            list(query.template.variables.iter().map(|variable| format!(
                "t::bulk::Variable {{ name: {}, default: {}, form: {} }}",
                text(&variable.name),
                variable.default.as_deref().map_or("None".to_owned(), |default| format!("Some({})", text(default))),
                form(&variable.value),
            ))),
            list(query.template.inputs.iter().map(|(name, fields)| format!(
                "({}, {})",
                text(name),
                list(fields.iter().map(|(field, value)| format!("({}, {})", text(field), form(value)))),
            ))),
        ));
        outer.line(2, "&TEMPLATE");
        outer.line(1, "}");
        outer.line(1, "fn shape() -> &'static t::bulk::Shape {");
        outer.line(2, &format!(
            "static SHAPE: t::bulk::Shape = t::bulk::Shape {{ connections: {} }};",
            list(query.connections.iter().map(|connection| format!(
                "t::bulk::Connection {{ parent: {:?}, path: {}, marker: {}, types: {}, open: {}, close: {}, open_node: {}, close_node: {} }}",
                connection.parent,
                list(connection.path.iter().map(|key| text(key))),
                text(&connection.marker),
                list(connection.types.iter().map(|ty| text(ty))),
                text(&connection.open),
                text(&connection.close),
                text(&connection.open_node),
                text(&connection.close_node),
            ))),
        ));
        outer.line(2, "&SHAPE");
        outer.line(1, "}");
        outer.line(1, "#[inline]");
        outer.line(
            1,
            "fn decode_row(json: &str) -> Result<Self::Row, t::DecodeError> { t::from_str(json) }",
        );
        outer.line(0, "}");
        if !matches!(self.settings.layout, Layout::OneStruct { .. }) {
            inside.doc(
                0,
                Some("Runs it as a bulk operation. Await it for its rows."),
            );
            inside.line(0, "#[inline]");
            inside.line(0, &format!(
                "pub fn run(client: &t::Client, variables: Variables) -> t::bulk::Bulk<super::{marker}> {{ client.bulk(variables) }}"
            ));
        }
    }

    pub(super) fn bulk_mutation(
        &self,
        outer: &mut Module,
        inside: &mut Module,
        operation: &Operation,
    ) {
        let (marker, _) = &self.markers[&operation.name];
        outer.line(0, &format!("impl t::BulkMutation for {marker} {{}}"));
        if !matches!(self.settings.layout, Layout::OneStruct { .. }) {
            inside.doc(
                0,
                Some("Runs it as a bulk operation, once for each of the variables pushed."),
            );
            inside.line(0, "#[inline]");
            inside.line(0, &format!(
                "pub fn bulk(client: &t::Client) -> t::bulk::BulkInput<super::{marker}> {{ client.bulk_mutation() }}"
            ));
        }
    }

    /// The type of a row: that of a node of the root connection.
    fn row(&self, data: &TypeName, query: &BulkQuery) -> Option<TypeName> {
        let root = query.connections.first()?;
        let mut keys = root.path.clone();
        keys.push(root.key.clone());
        match &root.form {
            Form::Nodes { nodes } => keys.push(nodes.clone()),
            Form::Edges { edges, node } => keys.extend([edges.clone(), node.clone()]),
        }
        Some(self.follow(data, &keys)?.0)
    }
}

fn text(text: &str) -> String {
    format!("t::Cow::Borrowed({text:?})")
}

fn list(items: impl Iterator<Item = String>) -> String {
    let items: Vec<_> = items.collect();
    format!("t::Cow::Borrowed(&[{}])", items.join(", "))
}

fn piece(piece: &Piece) -> String {
    match piece {
        Piece::Text(it) => format!("t::bulk::Piece::Text({})", text(it)),
        Piece::Value(variable) => format!("t::bulk::Piece::Value({})", text(variable)),
        Piece::Member { name, variable } => format!(
            "t::bulk::Piece::Member {{ name: {}, variable: {} }}",
            text(name),
            text(variable)
        ),
        Piece::Arguments(inner) => {
            format!(
                "t::bulk::Piece::Arguments({})",
                list(inner.iter().map(self::piece))
            )
        }
    }
}

fn form(value: &Value) -> String {
    match value {
        Value::Plain => "t::bulk::Form::Plain".to_owned(),
        Value::Enum => "t::bulk::Form::Enum".to_owned(),
        Value::Input(name) => format!("t::bulk::Form::Input({})", text(name)),
    }
}
