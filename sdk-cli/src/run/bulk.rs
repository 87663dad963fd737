use std::borrow::Cow;
use std::io::Write;

use serde::de::IgnoredAny;
use tokio::sync::watch;
use tollgate::bulk::{self, BulkError};
use tollgate::{Points, ResumeToken};
use tollgate_codegen::bulk::{Bulk, Piece, Value as Form, bulk};

use super::Job;
use super::output::Output;
use super::progress::Bar;
use super::untyped::Untyped;
use crate::error::Error;
use crate::look::{self, FAINT};

/// Rows between two bookmarks: some hundred kilobytes, which are on disk within milliseconds.
const ROWS: usize = 2_000;

impl Job<'_> {
    /// Runs the operation in bulk, and writes its rows.
    pub(super) async fn bulk(&self, out: &mut Output<'_>) -> Result<(), Error> {
        let project = self.project;
        let query = match bulk(&project.schema, &project.document, self.operation) {
            Ok(Bulk::Query(query)) => query,
            Ok(Bulk::Mutation) => {
                return Err(Error::Wrong(format!(
                    "`{}` is a mutation: name a file with the variables of its calls by `--input`",
                    self.operation.name
                )));
            }
            Err(problems) => return Err(self.refuse(problems)),
        };
        let run = |error: serde_json::Error| Error::Run(error.into());
        let call = self.client.bulk::<Untyped>(self.variables.clone());
        let call = call.document(template(&query.template), shape(&query.connections));
        let job = match &self.at {
            Some(token) => {
                let token: ResumeToken = serde_json::from_value(token.clone()).map_err(run)?;
                call.resume(&token).await
            }
            None => call.start().await,
        }?;
        let mark = |token: &ResumeToken| serde_json::to_value(token).map_err(run);
        out.mark(mark(job.token())?)?;
        let bar = Bar::new("rows", None);
        let watch = job.watch();
        let mut rows = follow(&bar, watch, job.rows()).await?;
        bar.expect(rows.progress().total);
        let mut count: usize = 0;
        while let Some(row) = rows.next_raw().await {
            let row = row?;
            // Written as it came, but what is no JSON must not pass for a row.
            let IgnoredAny = serde_json::from_str(row.json()).map_err(|source| Error::Json {
                path: format!("line {}", row.place().line).into(),
                source,
            })?;
            writeln!(out, "{}", row.json())?;
            bar.add(1, Points::ZERO);
            count += 1;
            if count.is_multiple_of(ROWS) {
                out.mark(mark(rows.token())?)?;
            }
        }
        bar.done();
        if !self.quiet {
            // Beside the output, which is data.
            let noun = self.at.as_ref().map_or("row", |_| "further row");
            look::tell(format_args!("{FAINT}{}{FAINT:#}", look::count(count, noun)));
        }
        Ok(())
    }
}

/// Waits for the result of an operation, and shows what the service says meanwhile.
pub(super) async fn follow<T>(
    bar: &Bar,
    mut watch: watch::Receiver<bulk::Snapshot>,
    result: impl Future<Output = T>,
) -> T {
    tokio::pin!(result);
    loop {
        tokio::select! {
            result = &mut result => return result,
            Ok(()) = watch.changed() => {
                let seen = watch.borrow_and_update();
                bar.say(format!("({:?}, {} objects)", seen.status, seen.objects));
            }
        }
    }
}

/// Whether an operation can be gone on with after an error: it runs, or its result is there.
pub(super) fn goes_on(error: &Error) -> bool {
    let Error::Bulk(error) = error else {
        return true;
    };
    !matches!(
        error,
        BulkError::Failed { .. }
            | BulkError::Canceled { .. }
            | BulkError::Expired { .. }
            | BulkError::NotFound { .. }
            | BulkError::NoFile { .. }
            | BulkError::FileChanged { .. }
            | BulkError::Refused(_)
            | BulkError::Input(_)
    )
}

fn template(template: &tollgate_codegen::bulk::Template) -> bulk::Template {
    let variable = |variable: &tollgate_codegen::bulk::Variable| bulk::Variable {
        name: variable.name.clone().into(),
        default: variable.default.clone().map(Into::into),
        form: form(&variable.value),
    };
    let input = |(name, fields): &(String, Vec<(String, Form)>)| {
        let fields = fields
            .iter()
            .map(|(name, value)| (name.clone().into(), form(value)));
        (name.clone().into(), fields.collect::<Vec<_>>().into())
    };
    bulk::Template {
        pieces: pieces(&template.pieces),
        variables: template
            .variables
            .iter()
            .map(variable)
            .collect::<Vec<_>>()
            .into(),
        inputs: template.inputs.iter().map(input).collect::<Vec<_>>().into(),
    }
}

fn pieces(pieces: &[Piece]) -> Cow<'static, [bulk::Piece]> {
    let piece = |piece: &Piece| match piece {
        Piece::Text(text) => bulk::Piece::Text(text.clone().into()),
        Piece::Value(variable) => bulk::Piece::Value(variable.clone().into()),
        Piece::Member { name, variable } => bulk::Piece::Member {
            name: name.clone().into(),
            variable: variable.clone().into(),
        },
        Piece::Arguments(inner) => bulk::Piece::Arguments(self::pieces(inner)),
    };
    pieces.iter().map(piece).collect::<Vec<_>>().into()
}

fn form(value: &Form) -> bulk::Form {
    match value {
        Form::Plain => bulk::Form::Plain,
        Form::Enum => bulk::Form::Enum,
        Form::Input(name) => bulk::Form::Input(name.clone().into()),
    }
}

fn shape(connections: &[tollgate_codegen::bulk::BulkConnection]) -> bulk::Shape {
    let list = |texts: &[String]| {
        let texts = texts.iter().map(|text| text.clone().into());
        texts.collect::<Vec<_>>().into()
    };
    let connection = |connection: &tollgate_codegen::bulk::BulkConnection| bulk::Connection {
        parent: connection.parent,
        path: list(&connection.path),
        marker: connection.marker.clone().into(),
        types: list(&connection.types),
        open: connection.open.clone().into(),
        close: connection.close.clone().into(),
        open_node: connection.open_node.clone().into(),
        close_node: connection.close_node.clone().into(),
    };
    bulk::Shape {
        connections: connections
            .iter()
            .map(connection)
            .collect::<Vec<_>>()
            .into(),
    }
}
