//! Any reply of the script of the shared ledger.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| tollgate::shared::fuzz_reply(text));
