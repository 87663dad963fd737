//! One of the processes.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use tokio::task::JoinSet;
use tollgate::{Client, Event, What, shared::RedisLedger};

use super::{PROCESSES, TASKS, wire::Wire};
use crate::Failure;
use crate::gate::{till::Spend, work::Work};

#[derive(clap::Args)]
pub(crate) struct Part {
    /// Where the shop is
    #[arg(long, hide = true)]
    pub(super) shop: Option<SocketAddr>,
    /// Which of the processes this is
    #[arg(long, hide = true, default_value_t = 0)]
    number: usize,
    /// Where the shared ledger is, if there is one
    #[arg(long, hide = true)]
    redis: Option<String>,
}

/// Makes every fourth call, in order.
pub(super) async fn run(part: &Part, shop: SocketAddr, calls: u64) -> Result<(), Failure> {
    let mut builder = Client::builder("bench.myshopify.com", "token").transport(Wire(shop));
    if let Some(url) = &part.redis {
        builder = builder.ledger(RedisLedger::connect(url).await?);
    }
    // A machine that is too busy for the store's patience says little of the store.
    let away = Arc::new(AtomicUsize::new(0));
    let note = Arc::clone(&away);
    let shop = builder.observer(move |event: &Event<'_>| {
        if matches!(event.what, What::LedgerAway { .. }) {
            note.fetch_add(1, Ordering::Relaxed);
        }
    });
    let shop = shop.build()?;
    let jobs = Work::mixed(calls, 0).jobs().into_iter();
    let jobs: Arc<Vec<_>> = Arc::new(jobs.skip(part.number).step_by(PROCESSES).collect());
    let next = Arc::new(AtomicUsize::new(0));
    let mut tasks = JoinSet::new();
    for _ in 0..TASKS {
        let (shop, jobs, next) = (shop.clone(), Arc::clone(&jobs), Arc::clone(&next));
        tasks.spawn(async move {
            while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                let _ = shop.run::<Spend>(job.purchase).await?;
            }
            Ok::<_, tollgate::Error>(())
        });
    }
    while let Some(ended) = tasks.join_next().await {
        ended??;
    }
    let away = away.load(Ordering::Relaxed);
    if away > 0 {
        println!(
            "process {} went by its own ledger {away} times: the store was slow",
            part.number
        );
    }
    Ok(())
}
