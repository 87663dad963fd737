//! How fast answers are decoded: the generated types, those of `graphql_client` for the same
//! document, and a struct written by hand for the document without unions.

mod answer;
mod hand;
mod peer;

use std::hint::black_box;
use std::time::{Duration, Instant};

use tollgate::Operation as _;

use crate::Failure;

tollgate::operations! { schema: "../schema/admin.graphql", documents: "queries" }

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The size of the answer, in kilobytes
    #[arg(long, default_value_t = 2000)]
    size: usize,
    /// How often each is decoded; the fastest counts
    #[arg(long, default_value_t = 40)]
    runs: usize,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let full = answer::text(args.size * 1000, answer::Media::Some);
    let plain = answer::text(args.size * 1000, answer::Media::None);
    let [ours, theirs] = fastest(
        args.runs,
        [&|| timed(|| Decode::decode(&full)), &|| {
            timed(|| serde_json::from_str::<peer::decode::ResponseData>(&full))
        }],
    )?;
    let [ours_plain, by_hand] = fastest(
        args.runs,
        [&|| timed(|| DecodePlain::decode(&plain)), &|| {
            timed(|| serde_json::from_str::<hand::Data>(&plain))
        }],
    )?;
    println!("{:>38} {:>9} {:>10}", "", "time", "throughput");
    for (what, text, time) in [
        ("fragments and unions, tollgate", &full, ours),
        ("fragments and unions, graphql_client", &full, theirs),
        ("plain, tollgate", &plain, ours_plain),
        ("plain, by hand with serde", &plain, by_hand),
    ] {
        let throughput = text.len() as f64 / time.as_secs_f64() / 1e6;
        println!(
            "{what:>38} {:>6.2} ms {throughput:>5.0} MB/s",
            time.as_secs_f64() * 1e3
        );
    }
    let ratio = |slower: Duration, faster: Duration| slower.as_secs_f64() / faster.as_secs_f64();
    println!(
        "ratio_peer={:.2} ratio_hand={:.2}",
        ratio(theirs, ours),
        ratio(ours_plain, by_hand)
    );
    Ok(())
}

/// How long decoding takes; not what follows, when the answer is dropped.
fn timed<T, E>(decode: impl FnOnce() -> Result<T, E>) -> Result<Duration, Failure>
where
    E: std::error::Error + Send + Sync + 'static,
{
    let start = Instant::now();
    let answer = black_box(decode());
    let took = start.elapsed();
    answer?;
    Ok(took)
}

/// The least time of each, taken in turns so that a busy moment hits both.
fn fastest<const N: usize>(
    runs: usize,
    all: [&dyn Fn() -> Result<Duration, Failure>; N],
) -> Result<[Duration; N], Failure> {
    let mut times = [Duration::MAX; N];
    for _ in 0..runs.max(1) {
        for (time, measure) in times.iter_mut().zip(all) {
            *time = (*time).min(measure()?);
        }
    }
    Ok(times)
}
