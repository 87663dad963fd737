use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

use crate::scratch::{Scratch, workspace};

/// Each `cases/name.rs` is built, and what the compiler says is compared with `cases/name.txt`.
/// `TOLLGATE_UPDATE=1` writes the latter anew.
#[test]
fn what_is_wrong_is_said_once_and_in_full() {
    let scratch = Scratch::new("refused");
    scratch.write("src/lib.rs", "");
    scratch.write("broken/schema.json", "{\"data\": {}}");
    scratch.write("queries/one.graphql", "query One { shop { nmae } }\n");
    scratch.write(
        "queries/two.graphql",
        "query Two($x: Int) { node { id } }\n",
    );
    let cases = workspace().join("tests/tests/build/cases");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&cases).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "rs") {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            scratch.write(&format!("src/bin/{name}.rs"), std::fs::read(&path).unwrap());
            names.push(name);
        }
    }
    names.sort();
    let built = scratch.cargo(&["check", "--bins", "--keep-going", "--message-format=json"]);
    let messages: Vec<Value> = String::from_utf8_lossy(&built.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let mut wrong = String::new();
    for name in &names {
        let said = said(&messages, name, &scratch.folder);
        let expected = cases.join(format!("{name}.txt"));
        if std::env::var_os("TOLLGATE_UPDATE").is_some() {
            std::fs::write(&expected, &said).unwrap();
        }
        let wanted = std::fs::read_to_string(&expected).unwrap_or_default();
        if said.is_empty() || said != wanted {
            let _ = writeln!(wrong, "=== {name}: expected\n{wanted}\n--- but\n{said}");
        }
    }
    let stderr = String::from_utf8_lossy(&built.stderr);
    assert!(wrong.is_empty(), "{wrong}\n{stderr}");
}

/// The messages about one case, without the compiler's view of the call and without machine paths.
fn said(messages: &[Value], name: &str, folder: &Path) -> String {
    let mut out = String::new();
    let about = |message: &&Value| message["target"]["name"] == name;
    for message in messages.iter().filter(about) {
        let message = &message["message"];
        let text = message["message"].as_str().unwrap_or_default();
        if text.is_empty() || text.starts_with("aborting due to") {
            continue;
        }
        let (level, span) = (message["level"].as_str(), &message["spans"][0]);
        let level = level.unwrap_or_default();
        let _ = writeln!(out, "{level}: {text}\n  at line {}\n", span["line_start"]);
    }
    out.replace(&folder.display().to_string(), "$FOLDER")
}
