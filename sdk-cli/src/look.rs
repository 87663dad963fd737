//! What the commands have in common for the eye.

use anstyle::{AnsiColor, Style};

pub(crate) const STRONG: Style = Style::new().bold();
pub(crate) const FAINT: Style = Style::new().dimmed();
pub(crate) const BAR: Style = AnsiColor::Cyan.on_default();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();

/// How many letters a full bar takes.
const WIDTH: u64 = 24;

/// `part` of `whole` as a bar, to an eighth of a letter.
pub(crate) fn bar(part: u64, whole: u64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let part = u128::from(part.min(whole));
    let eighths = part * u128::from(WIDTH * 8) / u128::from(whole.max(1));
    let eighths = usize::try_from(eighths).unwrap_or_default();
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

#[cfg(test)]
mod tests {
    use super::bar;

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
