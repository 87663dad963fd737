//! How output looks: one set of styles for all commands.

use std::error::Error as _;
use std::fmt::{self, Display};
use std::io::Write as _;

use anstyle::{AnsiColor, Style};
use tollgate_codegen::diagnostic::Diagnostics;
use tollgate_codegen::pricing::grouped;
use tollgate_cost::MilliPoints;

use crate::error::Error;

pub(crate) const STRONG: Style = Style::new().bold();
pub(crate) const FAINT: Style = Style::new().dimmed();
pub(crate) const BAR: Style = AnsiColor::Cyan.on_default();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();

/// When to colour the output.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Into pipes and files too
    Always,
    /// Nowhere
    Never,
}

impl Color {
    /// Decides for all streams of the process.
    pub(crate) fn choose(self) {
        match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}

/// Something in a style; a stream that shows no colours drops the codes.
pub(crate) struct Styled<T>(Style, T);

pub(crate) fn styled<T: Display>(style: Style, text: T) -> Styled<T> {
    Styled(style, text)
}

impl<T: Display> Display for Styled<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(style, text) = self;
        // Width and alignment are for the text, not for the codes around it.
        write!(f, "{style}")?;
        text.fmt(f)?;
        write!(f, "{style:#}")
    }
}

/// `1 operation`, `2 operations`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// `1 234`.
pub(crate) fn whole(number: u64) -> String {
    grouped(MilliPoints::from_points(number))
}

/// Says something beside the output, which is data. Where it cannot be written there is nobody to
/// tell, and what runs goes on.
pub(crate) fn tell(text: impl Display) {
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// An error with its causes. Diagnostics say `error:` themselves.
pub(crate) fn error(error: &Error) -> String {
    if let Error::Documents(diagnostics) = error {
        return problems(diagnostics);
    }
    // Diagnostics have several lines; in the words of a server a newline is not ours.
    let own_lines = matches!(
        error,
        Error::NotSchema(_)
            | Error::Start(_)
            | Error::Source(_)
            | Error::Wrong(_)
            | Error::NothingToPull
            | Error::NoSchema(_)
    );
    let safe = |text: &str| match own_lines {
        true => text.lines().map(shown).collect::<Vec<_>>().join("\n"),
        false => shown(text),
    };
    let head = styled(BAD, "error");
    let mut text = format!("{head}: {}", safe(&error.to_string()));
    let mut said = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        // Some errors repeat their cause in their own sentence.
        if !said.contains(&more) {
            text.push_str(&format!("\n  because {}", safe(&more)));
        }
        said = more;
        cause = error.source();
    }
    text
}

/// Text of others as diagnostics show it, in one line.
pub(crate) fn shown(text: &str) -> String {
    tollgate_codegen::diagnostic::shown(text).replace('\n', "\\u{a}")
}

/// Diagnostics, their first words in colour and their frames faint.
pub(crate) fn problems(diagnostics: &Diagnostics) -> String {
    let text = diagnostics.to_string();
    let lines = text.trim_end().lines().map(|line| {
        let heads = [("error", BAD), ("warning", WARN.bold()), ("help", GOOD)];
        let head = heads.iter().find_map(|(word, style)| {
            let rest = line.strip_prefix(word)?;
            rest.starts_with(": ")
                .then(|| format!("{}{rest}", styled(*style, word)))
        });
        head.or_else(|| {
            let (gutter, rest) = line.split_at(line.find(['│', '┌'])?);
            let bar = rest.chars().next()?;
            let faint = styled(FAINT, format!("{gutter}{bar}"));
            Some(format!("{faint}{}", &rest[bar.len_utf8()..]))
        })
        .unwrap_or_else(|| line.to_owned())
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// How many letters a full bar takes.
const WIDTH: u64 = 24;

/// `part` of `whole` as a bar, to an eighth of a letter.
pub(crate) fn bar(part: u64, whole: u64) -> String {
    let part = u128::from(part.min(whole));
    let eighths = part * u128::from(WIDTH * 8) / u128::from(whole.max(1));
    blocks(usize::try_from(eighths).unwrap_or_default())
}

/// A bar of so many eighths of a letter.
pub(crate) fn blocks(eighths: usize) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    format!("{}{}", "█".repeat(eighths / 8), PARTS[eighths % 8])
}

#[cfg(test)]
mod tests {
    use super::{bar, error, shown};
    use crate::error::Error;

    #[test]
    fn the_words_of_others_do_not_move_the_cursor() {
        assert_eq!(
            shown("a\u{1b}[2J\nb\u{202e}\t\u{9b}é"),
            "a\\u{1b}[2J\\u{a}b\\u{202e} \\u{9b}é"
        );
        let server = "no\u{1b}[31m\nerror: gone";
        let text = error(&Error::Run(server.into()));
        assert!(text.ends_with(r": no\u{1b}[31m\u{a}error: gone"), "{text}");
        let text = error(&Error::Wrong("two\nlines\u{1b}".into()));
        assert!(text.ends_with("two\nlines\\u{1b}"), "{text}");
    }

    #[test]
    fn bars_are_as_long_as_their_share() {
        assert_eq!(bar(0, 100), "");
        assert_eq!(bar(1, 2), "█".repeat(12));
        assert_eq!(bar(7, 7), "█".repeat(24));
        assert_eq!(bar(9, 7), "█".repeat(24));
        assert_eq!(bar(1, 48), "▌");
        assert_eq!(bar(u64::MAX, u64::MAX), "█".repeat(24));
        assert_eq!(bar(0, 0), "");
    }
}
