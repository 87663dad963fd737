use std::{
    collections::HashMap,
    future::{Future, poll_fn},
    pin::pin,
    sync::{Arc, Mutex, PoisonError},
    task::Poll,
    time::Instant,
};

use ::redis::{FromRedisValue, PushInfo, PushKind};
use tokio::sync::Notify;

use super::ahead;

/// The calls that the server sends to this worker, by the key of the bucket.
#[derive(Default)]
pub(super) struct Bells(Mutex<HashMap<String, Arc<Bell>>>);

#[derive(Default)]
struct Bell {
    rings: Notify,
    /// When the call is to be followed.
    at: Mutex<Option<Instant>>,
}

impl Bells {
    /// Takes what the server pushes. On the loss of the connection all bells ring: calls made
    /// meanwhile are lost.
    pub(super) fn push(&self, push: PushInfo) {
        match push.kind {
            PushKind::Message => {
                let message = push.data.into_iter().nth(1);
                let message = message.and_then(|value| String::from_redis_value(value).ok());
                if let Some((micros, key)) = message.as_deref().and_then(|m| m.split_once(' '))
                    && let Ok(micros) = micros.parse()
                {
                    self.bell(key).ring(ahead(micros));
                }
            }
            PushKind::Disconnection => {
                let bells: Vec<_> = self.with(|bells| bells.values().cloned().collect());
                for bell in bells {
                    bell.ring(ahead(0));
                }
            }
            _ => {}
        }
    }

    /// Forgets a call that has not been followed.
    pub(super) fn muffle(&self, key: &str) {
        if let Some(bell) = self.with(|bells| bells.get(key).cloned()) {
            bell.take();
        }
    }

    /// Until this worker is called in a bucket.
    pub(super) async fn rung(&self, key: &str) {
        let hearing = Hearing {
            bells: self,
            key,
            bell: self.bell(key),
        };
        let bell = &hearing.bell;
        let mut due = None;
        loop {
            due = bell.take().or(due);
            let Some(at) = due else {
                bell.rings.notified().await;
                continue;
            };
            let mut again = pin!(bell.rings.notified());
            let mut sleep = pin!(tokio::time::sleep_until(at.into()));
            let is_due = poll_fn(|context| {
                if sleep.as_mut().poll(context).is_ready() {
                    return Poll::Ready(true);
                }
                again.as_mut().poll(context).map(|()| false)
            });
            if is_due.await {
                return;
            }
        }
    }

    fn bell(&self, key: &str) -> Arc<Bell> {
        self.with(|bells| match bells.get(key) {
            Some(bell) => Arc::clone(bell),
            None => Arc::clone(bells.entry(key.to_owned()).or_default()),
        })
    }

    fn with<R>(&self, act: impl FnOnce(&mut HashMap<String, Arc<Bell>>) -> R) -> R {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Bell {
    fn ring(&self, at: Instant) {
        *self.at.lock().unwrap_or_else(PoisonError::into_inner) = Some(at);
        self.rings.notify_one();
    }

    fn take(&self) -> Option<Instant> {
        self.at
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }
}

/// Somebody listens. Bells to which nobody does are taken down.
struct Hearing<'a> {
    bells: &'a Bells,
    key: &'a str,
    bell: Arc<Bell>,
}

impl Drop for Hearing<'_> {
    fn drop(&mut self) {
        self.bells.with(|bells| {
            // One in the map, one here.
            if Arc::strong_count(&self.bell) == 2 {
                bells.remove(self.key);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use ::redis::{PushInfo, PushKind, Value};
    use tokio::time::{Instant, timeout};

    use super::Bells;

    fn message(text: &str) -> PushInfo {
        let value = |text: &str| Value::BulkString(text.as_bytes().to_vec());
        PushInfo {
            kind: PushKind::Message,
            data: vec![value("tollgate:worker:a"), value(text)],
        }
    }

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn a_call_is_followed_at_its_time_and_an_earlier_one_before() {
        let bells = Bells::default();
        let begun = Instant::now();
        bells.push(message("250000 a"));
        bells.rung("a").await;
        assert_eq!(begun.elapsed().as_millis(), 250);
        bells.push(message("900000 a"));
        let (rung, ()) = tokio::join!(timeout(SECOND, bells.rung("a")), async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            bells.push(message("0 a"));
        });
        rung.unwrap();
        assert_eq!(begun.elapsed().as_millis(), 350);
    }

    #[tokio::test(start_paused = true)]
    async fn others_and_nonsense_ring_nothing_and_a_lost_connection_rings_all() {
        let bells = Bells::default();
        for text in ["0 b", "soon a", "", "-1 a"] {
            bells.push(message(text));
        }
        assert!(timeout(SECOND, bells.rung("a")).await.is_err());
        let lost = PushInfo {
            kind: PushKind::Disconnection,
            data: Vec::new(),
        };
        let (rung, ()) = tokio::join!(timeout(SECOND, bells.rung("a")), async {
            tokio::task::yield_now().await;
            bells.push(lost);
        });
        rung.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_muffled_call_is_not_followed_and_unheard_bells_are_taken_down() {
        let bells = Bells::default();
        bells.push(message("0 a"));
        bells.muffle("a");
        assert!(timeout(SECOND, bells.rung("a")).await.is_err());
        assert!(bells.with(|bells| bells.is_empty()));
    }
}
