use std::path::{Path, PathBuf};

use tollgate_codegen::diagnostic::suggest;
use tollgate_codegen::document::{self, Document, Operation, Valid};
use tollgate_codegen::pricing::{self, Bounds, Overrides, Priced, Rules};
use tollgate_codegen::schema::Schema;
use tollgate_codegen::source::{Files, Source, SourceError};
use tollgate_cost::{MAX_QUERY, Points};

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
    /// The project's own prices [default: costs.toml beside the schema, if it is there]
    #[arg(long, value_name = "FILE")]
    costs: Option<PathBuf>,
}

/// What starts a bulk operation, a mutation, costs; what it reads then costs nothing.
pub(crate) const BULK_START: Points = Points(10);

/// A schema with the documents that are valid against it.
pub(crate) struct Project {
    pub(crate) schema: Schema,
    pub(crate) document: Valid<Document>,
    pub(crate) rules: Rules,
    pub(crate) bounds: Bounds,
    /// How many of the sources are the project's own: those after them lend their fragments.
    pub(crate) own: usize,
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
        self.load_with(&[]).map(|(project, _)| project)
    }

    /// With further documents, which may be among those of the project, and the names of these.
    pub(crate) fn load_with(&self, further: &[String]) -> Result<(Project, Vec<String>), Error> {
        let mut files = Files::new(std::env::current_dir()?);
        let schema = files.schema(&self.schema).map_err(no_schema)?;
        let schema = Schema::from_sdl(schema)?;
        let named = files.documents(further)?;
        let named = named.iter().map(|source| source.name.to_string()).collect();
        let own = self.documents.iter().map(PathBuf::as_path);
        let all: Vec<_> = own.chain(further.iter().map(Path::new)).collect();
        let documents = match files.documents(&all) {
            // A file says enough where there is no folder of documents.
            Err(SourceError::Missing { .. }) if !further.is_empty() => files.documents(further)?,
            documents => documents?,
        };
        let fragments = match &self.fragments[..] {
            [] => Vec::new(),
            paths => files.documents(paths)?,
        };
        let is_lent = |source: &Source| documents.iter().all(|own| own.name != source.name);
        let fragments = fragments.into_iter().filter(is_lent).collect();
        let own = documents.len();
        let document = document::validate_with(&schema, documents, fragments)?;
        let costs = match &self.costs {
            Some(path) => Some(files.text(path)?),
            None => files.text_if_present(self.costs())?,
        };
        let rules = match costs {
            Some(source) => Rules::newest().with(&Overrides::parse(&schema, &source)?),
            None => Rules::newest().clone(),
        };
        let bounds = Bounds {
            page_size: self.page_size,
        };
        let project = Project {
            schema,
            document,
            rules,
            bounds,
            own,
        };
        Ok((project, named))
    }

    /// The file of the project's own prices, whether or not it is there: where the macros look, too.
    pub(crate) fn costs(&self) -> PathBuf {
        let beside = || self.schema.with_file_name("costs.toml");
        self.costs.clone().unwrap_or_else(beside)
    }
}

/// Where nothing is yet, what makes it is worth more than where it was looked for.
fn no_schema(error: SourceError) -> Error {
    match error {
        SourceError::Missing { .. } => Error::NoSchema(error),
        other => other.into(),
    }
}

impl Project {
    /// The operations of these names; all, when there are none.
    pub(crate) fn operations(&self, names: &[String]) -> Result<Vec<&Operation>, Error> {
        let all = self.document.operations.iter();
        let all: Vec<_> = all
            .filter(|operation| operation.span.source < self.own)
            .collect();
        if names.is_empty() {
            return Ok(all);
        }
        let named = |name: &String| {
            let found = all.iter().find(|operation| operation.name == *name);
            found.copied().ok_or_else(|| {
                let known = all.iter().map(|operation| operation.name.as_str());
                Error::NoOperation {
                    name: name.clone(),
                    close: suggest(name, known).map(str::to_owned),
                }
            })
        };
        names.iter().map(named).collect()
    }

    /// The operations of these names, and those in these documents; all, when there are none.
    pub(crate) fn operations_of(
        &self,
        names: &[String],
        documents: &[String],
    ) -> Result<Vec<&Operation>, Error> {
        let mut chosen = match (names, documents) {
            ([], [_, ..]) => Vec::new(),
            (names, _) => self.operations(names)?,
        };
        let inside = |operation: &&Operation| {
            let source = self.document.sources.get(operation.span.source);
            source.is_some_and(|source| documents.iter().any(|name| **name == *source.name))
        };
        for operation in self.document.operations.iter().filter(inside) {
            if !chosen.iter().any(|known| known.name == operation.name) {
                chosen.push(operation);
            }
        }
        Ok(chosen)
    }

    /// The most that a call costs; of a bulk operation, what starting it does.
    pub(crate) fn bound(operation: &Operation, priced: &Priced) -> Points {
        if operation.is_bulk() {
            BULK_START
        } else {
            priced.plan.declared_bound()
        }
    }

    /// The most that an operation may cost: its budget, and what the server takes for one query,
    /// which a bulk operation is not.
    pub(crate) fn limit(operation: &Operation) -> Option<Points> {
        let server = (!operation.is_bulk()).then_some(MAX_QUERY);
        [server, operation.budget()].into_iter().flatten().min()
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
        let place = operation.span.place(&self.document.sources);
        place.unwrap_or_default()
    }
}
