use crate::syntax::descriptions;

/// SDL without its descriptions: a third of the size of the real schema. Those that state a price
/// ("Complexity cost: 0.2 per variant.") stay, since pricing reads them.
#[must_use]
pub fn without_descriptions(sdl: &str) -> String {
    let mut bare = String::with_capacity(sdl.len());
    let mut kept = 0;
    for description in descriptions(sdl) {
        if sdl[description.clone()].contains("Complexity cost: ") {
            continue;
        }
        bare.push_str(&sdl[kept..description.start]);
        kept = description.end;
        let after = sdl[kept..].trim_start_matches([' ', '\t', '\r']);
        let before = bare.trim_end_matches([' ', '\t']).len();
        let opens_line = bare[..before].ends_with('\n') || before == 0;
        match after.strip_prefix('\n') {
            // The line goes with the description, when it holds nothing else.
            Some(rest) if opens_line => {
                bare.truncate(before);
                kept = sdl.len() - rest.len();
            }
            Some(_) => {}
            None => kept = sdl.len() - after.len(),
        }
    }
    bare.push_str(&sdl[kept..]);
    bare
}

#[cfg(test)]
mod tests {
    use super::without_descriptions;

    #[test]
    fn descriptions_go_with_their_lines_and_values_stay() {
        let sdl = r#""""
A shop, "the" shop.
"""
type Query {
  "Its name."
  name: String @deprecated(reason: "Use \"title\".")
  # "not a description"
  find("What." text: String = "all", "Which." tags: [String!] = ["a", "b"]): Int
}
"Kinds." enum Kind {
  "One." ONE
}
"#;
        let bare = r#"type Query {
  name: String @deprecated(reason: "Use \"title\".")
  # "not a description"
  find(text: String = "all", tags: [String!] = ["a", "b"]): Int
}
enum Kind {
  ONE
}
"#;
        assert_eq!(without_descriptions(sdl), bare);
    }

    #[test]
    fn prices_stay() {
        let sdl =
            "input I {\n  \"\"\"\n  Files. Complexity cost: 0.2 per file.\n  \"\"\"\n  a: Int\n}\n";
        assert_eq!(without_descriptions(sdl), sdl);
    }

    #[test]
    fn text_that_does_not_end_is_left_as_it_is() {
        for text in ["type A { \"\"\" a: Int", "\"", "type A { a(b: \"c): Int }"] {
            assert_eq!(without_descriptions(text), text);
        }
    }
}
