use crate::tollgate::{folder, run, says, workspace};

#[test]
fn writes_a_module_and_knows_whether_it_is_up_to_date() {
    let here = folder(&[]);
    says(here.path(), &["init"]);
    let (code, _, stderr) = run(here.path(), &["generate", "--check"]);
    assert_eq!(code, 1);
    assert!(stderr.contains("src/admin.rs"), "{stderr}");
    let said = says(here.path(), &["generate"]);
    assert!(said.starts_with("src/admin.rs ("), "{said}");
    let text = std::fs::read_to_string(here.path().join("src/admin.rs")).unwrap();
    assert!(text.contains("pub mod first_products") && text.contains("FirstProducts"));
    says(here.path(), &["generate", "--check"]);
}

#[test]
fn what_the_macro_refuses_is_refused_with_its_place() {
    let dear = "query Dear {\n  orders(first: 250) { nodes { lineItems(first: 250) { nodes {\n    \
                variant { product { variants(first: 250) { nodes { id } } } }\n  } } } }\n}";
    let here = folder(&[("queries/dear.graphql", dear)]);
    says(here.path(), &["init"]);
    let (code, stdout, stderr) = run(here.path(), &["generate"]);
    assert_eq!((code, stdout.as_str()), (1, ""));
    assert!(
        stderr.contains("`Dear` costs 1 971 points") && stderr.contains("dear.graphql:2:3"),
        "{stderr}"
    );
    assert!(!here.path().join("src/admin.rs").exists());
}

#[test]
fn the_code_of_all_our_operations_goes_to_the_output() {
    let code = run(&workspace(), &["generate", "--out", "-"]);
    assert_eq!(code.0, 0, "{}", code.2);
    assert!(code.1.contains("pub mod product_page"));
}
