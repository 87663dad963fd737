use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use bluejay_core::OperationType;
use bluejay_core::executable::{
    OperationDefinition as _, OperationDefinitionReference, VariableType as _,
    VariableTypeReference,
};
use bluejay_core::{AsIter, Indexable};
use bluejay_parser::HasSpan;
use bluejay_parser::ast::definition::{DefaultContext, DefinitionDocument, SchemaDefinition};
use bluejay_parser::ast::executable::{
    ExecutableDocument, ExplicitOperationDefinition, FragmentDefinition, OperationDefinition,
    VariableType,
};
use bluejay_parser::ast::{Parse, ParseOptions};
use bluejay_validator::executable::Cache;
use bluejay_validator::executable::document::{BuiltinRulesValidator, Error};

use super::cursor::Cursor;
use super::rule::Reporter;
use super::selection::{Reader, Unknown};
use super::{MAX_BYTES, MAX_DEPTH, MAX_TOKENS, extent, introspection, problem, value};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::document::{self, Document, Fragment, Operation, OperationKind, Variable};
use crate::schema::{Schema, TypeRef};
use crate::source::{Source, Span};

/// How many unused variables are told beside other problems.
const UNUSED: usize = 50;

type Definitions<'a> = DefinitionDocument<'a, DefaultContext>;
type Linked<'a> = SchemaDefinition<'a, DefaultContext>;

/// Parses and validates a set of sources as one document, so that fragments are shared. Those of
/// the sources from `lent` on may go unused.
pub(crate) fn parse(
    schema: &Schema,
    sources: Vec<Source>,
    lent: usize,
) -> Result<Document, Diagnostics> {
    read(schema, sources, lent, Unknown::Refuse)
}

/// Parses without validation; fields that the schema does not know are typed by their shape.
pub(crate) fn parse_unvalidated(
    schema: &Schema,
    sources: Vec<Source>,
) -> Result<Document, Diagnostics> {
    let lent = sources.len();
    read(schema, sources, lent, Unknown::Guess)
}

fn read(
    schema: &Schema,
    sources: Vec<Source>,
    lent: usize,
    unknown: Unknown,
) -> Result<Document, Diagnostics> {
    if let Some(problem) = too_long(&sources) {
        return Err(Diagnostics::new(sources, vec![problem]));
    }
    let joined = Joined::new(&sources);
    let parsed = match joined.parse(&sources) {
        Ok(parsed) => parsed,
        Err(problems) => return Err(Diagnostics::new(sources, problems)),
    };
    if let Err(problems) = extent::check(&parsed, &joined) {
        return Err(Diagnostics::new(sources, problems));
    }
    if unknown == Unknown::Refuse
        && let Err(problems) = validate(schema, &parsed, &joined, lent)
    {
        // Problems of the schema come with source 0, and stand behind the documents here.
        let mut all = sources;
        all.push(schema.source().clone());
        return Err(Diagnostics::new(all, problems));
    }
    let reader = Reader {
        schema,
        joined: &joined,
        unknown,
    };
    let operations = parsed.operation_definitions().iter();
    let operations: Vec<_> = operations.filter_map(|o| reader.operation(o)).collect();
    let fragments = parsed.fragment_definitions().iter();
    let fragments = fragments.map(|f| reader.fragment(f));
    let fragments: BTreeMap<_, _> = fragments.map(|f| (f.name.clone(), f)).collect();
    Ok(Document {
        sources,
        operations,
        fragments,
    })
}

fn too_long(sources: &[Source]) -> Option<Diagnostic> {
    let bytes: usize = sources.iter().map(|source| source.text.len()).sum();
    let longest = (0..sources.len()).max_by_key(|index| sources[*index].text.len())?;
    let span = Span {
        source: longest,
        range: 0..0,
    };
    let message =
        format!("there is too much text: {bytes} bytes of documents, {MAX_BYTES} are allowed");
    (bytes > MAX_BYTES).then(|| Diagnostic::error(message, span))
}

fn validate(
    schema: &Schema,
    parsed: &ExecutableDocument<'_>,
    joined: &Joined,
    lent: usize,
) -> Result<(), Vec<Diagnostic>> {
    let of_schema = |mut problem: Diagnostic| {
        let index = joined.starts.len();
        let labels = problem.labels.iter_mut().map(|(span, _)| span);
        problem
            .span
            .iter_mut()
            .chain(labels)
            .for_each(|span| span.source = index);
        problem
    };
    let older = introspection::older(&joined.text, parsed, schema.sdl());
    let older = older.as_deref().and_then(|text| parse_text(text).ok());
    let parsed = older.as_ref().unwrap_or(parsed);
    let slice = super::slice::slice(schema.sdl(), parsed)
        .map_err(|problems| problems.into_iter().map(of_schema).collect::<Vec<_>>())?;
    let unlinked = |problems: Vec<bluejay_parser::Error>| {
        let first = problems.first().map_or("", |problem| problem.message());
        let message = format!("the schema does not hold together: {first}");
        let at = Span {
            source: joined.starts.len(),
            range: 0..0,
        };
        let help =
            "`tollgate schema pull FILE` reads all of a schema, and says what is wrong with it";
        vec![Diagnostic::error(message, at).with_help(help)]
    };
    let definitions = Definitions::parse(&slice).result.map_err(unlinked)?;
    let linked = Linked::try_from(&definitions)
        .map_err(|problems| unlinked(problems.into_iter().map(Into::into).collect()))?;
    let cache = Cache::new(parsed, &linked);
    let reporter = Reporter {
        sdl: schema.sdl(),
        document: parsed,
        joined,
    };
    let (unused, others): (Vec<_>, Vec<_>) =
        BuiltinRulesValidator::validate(parsed, &linked, &cache)
            .partition(|violation| matches!(violation, Error::VariableDefinitionUnused { .. }));
    let mut problems: Vec<_> = others
        .into_iter()
        .filter(|violation| match violation {
            Error::FragmentDefinitionUnused {
                fragment_definition,
            } => {
                joined
                    .span(fragment_definition.name().span().byte_range())
                    .source
                    < lent
            }
            _ => true,
        })
        .map(|other| reporter.report(other))
        .collect();
    // A variable given to an argument that does not exist is unused to the validator: that is the
    // wake of a mistake, and shown only when nothing else is wrong.
    let others = !problems.is_empty();
    let unused = unused
        .into_iter()
        .map(|violation| reporter.report(violation));
    // Each is looked for in all of its document, so not for all of very many.
    let told = if others { UNUSED } else { usize::MAX };
    let unused = unused.take(told);
    problems.extend(unused.filter(|problem| !(others && joined.is_used_below(problem))));
    // A fragment is looked at once for each operation that uses it.
    let mut seen = HashSet::new();
    problems.retain(|problem| seen.insert((problem.span.clone(), problem.message.clone())));
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems)
    }
}

/// All sources in one text, with the way back.
pub(super) struct Joined {
    text: String,
    /// Where each source starts.
    starts: Vec<usize>,
}

impl Joined {
    fn new(sources: &[Source]) -> Self {
        let mut text = String::new();
        let mut starts = Vec::with_capacity(sources.len());
        for source in sources {
            starts.push(text.len());
            text.push_str(&source.text);
            text.push('\n');
        }
        Self { text, starts }
    }

    pub(super) fn span(&self, range: Range<usize>) -> Span {
        let source = self
            .starts
            .partition_point(|start| *start <= range.start)
            .max(1)
            - 1;
        let start = self.starts.get(source).copied().unwrap_or(0);
        Span {
            source,
            range: range.start - start..range.end - start,
        }
    }

    /// Whether the variable that a problem points at is written again, other than to declare it.
    fn is_used_below(&self, problem: &Diagnostic) -> bool {
        let Some(span) = &problem.span else {
            return false;
        };
        let start = self.starts[span.source];
        let end = self.starts.get(span.source + 1);
        let text = &self.text[start..end.copied().unwrap_or(self.text.len())];
        let (name, below) = (&text[span.range.clone()], &text[span.range.end..]);
        let next = below
            .match_indices(name)
            .map(|(at, _)| &below[at + name.len()..]);
        let mut next = next.filter(|rest| {
            !rest.starts_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '_')
        });
        next.next()
            .is_some_and(|rest| !rest.trim_start().starts_with(':'))
    }

    /// Parses all sources as one document.
    fn parse(&self, sources: &[Source]) -> Result<ExecutableDocument<'_>, Vec<Diagnostic>> {
        let parsed = parse_text(&self.text);
        // An open brace in one source must not swallow the next.
        let whole = |span: &bluejay_parser::Span| {
            let range = span.byte_range();
            let span = self.span(range);
            sources
                .get(span.source)
                .is_some_and(|source| span.range.end <= source.text.len())
        };
        match parsed {
            Ok(parsed)
                if parsed
                    .operation_definitions()
                    .iter()
                    .all(|o| whole(o.span()))
                    && parsed
                        .fragment_definitions()
                        .iter()
                        .all(|f| whole(f.span())) =>
            {
                Ok(parsed)
            }
            other => {
                let mut problems = Vec::new();
                if sources.len() > 1 {
                    problems.extend(sources.iter().enumerate().flat_map(syntax));
                }
                if let (Err(errors), true) = (other, problems.is_empty()) {
                    problems = problem::syntax(errors, &self.text, &(0..self.text.len()));
                    let spans = problems
                        .iter_mut()
                        .filter_map(|problem| problem.span.as_mut());
                    spans.for_each(|span| *span = self.span(span.range.clone()));
                }
                Err(problems)
            }
        }
    }
}

fn parse_text(text: &str) -> Result<ExecutableDocument<'_>, Vec<bluejay_parser::Error>> {
    let options = ParseOptions {
        max_depth: MAX_DEPTH,
        max_tokens: Some(MAX_TOKENS),
        ..Default::default()
    };
    ExecutableDocument::parse_with_options(text, options).result
}

/// What is wrong with one source on its own. Nothing at all is not wrong beside others.
fn syntax((index, source): (usize, &Source)) -> Vec<Diagnostic> {
    let text = &source.text;
    if Cursor::new(text, 0).next_byte().is_none() {
        return Vec::new();
    }
    let errors = parse_text(text).err().unwrap_or_default();
    let mut problems = problem::syntax(errors, text, &(0..text.len()));
    let spans = problems
        .iter_mut()
        .filter_map(|problem| problem.span.as_mut());
    spans.for_each(|span| span.source = index);
    problems
}

impl Reader<'_> {
    fn operation(&self, definition: &OperationDefinition<'_>) -> Option<Operation> {
        let id = definition.id().byte_range();
        let (kind, name, explicit) = match definition.as_ref() {
            OperationDefinitionReference::Implicit(_) => (OperationType::Query, None, None),
            OperationDefinitionReference::Explicit(explicit) => {
                let name = ExplicitOperationDefinition::name(explicit);
                (
                    bluejay_core::executable::ExplicitOperationDefinition::operation_type(explicit),
                    name,
                    Some(explicit),
                )
            }
        };
        let (kind, root) = match kind {
            OperationType::Query => (OperationKind::Query, self.schema.query_type()),
            OperationType::Mutation => (OperationKind::Mutation, self.schema.mutation_type()?),
            OperationType::Subscription => return None,
        };
        let range = name.map_or(id.start..id.start + 1, |name| name.span().byte_range());
        Some(Operation {
            name: name
                .map(|name| name.as_str().to_owned())
                .unwrap_or_default(),
            kind,
            description: definition.as_ref().description().map(str::to_owned),
            variables: explicit
                .map(|explicit| self.variables(explicit))
                .unwrap_or_default(),
            directives: self.directives(definition.as_ref().directives()),
            selections: document::SelectionSet {
                parent: root.to_owned(),
                items: self.selections(root, definition.selection_set()),
            },
            span: self.joined.span(range),
        })
    }

    fn variables(&self, operation: &ExplicitOperationDefinition<'_>) -> Vec<Variable> {
        use bluejay_core::executable::{ExplicitOperationDefinition as _, VariableDefinition as _};
        let definitions = operation.variable_definitions().map(|list| list.iter());
        let variable =
            |definition: &bluejay_parser::ast::executable::VariableDefinition<'_>| Variable {
                name: definition.variable().name().to_owned(),
                ty: variable_type(definition.r#type()),
                default: definition.default_value().map(value::convert),
                directives: self.directives(definition.directives()),
                span: self.joined.span(definition.variable().span().byte_range()),
            };
        definitions.into_iter().flatten().map(variable).collect()
    }

    fn fragment(&self, definition: &FragmentDefinition<'_>) -> Fragment {
        use bluejay_core::executable::FragmentDefinition as _;
        let on = bluejay_core::executable::FragmentDefinition::type_condition(definition);
        Fragment {
            name: definition.name().as_str().to_owned(),
            description: definition.description().map(str::to_owned),
            selections: document::SelectionSet {
                parent: on.to_owned(),
                items: self.selections(on, definition.selection_set()),
            },
            span: self.joined.span(definition.name().span().byte_range()),
        }
    }
}

fn variable_type(ty: &VariableType<'_>) -> TypeRef {
    match ty.as_ref() {
        VariableTypeReference::Named(name, non_null) => TypeRef::Named {
            name: name.to_owned(),
            non_null,
        },
        VariableTypeReference::List(item, non_null) => TypeRef::List {
            item: Box::new(variable_type(item)),
            non_null,
        },
    }
}
