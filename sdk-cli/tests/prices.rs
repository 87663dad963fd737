//! `tollgate cost` and `tollgate check` on a small project.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const SCHEMA: &str = "
schema { query: QueryRoot }
type QueryRoot { products(first: Int, last: Int): ProductConnection!  shop: Shop! }
type Shop { name: String!  owner: Owner! }
type Owner { name: String!  phone: String @deprecated(reason: \"Use `name`.\") }
type Product { title: String!  variants(first: Int): VariantConnection! }
type ProductConnection { nodes: [Product!]!  pageInfo: PageInfo! }
type Variant { sku: String }
type VariantConnection { nodes: [Variant!]! }
type PageInfo { hasNextPage: Boolean! }
";

const DOCUMENT: &str = "
query Products($first: Int!) @cost(max: 400) {
  products(first: $first) { nodes { title variants(first: 10) { nodes { sku } } } }
}
query Shop { shop { owner { name } } }
";

struct Project(tempfile::TempDir);

impl Project {
    fn new(document: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in [
            ("schema/admin.graphql", SCHEMA),
            ("queries/all.graphql", document),
        ] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        command
            .args(arguments)
            .current_dir(self.path())
            .output()
            .unwrap()
    }

    /// What a command that must succeed prints.
    fn prints(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn cost_shows_a_tree_with_arithmetic_and_bars() {
    let made = Project::new(DOCUMENT).prints(&["cost"]);
    let expected = "\
Products  up to 79 points, its budget is 400  queries/all.graphql:2:7
  products(first: $first)  79  = 2 + 11 × 7  ████████████████████████
    variants(first: 10)     6  = 2 + 4 × 1   ████████████████████

Shop  2 points, of 1 000  queries/all.graphql:5:7
  shop     2  = 1 + 1  ████████████████████████
    owner  1           ████████████
";
    assert_eq!(made, expected);
}

#[test]
fn cost_is_exact_for_variables() {
    let project = Project::new(DOCUMENT);
    fs::write(project.path().join("one.json"), r#"{"first": 10}"#).unwrap();
    let made = project.prints(&["cost", "Products", "--variables", "one.json", "--json"]);
    let inline = [
        "cost",
        "Products",
        "--variables",
        r#"{"first": 10}"#,
        "--json",
    ];
    assert_eq!(project.prints(&inline), made);
    let made: Value = serde_json::from_str(&made).unwrap();
    // 2 + 4 × (1 + 2 + 4 × 1)
    assert_eq!(made[0]["price"], 30);
    assert_eq!(made[0]["bound"], 79);
    assert_eq!(made[0]["breakdown"][0]["total"], "30");
    fs::write(
        project.path().join("all.json"),
        r#"{"Products": {"first": -1}}"#,
    )
    .unwrap();
    let refused = project.run(&["cost", "--variables", "all.json"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        text(&refused.stderr).contains("`$first` is -1"),
        "{refused:?}"
    );
}

#[test]
fn variables_that_are_not_those_of_the_operation_are_no_price() {
    let project = Project::new(DOCUMENT);
    for (given, said) in [
        (
            r#"{"frist": 10}"#,
            "`Products` has no variable `$frist`; did you mean `$first`?",
        ),
        (
            "{}",
            "`$first` of `Products` is not given: it must be `Int!`",
        ),
        (
            r#"{"first": null}"#,
            "`$first` of `Products` is null: it must be `Int!`",
        ),
        (
            r#"{"first": "10"}"#,
            "`$first` of `Products` is \"10\": it must be `Int!`",
        ),
        (
            r#"{"first": 1.5}"#,
            "`$first` of `Products` is 1.5: it must be `Int!`",
        ),
        (
            r#"{"first": 3000000000}"#,
            "`$first` of `Products` is 3000000000: it must be `Int!`",
        ),
    ] {
        fs::write(project.path().join("given.json"), given).unwrap();
        let output = project.run(&["cost", "Products", "--variables", "given.json"]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert_eq!(text(&output.stderr), format!("error: {said}\n"));
    }
    fs::write(project.path().join("given.json"), r#"{"Prodcts": {}}"#).unwrap();
    let output = project.run(&["cost", "--variables", "given.json"]);
    assert!(
        text(&output.stderr).contains("did you mean `Products`?"),
        "{output:?}"
    );
}

#[test]
fn cost_draws_a_flame_graph() {
    let project = Project::new(DOCUMENT);
    project.prints(&["cost", "--svg", "prices.svg"]);
    let svg = fs::read_to_string(project.path().join("prices.svg")).unwrap();
    assert!(svg.contains("products(first: $first) (79 points"), "{svg}");
}

#[test]
fn a_misspelt_operation_is_told() {
    let output = Project::new(DOCUMENT).run(&["cost", "Prodcts"]);
    assert_eq!(output.status.code(), Some(3));
    let expected = "error: there is no operation `Prodcts`; did you mean `Products`?\n";
    assert_eq!(text(&output.stderr), expected);
}

#[test]
fn check_fails_on_a_budget_and_on_documents_as_a_build_does() {
    let project = Project::new(&DOCUMENT.replace("400", "50"));
    let output = project.run(&["check"]);
    assert_eq!(output.status.code(), Some(1));
    let made = text(&output.stdout);
    assert!(
        made.contains("`Products` costs up to 79 points; its budget is 50"),
        "{made}"
    );
    assert!(made.contains("1 of 2 operations fine"), "{made}");
    let invalid = Project::new("query A { shop { nam } }").run(&["check"]);
    assert_eq!(invalid.status.code(), Some(1));
    assert!(
        text(&invalid.stderr).contains("queries/all.graphql:1:18"),
        "{invalid:?}"
    );
    // A program is told of either in the same way.
    for document in ["query A { shop { nam } }", &DOCUMENT.replace("400", "50")] {
        let read = Project::new(document).run(&["check", "--json"]);
        assert_eq!(read.status.code(), Some(1));
        let read: Value = serde_json::from_slice(&read.stdout).unwrap();
        let place = read["problems"][0]["place"].as_str().unwrap();
        assert!(place.starts_with("queries/all.graphql:"), "{read}");
    }
}

#[test]
fn check_says_what_only_the_emission_knows() {
    let old = Project::new("query A { shop { owner { phone } } }").run(&["check"]);
    let said = text(&old.stdout);
    assert_eq!(old.status.code(), Some(0), "{said}");
    assert!(said.contains("Use `name`."), "{said}");
    assert!(said.contains("1 of 1 operation fine"), "{said}");

    // Rust has one name for both.
    let clash = Project::new("query A { shop { name } } query a { shop { name } }").run(&["check"]);
    let said = text(&clash.stdout);
    assert_eq!(clash.status.code(), Some(1), "{said}");
    assert!(said.contains("would both be called `a` in Rust"), "{said}");
    assert!(text(&clash.stderr).contains("the documents fail the check"));
}

#[test]
fn cost_takes_files_and_says_what_is_too_dear() {
    let project = Project::new(&DOCUMENT.replace("400", "50"));
    let bulk = "query All @bulk { products { nodes { title } } }";
    fs::write(project.path().join("other.graphql"), bulk).unwrap();
    let made = project.prints(&["cost", "queries/all.graphql"]);
    assert!(
        made.contains("its budget is 50: 29 too many  queries/all.graphql:2:7"),
        "{made}"
    );
    assert!(
        made.contains("Shop  2 points") && !made.contains("All"),
        "{made}"
    );
    let made = project.prints(&["cost", "other.graphql"]);
    assert!(
        made.starts_with("All  10 points to start it in bulk"),
        "{made}"
    );
    let both = project.prints(&["cost", "Shop", "other.graphql", "--json"]);
    let both: Value = serde_json::from_str(&both).unwrap();
    assert_eq!(
        (&both[0]["name"], &both[1]["name"]),
        (&"Shop".into(), &"All".into())
    );
    let missing = project.run(&["cost", "none.graphql"]);
    assert_eq!(missing.status.code(), Some(3));
    assert!(
        text(&missing.stderr).contains("there is no `none.graphql`"),
        "{missing:?}"
    );
}

#[test]
fn check_holds_prices_against_a_baseline() {
    let project = Project::new(DOCUMENT);
    let missing = project.run(&["check", "--baseline", "prices.json"]);
    assert_eq!(missing.status.code(), Some(3), "{missing:?}");
    assert!(
        text(&missing.stderr).contains("`--save` writes it"),
        "{missing:?}"
    );
    project.prints(&["check", "--baseline", "prices.json", "--save"]);
    project.prints(&["check", "--baseline", "prices.json", "--max-rise", "0"]);
    let dearer = DOCUMENT.replace("first: 10", "first: 13");
    fs::write(project.path().join("queries/all.graphql"), dearer).unwrap();
    let compare = |most| {
        project.run(&[
            "check",
            "--baseline",
            "prices.json",
            "--max-rise",
            most,
            "--markdown",
        ])
    };
    // 79 to 90 points; what fails is not saved.
    let refused = ["check", "--baseline", "prices.json", "--save"];
    assert_eq!(project.run(&refused).status.code(), Some(1));
    assert!(compare("14%").status.success());
    let risen = compare("13%");
    assert_eq!(risen.status.code(), Some(1));
    let expected = "\
| operation | points | before | change | budget | |
| --- | ---: | ---: | ---: | ---: | --- |
| `Products` | 90 | 79 | +13 % | 400 | **rose too much** |
| `Shop` | 2 | 2 | 0 |  |  |
";
    assert_eq!(text(&risen.stdout), expected);
}

#[test]
fn prices_of_the_project_are_used_and_checked() {
    let project = Project::new(DOCUMENT);
    let costs = project.path().join("schema/costs.toml");
    fs::write(&costs, "[types]\nOwner = 5\n").unwrap();
    let made = project.prints(&["cost", "Shop"]);
    assert!(made.starts_with("Shop  6 points"), "{made}");
    fs::write(&costs, "[types]\nOwnr = 5\n").unwrap();
    let output = project.run(&["cost"]);
    assert_eq!(output.status.code(), Some(1));
    let made = text(&output.stderr);
    assert!(made.contains("schema/costs.toml:2:1"), "{made}");
    // Beside the schema, wherever that is: there the macros look for them.
    fs::rename(project.path().join("schema"), project.path().join("api")).unwrap();
    let output = project.run(&["cost", "--schema", "api/admin.graphql"]);
    let made = text(&output.stderr);
    assert!(made.contains("api/costs.toml:2:1"), "{made}");
}

#[test]
fn the_command_line_is_told_what_is_wrong_with_it() {
    let project = Project::new(DOCUMENT);
    let output = project.run(&["check", "--baseline", "x", "--max-rise", "much"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(project.run(&["check", "--save"]).status.code(), Some(2));
    let output = project.run(&["cost", "--schema", "none"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(
        text(&output.stderr).contains("`tollgate init`"),
        "{output:?}"
    );
}
