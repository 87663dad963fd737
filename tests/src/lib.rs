//! Tests of the whole product are in `tests/`.
