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
/// For `query ProductPage` it makes the module `product_page` with `Variables` and `Data`, the
/// marker `ProductPage` that implements `tollgate::Operation`, and the function
/// `product_page(&client, variables)`. Enums, input objects and fragments are made
/// once, beside them. What is invalid, or costs more than the server takes, fails the build.
///
/// The type of a field is called by the way to it, in response keys: in `product_page`, that of
/// `products { nodes }` is `ProductsNodes`. In `fragment Card` it is `CardImage`, beside the
/// fragment's own type `Card`. Where types answer differently it is an enum with a variant for each,
/// `Other` for those that are not named; an enum of the schema has `Unknown` for values to come.
/// `tollgate generate -o -` shows the code.
///
/// ```text
/// tollgate::operations! {
///     schema: "schema/admin.graphql",
///     documents: "queries",
/// }
/// ```
///
/// Paths start at the folder of the caller's `Cargo.toml`, then at the workspace's root. A change to
/// a file that was read rebuilds the crate; a file that is new in a folder is seen with the next
/// change.
///
/// | option | what it says | when left out |
/// | --- | --- | --- |
/// | `schema: "…"` | The schema: SDL or introspection JSON, plain or gzipped | must be given |
/// | `documents: "…"`, `["…", "…"]` | Files, folders or patterns of documents, which share their fragments | either this |
/// | `document: r#"…"#` | A document, as text | or this |
/// | `page_size: 50` | The page size that the bound of a price takes for variables that declare none, 1 to 250 | 250 |
/// | `costs: "…"` | The project's own prices | `costs.toml` beside the schema, if there is one |
/// | `visibility: pub(crate)` | The visibility of what is made | `pub` |
/// | `scalars: { Money: my::Money }` | Types of the project for scalars and enums of the schema, read and written through serde | the types of `tollgate::scalar` |
/// | `scalars_module: crate::scalars` | A module with a type for every custom scalar | |
/// | `derives: [Eq, Hash]` | What answers derive beside `Clone`, `Debug` and `PartialEq`; `Serialize` and `Deserialize` go by the names of the document and need no serde of yours | |
/// | `input_derives: [Eq]` | What variables and inputs derive beside those | |
/// | `docs: false` | Whether descriptions become doc comments | `true` |
/// | `keep_variants: true` | Whether variants keep the spelling of the schema, `USD` rather than `Usd` | `false` |
/// | `optional_inputs: true` | Whether inputs that may be left out are `Option`, and cannot be null | `false`: they are `Input`, with three states |
/// | `graphql_client: true` | Whether markers also implement `graphql_client::GraphQLQuery` | `false` |
/// | `deprecated: "deny"` | Whether deprecated fields are allowed (`"allow"`), warned of (`"warn"`) or refused (`"deny"`) | `"warn"` |
/// | `crate: ::gate` | The path of `tollgate` | as `Cargo.toml` calls it |
#[proc_macro]
pub fn operations(input: TokenStream) -> TokenStream {
    match syn::parse::<call::Call>(input) {
        Ok(call) => expand(call.settings, call.errors),
        Err(error) => error.into_compile_error().into(),
    }
}

/// The same for one operation, with the attributes of `graphql_client`'s derive, so that its users
/// move by changing an import.
///
/// ```text
/// use tollgate::GraphQLQuery;
///
/// #[derive(GraphQLQuery)]
/// #[graphql(schema_path = "schema/admin.graphql", query_path = "queries/shop.graphql")]
/// pub struct ShopInfo;
/// ```
///
/// The struct names the operation; the module has its name in snake case, and the visibility of the
/// struct. Answers are `ResponseData`, enum variants keep the schema's spelling, and inputs that may
/// be left out are `Option`: `None` is left out, never sent as null.
///
/// | attribute | what it says |
/// | --- | --- |
/// | `schema_path = "…"`, `query_path = "…"` | The schema and the document |
/// | `response_derives = "Eq, Hash"` | What answers derive beside `Clone`, `Debug` and `PartialEq` |
/// | `variables_derives = "Eq"` | What variables and inputs derive beside those |
/// | `deprecated = "warn"` | `allow`, `warn` of or `deny` deprecated fields |
/// | `normalization = "rust"` | Variants in Rust's spelling; `none` keeps the schema's |
/// | `custom_scalars_module = "crate::scalars"` | A module with a type for every custom scalar |
/// | `extern_enums("Kind", …)` | Enums that are the caller's own |
/// | `fragments_other_variant = "true"` | Accepted: unions always have a variant for what is unknown |
/// | `skip_serializing_none` | Accepted: `None` is always left out |
///
/// `variable_types` and `response_type` are refused: types come from the document.
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
    let expansion = generate::expansion(&settings, Files::of_build(manifest));
    match expansion.parse::<TokenStream>() {
        Ok(tokens) => out.extend(tokens),
        Err(error) => {
            let message = format!("one of the options is not Rust: {error}");
            let error = syn::Error::new(proc_macro2::Span::call_site(), message);
            out.extend(TokenStream::from(error.into_compile_error()));
        }
    }
    out
}
