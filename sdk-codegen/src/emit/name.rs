//! From GraphQL names to Rust names: one table for every position.

use std::collections::BTreeMap;

/// Words that cannot be an identifier, raw or not, in any edition.
const KEYWORDS: &[&str] = &[
    "_", "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue",
    "crate", "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if",
    "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub",
    "ref", "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// What generated code writes without a path: types, traits and variants.
const PRELUDE: &[&str] = &[
    "Box",
    "Clone",
    "Copy",
    "Default",
    "Eq",
    "Err",
    "From",
    "Into",
    "None",
    "Ok",
    "Option",
    "PartialEq",
    "Result",
    "Some",
    "String",
    "Vec",
];

/// A field, argument, module or function: `countryCodeV2` gives `country_code_v2`.
pub(crate) fn snake(name: &str) -> String {
    let words: Vec<_> = words(name).map(str::to_lowercase).collect();
    identifier(words.join("_"), "field")
}

/// A variant or the name of a nested type: `COUNTRY_CODE` and `countryCode` give `CountryCode`.
pub(super) fn pascal(name: &str) -> String {
    let mut out = String::new();
    for word in words(name) {
        let mut letters = word.chars();
        let Some(first) = letters.next() else {
            continue;
        };
        // `V1_2` and `V12` stay apart.
        if first.is_ascii_digit() && out.ends_with(|last: char| last.is_ascii_digit()) {
            out.push('_');
        }
        out.push(first.to_ascii_uppercase());
        out.push_str(&letters.as_str().to_lowercase());
    }
    identifier(out, "Type")
}

/// A name that is kept, but for what cannot be an identifier.
pub(super) fn kept(name: &str) -> String {
    identifier(name.to_owned(), "_")
}

/// A type that has its name from the schema or a document: kept where it is a name of Rust's.
pub(crate) fn type_name(name: &str) -> String {
    let kept = name.starts_with(|first: char| first.is_ascii_uppercase()) && !name.contains('_');
    let name = if kept {
        identifier(name.to_owned(), "Type")
    } else {
        pascal(name)
    };
    if PRELUDE.contains(&name.as_str()) {
        return name + "_";
    }
    name
}

fn identifier(name: String, empty: &str) -> String {
    match name.as_bytes().first() {
        None => empty.to_owned(),
        Some(b'0'..=b'9') => format!("_{name}"),
        Some(_) if KEYWORDS.contains(&name.as_str()) => name + "_",
        Some(_) => name,
    }
}

/// The words of a name: split at underscores, before an upper-case letter after a lower-case one
/// or a digit, and before the last letter of an acronym (`HTMLText` is `HTML` and `Text`).
fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split('_').flat_map(|part| {
        let bytes = part.as_bytes();
        let mut starts = vec![0];
        for at in 1..bytes.len() {
            let (before, here) = (bytes[at - 1], bytes[at]);
            let next_is_lower = bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
            if here.is_ascii_uppercase() && (!before.is_ascii_uppercase() || next_is_lower) {
                starts.push(at);
            }
        }
        starts.push(bytes.len());
        let pairs: Vec<_> = starts
            .windows(2)
            .map(|pair| &part[pair[0]..pair[1]])
            .collect();
        pairs.into_iter().filter(|word| !word.is_empty())
    })
}

/// The names taken in one scope. Two GraphQL names that give one Rust name are told apart by a
/// number, in the order of the document or schema.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope(BTreeMap<String, usize>);

impl Scope {
    pub(super) fn with<'a>(reserved: impl IntoIterator<Item = &'a str>) -> Self {
        Self(
            reserved
                .into_iter()
                .map(|name| (name.to_owned(), 1))
                .collect(),
        )
    }

    /// Takes `name`, or `name_2`, `name_3` and so on.
    pub(super) fn claim(&mut self, name: String) -> String {
        let Some(count) = self.0.get_mut(&name) else {
            self.0.insert(name.clone(), 1);
            return name;
        };
        *count += 1;
        let next = format!("{}_{count}", name.trim_end_matches('_'));
        self.claim(next)
    }
}

#[cfg(test)]
mod tests {
    use super::{Scope, kept, pascal, snake, type_name};

    #[test]
    fn fields_are_in_snake_case() {
        let pairs = [
            ("countryCodeV2", "country_code_v2"),
            ("address1", "address1"),
            ("descriptionHTML", "description_html"),
            ("HTMLText", "html_text"),
            ("already_snake", "already_snake"),
            ("SHOUTED", "shouted"),
            ("__typename", "typename"),
            ("type", "type_"),
            ("self", "self_"),
            ("_", "field"),
            ("_2nd", "_2nd"),
            ("sku2Foo", "sku2_foo"),
        ];
        for (graphql, rust) in pairs {
            assert_eq!(snake(graphql), rust);
        }
    }

    #[test]
    fn variants_are_in_upper_camel_case() {
        let pairs = [
            ("COUNTRY_CODE", "CountryCode"),
            ("USD", "Usd"),
            ("pageInfo", "PageInfo"),
            ("_3D", "_3D"),
            ("V1_2", "V1_2"),
            ("self", "Self_"),
            ("MODEL_3D", "Model3D"),
        ];
        for (graphql, rust) in pairs {
            assert_eq!(pascal(graphql), rust);
        }
    }

    #[test]
    fn a_kept_name_is_an_identifier() {
        for (graphql, rust) in [("IN_USE", "IN_USE"), ("_", "__"), ("self", "self_")] {
            assert_eq!(kept(graphql), rust);
        }
    }

    #[test]
    fn types_keep_their_name_and_hide_nothing_of_the_prelude() {
        let pairs = [
            ("URLRedirect", "URLRedirect"),
            ("Money_Fields", "MoneyFields"),
            ("Option", "Option_"),
            ("productCard", "ProductCard"),
            ("Self", "Self_"),
        ];
        for (graphql, rust) in pairs {
            assert_eq!(type_name(graphql), rust);
        }
    }

    #[test]
    fn equal_names_are_told_apart() {
        let mut scope = Scope::with(["Data"]);
        let names = ["Data", "Page", "Page", "Page_2", "Page"];
        let claimed: Vec<_> = names.map(|name| scope.claim(name.to_owned())).into();
        assert_eq!(claimed, ["Data_2", "Page", "Page_2", "Page_2_2", "Page_3"]);
    }
}
