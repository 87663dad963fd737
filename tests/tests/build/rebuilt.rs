use std::time::SystemTime;

use crate::scratch::Scratch;

const MAIN: &str = r#"
#![deny(warnings, missing_docs, unreachable_pub)]
//! A crate that is strict with itself.
tollgate::operations! { schema: "schema/admin.graphql", documents: "queries" }
fn main() {
    println!("{}", <Name as tollgate::Operation>::DOCUMENT);
}
"#;

#[test]
fn touching_a_query_or_the_schema_rebuilds_and_nothing_else_does() {
    let scratch = Scratch::new("rebuilt");
    scratch.write("src/main.rs", MAIN);
    scratch.write("queries/name.graphql", "query Name { shop { name } }\n");
    scratch.write("queries/notes.txt", "not a query");
    assert!(built(&scratch), "the first build");
    assert!(!built(&scratch), "nothing was touched");
    scratch.write("queries/notes.txt", "still not a query");
    assert!(!built(&scratch), "a file beside the queries was touched");
    for file in ["schema/admin.graphql", "queries/name.graphql"] {
        touch(&scratch, file);
        assert!(built(&scratch), "{file} was touched");
        assert!(!built(&scratch), "nothing was touched after {file}");
    }
}

/// Expansions are kept from build to build: each of their inputs must be seen to change.
#[test]
fn what_is_kept_from_a_build_follows_its_inputs() {
    let document = |scratch: &Scratch| {
        let output = scratch.cargo(&["run"]);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    let scratch = Scratch::new("kept");
    let main = MAIN.replace("DOCUMENT", "MAX_COST.0");
    scratch.write("src/main.rs", &main);
    let query = |first| format!("query Name {{ products(first: {first}) {{ nodes {{ id }} }} }}\n");
    scratch.write("queries/name.graphql", query(3));
    let cheap = document(&scratch);
    scratch.write("queries/name.graphql", query(9));
    assert_ne!(document(&scratch), cheap, "the query changed");
    scratch.write("queries/name.graphql", query(3));
    assert_eq!(document(&scratch), cheap, "the query is what it was");
    scratch.write(
        "src/main.rs",
        main.replace("documents:", "page_size: 7, documents:"),
    );
    assert_eq!(document(&scratch), cheap, "an option changed");
    let own = main.replace("documents:", "costs: \"own.toml\", documents:");
    scratch.write("src/main.rs", own);
    scratch.write("own.toml", "[types]\nProduct = 5\n");
    let dear = document(&scratch);
    assert_ne!(dear, cheap, "the project has prices");
    scratch.write("own.toml", "[types]\nProduct = 6\n");
    assert_ne!(document(&scratch), dear, "a price of the project changed");
}

#[test]
fn the_schema_is_not_in_the_binary() {
    let scratch = Scratch::new("embedded");
    scratch.write("src/main.rs", MAIN);
    scratch.write(
        "queries/name.graphql",
        "# a comment\nquery Name { shop { name } }\n",
    );
    assert!(built(&scratch));
    let target = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"))
        .parent()
        .unwrap();
    let name = format!("embedded{}", std::env::consts::EXE_SUFFIX);
    let binary = std::fs::read(target.join("debug").join(name)).unwrap();
    let holds = |text: &[u8]| binary.windows(text.len()).any(|window| window == text);
    assert!(holds(b"query Name{shop{name}}"));
    assert!(!holds(b"type QueryRoot {"));
    assert!(!holds(b"# a comment"));
}

/// Builds; whether the crate had to be compiled.
fn built(scratch: &Scratch) -> bool {
    let output = scratch.cargo(&["build"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let name = scratch.folder.file_name().unwrap().to_string_lossy();
    said.contains(&format!("Compiling {name}"))
}

/// Makes a file newer than the last build.
fn touch(scratch: &Scratch, path: &str) {
    let file = std::fs::File::options()
        .append(true)
        .open(scratch.folder.join(path))
        .unwrap();
    file.set_modified(SystemTime::now()).unwrap();
}
