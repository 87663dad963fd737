//! What taking points and settling them takes.

use std::time::{Duration, Instant};

use tollgate::{
    Points,
    ledger::{Charge, ThrottleStatus},
    shared::{Application, Bid, Bucket, Ending, RedisLedger, Settlement, Store},
};

use super::Server;
use crate::Failure;

const TRIPS: u64 = 2000;

pub(super) async fn measure(server: &Server) -> Result<(), Failure> {
    let ledger = RedisLedger::connect(&server.url()).await?;
    let store = ledger.store();
    let bucket = Bucket::new("bench", "round trip");
    let status = ThrottleStatus::new(2000.0, 2000.0, 1000.0);
    let mut times = Vec::new();
    for number in 0..TRIPS {
        let begun = Instant::now();
        let application = Application::new("one", number, vec![Bid::new(Points(1))]);
        store.apply(&bucket, &application).await?;
        let charge = Charge::Actual(Points(1));
        let ending = Ending::Sent { charge, status };
        let settlement = Settlement::new("one", Some(number), ending);
        store.settle(&bucket, &settlement).await?;
        times.push(begun.elapsed());
    }
    times.sort_unstable();
    let at = |share: usize| times.get(times.len() * share / 100).copied();
    let micros = |time: Option<Duration>| time.unwrap_or_default().as_micros();
    println!(
        "reserve and settle, there and back: p50 {} µs, p99 {} µs",
        micros(at(50)),
        micros(at(99))
    );
    Ok(())
}
