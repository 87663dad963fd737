use std::time::Duration;

/// The longest time without a word to the store while calls wait: it shows that the worker is
/// alive, and finds out when the store has lost its place.
const NEAR: Duration = Duration::from_secs(2);

/// The same far back in a long queue: a thousand workers are not to keep the store busy by waiting.
const FAR: Duration = Duration::from_secs(20);

/// How long to wait without asking, by what the store told: who is first is called when he can go
/// earlier, so the others need not ask.
pub(super) fn until_sign(in_turn: Option<Duration>) -> Duration {
    in_turn.map_or(NEAR, |wait| wait.min((wait / 8).clamp(NEAR, FAR)))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::until_sign;

    #[test]
    fn who_is_near_asks_often_and_who_is_far_back_seldom() {
        for (in_turn, expected) in [
            (0, 0),
            (1, 1),
            (2, 2),
            (16, 2),
            (80, 10),
            (160, 20),
            (900, 20),
        ] {
            let wait = until_sign(Some(Duration::from_secs(in_turn)));
            assert_eq!(wait, Duration::from_secs(expected), "{in_turn}");
        }
        assert_eq!(until_sign(None), Duration::from_secs(2));
    }
}
