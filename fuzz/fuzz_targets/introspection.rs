//! Any bytes as the answer to an introspection: refused, or a text that is read or refused as any
//! schema is.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tollgate_codegen::schema::{Schema, introspection};
use tollgate_codegen::source::Source;

fuzz_target!(|json: &[u8]| {
    if let Ok(sdl) = introspection::to_sdl(json) {
        // Names that are no names are in the text as they came, so it need not be a schema.
        let _ = Schema::from_sdl(Source::new("schema.json", sdl));
    }
});
