use crate::tollgate::{folder, run, says};

#[test]
fn every_shell_gets_completions() {
    let here = folder(&[]);
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = says(here.path(), &["completions", shell]);
        assert!(
            script.contains("tollgate") && script.contains("report"),
            "{shell}"
        );
    }
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let here = folder(&[]);
    let main = says(here.path(), &["man"]);
    assert!(main.starts_with(".ie") || main.starts_with(".TH"), "{main}");
    let list = says(here.path(), &["man", "--out", "man"]);
    for page in ["tollgate.1", "tollgate-shop.1", "tollgate-schema-diff.1"] {
        assert!(list.contains(page), "{page} in {list}");
        let text = std::fs::read_to_string(here.path().join("man").join(page)).unwrap();
        assert!(text.contains(".SH NAME"), "{page}");
    }
    assert!(!list.contains("help"), "{list}");
}

#[test]
fn exit_codes_are_documented_and_a_wrong_line_is_2() {
    let here = folder(&[]);
    let help = says(here.path(), &["--help"]);
    assert!(
        help.contains("Exit codes:") && help.contains("  3  something needed could not be read")
    );
    let (code, _, stderr) = run(here.path(), &["rport"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("report"), "{stderr}");
}
