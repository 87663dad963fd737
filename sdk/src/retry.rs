//! When a failed attempt is repeated: pure, from the counts so far to a wait or an end.

#[cfg(test)]
mod tests;

use std::time::Duration;

use crate::{
    OperationKind,
    classify::{Cure, Fault, Ran},
    event::WaitReason,
};

/// How often a call is tried again, and how long it waits in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetryPolicy {
    /// Requests sent for one call at most, whatever goes wrong. 1 to 100.
    pub attempts: u32,
    /// Of these, repetitions after failures of the server or the connection.
    pub failures: u32,
    /// Of these, repetitions after throttles by another limit than the cost.
    pub other_throttles: u32,
    /// The first wait after a failure; it doubles each time.
    pub first_backoff: Duration,
    /// The longest wait after a failure.
    pub longest_backoff: Duration,
    /// The longest `Retry-After` that is waited for.
    pub longest_retry_after: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            attempts: 12,
            failures: 4,
            other_throttles: 4,
            first_backoff: Duration::from_millis(250),
            longest_backoff: Duration::from_secs(10),
            longest_retry_after: Duration::from_secs(300),
        }
    }
}

/// Why a policy is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RetryPolicyError {
    /// `attempts` out of range.
    #[error("`attempts` is {0}; it must be from 1 to 100")]
    Attempts(u32),
    /// The waits contradict each other.
    #[error("`first_backoff` must be above zero and at most `longest_backoff`")]
    Backoff,
}

impl RetryPolicy {
    /// One attempt, no repetition.
    #[must_use]
    pub fn once() -> Self {
        Self {
            attempts: 1,
            ..Self::default()
        }
    }

    const MOST_ATTEMPTS: u32 = 100;

    /// A policy near to this one that [`Self::check`] takes.
    pub(crate) fn within_range(self) -> Self {
        let first_backoff = match self.first_backoff {
            Duration::ZERO => LEAST_WAIT,
            first => first,
        };
        Self {
            attempts: self.attempts.clamp(1, Self::MOST_ATTEMPTS),
            first_backoff,
            longest_backoff: self.longest_backoff.max(first_backoff),
            ..self
        }
    }

    pub(crate) fn check(&self) -> Result<(), RetryPolicyError> {
        if !(1..=Self::MOST_ATTEMPTS).contains(&self.attempts) {
            return Err(RetryPolicyError::Attempts(self.attempts));
        }
        if self.first_backoff.is_zero() || self.first_backoff > self.longest_backoff {
            return Err(RetryPolicyError::Backoff);
        }
        Ok(())
    }
}

/// No throttle is repeated sooner.
pub(crate) const LEAST_WAIT: Duration = Duration::from_millis(25);

/// Where jitter after an exact wait ends.
const MOST_JITTER: Duration = Duration::from_millis(250);

/// What to do after a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Give up.
    Fail,
    /// Ask for another token, then again at once.
    Renew,
    /// Wait, then again.
    Wait {
        reason: WaitReason,
        length: Duration,
    },
}

/// What has been tried for one call.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tried {
    pub(crate) attempts: u32,
    failures: u32,
    pub(crate) throttles: u32,
    other_throttles: u32,
    renewed: bool,
}

impl Tried {
    /// Decides after a fault. `rate` is the restore rate in points per second, if it is one to wait
    /// for; `jitter` a random number from 0 to 1.
    pub(crate) fn after(
        &mut self,
        fault: &Fault,
        call: (OperationKind, bool),
        policy: &RetryPolicy,
        rate: Option<f64>,
        jitter: f64,
    ) -> Next {
        let (kind, idempotent) = call;
        let safe = kind == OperationKind::Query || idempotent || fault.ran == Ran::No;
        if self.attempts >= policy.attempts || !safe {
            return Next::Fail;
        }
        match fault.cure {
            Cure::None => Next::Fail,
            Cure::Token if self.renewed => Next::Fail,
            Cure::Token => {
                self.renewed = true;
                Next::Renew
            }
            Cure::Points {
                requested,
                available,
            } => {
                self.throttles += 1;
                let figures = requested.zip(available).zip(rate);
                let deficit = figures.map(|((requested, available), rate)| {
                    let missing = crate::ledger::float(requested) - available;
                    Duration::try_from_secs_f64((missing / rate).max(0.0)).unwrap_or(Duration::MAX)
                });
                // Without figures there is no exact wait.
                let exact = deficit.unwrap_or_else(|| backoff(self.throttles, policy, 0.0));
                Next::Wait {
                    reason: WaitReason::Throttled,
                    length: jittered(exact.max(LEAST_WAIT), jitter),
                }
            }
            Cure::Patience if self.other_throttles >= policy.other_throttles => Next::Fail,
            Cure::Patience => {
                self.other_throttles += 1;
                Next::Wait {
                    reason: WaitReason::OtherThrottle,
                    // One step further than after a failure: such limits are slow.
                    length: backoff(self.other_throttles + 1, policy, jitter),
                }
            }
            Cure::After(Some(named)) if named > policy.longest_retry_after => Next::Fail,
            Cure::After(Some(named)) => self.failure(
                policy,
                WaitReason::RetryAfter,
                jittered(named.max(LEAST_WAIT), jitter),
            ),
            Cure::After(None) | Cure::Again => {
                let length = backoff(self.failures + 1, policy, jitter);
                self.failure(policy, WaitReason::Backoff, length)
            }
        }
    }

    fn failure(&mut self, policy: &RetryPolicy, reason: WaitReason, length: Duration) -> Next {
        if self.failures >= policy.failures {
            return Next::Fail;
        }
        self.failures += 1;
        Next::Wait { reason, length }
    }
}

/// An exact wait with up to 5 % more, so that processes that wait for the same part again.
fn jittered(exact: Duration, jitter: f64) -> Duration {
    let most = (exact / 20).min(MOST_JITTER);
    exact.saturating_add(most.mul_f64(jitter.clamp(0.0, 1.0)))
}

/// The wait before repetition `number` (from 1): doubling, with up to a quarter more, and never
/// above the longest.
fn backoff(number: u32, policy: &RetryPolicy, jitter: f64) -> Duration {
    let doubled = 2_u32.saturating_pow(number.saturating_sub(1));
    // Room for the jitter below the longest: cut afterwards it would be gone just where all wait.
    let longest = policy.longest_backoff.mul_f64(0.8);
    let exact = policy.first_backoff.saturating_mul(doubled).min(longest);
    exact.mul_f64(1.0 + 0.25 * jitter.clamp(0.0, 1.0))
}
