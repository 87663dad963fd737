use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::cache::Cache;
use super::digest::Digest;
use super::file::{self, bounded, utf8};
use super::{Source, SourceError};
use crate::schema::introspection;

/// Finds and reads files, and remembers which ones, so that a change to one of them rebuilds.
///
/// A relative path is looked for beside the caller's `Cargo.toml`, then at the workspace's root.
#[derive(Debug)]
pub struct Files {
    manifest: PathBuf,
    workspace: PathBuf,
    cache: Option<Cache>,
    read: BTreeSet<PathBuf>,
}

impl Files {
    /// Looks from the folder of a `Cargo.toml`.
    pub fn new(manifest: impl Into<PathBuf>) -> Self {
        let manifest = manifest.into();
        let workspace = manifest
            .ancestors()
            .find(|folder| is_workspace(folder))
            .unwrap_or(&manifest)
            .to_path_buf();
        Self {
            manifest,
            workspace,
            cache: None,
            read: BTreeSet::new(),
        }
    }

    /// Looks from the folder of a `Cargo.toml`, and caches beside the output of this build.
    pub fn of_build(manifest: impl Into<PathBuf>) -> Self {
        let files = Self::new(manifest);
        let cache = Cache::of_build(&files.workspace);
        Self { cache, ..files }
    }

    /// Keeps schemas that must be unpacked or converted first, as SDL.
    #[must_use]
    pub fn with_cache(mut self, cache: Cache) -> Self {
        self.cache = Some(cache);
        self
    }

    /// The folder that is looked from.
    pub(crate) fn manifest(&self) -> &Path {
        &self.manifest
    }

    /// What is kept from one build to the next, where that is possible.
    pub(crate) fn cache(&self) -> Option<&Cache> {
        self.cache.as_ref()
    }

    /// Every file read so far, absolute and sorted.
    pub fn read(&self) -> impl Iterator<Item = &Path> {
        self.read.iter().map(PathBuf::as_path)
    }

    /// A schema as SDL, from SDL or introspection JSON, plain or gzipped.
    ///
    /// # Errors
    /// When there is no such file, it cannot be read, or is neither.
    pub fn schema(&mut self, path: impl AsRef<Path>) -> Result<Source, SourceError> {
        let path = self.find(path.as_ref())?;
        let bytes = self.bytes(&path)?;
        let is_plain = is_plain_sdl(&bytes);
        let text = if is_plain {
            utf8(bytes, &path)?
        } else if let Some(cache) = &self.cache {
            let name = format!("{}.graphql", Digest::new().with(&bytes).hex());
            match cache.get(&name) {
                Some(sdl) => sdl,
                None => {
                    let sdl = convert(&bytes, &path)?;
                    cache.put(&name, &sdl);
                    sdl
                }
            }
        } else {
            convert(&bytes, &path)?
        };
        let source = self.source(&path, text);
        // Lines and columns of problems are those of what was made of it.
        Ok(match is_plain {
            true => source,
            false => Source::new(format!("{} (as SDL)", source.name), source.text),
        })
    }

    /// Documents: each path is a file, a folder (all `.graphql` and `.gql` files in it and below),
    /// or a pattern (`queries/**/*.graphql`). In the order of the paths, then by name.
    ///
    /// # Errors
    /// When a path names nothing, or a file cannot be read.
    pub fn documents<P: AsRef<Path>>(&mut self, paths: &[P]) -> Result<Vec<Source>, SourceError> {
        let mut known = BTreeSet::new();
        let mut found: Vec<PathBuf> = Vec::new();
        for path in paths {
            let files = self.expand(path.as_ref())?.into_iter();
            found.extend(files.filter(|file| known.insert(file.clone())));
        }
        found
            .into_iter()
            .map(|file| {
                let text = utf8(self.bytes(&file)?, &file)?;
                Ok(self.source(&file, text))
            })
            .collect()
    }

    /// Any text file.
    ///
    /// # Errors
    /// When there is no such file, or it cannot be read.
    pub fn text(&mut self, path: impl AsRef<Path>) -> Result<Source, SourceError> {
        let path = self.find(path.as_ref())?;
        let text = utf8(self.bytes(&path)?, &path)?;
        Ok(self.source(&path, text))
    }

    /// Any text file; `None` when there is none.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn text_if_present(
        &mut self,
        path: impl AsRef<Path>,
    ) -> Result<Option<Source>, SourceError> {
        match self.text(path) {
            Err(SourceError::Missing { .. }) => Ok(None),
            other => other.map(Some),
        }
    }

    fn source(&self, path: &Path, text: String) -> Source {
        let name = path.strip_prefix(&self.workspace).unwrap_or(path);
        Source::new(name.to_string_lossy().replace('\\', "/"), text)
    }

    /// The places a path may mean.
    fn places(&self, path: &Path) -> Vec<PathBuf> {
        // An absolute path replaces what it is joined to.
        let mut places = vec![self.manifest.join(path), self.workspace.join(path)];
        places.dedup();
        places
    }

    /// Where a file is.
    pub(crate) fn find(&self, path: &Path) -> Result<PathBuf, SourceError> {
        let tried = self.places(path);
        if let Some(place) = tried.iter().find(|place| place.is_file()) {
            return Ok(place.clone());
        }
        Err(missing(path, tried))
    }

    /// The files that a path to documents means.
    pub(crate) fn expand(&self, path: &Path) -> Result<Vec<PathBuf>, SourceError> {
        let tried = self.places(path);
        for place in &tried {
            if place.is_file() {
                return Ok(vec![place.clone()]);
            }
            let found = if place.is_dir() {
                let folder = glob::Pattern::escape(&place.to_string_lossy());
                let mut found = matches(&format!("{folder}/**/*.graphql"))?;
                found.extend(matches(&format!("{folder}/**/*.gql"))?);
                found.sort();
                found
            } else {
                matches(&pattern(place, path))?
            };
            if !found.is_empty() {
                return Ok(once(found));
            }
        }
        Err(match missing(path, tried) {
            SourceError::NotFile { path, .. } if path.is_dir() => SourceError::NotFile {
                path,
                is: "a folder without `.graphql` or `.gql` files",
            },
            other => other,
        })
    }

    fn bytes(&mut self, path: &Path) -> Result<Vec<u8>, SourceError> {
        let bytes = file::read(path)?;
        self.read
            .insert(std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()));
        Ok(bytes)
    }
}

/// Why none of the places is a file: nothing is there, something else is, or the system hides it.
fn missing(path: &Path, tried: Vec<PathBuf>) -> SourceError {
    for place in &tried {
        let path = place.clone();
        match std::fs::metadata(place) {
            Ok(there) if there.is_dir() => {
                return SourceError::NotFile {
                    path,
                    is: "a folder, not a file",
                };
            }
            Ok(_) => {
                let is = "a pipe, socket or device, not a file";
                return SourceError::NotFile { path, is };
            }
            // A link that leads to itself, a folder that may not be entered.
            Err(source)
                if !matches!(
                    source.kind(),
                    ErrorKind::NotFound | ErrorKind::NotADirectory
                ) =>
            {
                return SourceError::Read { path, source };
            }
            Err(_) => {}
        }
    }
    SourceError::Missing {
        path: path.to_path_buf(),
        tried,
    }
}

/// The place as a pattern: of what is before the path, every letter stands for itself.
fn pattern(place: &Path, path: &Path) -> String {
    let (place, path) = (place.to_string_lossy(), path.to_string_lossy());
    match place.strip_suffix(&*path) {
        Some(before) => format!("{}{path}", glob::Pattern::escape(before)),
        None => place.into_owned(),
    }
}

/// Each file once, though links may lead to it by several ways.
fn once(found: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut known = BTreeSet::new();
    let is_new =
        |path: &PathBuf| known.insert(path.canonicalize().unwrap_or_else(|_| path.clone()));
    found.into_iter().filter(is_new).collect()
}

fn is_workspace(folder: &Path) -> bool {
    folder.join("Cargo.lock").is_file()
        || file::text_if_any(&folder.join("Cargo.toml"))
            .is_some_and(|manifest| manifest.lines().any(|line| line.trim() == "[workspace]"))
}

fn matches(pattern: &str) -> Result<Vec<PathBuf>, SourceError> {
    let paths = glob::glob(pattern).map_err(|source| SourceError::Pattern {
        pattern: pattern.to_owned(),
        source,
    })?;
    let mut files = Vec::new();
    for path in paths {
        let path = path.map_err(|error| SourceError::Read {
            path: error.path().to_path_buf(),
            source: std::io::Error::new(error.error().kind(), error),
        })?;
        if path.is_file() {
            files.push(path);
        }
    }
    Ok(files)
}

const GZIP: [u8; 2] = [0x1F, 0x8B];

fn is_plain_sdl(bytes: &[u8]) -> bool {
    !bytes.starts_with(&GZIP) && !is_json(bytes)
}

fn is_json(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(bytes);
    // A definition never starts with a brace.
    bytes.trim_ascii_start().first() == Some(&b'{')
}

fn convert(bytes: &[u8], path: &Path) -> Result<String, SourceError> {
    let text = if bytes.starts_with(&GZIP) {
        bounded(flate2::read::MultiGzDecoder::new(bytes), 0, path)?
    } else {
        bytes.to_vec()
    };
    if is_json(&text) {
        let text = text.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(&text);
        introspection::to_sdl(text).map_err(|source| SourceError::Introspection {
            path: path.to_path_buf(),
            source,
        })
    } else {
        utf8(text, path)
    }
}
