use bluejay_core::AsIter;
use bluejay_core::definition::{
    DirectiveDefinition as _, FieldDefinition as _, InputType as _, InputValueDefinition as _,
};
use bluejay_parser::HasSpan;
use bluejay_parser::ast::definition::{DefaultContext, InputValueDefinition};
use bluejay_parser::ast::executable::ExecutableDocument;
use bluejay_validator::executable::document::{ArgumentError, DirectiveError};

use super::{Linked, Reporter};
use crate::diagnostic::{Diagnostic, did_you_mean};

impl Reporter<'_> {
    pub(super) fn directive<const CONST: bool>(
        &self,
        error: &DirectiveError<'_, CONST, ExecutableDocument<'_>, Linked<'_>>,
    ) -> Diagnostic {
        match error {
            DirectiveError::DirectiveDoesNotExist { directive } => {
                let name = directive.name();
                let known = self.sdl.directives().map(|(name, _)| name);
                let help = did_you_mean("@", name.as_str(), known);
                self.error(
                    format!("there is no directive `@{}`", name.as_str()),
                    *directive,
                )
                .with_helps(help)
            }
            DirectiveError::DirectiveInInvalidLocation {
                directive,
                directive_definition,
                location,
            } => {
                let name = directive.name().as_str();
                let allowed = directive_definition.locations().iter();
                let allowed: Vec<_> = allowed.map(ToString::to_string).collect();
                self.error(format!("`@{name}` may not stand on {location}"), *directive)
                    .with_help(format!("it may stand on {}", allowed.join(", ")))
            }
            DirectiveError::DirectivesNotUniquePerLocation {
                directives,
                directive_definition,
            } => {
                let places: Vec<_> = directives
                    .iter()
                    .map(|directive| directive.span())
                    .collect();
                let name = directive_definition.name();
                self.repeated(format!("`@{name}` is given twice"), &places)
            }
        }
    }

    pub(super) fn argument<const CONST: bool>(
        &self,
        error: &ArgumentError<'_, CONST, ExecutableDocument<'_>, Linked<'_>>,
    ) -> Diagnostic {
        match error {
            ArgumentError::NonUniqueArgumentNames { arguments, name } => {
                let places: Vec<_> = arguments.iter().map(|a| a.name().span()).collect();
                self.repeated(format!("argument `{name}` is given twice"), &places)
            }
            ArgumentError::ArgumentDoesNotExistOnField {
                argument,
                field_definition,
            } => {
                let known = field_definition
                    .arguments_definition()
                    .map(|list| list.iter());
                let known = known.into_iter().flatten().map(|argument| argument.name());
                let (name, field) = (argument.name(), field_definition.name());
                let help = did_you_mean("", name.as_str(), known);
                self.error(
                    format!("`{field}` has no argument `{}`", name.as_str()),
                    name,
                )
                .with_helps(help)
            }
            ArgumentError::ArgumentDoesNotExistOnDirective {
                argument,
                directive_definition,
            } => {
                let known = directive_definition.arguments_definition();
                let known = known.map(|list| list.iter()).into_iter().flatten();
                let known = known.map(|argument| argument.name());
                let (name, directive) = (argument.name(), directive_definition.name());
                let help = did_you_mean("", name.as_str(), known);
                self.error(
                    format!("`@{directive}` has no argument `{}`", name.as_str()),
                    name,
                )
                .with_helps(help)
            }
            ArgumentError::DirectiveMissingRequiredArguments {
                directive,
                missing_argument_definitions,
                ..
            } => {
                let name = directive.name().as_str();
                let missing = missing(missing_argument_definitions.iter().copied());
                self.error(format!("`@{name}` needs {missing}"), *directive)
            }
            ArgumentError::FieldMissingRequiredArguments {
                field,
                missing_argument_definitions,
                ..
            } => {
                let missing = missing(missing_argument_definitions.iter().copied());
                let name = field.name();
                self.error(format!("`{}` needs {missing}", name.as_str()), name)
            }
        }
    }
}

fn missing<'a, 'b: 'a>(
    definitions: impl Iterator<Item = &'a InputValueDefinition<'b, DefaultContext>>,
) -> String {
    let names: Vec<_> = definitions
        .map(|definition| {
            format!(
                "`{}: {}`",
                definition.name(),
                definition.r#type().display_name()
            )
        })
        .collect();
    names.join(", ")
}
