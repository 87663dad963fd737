//! The loops that people write around a throttled call.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tollgate::Transport as _;

use super::{
    Jobs, seconds,
    till::{Purchase, Till},
};

/// Their names, and how they drive the jobs.
pub(super) const LOOPS: [(&str, super::Driver); 2] = [
    ("sleep one second, try again", |till, jobs| {
        Ok(drive(&till, &jobs, |_| Duration::from_secs(1)))
    }),
    ("exact wait, no gate", |till, jobs| {
        Ok(drive(&till, &jobs, |cost| {
            let requested = cost["requestedQueryCost"].as_f64().unwrap_or(0.0);
            let status = &cost["throttleStatus"];
            let available = status["currentlyAvailable"].as_f64().unwrap_or(0.0);
            let rate = status["restoreRate"].as_f64().unwrap_or(1.0);
            seconds(((requested - available) / rate).max(0.0))
        }))
    }),
];

/// Far more than such loops usually try, so that all jobs come to their end.
const TRIES: u32 = 2000;

fn drive(till: &Till, jobs: &Arc<Jobs>, wait: fn(&Value) -> Duration) -> JoinSet<u64> {
    let mut tasks = JoinSet::new();
    for _ in 0..jobs.tasks {
        let (till, jobs) = (till.clone(), Arc::clone(jobs));
        tasks.spawn(async move {
            let mut failed = 0;
            while let Some(job) = jobs.next() {
                let mut done = false;
                for _ in 0..TRIES {
                    match send(&till, &job.purchase).await {
                        Some(throttled) => tokio::time::sleep(wait(&throttled)).await,
                        None => {
                            done = true;
                            break;
                        }
                    }
                }
                failed += u64::from(!done);
            }
            failed
        });
    }
    tasks
}

/// The cost block of a throttle; nothing if the call went through.
async fn send(till: &Till, purchase: &Purchase) -> Option<Value> {
    let variables = json!({
        "id": purchase.id,
        "requested": purchase.requested,
        "actual": purchase.actual,
    });
    let body = json!({ "query": "{ spend }", "variables": variables });
    let request = http::Request::new(Bytes::from(body.to_string()));
    let answer = till.send(request, usize::MAX).await.ok()?;
    let body: Value = serde_json::from_slice(answer.body()).ok()?;
    body.get("errors")?;
    Some(body["extensions"]["cost"].clone())
}
