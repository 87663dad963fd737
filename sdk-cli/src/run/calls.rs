//! A bulk mutation: one call for each line of a file.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tollgate::bulk::{BulkInput, LineResult, MutationJob, Outcome};
use tollgate::{Points, UserError};
use tollgate_codegen::bulk::Bulk;
use tollgate_codegen::document::{self, Document};
use tollgate_codegen::schema::lists_user_errors;
use tollgate_codegen::source::read_text;
use tollgate_codegen::{bulk, emit};

use super::bulk::follow;
use super::output::Output;
use super::progress::Bar;
use super::untyped::Untyped;
use super::{Job, lost};
use crate::error::Error;
use crate::variables;

/// The file with the variables of every call.
pub(super) struct Input {
    path: PathBuf,
    text: String,
}

impl Input {
    pub(super) fn read(path: &Path) -> Result<Self, Error> {
        let mut text = read_text(path)?;
        // Some programs write a mark of the encoding first, which is no part of the text.
        if text.starts_with('\u{feff}') {
            text.drain(..'\u{feff}'.len_utf8());
        }
        Ok(Self {
            text,
            path: path.to_owned(),
        })
    }

    /// What tells it from other inputs.
    pub(super) fn digest(&self) -> String {
        tollgate::digest(self.text.as_bytes())
    }

    /// The lines that are not blank, with their numbers, counted from 1.
    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate();
        lines
            .map(|(index, line)| (index + 1, line))
            .filter(|(_, line)| !line.trim().is_empty())
    }
}

impl Job<'_> {
    /// Runs the mutation for every line, and writes what came of it. What to say of the lines that
    /// were not done.
    pub(super) async fn calls(
        &self,
        input: &Input,
        out: &mut Output<'_>,
    ) -> Result<Option<String>, Error> {
        let project = self.project;
        match bulk::bulk(&project.schema, &project.document, self.operation) {
            Ok(Bulk::Mutation) => {}
            Ok(Bulk::Query(_)) => {
                return Err(Error::Wrong(format!(
                    "`{}` is a query: `--input` is for mutations",
                    self.operation.name
                )));
            }
            Err(problems) => return Err(self.refuse(problems)),
        }
        let document = emit::minified(&project.document, self.operation);
        let mut calls = self.client.bulk_mutation::<Untyped>().document(document);
        for (number, line) in input.lines() {
            let at = || format!("{}:{number}", input.path.display());
            let given = serde_json::from_str(line).map_err(|source| Error::Json {
                path: at().into(),
                source,
            })?;
            variables::check(self.operation, &given)
                .and_then(|()| variables::complete(self.operation, &given))
                .map_err(|error| Error::Wrong(format!("{}: {error}", at())))?;
            calls.push(&given)?;
        }
        let count = calls.count();
        let job = self.start(calls, out).await?;
        let bar = Bar::new("results", Some(count));
        let watch = job.watch();
        let mut results = follow(&bar, watch, job.results()).await?;
        let objections = Objections::of(&project.document, self.operation);
        let mut tally = Tally::default();
        for (number, _) in input.lines() {
            let Some(result) = results.next().await else {
                break;
            };
            let mut result = result?;
            result.outcome = objections.told(result.outcome);
            tally.count(&result.outcome);
            writeln!(out, "{}", row(number, result))?;
            bar.add(1, Points::ZERO);
        }
        bar.done();
        Ok(tally.complaint())
    }

    /// Starts the mutation; when it was started before, it is not run again.
    async fn start(
        &self,
        calls: BulkInput<Untyped>,
        out: &mut Output<'_>,
    ) -> Result<MutationJob<Untyped>, Error> {
        let text = |key: &str| self.at.as_ref().and_then(|at| at[key].as_str());
        if let Some(id) = text("id") {
            return Ok(calls.resume(id).await?);
        }
        if self.at.is_some() && text("identifier").is_none() {
            // Begun anew the calls could run twice.
            return Err(lost());
        }
        // Kept before the call: where its answer is lost, the service runs one of the two.
        let identifier = text("identifier").map_or_else(
            || format!("tollgate-{:016x}", RandomState::new().hash_one(0)),
            str::to_owned,
        );
        out.mark(json!({ "identifier": identifier }))?;
        let job = calls.client_identifier(identifier).start().await?;
        out.mark(json!({ "id": job.id() }))?;
        Ok(job)
    }
}

/// How the calls ended that were not done.
#[derive(Default)]
struct Tally {
    calls: u64,
    refused: u64,
    failed: u64,
    missing: u64,
}

impl Tally {
    fn count(&mut self, outcome: &Outcome<Value>) {
        self.calls += 1;
        match outcome {
            Outcome::Done(_) => {}
            Outcome::UserErrors(..) => self.refused += 1,
            Outcome::Failed(_) => self.failed += 1,
            _ => self.missing += 1,
        }
    }

    fn complaint(&self) -> Option<String> {
        let Self {
            calls,
            refused,
            failed,
            missing,
        } = self;
        let undone = refused + failed + missing;
        (undone > 0).then(|| {
            format!(
                "{undone} of {calls} lines were not done: {refused} refused with user errors, \
                 {failed} failed, {missing} not come to; the output says which"
            )
        })
    }
}

/// A line of the output.
fn row(line: usize, result: LineResult<Value>) -> Value {
    let input: Value = serde_json::from_str(&result.input).unwrap_or(Value::Null);
    let (outcome, more) = match result.outcome {
        Outcome::Done(data) => ("done", json!({ "data": data })),
        Outcome::UserErrors(errors, data) => {
            let error = |error: UserError| {
                let UserError {
                    field,
                    code,
                    message,
                } = error;
                json!({ "field": field, "code": code, "message": message })
            };
            let errors: Vec<_> = errors.into_iter().map(error).collect();
            ("refused", json!({ "data": data, "userErrors": errors }))
        }
        Outcome::Failed(errors) => {
            let errors = errors.iter().map(|error| {
                json!({ "message": error.message, "code": error.code, "path": error.path_text() })
            });
            let errors: Vec<_> = errors.collect();
            ("failed", json!({ "errors": errors }))
        }
        _ => ("missing", json!({})),
    };
    let mut row = json!({ "line": line, "outcome": outcome, "input": input });
    if let (Value::Object(row), Value::Object(more)) = (&mut row, more) {
        row.extend(more);
    }
    row
}

/// Where an answer has what the shop objects to: the lists of user errors that the document selects,
/// each by the key of its root field and its own.
struct Objections(Vec<(String, String)>);

impl Objections {
    fn of(document: &Document, operation: &document::Operation) -> Self {
        let mut roots = Vec::new();
        document.fields(&operation.selections, &mut roots);
        let mut lists = Vec::new();
        for root in roots {
            let mut fields = Vec::new();
            if let Some(selections) = &root.selections {
                document.fields(selections, &mut fields);
            }
            let errors = fields
                .into_iter()
                .filter(|field| lists_user_errors(&field.name, &field.definition.ty));
            let key = |field: &document::Field| field.response_key().to_owned();
            lists.extend(errors.map(|field| (key(root), key(field))));
        }
        Self(lists)
    }

    /// The outcome of a call, refused where there are entries.
    fn told(&self, outcome: Outcome<Value>) -> Outcome<Value> {
        let Outcome::Done(data) = outcome else {
            return outcome;
        };
        let lists = self.0.iter();
        let entries = lists.flat_map(|(root, list)| data[root][list].as_array());
        let errors: Vec<_> = entries.flatten().map(user_error).collect();
        match errors.is_empty() {
            true => Outcome::Done(data),
            false => Outcome::UserErrors(errors, data),
        }
    }
}

fn user_error(error: &Value) -> UserError {
    let field = error["field"].as_array().into_iter().flatten();
    UserError {
        field: field.filter_map(Value::as_str).map(str::to_owned).collect(),
        code: error["code"].as_str().map(str::to_owned),
        message: error["message"].as_str().unwrap_or_default().to_owned(),
    }
}
