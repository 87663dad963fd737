//! Violations of the specification's rules, put into words.

mod argument;
mod value;

use bluejay_core::AsIter;
use bluejay_core::definition::{FieldDefinition as _, InputType as _, OutputType as _};
use bluejay_core::executable::{
    OperationDefinition as _, VariableType as _, VariableTypeReference,
};
use bluejay_parser::ast::definition::{DefaultContext, SchemaDefinition};
use bluejay_parser::ast::executable::ExecutableDocument;
use bluejay_parser::{HasSpan, Span as ParsedSpan};
use bluejay_validator::executable::document::Error;

use super::document::Joined;
use super::sdl::Sdl;
use crate::diagnostic::{Diagnostic, did_you_mean};
use crate::source::Span;

type Linked<'a> = SchemaDefinition<'a, DefaultContext>;
type Violation<'a> = Error<'a, ExecutableDocument<'a>, Linked<'a>>;

/// Puts the violation of a rule of the specification into words.
pub(super) struct Reporter<'a> {
    pub(super) sdl: &'a Sdl,
    pub(super) document: &'a ExecutableDocument<'a>,
    pub(super) joined: &'a Joined,
}

impl Reporter<'_> {
    fn at(&self, span: &ParsedSpan) -> Span {
        self.joined.span(span.byte_range())
    }

    pub(super) fn error(&self, message: String, at: &impl HasSpan) -> Diagnostic {
        Diagnostic::error(message, self.at(at.span()))
    }

    /// An error at the second of several places, the first shown beside it.
    fn repeated(&self, message: String, places: &[&ParsedSpan]) -> Diagnostic {
        let here = places.get(1).or(places.first()).map(|span| self.at(span));
        let problem = Diagnostic::error(message, here);
        match places.first() {
            Some(first) if places.len() > 1 => problem.with_label(self.at(first), "first here"),
            _ => problem,
        }
    }

    pub(super) fn report(&self, violation: Violation<'_>) -> Diagnostic {
        match violation {
            Error::NonUniqueOperationNames { name, operations } => {
                let places: Vec<_> = operations.iter().filter_map(|o| o.name()).collect();
                let places: Vec<_> = places.iter().map(|name| name.span()).collect();
                self.repeated(format!("two operations are named `{name}`"), &places)
            }
            Error::NotLoneAnonymousOperation {
                anonymous_operations,
            } => {
                let message = "an operation without a name must be the only one".into();
                let problem = match anonymous_operations.first() {
                    Some(operation) => self.error(message, operation.as_ref().selection_set()),
                    None => Diagnostic::error(message, None),
                };
                problem.with_help("give it a name: `query Name { … }`")
            }
            Error::SubscriptionRootNotSingleField { operation } => self.error(
                "a subscription selects exactly one field".into(),
                operation.as_ref().selection_set(),
            ),
            Error::FieldDoesNotExistOnType { field, r#type } => {
                self.unknown_field(field.name(), r#type.name())
            }
            Error::OperationTypeNotDefined { operation } => {
                let kind = bluejay_core::OperationType::from(operation.operation_type());
                self.error(
                    format!("the schema has no {kind} root"),
                    operation.operation_type(),
                )
            }
            Error::LeafFieldSelectionNotEmpty {
                selection_set,
                r#type,
            } => self
                .error(
                    format!("nothing can be selected on `{}`", r#type.display_name()),
                    selection_set,
                )
                .with_help("remove the `{ … }`"),
            Error::NonLeafFieldSelectionEmpty { field, r#type } => {
                let (name, ty) = (field.name(), r#type.display_name());
                let message = format!("`{}` needs a selection", name.as_str());
                self.error(message, name)
                    .with_help(format!("it is a `{ty}`: say which fields, as `{{ … }}`"))
            }
            other => self.report_fragment(other),
        }
    }

    fn report_fragment(&self, violation: Violation<'_>) -> Diagnostic {
        match violation {
            Error::NonUniqueFragmentDefinitionNames {
                name,
                fragment_definitions,
            } => {
                let places: Vec<_> = fragment_definitions
                    .iter()
                    .map(|f| f.name().span())
                    .collect();
                self.repeated(format!("two fragments are named `{name}`"), &places)
            }
            Error::FragmentDefinitionTargetTypeDoesNotExist {
                fragment_definition,
            } => self.unknown_type(fragment_definition.type_condition().named_type()),
            Error::InlineFragmentTargetTypeDoesNotExist { inline_fragment } => {
                match inline_fragment.type_condition() {
                    Some(on) => self.unknown_type(on.named_type()),
                    None => self.error("this type is unknown".into(), inline_fragment),
                }
            }
            Error::FragmentDefinitionTargetTypeNotComposite {
                fragment_definition,
            } => self.not_composite(fragment_definition.type_condition().named_type()),
            Error::InlineFragmentTargetTypeNotComposite { inline_fragment } => {
                match inline_fragment.type_condition() {
                    Some(on) => self.not_composite(on.named_type()),
                    None => self.error("this type has no fields".into(), inline_fragment),
                }
            }
            Error::FragmentDefinitionUnused {
                fragment_definition,
            } => {
                let name = fragment_definition.name();
                self.error(format!("fragment `{}` is never used", name.as_str()), name)
            }
            Error::FragmentSpreadTargetUndefined { fragment_spread } => {
                let name = fragment_spread.name();
                let known = self.document.fragment_definitions().iter();
                let known = known.map(|fragment| fragment.name().as_str());
                let help = did_you_mean("", name.as_str(), known);
                self.error(format!("there is no fragment `{}`", name.as_str()), name)
                    .with_helps(help)
            }
            Error::FragmentSpreadCycle {
                fragment_definition,
                fragment_spread,
            } => {
                let name = fragment_definition.name();
                let message = format!("fragment `{}` contains itself", name.as_str());
                self.error(message, fragment_spread.name())
                    .with_label(self.at(name.span()), "through this spread")
            }
            Error::FragmentSpreadIsNotPossible {
                fragment_spread,
                parent_type,
            } => {
                let (name, parent) = (fragment_spread.name(), parent_type.name());
                let message = format!("`{}` can never apply to a `{parent}`", name.as_str());
                self.error(message, name)
            }
            Error::InlineFragmentSpreadIsNotPossible {
                inline_fragment,
                parent_type,
            } => {
                let on = inline_fragment.type_condition();
                let on = on.map_or("", |on| on.named_type().as_str());
                let message = format!("a `{}` is never a `{on}`", parent_type.name());
                match inline_fragment.type_condition() {
                    Some(place) => self.error(message, place.named_type()),
                    None => self.error(message, inline_fragment),
                }
            }
            other => self.report_merging(other),
        }
    }

    fn report_merging(&self, violation: Violation<'_>) -> Diagnostic {
        let (a, b, why) = match &violation {
            Error::FieldSelectionsDoNotMergeIncompatibleTypes {
                field_a,
                field_definition_a,
                field_b,
                field_definition_b,
                ..
            } => {
                let a = field_definition_a.r#type().display_name();
                let b = field_definition_b.r#type().display_name();
                (*field_a, *field_b, format!("one is `{a}`, the other `{b}`"))
            }
            Error::FieldSelectionsDoNotMergeDifferingNames {
                field_a, field_b, ..
            } => (*field_a, *field_b, "they are different fields".to_owned()),
            Error::FieldSelectionsDoNotMergeDifferingArguments {
                field_a, field_b, ..
            } => (*field_a, *field_b, "their arguments differ".to_owned()),
            _ => return self.report_value(violation),
        };
        let key = a.response_key();
        self.error(
            format!("two selections answer as `{key}`, but {why}"),
            b.name(),
        )
        .with_label(self.at(a.name().span()), "the other one")
        .with_help(format!("give one an alias: `other: {}`", b.name().as_str()))
    }

    fn report_value(&self, violation: Violation<'_>) -> Diagnostic {
        match violation {
            Error::InvalidConstValue(error) => self.value(&error),
            Error::InvalidVariableValue(error) => self.value(&error),
            Error::InvalidConstDirective(error) => self.directive(&error),
            Error::InvalidVariableDirective(error) => self.directive(&error),
            Error::InvalidConstArgument(error) => self.argument(&error),
            Error::InvalidVariableArgument(error) => self.argument(&error),
            Error::NonUniqueVariableDefinitionNames {
                name,
                variable_definitions,
            } => {
                let places = variable_definitions.iter().map(|v| v.variable().span());
                let places: Vec<_> = places.collect();
                self.repeated(format!("`${name}` is declared twice"), &places)
            }
            Error::VariableDefinitionTypeNotInput {
                variable_definition,
            } => {
                let ty = variable_definition.r#type();
                let name = ty.as_ref().name();
                if self.sdl.keyword(name).is_none() {
                    let help = did_you_mean("", name, self.sdl.type_names());
                    let message = format!("there is no type `{name}`");
                    return self.error(message, ty).with_helps(help);
                }
                let variable = variable_definition.variable().name();
                let message = format!("`${variable}` cannot be a `{name}`");
                self.error(message, ty)
                    .with_help("variables are scalars, enums or input objects")
            }
            Error::VariableNotDefined {
                variable,
                operation_definition,
            } => {
                let operation = operation_definition.as_ref();
                let known = operation.variable_definitions().map(|list| list.iter());
                let known = known.into_iter().flatten().map(|v| v.variable().name());
                let help = did_you_mean("$", variable.name(), known);
                let (name, operation) = (variable.name(), operation.name().unwrap_or_default());
                self.error(
                    format!("`{operation}` does not declare `${name}`"),
                    variable,
                )
                .with_helps(help)
            }
            Error::VariableDefinitionUnused {
                variable_definition,
            } => {
                let variable = variable_definition.variable();
                self.error(format!("`${}` is never used", variable.name()), variable)
            }
            Error::InvalidVariableUsage {
                variable,
                variable_type,
                location_type,
            } => {
                let (name, given) = (variable.name(), display(variable_type));
                let wanted = location_type.display_name();
                let message = format!("`${name}` is `{given}`, but `{wanted}` is needed here");
                self.error(message, variable)
            }
            Error::InvalidOneOfVariableUsage {
                variable,
                variable_type,
                parent_type_name,
            } => {
                let (name, given) = (variable.name(), display(variable_type));
                let message = format!("`${name}` is `{given}`, but may not be null here");
                self.error(message, variable)
                    .with_help(format!("`{parent_type_name}` takes exactly one value"))
            }
            // All others were reported above.
            other => {
                let error: bluejay_parser::Error = other.into();
                Diagnostic::error(error.message(), None)
            }
        }
    }

    fn unknown_field(&self, name: &(impl HasSpan + AsRef<str>), parent: &str) -> Diagnostic {
        let text = name.as_ref();
        let fields = self
            .sdl
            .get(parent)
            .map(|ty| ty.fields())
            .unwrap_or_default();
        let help = did_you_mean("", text, fields.iter().map(|field| field.name.as_str()))
            .or_else(|| self.behind_nodes(text, parent));
        self.error(format!("`{parent}` has no field `{text}`"), name)
            .with_helps(help)
    }

    /// A field looked for on a connection is mostly meant on what it connects.
    fn behind_nodes(&self, name: &str, parent: &str) -> Option<String> {
        let nodes = self.sdl.field(parent, "nodes")?;
        self.sdl.field(nodes.ty.base(), name)?;
        Some(format!(
            "it is a field of each of the `nodes`: `nodes {{ {name} }}`"
        ))
    }

    fn unknown_type(&self, name: &(impl HasSpan + AsRef<str>)) -> Diagnostic {
        let help = did_you_mean("", name.as_ref(), self.sdl.type_names());
        self.error(format!("there is no type `{}`", name.as_ref()), name)
            .with_helps(help)
    }

    fn not_composite(&self, name: &(impl HasSpan + AsRef<str>)) -> Diagnostic {
        self.error(format!("`{}` has no fields to select", name.as_ref()), name)
    }
}

fn display(ty: &bluejay_parser::ast::executable::VariableType<'_>) -> String {
    match ty.as_ref() {
        VariableTypeReference::Named(name, required) => {
            format!("{name}{}", if required { "!" } else { "" })
        }
        VariableTypeReference::List(inner, required) => {
            format!("[{}]{}", display(inner), if required { "!" } else { "" })
        }
    }
}
