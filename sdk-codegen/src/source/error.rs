use std::fmt::Write as _;
use std::path::PathBuf;

use crate::schema::introspection::IntrospectionError;

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// There is nothing of that name.
    #[error("there is no `{}`; looked for\n{}", .path.display(), listed(.tried))]
    Missing {
        /// The path as it was given.
        path: PathBuf,
        /// Every place that was tried.
        tried: Vec<PathBuf>,
    },
    /// The system does not let it be read, or its gzip is broken.
    #[error("`{}` cannot be read: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Something else stands where a file should: a pipe, a device, a folder, or one without
    /// documents.
    #[error("`{}` is {is}", .path.display())]
    NotFile {
        /// The path.
        path: PathBuf,
        /// What it is.
        is: &'static str,
    },
    /// It holds more than [`MAX_FILE`](super::MAX_FILE), packed or unpacked.
    #[error(
        "`{}` holds more than {} MB, the most that is read of a file",
        .path.display(),
        super::MAX_FILE >> 20
    )]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// It is not UTF-8.
    #[error("`{}` is not text: {source}; save it as UTF-8", .path.display())]
    NotText {
        /// The file.
        path: PathBuf,
        /// Where it stops being text.
        source: std::str::Utf8Error,
    },
    /// It looks like introspection JSON, but is not.
    #[error("`{}` is not a schema: {source}", .path.display())]
    Introspection {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: IntrospectionError,
    },
    /// It is not a pattern.
    #[error("`{pattern}` is not a pattern: {source}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        source: glob::PatternError,
    },
}

fn listed(tried: &[PathBuf]) -> String {
    let mut list = String::new();
    for path in tried {
        let _ = write!(list, "\n  {}", path.display());
    }
    list.split_off(1.min(list.len()))
}
