//! Files that are read and written.

use std::fs::{File, Metadata};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use tempfile::NamedTempFile;
use tollgate_codegen::source::read_text;

use crate::error::Error;

/// What a file of JSON says.
pub(crate) fn json<T: DeserializeOwned>(path: &Path) -> Result<T, Error> {
    serde_json::from_str(&read_text(path)?).map_err(|source| Error::Json {
        path: path.to_owned(),
        source,
    })
}

/// Writes a file as a whole: whoever reads it meanwhile sees the old text or the new one. A link
/// stays a link, a file keeps its permissions, and a pipe or device is written to.
pub(crate) fn replace(path: &Path, content: impl AsRef<[u8]>) -> Result<(), Error> {
    let content = content.as_ref();
    let write = || {
        let path = &target(path)?;
        let old = existing(path)?;
        if old.as_ref().is_some_and(|old| !old.is_file()) {
            return open(path)?.write_all(content);
        }
        std::fs::create_dir_all(folder(path))?;
        let mut file = beside(path)?;
        file.write_all(content)?;
        match old {
            Some(old) => file.as_file().set_permissions(old.permissions())?,
            None => make_readable(&file)?,
        }
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    write().map_err(|source: std::io::Error| Error::Write {
        path: path.to_owned(),
        source,
    })
}

/// A temporary file in the folder of a path, to take its place.
pub(crate) fn beside(path: &Path) -> std::io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".tollgate-").tempfile_in(folder(path))
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The file that a path leads to, over links, whether or not it is there.
pub(crate) fn target(path: &Path) -> std::io::Result<PathBuf> {
    let mut path = path.to_owned();
    // As many links as Linux follows.
    for _ in 0..40 {
        match std::fs::read_link(&path) {
            Ok(to) => path = path.parent().unwrap_or(Path::new("")).join(to),
            // No link, or nothing there.
            Err(_) => return Ok(path),
        }
    }
    Err(std::io::Error::other("it is a link that leads to itself"))
}

/// What is at a path, if there is something.
pub(crate) fn existing(path: &Path) -> std::io::Result<Option<Metadata>> {
    match std::fs::metadata(path) {
        // What its owner made read-only is not replaced behind his back.
        Ok(found) if found.permissions().readonly() => Err(ErrorKind::PermissionDenied.into()),
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Opens what is there, without a change to it.
pub(crate) fn open(path: &Path) -> std::io::Result<File> {
    File::options().write(true).open(path)
}

/// A temporary file is the user's own; what is left of it is as any other new file.
#[cfg(unix)]
fn make_readable(file: &NamedTempFile) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let permissions = std::fs::Permissions::from_mode(0o644);
    file.as_file().set_permissions(permissions)
}

#[cfg(not(unix))]
fn make_readable(_: &NamedTempFile) -> std::io::Result<()> {
    Ok(())
}

/// Writes a file unless there is one; whether it was written.
pub(crate) fn create(path: &Path, text: &str) -> Result<bool, Error> {
    let write = || {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        match File::create_new(path) {
            Ok(mut file) => file.write_all(text.as_bytes()).map(|()| true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    };
    write().map_err(|source| Error::Write {
        path: path.to_owned(),
        source,
    })
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::replace;

    #[test]
    fn a_link_stays_and_a_file_keeps_its_permissions() {
        let here = tempfile::tempdir().unwrap();
        let [file, link, dangling] =
            ["file", "link", "dangling"].map(|name| here.path().join(name));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
        symlink("file", &link).unwrap();
        replace(&link, "new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(
            fs::metadata(&file).unwrap().permissions().mode() & 0o777,
            0o600
        );
        symlink("made", &dangling).unwrap();
        replace(&dangling, "new").unwrap();
        assert!(dangling.is_symlink() && !here.path().join("made").is_symlink());
        symlink("circle", here.path().join("circle")).unwrap();
        replace(&here.path().join("circle"), "new").unwrap_err();
    }

    #[test]
    fn a_read_only_file_is_an_error() {
        let here = tempfile::tempdir().unwrap();
        let file = here.path().join("file");
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o444)).unwrap();
        replace(&file, "new").unwrap_err();
        assert_eq!(fs::read_to_string(&file).unwrap(), "old");
    }

    #[test]
    fn a_pipe_is_written_to() {
        let here = tempfile::tempdir().unwrap();
        let pipe = here.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read_to_string(pipe).unwrap()
        });
        replace(&pipe, "text").unwrap();
        assert_eq!(reader.join().unwrap(), "text");
        assert!(!fs::metadata(&pipe).unwrap().is_file());
    }
}
