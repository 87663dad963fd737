//! The contracts of whole data sets: pages and bulk.

use std::collections::{BTreeMap, BTreeSet};

use super::module::{Module, TypeName};
use super::name::{self, Scope};
use super::record::Known;
use super::{Emitter, Layout};
use crate::bulk::{self, Bulk, BulkQuery, Form, Piece, Value};
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::document::{Document, Operation, OperationKind, Valid};
use crate::pages::{self, Paged};
use crate::schema::{Schema, TypeRef};

/// What is known of the operations of a document.
pub(super) struct Sets {
    pub(super) of: BTreeMap<String, Set>,
    pub(super) warnings: Vec<Diagnostic>,
}

/// What is known of one operation.
#[derive(Default)]
pub(super) struct Set {
    paged: Option<Paged>,
    bulk: Option<Bulk>,
}

/// Looks for pages and bulk operations.
///
/// # Errors
/// `@paginate` and `@bulk` where they cannot be.
pub(super) fn found(schema: &Schema, document: &Valid<Document>) -> Result<Sets, Diagnostics> {
    let mut of = BTreeMap::new();
    let mut problems = Vec::new();
    for operation in &document.operations {
        let mut set = Set::default();
        if bulk::is_bulk(operation) {
            match bulk::bulk(schema, document, operation) {
                Ok(bulk) => set.bulk = Some(bulk),
                Err(found) => problems.extend(found),
            }
        }
        let paging = pages::paging(schema, document, operation);
        let walked = paging.paged.is_some();
        // A nested connection cut short matters where the whole set is meant to be read.
        let matters = |problem: &Diagnostic| problem.severity == Severity::Error || walked;
        problems.extend(paging.problems.into_iter().filter(matters));
        set.paged = paging.paged;
        of.insert(operation.name.clone(), set);
    }
    if problems
        .iter()
        .any(|problem| problem.severity == Severity::Error)
    {
        return Err(Diagnostics::new(document.sources.clone(), problems));
    }
    Ok(Sets {
        of,
        warnings: problems,
    })
}

impl Emitter<'_> {
    /// The contracts, for beside the module; the functions go into it.
    pub(super) fn sets(
        &mut self,
        module: &mut Module,
        operation: &Operation,
        data: &TypeName,
    ) -> String {
        let Some(set) = self.sets.remove(&operation.name) else {
            return String::new();
        };
        let mut outer = self.outer_module();
        if operation.kind == OperationKind::Query {
            self.rests(module, data);
        }
        if let Some(paged) = &set.paged {
            self.pages(&mut outer, module, operation, data, paged);
        }
        match &set.bulk {
            Some(Bulk::Query(query)) => self.bulk_query(&mut outer, module, operation, data, query),
            Some(Bulk::Mutation) => self.bulk_mutation(&mut outer, module, operation),
            None => {}
        }
        outer.out
    }

    /// A method on every `pageInfo` that tells what its connection lacks.
    fn rests(&mut self, module: &mut Module, data: &TypeName) {
        let mut open = vec![data.clone()];
        let mut seen = BTreeSet::new();
        while let Some(ty) = open.pop() {
            let Some(fields) = self.known.get(&ty) else {
                continue;
            };
            if !seen.insert(ty.clone()) {
                continue;
            }
            open.extend(fields.iter().filter_map(|known| known.base.clone()));
            let named = |name: &str| fields.iter().find(|k| k.field.as_deref() == Some(name));
            let (Some(more), Some(end)) = (named("hasNextPage"), named("endCursor")) else {
                continue;
            };
            let (more, end) = (Step::of(more), Step::of(end));
            // Shared types, which are those of fragments, get it once.
            let first = !matches!(ty, TypeName::Shared(_)) || self.rested.insert(ty.clone());
            if more.layers > 0 || end.layers == 0 || !first {
                continue;
            }
            let path = module.path(&ty);
            let (more, end) = (more.rust, end.rust);
            module.line(0, &format!("impl {path} {{"));
            module.doc(1, Some("The cursor to continue the connection from when it came cut; `None` when it is all there."));
            module.line(1, "#[inline]");
            module.line(1, &format!(
                "pub fn rest(&self) -> Result<Option<&str>, t::PageError> {{ t::PageInfo {{ has_more: self.{more}, end: self.{end}.as_deref() }}.rest() }}"
            ));
            module.line(0, "}");
        }
    }

    fn pages(
        &self,
        outer: &mut Module,
        module: &mut Module,
        operation: &Operation,
        data: &TypeName,
        paged: &Paged,
    ) {
        let Some(pages) = self.page_ways(data, paged) else {
            return;
        };
        let (marker, called) = &self.markers[&operation.name];
        let rust = rust_names(operation);
        let item = self.outside(&pages.item, called);
        outer.line(0, &format!("impl t::Paginated for {marker} {{"));
        outer.line(1, &format!("type Item = {item};"));
        outer.line(1, &format!("const LARGEST: u32 = {};", paged.largest));
        let size = paged.size.as_deref().map(|size| (size, &rust[size]));
        let (get, set) = match size {
            Some((name, rust)) => self.size(operation, name, rust),
            None => ("None".to_owned(), "let _ = (v, size); false".to_owned()),
        };
        let cursor = &rust[&paged.cursor];
        for (head, body) in [
            ("size(v: &Self::Variables) -> Option<i64>", get),
            ("set_size(v: &mut Self::Variables, size: i64) -> bool", set),
            (
                "set_cursor(v: &mut Self::Variables, cursor: Option<String>)",
                format!("v.{cursor} = cursor.into();"),
            ),
            (
                "page_info(d: &Self::Data) -> Option<t::PageInfo<'_>>",
                pages.info,
            ),
            (
                "count(d: &Self::Data) -> usize",
                format!("(|| Some({}.len()))().unwrap_or(0)", pages.borrowed),
            ),
            (
                "into_items(d: Self::Data) -> Vec<Self::Item>",
                format!("(|| Some({}))().unwrap_or_default()", pages.owned),
            ),
        ] {
            outer.line(1, "#[inline]");
            outer.line(1, &format!("fn {head} {{ {body} }}"));
        }
        outer.line(0, "}");
        if matches!(self.settings.layout, Layout::OneStruct { .. }) {
            return;
        }
        for (function, stream, what) in [
            ("pages", "Pages", "page by page"),
            ("items", "Items", "node by node"),
        ] {
            let key = paged.path.join(".");
            module.doc(0, Some(&format!("Walks `{key}` {what}.")));
            module.line(0, "#[inline]");
            module.line(0, &format!(
                "pub fn {function}(client: &t::Client, variables: Variables) -> t::{stream}<super::{marker}> {{ client.{function}(variables) }}"
            ));
        }
    }

    /// Expressions that read and set the page size.
    fn size(&self, operation: &Operation, name: &str, rust: &str) -> (String, String) {
        let variable = operation.variables.iter().find(|v| v.name == name);
        let non_null = variable.is_some_and(|variable| variable.ty.is_non_null());
        let default = variable.is_some_and(|variable| variable.default.is_some());
        let value = "i32::try_from(size).unwrap_or(i32::MAX)";
        let set = |value: &str| format!("v.{rust} = {value}; true");
        match (non_null, default) {
            (true, false) => (format!("Some(v.{rust}.into())"), set(value)),
            (false, _) if !self.settings.optional_inputs => (
                format!("v.{rust}.value().map(|n| (*n).into())"),
                set(&format!("{value}.into()")),
            ),
            _ => (
                format!("v.{rust}.map(Into::into)"),
                set(&format!("Some({value})")),
            ),
        }
    }

    /// Expressions over the data of a page; `None` where an interface or union is in the way.
    fn page_ways(&self, data: &TypeName, paged: &Paged) -> Option<PageWays> {
        let (connection, path) = self.follow(data, &paged.path)?;
        let borrow = |step: &Step| step.by_ref();
        let start = path.iter().map(borrow).collect::<String>();
        let (info_type, info) = self.follow(&connection, std::slice::from_ref(&paged.page_info))?;
        let info: String = info.iter().map(borrow).collect();
        let leaf = |key: &str| self.step(&info_type, key).map(|(steps, _)| steps);
        let has_more: String = leaf(&paged.has_more)?.iter().map(Step::by_value).collect();
        let (last, before) = {
            let mut steps = leaf(&paged.end)?;
            let last = steps.pop()?;
            (last, steps.iter().map(borrow).collect::<String>())
        };
        let end = match last.layers {
            0 => format!("Some(&*i{before}.{})", last.rust),
            _ => format!("i{before}.{}.as_deref()", last.rust),
        };
        let info = format!(
            "let i = &d{start}{info}; Some(t::PageInfo {{ has_more: i{has_more}, end: {end} }})"
        );
        let (list, node) = match &paged.form {
            Form::Nodes { nodes } => (nodes, None),
            Form::Edges { edges, node } => (edges, Some(node)),
        };
        let (steps, list_type) = self.step(&connection, list)?;
        let list_type = list_type?;
        let owned: String = path.iter().chain(&steps).map(Step::by_value).collect();
        let borrowed: String = path.iter().chain(&steps).map(borrow).collect();
        let nullable = steps.last()?.nullable_items;
        let (item, each, nullable_each) = match node {
            None => (list_type, String::new(), false),
            Some(node) => {
                let (steps, item) = self.step(&list_type, node)?;
                let nullable = steps.last()?.layers > 0;
                let each: String = steps.iter().map(|step| format!(".{}", step.rust)).collect();
                (item?, format!(".map(|edge| edge{each})"), nullable)
            }
        };
        Some(PageWays {
            item,
            info,
            borrowed: format!("d{borrowed}"),
            owned: collected(&owned, nullable, &each, nullable_each),
        })
    }

    fn follow(&self, from: &TypeName, keys: &[String]) -> Option<(TypeName, Vec<Step>)> {
        let mut here = from.clone();
        let mut way = Vec::new();
        for key in keys {
            let (steps, base) = self.step(&here, key)?;
            way.extend(steps);
            here = base?;
        }
        Some((here, way))
    }

    /// The way from a struct to one of its fields, through fragments, and the type at its end.
    fn step(&self, from: &TypeName, key: &str) -> Option<(Vec<Step>, Option<TypeName>)> {
        let fields = self.known.get(from)?;
        let own = fields
            .iter()
            .find(|known| known.key.as_deref() == Some(key));
        if let Some(known) = own {
            return Some((vec![Step::of(known)], known.base.clone()));
        }
        let spreads = fields.iter().filter(|known| known.key.is_none());
        let mut found = spreads.filter_map(|known| {
            let (mut steps, base) = self.step(known.base.as_ref()?, key)?;
            steps.insert(0, Step::of(known));
            Some((steps, base))
        });
        found.next()
    }

    /// How a type is called from beside the module of the operation.
    fn outside(&self, ty: &TypeName, called: &str) -> String {
        match ty {
            TypeName::Here(name) => format!("{called}::{name}"),
            TypeName::Shared(name) if matches!(self.settings.layout, Layout::OneStruct { .. }) => {
                format!("{called}::{name}")
            }
            TypeName::Shared(name) => name.clone(),
            TypeName::Runtime(path) => (*path).to_owned(),
        }
    }

    fn bulk_query(
        &self,
        outer: &mut Module,
        module: &mut Module,
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
            module.doc(
                0,
                Some("Runs it as a bulk operation. Await it for its rows."),
            );
            module.line(0, "#[inline]");
            module.line(0, &format!(
                "pub fn run(client: &t::Client, variables: Variables) -> t::bulk::Bulk<super::{marker}> {{ client.bulk(variables) }}"
            ));
        }
    }

    fn bulk_mutation(&self, outer: &mut Module, module: &mut Module, operation: &Operation) {
        let (marker, _) = &self.markers[&operation.name];
        outer.line(0, &format!("impl t::BulkMutation for {marker} {{}}"));
        if !matches!(self.settings.layout, Layout::OneStruct { .. }) {
            module.doc(
                0,
                Some("Runs it as a bulk operation, once for each of the variables pushed."),
            );
            module.line(0, "#[inline]");
            module.line(0, &format!(
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

/// Expressions over the data of a page, `d`.
struct PageWays {
    item: TypeName,
    info: String,
    borrowed: String,
    owned: String,
}

/// A field to follow.
struct Step {
    rust: String,
    /// The `Option`s around it: 0 or 1.
    layers: usize,
    /// Whether it is a list of nullable items.
    nullable_items: bool,
}

impl Step {
    fn of(known: &Known) -> Self {
        Self {
            rust: known.rust.clone(),
            layers: usize::from(known.optional || !known.ty.is_non_null()),
            nullable_items: match &known.ty {
                TypeRef::List { item, .. } => !item.is_non_null(),
                TypeRef::Named { .. } => false,
            },
        }
    }

    fn by_ref(&self) -> String {
        self.with(".as_ref()?")
    }

    fn by_value(&self) -> String {
        self.with("?")
    }

    fn with(&self, option: &str) -> String {
        format!(
            ".{}{}",
            self.rust,
            if self.layers > 0 { option } else { "" }
        )
    }
}

fn collected(list: &str, nullable: bool, each: &str, nullable_each: bool) -> String {
    let flat = |nullable| if nullable { ".flatten()" } else { "" };
    let (outer, inner) = (flat(nullable), flat(nullable_each));
    if outer.is_empty() && each.is_empty() {
        return format!("d{list}");
    }
    format!("d{list}.into_iter(){outer}{each}{inner}.collect::<Vec<_>>()")
}

/// The Rust fields of variables, named as the struct names them.
fn rust_names(operation: &Operation) -> BTreeMap<String, String> {
    let mut names = Scope::default();
    let variables = operation.variables.iter();
    variables
        .map(|variable| {
            (
                variable.name.clone(),
                names.claim(name::snake(&variable.name)),
            )
        })
        .collect()
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
