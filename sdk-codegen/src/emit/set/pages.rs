//! What makes an operation [`Paginated`](crate::pages).

use std::collections::BTreeMap;

use super::Step;
use crate::bulk::Form;
use crate::document::Operation;
use crate::emit::module::{Module, TypeName};
use crate::emit::name::{self, Scope};
use crate::emit::{Emitter, Layout};
use crate::pages::Paged;

impl Emitter<'_> {
    pub(super) fn pages(
        &self,
        outer: &mut Module,
        inside: &mut Module,
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
            inside.doc(0, Some(&format!("Walks `{key}` {what}.")));
            inside.line(0, "#[inline]");
            inside.line(0, &format!(
                "pub fn {function}(client: &t::Client, variables: Variables) -> t::{stream}<super::{marker}> {{ client.{function}(variables) }}"
            ));
        }
    }

    /// Expressions that read and set the page size.
    fn size(&self, operation: &Operation, name: &str, rust: &str) -> (String, String) {
        let variable = operation.variable(name);
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
}

/// Expressions over the data of a page, `d`.
struct PageWays {
    item: TypeName,
    info: String,
    borrowed: String,
    owned: String,
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
