//! The same operations by `graphql_client` 0.16: a derive for each, in a file of its own.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use tollgate_codegen::schema::Schema;

use super::Operation;
use super::scratch::Scratch;
use crate::Failure;

pub(super) struct Crates {
    folder: PathBuf,
    schema: PathBuf,
    scalars: String,
    operations: Vec<Operation>,
}

impl Crates {
    pub(super) fn new(
        folder: &Path,
        given: &Path,
        sdl: &str,
        schema: &Schema,
        operations: &[Operation],
    ) -> Result<Self, Failure> {
        std::fs::create_dir_all(folder)?;
        // It reads no gzip, and goes by the ending.
        let path = match given.extension().and_then(|ending| ending.to_str()) {
            Some("json" | "graphql") => std::path::absolute(given)?,
            _ => {
                let path = folder.join("schema.graphql");
                std::fs::write(&path, sdl)?;
                path
            }
        };
        let mut scalars = String::new();
        for name in schema.type_names().filter(|name| schema.is_scalar(name)) {
            let ty = match name {
                "JSON" => "serde_json::Value",
                "String" | "Int" | "Float" | "Boolean" | "ID" => continue,
                _ => "String",
            };
            writeln!(scalars, "pub type {name} = {ty};")?;
        }
        Ok(Self {
            folder: folder.to_path_buf(),
            schema: path,
            scalars,
            operations: operations.to_vec(),
        })
    }

    /// The operations that it compiles.
    pub(super) fn compiling(&mut self) -> Result<Vec<Operation>, Failure> {
        loop {
            let scratch = self.with(&self.operations)?;
            let output = scratch.cargo(&["check", "--message-format=json"])?;
            if output.status.success() {
                return Ok(self.operations.clone());
            }
            let said = String::from_utf8_lossy(&output.stdout);
            let before = self.operations.len();
            let refused: Vec<usize> = said.lines().filter_map(refused).collect();
            let mut index = 0;
            self.operations.retain(|_| {
                index += 1;
                !refused.contains(&(index - 1))
            });
            if self.operations.len() == before {
                let said = String::from_utf8_lossy(&output.stderr);
                return Err(format!("the peer does not build:\n{said}").into());
            }
        }
    }

    pub(super) fn with(&self, operations: &[Operation]) -> Result<Scratch, Failure> {
        let scratch = Scratch::new(&self.folder, &format!("peer_{}", operations.len()))?;
        scratch.manifest(
            "graphql_client = \"0.16\"\nserde = { version = \"1\", features = [\"derive\"] }\nserde_json = \"1\"",
        )?;
        scratch.write("src/scalars.rs", &self.scalars)?;
        let mut lib = String::from("pub mod scalars;\n");
        let mut uses = String::new();
        for (index, Operation { name, text }) in operations.iter().enumerate() {
            scratch.write(&format!("queries/op_{index}.graphql"), text)?;
            let schema = &self.schema;
            scratch.write(
                &format!("src/op_{index}.rs"),
                &format!(
                    "use graphql_client::GraphQLQuery;\n\n#[derive(GraphQLQuery)]\n\
                     #[graphql(\n    schema_path = {schema:?},\n    query_path = \"queries/op_{index}.graphql\",\n    \
                     response_derives = \"Clone, Debug, PartialEq\",\n    variables_derives = \"Clone, Debug, PartialEq\",\n    \
                     custom_scalars_module = \"crate::scalars\"\n)]\npub struct {name};\n"
                ),
            )?;
            writeln!(
                lib,
                "#[allow(non_camel_case_types, dead_code, deprecated)]\npub mod op_{index};"
            )?;
            writeln!(
                uses,
                "    good += usize::from(serde_json::from_str::<<op_{index}::{name} as graphql_client::GraphQLQuery>::ResponseData>(text).is_ok());"
            )?;
        }
        write!(
            lib,
            "pub fn decode(text: &str) -> usize {{\n    let mut good = 0;\n{uses}    good\n}}\n"
        )?;
        scratch.write("src/lib.rs", &lib)?;
        Ok(scratch)
    }
}

/// The index of the operation whose file an error of the compiler is in.
fn refused(line: &str) -> Option<usize> {
    let message: serde_json::Value = serde_json::from_str(line).ok()?;
    let message = &message["message"];
    if message["level"] != "error" {
        return None;
    }
    let mut spans = message["spans"].as_array()?.iter();
    spans.find_map(|span| {
        let file = span["file_name"].as_str()?;
        let index = file.strip_prefix("src/op_")?.strip_suffix(".rs")?;
        index.parse().ok()
    })
}
