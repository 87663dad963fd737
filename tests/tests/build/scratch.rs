use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub(crate) fn workspace() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap().to_path_buf()
}

/// A package that depends on `tollgate`, outside the workspace.
pub(crate) struct Scratch {
    pub(crate) folder: PathBuf,
}

impl Scratch {
    pub(crate) fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&folder);
        let scratch = Self { folder };
        let sdk = workspace().join("sdk");
        let (name, sdk) = (
            format!("{name:?}"),
            format!("{:?}", sdk.display().to_string()),
        );
        scratch.write(
            "Cargo.toml",
            format!(
                "[package]\nname = {name}\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
                 [dependencies]\ntollgate = {{ path = {sdk}, default-features = false, features = [\"macros\"] }}\n\n\
                 [workspace]\n\n[profile.dev]\ndebug = \"line-tables-only\"\n"
            ),
        );
        std::fs::copy(
            workspace().join("Cargo.lock"),
            scratch.folder.join("Cargo.lock"),
        )
        .unwrap();
        let schema = workspace().join("schema/admin.graphql");
        scratch.write(
            "schema/admin.graphql",
            std::fs::read_to_string(schema).unwrap(),
        );
        scratch
    }

    /// Has the package depend on more, line by line as in its manifest.
    pub(crate) fn depend(&self, lines: &str) {
        let manifest = self.folder.join("Cargo.toml");
        let text = std::fs::read_to_string(&manifest).unwrap();
        let more = format!("[dependencies]\n{lines}");
        std::fs::write(manifest, text.replace("[dependencies]", &more)).unwrap();
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Runs cargo here, with the target folder that this test was built in.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Output {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
        Command::new(env!("CARGO"))
            .args(arguments)
            .arg("--offline")
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", target)
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .env("RUSTFLAGS", "")
            .output()
            .unwrap()
    }
}
