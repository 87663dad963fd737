use std::io::Write;
use std::sync::OnceLock;

use serde_json::{Map, Value};
use tokio::sync::watch;
use tollgate::bulk::{self, BulkError, BulkQuery};
use tollgate::{CostError, DecodeError, Operation, OperationKind, Plan, Points, ResumeToken};
use tollgate_codegen::bulk::{Bulk, Piece, Value as Form, bulk};

use super::Job;
use super::output::Output;
use super::progress::Bar;
use crate::error::Error;
use crate::look::{self, FAINT};

/// The one bulk query that this process runs: what generated code has in statics of its own.
struct Query;

/// Rows between two bookmarks: some hundred kilobytes, which are on disk within milliseconds.
const ROWS: usize = 2_000;

static TEMPLATE: OnceLock<bulk::Template> = OnceLock::new();
static SHAPE: OnceLock<bulk::Shape> = OnceLock::new();
static PLAN: Plan = Plan::constant(Points(1));

impl Operation for Query {
    type Variables = Map<String, Value>;
    type Data = ();
    const NAME: &'static str = "Query";
    const KIND: OperationKind = OperationKind::Query;
    const DOCUMENT: &'static str = "";
    const PLAN: &'static Plan = &PLAN;
    const MAX_COST: Points = Points(1);

    fn cost(_: &Self::Variables) -> Result<Points, CostError> {
        Ok(Points(1))
    }

    fn encode(variables: &Self::Variables, out: &mut Vec<u8>) {
        out.extend_from_slice(Value::Object(variables.clone()).to_string().as_bytes());
    }

    fn decode(_: &str) -> Result<(), DecodeError> {
        Ok(())
    }
}

impl BulkQuery for Query {
    type Row = ();

    fn template() -> &'static bulk::Template {
        TEMPLATE.get_or_init(|| bulk::Template {
            pieces: Vec::new().into(),
            variables: Vec::new().into(),
            inputs: Vec::new().into(),
        })
    }

    fn shape() -> &'static bulk::Shape {
        SHAPE.get_or_init(|| bulk::Shape {
            connections: Vec::new().into(),
        })
    }

    fn decode_row(_: &str) -> Result<(), DecodeError> {
        Ok(())
    }
}

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
        TEMPLATE.get_or_init(|| template(&query.template));
        SHAPE.get_or_init(|| shape(&query.connections));
        let shop = |error: BulkError| Error::Run(error.into());
        let run = |error: serde_json::Error| Error::Run(error.into());
        let call = self.client.bulk::<Query>(self.variables.clone());
        let job = match &self.at {
            Some(token) => {
                let token: ResumeToken = serde_json::from_value(token.clone()).map_err(run)?;
                call.resume(&token).await
            }
            None => call.start().await,
        };
        let job = job.map_err(shop)?;
        let mark = |token: &ResumeToken| serde_json::to_value(token).map_err(run);
        out.mark(mark(job.token())?)?;
        let bar = Bar::new("rows", None);
        let watch = job.watch();
        let mut rows = follow(&bar, watch, job.rows()).await.map_err(shop)?;
        bar.expect(rows.progress().total);
        let mut count: usize = 0;
        while let Some(row) = rows.next_raw().await {
            let row = row.map_err(shop)?;
            // Written as it came: what is no JSON must not pass for a row.
            let value: Value = serde_json::from_str(row.json()).map_err(|source| Error::Json {
                path: format!("line {}", row.place().line).into(),
                source,
            })?;
            writeln!(out, "{value}")?;
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
            anstream::eprintln!("{FAINT}{}{FAINT:#}", look::count(count, noun));
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
    let Error::Run(source) = error else {
        return true;
    };
    !matches!(
        source.downcast_ref::<BulkError>(),
        Some(
            BulkError::Failed { .. }
                | BulkError::Canceled { .. }
                | BulkError::Expired { .. }
                | BulkError::NotFound { .. }
                | BulkError::NoFile { .. }
                | BulkError::FileChanged { .. }
                | BulkError::Refused(_)
                | BulkError::Input(_)
        )
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

fn pieces(pieces: &[Piece]) -> std::borrow::Cow<'static, [bulk::Piece]> {
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
