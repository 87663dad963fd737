//! Tests of the whole product are in `tests/`. The README is tested here, as documentation.
#![doc = include_str!("../../README.md")]
