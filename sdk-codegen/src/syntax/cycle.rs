use std::collections::HashMap;

use super::outline::Keyword;
use super::sdl::Sdl;
use crate::diagnostic::Diagnostic;
use crate::schema::TypeRef;

/// Those of some interfaces that implement themselves, directly or through others.
pub(super) fn interfaces<'a>(
    sdl: &'a Sdl,
    names: impl Iterator<Item = &'a str>,
) -> Vec<Diagnostic> {
    let interfaces = names.filter(|name| sdl.keyword(name) == Some(Keyword::Interface));
    let found = cycles(interfaces, |name| sdl.interfaces(name)).into_iter();
    let problem = |name: &str| {
        Diagnostic::error(
            format!("`{name}` implements itself"),
            sdl.find(name, None, name),
        )
        .with_help("an interface cannot be above itself: take one of the cycle out")
    };
    found.map(problem).collect()
}

/// Those of some input objects that nobody can fill: each value of one needs another of the same.
pub(super) fn inputs<'a>(sdl: &'a Sdl, names: impl Iterator<Item = &'a str>) -> Vec<Diagnostic> {
    let inputs = names.filter(|name| sdl.keyword(name) == Some(Keyword::Input));
    let needs = |name: &str| {
        let fields = sdl.get(name).map(|ty| ty.input_fields());
        let needed = fields
            .unwrap_or_default()
            .iter()
            .filter_map(|field| match &field.ty {
                // An empty list ends a cycle, and so does null.
                TypeRef::Named {
                    name,
                    non_null: true,
                } => Some(name.as_str()),
                _ => None,
            });
        needed
            .filter(|name| sdl.keyword(name) == Some(Keyword::Input))
            .collect()
    };
    let found = cycles(inputs, needs).into_iter();
    let problem = |name: &str| {
        let message = format!("`{name}` cannot be filled: each value needs another `{name}` in it");
        Diagnostic::error(message, sdl.find(name, None, name))
            .with_help("one of the fields on the way must be nullable or a list")
    };
    found.map(problem).collect()
}

/// One name of each cycle, depth first, on a stack of our own: a chain may be as long as the
/// schema.
fn cycles<'a>(
    starts: impl Iterator<Item = &'a str>,
    next: impl Fn(&'a str) -> Vec<&'a str>,
) -> Vec<&'a str> {
    let mut done: HashMap<&str, bool> = HashMap::new();
    let mut found = Vec::new();
    for start in starts {
        if done.contains_key(start) {
            continue;
        }
        done.insert(start, false);
        let mut path = vec![(start, next(start).into_iter())];
        while let Some((name, below)) = path.last_mut() {
            let Some(below) = below.next() else {
                done.insert(name, true);
                path.pop();
                continue;
            };
            match done.get(below) {
                Some(true) => {}
                Some(false) => found.push(below),
                None => {
                    done.insert(below, false);
                    path.push((below, next(below).into_iter()));
                }
            }
        }
    }
    found
}
