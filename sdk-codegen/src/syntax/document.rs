use std::collections::BTreeMap;
use std::ops::Range;

use bluejay_core::OperationType;
use bluejay_core::executable::{
    OperationDefinition as _, OperationDefinitionReference, VariableType as _,
    VariableTypeReference,
};
use bluejay_core::{AsIter, Indexable};
use bluejay_parser::HasSpan;
use bluejay_parser::ast::Parse;
use bluejay_parser::ast::executable::ExplicitOperationDefinition;
use bluejay_parser::ast::executable::{
    ExecutableDocument, FragmentDefinition, OperationDefinition, VariableType,
};
use bluejay_validator::executable::Cache;
use bluejay_validator::executable::document::BuiltinRulesValidator;

use super::selection::{Reader, Unknown};
use super::{problem, value};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::document::{Document, Fragment, Operation, OperationKind, SelectionSet, Variable};
use crate::schema::{Schema, TypeRef};
use crate::source::{Source, Span};

/// Parses and validates a set of sources as one document, so that fragments are shared.
pub(crate) fn parse(schema: &Schema, sources: Vec<Source>) -> Result<Document, Diagnostics> {
    read(schema, sources, Unknown::Refuse)
}

/// Parses without validation; fields that the schema does not know are typed by their shape.
pub(crate) fn parse_unvalidated(
    schema: &Schema,
    sources: Vec<Source>,
) -> Result<Document, Diagnostics> {
    read(schema, sources, Unknown::Guess)
}

fn read(schema: &Schema, sources: Vec<Source>, unknown: Unknown) -> Result<Document, Diagnostics> {
    // Each text on its own first: an open brace in one must not swallow the next.
    let syntax: Vec<_> = sources.iter().enumerate().flat_map(syntax_errors).collect();
    if !syntax.is_empty() {
        return Err(Diagnostics::new(sources, syntax));
    }
    let joined = Joined::new(&sources);
    let parsed = match ExecutableDocument::parse(&joined.source.text).result {
        Ok(parsed) => parsed,
        Err(errors) => return Err(joined.report(sources, errors)),
    };
    if unknown == Unknown::Refuse {
        let definition = schema.parsed().definition_of();
        let cache = Cache::new(&parsed, definition);
        let errors: Vec<bluejay_parser::Error> =
            BuiltinRulesValidator::validate(&parsed, definition, &cache)
                .map(Into::into)
                .collect();
        if !errors.is_empty() {
            return Err(joined.report(sources, errors));
        }
    }
    let reader = Reader {
        schema,
        joined: &joined,
        unknown,
    };
    let operations = parsed
        .operation_definitions()
        .iter()
        .filter_map(|o| reader.operation(o));
    let operations: Vec<_> = operations.collect();
    let fragments = parsed
        .fragment_definitions()
        .iter()
        .map(|f| reader.fragment(f));
    let fragments: BTreeMap<_, _> = fragments.map(|f| (f.name.clone(), f)).collect();
    Ok(Document {
        sources,
        operations,
        fragments,
    })
}

fn syntax_errors((index, source): (usize, &Source)) -> Vec<Diagnostic> {
    match ExecutableDocument::parse(&source.text).result {
        Ok(_) => Vec::new(),
        Err(errors) => errors
            .into_iter()
            .map(|error| problem::convert(error, source, index))
            .collect(),
    }
}

/// All sources in one text, with the way back.
pub(super) struct Joined {
    source: Source,
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
        Self {
            source: Source::new("", text),
            starts,
        }
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

    fn report(&self, sources: Vec<Source>, errors: Vec<bluejay_parser::Error>) -> Diagnostics {
        let convert = |error| {
            let mut problem = problem::convert(error, &self.source, 0);
            problem.span = problem.span.map(|span| self.span(span.range));
            problem
        };
        Diagnostics::new(sources, errors.into_iter().map(convert).collect())
    }
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
            selections: SelectionSet {
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
            selections: SelectionSet {
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
