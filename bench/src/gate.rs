//! Makespan, throttles and waits of mixed calls on one bucket, on simulated time: through the
//! client, through a client that sees the future, and through the loops that people write.

pub(crate) mod clairvoyant;
mod naive;
mod spender;
#[path = "../../sdk/tests/it/till.rs"]
#[allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::cast_possible_truncation
)]
pub(crate) mod till;
pub(crate) mod work;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{task::JoinSet, time::Instant};
use tollgate::Client;

use self::{
    spender::Spending,
    till::{Spend, Till},
    work::{Job, Work},
};
use crate::Failure;

/// The bucket: 2 000 points, 100 a second.
const BUCKET: Bucket = Bucket {
    maximum: 2000.0,
    rate: 100.0,
};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Calls in all
    #[arg(long, default_value_t = 300)]
    calls: u64,
    /// How many different loads; the worst figures count
    #[arg(long, default_value_t = 30)]
    seeds: u64,
}

/// What came of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) makespan: f64,
    worst_wait: f64,
    failed: u64,
    throttled: u64,
    requests: u64,
}

impl Outcome {
    fn share(&self) -> f64 {
        self.throttled as f64 / self.requests.max(1) as f64
    }
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let mut worst = Worst::default();
    for seed in 0..args.seeds {
        let work = Work::mixed(args.calls, seed);
        for tasks in [16, 200] {
            for foreign in [false, true] {
                let case = Case {
                    bucket: BUCKET,
                    work: work.clone(),
                    tasks,
                    spending: foreign.then(|| Spending::half_of(BUCKET.rate, seed)),
                };
                worst.take(&case, foreign, seed)?;
            }
        }
    }
    worst.print();
    Ok(())
}

/// The limits of a bucket, in points and points per second.
#[derive(Clone, Copy)]
pub(crate) struct Bucket {
    pub(crate) maximum: f64,
    pub(crate) rate: f64,
}

/// One load and how it is driven.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) bucket: Bucket,
    pub(crate) work: Work,
    pub(crate) tasks: usize,
    pub(crate) spending: Option<Spending>,
}

#[derive(Default)]
struct Worst {
    failed: u64,
    throttled: u64,
    makespan: f64,
    wait: f64,
    foreign_share: f64,
    foreign_makespan: f64,
    foreign_wait: f64,
}

impl Worst {
    fn take(&mut self, case: &Case, foreign: bool, seed: u64) -> Result<(), Failure> {
        let ideal = clairvoyant::run(case);
        let ours = simulate(case, client)?;
        let Bucket { maximum, rate } = case.bucket;
        let rate = if foreign { rate / 2.0 } else { rate };
        let least = (case.work.points() as f64 - maximum) / rate;
        let makespan = ours.makespan / ideal.makespan;
        let wait = ours.worst_wait / ideal.worst_wait;
        println!(
            "seed {seed}, {:>3} tasks, {}: least {least:.1} s, clairvoyant {:.1} s, ours {:.1} s \
             (× {makespan:.4}), throttled {} of {}, failed {}, worst wait {:.1} s against {:.1} s",
            case.tasks,
            if foreign {
                "others spend"
            } else {
                "alone       "
            },
            ideal.makespan,
            ours.makespan,
            ours.throttled,
            ours.requests,
            ours.failed,
            ours.worst_wait,
            ideal.worst_wait,
        );
        self.failed += ours.failed;
        if foreign {
            self.foreign_share = self.foreign_share.max(ours.share());
            self.foreign_makespan = self.foreign_makespan.max(makespan);
            self.foreign_wait = self.foreign_wait.max(wait);
        } else {
            self.throttled += ours.throttled;
            self.makespan = self.makespan.max(makespan);
            self.wait = self.wait.max(wait);
        }
        if seed == 0 {
            for (name, run) in naive::LOOPS {
                let outcome = simulate(case, run)?;
                println!(
                    "    {name}: × {:.3}, throttled {} of {}, failed {}, worst wait {:.1} s",
                    outcome.makespan / ideal.makespan,
                    outcome.throttled,
                    outcome.requests,
                    outcome.failed,
                    outcome.worst_wait,
                );
            }
        }
        Ok(())
    }

    fn print(&self) {
        println!(
            "worst wait over that of strict FIFO: alone × {:.3}, with others × {:.3}",
            self.wait, self.foreign_wait
        );
        println!(
            "failed={} throttled={} makespan_ratio={:.4} foreign_throttled_share={:.4} \
             foreign_makespan_ratio={:.4}",
            self.failed, self.throttled, self.makespan, self.foreign_share, self.foreign_makespan
        );
    }
}

/// How the jobs are sent: starts the tasks, each of which tells how many of its jobs failed.
type Driver = fn(Till, Arc<Jobs>) -> Result<JoinSet<u64>, Failure>;

/// The jobs left to do, taken in order.
struct Jobs {
    left: Mutex<std::vec::IntoIter<Job>>,
    begun: Mutex<Vec<(u64, Instant)>>,
    tasks: usize,
}

impl Jobs {
    fn next(&self) -> Option<Job> {
        let mut left = self.left.lock().unwrap_or_else(|e| e.into_inner());
        let job = left.next()?;
        let begun = (job.purchase.id, Instant::now());
        self.begun
            .lock()
            .unwrap_or_else(|e| e.into_inner())
            .push(begun);
        Some(job)
    }
}

/// Runs a case on simulated time against the counterfeit server.
fn simulate(case: &Case, driver: Driver) -> Result<Outcome, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()?;
    runtime.block_on(async {
        let ways = case.work.ways();
        let Bucket { maximum, rate } = case.bucket;
        let till = Till::by_call(maximum, rate, {
            let ways = ways.clone();
            move |id| ways.get(&id).copied().unwrap_or_default()
        });
        let begun = Instant::now();
        let spender = case.spending.clone().map(|spending| {
            let till = till.clone();
            tokio::spawn(async move { spending.spend(&till).await })
        });
        let jobs = Arc::new(Jobs {
            left: Mutex::new(case.work.jobs().into_iter()),
            begun: Mutex::default(),
            tasks: case.tasks,
        });
        let mut tasks = driver(till.clone(), Arc::clone(&jobs))?;
        let mut failed = 0;
        while let Some(outcome) = tasks.join_next().await {
            failed += outcome?;
        }
        if let Some(spender) = spender {
            spender.abort();
        }
        let count = till.count();
        let waits = jobs.begun.lock().unwrap_or_else(|e| e.into_inner());
        let wait = |(id, begun): &(u64, Instant)| {
            let charged = *count.charged_at.get(id)?;
            let [there, ..] = ways.get(id)?;
            Some((charged - *begun).saturating_sub(*there).as_secs_f64())
        };
        Ok(Outcome {
            makespan: begun.elapsed().as_secs_f64(),
            worst_wait: waits.iter().filter_map(wait).fold(0.0, f64::max),
            failed,
            throttled: count.throttled,
            requests: count.requests,
        })
    })
}

/// Our client.
fn client(till: Till, jobs: Arc<Jobs>) -> Result<JoinSet<u64>, Failure> {
    let mut tasks = JoinSet::new();
    let shop = Client::builder("bench.myshopify.com", "token")
        .transport(till)
        .build()?;
    for _ in 0..jobs.tasks {
        let (shop, jobs) = (shop.clone(), Arc::clone(&jobs));
        tasks.spawn(async move {
            let mut failed = 0;
            while let Some(job) = jobs.next() {
                failed += u64::from(shop.run::<Spend>(job.purchase).await.is_err());
            }
            failed
        });
    }
    Ok(tasks)
}

/// A time in seconds.
fn seconds(time: f64) -> Duration {
    Duration::from_secs_f64(time)
}
