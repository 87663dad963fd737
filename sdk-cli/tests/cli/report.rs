use crate::tollgate::{folder, run, says, workspace};

#[test]
fn writes_one_page() {
    let here = folder(&[]);
    let page = here.path().join("out.html");
    let said = says(&workspace(), &["report", "--html", page.to_str().unwrap()]);
    assert!(
        said.contains("out.html (") && said.contains(" operations, "),
        "{said}"
    );
    let html = std::fs::read_to_string(page).unwrap();
    assert!(html.starts_with("<!doctype html>") && html.contains("ProductPage"));
}

#[test]
fn says_where_a_document_is_wrong_and_writes_nothing() {
    let here = folder(&[
        ("schema/admin.graphql", "type Query { shop: String }"),
        ("queries/a.graphql", "query A {\n  shopp\n}"),
    ]);
    let (code, stdout, stderr) = run(here.path(), &["report"]);
    assert_eq!((code, stdout.as_str()), (1, ""));
    assert!(stderr.contains("a.graphql:2:3"), "{stderr}");
    assert!(!here.path().join("tollgate.html").exists());
}

#[test]
fn says_where_it_looked_for_a_missing_schema() {
    let here = folder(&[]);
    let (code, _, stderr) = run(here.path(), &["report", "--schema", "none.graphql"]);
    assert_eq!(code, 3);
    assert!(
        stderr.contains("because there is no `none.graphql`"),
        "{stderr}"
    );
    assert!(!stderr.contains('\u{1b}'), "no colours in a pipe: {stderr}");
    let (_, _, stderr) = run(
        here.path(),
        &["--color", "always", "report", "--schema", "none"],
    );
    assert!(stderr.contains('\u{1b}'), "{stderr}");
}
