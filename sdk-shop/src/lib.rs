//! An emulated shop for Tollgate: it executes any operation against its schema and keeps a real
//! bucket. (Docs below grow with the crate.)

mod answer;
mod bucket;
mod bulk;
mod catalogue;
mod cost;
mod cursor;
mod execution;
mod fault;
mod gid;
mod latency;
mod log;
mod overrides;
mod prepared;
mod refusal;
mod reply;
mod seed;
mod server;
mod shop;
mod spender;
mod sync;
mod transport;
mod variables;
mod world;

pub use bucket::Level;
pub use bulk::BulkPace;
pub use catalogue::{Catalogue, Size};
pub use fault::{Fault, Storm};
pub use latency::Latency;
pub use log::{Outcome, Record, Summary};
pub use server::Server;
pub use shop::{BuildError, Builder, Disconnected, SCHEMA, Shop, StartError};
pub use spender::Spender;
