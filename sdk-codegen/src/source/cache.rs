use std::path::{Path, PathBuf};

use super::file;

/// Text that was made from something else, kept from one build to the next. A miss, a full disk or
/// a read-only folder is never an error: the work is done again.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// A cache in a folder, made when first written to.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    /// A cache beside the output of the build that this process is part of, a compiler or a build
    /// script; else in the workspace's `target`, if there is one.
    #[must_use]
    pub fn of_build(workspace: &Path) -> Option<Self> {
        let arguments = std::env::args_os();
        let mut arguments = arguments.filter_map(|argument| argument.into_string().ok());
        let out_dir = arguments
            .by_ref()
            .find(|argument| argument.starts_with("--out-dir"))
            .and_then(|argument| match argument.split_once('=') {
                Some((_, folder)) => Some(folder.to_owned()),
                None => arguments.next(),
            });
        let places = [
            std::env::var_os("OUT_DIR").map(PathBuf::from),
            out_dir.map(PathBuf::from),
            std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from),
            Some(workspace.join("target")),
        ];
        let place = places.into_iter().flatten().find(|place| place.is_dir());
        place.map(|place| Self::in_target_of(&place))
    }

    /// A cache in the target folder that this path is in, so that `cargo clean` empties it; in the
    /// folder itself when no target folder is around it. Cargo marks a target folder by a
    /// `CACHEDIR.TAG`.
    #[must_use]
    pub fn in_target_of(path: &Path) -> Self {
        let target = path
            .ancestors()
            .find(|folder| folder.join("CACHEDIR.TAG").is_file());
        Self::new(target.unwrap_or(path).join("tollgate"))
    }

    /// What is kept under a name.
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        file::text_if_any(&self.folder.join(name))
    }

    /// Keeps a text under a name, in the place of what was there.
    pub(crate) fn put(&self, name: &str, text: &str) {
        let path = self.folder.join(name);
        // Written aside and renamed: whoever reads sees all of it or nothing.
        let aside = path.with_extension(format!("{}.tmp", std::process::id()));
        let written = std::fs::create_dir_all(&self.folder)
            .and_then(|()| std::fs::write(&aside, text))
            .and_then(|()| std::fs::rename(&aside, &path));
        if written.is_err() {
            // What could not be renamed must not stay; that it may not even exist is fine.
            let _ = std::fs::remove_file(&aside);
        }
    }
}
