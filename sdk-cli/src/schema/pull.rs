//! `tollgate schema pull`.

use std::io::Write;
use std::path::PathBuf;

use serde_json::Value;
use tollgate::{Client, ErrorKind, Points, Response};
use tollgate_codegen::diagnostic::Severity;
use tollgate_codegen::schema::{Schema, introspection, without_descriptions};
use tollgate_codegen::source::{Files, Source};

use crate::error::Error;
use crate::server::ServerArgs;
use crate::{file, http, look, runtime};

/// The introspection of everything, seven levels of lists and non-nulls deep, as no real type is.
const INTROSPECTION: &str = include_str!("introspection.graphql");

/// More than any schema: the real one is 11 MB of JSON.
const LIMIT: usize = 256 << 20;

#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// A URL or a file with the schema, as SDL or introspection JSON, plain or gzipped; without
    /// one, the server is introspected
    from: Option<String>,
    #[command(flatten)]
    server: ServerArgs,
    /// Where to write the SDL; `-` is the output
    #[arg(
        long,
        short,
        value_name = "FILE",
        default_value = "schema/admin.graphql"
    )]
    out: PathBuf,
    /// Leave descriptions out, except those that state a price
    #[arg(long)]
    no_descriptions: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Error> {
    let mut sdl = fetch(args)?;
    if args.no_descriptions {
        sdl = without_descriptions(&sdl);
    }
    let name = args.out.to_string_lossy();
    // A schema that cannot be read does not replace one that can.
    let schema = Schema::from_sdl(Source::new(name.clone(), sdl.as_str()));
    let schema = schema.map_err(Error::NotSchema)?;
    // A server may serve what does not hold together: what is sound of it can be used.
    if let Err(mut unsound) = schema.check() {
        let problems = unsound.list.iter_mut();
        problems.for_each(|problem| problem.severity = Severity::Warning);
        look::tell(look::problems(&unsound));
    }
    if name == "-" {
        return Ok(out.write_all(sdl.as_bytes())?);
    }
    file::replace(&args.out, &sdl)?;
    let types = look::count(schema.type_names().count(), "type");
    writeln!(out, "{name} ({types}, {} kB)", sdl.len().div_ceil(1000))?;
    Ok(())
}

fn fetch(args: &Args) -> Result<String, Error> {
    match &args.from {
        Some(url) if url.starts_with("https://") || url.starts_with("http://") => {
            runtime::start_here()?.block_on(download(url))
        }
        Some(path) => {
            let mut files = Files::new(std::env::current_dir()?);
            Ok(files.schema(path)?.text.to_string())
        }
        None => runtime::start_here()?.block_on(introspect(args)),
    }
}

async fn introspect(args: &Args) -> Result<String, Error> {
    if !args.server.is_named() {
        return Err(Error::NothingToPull);
    }
    let client = args.server.client()?.body_limit(LIMIT).build()?;
    let answer = match ask(&client, INTROSPECTION).await {
        // A server of an older specification refuses what it does not know.
        Err(error) if matches!(error.kind(), ErrorKind::GraphQl { .. }) => {
            ask(&client, &without_newer(INTROSPECTION)).await
        }
        answer => answer,
    };
    Ok(introspection::to_sdl(answer?.data.to_string().as_bytes())?)
}

async fn ask(client: &Client, document: &str) -> Result<Response<Value>, tollgate::Error> {
    let call = client.raw(document, &Value::Null);
    call.operation_name("Introspection")
        .estimate(Points(100))
        .await
}

/// The introspection of the specification of 2018: no `@oneOf`, no deprecated inputs.
fn without_newer(document: &str) -> String {
    let (before, inputs) = document
        .split_once("fragment Input")
        .unwrap_or((document, ""));
    let without = |text: &str, newer: &[&str]| {
        let lines = text.split_inclusive('\n');
        lines
            .filter(|line| !newer.contains(&line.trim()))
            .collect::<String>()
    };
    let mut before = without(before, &["isOneOf", "isRepeatable", "specifiedByURL"]);
    for field in ["args", "inputFields"] {
        before = before.replace(&format!("{field}(includeDeprecated: true)"), field);
    }
    let inputs = without(inputs, &["isDeprecated", "deprecationReason"]);
    format!("{before}fragment Input{inputs}")
}

/// What a URL gives, without a token.
async fn download(url: &str) -> Result<String, Error> {
    let failed = |source: Box<dyn std::error::Error + Send + Sync>| Error::Fetch {
        url: url.to_owned(),
        source,
    };
    let get = async {
        let response = http::client()?.get(url).send().await?;
        let mut response = response.error_for_status()?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await? {
            if body.len() + chunk.len() > LIMIT {
                return Err("it is larger than any schema".into());
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    };
    let body = get.await.map_err(failed)?;
    // Read as a file is: SDL or JSON, plain or gzipped.
    let file = tempfile::NamedTempFile::new()?;
    std::fs::write(file.path(), body)?;
    Ok(Files::new(".").schema(file.path())?.text.to_string())
}

#[cfg(test)]
mod tests {
    use tollgate_codegen::document;
    use tollgate_codegen::schema::Schema;
    use tollgate_codegen::source::Source;

    use super::{INTROSPECTION, without_newer};

    #[test]
    fn an_older_server_is_asked_for_what_it_knows() {
        let older = without_newer(INTROSPECTION);
        for newer in ["isOneOf", "specifiedByURL", "isRepeatable"] {
            assert!(INTROSPECTION.contains(newer) && !older.contains(newer));
        }
        // Fields and enum values can be deprecated; arguments and input fields not yet.
        let count = |text: &str, word| text.matches(word).count();
        for (word, new, old) in [("isDeprecated", 3, 2), ("includeDeprecated", 5, 2)] {
            assert_eq!(count(INTROSPECTION, word), new, "{word}");
            assert_eq!(count(&older, word), old, "{word}");
        }
        let schema = Schema::from_sdl(Source::new("s", "type Query { a: Int }")).unwrap();
        for text in [INTROSPECTION, &older] {
            let read = document::validate(&schema, vec![Source::new("q", text)]);
            assert!(read.is_ok(), "{}", read.unwrap_err());
        }
    }
}
