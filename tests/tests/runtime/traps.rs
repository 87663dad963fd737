//! Every test that `traps.md` names is there.

use std::{collections::BTreeSet, fs, path::Path};

/// The names of all tests in the Rust files below a folder: functions with an attribute of a test
/// between them and the item before.
fn tests(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        if path.is_dir() && !hidden && path.file_name() != Some("target".as_ref()) {
            tests(&path, names);
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let named = text.match_indices("fn ").filter_map(|(at, word)| {
                let (before, after) = (&text[..at], &text[at + word.len()..]);
                let attributes = before.rsplit(['}', ';']).next()?;
                let end = after.find(|c: char| c != '_' && !c.is_ascii_alphanumeric())?;
                let test = attributes.contains("test]") || attributes.contains("test(");
                test.then(|| after[..end].to_owned())
            });
            names.extend(named);
        }
    }
}

#[test]
fn every_test_that_is_named_exists() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut names = BTreeSet::new();
    for folder in fs::read_dir(workspace).unwrap().flatten() {
        if folder.file_name().to_string_lossy().starts_with("sdk") || folder.file_name() == "tests"
        {
            tests(&folder.path(), &mut names);
        }
    }
    let table = include_str!("../../traps.md");
    let rows = table.lines().filter(|line| line.starts_with("| "));
    let mut named = 0;
    for row in rows.filter(|row| !row.starts_with("| trap") && !row.starts_with("| ---")) {
        let tests = row.trim_end_matches('|').rsplit('|').next().unwrap();
        for test in tests.split('`').skip(1).step_by(2) {
            assert!(names.contains(test), "`{test}` is no test: {row}");
            named += 1;
        }
    }
    assert!(named > 100, "{named}");
}
