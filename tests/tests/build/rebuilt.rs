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
    let bound = |scratch: &Scratch| {
        let output = scratch.cargo(&["run"]);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    let scratch = Scratch::new("kept");
    let main = MAIN.replace("DOCUMENT", "MAX_COST.0");
    scratch.write("src/main.rs", &main);
    // A large schema is told by its length and time.
    let schema = std::fs::read_to_string(scratch.folder.join("schema/admin.graphql")).unwrap();
    let padded = |letter: &str| format!("{schema}\n# {}\n", letter.repeat(300_000));
    scratch.write("schema/admin.graphql", padded("a"));
    let query = |fields: &str| {
        format!("query Name($n: Int!) {{ products(first: $n) {{ nodes {{ {fields} }} }} }}\n")
    };
    scratch.write("queries/name.graphql", query("id"));
    let first = bound(&scratch);
    scratch.write("src/main.rs", format!("{main}// a line\n"));
    assert_eq!(bound(&scratch), first, "nothing of it changed");
    scratch.write(
        "src/main.rs",
        main.replace("documents:", "page_size: 7, documents:"),
    );
    let fewer = bound(&scratch);
    assert_ne!(fewer, first, "an option changed");
    scratch.write(
        "queries/name.graphql",
        query("id variants(first: 9) { nodes { id } }"),
    );
    assert_ne!(bound(&scratch), fewer, "the query changed");
    scratch.write("queries/name.graphql", query("id"));
    assert_eq!(bound(&scratch), fewer, "the query is what it was");
    let own = main.replace("documents:", "costs: \"own.toml\", documents:");
    scratch.write("src/main.rs", own);
    scratch.write("own.toml", "[types]\nProduct = 5\n");
    let dear = bound(&scratch);
    scratch.write("own.toml", "[types]\nProduct = 6\n");
    assert_ne!(bound(&scratch), dear, "a price of the project changed");
    scratch.write("src/main.rs", format!("{main}const _: Other = Other;\n"));
    scratch.write("queries/other.graphql", "query Other { shop { name } }\n");
    assert_eq!(bound(&scratch), first, "a file is new");
    scratch.write(
        "schema/admin.graphql",
        padded("b").replace("type QueryRoot", "type NoRoot"),
    );
    assert!(
        !scratch.cargo(&["build"]).status.success(),
        "the schema changed"
    );
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
