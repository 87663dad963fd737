use std::path::{Path, PathBuf};

use tollgate_codegen::diagnostic::suggest;
use tollgate_codegen::document::{self, Document, Operation, Valid};
use tollgate_codegen::pricing::{self, Bounds, Overrides, Priced, Rules};
use tollgate_codegen::schema::Schema;
use tollgate_codegen::source::Files;

use crate::error::Error;

/// Which schema and documents.
#[derive(clap::Args, Debug)]
pub(crate) struct ProjectArgs {
    /// The schema: SDL or introspection JSON, plain or gzipped
    #[arg(long, value_name = "FILE", default_value = "schema/admin.graphql")]
    schema: PathBuf,
    /// The documents: files, folders or patterns
    #[arg(long, value_name = "PATH", default_value = "queries")]
    documents: Vec<PathBuf>,
    /// The page size that variables without a bound are taken as
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=250))]
    page_size: Option<u64>,
    /// Documents that only lend their fragments.
    #[arg(skip)]
    fragments: Vec<PathBuf>,
    /// The project's own prices [default: schema/costs.toml, if it is there]
    #[arg(long, value_name = "FILE")]
    costs: Option<PathBuf>,
}

/// Where a project's own prices are looked for.
pub(crate) const COSTS: &str = "schema/costs.toml";

/// A schema with the documents that are valid against it.
pub(crate) struct Project {
    pub(crate) schema: Schema,
    pub(crate) document: Valid<Document>,
    pub(crate) rules: Rules,
    pub(crate) bounds: Bounds,
}

impl ProjectArgs {
    /// A schema and documents, with others whose fragments they may spread, and nothing else set.
    pub(crate) fn of(schema: PathBuf, documents: Vec<PathBuf>, fragments: Vec<PathBuf>) -> Self {
        Self {
            schema,
            documents,
            fragments,
            page_size: None,
            costs: None,
        }
    }

    pub(crate) fn load(&self) -> Result<Project, Error> {
        let mut files = Files::new(std::env::current_dir()?);
        let schema = Schema::from_sdl(files.schema(&self.schema)?)?;
        let documents = files.documents(&self.documents)?;
        let fragments = match &self.fragments[..] {
            [] => Vec::new(),
            paths => files.documents(paths)?,
        };
        let document = document::validate_with(&schema, documents, fragments)?;
        let costs = match &self.costs {
            Some(path) => Some(files.text(path)?),
            None => files.text_if_present(COSTS)?,
        };
        let rules = match costs {
            Some(source) => Rules::newest().with(&Overrides::parse(&schema, &source)?),
            None => Rules::newest().clone(),
        };
        Ok(Project {
            schema,
            document,
            rules,
            bounds: Bounds {
                page_size: self.page_size,
            },
        })
    }
}

impl ProjectArgs {
    /// The file of the project's own prices, whether or not it is there.
    pub(crate) fn costs(&self) -> &Path {
        self.costs.as_deref().unwrap_or(Path::new(COSTS))
    }
}

impl Project {
    /// The operations of these names; all, when there are none.
    pub(crate) fn operations(&self, names: &[String]) -> Result<Vec<&Operation>, Error> {
        let all = &self.document.operations;
        if names.is_empty() {
            return Ok(all.iter().collect());
        }
        let named = |name: &String| {
            let found = all.iter().find(|operation| operation.name == *name);
            found.ok_or_else(|| {
                let known = all.iter().map(|operation| operation.name.as_str());
                Error::NoOperation {
                    name: name.clone(),
                    close: suggest(name, known).map(str::to_owned),
                }
            })
        };
        names.iter().map(named).collect()
    }

    pub(crate) fn priced(&self, operation: &Operation) -> Priced {
        pricing::price(
            &self.schema,
            &self.document,
            operation,
            &self.rules,
            self.bounds,
        )
    }

    /// `queries/orders.graphql:3:7`.
    pub(crate) fn place(&self, operation: &Operation) -> String {
        let source = self.document.sources.get(operation.span.source);
        source.map_or_else(String::new, |source| {
            let (line, column) = source.line_column(operation.span.range.start);
            format!("{}:{line}:{column}", source.name)
        })
    }
}
