//! The rules against recorded answers, where they are at hand.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and says when it is skipped"
)]

#[path = "../examples/corpus/recording.rs"]
mod recording;
#[path = "../examples/corpus/report.rs"]
mod report;
#[path = "../examples/corpus/verdict.rs"]
mod verdict;

use std::path::{Path, PathBuf};

/// `TOLLGATE_SHARED`, else `shared` beside the workspace.
fn shared() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    std::env::var_os("TOLLGATE_SHARED").map_or_else(beside, PathBuf::from)
}

#[test]
fn prices_are_those_that_servers_have_asked() {
    let corpus = shared().join("cost/corpus.json.gz");
    if !corpus.is_file() {
        println!("skipped: no recorded answers at {}", corpus.display());
        return;
    }
    let recordings = recording::read(&corpus).unwrap();
    let judge = verdict::Judge::new(&shared().join("schema"), &recordings).unwrap();
    let verdicts: Vec<_> = recordings
        .iter()
        .map(|recording| judge.verdict(recording))
        .collect();
    let report = report::Report::new(&judge, &recordings, &verdicts);
    let all = recordings.len();
    assert!(report.exact() * 1000 >= all * 992, "{report}");
    let (answers, exact, near) = report.actual();
    assert!(exact * 100 >= answers * 90, "{report}");
    assert!(near * 100 >= answers * 95, "{report}");
}
