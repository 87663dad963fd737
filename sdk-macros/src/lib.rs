//! The macros of Tollgate: they read their call, ask `tollgate-codegen`, and hand back what it
//! says. Use them through `tollgate`, which documents them.

mod call;
mod derive;
mod inline;
mod options;

use proc_macro::TokenStream;
use tollgate_codegen::generate::{self, Settings};
use tollgate_codegen::source::Files;

/// Types, prices and functions for all operations of a project's documents.
///
/// See `tollgate::operations!`.
#[proc_macro]
pub fn operations(input: TokenStream) -> TokenStream {
    match syn::parse::<call::Call>(input) {
        Ok(call) => expand(call.settings, call.errors),
        Err(error) => error.into_compile_error().into(),
    }
}

/// The same for one operation, with the attributes of `graphql_client`'s derive.
///
/// See `tollgate::GraphQLQuery`.
#[proc_macro_derive(GraphQLQuery, attributes(graphql))]
pub fn derive_graphql_query(input: TokenStream) -> TokenStream {
    match syn::parse::<syn::DeriveInput>(input).map(derive::Derive::read) {
        Ok(derive) => expand(derive.settings, derive.errors),
        Err(error) => error.into_compile_error().into(),
    }
}

/// Generates, and adds what is wrong with the call itself.
fn expand(settings: Option<Settings>, errors: Option<syn::Error>) -> TokenStream {
    let mut out = TokenStream::new();
    out.extend(errors.map(|errors| TokenStream::from(errors.into_compile_error())));
    let Some(mut settings) = settings else {
        return out;
    };
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    if settings.emit.krate.is_empty() {
        settings.emit.krate = generate::crate_name(manifest.as_ref());
    }
    let output = generate::generate(&settings, Files::of_build(manifest));
    match output.expansion().parse::<TokenStream>() {
        Ok(tokens) => out.extend(tokens),
        Err(error) => {
            let message = format!("one of the options is not Rust: {error}");
            let error = syn::Error::new(proc_macro2::Span::call_site(), message);
            out.extend(TokenStream::from(error.into_compile_error()));
        }
    }
    out
}
