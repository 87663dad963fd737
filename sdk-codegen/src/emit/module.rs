use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::rc::Rc;

use super::flat::Condition;
use super::name::Scope;
use crate::document::SelectionSet;

/// A Rust module while it is written.
#[derive(Debug)]
pub(super) struct Module {
    /// The types it has; pieces of the shared types have one scope.
    pub(super) scope: Rc<RefCell<Scope>>,
    /// Its code.
    pub(super) out: String,
    /// How deep it is indented, in spaces.
    pub(super) indent: usize,
    /// The way from here to where the shared types are: nothing, or `super::`.
    pub(super) shared: &'static str,
    /// The types written here, by the type of the schema and the selection sets: what several
    /// variants of an enum select alike has one type.
    pub(super) written: BTreeMap<Written, TypeName>,
    /// What enums of answers derive.
    pub(super) derives: String,
    /// What structs of answers derive; `Clone`, `Debug` and `PartialEq` follow from `Record`.
    pub(super) extra_derives: String,
}

impl Module {
    /// Writes a line at the module's indent, `deeper` levels in.
    pub(super) fn line(&mut self, deeper: usize, text: &str) {
        let indent = self.indent + deeper * 4;
        let _ = writeln!(self.out, "{:indent$}{text}", "");
    }

    /// Writes a short function that is only compiled where it is used.
    pub(super) fn function(&mut self, deeper: usize, head: &str, body: &str) {
        self.line(deeper, "#[inline]");
        self.line(deeper, &format!("{head} {{ {body} }}"));
    }

    pub(super) fn doc(&mut self, deeper: usize, text: Option<&str>) {
        super::doc::doc(&mut self.out, self.indent + deeper * 4, text);
    }

    /// Takes a name for a type.
    pub(super) fn claim(&self, name: String) -> String {
        self.scope.borrow_mut().claim(name)
    }

    /// A type of this module.
    pub(super) fn own(&self, name: String) -> TypeName {
        if self.shared.is_empty() {
            TypeName::Shared(name)
        } else {
            TypeName::Here(name)
        }
    }

    /// How a type is called from this module.
    pub(super) fn path(&self, ty: &TypeName) -> String {
        match ty {
            TypeName::Here(name) => name.clone(),
            TypeName::Shared(name) => format!("{}{name}", self.shared),
            TypeName::Runtime(path) => (*path).to_owned(),
        }
    }
}

/// A type of the schema with the selection sets on it.
pub(super) type Written = (String, Vec<(*const SelectionSet, Condition)>);

/// A generated type, or one of the runtime.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TypeName {
    /// In the module of the operation.
    Here(String),
    /// Among the types that operations share.
    Shared(String),
    /// A path that holds everywhere.
    Runtime(&'static str),
}
