use std::fmt::Write as _;

use crate::diagnostic::hides;

/// Writes a doc comment: the first sentence of a description, on one line, with nothing in it
/// that could end the comment, hide from a reader, or be taken for a code example.
pub(super) fn doc(out: &mut String, indent: usize, text: Option<&str>) {
    let Some(line) = text.and_then(line) else {
        return;
    };
    let _ = writeln!(out, "{:indent$}/// {line}", "");
}

/// One pass, as far as the first sentence goes: doc comments are half of what is emitted, a macro
/// runs unoptimised, and the rest of a description is a click away.
fn line(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter.is_whitespace() {
            let paragraph = letter == '\n' && letters.peek() == Some(&'\n');
            if (paragraph && !out.is_empty()) || is_sentence(&out) {
                break;
            }
            if !out.is_empty() && !out.ends_with(' ') {
                out.push(' ');
            }
        } else if !hides(letter) {
            out.push(letter);
            if letter == '`' && out.ends_with("```") {
                out.truncate(out.len() - 3);
                break;
            }
        }
    }
    out.truncate(out.trim_end().len());
    if out.contains("](") {
        out = unlinked(&out);
    }
    (!out.is_empty()).then_some(out)
}

fn is_sentence(text: &str) -> bool {
    text.ends_with('.') && !text.ends_with("e.g.") && !text.ends_with("i.e.")
}

/// `[text](https://…)` as `text`: addresses are most of the length of some descriptions.
fn unlinked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("](") {
        let (before, link) = rest.split_at(at);
        let (Some(open), Some(end)) = (before.rfind('['), link.find(')')) else {
            break;
        };
        out.push_str(&before[..open]);
        out.push_str(&before[open + 1..]);
        rest = &link[end + 1..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::doc;

    fn written(text: &str) -> String {
        let mut out = String::new();
        doc(&mut out, 4, Some(text));
        out
    }

    #[test]
    fn is_the_first_sentence_on_one_line() {
        let text = "  The title\nof the product. More of it.\n\nAnd more.";
        assert_eq!(written(text), "    /// The title of the product.\n");
        assert_eq!(written(" \n "), "");
    }

    #[test]
    fn keeps_the_text_of_links() {
        let text = "A [product](https://x.y/z) in [a](b) list]( of [things.";
        assert_eq!(written(text), "    /// A product in a list]( of [things.\n");
    }

    #[test]
    fn cannot_be_left_or_run() {
        for text in ["a\rb", "a\r\nb", "a\u{2028}b", "a\u{B}b"] {
            let line = written(text);
            assert_eq!(line.lines().count(), 1, "{line:?}");
            assert!(line.starts_with("    /// a"), "{line:?}");
        }
        assert_eq!(written("Use:\n```\npanic!()\n```"), "    /// Use:\n");
        assert_eq!(written("    indented()"), "    /// indented()\n");
        assert_eq!(
            written("a\u{202E}b\u{200B}c */ \"#"),
            "    /// abc */ \"#\n"
        );
    }
}
