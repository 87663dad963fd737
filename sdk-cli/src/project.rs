use std::path::PathBuf;

use tollgate_codegen::document::{self, Document, Valid};
use tollgate_codegen::pricing::{Bounds, Rules};
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
    #[arg(long, value_name = "N")]
    page_size: Option<u64>,
}

/// A schema with the documents that are valid against it.
pub(crate) struct Project {
    pub(crate) schema: Schema,
    pub(crate) document: Valid<Document>,
    pub(crate) rules: Rules,
    pub(crate) bounds: Bounds,
}

impl ProjectArgs {
    pub(crate) fn load(&self) -> Result<Project, Error> {
        let mut files = Files::new(std::env::current_dir()?);
        let schema = Schema::from_sdl(files.schema(&self.schema)?)?;
        let document = document::validate(&schema, files.documents(&self.documents)?)?;
        Ok(Project {
            schema,
            document,
            rules: Rules::newest().clone(),
            bounds: Bounds {
                page_size: self.page_size,
            },
        })
    }
}
