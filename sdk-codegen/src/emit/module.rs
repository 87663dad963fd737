use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::rc::Rc;

use super::flat::Condition;
use super::name::Scope;
use crate::document::SelectionSet;

/// The types of an operation, or a piece of the shared ones, while they are written.
///
/// The types of all operations stand in one Rust module, since every module is a unit of its own
/// to the compiler; the module of the operation exports them under the names they have there.
#[derive(Debug)]
pub(super) struct Module {
    /// The names that are taken; pieces of the shared types have one scope.
    pub(super) scope: Rc<RefCell<Scope>>,
    /// The code of the types.
    pub(super) out: String,
    /// How deep it is indented, in spaces.
    pub(super) indent: usize,
    /// The operation that the types are of; `None` for shared ones.
    pub(super) of: Option<String>,
    /// What the module of the operation exports: the name there, and the one it is written under.
    pub(super) exports: BTreeMap<String, String>,
    /// What else is in the module of the operation.
    pub(super) beside: String,
    /// The types written here, by the type of the schema and the selection sets: what several
    /// variants of an enum select alike has one type.
    pub(super) written: BTreeMap<Written, TypeName>,
    /// What enums of answers derive.
    pub(super) derives: String,
    /// What structs of answers derive beside `Clone`, `Debug` and `PartialEq`, which are written out.
    pub(super) extra_derives: String,
    /// Whether answers are `Deserialize`.
    pub(super) deserialize: bool,
    /// Whether answers are `Serialize`.
    pub(super) serialize: bool,
}

impl Module {
    /// Writes a line at the module's indent, `deeper` levels in.
    pub(super) fn line(&mut self, deeper: usize, text: &str) {
        let indent = self.indent + deeper * 4;
        let _ = writeln!(self.out, "{:indent$}{text}", "");
    }

    /// Writes something before what was written from `start` on: a type before those that it holds,
    /// since the compiler walks over all items until nothing new is reached.
    pub(super) fn before(&mut self, start: usize, write: impl FnOnce(&mut Self)) {
        let after = self.out.split_off(start);
        write(self);
        self.out.push_str(&after);
    }

    /// Writes a short function that is only compiled where it is used.
    pub(super) fn function(&mut self, deeper: usize, head: &str, body: &str) {
        self.line(deeper, "#[inline]");
        self.line(deeper, &format!("{head} {{ {body} }}"));
    }

    /// Writes a function of a type that is a `match`.
    pub(super) fn choice(&mut self, head: &str, on: &str, arms: impl IntoIterator<Item = String>) {
        self.line(1, "#[inline]");
        self.line(1, &format!("{head} {{"));
        self.line(2, &format!("match {on} {{"));
        for arm in arms {
            self.line(3, &arm);
        }
        self.line(2, "}");
        self.line(1, "}");
    }

    /// Writes what a type has of a contract with one function.
    pub(super) fn implement(&mut self, name: &str, contract: &str, head: &str, body: &str) {
        self.line(0, &format!("impl {contract} for {name} {{"));
        self.function(1, &format!("fn {head}"), body);
        self.line(0, "}");
    }

    /// `Deserialize`, which decodes: the names of derived code would be those of Rust.
    pub(super) fn deserialize(&mut self, name: &str) {
        self.line(
            0,
            &format!("impl<'de> t::serde::Deserialize<'de> for {name} {{"),
        );
        self.function(
            1,
            "fn deserialize<D: t::serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error>",
            "t::deserialize(d)",
        );
        self.line(0, "}");
    }

    /// `Serialize`, by an expression over `self` and the serializer `s`.
    pub(super) fn serialize(&mut self, name: &str, body: &str) {
        self.line(0, &format!("impl t::serde::Serialize for {name} {{"));
        self.function(
            1,
            "fn serialize<S: t::serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error>",
            body,
        );
        self.line(0, "}");
    }

    pub(super) fn doc(&mut self, deeper: usize, text: Option<&str>) {
        super::doc::doc(&mut self.out, self.indent + deeper * 4, text);
    }

    /// Takes a name for a type.
    pub(super) fn claim(&self, name: String) -> String {
        self.scope.borrow_mut().claim(name)
    }

    /// A type that is to be written here, and the name to write it under. `Debug` shows what follows
    /// its last `__`.
    pub(super) fn own(&mut self, name: &str) -> (TypeName, String) {
        let Some(operation) = &self.of else {
            return (TypeName::Shared(name.to_owned()), name.to_owned());
        };
        let written = format!("{operation}__{name}");
        self.export(name, &written);
        (TypeName::Here(name.to_owned()), written)
    }

    /// Has a name of the operation's module stand for another type of [`Self::own`]'s.
    pub(super) fn export(&mut self, name: &str, written: &str) {
        self.exports.insert(name.to_owned(), written.to_owned());
    }

    /// How a type is called where types are written.
    pub(super) fn path(&self, ty: &TypeName) -> String {
        match ty {
            TypeName::Here(name) => self.exports.get(name).unwrap_or(name).clone(),
            TypeName::Shared(name) => name.clone(),
            TypeName::Runtime(path) => (*path).to_owned(),
        }
    }
}

/// A type of the schema with the selection sets on it.
pub(super) type Written = (String, Vec<(*const SelectionSet, Condition)>);

/// A generated type, or one of the runtime.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TypeName {
    /// Of the operation, by its name in the operation's module.
    Here(String),
    /// Among the types that operations share.
    Shared(String),
    /// A path that holds everywhere.
    Runtime(&'static str),
}
