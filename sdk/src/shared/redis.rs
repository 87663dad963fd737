//! The store on Redis, or a server that speaks its protocol.

mod bells;
mod builder;
mod connection;
mod reply;
#[cfg(test)]
mod tests;

use std::{
    fmt,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::Arc,
    time::{Duration, Instant},
};

use ::redis::{RedisError, RedisResult, Script, ScriptInvocation};
use tokio::task::JoinSet;

pub use self::builder::RedisLedgerBuilder;
#[cfg(fuzzing)]
pub use self::reply::fuzz_reply;
use self::{bells::Bells, connection::Connection};
use super::{Application, Ending, Grant, Settlement, Standing, Store, StoreError};
use crate::{
    ledger::{Charge, Limits},
    ledgers::{Bucket, Ledgers},
    transport::BoxFuture,
};

/// How many buckets are read at a time.
const READS_AT_ONCE: usize = 64;

/// Ledgers on Redis 6.2 or later, or on Valkey: a single node, or a cluster.
///
/// Cheap to clone; clones, and all clients that use one, share the connection and are one worker.
///
/// # What the server has to allow
/// The protocol RESP3 and the commands `EVALSHA`, `SCRIPT LOAD`, `SUBSCRIBE`, `PING`, `TIME`,
/// `HMGET`, `HGET`, `HGETALL`, `HSET`, `HDEL`, `PEXPIRE` and `PUBLISH`, on keys and channels that
/// begin with the prefix, and `SCAN` for [`buckets`](Self::buckets). Each bucket is one key, a hash
/// of less than a kilobyte and 150 bytes more for every call in flight and every worker that waits; it
/// expires ten minutes after the bucket is full and the last call has ended.
///
/// # TLS
/// `rediss://` is spoken by rustls, with the certificates that the system trusts or
/// [those given](RedisLedgerBuilder::root_certificates). If the process has chosen no provider of
/// cryptography for rustls by then, ring becomes that of the process.
///
/// # What happens when the store loses it
/// A bucket of which nothing is known lets one call go ahead until its answer has told the level.
/// Calls under way at that moment are known to the store no longer, so up to what they hold may be
/// admitted too much, once. While the store is away each process goes by its own ledger; together
/// they may admit, once, what the bucket held for each.
#[derive(Clone)]
pub struct RedisLedger {
    ledgers: Ledgers,
    store: Arc<RedisStore>,
}

impl RedisLedger {
    /// Connects to `redis://[user:password@]host[:port][/database]`, or `rediss://` for TLS.
    ///
    /// # Errors
    /// When the URL makes no sense, or the server cannot be reached or refuses the user.
    pub async fn connect(url: &str) -> Result<Self, RedisLedgerError> {
        Self::builder([url]).connect().await
    }

    /// Begins a ledger with settings: one URL, or those of some nodes of a cluster.
    pub fn builder<U: Into<String>>(urls: impl IntoIterator<Item = U>) -> RedisLedgerBuilder {
        RedisLedgerBuilder::new(urls.into_iter().map(Into::into).collect())
    }

    /// The set of ledgers that are kept here.
    #[must_use]
    pub const fn ledgers(&self) -> &Ledgers {
        &self.ledgers
    }

    /// The store, by itself.
    #[must_use]
    pub fn store(&self) -> impl Store + Clone + use<> {
        Arc::clone(&self.store)
    }

    /// All buckets of the node and how they stand, in no order. A cluster is read node by node.
    ///
    /// # Errors
    /// When the server does not reply, or this is a connection to a cluster as a whole.
    pub async fn buckets(&self) -> Result<Vec<(Bucket, Standing)>, RedisLedgerError> {
        let keys = self.store.keys().await?;
        let mut found = Vec::with_capacity(keys.len());
        for keys in keys.chunks(READS_AT_ONCE) {
            let mut reads = JoinSet::new();
            for key in keys {
                let Some(bucket) = self.store.bucket_of(key) else {
                    continue;
                };
                let store = Arc::clone(&self.store);
                reads.spawn(async move { (store.read(&bucket).await, bucket) });
            }
            for (standing, bucket) in reads.join_all().await {
                let standing = standing.map_err(RedisLedgerError::Store)?;
                found.extend(standing.map(|standing| (bucket, standing)));
            }
        }
        Ok(found)
    }
}

impl From<&RedisLedger> for Ledgers {
    fn from(ledger: &RedisLedger) -> Self {
        ledger.ledgers.clone()
    }
}

impl From<RedisLedger> for Ledgers {
    fn from(ledger: RedisLedger) -> Self {
        ledger.ledgers
    }
}

impl fmt::Debug for RedisLedger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisLedger")
            .field("prefix", &self.store.prefix)
            .field("ledgers", &self.ledgers)
            .finish_non_exhaustive()
    }
}

/// Why a [`RedisLedger`] cannot be made or read.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum RedisLedgerError {
    /// A URL that names no server. It is shown without the password.
    #[error(
        "{given:?} is not the URL of a Redis server: it must be of the form \
         `redis://[user:password@]host[:port][/database]`, with `rediss://` for TLS"
    )]
    Url {
        /// What was given.
        given: String,
        /// What is wrong with it.
        source: RedisError,
    },
    /// It cannot be reached, refuses the user, or its certificate makes no sense.
    #[error("the Redis server at {server} cannot be used")]
    Server {
        /// Host and port; several of a cluster.
        server: String,
        /// What happened.
        source: RedisError,
    },
    /// It did not reply as it should.
    #[error(transparent)]
    Store(StoreError),
    /// A cluster cannot be listed as a whole.
    #[error("a cluster has to be read node by node: connect to each as a single server")]
    Cluster,
    /// No URL was given.
    #[error("there is no URL to connect to")]
    NoUrl,
    /// Several URLs were given, and not said to be those of a cluster.
    #[error("{0} URLs for one Redis server: give one, or say `cluster(true)` if it is a cluster")]
    SeveralUrls(usize),
}

struct RedisStore {
    connection: Connection,
    bells: Arc<Bells>,
    prefix: String,
    channels: String,
    script: Script,
}

impl RedisStore {
    /// The key of a bucket. The part in braces decides on the node of a cluster.
    fn key_of(&self, bucket: &Bucket) -> String {
        let (app, shop) = (encode(bucket.app()), encode(bucket.shop()));
        format!("{}:{{{app}:{shop}}}", self.prefix)
    }

    fn bucket_of(&self, key: &str) -> Option<Bucket> {
        let name = key.strip_prefix(&self.prefix)?.strip_prefix(":{")?;
        let (app, shop) = name.strip_suffix('}')?.split_once(':')?;
        Some(Bucket::new(decode(app), decode(shop)))
    }

    fn command(&self, name: &str, key: &str, worker: &str, guess: Limits) -> ScriptInvocation<'_> {
        let mut invocation = self.script.key(key);
        invocation.arg(name).arg(&self.channels).arg(worker);
        invocation.arg(guess.maximum()).arg(guess.restore_rate());
        invocation
    }

    async fn run(&self, invocation: &ScriptInvocation<'_>) -> RedisResult<String> {
        let mut connection = self.connection.ready().await?;
        invocation.invoke_async(&mut connection).await
    }

    async fn keys(&self) -> Result<Vec<String>, RedisLedgerError> {
        let Some(mut connection) = self.connection.single() else {
            return Err(RedisLedgerError::Cluster);
        };
        let pattern = format!("{}:{{*", escape(&self.prefix));
        let mut keys = Vec::new();
        let mut cursor = 0_u64;
        loop {
            let (next, some): (u64, Vec<String>) = ::redis::cmd("SCAN")
                .arg(cursor)
                .arg("MATCH")
                .arg(&pattern)
                .arg("COUNT")
                .arg(1000)
                .query_async(&mut connection)
                .await
                .map_err(|source| self.connection.failed(source))?;
            keys.extend(some);
            if next == 0 {
                // A scan may come across a key twice.
                keys.sort_unstable();
                keys.dedup();
                return Ok(keys);
            }
            cursor = next;
        }
    }

    async fn apply(&self, bucket: &Bucket, application: &Application) -> Result<Grant, StoreError> {
        let key = self.key_of(bucket);
        let Application { worker, guess, .. } = application;
        let mut command = self.command("bid", &key, worker, *guess);
        command
            .arg(micros(application.lease))
            .arg(application.first);
        command.arg(u8::from(application.stay));
        for bid in &application.bids {
            command.arg(bid.cost.get()).arg(bid.spare);
            command.arg(micros(bid.waited)).arg(micros(bid.gives_way));
            command.arg(micros(bid.not_before)).arg(bid.in_flight);
        }
        // A call from before this reply is about what the reply tells.
        self.bells.muffle(&key);
        let text = self.run(&command).await.map_err(StoreError::new)?;
        reply::grant(&text).ok_or_else(|| reply::unreadable(&text))
    }

    async fn settle(&self, bucket: &Bucket, settlement: &Settlement) -> Result<(), StoreError> {
        let key = self.key_of(bucket);
        let Settlement { worker, guess, .. } = settlement;
        let mut command = self.command("settle", &key, worker, *guess);
        let lease = settlement.lease.map(|number| number.to_string());
        command.arg(lease.unwrap_or_default());
        match settlement.ending {
            Ending::Released => command.arg("released").arg(0).arg("").arg("").arg(""),
            Ending::Sent { charge, status } => {
                let figure = |figure: Option<f64>| figure.map(|figure| figure.to_string());
                let command = match charge {
                    Charge::Actual(points) => command.arg("actual").arg(points.get()),
                    Charge::Nothing => command.arg("nothing").arg(0),
                    Charge::Unknown => command.arg("unknown").arg(0),
                };
                command
                    .arg(figure(status.maximum).unwrap_or_default())
                    .arg(figure(status.available).unwrap_or_default())
                    .arg(figure(status.restore_rate).unwrap_or_default())
            }
        };
        self.run(&command).await.map_err(StoreError::new)?;
        Ok(())
    }

    async fn read(&self, bucket: &Bucket) -> Result<Option<Standing>, StoreError> {
        let key = self.key_of(bucket);
        let command = self.command("read", &key, "", Limits::default());
        let text = self.run(&command).await.map_err(StoreError::new)?;
        if text.is_empty() {
            return Ok(None);
        }
        let standing = reply::standing(&text).ok_or_else(|| reply::unreadable(&text))?;
        Ok(Some(standing))
    }
}

impl Store for Arc<RedisStore> {
    fn apply<'a>(
        &'a self,
        bucket: &'a Bucket,
        application: &'a Application,
    ) -> BoxFuture<'a, Result<Grant, StoreError>> {
        Box::pin((**self).apply(bucket, application))
    }

    fn settle<'a>(
        &'a self,
        bucket: &'a Bucket,
        settlement: &'a Settlement,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin((**self).settle(bucket, settlement))
    }

    fn read<'a>(
        &'a self,
        bucket: &'a Bucket,
    ) -> BoxFuture<'a, Result<Option<Standing>, StoreError>> {
        Box::pin((**self).read(bucket))
    }

    fn part(&self, bucket: &Bucket) -> u64 {
        if self.connection.single().is_some() {
            return 0;
        }
        // Which node has a bucket can change: each is on its own.
        let mut hasher = DefaultHasher::new();
        bucket.hash(&mut hasher);
        hasher.finish()
    }

    fn called<'a>(&'a self, bucket: &'a Bucket, _: &'a str) -> BoxFuture<'a, ()> {
        // The channel is this worker's own.
        Box::pin(async move { self.bells.rung(&self.key_of(bucket)).await })
    }
}

fn micros(time: Duration) -> u64 {
    // 50 years: exact in the server's floating-point numbers.
    const MOST: u64 = 1 << 50;
    u64::try_from(time.as_micros()).map_or(MOST, |micros| micros.min(MOST))
}

/// The instant that lies `micros` ahead.
fn ahead(micros: u64) -> Instant {
    crate::gate::now() + Duration::from_micros(micros)
}

/// Characters that would blur the parts of a key.
const RESERVED: [char; 4] = ['%', ':', '{', '}'];

fn encode(part: &str) -> String {
    let mut out = String::with_capacity(part.len());
    for letter in part.chars() {
        if RESERVED.contains(&letter) {
            out.push_str(&format!("%{:02X}", u32::from(letter)));
        } else {
            out.push(letter);
        }
    }
    out
}

fn decode(part: &str) -> String {
    // The sign of the code itself comes last.
    [':', '{', '}', '%']
        .iter()
        .fold(part.to_owned(), |text, letter| {
            text.replace(&format!("%{:02X}", u32::from(*letter)), &letter.to_string())
        })
}

/// A prefix as a pattern that matches only itself.
fn escape(prefix: &str) -> String {
    let special = |letter: &char| "*?[]\\^".contains(*letter);
    prefix
        .chars()
        .flat_map(|letter| special(&letter).then_some('\\').into_iter().chain([letter]))
        .collect()
}
