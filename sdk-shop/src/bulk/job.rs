//! One bulk operation.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::BulkPace;
use super::result::ResultFile;
use super::rows::{Rows, mutation_row};
use crate::execution::{BULK_OPERATION, BulkNodes, Context};
use crate::gid::Gid;
use crate::prepared::Prepared;
use crate::timestamp::Timestamp;

/// How many root objects of an ungrouped result come before their children do.
const APART: u64 = 64;

const NANOS: u128 = 1_000_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Created,
    Running,
    Completed,
    Canceling { since: Duration },
    Canceled,
    Failed,
}

impl Status {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Created => "CREATED",
            Self::Running => "RUNNING",
            Self::Completed => "COMPLETED",
            Self::Canceling { .. } => "CANCELING",
            Self::Canceled => "CANCELED",
            Self::Failed => "FAILED",
        }
    }

    pub(super) const fn holds_a_slot(self) -> bool {
        matches!(self, Self::Created | Self::Running | Self::Canceling { .. })
    }
}

/// A failure that a test asked for.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub(super) code: String,
    pub(super) after: u64,
}

#[derive(Debug)]
pub(crate) struct Job {
    text: String,
    pub(super) work: Work,
    pub(super) status: Status,
    created: Duration,
    completed: Option<Duration>,
    error: Option<String>,
    failure: Option<Failure>,
    written: Written,
    /// The version of the result's address.
    pub(super) address: u64,
}

/// What is left to do.
#[derive(Debug)]
pub(super) enum Work {
    Query {
        prepared: Arc<Prepared>,
        /// The root field and the node that come next.
        field: usize,
        node: u64,
        grouped: bool,
        /// Children that wait for the roots before them.
        apart: Vec<Vec<u8>>,
    },
    Mutation {
        prepared: Arc<Prepared>,
        input: Bytes,
        /// Where the next line begins, and its number.
        at: usize,
        number: u64,
    },
}

impl Work {
    pub(super) fn query(prepared: Arc<Prepared>, grouped: bool) -> Self {
        Self::Query {
            prepared,
            field: 0,
            node: 0,
            grouped,
            apart: Vec::new(),
        }
    }

    pub(super) fn mutation(prepared: Arc<Prepared>, input: Bytes) -> Self {
        Self::Mutation {
            prepared,
            input,
            at: 0,
            number: 0,
        }
    }

    pub(super) const fn is_mutation(&self) -> bool {
        matches!(self, Self::Mutation { .. })
    }

    /// Writes until there are `limit` lines; whether nothing is left to do.
    fn write(&mut self, context: Context<'_>, limit: u64, written: &mut Written) -> bool {
        match self {
            Self::Query {
                prepared,
                field,
                node,
                grouped,
                apart,
            } => {
                let mut nodes = BulkNodes::new(context, &prepared.document, *field, *node);
                while written.lines < limit {
                    let Some(answer) = nodes.next() else {
                        written.append(apart.drain(..));
                        return true;
                    };
                    let Rows { root, children } = Rows::of(&answer);
                    written.append([root]);
                    written.roots += 1;
                    apart.extend(children);
                    if *grouped || written.roots.is_multiple_of(APART) {
                        written.append(apart.drain(..));
                    }
                    (*field, *node) = nodes.position();
                }
                false
            }
            Self::Mutation {
                prepared,
                input,
                at,
                number,
            } => {
                while written.lines < limit && *at < input.len() {
                    let rest = &input[*at..];
                    let length = rest.iter().position(|byte| *byte == b'\n');
                    let line = &rest[..length.unwrap_or(rest.len())];
                    *at += line.len() + 1;
                    if line.iter().all(u8::is_ascii_whitespace) {
                        continue;
                    }
                    written.append([mutation_row(context, prepared, line, *number)]);
                    written.roots += 1;
                    *number += 1;
                }
                *at >= input.len()
            }
        }
    }
}

/// The result so far.
#[derive(Debug, Default)]
struct Written {
    file: ResultFile,
    lines: u64,
    roots: u64,
}

impl Written {
    fn append(&mut self, lines: impl IntoIterator<Item = Vec<u8>>) {
        self.lines += self.file.append(lines);
    }
}

impl Job {
    pub(super) fn new(
        text: String,
        work: Work,
        created: Duration,
        failure: Option<Failure>,
    ) -> Self {
        Self {
            text,
            work,
            status: Status::Created,
            created,
            completed: None,
            error: None,
            failure,
            written: Written::default(),
            address: 0,
        }
    }

    /// Begins to cancel; `false` when there is nothing to cancel any more.
    pub(super) fn cancel(&mut self, now: Duration) -> bool {
        match self.status {
            Status::Created | Status::Running => {
                self.status = Status::Canceling { since: now };
                true
            }
            Status::Canceling { .. } => true,
            _ => false,
        }
    }

    pub(super) fn advance(&mut self, context: Context<'_>, pace: BulkPace, now: Duration) {
        let begin = self.created.saturating_add(pace.start);
        if self.status == Status::Created && now >= begin {
            self.status = Status::Running;
        }
        match self.status {
            Status::Running => {
                let time = now.saturating_sub(begin);
                let due = time.as_nanos().saturating_mul(pace.lines_per_second.into()) / NANOS;
                self.write(context, u64::try_from(due).unwrap_or(u64::MAX), now);
            }
            Status::Canceling { since } if now >= since.saturating_add(pace.cancel) => {
                self.end(Status::Canceled, now);
            }
            _ => {}
        }
    }

    /// Writes lines until so many are there.
    fn write(&mut self, context: Context<'_>, due: u64, now: Duration) {
        let limit = self.failure.as_ref().map_or(due, |f| f.after.min(due));
        let ended = self.work.write(context, limit, &mut self.written);
        let lines = self.written.lines;
        let failed = self.failure.as_ref().is_some_and(|f| lines >= f.after);
        if failed || self.written.file.is_broken() {
            let code = self.failure.take().map(|failure| failure.code);
            self.error = Some(code.unwrap_or_else(|| "INTERNAL_SERVER_ERROR".into()));
            self.end(Status::Failed, now);
        } else if ended {
            self.end(Status::Completed, now);
        }
    }

    fn end(&mut self, status: Status, now: Duration) {
        self.status = status;
        self.completed = Some(now);
    }

    /// Up to `most` bytes of the result, from an offset on.
    pub(crate) fn read(&mut self, offset: u64, most: usize) -> Bytes {
        self.written.file.read(offset, most)
    }

    /// The length of the result so far, in bytes.
    pub(super) const fn length(&self) -> u64 {
        self.written.file.length()
    }

    /// The fields of the `BulkOperation`.
    pub(super) fn fields(&self, key: u64, base: &str) -> Map<String, Value> {
        let ended = self.completed.is_some() && self.length() > 0;
        let address = ended.then(|| format!("{base}/bulk/{key}/{}.jsonl", self.address));
        let failed = self.status == Status::Failed;
        let id = Gid {
            resource: BULK_OPERATION,
            key,
        };
        let value = json!({
            "id": id.to_string(),
            "type": if self.work.is_mutation() { "MUTATION" } else { "QUERY" },
            "status": self.status.name(),
            "errorCode": self.error,
            "query": self.text,
            "createdAt": moment(self.created),
            "completedAt": self.completed.filter(|_| !failed).map(moment),
            // Counts are texts: they are UnsignedInt64.
            "objectCount": self.written.lines.to_string(),
            "rootObjectCount": self.written.roots.to_string(),
            "fileSize": ended.then(|| self.length().to_string()),
            "url": address.as_ref().filter(|_| !failed),
            "partialDataUrl": address.as_ref().filter(|_| failed),
        });
        match value {
            Value::Object(fields) => fields,
            _ => Map::new(),
        }
    }
}

/// A time since the shop opened, as if it had opened on the first of November.
fn moment(time: Duration) -> String {
    let seconds = time.as_secs();
    let timestamp = Timestamp {
        month: 11,
        day: 1 + seconds / 86_400 % 28,
        second: seconds % 86_400,
    };
    timestamp.to_string()
}
