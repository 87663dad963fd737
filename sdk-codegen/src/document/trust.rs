use std::collections::BTreeMap;

use super::{Document, Fragment, Selection, SelectionSet, Valid};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::schema::Schema;
use crate::source::Source;
use crate::syntax;

/// Takes documents on trust that a server has answered, whatever this version of the schema knows
/// of them: a field that it lacks is typed by its shape. For tools that work on recordings of other
/// versions; a build validates.
///
/// # Errors
/// Syntax errors, and fragments that spread themselves, which no server answers.
pub fn trust(schema: &Schema, sources: Vec<Source>) -> Result<Valid<Document>, Diagnostics> {
    let document = syntax::parse_unvalidated(schema, sources)?;
    let mut walk = Walk {
        fragments: &document.fragments,
        states: BTreeMap::new(),
        cycles: Vec::new(),
    };
    for name in document.fragments.keys() {
        walk.visit(name);
    }
    let cycles = walk.cycles;
    if cycles.is_empty() {
        return Ok(Valid(document));
    }
    Err(Diagnostics::new(document.sources, cycles))
}

#[derive(Clone, Copy)]
enum State {
    Open,
    Done,
}

struct Walk<'d> {
    fragments: &'d BTreeMap<String, Fragment>,
    states: BTreeMap<&'d str, State>,
    cycles: Vec<Diagnostic>,
}

impl<'d> Walk<'d> {
    fn visit(&mut self, name: &'d str) {
        let Some(fragment) = self.fragments.get(name) else {
            return;
        };
        match self.states.get(name) {
            Some(State::Done) => {}
            Some(State::Open) => self.cycles.push(Diagnostic::error(
                format!("fragment `{name}` spreads itself"),
                fragment.span.clone(),
            )),
            None => {
                self.states.insert(name, State::Open);
                self.enter(&fragment.selections);
                self.states.insert(name, State::Done);
            }
        }
    }

    fn enter(&mut self, set: &'d SelectionSet) {
        for selection in &set.items {
            match selection {
                Selection::Field(field) => {
                    if let Some(set) = &field.selections {
                        self.enter(set);
                    }
                }
                Selection::Inline(inline) => self.enter(&inline.selections),
                Selection::Spread(spread) => self.visit(&spread.fragment),
            }
        }
    }
}
