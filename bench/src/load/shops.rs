use std::time::Duration;

use tollgate::Client;
use tollgate_shop::{Catalogue, Latency, Server, Shop};

use crate::Failure;

/// The bucket of each shop, as it was on the smallest plan for years: fifty of them with their
/// clients are as much as two processors serve beside other work.
const MAXIMUM: u64 = 1000;

/// What each restores, in points per second.
pub(super) const RATE: u64 = 50;

/// The most calls on the wire of a shop: where both ends are of one process, every call takes two
/// of its file handles.
const IN_FLIGHT: usize = 100;

/// What the shops did since they were asked before.
#[derive(Default)]
pub(super) struct Load {
    pub(super) points: u64,
    pub(super) requests: u64,
    pub(super) throttled: u64,
}

/// The shops, each on a port of its own, and a client of each.
pub(super) struct Shops {
    servers: Vec<Server>,
    clients: Vec<Client>,
}

impl Shops {
    /// Opens shops whose buckets are empty: what is spent has restored meanwhile.
    pub(super) async fn open(count: usize) -> Result<Self, Failure> {
        let (mut servers, mut clients) = (Vec::new(), Vec::new());
        for number in 0..count {
            let seed = u64::try_from(number)?;
            let server = Shop::builder()
                .catalogue(Catalogue::default().with("products", 100))
                .seed(seed)
                .bucket(MAXIMUM, RATE)
                .available(0)
                .latency(Latency::between(
                    Duration::from_millis(40),
                    Duration::from_millis(400),
                ))
                .start()
                .await?;
            let client = Client::builder(format!("load-{number}.myshopify.com"), "token")
                .endpoint(server.url())
                .in_flight(IN_FLIGHT)
                .build()?;
            servers.push(server);
            clients.push(client);
        }
        Ok(Self { servers, clients })
    }

    pub(super) fn clients(&self) -> &[Client] {
        &self.clients
    }

    /// What happened since the last time. The shops' logs are emptied: they would be all that
    /// grows.
    pub(super) fn take(&mut self) -> Load {
        let mut load = Load::default();
        for server in &self.servers {
            let summary = server.summary();
            server.clear_log();
            load.points += summary.spent.get();
            load.requests += summary.requests;
            load.throttled += summary.throttled();
        }
        load
    }

    /// What all buckets hold, in points.
    pub(super) fn available(&self) -> f64 {
        let levels = self.servers.iter().map(|server| server.level());
        levels.map(|level| level.available.get() as f64).sum()
    }

    /// Calls that still wait or hold points.
    pub(super) fn left_behind(&self) -> usize {
        let left = |client: &Client| client.waiting() + client.level().calls;
        self.clients.iter().map(left).sum()
    }

    /// Closes everything; how many mutations took effect.
    pub(super) async fn close(self) -> u64 {
        let ran = self.servers.iter().map(|server| server.runs("tagsAdd"));
        let ran = ran.sum();
        drop(self.clients);
        for server in self.servers {
            server.stop().await;
        }
        ran
    }
}
