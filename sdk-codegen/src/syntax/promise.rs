//! What a type promises by implementing an interface.

use super::outline::Keyword;
use super::sdl::Sdl;
use crate::diagnostic::Diagnostic;
use crate::schema::{FieldDefinition, TypeRef};

/// What is wrong with a field of a type that an interface asks for.
pub(super) fn broken(sdl: &Sdl, owner: &str, interface: &str, field: &str) -> Option<Diagnostic> {
    let wanted = sdl.field(interface, field)?;
    let at = |word: &str| sdl.find(owner, Some(field), word);
    let promised = format!("`{owner}` implements `{interface}`, but");
    let problem = match sdl.try_field(owner, field) {
        // That it cannot be parsed is told where it is reached.
        Some(Err(_)) => return None,
        Some(Ok(own)) => {
            let (problem, word) = differs(sdl, &own, &wanted)?;
            Diagnostic::error(format!("{promised} {problem}"), at(word))
        }
        None => {
            let message = format!("{promised} has no field `{field}`");
            Diagnostic::error(message, sdl.find(owner, None, interface))
        }
    };
    let there = sdl.find(interface, Some(field), field);
    Some(match there {
        Some(there) => problem.with_label(there, "promised here"),
        None => problem,
    })
}

/// How a field differs from what was promised, and the word that shows it.
fn differs<'f>(
    sdl: &Sdl,
    own: &'f FieldDefinition,
    wanted: &FieldDefinition,
) -> Option<(String, &'f str)> {
    let name = own.name.as_str();
    if !is_kind_of(sdl, &own.ty, &wanted.ty) {
        let message = format!("its `{name}` is `{}`, not `{}`", own.ty, wanted.ty);
        return Some((message, own.ty.base()));
    }
    for argument in &wanted.arguments {
        let Some(own) = own.argument(&argument.name) else {
            let message = format!("its `{name}` has no argument `{}`", argument.name);
            return Some((message, name));
        };
        if own.ty != argument.ty {
            let (is, ty) = (&own.ty, &argument.ty);
            let message = format!(
                "argument `{}` of its `{name}` is `{is}`, not `{ty}`",
                own.name
            );
            return Some((message, &own.name));
        }
    }
    let mut required = own.arguments.iter().filter(|own| own.is_required());
    let needed = required.find(|own| wanted.argument(&own.name).is_none())?;
    let message = format!("its `{name}` also needs an argument `{}`", needed.name);
    Some((message, &needed.name))
}

/// Whether every value of the one type is a value of the other.
fn is_kind_of(sdl: &Sdl, own: &TypeRef, wanted: &TypeRef) -> bool {
    if wanted.is_non_null() && !own.is_non_null() {
        return false;
    }
    match (own, wanted) {
        (TypeRef::List { item: own, .. }, TypeRef::List { item: wanted, .. }) => {
            is_kind_of(sdl, own, wanted)
        }
        (TypeRef::Named { name: own, .. }, TypeRef::Named { name: wanted, .. }) => {
            own == wanted
                || match sdl.keyword(wanted) {
                    Some(Keyword::Interface) => sdl.interfaces(own).contains(&wanted.as_str()),
                    Some(Keyword::Union) => sdl.possible_types(wanted).contains(own),
                    _ => false,
                }
        }
        _ => false,
    }
}
