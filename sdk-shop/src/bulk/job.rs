//! One bulk operation.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::BulkPace;
use super::result::ResultFile;
use super::rows::{Rows, mutation_row};
use crate::execution::{BulkNodes, Context};
use crate::gid::Gid;
use crate::prepared::Prepared;

/// How many root objects of an ungrouped result come before their children do.
const APART: usize = 64;

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
    lines: u64,
    roots: u64,
    pub(super) file: ResultFile,
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
        roots: usize,
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
            roots: 0,
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
            lines: 0,
            roots: 0,
            file: ResultFile::default(),
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
        let (file, lines) = (&mut self.file, &mut self.lines);
        let ended = match &mut self.work {
            Work::Query {
                prepared,
                field,
                node,
                grouped,
                apart,
                roots,
            } => {
                let mut nodes = BulkNodes::new(context, &prepared.document, *field, *node);
                let mut ended = false;
                while *lines < limit && !ended {
                    let Some(answer) = nodes.next() else {
                        *lines += file.append(apart);
                        ended = true;
                        continue;
                    };
                    let Rows { root, children } = Rows::of(&answer);
                    *lines += file.append(&mut vec![root]);
                    self.roots += 1;
                    *roots += 1;
                    apart.extend(children);
                    if *grouped || *roots % APART == 0 {
                        *lines += file.append(apart);
                    }
                }
                (*field, *node) = nodes.position();
                ended
            }
            Work::Mutation {
                prepared,
                input,
                at,
                number,
            } => {
                while *lines < limit && *at < input.len() {
                    let rest = &input[*at..];
                    let length = rest.iter().position(|byte| *byte == b'\n');
                    let line = &rest[..length.unwrap_or(rest.len())];
                    *at += line.len() + 1;
                    if line.iter().all(u8::is_ascii_whitespace) {
                        continue;
                    }
                    let row = mutation_row(context, prepared, line, *number);
                    *number += 1;
                    *lines += file.append(&mut vec![row]);
                    self.roots += 1;
                }
                *at >= input.len()
            }
        };
        let failed = self.failure.as_ref().is_some_and(|f| *lines >= f.after);
        if failed || self.file.is_broken() {
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
        self.file.read(offset, most)
    }

    /// The fields of the `BulkOperation`.
    pub(super) fn fields(&self, key: u64, base: &str) -> Map<String, Value> {
        let ended = self.completed.is_some() && self.file.length() > 0;
        let address = ended.then(|| format!("{base}/bulk/{key}/{}.jsonl", self.address));
        let failed = self.status == Status::Failed;
        let id = Gid {
            resource: "BulkOperation",
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
            "objectCount": self.lines.to_string(),
            "rootObjectCount": self.roots.to_string(),
            "fileSize": ended.then(|| self.file.length().to_string()),
            "url": address.as_ref().filter(|_| !failed),
            "partialDataUrl": address.as_ref().filter(|_| failed),
        });
        match value {
            Value::Object(fields) => fields,
            _ => Map::new(),
        }
    }
}

/// A time since the shop opened, as if it had opened on the first of a month.
fn moment(time: Duration) -> String {
    let seconds = time.as_secs();
    let (day, second) = (1 + seconds / 86_400 % 28, seconds % 86_400);
    format!(
        "2026-11-{day:02}T{:02}:{:02}:{:02}Z",
        second / 3600,
        second / 60 % 60,
        second % 60
    )
}
