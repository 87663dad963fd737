use super::{Document, Selection, SelectionSet};

/// Aliases of `__typename` that say of a fragment whether it is in an answer: the one of a fragment
/// is sent in it and nowhere else.
#[derive(Clone, Debug)]
pub(crate) struct Marks {
    /// What no alias of the document begins with.
    prefix: String,
}

impl Marks {
    pub(crate) fn of(document: &Document) -> Self {
        Self {
            prefix: document.unused_alias("__in_", '_'),
        }
    }

    /// The alias of the fragment.
    pub(crate) fn of_fragment(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }
}

impl Document {
    /// `start`, with as much `more` that no alias begins with it.
    pub(crate) fn unused_alias(&self, start: &str, more: char) -> String {
        let mut aliases = Vec::new();
        for set in self.selection_sets() {
            collect_aliases(set, &mut aliases);
        }
        let mut alias = start.to_owned();
        while aliases.iter().any(|taken| taken.starts_with(&alias)) {
            alias.push(more);
        }
        alias
    }
}

fn collect_aliases<'d>(set: &'d SelectionSet, aliases: &mut Vec<&'d str>) {
    for item in &set.items {
        match item {
            Selection::Field(field) => {
                aliases.extend(field.alias.as_deref());
                if let Some(set) = &field.selections {
                    collect_aliases(set, aliases);
                }
            }
            Selection::Inline(inline) => collect_aliases(&inline.selections, aliases),
            Selection::Spread(_) => {}
        }
    }
}
