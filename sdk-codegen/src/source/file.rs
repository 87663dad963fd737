use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use super::SourceError;

/// The most bytes that are read of one file, unpacked: 256 MB. The introspection of the real schema
/// is some 10 MB.
pub const MAX_FILE: u64 = 256 << 20;

/// The text of a file. Whatever is given as one may be a folder, a device without an end, or larger
/// than the memory: all that build time and the command read of files goes through here.
///
/// # Errors
/// When it cannot be opened or read, is a folder, holds more than [`MAX_FILE`], or is not UTF-8.
pub fn read_text(path: &Path) -> Result<String, SourceError> {
    utf8(read(path)?, path)
}

/// The bytes of a file, as [`read_text`] reads them.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, SourceError> {
    let failed = |source| SourceError::Read {
        path: path.to_path_buf(),
        source,
    };
    let file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if metadata.is_dir() {
        // Some systems only say so when it is read.
        return Err(failed(ErrorKind::IsADirectory.into()));
    }
    bounded(file, metadata.len(), path)
}

/// The text of a file that may as well not be there.
pub(crate) fn text_if_any(path: &Path) -> Option<String> {
    path.is_file().then(|| read_text(path).ok()).flatten()
}

/// All of a reader, of which so many bytes are expected.
pub(super) fn bounded(
    reader: impl Read,
    expected: u64,
    path: &Path,
) -> Result<Vec<u8>, SourceError> {
    let expected = usize::try_from(expected.min(MAX_FILE)).unwrap_or_default();
    let mut bytes = Vec::with_capacity(expected);
    let read = reader.take(MAX_FILE + 1).read_to_end(&mut bytes);
    match read {
        Ok(length) if length as u64 > MAX_FILE => Err(SourceError::TooLarge {
            path: path.to_path_buf(),
        }),
        Ok(_) => Ok(bytes),
        Err(source) => Err(SourceError::Read {
            path: path.to_path_buf(),
            source,
        }),
    }
}

pub(super) fn utf8(bytes: Vec<u8>, path: &Path) -> Result<String, SourceError> {
    String::from_utf8(bytes).map_err(|error| SourceError::NotText {
        path: path.to_path_buf(),
        source: error.utf8_error(),
    })
}
