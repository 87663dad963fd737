use syn::meta::ParseNestedMeta;
use syn::punctuated::Punctuated;
use syn::{DeriveInput, LitStr, Path, Token};
use tollgate_codegen::emit::{Derives, Layout, Settings as Emit};
use tollgate_codegen::generate::{Deprecated, Documents, Settings};

use crate::options::{Errors, deprecated, text, unknown};

const OPTIONS: &[&str] = &[
    "schema_path",
    "query_path",
    "response_derives",
    "variables_derives",
    "deprecated",
    "normalization",
    "custom_scalars_module",
    "extern_enums",
    "fragments_other_variant",
    "skip_serializing_none",
];

/// A derive with `#[graphql(…)]`.
pub(crate) struct Derive {
    pub(crate) settings: Option<Settings>,
    pub(crate) errors: Option<syn::Error>,
}

struct Options {
    schema: Option<String>,
    query: Option<String>,
    scalars_module: Option<String>,
    deprecated: Deprecated,
    emit: Emit,
    errors: Errors,
}

impl Derive {
    pub(crate) fn read(input: DeriveInput) -> Self {
        let name = input.ident.to_string();
        let mut options = Options {
            schema: None,
            query: None,
            scalars_module: None,
            deprecated: Deprecated::default(),
            emit: Emit {
                krate: String::new(),
                visibility: text(&input.vis),
                // As `graphql_client` has it, so that a changed import is enough.
                keep_variants: true,
                optional_inputs: true,
                graphql_client: true,
                layout: Layout::OneStruct { name: name.clone() },
                ..Emit::default()
            },
            errors: Errors::default(),
        };
        for attribute in &input.attrs {
            if attribute.path().is_ident("graphql")
                && let Err(error) = attribute.parse_nested_meta(|meta| options.option(&meta))
            {
                options.errors.add(error);
            }
        }
        for (given, option) in [
            (&options.schema, "schema_path"),
            (&options.query, "query_path"),
        ] {
            if given.is_none() {
                let message = format!("`#[graphql({option} = \"…\")]` is missing");
                options.errors.at(input.ident.span(), message);
            }
        }
        let settings = options
            .schema
            .zip(options.query)
            .map(|(schema, query)| Settings {
                schema,
                documents: Documents::Paths(vec![query]),
                operation: Some(name),
                costs: None,
                page_size: None,
                scalars_module: options.scalars_module,
                deprecated: options.deprecated,
                emit: options.emit,
            });
        Self {
            settings,
            errors: options.errors.into_inner(),
        }
    }
}

impl Options {
    fn option(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        let name = meta.path.require_ident()?.to_string();
        let value = || meta.value()?.parse::<LitStr>();
        match name.as_str() {
            "schema_path" => self.schema = Some(value()?.value()),
            "query_path" => self.query = Some(value()?.value()),
            "response_derives" => self.emit.derives = list(&value()?)?,
            "variables_derives" => self.emit.input_derives = list(&value()?)?,
            "deprecated" => self.deprecated = deprecated(&value()?)?,
            "custom_scalars_module" => {
                self.scalars_module = Some(text(&value()?.parse::<Path>()?));
            }
            "normalization" => {
                let word = value()?;
                self.emit.keep_variants = match word.value().to_lowercase().as_str() {
                    "none" => true,
                    "rust" => false,
                    _ => return Err(syn::Error::new(word.span(), "it is `none` or `rust`")),
                };
            }
            "extern_enums" => {
                let content;
                syn::parenthesized!(content in meta.input);
                let names =
                    content.parse_terminated(<LitStr as syn::parse::Parse>::parse, Token![,])?;
                for name in names {
                    self.emit.scalars.insert(name.value(), name.value());
                }
            }
            // Unions have a variant for what is unknown whether it is asked for or not.
            "fragments_other_variant" => drop(value()?),
            // Inputs that are `None` are left out whether it is asked for or not.
            "skip_serializing_none" => {}
            "variable_types" | "response_type" => {
                return Err(meta.error(format!(
                    "`{name}` is not supported: types are generated from the document; \
                     map a scalar or enum of the schema with `extern_enums(…)` or `custom_scalars_module`"
                )));
            }
            _ => return Err(unknown(meta.path.require_ident()?, OPTIONS)),
        }
        Ok(())
    }
}

/// `"Debug, serde::Serialize"`.
fn list(paths: &LitStr) -> syn::Result<Derives> {
    let paths = paths.parse_with(Punctuated::<Path, Token![,]>::parse_terminated)?;
    Ok(Derives(paths.iter().map(text).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_path_is_no_derive() {
        let read = |text: &str| list(&LitStr::new(text, proc_macro2::Span::call_site()));
        for text in ["", "Debug", "Debug,serde::Serialize", "Debug, Clone,"] {
            assert_eq!(
                read(text).unwrap().0.len(),
                text.split_terminator(',').count(),
                "{text}"
            );
        }
        for text in [
            "Nope,,;;",
            "a b",
            "\"",
            "{",
            "7",
            "Clone)] struct X; #[derive(Debug",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
