use std::collections::BTreeMap;

use proc_macro2::{Ident, Span, TokenTree};
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{LitBool, LitInt, LitStr, Path, Token, Visibility, braced, bracketed};
use tollgate_codegen::emit::{Derives, Settings as Emit};
use tollgate_codegen::generate::{Deprecated, Documents, Settings};

use crate::inline;
use crate::options::{Errors, deprecated, text, unknown};

const OPTIONS: &[&str] = &[
    "schema",
    "documents",
    "document",
    "page_size",
    "costs",
    "visibility",
    "scalars",
    "scalars_module",
    "derives",
    "input_derives",
    "docs",
    "keep_variants",
    "optional_inputs",
    "graphql_client",
    "deprecated",
    "crate",
];

/// A call of `operations!`.
pub(crate) struct Call {
    /// What was asked for, if enough of it was said.
    pub(crate) settings: Option<Settings>,
    pub(crate) errors: Option<syn::Error>,
}

#[derive(Default)]
struct Options {
    given: BTreeMap<String, Span>,
    schema: Option<String>,
    documents: Option<Documents>,
    page_size: Option<u64>,
    costs: Option<String>,
    scalars_module: Option<String>,
    deprecated: Deprecated,
    emit: Emit,
    errors: Errors,
}

impl Parse for Call {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut options = Options::default();
        options.emit.krate = String::new();
        while !input.is_empty() {
            let option = input.call(Ident::parse_any)?;
            input.parse::<Token![:]>()?;
            options.read(&option, input)?;
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(options.finished())
    }
}

impl Options {
    fn read(&mut self, option: &Ident, input: ParseStream<'_>) -> syn::Result<()> {
        let name = option.to_string();
        if self.given.insert(name.clone(), option.span()).is_some() {
            self.errors
                .at(option.span(), format!("`{name}` is given twice"));
        }
        match name.as_str() {
            "schema" => self.schema = Some(input.parse::<LitStr>()?.value()),
            "documents" => self.documents = Some(Documents::Paths(strings(input)?)),
            "document" => {
                self.documents = Some(Documents::Inline(inline::source(&input.parse()?)));
            }
            "page_size" => {
                let size: LitInt = input.parse()?;
                match size.base10_parse() {
                    Ok(size @ 1..=250) => self.page_size = Some(size),
                    _ => self.errors.at(size.span(), "a page has 1 to 250 items"),
                }
            }
            "costs" => self.costs = Some(input.parse::<LitStr>()?.value()),
            "visibility" => self.emit.visibility = text(&input.parse::<Visibility>()?),
            "scalars" => self.emit.scalars.extend(paths_by_name(input)?),
            "scalars_module" => self.scalars_module = Some(text(&input.parse::<Path>()?)),
            "derives" => self.emit.derives = Derives(paths(input)?),
            "input_derives" => self.emit.input_derives = Derives(paths(input)?),
            "docs" => self.emit.docs = input.parse::<LitBool>()?.value,
            "keep_variants" => self.emit.keep_variants = input.parse::<LitBool>()?.value,
            "optional_inputs" => self.emit.optional_inputs = input.parse::<LitBool>()?.value,
            "graphql_client" => self.emit.graphql_client = input.parse::<LitBool>()?.value,
            "deprecated" => {
                let word: LitStr = input.parse()?;
                match deprecated(&word) {
                    Ok(deprecated) => self.deprecated = deprecated,
                    Err(error) => self.errors.add(error),
                }
            }
            "crate" => self.emit.krate = text(&input.parse::<Path>()?),
            _ => {
                self.errors.add(unknown(option, OPTIONS));
                skip(input)?;
            }
        }
        Ok(())
    }

    fn finished(mut self) -> Call {
        let both = self.given.get("documents").zip(self.given.get("document"));
        if let Some((_, inline)) = both {
            let message = "give either `documents`, paths, or `document`, a text";
            self.errors.at(*inline, message);
        }
        if self.schema.is_none() {
            let message = "`schema` is missing: the path of the schema, SDL or introspection JSON";
            self.errors.at(Span::call_site(), message);
        }
        if self.documents.is_none() {
            let message = "`documents` is missing: a file, a folder or a pattern";
            self.errors.at(Span::call_site(), message);
        }
        let settings = self
            .schema
            .zip(self.documents)
            .map(|(schema, documents)| Settings {
                schema,
                documents,
                operation: None,
                costs: self.costs,
                page_size: self.page_size,
                scalars_module: self.scalars_module,
                deprecated: self.deprecated,
                emit: self.emit,
            });
        Call {
            settings,
            errors: self.errors.into_inner(),
        }
    }
}

/// `"a"` or `["a", "b"]`.
fn strings(input: ParseStream<'_>) -> syn::Result<Vec<String>> {
    if input.peek(LitStr) {
        return Ok(vec![input.parse::<LitStr>()?.value()]);
    }
    let content;
    bracketed!(content in input);
    let list = Punctuated::<LitStr, Token![,]>::parse_terminated(&content)?;
    Ok(list.iter().map(LitStr::value).collect())
}

/// `[Eq, serde::Serialize]`.
fn paths(input: ParseStream<'_>) -> syn::Result<Vec<String>> {
    let content;
    bracketed!(content in input);
    let list = Punctuated::<Path, Token![,]>::parse_terminated(&content)?;
    Ok(list.iter().map(text).collect())
}

/// `{ Money: my::Money }`.
fn paths_by_name(input: ParseStream<'_>) -> syn::Result<Vec<(String, String)>> {
    let content;
    braced!(content in input);
    let mut list = Vec::new();
    while !content.is_empty() {
        let name: Ident = content.parse()?;
        content.parse::<Token![:]>()?;
        list.push((name.to_string(), text(&content.parse::<Path>()?)));
        if !content.is_empty() {
            content.parse::<Token![,]>()?;
        }
    }
    Ok(list)
}

/// The value of an option that does not exist.
fn skip(input: ParseStream<'_>) -> syn::Result<()> {
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<TokenTree>()?;
    }
    Ok(())
}
