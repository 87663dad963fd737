use std::collections::BTreeSet;

use super::connection::{BulkConnection, Form, constant_members, is_connection};
use super::template::Template;
use super::variable::{inputs, variables};
use super::{BulkQuery, MAX_CONNECTIONS, MAX_DOCUMENT, MAX_NESTING};
use crate::diagnostic::Diagnostic;
use crate::document::{Directive, Document, Field, Marks, Operation, Selection, SelectionSet};
use crate::schema::Schema;
use crate::source::Span;

/// Writes the document to submit and collects what the service would refuse.
pub(super) struct Walk<'a> {
    pub(super) schema: &'a Schema,
    pub(super) document: &'a Document,
    pub(super) template: Template,
    connections: Vec<BulkConnection>,
    /// The alias of markers, before their number.
    marker: String,
    /// The aliases that say whether a fragment is there.
    marks: Marks,
    problems: Vec<Diagnostic>,
}

/// Where a selection stands.
#[derive(Clone, Default)]
struct At {
    /// The connection whose nodes it is on; `None` above the root connection.
    connection: Option<usize>,
    /// The response keys from there.
    path: Vec<String>,
    /// Whether a list was entered on the way.
    in_list: bool,
    /// Whether a condition was passed on the way, inside the fragment.
    conditional: bool,
}

impl At {
    /// Below these directives.
    fn under(&self, directives: &[Directive]) -> Self {
        let condition = |it: &Directive| matches!(it.name.as_str(), "include" | "skip");
        Self {
            conditional: self.conditional || directives.iter().any(condition),
            ..self.clone()
        }
    }
}

pub(super) fn query(
    schema: &Schema,
    document: &Document,
    operation: &Operation,
) -> Result<BulkQuery, Vec<Diagnostic>> {
    let mut walk = Walk {
        schema,
        document,
        template: Template::default(),
        connections: Vec::new(),
        marks: Marks::of(document),
        marker: document.unused_alias("_", 'c'),
        problems: Vec::new(),
    };
    walk.roots(operation);
    walk.template.text("query ");
    walk.template.text(&operation.name);
    walk.set(&operation.selections, &At::default());
    walk.template.variables = variables(schema, operation);
    walk.template.inputs = inputs(schema, &walk.template.variables);
    walk.limits(&operation.span);
    if walk.problems.is_empty() {
        return Ok(BulkQuery {
            template: walk.template,
            connections: walk.connections,
        });
    }
    Err(walk.problems)
}

impl<'a> Walk<'a> {
    pub(super) fn problem(&mut self, message: String, span: &Span, help: &str) {
        let problem = Diagnostic::error(message, span.clone());
        self.problems.push(if help.is_empty() {
            problem
        } else {
            problem.with_help(help)
        });
    }

    /// One connection, and nothing else, on the query root.
    fn roots(&mut self, operation: &Operation) {
        let mut roots = Vec::new();
        self.document.fields(&operation.selections, &mut roots);
        let mut keys = BTreeSet::new();
        for root in roots {
            let key = root.response_key();
            if !is_connection(self.schema, root) {
                let message = match root.name.as_str() {
                    "node" | "nodes" => format!(
                        "a bulk operation cannot select `{}` on the query root",
                        root.name
                    ),
                    _ => format!(
                        "`{key}` is not a connection: a bulk operation gives the nodes of one"
                    ),
                };
                self.problem(
                    message,
                    &root.span,
                    "a bulk operation selects one connection on the query root, as `products`",
                );
            } else if keys.insert(key.to_owned()) && keys.len() > 1 {
                self.problem(
                    format!("`{key}` is a second root connection in a bulk operation"),
                    &root.span,
                    "rows have one type: write one operation for each",
                );
            }
        }
    }

    fn limits(&mut self, span: &Span) {
        let (count, length) = (self.connections.len(), self.template.length());
        if count > MAX_CONNECTIONS {
            self.problem(
                format!(
                    "{count} connections in a bulk operation, which may have {MAX_CONNECTIONS}"
                ),
                span,
                "",
            );
        }
        if length > MAX_DOCUMENT {
            self.problem(
                format!(
                    "the bulk document is {length} bytes long, the service takes {MAX_DOCUMENT}"
                ),
                span,
                "fragments are written out where they are spread",
            );
        }
    }

    /// A selection set on an object, in braces.
    fn set(&mut self, set: &'a SelectionSet, at: &At) {
        self.template.text("{");
        self.items(set, at);
        self.template.text("}");
    }

    fn items(&mut self, set: &'a SelectionSet, at: &At) {
        if self
            .schema
            .get(&set.parent)
            .is_some_and(|ty| ty.is_abstract())
        {
            self.template.text("__typename ");
        }
        for (index, item) in set.items.iter().enumerate() {
            if index > 0 {
                self.template.text(" ");
            }
            match item {
                Selection::Field(field) if is_connection(self.schema, field) => {
                    self.connection(field, at);
                }
                Selection::Field(field) => self.field(field, at),
                Selection::Inline(inline) => {
                    self.template.text("...on ");
                    self.template.text(&inline.selections.parent);
                    self.directives(&inline.directives);
                    self.set(&inline.selections, &at.under(&inline.directives));
                }
                Selection::Spread(spread) => {
                    let Some(fragment) = self.document.fragments.get(&spread.fragment) else {
                        continue;
                    };
                    self.template.text("...on ");
                    self.template.text(&fragment.selections.parent);
                    self.directives(&spread.directives);
                    self.template.text("{");
                    // No row has what stands above the root connection.
                    if at.under(&spread.directives).conditional && at.connection.is_some() {
                        let mark = self.marks.of_fragment(&spread.fragment);
                        self.template.text(&format!("{mark}:__typename "));
                    }
                    let within = At {
                        conditional: false,
                        ..at.clone()
                    };
                    self.items(&fragment.selections, &within);
                    self.template.text("}");
                }
            }
        }
    }

    fn field(&mut self, field: &'a Field, at: &At) {
        self.head(field, |_| true);
        if let Some(selections) = &field.selections {
            let mut below = at.under(&field.directives);
            below.path.push(field.response_key().to_owned());
            below.in_list |= field.definition.ty.is_list();
            self.set(selections, &below);
        }
    }

    /// Alias, name, arguments and directives.
    fn head(&mut self, field: &Field, keep: impl Fn(&str) -> bool) {
        if let Some(alias) = &field.alias {
            self.template.text(alias);
            self.template.text(":");
        }
        self.template.text(&field.name);
        let arguments = field.arguments.iter().filter(|(name, _)| keep(name));
        let arguments: Vec<_> = arguments.cloned().collect();
        self.template.arguments(&arguments);
        self.directives(&field.directives);
    }

    fn directives(&mut self, directives: &[Directive]) {
        for directive in directives.iter().filter(|d| !d.is_client()) {
            self.template.text("@");
            self.template.text(&directive.name);
            self.template.arguments(&directive.arguments);
        }
    }

    fn connection(&mut self, field: &'a Field, at: &At) {
        if at.in_list {
            self.problem(
                format!(
                    "`{}` is a connection inside a list, which a bulk operation cannot have",
                    field.response_key()
                ),
                &field.span,
                "fetch it with an operation of its own",
            );
        }
        let Some(selections) = &field.selections else {
            return;
        };
        let mut inner = Vec::new();
        self.document.fields(selections, &mut inner);
        let Some((form, lists)) = self.form(field, &inner) else {
            return;
        };
        let index = self.register(field, at, form, &inner);
        // A bulk operation gives all nodes: there are no pages to size or to turn.
        self.head(field, |name| {
            !matches!(name, "first" | "last" | "after" | "before")
        });
        self.template.text("{edges");
        let below = At {
            connection: Some(index),
            conditional: at.under(&field.directives).conditional,
            ..At::default()
        };
        if let [list, ..] = lists[..] {
            self.directives(&list.directives);
        }
        self.template.text("{node{");
        self.template
            .text(&format!("{}:__typename", self.connections[index].marker));
        self.parent_id(&lists);
        for list in lists {
            let sets = match list.name.as_str() {
                "nodes" => list.selections.iter().collect(),
                _ => self.nodes_of(list),
            };
            for set in sets {
                self.template.text(" ");
                self.items(set, &below);
            }
        }
        self.template.text("}}}");
    }

    /// A connection is known by its place; a second selection of it adds to the first.
    fn register(&mut self, field: &Field, at: &At, form: Form, inner: &[&'a Field]) -> usize {
        let key = field.response_key();
        let same = |known: &BulkConnection| {
            known.parent == at.connection && known.path == at.path && known.key == key
        };
        if let Some(index) = self.connections.iter().position(same) {
            return index;
        }
        let mut depth = 0;
        let mut above = at.connection;
        while let Some(index) = above {
            depth += 1;
            above = self.connections[index].parent;
        }
        if depth > MAX_NESTING {
            self.problem(
                format!("`{key}` is nested in {depth} connections, a bulk operation allows {MAX_NESTING}"),
                &field.span,
                "fetch it with an operation of its own",
            );
        }
        let base = field.definition.ty.base();
        let mut members = constant_members(inner, base);
        members.extend(self.marks_in(field.selections.as_ref()));
        let before = |list: &str| {
            let constant: String = members.iter().map(|member| format!("{member},")).collect();
            format!("\"{key}\":{{{constant}\"{list}\":[")
        };
        let (open, open_node, close_node) = match &form {
            Form::Nodes { nodes } => (before(nodes), String::new(), String::new()),
            Form::Edges { edges, node } => {
                let list = inner.iter().find(|list| list.response_key() == edges);
                let marks = self.marks_in(list.and_then(|list| list.selections.as_ref()));
                let marks: String = marks.iter().map(|mark| format!("{mark},")).collect();
                (
                    before(edges),
                    format!("{{{marks}\"{node}\":"),
                    "}".to_owned(),
                )
            }
        };
        let node = self.node_type(base);
        self.connections.push(BulkConnection {
            parent: at.connection,
            path: at.path.clone(),
            key: key.to_owned(),
            marker: format!("{}{}", self.marker, self.connections.len()),
            types: node
                .map(|node| self.schema.possible_types(&node))
                .unwrap_or_default(),
            form,
            open,
            close: "]}".to_owned(),
            open_node,
            close_node,
        });
        self.connections.len() - 1
    }

    /// Members that say of the fragments on a connection or an edge, which are written out, that
    /// they are there.
    fn marks_in(&self, set: Option<&SelectionSet>) -> Vec<String> {
        let mut members = Vec::new();
        for item in set.iter().flat_map(|set| &set.items) {
            let below = match item {
                Selection::Field(_) => continue,
                Selection::Inline(inline) => Some(&inline.selections),
                Selection::Spread(spread) => {
                    let mark = self.marks.of_fragment(&spread.fragment);
                    members.push(format!("\"{mark}\":\"\""));
                    let fragment = self.document.fragments.get(&spread.fragment);
                    fragment.map(|fragment| &fragment.selections)
                }
            };
            members.extend(self.marks_in(below));
        }
        members
    }

    fn node_type(&self, connection: &str) -> Option<String> {
        let node = self.schema.field(connection, "nodes").or_else(|| {
            let edges = self.schema.field(connection, "edges")?;
            self.schema.field(edges.ty.base(), "node")
        });
        Some(node?.ty.base().to_owned())
    }
}
