//! Every relative link of the Markdown files leads to a file, and to a heading where it names one.
//! What the documentation comments link to is rustdoc's to check.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The Markdown files of the workspace.
fn documents(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy();
        if path.is_dir() {
            if name != "target" && !name.starts_with('.') {
                documents(&path, found);
            }
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
}

/// The targets of `[text](target)`, and the names in backquotes that look like files.
fn targets(text: &str) -> Vec<(usize, &str)> {
    let mut fenced = false;
    let mut targets = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        let links = line.split("](").skip(1);
        targets.extend(links.filter_map(|rest| Some((number, rest.split_once(')')?.0))));
        let quoted = line.split('`').skip(1).step_by(2);
        let files = quoted.filter(|word| word.ends_with(".md") && !word.contains(' '));
        targets.extend(files.map(|word| (number, word)));
    }
    targets
}

/// The name by which a heading is linked to.
fn anchor(heading: &str) -> String {
    let heading = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = heading
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn leads_somewhere(from: &Path, target: &str) -> bool {
    let (file, heading) = target.split_once('#').unwrap_or((target, ""));
    let path = if file.is_empty() {
        from.to_path_buf()
    } else {
        from.parent().unwrap().join(file)
    };
    if !path.exists() {
        return false;
    }
    let text = || std::fs::read_to_string(&path).unwrap();
    heading.is_empty()
        || text()
            .lines()
            .any(|line| line.starts_with('#') && anchor(line) == heading)
}

#[test]
fn links_of_the_documents_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    documents(root, &mut files);
    assert!(files.len() >= 5, "{files:?}");
    let (mut checked, mut dead) = (0, String::new());
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        for (line, target) in targets(&text) {
            if target.starts_with("http://") || target.starts_with("https://") {
                continue;
            }
            checked += 1;
            if !leads_somewhere(file, target) {
                let _ = writeln!(dead, "{}:{line}: {target}", file.display());
            }
        }
    }
    assert!(dead.is_empty(), "{dead}");
    assert!(checked >= 5, "only {checked} links were found");
}

#[test]
fn dead_links_are_seen() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    assert_eq!(
        targets("a [b](c.md#d) `e.md`\n```\n[x](y)\n```"),
        [(1, "c.md#d"), (1, "e.md")]
    );
    for (target, alive) in [
        ("docs/terminal.svg", true),
        ("docs/nothing.svg", false),
        ("#see-it-run", true),
        ("CONTRIBUTING.md#versions", true),
        ("CONTRIBUTING.md#colours", false),
    ] {
        assert_eq!(leads_somewhere(&here, target), alive, "{target}");
    }
}
