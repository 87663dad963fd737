//! From paths to code: what the macros and the command do.

mod expansion;
mod kept;
mod krate;

pub use krate::crate_name;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tollgate_cost::Plan;

use crate::diagnostic::{Diagnostic, Diagnostics, Severity, suggest};
use crate::document::{self, Document, Operation, Valid};
use crate::emit;
use crate::pricing::{self, Bounds, Overrides, Rules};
use crate::schema::{Schema, is_built_in_scalar};
use crate::source::{Files, Source, SourceError};

/// What to generate, and from what.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The schema's file.
    pub schema: String,
    /// The documents.
    pub documents: Documents,
    /// The one operation to generate; all when left out.
    pub operation: Option<String>,
    /// The project's own prices. `costs.toml` beside the schema, where there is one, when left out.
    pub costs: Option<String>,
    /// The page size that the bound takes for variables that declare none; 250 when left out.
    pub page_size: Option<u64>,
    /// A module with a type of the same name for each scalar of the schema.
    pub scalars_module: Option<String>,
    /// What to do about deprecated fields.
    pub deprecated: Deprecated,
    /// How the code looks.
    pub emit: emit::Settings,
}

/// Where documents are.
#[derive(Clone, Debug)]
pub enum Documents {
    /// Files, folders or patterns.
    Paths(Vec<String>),
    /// A text.
    Inline(Source),
}

/// What to do about deprecated fields, arguments and values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Deprecated {
    /// Nothing.
    Allow,
    /// Warn once for each place.
    #[default]
    Warn,
    /// Refuse them.
    Deny,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// The code; what stands for it when there are errors that leave none.
    pub code: String,
    /// Whether the code only stands for what could not be made.
    pub stands_in: bool,
    /// Every file that was read, absolute: a change to one of them changes the output.
    pub files_read: Vec<PathBuf>,
    /// All errors and warnings, sorted.
    pub diagnostics: Diagnostics,
}

/// What a macro call expands to: [`generate`]'s output as text, kept from one build to the next
/// while nothing that it was made from changes.
#[must_use]
pub fn expansion(settings: &Settings, mut files: Files) -> String {
    let kept = kept::Kept::new(settings, &files);
    if let Some(text) = kept.as_ref().and_then(kept::Kept::text) {
        return text;
    }
    let output = made(settings, &mut files);
    let text = output.expansion();
    if let Some(kept) = kept
        && !output.diagnostics.has_errors()
    {
        kept.keep(settings, &files, &text);
    }
    text
}

/// Reads, validates, prices and emits.
#[must_use]
pub fn generate(settings: &Settings, mut files: Files) -> Output {
    made(settings, &mut files)
}

fn made(settings: &Settings, files: &mut Files) -> Output {
    let mut problems = Diagnostics::default();
    let sources = problems.take(read_documents(settings, files));
    let schema = problems.take(read_schema(settings, files));
    let texts = sources.clone().unwrap_or_default();
    let valid = match (&schema, sources) {
        (Some(schema), Some(sources)) => problems.take(document::validate(schema, sources)),
        _ => None,
    };
    let code = match (schema, valid) {
        (Some(schema), Some(valid)) => emit(settings, files, &schema, valid, &mut problems),
        _ => None,
    };
    let stands_in = code.is_none();
    let code = code.unwrap_or_else(|| expansion::stand_in(settings, &texts));
    Output {
        code,
        stands_in,
        files_read: files.read().map(Path::to_path_buf).collect(),
        diagnostics: Diagnostics::new(problems.sources, problems.list),
    }
}

fn read_documents(settings: &Settings, files: &mut Files) -> Result<Vec<Source>, Diagnostics> {
    match &settings.documents {
        Documents::Paths(paths) => files.documents(paths).map_err(unread),
        Documents::Inline(source) => Ok(vec![source.clone()]),
    }
}

fn read_schema(settings: &Settings, files: &mut Files) -> Result<Arc<Schema>, Diagnostics> {
    let source = files.schema(&settings.schema).map_err(unread)?;
    Schema::shared(source)
}

fn unread(error: SourceError) -> Diagnostics {
    let problem = Diagnostic::error(error.to_string(), None);
    Diagnostics::new(Vec::new(), vec![problem])
}

/// Prices and emits; `None` when there is no code to give.
fn emit(
    settings: &Settings,
    files: &mut Files,
    schema: &Schema,
    document: Valid<Document>,
    problems: &mut Diagnostics,
) -> Option<String> {
    let document = problems.take(selected(settings, document))?;
    let overrides = problems.take(read_costs(settings, files, schema));
    let rules = match &overrides {
        Some(Some(overrides)) => &Rules::newest().with(overrides),
        _ => Rules::newest(),
    };
    let bounds = Bounds {
        page_size: settings.page_size,
    };
    problems.extend(unknown_scalars(settings, schema));
    let looks = with_scalars(settings, schema);
    let mut plans = Vec::with_capacity(document.operations.len());
    let mut told = Vec::new();
    for operation in &document.operations {
        let priced = pricing::price(schema, &document, operation, rules, bounds);
        told.extend(pricing::check(&document, operation, &priced));
        plans.push(priced.plan);
    }
    let (code, found) = emitted(schema, &document, &plans, told, &looks, settings.deprecated);
    problems.extend(found);
    code
}

/// The code for documents, if they leave any, and all that is wrong with them: what the macros and
/// `tollgate check` say. `plans` are the prices of the operations, in their order, and `told` is what
/// [`pricing::check`] says of them.
#[must_use]
pub fn emitted(
    schema: &Schema,
    document: &Valid<Document>,
    plans: &[Plan],
    told: Vec<Diagnostic>,
    settings: &emit::Settings,
    deprecated: Deprecated,
) -> (Option<String>, Diagnostics) {
    let mut found = document::lint(schema, document);
    found.extend(told);
    let mut problems = Diagnostics::new(document.sources.clone(), found);
    let code = problems.take(emit::operations(schema, document, plans, settings));
    let code = code.map(|code| {
        let long = document.operations.iter();
        let long = long.filter_map(|it| too_long(it, &code.documents[&it.name]));
        problems.extend(Diagnostics::new(document.sources.clone(), long.collect()));
        problems.extend(deprecations(deprecated, code.warnings));
        code.text
    });
    (code, Diagnostics::new(problems.sources, problems.list))
}

/// The longest document that the server reads, in letters.
const MAX_LETTERS: usize = 50_000;

fn too_long(operation: &Operation, sent: &str) -> Option<Diagnostic> {
    let letters = sent.chars().count();
    let name = &operation.name;
    let message =
        format!("`{name}` is {letters} letters long as it is sent; the server reads {MAX_LETTERS}");
    (letters > MAX_LETTERS).then(|| Diagnostic::error(message, operation.span.clone()))
}

fn deprecations(deprecated: Deprecated, mut found: Diagnostics) -> Diagnostics {
    match deprecated {
        Deprecated::Allow => found.list.clear(),
        Deprecated::Warn => {}
        Deprecated::Deny => {
            for problem in &mut found.list {
                problem.severity = Severity::Error;
            }
        }
    }
    found
}

/// The document with the one operation that was asked for.
fn selected(
    settings: &Settings,
    document: Valid<Document>,
) -> Result<Valid<Document>, Diagnostics> {
    let Some(name) = &settings.operation else {
        return Ok(document);
    };
    let name = normalized(settings, &document, name).unwrap_or_else(|| name.clone());
    let name = &name;
    document.only(name).map_err(|document| {
        let names = document
            .operations
            .iter()
            .map(|operation| operation.name.as_str());
        let help = match suggest(name, names.clone()) {
            Some(found) => format!("did you mean `{found}`?"),
            None => {
                let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
                format!("there is {}", names.join(", "))
            }
        };
        let problem = Diagnostic::error(format!("no operation is named `{name}`"), None);
        Diagnostics::new(document.sources.clone(), vec![problem.with_help(help)])
    })
}

/// The operation that a struct of this name stands for where names are written as Rust does, as in
/// `graphql_client`: none where one has the very name.
fn normalized(settings: &Settings, document: &Document, name: &str) -> Option<String> {
    let derived = matches!(settings.emit.layout, emit::Layout::OneStruct { .. });
    let mut names = document.operations.iter().map(|it| &it.name);
    if !derived || settings.emit.keep_variants || names.clone().any(|it| it == name) {
        return None;
    }
    names.find(|it| emit::name::type_name(it) == name).cloned()
}

/// Where the project's own prices are, if it has some.
fn costs_path(settings: &Settings) -> PathBuf {
    let beside = || Path::new(&settings.schema).with_file_name("costs.toml");
    settings.costs.as_ref().map_or_else(beside, PathBuf::from)
}

fn read_costs(
    settings: &Settings,
    files: &mut Files,
    schema: &Schema,
) -> Result<Option<Overrides>, Diagnostics> {
    let source = match &settings.costs {
        Some(path) => files.text(path).map(Some),
        None => files.text_if_present(costs_path(settings)),
    };
    match source.map_err(unread)? {
        Some(source) => Overrides::parse(schema, &source).map(Some),
        None => Ok(None),
    }
}

/// Types that are named for scalars which the schema does not have.
fn unknown_scalars(settings: &Settings, schema: &Schema) -> Diagnostics {
    let named = settings.emit.scalars.keys();
    let unknown = named.filter(|name| schema.get(name).is_none());
    let problem = |name: &String| {
        let problem = Diagnostic::error(format!("the schema has no scalar `{name}`"), None);
        let scalars = schema.type_names().filter(|name| schema.is_scalar(name));
        match suggest(name, scalars) {
            Some(close) => problem.with_help(format!("did you mean `{close}`?")),
            None => problem,
        }
    };
    Diagnostics::new(Vec::new(), unknown.map(problem).collect())
}

/// The emission's settings, the scalars of the project's module among them.
fn with_scalars(settings: &Settings, schema: &Schema) -> emit::Settings {
    let mut emit = settings.emit.clone();
    let Some(module) = &settings.scalars_module else {
        return emit;
    };
    for name in schema.type_names() {
        let own = schema.is_scalar(name) && !is_built_in_scalar(name);
        if own && !emit.scalars.contains_key(name) {
            emit.scalars
                .insert(name.to_owned(), format!("{module}::{name}"));
        }
    }
    emit
}
