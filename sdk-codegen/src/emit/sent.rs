//! The document as it is sent.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write as _;

use crate::document::{
    Directive, Document, Operation, OperationKind, Selection, SelectionSet, Value,
};

/// Where decoding needs a `__typename` that the document does not ask for.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// The selection sets whose answers are told apart by it, by their address in the document.
    pub(super) sets: HashSet<*const SelectionSet>,
    /// The fragments that have to be known to be there, and the alias that says so.
    pub(super) fragments: BTreeMap<String, String>,
}

/// The operation and the fragments it reaches, without anything that the server does not need:
/// comments, white space, client directives. `__typename` comes first where decoding needs it.
pub(super) fn text(document: &Document, operation: &Operation, told: &Told) -> String {
    let mut printer = Printer {
        told,
        out: String::new(),
    };
    printer.operation(operation);
    for name in reached(document, &operation.selections) {
        let Some(fragment) = document.fragments.get(name) else {
            continue;
        };
        let on = &fragment.selections.parent;
        let _ = write!(printer.out, "fragment {name} on {on}");
        let mark = told.fragments.get(name).map(String::as_str);
        printer.marked(&fragment.selections, mark);
    }
    printer.out
}

/// Names of the fragments that a selection reaches, in the order it reaches them.
pub(super) fn reached<'a>(document: &'a Document, set: &'a SelectionSet) -> Vec<&'a str> {
    fn walk<'a>(
        document: &'a Document,
        set: &'a SelectionSet,
        seen: &mut BTreeSet<&'a str>,
        found: &mut Vec<&'a str>,
    ) {
        for item in &set.items {
            match item {
                Selection::Field(field) => {
                    if let Some(below) = &field.selections {
                        walk(document, below, seen, found);
                    }
                }
                Selection::Inline(inline) => walk(document, &inline.selections, seen, found),
                Selection::Spread(spread) if seen.insert(&spread.fragment) => {
                    found.push(&spread.fragment);
                    if let Some(fragment) = document.fragments.get(&spread.fragment) {
                        walk(document, &fragment.selections, seen, found);
                    }
                }
                Selection::Spread(_) => {}
            }
        }
    }
    let mut found = Vec::new();
    walk(document, set, &mut BTreeSet::new(), &mut found);
    found
}

struct Printer<'a> {
    told: &'a Told,
    out: String,
}

impl Printer<'_> {
    fn operation(&mut self, operation: &Operation) {
        self.out.push_str(match operation.kind {
            OperationKind::Query => "query ",
            OperationKind::Mutation => "mutation ",
        });
        self.out.push_str(&operation.name);
        if !operation.variables.is_empty() {
            self.out.push('(');
            for (index, variable) in operation.variables.iter().enumerate() {
                let comma = if index > 0 { "," } else { "" };
                let _ = write!(self.out, "{comma}${}:{}", variable.name, variable.ty);
                if let Some(default) = &variable.default {
                    let _ = write!(self.out, "={default}");
                }
                self.directives(&variable.directives);
            }
            self.out.push(')');
        }
        self.directives(&operation.directives);
        self.selections(&operation.selections);
    }

    fn selections(&mut self, set: &SelectionSet) {
        self.marked(set, None);
    }

    /// Selections with `__typename` once more under the alias `mark`.
    fn marked(&mut self, set: &SelectionSet, mark: Option<&str>) {
        let told = self.told.sets.contains(&std::ptr::from_ref(set));
        self.out.push('{');
        if told {
            self.out.push_str("__typename");
        }
        if let Some(mark) = mark {
            self.space();
            let _ = write!(self.out, "{mark}:__typename");
        }
        for item in &set.items {
            let again = matches!(item, Selection::Field(field)
                if told && field.response_key() == "__typename");
            if !again {
                self.selection(item);
            }
        }
        self.out.push('}');
    }

    fn selection(&mut self, item: &Selection) {
        match item {
            Selection::Field(field) => {
                self.space();
                if let Some(alias) = &field.alias {
                    let _ = write!(self.out, "{alias}:");
                }
                self.out.push_str(&field.name);
                self.arguments(&field.arguments);
                self.directives(&field.directives);
                if let Some(below) = &field.selections {
                    self.selections(below);
                }
            }
            Selection::Spread(spread) => {
                let _ = write!(self.out, "...{}", spread.fragment);
                self.directives(&spread.directives);
            }
            Selection::Inline(inline) => {
                self.out.push_str("...");
                if let Some(on) = &inline.on {
                    let _ = write!(self.out, "on {on}");
                }
                self.directives(&inline.directives);
                self.selections(&inline.selections);
            }
        }
    }

    /// A space, where two names would become one.
    fn space(&mut self) {
        let name = |last: char| last.is_ascii_alphanumeric() || last == '_';
        if self.out.ends_with(name) {
            self.out.push(' ');
        }
    }

    fn arguments(&mut self, arguments: &[(String, Value)]) {
        if arguments.is_empty() {
            return;
        }
        for (index, (name, value)) in arguments.iter().enumerate() {
            let before = if index > 0 { "," } else { "(" };
            let _ = write!(self.out, "{before}{name}:{value}");
        }
        self.out.push(')');
    }

    fn directives(&mut self, directives: &[Directive]) {
        for directive in directives {
            if !directive.is_client() {
                let _ = write!(self.out, "@{}", directive.name);
                self.arguments(&directive.arguments);
            }
        }
    }
}
