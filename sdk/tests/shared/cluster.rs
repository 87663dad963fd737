//! A cluster of three masters.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use tokio::{task::JoinSet, time::Instant};
use tollgate::{
    Client, Event, What,
    shared::{RedisLedger, RedisLedgerError, Store, conformance},
};

use crate::{
    Server, steady,
    till::{Purchase, Spend, Till},
};

const SLOTS: usize = 16_384;

/// Servers that share the slots among them.
struct Cluster(Vec<Server>);

impl Cluster {
    async fn start() -> Option<Self> {
        let mut nodes = Vec::new();
        for _ in 0..3 {
            let settings = [
                ["--cluster-enabled", "yes"],
                ["--cluster-node-timeout", "1000"],
                // A node that is away takes its own slots with it, not those of the others.
                ["--cluster-require-full-coverage", "no"],
            ];
            nodes.push(Server::start_with(settings.as_flattened()).await?);
        }
        let share = SLOTS.div_ceil(nodes.len());
        for (index, node) in nodes.iter().enumerate() {
            let slots = index * share..SLOTS.min((index + 1) * share);
            let slots: Vec<_> = slots.map(|slot| slot.to_string()).collect();
            let () = node
                .command(&format!("CLUSTER ADDSLOTS {}", slots.join(" ")))
                .await;
            let meet = format!("CLUSTER MEET 127.0.0.1 {}", nodes[0].port());
            let () = node.command(&meet).await;
        }
        let cluster = Self(nodes);
        cluster.agreed().await;
        Some(cluster)
    }

    /// Until each node knows that all slots are served.
    async fn agreed(&self) {
        let begun = Instant::now();
        for node in &self.0 {
            loop {
                let info: String = node.command("CLUSTER INFO").await;
                if info.contains("cluster_state:ok")
                    && info.contains(&format!("cluster_slots_ok:{SLOTS}"))
                    && info.contains("cluster_known_nodes:3")
                {
                    break;
                }
                assert!(begun.elapsed() < Duration::from_secs(30), "{info}");
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    }

    /// A ledger that was told one node; it finds the others.
    async fn connect(&self, patience: Duration) -> RedisLedger {
        let builder = RedisLedger::builder([self.0[0].url()]).cluster(true);
        builder.patience(patience).connect().await.unwrap()
    }
}

const PATIENT: Duration = Duration::from_secs(5);

fn client(shop: u64, till: &Till, ledger: &RedisLedger) -> tollgate::ClientBuilder {
    Client::builder(format!("shop-{shop}.myshopify.com"), "token")
        .transport(till.clone())
        .ledger(ledger)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_keeps_all_promises() {
    let Some(cluster) = Cluster::start().await else {
        return;
    };
    let mut handles: Vec<Arc<dyn Store>> = Vec::new();
    for _ in 0..3 {
        handles.push(Arc::new(cluster.connect(PATIENT).await.store()));
    }
    conformance::check(&handles).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shops_spread_over_the_nodes_and_workers_are_called_across_them() {
    let Some(cluster) = Cluster::start().await else {
        return;
    };
    let tills: Vec<Till> = (0..12)
        .map(|_| Till::new(1000.0, 500.0, steady(0, 2, 0)))
        .collect();
    for till in &tills {
        till.set_level(0.0);
    }
    let mut tasks = JoinSet::new();
    for _ in 0..3 {
        let ledger = cluster.connect(PATIENT).await;
        for (shop, till) in (0..).zip(&tills) {
            let client = client(shop, till, &ledger).build().unwrap();
            tasks.spawn(async move {
                for id in 0..10 {
                    let call = Purchase::of(id, 50, 20);
                    let _ = client.run::<Spend>(call).await.unwrap();
                }
            });
        }
    }
    tasks.join_all().await;
    let mut commands = 0;
    let mut seen = BTreeSet::new();
    for node in &cluster.0 {
        commands += node.scripts_run().await;
        let ledger = RedisLedger::connect(&node.url()).await.unwrap();
        let here = ledger.buckets().await.unwrap();
        assert!((1..12).contains(&here.len()), "{}", here.len());
        for (bucket, standing) in here {
            assert_eq!(standing.level.calls, 0, "{standing:?}");
            assert!(seen.insert(bucket.shop().to_owned()), "two nodes have it");
        }
    }
    assert_eq!(seen.len(), 12);
    let throttled: u64 = tills.iter().map(|till| till.count().throttled).sum();
    // The first call of each shop finds out that it is empty.
    assert!(throttled <= 12, "{throttled}");
    let per_call = commands as f64 / (3.0 * 12.0 * 10.0);
    println!("{per_call:.2} commands for a call");
    assert!(per_call <= 5.0, "{per_call}");
    let whole = cluster.connect(PATIENT).await.buckets().await;
    assert!(matches!(whole, Err(RedisLedgerError::Cluster)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_dies_takes_only_its_own_shops_to_the_local_ledgers() {
    let Some(mut cluster) = Cluster::start().await else {
        return;
    };
    let ledger = cluster.connect(Duration::from_millis(50)).await;
    let mut shops = Vec::new();
    for shop in 0..12 {
        let till = Till::new(20_000.0, 1000.0, steady(0, 1, 0));
        let changes = Arc::new(std::sync::Mutex::new(Vec::new()));
        let note = Arc::clone(&changes);
        let observer = move |event: &Event<'_>| match event.what {
            What::LedgerAway { .. } => note.lock().unwrap().push("away"),
            What::LedgerBack => note.lock().unwrap().push("back"),
            _ => {}
        };
        let client = client(shop, &till, &ledger).observer(observer);
        shops.push((client.build().unwrap(), changes));
    }
    let spend = async || {
        let mut slowest = Duration::ZERO;
        for (client, _) in &shops {
            let begun = Instant::now();
            let _ = client.run::<Spend>(Purchase::of(1, 10, 10)).await.unwrap();
            slowest = slowest.max(begun.elapsed());
        }
        slowest
    };
    let stand = |last: &str| {
        let is_last = |changes: &&Vec<&str>| changes.last() == Some(&last);
        let changes = shops
            .iter()
            .map(|(_, changes)| changes.lock().unwrap().clone());
        changes.collect::<Vec<_>>().iter().filter(is_last).count()
    };
    spend().await;
    let lost = RedisLedger::connect(&cluster.0[2].url()).await.unwrap();
    let lost = lost.buckets().await.unwrap().len();
    cluster.0[2].kill();
    let slowest = spend().await;
    println!("slowest call with a dead node: {slowest:?}");
    assert!(slowest < Duration::from_secs(1), "{slowest:?}");
    // Those of the other nodes may have gone and come back.
    let begun = Instant::now();
    while stand("away") != lost || lost == 0 {
        spend().await;
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "{} of {lost}",
            stand("away")
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    cluster.0[2].restart().await;
    while stand("away") > 0 {
        spend().await;
        assert!(
            begun.elapsed() < Duration::from_secs(40),
            "{}",
            stand("away")
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
