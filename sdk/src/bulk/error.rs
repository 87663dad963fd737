use std::io;
use std::path::PathBuf;

use super::Place;
use crate::DecodeError;

/// Why the lines of a bulk result do not give rows.
///
/// Lines are counted from 1, offsets in bytes from 0, both in the result file as it came.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JsonlError {
    /// Bytes that are no text.
    #[error("line {} (byte {}): not UTF-8 at byte {at}", place.line, place.offset)]
    NotUtf8 {
        /// The line.
        place: Place,
        /// The offset of the first bad byte.
        at: u64,
    },
    /// A line that is not one JSON object.
    #[error("line {} (byte {}): not a JSON object: {reason} at byte {at}", place.line, place.offset)]
    NotAnObject {
        /// The line.
        place: Place,
        /// The offset where it stops being one.
        at: u64,
        /// What is wrong there.
        reason: &'static str,
    },
    /// A line that does not end within [`Lines::LONGEST`](super::Lines::LONGEST) bytes.
    #[error("line {} (byte {}): longer than {} MB", place.line, place.offset, super::Lines::LONGEST >> 20)]
    TooLong {
        /// The line.
        place: Place,
    },
    /// The file ends inside a line: the download was cut.
    #[error("line {} (byte {}): the file ends inside this line", place.line, place.offset)]
    Truncated {
        /// The line.
        place: Place,
    },
    /// A line of which no connection of the document can be the origin.
    #[error("line {} (byte {}): belongs to no connection of the document: {start}", place.line, place.offset)]
    UnknownLine {
        /// The line.
        place: Place,
        /// How it starts.
        start: String,
    },
    /// A line whose parent is not in the file.
    #[error("line {} (byte {}): its parent `{parent}` is not in the file", place.line, place.offset)]
    Orphan {
        /// The line.
        place: Place,
        /// Its `__parentId`.
        parent: String,
    },
    /// A line whose parent is in the file twice, so that it cannot be told which of them is meant.
    #[error(
        "line {} (byte {}): its parent `{parent}` is in the file more than once; \
         run the operation with grouped objects",
        place.line, place.offset
    )]
    AmbiguousParent {
        /// The line.
        place: Place,
        /// Its `__parentId`.
        parent: String,
    },
    /// A line outside the group of its parent, in a file that was said to be grouped.
    #[error(
        "line {} (byte {}): not in the group of its parent `{parent}`; read the file as ungrouped",
        place.line, place.offset
    )]
    OutOfGroup {
        /// The line.
        place: Place,
        /// Its `__parentId`.
        parent: String,
    },
    /// Fewer or more lines than the service says it wrote.
    #[error("the file has {found} {what}, the service counted {expected}")]
    CountMismatch {
        /// `objects` or `root objects`.
        what: &'static str,
        /// What the service counted.
        expected: u64,
        /// What the file has.
        found: u64,
    },
    /// A row that does not fit its generated type.
    #[error("line {} (byte {}): {source}", place.line, place.offset)]
    Row {
        /// The line at fault: the row's own, or that of one of its children.
        place: Place,
        /// What does not fit; its path and offset are those of the assembled row.
        source: DecodeError,
    },
    /// The disk that ungrouped lines are kept on failed: it is full, cannot be written, or no file
    /// can be opened.
    #[error(
        "cannot keep ungrouped lines in `{}`: {source}; choose a directory with `spill_in`, or \
         `group_objects`, which needs none", directory.display()
    )]
    Disk {
        /// The directory of the file without a name that they are kept in.
        directory: PathBuf,
        /// What the disk says.
        source: io::Error,
    },
}
