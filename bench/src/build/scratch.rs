use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::Failure;

/// A crate that is made to be measured.
pub(super) struct Scratch {
    pub(super) folder: PathBuf,
    target: PathBuf,
}

/// What building it took.
pub(super) struct Measured {
    /// Rebuild after a line of it was touched.
    pub(super) touch: Duration,
    /// Its first build, its dependencies built.
    pub(super) fresh: Duration,
    /// `cargo check` after a line of it was touched.
    pub(super) check: Duration,
    /// The most memory that the compiler took, in bytes.
    pub(super) peak: u64,
    /// The crate with its macros expanded, in bytes.
    pub(super) expansion: usize,
}

impl Scratch {
    pub(super) fn new(parent: &Path, name: &str) -> Result<Self, Failure> {
        let folder = parent.join(name);
        for old in ["src", "queries"] {
            let _ = std::fs::remove_dir_all(folder.join(old));
        }
        std::fs::create_dir_all(&folder)?;
        let target = parent.join("target");
        Ok(Self { folder, target })
    }

    pub(super) fn manifest(&self, dependencies: &str) -> Result<(), Failure> {
        let name = self.name();
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
             [dependencies]\n{dependencies}\n\n[workspace]\n"
        );
        self.write("Cargo.toml", &manifest)
    }

    fn name(&self) -> String {
        let name = self.folder.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    pub(super) fn write(&self, path: &str, text: &str) -> Result<(), Failure> {
        let path = self.folder.join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        Ok(std::fs::write(path, text)?)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo
            .args(arguments)
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", &self.target)
            .stdin(Stdio::null());
        cargo
    }

    pub(super) fn cargo(&self, arguments: &[&str]) -> Result<Output, Failure> {
        Ok(self.command(arguments).output()?)
    }

    fn succeed(&self, arguments: &[&str]) -> Result<Duration, Failure> {
        let start = Instant::now();
        let output = self.cargo(arguments)?;
        let took = start.elapsed();
        if output.status.success() {
            return Ok(took);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        Err(format!("{} does not build:\n{said}", self.name()).into())
    }

    pub(super) fn measure(&self, runs: usize) -> Result<Measured, Failure> {
        self.succeed(&["build"])?;
        let name = self.name();
        let (mut fresh, mut touch, mut check) = (Duration::MAX, Duration::MAX, Duration::MAX);
        let peak = Peak::of(&self.folder);
        for _ in 0..runs.max(1) {
            self.succeed(&["clean", "-p", &name])?;
            fresh = fresh.min(self.succeed(&["build"])?);
        }
        for run in 0..runs.max(1) {
            self.touch(run)?;
            touch = touch.min(self.succeed(&["build"])?);
        }
        let peak = peak.stop();
        self.succeed(&["check"])?;
        for run in 0..runs.max(1) {
            self.touch(runs + run)?;
            check = check.min(self.succeed(&["check"])?);
        }
        Ok(Measured {
            touch,
            fresh,
            check,
            peak,
            expansion: self.expansion()?,
        })
    }

    /// The length of the crate with its macros expanded. Only a compiler that believes to be
    /// unstable tells, and only this crate's may, or all dependencies would be built again.
    fn expansion(&self) -> Result<usize, Failure> {
        use std::os::unix::fs::PermissionsExt as _;
        self.write("unstable.sh", "#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec \"$@\"\n")?;
        let wrapper = self.folder.join("unstable.sh");
        std::fs::set_permissions(&wrapper, std::fs::Permissions::from_mode(0o755))?;
        let expanded = self
            .command(&["rustc", "--lib", "--", "-Zunpretty=expanded"])
            .env("RUSTC_WORKSPACE_WRAPPER", wrapper)
            .output()?;
        // The bytes of tracked files show in the text, though nothing is compiled of them.
        let lines = expanded.stdout.split(|byte| *byte == b'\n');
        let code = lines.filter(|line| !line.trim_ascii_start().starts_with(b"b\""));
        Ok(code.map(|line| line.len() + 1).sum())
    }

    /// Changes a line of the crate.
    fn touch(&self, run: usize) -> Result<(), Failure> {
        let path = self.folder.join("src/lib.rs");
        let text = std::fs::read_to_string(&path)?;
        let text = text.split("\n// touched").next().unwrap_or_default();
        Ok(std::fs::write(
            &path,
            format!("{text}\n// touched {run}\n"),
        )?)
    }
}

/// Watches how much memory the compilers of one crate take.
struct Peak {
    bytes: std::sync::Arc<(AtomicU64, AtomicBool)>,
    watcher: std::thread::JoinHandle<()>,
}

impl Peak {
    fn of(folder: &Path) -> Self {
        let bytes = std::sync::Arc::new((AtomicU64::new(0), AtomicBool::new(false)));
        let shared = std::sync::Arc::clone(&bytes);
        let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
        let watcher = std::thread::spawn(move || {
            while !shared.1.load(Ordering::Relaxed) {
                shared.0.fetch_max(compilers(&folder), Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(10));
            }
        });
        Self { bytes, watcher }
    }

    fn stop(self) -> u64 {
        self.bytes.1.store(true, Ordering::Relaxed);
        // A watcher that panicked has seen nothing more.
        let _ = self.watcher.join();
        self.bytes.0.load(Ordering::Relaxed)
    }
}

/// The most that a compiler which works in this folder has taken so far, by `/proc`; 0 where there
/// is none.
fn compilers(folder: &Path) -> u64 {
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return 0;
    };
    let peaks = processes.flatten().filter_map(|process| {
        let process = process.path();
        let status = std::fs::read_to_string(process.join("status")).ok()?;
        let works_here = status.starts_with("Name:\trustc\n")
            && std::fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd == folder);
        let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
        let kilobytes = line.split_whitespace().nth(1)?.parse::<u64>().ok()?;
        works_here.then_some(kilobytes * 1024)
    });
    peaks.max().unwrap_or(0)
}
