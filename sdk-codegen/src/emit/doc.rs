use std::fmt::Write as _;

/// Writes a doc comment: the first sentence of a description, on one line, with nothing in it
/// that could end the comment, hide from a reader, or be taken for a code example.
pub(super) fn doc(out: &mut String, indent: usize, text: Option<&str>) {
    let Some(line) = text.and_then(line) else {
        return;
    };
    let _ = writeln!(out, "{:indent$}/// {line}", "");
}

fn line(text: &str) -> Option<String> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let paragraph = text.trim_start().split("\n\n").next()?;
    let paragraph = paragraph.split("```").next()?;
    let paragraph = unlinked(paragraph);
    let words: Vec<String> = paragraph
        .split_whitespace()
        .map(|word| word.chars().filter(|letter| is_visible(*letter)).collect())
        .filter(|word: &String| !word.is_empty())
        .collect();
    (!words.is_empty()).then(|| first_sentence(&words).join(" "))
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

/// The rest of a paragraph is a click away, and doc comments are half of what is emitted.
fn first_sentence(words: &[String]) -> &[String] {
    let ends = |word: &String| word.ends_with('.') && !matches!(word.as_str(), "e.g." | "i.e.");
    let end = words
        .iter()
        .position(ends)
        .map_or(words.len(), |last| last + 1);
    &words[..end]
}

/// Neither a control character nor one that reorders or hides what follows.
fn is_visible(letter: char) -> bool {
    !letter.is_control()
        && !matches!(
            letter,
            '\u{61C}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
                | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}'
        )
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
