#[expect(dead_code, reason = "of the tests of builds, which need more")]
#[path = "../../../tests/tests/build/scratch.rs"]
mod scratch;

use crate::tollgate::{folder, says};
use scratch::Scratch;

const FILES: [&str; 5] = [
    "schema/admin.graphql",
    "schema/tollgate.graphql",
    "queries/first_products.graphql",
    "examples/first_products.rs",
    ".graphqlrc.yml",
];

#[test]
fn makes_a_project_that_the_other_commands_take() {
    let here = folder(&[]);
    let said = says(here.path(), &["init"]);
    for name in FILES {
        assert!(said.contains(&format!("made  {name}")), "{said}");
        assert!(here.path().join(name).is_file(), "{name}");
    }
    assert!(said.contains("cargo init") && said.contains("cargo run --example first_products"));
    let report = says(here.path(), &["report"]);
    assert!(
        report.starts_with("tollgate.html (1 operation, "),
        "{report}"
    );
}

#[test]
fn never_overwrites() {
    let here = folder(&[(FILES[2], "mine"), ("Cargo.toml", "")]);
    let said = says(here.path(), &["init"]);
    assert!(said.contains(&format!("kept  {}", FILES[2])), "{said}");
    assert!(!said.contains("cargo init"), "{said}");
    let text = std::fs::read_to_string(here.path().join(FILES[2])).unwrap();
    assert_eq!(text, "mine");
    let again = says(here.path(), &["init"]);
    assert!(!again.contains("made"), "{again}");
}

#[test]
fn what_the_manifest_has_is_not_asked_for() {
    for (manifest, tollgate, tokio) in [
        (
            "[dependencies]\ntokio-util = \"1\"\ntollgate-shop = \"1\"\n",
            true,
            true,
        ),
        ("[dependencies]\ntokio = \"1\"\n", true, false),
        (
            "[dependencies.tollgate]\n[dependencies]\ntokio.workspace = true\n",
            false,
            false,
        ),
    ] {
        let here = folder(&[("Cargo.toml", manifest)]);
        let said = says(here.path(), &["init"]);
        assert_eq!(said.contains("cargo add tollgate"), tollgate, "{said}");
        assert_eq!(said.contains("cargo add tokio"), tokio, "{said}");
    }
}

#[test]
fn editors_are_told_of_both_schemas() {
    let here = folder(&[]);
    says(here.path(), &["init"]);
    let configured = std::fs::read_to_string(here.path().join(".graphqlrc.yml")).unwrap();
    for name in &FILES[..2] {
        assert!(configured.contains(name), "{configured}");
    }
    let directives = std::fs::read_to_string(here.path().join(FILES[1])).unwrap();
    for directive in ["@cost", "@max", "@bulk", "@paginate"] {
        assert!(
            directives.contains(&format!("directive {directive}")),
            "{directive}"
        );
    }
}

#[test]
fn the_example_compiles() {
    let project = Scratch::new("initiated");
    let manifest = project.folder.join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest).unwrap();
    let tokio = "[dependencies]\ntokio = { version = \"1\", features = [\"macros\", \"rt-multi-thread\"] }\n";
    std::fs::write(&manifest, text.replace("[dependencies]\n", tokio)).unwrap();
    project.write("src/lib.rs", "");
    std::fs::remove_file(project.folder.join("schema/admin.graphql")).unwrap();
    says(&project.folder, &["init"]);
    let output = project.cargo(&["check", "--example", "first_products"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && !said.contains("warning"),
        "{said}"
    );
}
