//! What others may put in the way of the command.

use std::process::Command;

use crate::tollgate::{folder, run};

const SCHEMA: (&str, &str) = ("schema/admin.graphql", "type Query { a(n: Int): Int }");
const QUERY: (&str, &str) = ("queries/a.graphql", "query A($n: Int) { a(n: $n) }");

/// Exit code and errors with so few file handles.
fn starved(handles: u32, arguments: &[&str]) -> (i32, String) {
    let folder = folder(&[SCHEMA, QUERY]);
    let output = Command::new("sh")
        .args(["-c", "ulimit -n \"$1\"; shift; exec \"$@\"", "sh"])
        .arg(handles.to_string())
        .arg(env!("CARGO_BIN_EXE_tollgate"))
        .args(arguments)
        .current_dir(folder.path())
        .env("TOLLGATE_TOKEN", "t")
        .output()
        .unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap(), errors)
}

#[test]
fn few_file_handles_are_told_and_no_panic() {
    for arguments in [
        &["shop", "--port", "0"][..],
        &["top", "--once", "--redis", "redis://127.0.0.1:1"],
        &["run", "queries/a.graphql", "--shop", "a.myshopify.com"],
        &["schema", "pull", "http://127.0.0.1:1/"],
    ] {
        for handles in [8, 16, 32] {
            let (code, errors) = starved(handles, arguments);
            assert_eq!(code, 3, "{arguments:?} with {handles}: {errors}");
            assert!(
                errors.contains("raise the limit"),
                "{arguments:?} with {handles}: {errors}"
            );
        }
    }
    // What is left is enough to read files.
    let (code, errors) = starved(8, &["cost"]);
    assert_eq!((code, errors.as_str()), (0, ""));
}

#[test]
fn what_has_no_end_is_not_read_to_it() {
    let folder = folder(&[SCHEMA, QUERY]);
    for arguments in [
        &["check", "--baseline", "/dev/zero"][..],
        &["check", "--baseline", "/dev/full"],
        &["cost", "--variables", "/dev/zero"],
    ] {
        let (code, _, errors) = run(folder.path(), arguments);
        assert_eq!(code, 3, "{errors}");
        assert!(errors.contains("holds more than 256 MB"), "{errors}");
    }
    for (arguments, wanted) in [
        (&["cost", "--variables", "queries"][..], "is a directory"),
        (&["cost", "--costs", "queries"], "is a folder, not a file"),
        (
            &["cost", "--schema", "/dev/zero"],
            "is a pipe, socket or device",
        ),
    ] {
        let (code, _, errors) = run(folder.path(), arguments);
        assert_eq!(code, 3, "{errors}");
        assert!(errors.contains(wanted), "{errors}");
    }
}

#[test]
fn a_value_of_megabytes_is_not_told_whole() {
    let items = "1,".repeat(1_000_000);
    let variables = format!("{{\"n\": [{items}1]}}");
    let folder = folder(&[SCHEMA, QUERY, ("v.json", &variables)]);
    let (code, _, errors) = run(folder.path(), &["cost", "A", "--variables", "v.json"]);
    assert_eq!(code, 1, "{errors}");
    assert!(
        errors.contains("`$n` of `A` is [1,1,1,") && errors.len() < 200,
        "{errors}"
    );
}

#[test]
fn a_bucket_cannot_start_with_more_than_it_holds() {
    let here = std::env::temp_dir();
    let (code, _, errors) = run(&here, &["shop", "--bucket", "50", "--available", "51"]);
    assert_eq!(code, 2, "{errors}");
    assert!(
        errors.contains("`--available` is 51: the bucket holds from 0 to 50"),
        "{errors}"
    );
}

#[test]
fn a_pulled_schema_that_lies_is_warned_of() {
    let lies = "type Query { a: Missing } interface N { x: Int } type T implements N { y: Int }";
    let folder = folder(&[("from.graphql", lies)]);
    let (code, _, errors) = run(
        folder.path(),
        &["schema", "pull", "from.graphql", "--out", "to.graphql"],
    );
    assert_eq!(code, 0, "{errors}");
    for wanted in [
        "warning: `Query` names `Missing`, which the schema does not define",
        "warning: `T` implements `N`, but has no field `x`",
        "to.graphql:1:17",
    ] {
        assert!(errors.contains(wanted), "{errors}");
    }
}
