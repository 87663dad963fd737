//! `tollgate run` that is killed, and run again.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::tollgate::folder;
use crate::work::{CATALOGUE, PRICES, Work, prices};

/// The bookmark that a run has left, if any.
fn bookmark(here: &Path) -> Option<Value> {
    let text = std::fs::read_to_string(here.join("out.jsonl.part.at")).ok()?;
    Some(serde_json::from_str(text.lines().next().unwrap()).unwrap())
}

/// A bookmark as a run would have left it.
fn sealed(mark: &Value) -> String {
    let line = mark.to_string();
    format!("{line}\n{}\n", tollgate::digest(line.as_bytes()))
}

/// Starts a run and kills it once its bookmark `is` so; whether it was killed.
fn kill_when(work: &Work, here: &Path, options: &[&str], is: impl Fn(&Value) -> bool) -> bool {
    let mut command = work.command(here, options);
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success(), "{status}");
            return false;
        }
        if bookmark(here).is_some_and(|mark| is(&mark)) {
            child.kill().unwrap();
            return !child.wait().unwrap().success();
        }
        assert!(begun.elapsed() < Duration::from_secs(120), "no bookmark");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Kills a run again and again, each time further on, until it comes to its end.
fn survives(way: &str, products: u64) {
    let work = Work::new(products);
    let here = folder(&[("query.graphql", CATALOGUE)]);
    let whole = work.run(here.path(), &[way, "--variables", r#"{"first": 100}"#]);
    assert_eq!((whole.0, whole.2.as_str()), (0, ""));
    assert_eq!(whole.1.lines().count() as u64, products);
    let options = [
        way,
        "--variables",
        r#"{"first": 100}"#,
        "--out",
        "out.jsonl",
        "--resume",
    ];
    let (mut deaths, mut written) = (0, 0);
    loop {
        let further = |mark: &Value| mark["written"].as_u64().unwrap() > written;
        if !kill_when(&work, here.path(), &options, further) {
            break;
        }
        deaths += 1;
        if let Some(mark) = bookmark(here.path()) {
            written = mark["written"].as_u64().unwrap() + whole.1.len() as u64 / 8;
        }
        // What the system may have of a line that was being written.
        let part = here.path().join("out.jsonl.part");
        if let Ok(mut part) = std::fs::File::options().append(true).open(part) {
            std::io::Write::write_all(&mut part, b"{\"id\": \"gid:/").unwrap();
        }
    }
    assert!(deaths > 1, "{deaths}");
    let out = std::fs::read_to_string(here.path().join("out.jsonl")).unwrap();
    assert!(out == whole.1, "the rows differ after {deaths} deaths");
    assert_eq!(std::fs::read_dir(here.path()).unwrap().count(), 2);
}

#[test]
fn pages_go_on_after_a_kill() {
    survives("--all-pages", 3_000);
}

#[test]
fn a_bulk_query_goes_on_after_a_kill() {
    survives("--bulk", 10_000);
}

#[test]
fn a_bulk_mutation_is_not_run_twice_after_a_kill() {
    let work = Work::new(10);
    let here = folder(&[("query.graphql", PRICES), ("in.jsonl", &prices(10))]);
    let options = ["--bulk", "--input", "in.jsonl", "--out", "out.jsonl"];
    let has_id = |mark: &Value| mark["at"]["id"].is_string();
    assert!(kill_when(&work, here.path(), &options, has_id));
    // Not without being told to, and not with other inputs.
    let (code, _, errors) = work.run(here.path(), &options);
    assert_eq!(code, 3);
    assert!(errors.contains("go on with `--resume`"), "{errors}");
    let resumed = [&options[..], &["--resume"]].concat();
    std::fs::write(here.path().join("in.jsonl"), prices(9)).unwrap();
    let (code, _, errors) = work.run(here.path(), &resumed);
    assert_eq!(code, 3);
    assert!(errors.contains("another run"), "{errors}");
    std::fs::write(here.path().join("in.jsonl"), prices(10)).unwrap();
    // Nor elsewhere.
    let (code, _, errors) = Work::new(10).run(here.path(), &resumed);
    assert_eq!(code, 3);
    assert!(errors.contains("another run"), "{errors}");
    let (code, _, errors) = work.run(here.path(), &resumed);
    assert_eq!((code, errors.as_str()), (0, ""));
    let out = std::fs::read_to_string(here.path().join("out.jsonl")).unwrap();
    assert_eq!(out.matches(r#""outcome":"done""#).count(), 10);
    let ran = work.shop().summary().mutations;
    assert_eq!(ran.get("bulkOperationRunMutation"), Some(&1), "{ran:?}");
    assert_eq!(bookmark(here.path()), None);
}

/// Sends a signal to a process.
fn signal(name: &str, child: &std::process::Child) {
    let id = child.id().to_string();
    let sent = Command::new("kill").args([name, &id]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn two_runs_do_not_write_one_file() {
    let work = Work::new(3_000);
    let here = folder(&[("query.graphql", CATALOGUE)]);
    let variables = ["--variables", r#"{"first": 50}"#];
    let options = [&["--all-pages", "--out", "out.jsonl"][..], &variables].concat();
    let mut first = work.command(here.path(), &options).spawn().unwrap();
    while bookmark(here.path()).is_none() {
        assert_eq!(first.try_wait().unwrap(), None);
        std::thread::sleep(Duration::from_millis(1));
    }
    signal("-STOP", &first);
    for more in [&[][..], &["--resume"]] {
        let (code, _, errors) = work.run(here.path(), &[&options[..], more].concat());
        assert_eq!(code, 3);
        assert!(errors.contains("written by another run"), "{errors}");
    }
    signal("-CONT", &first);
    assert!(first.wait().unwrap().success());
    let out = std::fs::read_to_string(here.path().join("out.jsonl")).unwrap();
    assert_eq!(out.lines().count(), 3_000);
    assert_eq!(std::fs::read_dir(here.path()).unwrap().count(), 2);
}

#[test]
fn a_bookmark_that_says_nothing_is_not_gone_on_from() {
    let work = Work::new(3_000);
    let pages = ["--all-pages", "--out", "out.jsonl", "--resume"];
    let calls = [
        "--bulk",
        "--input",
        "in.jsonl",
        "--out",
        "out.jsonl",
        "--resume",
    ];
    for (document, options) in [(CATALOGUE, &pages[..]), (PRICES, &calls[..])] {
        let here = folder(&[("query.graphql", document), ("in.jsonl", &prices(3))]);
        assert!(kill_when(&work, here.path(), options, |_| true));
        let mut mark = bookmark(here.path()).unwrap();
        let whole = sealed(&mark);
        let mut other = mark.clone();
        other["written"] = u64::from(mark["written"] == 0).into();
        // By hand: whatever it says now, the rows would not be those that are missing.
        let changed = whole.replace(&mark.to_string(), &other.to_string());
        mark["at"] = Value::from(7);
        let part = std::fs::read(here.path().join("out.jsonl.part")).unwrap();
        let of_another_version = sealed(&mark);
        for text in ["", "{", "7\n", "\0", &changed, &of_another_version] {
            let before = work.shop().summary().mutations;
            std::fs::write(here.path().join("out.jsonl.part.at"), text).unwrap();
            let (code, _, errors) = work.run(here.path(), options);
            assert!(code == 3 || code == 1, "{code}");
            assert!(
                errors.contains("`out.jsonl.part.at` does not say")
                    || errors.contains("the bookmark beside `--out` does not say"),
                "{errors}"
            );
            assert_eq!(work.shop().summary().mutations, before);
            let now = std::fs::read(here.path().join("out.jsonl.part")).unwrap_or_default();
            assert!(part.starts_with(&now), "{text}");
        }
    }
}

/// The command in a shell that lets no file grow beyond so many half kilobytes.
fn limited(work: &Work, here: &Path, options: &[&str], blocks: u32) -> (i32, String) {
    let command = work.command(here, options);
    let mut shell = Command::new("sh");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    shell.args(["-c", &script]).arg(command.get_program());
    let output = shell.args(command.get_args()).current_dir(here).output();
    let output = output.unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap(), errors)
}

#[test]
fn what_a_full_disk_did_not_take_is_written_later() {
    let work = Work::new(400);
    for way in ["--all-pages", "--bulk"] {
        let here = folder(&[("query.graphql", CATALOGUE)]);
        let variables = ["--variables", r#"{"first": 10}"#];
        let (code, whole, errors) = work.run(here.path(), &[&[way][..], &variables].concat());
        assert_eq!((code, errors.as_str()), (0, ""));
        let options = [&[way, "--out", "out.jsonl"][..], &variables].concat();
        let (code, errors) = limited(&work, here.path(), &options, 40);
        assert_eq!(code, 3, "{errors}");
        assert!(
            errors.contains("`out.jsonl` cannot be written")
                && errors.contains("File too large")
                && errors.contains("go on with `--resume`"),
            "{errors}"
        );
        assert!(!here.path().join("out.jsonl").exists());
        let (code, _, errors) = work.run(here.path(), &[&options[..], &["--resume"]].concat());
        assert_eq!((code, errors.as_str()), (0, ""));
        let out = std::fs::read_to_string(here.path().join("out.jsonl")).unwrap();
        assert!(out == whole, "{way}");
    }
}

/// Not even the superuser makes files there.
#[cfg(target_os = "linux")]
#[test]
fn a_place_that_takes_no_files_is_named_before_anything_is_asked() {
    let work = Work::new(1);
    let here = folder(&[("query.graphql", CATALOGUE)]);
    for way in ["--all-pages", "--bulk"] {
        let (code, said, errors) = work.run(here.path(), &[way, "--out", "/proc/out.jsonl"]);
        assert_eq!((code, said.as_str()), (3, ""));
        assert!(
            errors.contains("`/proc/out.jsonl` cannot be written"),
            "{errors}"
        );
    }
    assert_eq!(work.shop().summary().requests, 0);
}
