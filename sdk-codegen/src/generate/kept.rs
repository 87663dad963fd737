//! Expansions that are kept from one build to the next.
//!
//! The compiler expands every macro of a crate whenever a line of the crate changed, and a macro
//! runs unoptimised. Most of these builds change neither the schema nor a document.

use std::path::{Path, PathBuf};

use super::{Documents, Settings, costs_path};
use crate::source::{self, Cache, Digest, Files};

/// Larger files are told apart by their length and the time of their last change, as Cargo does,
/// smaller ones by what is in them.
const READ_WHOLE: u64 = 1 << 18;

/// The place of one expansion, and the state of what it was made from.
pub(super) struct Kept {
    cache: Cache,
    name: String,
    state: String,
}

impl Kept {
    /// `None` when an expansion cannot be kept, or has nothing to be made from.
    pub(super) fn new(settings: &Settings, files: &Files) -> Option<Self> {
        let runtime = runtime()?;
        let mut call = Digest::new()
            .with(files.manifest().as_os_str().as_encoded_bytes())
            .with(runtime.as_os_str().as_encoded_bytes())
            .with(format!("{:?}", settings.emit.layout).as_bytes())
            .with(settings.schema.as_bytes());
        // A document in the call is known by its first line, since the others are being edited.
        call = match &settings.documents {
            Documents::Paths(paths) => call.with(format!("{paths:?}").as_bytes()),
            Documents::Inline(source) => {
                let first = source.text.trim_start().lines().next();
                call.with(first.unwrap_or_default().as_bytes())
            }
        };
        Some(Self {
            cache: files.cache()?.clone(),
            name: format!("{}.rs", call.hex()),
            state: state(settings, files, &runtime)?,
        })
    }

    /// The expansion, if it was made from what there is now.
    pub(super) fn text(&self) -> Option<String> {
        let text = self.cache.get(&self.name)?;
        let rest = text.strip_prefix(&self.state)?;
        Some(rest.to_owned())
    }

    /// Keeps the expansion, unless something changed while it was made.
    pub(super) fn keep(&self, settings: &Settings, files: &Files, text: &str) {
        let now = runtime().and_then(|runtime| state(settings, files, &runtime));
        if now.as_ref() == Some(&self.state) {
            self.cache.put(&self.name, &format!("{}{text}", self.state));
        }
    }
}

/// The library of `tollgate` that this compiler was given. It is built anew whenever the generator
/// is, so it stands for the generator's version; without it, nothing is kept.
fn runtime() -> Option<PathBuf> {
    std::env::args_os().find_map(|argument| {
        let argument = argument.to_str()?;
        let (_, path) = argument.split_once('=')?;
        let name = Path::new(path).file_name()?.to_str()?;
        name.starts_with("libtollgate-")
            .then(|| PathBuf::from(path))
    })
}

/// A comment that no other state has.
fn state(settings: &Settings, files: &Files, runtime: &Path) -> Option<String> {
    let digest = Digest::new().with(format!("{settings:?}").as_bytes());
    let mut digest = of_file(digest, runtime)?;
    let schema = files.find(Path::new(&settings.schema)).ok()?;
    digest = of_file(digest, &schema)?;
    if let Ok(costs) = files.find(&costs_path(settings)) {
        digest = of_file(digest, &costs)?;
    }
    if let Documents::Paths(paths) = &settings.documents {
        for path in paths {
            for file in files.expand(Path::new(path)).ok()? {
                digest = of_file(digest, &file)?;
            }
        }
    }
    Some(format!("// {}\n", digest.hex()))
}

fn of_file(digest: Digest, path: &Path) -> Option<Digest> {
    let digest = digest.with(path.as_os_str().as_encoded_bytes());
    let metadata = std::fs::metadata(path).ok()?;
    if metadata.len() <= READ_WHOLE {
        return Some(digest.with(&source::read(path).ok()?));
    }
    let changed = format!("{} {:?}", metadata.len(), metadata.modified().ok()?);
    Some(digest.with(changed.as_bytes()))
}
