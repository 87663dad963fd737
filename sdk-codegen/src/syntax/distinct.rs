use std::collections::BTreeMap;
use std::ops::Range;

use super::problem;
use super::sdl::{find_word, place};
use super::slot::Found;
use crate::diagnostic::Diagnostic;

/// How many problems of one definition are told: each is looked for in its text.
const MOST: usize = 20;

/// Names must stand once, and not be those that the specification keeps for itself. `place_of`
/// tells where the name of an index stands.
pub(super) fn distinct<'n>(
    owner: &str,
    what: &str,
    names: impl Iterator<Item = &'n str>,
    place_of: impl Fn(usize) -> Option<Range<usize>>,
) -> Found<()> {
    let mut known = BTreeMap::new();
    let mut problems = Vec::new();
    for (index, name) in names.enumerate() {
        if name.starts_with("__") {
            problems.extend(problem::reserved(name, place_of(index).map(place)));
        }
        if let Some(first) = known.insert(name, index) {
            let message = format!("`{owner}` gives {what} `{name}` twice");
            let problem = Diagnostic::error(message, place_of(index).map(place));
            problems.push(match place_of(first) {
                Some(first) => problem.with_label(place(first), "first here"),
                None => problem,
            });
        }
        if problems.len() >= MOST {
            break;
        }
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems)
    }
}

/// The same for names that were parsed: where the n-th stands is looked for in the texts.
pub(super) fn distinct_words(
    owner: &str,
    what: &str,
    names: &[&str],
    text: &str,
    within: &[Range<usize>],
) -> Found<()> {
    let place_of = |index: usize| {
        let name = names[index];
        let mut before = names[..index].iter().filter(|n| **n == name).count();
        within.iter().find_map(|range| {
            let mut rest = range.clone();
            while let Some(found) = find_word(text, rest.clone(), name) {
                if before == 0 {
                    return Some(found);
                }
                before -= 1;
                rest.start = found.end;
            }
            None
        })
    };
    distinct(owner, what, names.iter().copied(), place_of)
}
