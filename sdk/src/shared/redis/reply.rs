//! What the script replies: words in one text.

use std::time::Duration;

use crate::{
    ledger::Level,
    shared::{Grant, Next, Standing, StoreError},
};

pub(super) fn grant(text: &str) -> Option<Grant> {
    let mut words = text.splitn(5, ' ');
    let granted = words.next()?.parse().ok()?;
    let next = words.next()?;
    let in_turn = time(words.next()?)?;
    let alone = time(words.next()?)?;
    let standing = standing(words.next()?)?;
    let next = match next {
        "done" => Next::Done,
        "wait" => Next::Wait { in_turn, alone },
        "never" => Next::Never,
        _ => return None,
    };
    Some(Grant::new(granted, next, standing))
}

pub(super) fn standing(text: &str) -> Option<Standing> {
    let mut figures = text.split(' ').map(|word| {
        let figure = word.parse::<f64>().ok()?;
        figure.is_finite().then_some(figure)
    });
    let mut next = || figures.next().flatten();
    let (available, maximum, restore_rate) = (next()?, next()?, next()?);
    let (in_flight, calls, known) = (next()?, count(next()?)?, next()? > 0.0);
    let level = Level {
        available,
        maximum,
        restore_rate,
        in_flight,
        calls,
        foreign_rate: 0.0,
        known,
    };
    let (waiting, throttles) = (count(next()?)?, next()?);
    let sane = maximum > 0.0 && restore_rate > 0.0 && figures.next().is_none();
    sane.then(|| Standing::new(level, waiting, throttles))
}

pub(super) fn unreadable(text: &str) -> StoreError {
    let start: String = text.chars().take(200).collect();
    StoreError::new(format!("a reply that makes no sense: {start:?}"))
}

/// Microseconds; below zero: no time helps.
#[expect(clippy::option_option, reason = "unreadable, or no time")]
fn time(word: &str) -> Option<Option<Duration>> {
    let micros: i64 = word.parse().ok()?;
    Some(u64::try_from(micros).ok().map(Duration::from_micros))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be in range"
)]
fn count(figure: f64) -> Option<usize> {
    (0.0..=1e9).contains(&figure).then_some(figure as usize)
}

/// Reads any text as a reply.
#[cfg(fuzzing)]
pub fn fuzz_reply(text: &str) {
    if grant(text).is_none() && standing(text).is_none() {
        let _ = unreadable(text).to_string();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{grant, standing};
    use crate::shared::Next;

    #[test]
    fn a_reply_is_read() {
        let read = grant("2 wait 1500 -1 -30.5 1000 50 200 3 1 4 2.25").unwrap();
        assert_eq!(read.granted, 2);
        let in_turn = Some(Duration::from_micros(1500));
        assert_eq!(
            read.next,
            Next::Wait {
                in_turn,
                alone: None
            }
        );
        assert_eq!(read.standing.level.available, -30.5);
        assert_eq!(read.standing.level.calls, 3);
        assert_eq!((read.standing.waiting, read.standing.throttles), (4, 2.25));
        assert!(read.standing.level.known);
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            "1",
            "1 done",
            "1 done 0 0",
            "x done 0 0 1 1 1 1 1 1 1 1",
            "1 gone 0 0 1 1 1 1 1 1 1 1",
            "1 done 0 0 nan 1 1 1 1 1 1 1",
            "1 done 0 0 1 1 0 1 1 1 1 1",
            "1 done 0 0 1 1 1 1 -1 1 1 1",
            "1 done 0 0 1 1 1 1 1 1 1 1 1",
        ] {
            assert_eq!(grant(text), None, "{text}");
        }
        assert_eq!(standing("1 2 3"), None);
        let long = super::unreadable(&"x".repeat(1 << 20)).to_string();
        assert!(long.len() < 300, "{}", long.len());
    }
}
