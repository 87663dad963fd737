//! The contracts of whole data sets: pages and bulk.

mod bulk;
mod pages;

use std::collections::{BTreeMap, BTreeSet};

use super::module::{Module, TypeName};
use super::record::Known;
use super::{Emitter, Layout};
use crate::bulk::{Bulk, is_bulk};
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::document::{Document, Operation, OperationKind, Valid};
use crate::pages::{Paged, paging};
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
        if is_bulk(operation) {
            match crate::bulk::bulk(schema, document, operation) {
                Ok(bulk) => set.bulk = Some(bulk),
                Err(found) => problems.extend(found),
            }
        }
        let paging = paging(schema, document, operation);
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
        let mut outer = self.shared_module();
        let mut inside = self.inner_module();
        if operation.kind == OperationKind::Query {
            self.rests(module, data);
        }
        if let Some(paged) = &set.paged {
            self.pages(&mut outer, &mut inside, operation, data, paged);
        }
        match &set.bulk {
            Some(Bulk::Query(query)) => {
                self.bulk_query(&mut outer, &mut inside, operation, data, query);
            }
            Some(Bulk::Mutation) => self.bulk_mutation(&mut outer, &mut inside, operation),
            None => {}
        }
        module.beside.push_str(&inside.out);
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
            // What several operations share gets it once.
            let first = self.rested.insert(module.path(&ty));
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
