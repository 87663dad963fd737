//! Any text within the parentheses of `operations!`, and any attributes of the derive.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../sdk-macros/src/call.rs"]
mod call;
#[path = "../../sdk-macros/src/derive.rs"]
mod derive;
/// As the macros have it, but for the place of the literal, which only a compiler knows.
mod inline {
    pub(crate) fn source(literal: &syn::LitStr) -> tollgate_codegen::source::Source {
        tollgate_codegen::source::Source::new("inline", literal.value())
    }
}
#[path = "../../sdk-macros/src/options.rs"]
mod options;

fuzz_target!(|text: &str| {
    if let Ok(call) = syn::parse_str::<call::Call>(text) {
        assert!(call.settings.is_some() || call.errors.is_some());
    }
    let struct_of = format!("#[graphql({text})] pub struct ShopInfo;");
    if let Ok(input) = syn::parse_str::<syn::DeriveInput>(&struct_of) {
        let derive = derive::Derive::read(input);
        assert!(derive.settings.is_some() || derive.errors.is_some());
    }
});
