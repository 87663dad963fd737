//! Decoding of answers into generated types.

mod error;

pub use error::DecodeError;
