//! Files that are written.

use std::io::Write as _;
use std::path::Path;

use crate::error::Error;

/// Writes a file as a whole: whoever reads it meanwhile sees the old text or the new one.
pub(crate) fn replace(path: &Path, text: &str) -> Result<(), Error> {
    let write = || {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        std::fs::create_dir_all(folder)?;
        let mut file = tempfile::Builder::new()
            .prefix(".tollgate-")
            .tempfile_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        make_readable(&file)?;
        file.persist(path)?;
        Ok(())
    };
    write().map_err(|source: std::io::Error| Error::Write {
        path: path.to_owned(),
        source,
    })
}

/// A temporary file is the user's own; what is left of it is as any other new file.
#[cfg(unix)]
fn make_readable(file: &tempfile::NamedTempFile) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let permissions = std::fs::Permissions::from_mode(0o644);
    file.as_file().set_permissions(permissions)
}

#[cfg(not(unix))]
fn make_readable(_: &tempfile::NamedTempFile) -> std::io::Result<()> {
    Ok(())
}

/// Writes a file unless there is one; whether it was written.
pub(crate) fn create(path: &Path, text: &str) -> Result<bool, Error> {
    let write = || {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        match std::fs::File::create_new(path) {
            Ok(mut file) => file.write_all(text.as_bytes()).map(|()| true),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    };
    write().map_err(|source| Error::Write {
        path: path.to_owned(),
        source,
    })
}
