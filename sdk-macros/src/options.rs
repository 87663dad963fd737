use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::LitStr;
use tollgate_codegen::diagnostic::suggest;
use tollgate_codegen::generate::Deprecated;

/// Errors, collected.
#[derive(Default)]
pub(crate) struct Errors(Option<syn::Error>);

impl Errors {
    pub(crate) fn add(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(errors) => errors.combine(error),
            None => self.0 = Some(error),
        }
    }

    pub(crate) fn at(&mut self, span: Span, message: impl std::fmt::Display) {
        self.add(syn::Error::new(span, message));
    }

    pub(crate) fn into_inner(self) -> Option<syn::Error> {
        self.0
    }
}

/// What to say of an option that does not exist.
pub(crate) fn unknown(option: &Ident, allowed: &[&str]) -> syn::Error {
    let name = option.to_string();
    let found = suggest(&name, allowed.iter().copied());
    let help = found
        .map(|found| format!("; did you mean `{found}`?"))
        .unwrap_or_default();
    let allowed: Vec<_> = allowed.iter().map(|name| format!("`{name}`")).collect();
    let allowed = allowed.join(", ");
    let message = format!("there is no option `{name}`{help}\nthe options are {allowed}");
    syn::Error::new(option.span(), message)
}

/// What is done about deprecated fields.
pub(crate) fn deprecated(word: &LitStr) -> syn::Result<Deprecated> {
    Ok(match word.value().to_lowercase().as_str() {
        "allow" => Deprecated::Allow,
        "warn" => Deprecated::Warn,
        "deny" => Deprecated::Deny,
        _ => {
            return Err(syn::Error::new(
                word.span(),
                "it is `allow`, `warn` or `deny`",
            ));
        }
    })
}

/// A piece of the call, as Rust text.
pub(crate) fn text(tokens: &impl ToTokens) -> String {
    tokens.to_token_stream().to_string()
}
