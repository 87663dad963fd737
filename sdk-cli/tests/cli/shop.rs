use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::Value;

use crate::tollgate::{command, folder, run, says};

/// A shop of the command, on a free port. Ended when it is dropped, whatever the test does.
pub(crate) struct Served {
    child: Child,
    output: BufReader<ChildStdout>,
    pub(crate) url: String,
}

impl Served {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let here = std::env::temp_dir();
        let mut line = vec!["shop", "--port", "0", "--json"];
        line.extend(arguments);
        let mut child = command(&here, &line)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut first = String::new();
        output.read_line(&mut first).unwrap();
        let first: Value = serde_json::from_str(&first).unwrap();
        let url = first["url"].as_str().unwrap().to_owned();
        Self { child, output, url }
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// Ends it as Ctrl-C does; the rest of its output.
    fn end(mut self) -> String {
        let id = self.child.id().to_string();
        let killed = Command::new("kill").args(["-INT", &id]).status().unwrap();
        assert!(killed.success());
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        assert!(self.child.wait().unwrap().success());
        rest
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // Gone already, when the test ended it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(unix)]
#[test]
fn serves_prints_and_ends_with_a_summary() {
    let mut shop = Served::start(&["--products", "7", "--bucket", "1000", "--restore", "50"]);
    let here = folder(&[]);
    let pull = says(here.path(), &["schema", "pull", "--endpoint", &shop.url]);
    assert!(pull.starts_with("schema/admin.graphql ("), "{pull}");
    // What it does not know of introspection it refuses, and is asked again without.
    let refused = shop.next();
    assert_eq!(refused["outcome"], "refused");
    let answered = shop.next();
    assert_eq!(answered["operation"], "Introspection");
    assert_eq!(answered["outcome"], "answered");
    assert!(answered["actual"].as_u64() <= answered["requested"].as_u64());
    let rest = shop.end();
    let summary: Value = serde_json::from_str(rest.trim()).unwrap();
    assert_eq!(summary["summary"]["requests"], 2);
    assert_eq!(summary["summary"]["outcomes"]["answered"], 1);
}

#[cfg(unix)]
#[test]
fn a_schema_pulled_from_the_shop_has_the_types_and_fields_of_the_shop() {
    let shop = Served::start(&["--quiet"]);
    let here = folder(&[(
        "queries/a.graphql",
        "query A { productsCount { count precision } }",
    )]);
    says(here.path(), &["init"]);
    says(
        here.path(),
        &[
            "schema",
            "pull",
            "--endpoint",
            &shop.url,
            "--out",
            "pulled.graphql",
        ],
    );
    let line = [
        "schema",
        "diff",
        "schema/admin.graphql",
        "pulled.graphql",
        "--all",
    ];
    let said = says(here.path(), &line);
    // Its introspection knows neither `@oneOf` nor deprecated inputs; the rest is all there.
    let lines = said
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("    "));
    for line in lines {
        let input =
            line.contains(":) is gone") || line.contains("Input.") || line.contains("@oneOf");
        assert!(input, "{line}");
    }
    let report = says(here.path(), &["report", "--schema", "pulled.graphql"]);
    assert!(report.contains("2 operations"), "{report}");
}

#[test]
fn a_wrong_place_or_schema_is_said_before_it_listens() {
    let here = folder(&[("broken.graphql", "type {")]);
    let (code, _, stderr) = run(here.path(), &["shop", "--port", "0", "--size", "prodcts=5"]);
    assert_eq!(code, 3);
    assert!(stderr.contains("prodcts"), "{stderr}");
    let (code, ..) = run(
        here.path(),
        &["shop", "--port", "0", "--schema", "broken.graphql"],
    );
    assert_eq!(code, 3);
    let (code, ..) = run(here.path(), &["shop", "--latency", "fast"]);
    assert_eq!(code, 2);
}
