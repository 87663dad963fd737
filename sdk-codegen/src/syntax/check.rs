use std::collections::{BTreeSet, HashMap};

use super::outline::Keyword;
use super::sdl::Sdl;
use crate::diagnostic::Diagnostic;
use crate::schema::{TypeDefinition, TypeKind};

/// What is wrong with a schema, all definitions considered: what cannot be parsed, names that are
/// not defined or of the wrong kind, names given twice, interfaces that implement themselves.
pub(crate) fn check(sdl: &Sdl) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    for name in sdl.type_names() {
        problems.extend(sdl.problems(name));
        if let Some(definition) = sdl.get(name) {
            Check {
                sdl,
                definition,
                problems: &mut problems,
            }
            .definition();
        }
    }
    problems.extend(cycles(sdl));
    problems
}

struct Check<'a> {
    sdl: &'a Sdl,
    definition: &'a TypeDefinition,
    problems: &'a mut Vec<Diagnostic>,
}

impl Check<'_> {
    fn definition(&mut self) {
        match &self.definition.kind {
            TypeKind::Scalar => {}
            TypeKind::Object { fields, interfaces }
            | TypeKind::Interface { fields, interfaces } => {
                self.names(fields.iter().map(|field| field.name.as_str()), "a field");
                for interface in interfaces {
                    self.kind(None, interface, "an interface", |k| k == Keyword::Interface);
                }
                for field in fields {
                    self.kind(
                        Some(&field.name),
                        field.ty.base(),
                        "a type of answers",
                        |k| k != Keyword::Input,
                    );
                    for argument in &field.arguments {
                        self.input(&field.name, argument.ty.base());
                    }
                }
            }
            TypeKind::Union { members } => {
                self.names(members.iter().map(String::as_str), "a member");
                for member in members {
                    self.kind(None, member, "an object type", |k| k == Keyword::Type);
                }
            }
            TypeKind::Enum { values } => {
                self.names(values.iter().map(|value| value.name.as_str()), "a value");
            }
            TypeKind::Input { fields, .. } => {
                self.names(fields.iter().map(|field| field.name.as_str()), "a field");
                for field in fields {
                    self.input(&field.name, field.ty.base());
                }
            }
        }
    }

    /// There must be names, and none twice.
    fn names<'b>(&mut self, names: impl Iterator<Item = &'b str>, what: &str) {
        let owner = &self.definition.name;
        let mut seen = BTreeSet::new();
        for name in names {
            if !seen.insert(name) {
                let at = self.sdl.find(owner, None, name);
                let message = format!("`{owner}` gives {what} `{name}` twice");
                self.problems.push(Diagnostic::error(message, at));
            }
        }
        if seen.is_empty() {
            let at = self.sdl.find(owner, None, owner);
            let message = format!("`{owner}` has not even {what}");
            self.problems.push(Diagnostic::error(message, at));
        }
    }

    fn input(&mut self, field: &str, name: &str) {
        self.kind(
            Some(field),
            name,
            "a scalar, an enum or an input object",
            |k| matches!(k, Keyword::Input | Keyword::Enum | Keyword::Scalar),
        );
    }

    fn kind(
        &mut self,
        field: Option<&str>,
        name: &str,
        wanted: &str,
        fits: impl Fn(Keyword) -> bool,
    ) {
        let owner = &self.definition.name;
        let message = match self.sdl.keyword(name) {
            Some(keyword) if fits(keyword) => return,
            Some(_) => format!("`{owner}` takes `{name}` where only {wanted} may stand"),
            None => format!("`{owner}` names `{name}`, which the schema does not define"),
        };
        let at = self.sdl.find(owner, field, name);
        self.problems.push(Diagnostic::error(message, at));
    }
}

/// Interfaces that implement themselves, directly or through others. One problem for each cycle.
fn cycles(sdl: &Sdl) -> Vec<Diagnostic> {
    let mut done: HashMap<&str, bool> = HashMap::new();
    let mut problems = Vec::new();
    let interfaces = sdl
        .type_names()
        .filter(|name| sdl.keyword(name) == Some(Keyword::Interface));
    for start in interfaces {
        if done.contains_key(start) {
            continue;
        }
        done.insert(start, false);
        // Depth first, on a stack of our own: a chain may be as long as the schema.
        let mut path = vec![(start, sdl.interfaces(start).into_iter())];
        while let Some((name, above)) = path.last_mut() {
            match above.next() {
                None => {
                    done.insert(name, true);
                    path.pop();
                }
                Some(next) => match done.insert(next, false) {
                    Some(true) => {
                        done.insert(next, true);
                    }
                    Some(false) => {
                        let at = sdl.find(next, None, next);
                        let message = format!("`{next}` implements itself");
                        problems.push(Diagnostic::error(message, at));
                    }
                    None => path.push((next, sdl.interfaces(next).into_iter())),
                },
            }
        }
    }
    problems
}
