//! What a call costs in the client itself: price, encode, gate, ledger, reading the answer; with
//! a transport that answers at once. And what waiting in a long queue costs.

use std::borrow::Cow;

use bytes::Bytes;
use tollgate::{
    Client, CostError, DecodeError, MilliPoints, Operation, OperationKind, Plan, Points,
    TransportError,
    cost::{Fields, Item, Node, Parameter, Size},
    transport::BoxFuture,
};

use crate::Failure;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Calls of the single task
    #[arg(long, default_value_t = 200_000)]
    calls: u32,
    /// How long the queues are
    #[arg(long, value_delimiter = ',', default_value = "10,100,1000,10000,30000")]
    waiters: Vec<u32>,
}

/// A page of products with variants: two connections sized by variables.
struct ProductPage;

struct Variables {
    first: i64,
    variants: i64,
    after: &'static str,
}

impl Fields for Variables {
    fn member(&self, index: usize) -> Option<(&str, &dyn Item)> {
        match index {
            0 => Some(("first", &self.first)),
            1 => Some(("variants", &self.variants)),
            _ => None,
        }
    }
}

const fn parameter(name: &'static str) -> Parameter {
    Parameter {
        name: Cow::Borrowed(name),
        default: None,
        assumed: 250,
        max: Some(250),
    }
}

static PLAN: Plan = Plan {
    root: Node::Connection {
        sizes: Cow::Borrowed(&[Size::Parameter(0)]),
        children: Cow::Borrowed(
            &const {
                [
                    Node::Const(MilliPoints::from_points(3)),
                    Node::Connection {
                        sizes: Cow::Borrowed(&[Size::Parameter(1)]),
                        children: Cow::Borrowed(
                            &const { [Node::Const(MilliPoints::from_points(1))] },
                        ),
                    },
                ]
            },
        ),
    },
    parameters: Cow::Borrowed(&const { [parameter("first"), parameter("variants")] }),
};

impl Operation for ProductPage {
    type Variables = Variables;
    type Data = usize;
    const NAME: &'static str = "ProductPage";
    const KIND: OperationKind = OperationKind::Query;
    const DOCUMENT: &'static str = "query ProductPage($first:Int!$variants:Int!$after:String){products(first:$first after:$after sortKey:UPDATED_AT){pageInfo{hasNextPage endCursor}nodes{id title handle status updatedAt featuredMedia{id}variants(first:$variants){nodes{id sku price inventoryItem{id}}}}}}";
    const PLAN: &'static Plan = &PLAN;
    const MAX_COST: Points = Points(200);

    fn cost(variables: &Variables) -> Result<Points, CostError> {
        PLAN.price(variables)
    }

    fn encode(variables: &Variables, out: &mut Vec<u8>) {
        let Variables {
            first,
            variants,
            after,
        } = variables;
        let text = format!(r#"{{"first":{first},"variants":{variants},"after":"{after}"}}"#);
        out.extend_from_slice(text.as_bytes());
    }

    fn decode(data: &str) -> Result<usize, DecodeError> {
        Ok(data.len())
    }
}

/// Answers at once, always the same: a bucket that never empties.
struct Echo(Bytes);

impl tollgate::Transport for Echo {
    fn send(
        &self,
        _: http::Request<Bytes>,
        _: usize,
    ) -> BoxFuture<'_, Result<http::Response<Bytes>, TransportError>> {
        Box::pin(async { Ok(http::Response::new(self.0.clone())) })
    }
}

const VARIABLES: Variables = Variables {
    first: 50,
    variants: 10,
    after: "eyJsYXN0X2lkIjo4MTIzfQ==",
};

fn shop(maximum: u64, available: u64, rate: u64) -> Result<Client, Failure> {
    let body = format!(
        r#"{{"data":{{"products":{{"nodes":[]}}}},"extensions":{{"cost":{{"requestedQueryCost":72,"actualQueryCost":72,"throttleStatus":{{"maximumAvailable":{maximum}.0,"currentlyAvailable":{available},"restoreRate":{rate}.0}}}}}}}}"#
    );
    let shop = Client::builder("bench.myshopify.com", "token");
    Ok(shop.transport(Echo(Bytes::from(body))).build()?)
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let single = single(args.calls)?;
    println!("waiters  µs per call  over log2(n), from entering the queue to its answer");
    for waiters in &args.waiters {
        // Short queues often enough for the clock of the processor's time to notice.
        let times = (ENOUGH / (*waiters).max(1)).max(1);
        let mut all = 0.0;
        for _ in 0..times {
            all += queued(*waiters)?;
        }
        let us = all / f64::from(times);
        println!(
            "{waiters:>7}  {us:>11.2}  {:.2}",
            us / f64::from(*waiters).log2()
        );
    }
    println!("us_per_call={single:.2}");
    Ok(())
}

/// The rounds of the single task.
const ROUNDS: u32 = 101;

/// Calls that each line of the curve is measured over, at least.
const ENOUGH: u32 = 30_000;

/// The time that this thread has had a processor, in µs: what else the machine does is not in it.
fn busy() -> Result<f64, Failure> {
    let schedule = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanos: f64 = schedule.split(' ').next().unwrap_or_default().parse()?;
    Ok(nanos / 1e3)
}

/// One task, one call after the other: the median of many rounds.
fn single(calls: u32) -> Result<f64, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    runtime.block_on(async {
        let shop = shop(1_000_000_000, 1_000_000_000, 1_000_000)?;
        let per_round = (calls / ROUNDS).max(1);
        let mut rounds = Vec::new();
        for _ in 0..ROUNDS {
            let begun = busy()?;
            for _ in 0..per_round {
                let _ = shop.run::<ProductPage>(VARIABLES).await?;
            }
            rounds.push((busy()? - begun) / f64::from(per_round));
        }
        rounds.sort_by(f64::total_cmp);
        Ok(rounds[rounds.len() / 2])
    })
}

/// Many tasks that all wait for an empty bucket; the clock is simulated, the work is real.
fn queued(waiters: u32) -> Result<f64, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()?;
    runtime.block_on(async {
        let shop = shop(1000, 0, 50)?;
        // The first answer tells that nothing is there.
        let _ = shop.run::<ProductPage>(VARIABLES).await?;
        let begun = busy()?;
        let tasks: Vec<_> = (0..waiters)
            .map(|_| {
                let shop = shop.clone();
                tokio::spawn(async move { shop.run::<ProductPage>(VARIABLES).await.map(drop) })
            })
            .collect();
        for task in tasks {
            task.await??;
        }
        Ok((busy()? - begun) / f64::from(waiters))
    })
}
