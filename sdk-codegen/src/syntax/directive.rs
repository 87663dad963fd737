use bluejay_core::definition::{DirectiveDefinition as _, HasDirectives as _};
use bluejay_core::{AsIter, ValueReference};
use bluejay_parser::Error;
use bluejay_parser::ast::definition::{self as parsed, DefaultContext};

use super::definition::{input_value, parse};
use crate::schema::DirectiveDefinition;

/// `directive @name(arguments) on …`, without its description.
pub(super) fn definition(text: &str) -> Result<DirectiveDefinition, Vec<Error>> {
    let directive: parsed::DirectiveDefinition<'_, DefaultContext> = parse(text)?;
    let arguments = directive.arguments_definition().map(|list| list.iter());
    let locations = directive.locations().iter();
    Ok(DirectiveDefinition {
        name: directive.name().to_owned(),
        description: None,
        arguments: arguments.into_iter().flatten().map(input_value).collect(),
        repeatable: directive.is_repeatable(),
        locations: locations.map(|location| location.to_string()).collect(),
    })
}

/// The URL of `scalar Name @specifiedBy(url: …)`.
pub(super) fn specified_by(text: &str) -> Option<String> {
    let scalar: parsed::CustomScalarTypeDefinition<'_, DefaultContext> = parse(text).ok()?;
    let mut directives = scalar.directives()?.iter();
    let directive =
        directives.find(|directive| bluejay_core::Directive::name(*directive) == "specifiedBy")?;
    let mut arguments = bluejay_core::Directive::arguments(directive)?.iter();
    let url = bluejay_core::Argument::value(arguments.next()?);
    match bluejay_core::Value::as_ref(url) {
        ValueReference::String(url) => Some(url.to_owned()),
        _ => None,
    }
}
