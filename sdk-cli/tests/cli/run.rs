//! `tollgate run` against a shop.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;

use serde_json::Value;

use crate::shop::Served;
use crate::tollgate::{command, folder, run, workspace};
use crate::work::{CATALOGUE, Work};

fn served() -> Served {
    let line = "--quiet --products 120 --size Product.variants=3 --bucket 100000 --restore 10000";
    Served::start(&line.split(' ').collect::<Vec<_>>())
}

/// Runs `query.graphql` of a folder: exit code, output, errors.
fn run_in(here: &Path, url: &str, options: &[&str]) -> (i32, String, String) {
    let schema = workspace().join("schema/admin.graphql");
    let mut line = vec!["run", "query.graphql", "--schema", schema.to_str().unwrap()];
    line.extend(["--endpoint", url]);
    line.extend(options);
    run(here, &line)
}

fn rows(lines: &str) -> Vec<Value> {
    let rows = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    rows.collect()
}

#[test]
fn pages_and_bulk_write_the_same_rows() {
    let shop = served();
    let here = folder(&[("query.graphql", CATALOGUE)]);
    let run = |options: &[&str]| run_in(here.path(), &shop.url, options);
    let (code, pages, spent) = run(&["--all-pages"]);
    assert_eq!(code, 0, "{spent}");
    assert!(spent.starts_with("120 nodes in 1 page: "), "{spent}");
    let pages = rows(&pages);
    assert_eq!(pages.len(), 120);
    assert!(
        pages
            .iter()
            .all(|row| row["variants"]["nodes"].as_array().unwrap().len() == 3)
    );
    let small = run(&["--all-pages", "--variables", r#"{"first": 7}"#]);
    assert_eq!(rows(&small.1), pages);
    let (code, said, errors) = run(&["--bulk", "--out", "data.jsonl"]);
    assert_eq!(
        (code, said.as_str(), errors.as_str()),
        (0, "", "120 rows\n")
    );
    let bulk = std::fs::read_to_string(here.path().join("data.jsonl")).unwrap();
    assert_eq!(rows(&bulk), pages);
    let (code, text, spent) = run(&["--variables", r#"{"first": 2}"#]);
    assert_eq!(code, 0);
    // 2 + 1 × (1 + 2 + 4 × 1), of which 3 of 10 variants were there.
    assert!(spent.contains(" points of 9 requested; "), "{spent}");
    assert!(spent.ends_with(" of 100 000 left\n"), "{spent}");
    // In the order of the document.
    assert!(text.find("pageInfo") < text.find("nodes"), "{text}");
    std::fs::write(here.path().join("v.json"), r#"{"first": 2}"#).unwrap();
    let (_, again, silence) = run(&["--quiet", "--variables", "v.json"]);
    assert_eq!((again, silence.as_str()), (text.clone(), ""));
    let once = text;
    let once: Value = serde_json::from_str(&once).unwrap();
    assert_eq!(
        once["products"]["nodes"].as_array().unwrap()[..],
        pages[..2]
    );
}

#[test]
fn a_walk_is_forecast_before_it_begins() {
    let shop = served();
    let here = folder(&[("query.graphql", CATALOGUE)]);
    let options = [
        "--all-pages",
        "--expect",
        "120",
        "--variables",
        r#"{"first": 50}"#,
    ];
    let (code, lines, said) = run_in(here.path(), &shop.url, &options);
    assert_eq!((code, lines.lines().count()), (0, 120));
    assert!(said.starts_with("3 calls, "), "{said}");
    assert!(said.contains(" points, at least "), "{said}");
}

#[test]
fn what_cannot_run_is_said_and_fails() {
    let shop = served();
    let single = "query One { shop { name } }";
    let export = "query Export @bulk { products { nodes { id } } }";
    let spread = "query Spread { shop { ...Lent } }";
    let needy = "query Needy($first: Int!) { products(first: $first) { nodes { id } } }";
    let touch =
        "mutation Tag { tagsAdd(id: \"gid://shopify/Product/1\", tags: []) { node { id } } }";
    let deep = "query Deep { products { nodes { id variants { nodes { id product { id
        variants { nodes { id product { id variants { nodes { id } } } } } } } } } } }";
    for (text, option, code, part) in [
        (single, "--all-pages", 1, "@paginate"),
        (touch, "--all-pages", 1, "`Tag` is a mutation"),
        (single, "--bulk", 1, "not a connection"),
        (deep, "--bulk", 1, "allows 2"),
        (export, "--quiet", 1, "run it with `--bulk`"),
        (spread, "--quiet", 1, "`--fragments queries`"),
        ("query Wrong { shop { nam } }", "--bulk", 1, "nam"),
        (CATALOGUE, "--variables={", 3, "--variables"),
        (
            CATALOGUE,
            r#"--variables={"frist": 1}"#,
            1,
            "did you mean `$first`?",
        ),
        (CATALOGUE, r#"--variables={"first": 1.5}"#, 1, "`$first`"),
        (
            needy,
            "--operation=Needy",
            1,
            "`$first` of `Needy` is not given",
        ),
        (CATALOGUE, "--operation=Other", 3, "Other"),
    ] {
        let here = folder(&[("query.graphql", text)]);
        let (got, said, errors) = run_in(here.path(), &shop.url, &[option]);
        assert_eq!((got, said.as_str()), (code, ""), "{option}: {errors}");
        assert!(errors.contains(part), "{option}: {errors}");
    }
    let here = folder(&[("query.graphql", CATALOGUE)]);
    let (code, _, errors) = run_in(here.path(), "http://127.0.0.1:9", &["--all-pages"]);
    assert_eq!(code, 3, "{errors}");
}

/// Whatever the machine runs out of: either every row is written, or the command fails.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_and_a_lack_of_file_handles_are_errors() {
    let shop = served();
    let here = folder(&[("query.graphql", CATALOGUE)]);
    for way in ["--all-pages", "--bulk"] {
        let (code, _, errors) = run_in(here.path(), &shop.url, &[way, "--out", "/dev/full"]);
        assert_eq!(code, 3, "{errors}");
        assert!(errors.contains("No space left"), "{errors}");
        let schema = workspace().join("schema/admin.graphql");
        let mut failed = 0;
        for handles in [4, 6, 8, 9, 10, 12, 64] {
            let line = format!(
                "ulimit -n {handles}; exec {} run query.graphql {way} --schema {} --endpoint {}",
                env!("CARGO_BIN_EXE_tollgate"),
                schema.display(),
                shop.url
            );
            let mut shell = std::process::Command::new("sh");
            let output = shell.args(["-c", &line]).current_dir(here.path()).output();
            let output = output.unwrap();
            if output.status.success() {
                assert_eq!(
                    output.stdout.iter().filter(|byte| **byte == b'\n').count(),
                    120
                );
            } else {
                failed += 1;
            }
        }
        assert!((1..7).contains(&failed), "{way}: {failed}");
    }
}

#[test]
fn fragments_of_the_project_may_go_unused() {
    let shop = served();
    let query = "query One { products(first: 1) { nodes { ...Name } } }";
    let lent = "fragment Name on Product { title } fragment Other on Shop { name }";
    let here = folder(&[("query.graphql", query), ("lent/all.graphql", lent)]);
    let options = ["--fragments", "lent", "--quiet"];
    let (code, said, errors) = run_in(here.path(), &shop.url, &options);
    assert_eq!((code, errors.as_str()), (0, ""), "{said}");
    assert!(said.contains("\"title\""), "{said}");
    // A folder may hold the document too, and others with operations of their own.
    let other = "query Two { shop { name } }";
    let here = folder(&[
        ("query.graphql", query),
        ("all.graphql", lent),
        ("two.graphql", other),
    ]);
    let options = ["--fragments", ".", "--quiet"];
    let (code, said, errors) = run_in(here.path(), &shop.url, &options);
    assert_eq!((code, errors.as_str()), (0, ""), "{said}");
    assert!(said.contains("\"title\""), "{said}");
}

#[test]
fn the_environment_is_not_shown_and_an_empty_token_is_none() {
    let here = folder(&[("query.graphql", CATALOGUE)]);
    let run = |arguments: &[&str], token: &str| {
        let mut command = command(here.path(), arguments);
        command.env("TOLLGATE_TOKEN", token);
        command.env("TOLLGATE_ENDPOINT", "http://user:hush@127.0.0.1:9");
        let output = command.output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(said).unwrap())
    };
    for name in ["run", "calibrate"] {
        let (code, help) = run(&[name, "--help"], "shpat_hush");
        assert_eq!(code, Some(0));
        assert!(
            help.contains("TOLLGATE_ENDPOINT") && !help.contains("hush"),
            "{help}"
        );
    }
    // The token of a shop; and the shop, when there is no other server.
    let schema = workspace().join("schema/admin.graphql");
    let schema = ["--schema", schema.to_str().unwrap()];
    let line = [&["run", "query.graphql"][..], &schema].concat();
    let shop = [&line[..], &["--shop", "my-shop.myshopify.com"]].concat();
    let wrong = [&line[..], &["--shop", "my-shop.example.com"]].concat();
    for (line, token, part) in [
        (&shop, "", "set TOLLGATE_TOKEN"),
        (&line, "shpat_hush", "--endpoint http://127.0.0.1:4010"),
        (
            &wrong,
            "shpat_hush",
            "error: \"my-shop.example.com\" is not a shop's",
        ),
    ] {
        let mut command = command(here.path(), line);
        command.env("TOLLGATE_TOKEN", token);
        let output = command.output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(part) && !said.contains("hush"), "{said}");
    }
}

/// A server that gives these answers, a status and a body each, and then goes away.
fn answering(answers: Vec<(u16, String)>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for (status, body) in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut length = 0;
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                let line = line.trim().to_ascii_lowercase();
                if let Some(given) = line.strip_prefix("content-length:") {
                    length = given.trim().parse().unwrap();
                }
                if line.is_empty() {
                    break;
                }
            }
            reader.read_exact(&mut vec![0; length]).unwrap();
            let head = format!("HTTP/1.1 {status} Said\r\ncontent-type: application/json\r\n");
            let rest = format!(
                "connection: close\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            write!(stream, "{head}{rest}{body}").unwrap();
        }
    });
    url
}

#[test]
fn the_old_file_stays_until_the_new_one_is_whole() {
    let page = r#"{"data": {"products": {"pageInfo": {"hasNextPage": true, "endCursor": "it's"},
        "nodes": [{"id": "1"}, {"id": "2"}]}}}"#;
    let answers = || vec![(200, page.to_owned()), (403, "{}".to_owned())];
    let here = folder(&[("query.graphql", CATALOGUE), ("data.jsonl", "old\n")]);
    let read = |name: &str| std::fs::read_to_string(here.path().join(name));
    let options = ["--all-pages", "--out", "data.jsonl"];
    let (code, _, errors) = run_in(here.path(), &answering(answers()), &options);
    assert_eq!(code, 3, "{errors}");
    assert!(
        errors.starts_with("error: the run stopped; `data.jsonl.part` has the rows until then")
            && errors.contains("go on with `--resume`")
            && errors.contains("because `Catalogue` on emulated.myshopify.com failed: "),
        "{errors}"
    );
    assert_eq!(read("data.jsonl").unwrap(), "old\n");
    assert_eq!(
        read("data.jsonl.part").unwrap(),
        "{\"id\":\"1\"}\n{\"id\":\"2\"}\n"
    );
    // Without a file there is nothing to go on from but the variables.
    let (code, out, errors) = run_in(here.path(), &answering(answers()), &options[..1]);
    assert_eq!((code, out.lines().count()), (3, 2));
    assert!(
        errors.starts_with("error: the run stopped; go on after them with")
            && errors.contains(r#"--variables '{"after":"it'\''s"}'"#),
        "{errors}"
    );
    // The next run does not throw away what the last one has.
    let shop = served();
    let (code, _, errors) = run_in(here.path(), &shop.url, &options);
    assert_eq!(code, 3);
    assert!(errors.contains("a run that stopped"), "{errors}");
    for left in ["data.jsonl.part", "data.jsonl.part.at"] {
        std::fs::remove_file(here.path().join(left)).unwrap();
    }
    // Nothing written is nothing to keep.
    let (code, ..) = run_in(here.path(), &answering(answers().split_off(1)), &options);
    assert_eq!((code, read("data.jsonl").unwrap().as_str()), (3, "old\n"));
    read("data.jsonl.part").unwrap_err();
    let (code, _, errors) = run_in(here.path(), &shop.url, &options);
    assert_eq!(code, 0, "{errors}");
    assert_eq!(read("data.jsonl").unwrap().lines().count(), 120);
    read("data.jsonl.part").unwrap_err();
}

/// A mutation whose answer is lost: what is known, and why no more.
#[test]
fn an_unknown_outcome_says_its_cause() {
    let touch =
        "mutation Tag { tagsAdd(id: \"gid://shopify/Product/1\", tags: []) { node { id } } }";
    let here = folder(&[("query.graphql", touch)]);
    let lost = answering(vec![(502, "gone".to_owned())]);
    let (code, said, errors) = run_in(here.path(), &lost, &[]);
    assert_eq!((code, said.as_str()), (3, ""));
    let said =
        "whether the mutation ran is not known\n  because the server failed with HTTP 502: gone";
    assert!(errors.contains(said), "{errors}");
}

#[test]
fn a_reader_that_has_enough_is_no_failure() {
    let shop = served();
    let here = folder(&[("query.graphql", CATALOGUE)]);
    let schema = workspace().join("schema/admin.graphql");
    let schema = schema.to_str().unwrap();
    let endpoint = ["--schema", schema, "--endpoint", &shop.url, "--all-pages"];
    let line = [&["run", "query.graphql"][..], &endpoint].concat();
    let mut command = command(here.path(), &line);
    command.stdout(std::process::Stdio::piped());
    command.stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut first = String::new();
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    reader.read_line(&mut first).unwrap();
    drop(reader);
    assert!(first.starts_with("{\"id\":"), "{first}");
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{errors}");
}

/// Not a word can be said there, and all of the rows were written.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_for_what_is_said_does_not_stop_a_run() {
    let work = Work::new(3);
    let here = folder(&[("query.graphql", CATALOGUE)]);
    for (variables, code) in [("{\"first\": 1}", 0), ("{", 3)] {
        let full = std::fs::File::options().write(true).open("/dev/full");
        let options = ["--all-pages", "--expect", "3", "--variables", variables];
        let mut line = work.command(here.path(), &options);
        let output = line.stderr(full.unwrap()).output().unwrap();
        assert_eq!(output.status.code(), Some(code));
        assert_eq!(output.stdout.is_empty(), code != 0);
    }
    // What was spent, or how many rows there are, is said at the end.
    let shop = served();
    let schema = workspace().join("schema/admin.graphql");
    let schema = schema.to_str().unwrap();
    for way in ["--all-pages", "--bulk"] {
        let line = ["run", "query.graphql", way, "--schema", schema];
        let line = [&line[..], &["--endpoint", &shop.url]].concat();
        let full = std::fs::File::options().write(true).open("/dev/full");
        let output = command(here.path(), &line).stderr(full.unwrap()).output();
        let output = output.unwrap();
        assert_eq!((way, output.status.code()), (way, Some(0)));
        assert!(!output.stdout.is_empty(), "{way}");
    }
}

#[test]
fn a_long_wait_is_not_silent() {
    let line = "--quiet --bucket 1500 --restore 1 --available 0";
    let shop = Served::start(&line.split(' ').collect::<Vec<_>>());
    let here = folder(&[("query.graphql", CATALOGUE)]);
    let schema = workspace().join("schema/admin.graphql");
    let schema = schema.to_str().unwrap();
    let mut line = vec!["run", "query.graphql", "--schema", schema];
    line.extend(["--endpoint", &shop.url, "--variables", r#"{"first": 9}"#]);
    let mut command = command(here.path(), &line);
    let mut child = command
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    errors.read_line(&mut said).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(said.starts_with("waits "), "{said}");
    assert!(
        said.ends_with(" s for points in the bucket after a throttle\n"),
        "{said}"
    );
}
