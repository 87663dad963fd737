use std::collections::{BTreeMap, HashMap};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};

use tokio::time::Instant;
use tollgate_codegen::diagnostic::Diagnostics;
use tollgate_codegen::schema::Schema;
use tollgate_codegen::source::{Files, Source, SourceError};
use tollgate_cost::Points;

use super::state::{Drain, Faults, State};
use super::{Inner, Shop};
use crate::bucket::Bucket;
use crate::bulk::{BulkPace, Jobs};
use crate::catalogue::Catalogue;
use crate::fault::Storm;
use crate::latency::Latency;
use crate::log::Log;
use crate::prepared::Documents;
use crate::server::Server;
use crate::spender::Spender;
use crate::world::World;

/// The schema that a shop has unless it is given another, as SDL: the part of the Admin API that
/// the operations of common jobs use, with the real names and shapes.
pub const SCHEMA: &str = include_str!("../../schema/admin.graphql");

/// [`SCHEMA`], parsed once for all shops of a process.
static EMBEDDED: LazyLock<Arc<Schema>> =
    LazyLock::new(
        || match Schema::from_sdl(Source::new("the embedded schema", SCHEMA)) {
            Ok(schema) => Arc::new(schema),
            Err(problems) => unreachable!("the embedded schema is not valid:\n{problems}"),
        },
    );

/// Configures a [`Shop`].
///
/// Without further words: the embedded schema, a bucket of 2 000 points that restores 100 points
/// per second and starts full, no latency, no faults, and any access token.
#[derive(Debug)]
pub struct Builder {
    schema: Given,
    catalogue: Catalogue,
    seed: u64,
    maximum: Points,
    restore_rate: u64,
    available: Option<Points>,
    latency: Latency,
    spenders: Vec<Spender>,
    drift: BTreeMap<String, f64>,
    drained: bool,
    storm: Option<Storm>,
    token: Option<String>,
    api_version: Option<String>,
    address: SocketAddr,
    bulk: BulkPace,
    bulk_slots: Option<usize>,
}

/// The schema as it was given.
#[derive(Debug)]
enum Given {
    Embedded,
    Text(Source),
    File(PathBuf),
    Parsed(Arc<Schema>),
}

/// Why a shop cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The schema's file cannot be read.
    #[error(transparent)]
    SchemaFile(#[from] SourceError),
    /// The schema does not parse.
    #[error("the schema of the shop is not valid:\n{0}")]
    Schema(#[source] Diagnostics),
    /// The catalogue names places that the schema does not have.
    #[error("the schema has no {}; name a root field (`products`) or a coordinate (`Product.variants`)", .0.join(", "))]
    Catalogue(Vec<String>),
    /// The bucket cannot start with more than it holds.
    #[error("the bucket cannot start with {available} points: it holds from 0 to {maximum}")]
    Available {
        /// What it was to start with.
        available: Points,
        /// What it holds.
        maximum: Points,
    },
}

/// Why a shop cannot be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// It cannot be made.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// It cannot listen.
    #[error("the shop cannot listen on {address}")]
    Listen {
        /// The address that was asked for.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            schema: Given::Embedded,
            catalogue: Catalogue::default(),
            seed: 0,
            maximum: Points(2000),
            restore_rate: 100,
            available: None,
            latency: Latency::default(),
            spenders: Vec::new(),
            drift: BTreeMap::new(),
            drained: false,
            storm: None,
            token: None,
            api_version: None,
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            bulk: BulkPace::default(),
            bulk_slots: None,
        }
    }
}

impl Builder {
    /// The schema, as SDL; of a file, see [`Self::schema_file`].
    #[must_use]
    pub fn schema(mut self, sdl: impl Into<Arc<str>>) -> Self {
        self.schema = Given::Text(Source::new("the schema of the shop", sdl));
        self
    }

    /// The schema of a file that the macros take too: SDL or introspection JSON, plain or gzipped.
    /// The path is that from where the process runs; of a test that is its package.
    ///
    /// ```
    /// # use tollgate_shop::Shop;
    /// let missing = Shop::builder().schema_file("schema/none.graphql").build();
    /// assert!(missing.unwrap_err().to_string().contains("schema/none.graphql"));
    /// ```
    #[must_use]
    pub fn schema_file(mut self, path: impl AsRef<Path>) -> Self {
        self.schema = Given::File(path.as_ref().to_path_buf());
        self
    }

    /// The schema, parsed before: many shops share one. The embedded schema is parsed only once in
    /// any case.
    #[must_use]
    pub fn parsed_schema(mut self, schema: Arc<Schema>) -> Self {
        self.schema = Given::Parsed(schema);
        self
    }

    /// How many objects there are.
    #[must_use]
    pub fn catalogue(mut self, catalogue: Catalogue) -> Self {
        self.catalogue = catalogue;
        self
    }

    /// What all generated data and random choices follow from. Shops of one seed are alike.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The bucket: its size in points, and how many points it restores per second.
    #[must_use]
    pub fn bucket(mut self, maximum: u64, restore_rate: u64) -> Self {
        self.maximum = Points(maximum);
        self.restore_rate = restore_rate;
        self
    }

    /// What the bucket holds at the start, in points, at most its size. It is full unless this says
    /// otherwise.
    #[must_use]
    pub fn available(mut self, points: u64) -> Self {
        self.available = Some(Points(points));
        self
    }

    /// How long answers take.
    #[must_use]
    pub fn latency(mut self, latency: Latency) -> Self {
        self.latency = latency;
        self
    }

    /// Another process that spends from the same bucket.
    #[must_use]
    pub fn spender(mut self, spender: Spender) -> Self {
        self.spenders.push(spender);
        self
    }

    /// The server asks `factor` times the price of an operation, as after a change of prices.
    #[must_use]
    pub fn drift(mut self, operation: &str, factor: f64) -> Self {
        self.drift.insert(operation.to_owned(), factor);
        self
    }

    /// Empties the bucket before every call. The repetition of a throttled request, known by its
    /// equal bytes, finds the bucket as it is.
    #[must_use]
    pub fn drained_before_each_call(mut self) -> Self {
        self.drained = true;
        self
    }

    /// Faults at random.
    #[must_use]
    pub fn storm(mut self, storm: Storm) -> Self {
        self.storm = Some(storm);
        self
    }

    /// The only access token that is let in. Without it every token is.
    #[must_use]
    pub fn token(mut self, token: &str) -> Self {
        self.token = Some(token.to_owned());
        self
    }

    /// The API version that answers name. Without it, the one that was asked for.
    #[must_use]
    pub fn api_version(mut self, version: &str) -> Self {
        self.api_version = Some(version.to_owned());
        self
    }

    /// How fast bulk operations go.
    #[must_use]
    pub fn bulk(mut self, pace: BulkPace) -> Self {
        self.bulk = pace;
        self
    }

    /// How many bulk operations of a kind run at a time. Without it one before API version
    /// 2026-01 and five since.
    #[must_use]
    pub fn bulk_slots(mut self, slots: usize) -> Self {
        self.bulk_slots = Some(slots);
        self
    }

    /// Where [`start`](Self::start) listens; a free port of the loopback address unless this says
    /// otherwise.
    #[must_use]
    pub fn address(mut self, address: impl Into<SocketAddr>) -> Self {
        self.address = address.into();
        self
    }

    /// Makes the shop, in process only.
    ///
    /// # Errors
    /// [`BuildError`] when the schema or the catalogue is wrong.
    pub fn build(self) -> Result<Shop, BuildError> {
        let read = |source| Schema::from_sdl(source).map_err(BuildError::Schema);
        let schema = match self.schema {
            Given::Embedded => Arc::clone(&EMBEDDED),
            Given::Parsed(schema) => schema,
            Given::Text(source) => Arc::new(read(source)?),
            Given::File(path) => {
                let here = std::env::current_dir().unwrap_or_default();
                Arc::new(read(Files::new(here).schema(path)?)?)
            }
        };
        let world = World::new(schema, self.catalogue, self.seed);
        let unknown = world.unknown_places();
        if !unknown.is_empty() {
            return Err(BuildError::Catalogue(unknown));
        }
        let maximum = self.maximum;
        let available = self.available.unwrap_or(maximum);
        if available > maximum {
            return Err(BuildError::Available { available, maximum });
        }
        let mut faults = Faults::default();
        if let Some(storm) = self.storm {
            faults.blow(storm);
        }
        let state = State {
            bucket: Bucket::new(self.maximum, self.restore_rate, available, self.spenders),
            overrides: Arc::default(),
            answers: HashMap::new(),
            faults,
            latency: self.latency,
            drift: self.drift,
            drain: self.drained.then(Drain::default),
            log: Log::default(),
            requests: 0,
        };
        Ok(Shop(Arc::new(Inner {
            world,
            documents: Documents::default(),
            token: self.token,
            api_version: self.api_version,
            opened: Instant::now(),
            state: Mutex::new(state),
            effects: Mutex::default(),
            jobs: Mutex::new(Jobs::new(self.bulk)),
            bulk_slots: self.bulk_slots,
        })))
    }

    /// Makes the shop and serves it over HTTP.
    ///
    /// # Errors
    /// [`StartError`] when it cannot be made, or cannot listen.
    pub async fn start(self) -> Result<Server, StartError> {
        let address = self.address;
        let shop = self.build()?;
        Server::start(shop, address)
            .await
            .map_err(|source| StartError::Listen { address, source })
    }
}
