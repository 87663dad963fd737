use crate::document::{Document, Selection, SelectionSet};

/// An alias that no response key of the document begins with.
pub(super) fn unused_alias(document: &Document) -> String {
    let taken = |alias: &str| {
        let mut keys = Vec::new();
        for set in document.selection_sets() {
            collect_aliases(set, &mut keys);
        }
        keys.iter().any(|key| key.starts_with(alias))
    };
    let mut alias = "_".to_owned();
    while taken(&alias) {
        alias.push('c');
    }
    alias
}

fn collect_aliases<'d>(set: &'d SelectionSet, keys: &mut Vec<&'d str>) {
    for item in &set.items {
        match item {
            Selection::Field(field) => {
                keys.extend(field.alias.as_deref());
                if let Some(set) = &field.selections {
                    collect_aliases(set, keys);
                }
            }
            Selection::Inline(inline) => collect_aliases(&inline.selections, keys),
            Selection::Spread(_) => {}
        }
    }
}
