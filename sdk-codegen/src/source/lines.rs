use std::fmt;
use std::sync::{Arc, OnceLock};

/// How many bytes of a line may lie behind a mark: the most that a look-up counts.
const STEP: usize = 1024;

/// Where the lines of a text start, found when the first place is asked for. A text may be one long
/// line, so that has marks, too.
#[derive(Clone, Default)]
pub(super) struct Lines(Arc<OnceLock<Vec<Mark>>>);

/// A place whose line and column are known.
#[derive(Clone, Copy)]
struct Mark {
    at: usize,
    line: usize,
    column: usize,
}

impl Lines {
    /// Line and column of a place in the text, both counted from 1.
    pub(super) fn place(&self, text: &str, at: usize) -> (usize, usize) {
        let marks = self.0.get_or_init(|| marks(text));
        let behind = marks.partition_point(|mark| mark.at <= at);
        let first = Mark {
            at: 0,
            line: 1,
            column: 1,
        };
        let mark = behind.checked_sub(1).map_or(first, |index| marks[index]);
        let between = text.get(mark.at..at).unwrap_or_default();
        (mark.line, mark.column + between.chars().count())
    }
}

fn marks(text: &str) -> Vec<Mark> {
    let mut marks = Vec::new();
    let mut start = 0;
    for (index, text) in text.split_inclusive('\n').enumerate() {
        let mut mark = Mark {
            at: start,
            line: index + 1,
            column: 1,
        };
        marks.push(mark);
        start += text.len();
        if text.len() <= STEP {
            continue;
        }
        for (column, (at, _)) in text.char_indices().enumerate() {
            if start - text.len() + at >= mark.at + STEP {
                mark.at = start - text.len() + at;
                mark.column = column + 1;
                marks.push(mark);
            }
        }
    }
    // What ends with a line break has one more line, an empty one.
    if let Some(last) = marks.last().filter(|_| text.ends_with('\n')) {
        marks.push(Mark {
            at: start,
            line: last.line + 1,
            column: 1,
        });
    }
    marks
}

/// They follow from the text, and add nothing to it.
impl PartialEq for Lines {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Lines {}

impl fmt::Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lines")
    }
}

#[cfg(test)]
mod tests {
    use crate::source::Source;

    /// As one would count.
    fn counted(text: &str, at: usize) -> (usize, usize) {
        let before = &text[..at];
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.matches('\n').count() + 1;
        (line, before[start..].chars().count() + 1)
    }

    #[test]
    fn places_are_those_that_one_counts() {
        let long = "aé✓".repeat(1000);
        for text in [
            "",
            "\n",
            "a\n\nbé\r\nc",
            &format!("{long}\nx{long}\n{long}"),
            &long,
        ] {
            let source = Source::new("a", text);
            for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                assert_eq!(
                    source.line_column(at),
                    counted(text, at),
                    "{at} of {}",
                    text.len()
                );
            }
        }
        // Inside a letter, and behind the end.
        assert_eq!(Source::new("a", "éb").line_column(1), (1, 1));
        assert_eq!(Source::new("a", "éb").line_column(9), (1, 3));
    }

    #[test]
    fn a_place_in_a_long_line_is_looked_up() {
        let source = Source::new("a", "é".repeat(2_000_000));
        let start = std::time::Instant::now();
        for index in 0..100_000 {
            assert_eq!(source.line_column(index * 40), (1, index * 20 + 1));
        }
        // Counting from the start each time takes minutes.
        let took = start.elapsed();
        assert!(took < std::time::Duration::from_secs(20), "{took:?}");
    }
}
