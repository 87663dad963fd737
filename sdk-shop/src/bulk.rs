//! Bulk operations: jobs that write JSON lines to a file while time passes.

mod job;
mod result;
mod rows;
mod rules;
mod upload;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Map, Value, json};

pub(crate) use self::job::Job;
use self::job::{Failure, Work};
pub(crate) use self::upload::file_of;
use crate::execution::{BULK_OPERATION, Context};
use crate::gid::Gid;
use crate::prepared::{Documents, Prepared};

/// How fast bulk operations go, on the clock of the shop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BulkPace {
    /// How long an operation stays `CREATED`.
    pub start: Duration,
    /// How many lines it writes per second.
    pub lines_per_second: u64,
    /// How long it stays `CANCELING`.
    pub cancel: Duration,
}

impl Default for BulkPace {
    /// Half a second to start, 20 000 lines per second, a second to cancel.
    fn default() -> Self {
        Self {
            start: Duration::from_millis(500),
            lines_per_second: 20_000,
            cancel: Duration::from_secs(1),
        }
    }
}

/// What an execution sees of the jobs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    pub(crate) jobs: &'a Mutex<Jobs>,
    pub(crate) documents: &'a Documents,
    pub(crate) now: Duration,
    /// Scheme and authority that the client reached the shop by.
    pub(crate) base: &'a str,
    /// How many jobs of each kind may run at a time.
    pub(crate) slots: usize,
}

/// The jobs and the uploaded files of a shop.
#[derive(Debug, Default)]
pub(crate) struct Jobs {
    pace: BulkPace,
    /// By key, from 1.
    jobs: BTreeMap<u64, Job>,
    /// Uploaded files by the path that mutations name them by.
    uploads: BTreeMap<String, Bytes>,
    targets: u64,
    next_failure: Option<Failure>,
}

impl Jobs {
    pub(crate) fn new(pace: BulkPace) -> Self {
        Self {
            pace,
            ..Self::default()
        }
    }

    /// Brings all jobs to `now`. `context` has no view of the jobs: they are locked.
    pub(crate) fn advance(&mut self, context: Context<'_>, now: Duration) {
        for job in self.jobs.values_mut() {
            job.advance(context, self.pace, now);
        }
    }

    pub(crate) fn count(&self) -> u64 {
        u64::try_from(self.jobs.len()).unwrap_or(u64::MAX)
    }

    /// The fields of a `BulkOperation`.
    pub(crate) fn fields(&self, key: u64, base: &str) -> Option<Map<String, Value>> {
        Some(self.jobs.get(&key)?.fields(key, base))
    }

    /// The newest job of a kind.
    pub(crate) fn newest(&self, mutation: bool) -> Option<u64> {
        let mut jobs = self.jobs.iter().rev();
        jobs.find(|(_, job)| job.work.is_mutation() == mutation)
            .map(|(key, _)| *key)
    }

    /// The job whose result lies at a path of the shop and the length of the result, unless the
    /// address has expired.
    pub(crate) fn result(&self, path: &str) -> Option<(u64, u64)> {
        let (key, version) = path.strip_prefix("/bulk/")?.split_once('/')?;
        let key = key.parse().ok()?;
        let job = self.jobs.get(&key)?;
        let current = version == format!("{}.jsonl", job.address);
        current.then(|| (key, job.length()))
    }

    pub(crate) fn job(&mut self, key: u64) -> Option<&mut Job> {
        self.jobs.get_mut(&key)
    }

    /// Makes every address of a result that was given out invalid.
    pub(crate) fn expire(&mut self) {
        for job in self.jobs.values_mut() {
            job.address += 1;
        }
    }

    /// The next job fails after so many lines.
    pub(crate) fn fail_next(&mut self, code: &str, after: u64) {
        self.next_failure = Some(Failure {
            code: code.to_owned(),
            after,
        });
    }

    pub(crate) fn upload(&mut self, path: String, content: Bytes) {
        self.uploads.insert(path, content);
    }
}

impl View<'_> {
    /// Starts a query; `Err` is an entry of `userErrors`.
    pub(crate) fn run_query(
        &self,
        jobs: &mut Jobs,
        context: Context<'_>,
        arguments: &Map<String, Value>,
    ) -> Result<u64, Value> {
        let text = text_of(arguments, "query");
        let invalid = |message: String| user_error("query", &message, "INVALID");
        self.has_slot(jobs, false)?;
        let prepared = self.read(context, text);
        let prepared = prepared.map_err(|first| invalid(format!("Invalid bulk query: {first}")))?;
        rules::check_query(&context.world.schema, &prepared, text).map_err(invalid)?;
        let grouped = arguments.get("groupObjects") == Some(&Value::Bool(true));
        let work = Work::query(prepared, grouped);
        Ok(self.start(jobs, text, work))
    }

    /// Starts a mutation over an uploaded file; `Err` is an entry of `userErrors`.
    pub(crate) fn run_mutation(
        &self,
        jobs: &mut Jobs,
        context: Context<'_>,
        arguments: &Map<String, Value>,
    ) -> Result<u64, Value> {
        let text = text_of(arguments, "mutation");
        let invalid = |message: String| user_error("mutation", &message, "INVALID_MUTATION");
        self.has_slot(jobs, true)?;
        let prepared = self.read(context, text);
        let prepared =
            prepared.map_err(|first| invalid(format!("Failed to parse the mutation - {first}")))?;
        rules::check_mutation(&context.world.schema, &prepared).map_err(invalid)?;
        let refused = |message, code| user_error("stagedUploadPath", message, code);
        let file = jobs.uploads.get(text_of(arguments, "stagedUploadPath"));
        let file = file.cloned().ok_or_else(|| {
            let message = "The JSONL file could not be found. Try uploading the file again, and \
                           check that you've entered the URL correctly for the stagedUploadPath \
                           mutation argument.";
            refused(message, "NO_SUCH_FILE")
        })?;
        if file.is_empty() {
            let message = "The input file is empty.";
            return Err(refused(message, "INVALID_STAGED_UPLOAD_FILE"));
        }
        Ok(self.start(jobs, text, Work::mutation(prepared, file)))
    }

    /// The document of an operation; `Err` is the first thing wrong with it.
    fn read(&self, context: Context<'_>, text: &str) -> Result<Arc<Prepared>, String> {
        let read = self.documents.read(&context.world.schema, text);
        read.map_err(|errors| {
            let first = errors.first().map(|error| error.message.clone());
            first.unwrap_or_default()
        })
    }

    fn start(&self, jobs: &mut Jobs, text: &str, work: Work) -> u64 {
        let key = jobs.count() + 1;
        let failure = jobs.next_failure.take();
        let job = Job::new(text.to_owned(), work, self.now, failure);
        jobs.jobs.insert(key, job);
        key
    }

    fn has_slot(&self, jobs: &Jobs, mutation: bool) -> Result<(), Value> {
        let running = jobs.jobs.iter();
        let mut running = running
            .filter(|(_, job)| job.work.is_mutation() == mutation && job.status.holds_a_slot());
        let Some((first, _)) = running.next() else {
            return Ok(());
        };
        if 1 + running.count() < self.slots {
            return Ok(());
        }
        if self.slots > 1 {
            let message = "Bulk operations limit reached. Please try again later.";
            return Err(json!({ "field": null, "message": message, "code": "LIMIT_REACHED" }));
        }
        let kind = if mutation { "mutation" } else { "query" };
        let id = Gid {
            resource: BULK_OPERATION,
            key: *first,
        };
        let message =
            format!("A bulk {kind} operation for this app and shop is already in progress: {id}.");
        Err(json!({ "field": null, "message": message, "code": "OPERATION_IN_PROGRESS" }))
    }

    /// Cancels a job; `Err` is an entry of `userErrors`.
    pub(crate) fn cancel(
        &self,
        jobs: &mut Jobs,
        arguments: &Map<String, Value>,
    ) -> Result<u64, Value> {
        let id = Gid::parse(text_of(arguments, "id"));
        let key = id.map(|id| id.key);
        let job = key.and_then(|key| Some((key, jobs.jobs.get_mut(&key)?)));
        match job {
            None => Err(json!({ "field": ["id"], "message": "Bulk operation does not exist" })),
            Some((key, job)) => match job.cancel(self.now) {
                true => Ok(key),
                false => Err(json!({
                    "field": null,
                    "message": format!(
                        "A bulk operation cannot be canceled when it is {}",
                        job.status.name().to_lowercase()
                    ),
                })),
            },
        }
    }

    /// Addresses for files to come, as `StagedMediaUploadTarget`s.
    pub(crate) fn targets(&self, jobs: &mut Jobs, arguments: &Map<String, Value>) -> Vec<Value> {
        let inputs = arguments.get("input").and_then(Value::as_array);
        let target = |input: &Value| {
            jobs.targets += 1;
            let name = input.get("filename").and_then(Value::as_str);
            let path = format!("tmp/{}/{}", jobs.targets, name.unwrap_or("file"));
            let parameter = |name: &str, value: &str| json!({ "name": name, "value": value });
            let kind = input.get("mimeType").and_then(Value::as_str);
            let kind = parameter("content-type", kind.unwrap_or("text/jsonl"));
            // A form is posted with the path as its key; a file is put to its own address.
            if input.get("httpMethod").and_then(Value::as_str) == Some("POST") {
                json!({
                    "url": format!("{}/staged", self.base),
                    "resourceUrl": format!("{}/staged/{path}", self.base),
                    "parameters": [parameter("key", &path), kind],
                })
            } else {
                let url = format!("{}/staged/{path}", self.base);
                json!({ "url": url, "resourceUrl": url, "parameters": [kind] })
            }
        };
        inputs.into_iter().flatten().map(target).collect()
    }
}

fn text_of<'a>(arguments: &'a Map<String, Value>, name: &str) -> &'a str {
    let text = arguments.get(name).and_then(Value::as_str);
    text.unwrap_or_default()
}

fn user_error(field: &str, message: &str, code: &str) -> Value {
    json!({ "field": [field], "message": message, "code": code })
}

/// How many jobs of each kind an API version runs at a time.
pub(crate) fn slots_of(version: &str) -> usize {
    if version < "2026-01" { 1 } else { 5 }
}
