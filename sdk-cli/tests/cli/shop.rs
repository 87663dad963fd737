use std::io::{BufRead, BufReader, Read, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tollgate_codegen::schema::{Schema, TypeDefinition, TypeKind};
use tollgate_codegen::source::Files;

use crate::tollgate::{command, folder, run, says, workspace};

/// A shop of the command, on a free port. Ended when it is dropped, whatever the test does.
pub(crate) struct Served {
    child: Child,
    output: BufReader<ChildStdout>,
    pub(crate) url: String,
}

impl Served {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let here = std::env::temp_dir();
        let mut line = vec!["shop", "--port", "0", "--json"];
        line.extend(arguments);
        let mut child = command(&here, &line)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut first = String::new();
        output.read_line(&mut first).unwrap();
        let first: Value = serde_json::from_str(&first).unwrap();
        let url = first["url"].as_str().unwrap().to_owned();
        Self { child, output, url }
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// What Ctrl-C sends.
    fn interrupt(&self) {
        let id = self.child.id().to_string();
        let killed = Command::new("kill").args(["-INT", &id]).status().unwrap();
        assert!(killed.success());
    }

    /// Ends it as Ctrl-C does; the rest of its output.
    fn end(mut self) -> String {
        self.interrupt();
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        assert!(self.child.wait().unwrap().success());
        rest
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // Gone already, when the test ended it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(unix)]
#[test]
fn serves_prints_and_ends_with_a_summary() {
    let mut shop = Served::start(&["--products", "7", "--bucket", "1000", "--restore", "50"]);
    let here = folder(&[]);
    let pull = says(here.path(), &["schema", "pull", "--endpoint", &shop.url]);
    assert!(pull.starts_with("schema/admin.graphql ("), "{pull}");
    let answered = shop.next();
    assert_eq!(answered["operation"], "Introspection");
    assert_eq!(answered["outcome"], "answered");
    assert!(answered["actual"].as_u64() <= answered["requested"].as_u64());
    let rest = shop.end();
    let summary: Value = serde_json::from_str(rest.trim()).unwrap();
    assert_eq!(summary["summary"]["requests"], 1);
    assert_eq!(summary["summary"]["not_printed"], 0);
    assert_eq!(summary["summary"]["outcomes"]["answered"], 1);
}

#[cfg(unix)]
#[test]
fn it_ends_although_its_output_is_not_read() {
    for again in [false, true] {
        let mut shop = Served::start(&[]);
        let address = shop.url.strip_prefix("http://").unwrap().to_owned();
        // More than a pipe holds.
        let name = "n".repeat(1 << 20);
        let body = serde_json::json!({
            "query": "query Q($n: String) { products(first: 1, query: $n) { nodes { id } } }",
            "variables": { "n": name },
        })
        .to_string();
        let head = format!(
            "POST /admin/api/2026-10/graphql.json HTTP/1.1\r\nhost: s\r\nconnection: close\r\n\
             x-shopify-access-token: t\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        // Answered each time, although the first answer is not printed to its end.
        for _ in 0..3 {
            let mut stream = TcpStream::connect(&address).unwrap();
            stream.write_all(head.as_bytes()).unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
        }
        let asked = Instant::now();
        shop.interrupt();
        let ended = loop {
            if let Some(ended) = shop.child.try_wait().unwrap() {
                break ended;
            }
            assert!(asked.elapsed() < Duration::from_secs(20), "it does not end");
            if again {
                shop.interrupt();
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        assert_eq!(ended.code(), Some(130));
        // A second signal does not wait for the reader.
        assert_eq!(asked.elapsed() < Duration::from_secs(3), again);
    }
}

const SCHEMA: &str = r#"
"Marks, as often as one likes."
directive @mark("What for." for: String = "me" @deprecated(reason: "It is always you.")) repeatable on FIELD | QUERY
schema { query: Q mutation: M subscription: S }
type Q implements N { id(a: [In!]! = [{one: 1}], b: E = A @deprecated(reason: "B.")): ID! u: [U!] b: B }
type M { m(in: One): Int @deprecated }
type S { s: Int }
interface N { "An id." id(a: [In!]! = [{one: 1}]): ID! }
union U = Q | M
enum E { A "Two." B @deprecated(reason: "Take \"A\".") }
"""
Several

lines.
"""
input In { one: Int = 1 @deprecated(reason: "Two.") two: [[E!]]! = [] }
input One @oneOf { a: Int b: String }
scalar B @specifiedBy(url: "https://example.com/b")
"#;

/// Every definition of a schema, without the directives of the specification.
fn definitions(path: &Path) -> Vec<String> {
    let source = Files::new(path.parent().unwrap()).schema(path).unwrap();
    let schema = Schema::from_sdl(source).unwrap();
    let specified = ["include", "skip", "deprecated", "specifiedBy", "oneOf"];
    let directives = schema.directives().iter();
    let directives = directives.filter(|d| !specified.contains(&d.name.as_str()));
    let types = schema.type_names().map(|name| {
        let mut ty = TypeDefinition::clone(schema.get(name).unwrap());
        // Sorted by the server.
        if let TypeKind::Union { members } = &mut ty.kind {
            members.sort();
        }
        format!("{ty:?} {:?}", schema.specified_by(name))
    });
    let roots = (schema.query_type(), schema.mutation_type());
    let roots = format!("{roots:?} {:?}", schema.subscription_type());
    types
        .chain(directives.map(|d| format!("{d:?}")))
        .chain([roots])
        .collect()
}

#[cfg(unix)]
#[test]
fn a_schema_pulled_from_the_shop_is_the_one_it_serves() {
    let here = folder(&[("small.graphql", SCHEMA)]);
    let shared = std::env::var_os("TOLLGATE_SHARED");
    let shared = shared.map_or_else(|| workspace().join("../shared"), PathBuf::from);
    let real = shared.join("schema/admin_2026-10.graphql.gz");
    let own = workspace().join("schema/admin.graphql");
    for served in [here.path().join("small.graphql"), own, real] {
        if !served.exists() {
            println!("skipped: no {}", served.display());
            continue;
        }
        let shop = Served::start(&["--quiet", "--schema", served.to_str().unwrap()]);
        let pull = [
            "schema",
            "pull",
            "--endpoint",
            &shop.url,
            "--out",
            "pulled.graphql",
        ];
        says(here.path(), &pull);
        let pulled = definitions(&here.path().join("pulled.graphql"));
        for (served, pulled) in definitions(&served).iter().zip(&pulled) {
            assert_eq!(served, pulled);
        }
        assert_eq!(definitions(&served).len(), pulled.len());
    }
}

#[test]
fn a_wrong_place_or_schema_is_said_before_it_listens() {
    let here = folder(&[("broken.graphql", "type {")]);
    let (code, _, stderr) = run(here.path(), &["shop", "--port", "0", "--size", "prodcts=5"]);
    assert_eq!(code, 3);
    assert!(stderr.contains("prodcts"), "{stderr}");
    let (code, ..) = run(
        here.path(),
        &["shop", "--port", "0", "--schema", "broken.graphql"],
    );
    assert_eq!(code, 3);
    let (code, ..) = run(here.path(), &["shop", "--latency", "fast"]);
    assert_eq!(code, 2);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let (code, _, stderr) = run(here.path(), &["shop", "--port", &port]);
    assert_eq!(code, 3);
    assert!(
        stderr.contains("choose another port with --port"),
        "{stderr}"
    );
}

#[test]
fn numbers_out_of_their_range_are_refused() {
    let here = folder(&[]);
    for line in [
        "shop --faults -1",
        "shop --faults=-1",
        "shop --faults 1.5",
        "shop --faults NaN",
        "cost --page-size 0",
        "report --page-size 251",
        "generate --page-size 251",
    ] {
        let (code, _, stderr) = run(here.path(), &line.split(' ').collect::<Vec<_>>());
        assert_eq!(code, 2, "{line}: {stderr}");
    }
}

#[cfg(unix)]
#[test]
fn the_name_of_an_operation_does_not_reach_the_terminal_raw() {
    let here = folder(&[]);
    let mut child = command(here.path(), &["shop", "--port", "0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut line = || lines.next().unwrap().unwrap();
    let first = line();
    let address = first.split_once("http://").unwrap().1;
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    let body = r#"{"query": "{ shop { name } }", "operationName": "A\u001b[2J\n\u202eB"}"#;
    write!(
        stream,
        "POST /admin/api/2026-10/graphql.json HTTP/1.1\r\nhost: {address}\r\ncontent-type: \
         application/json\r\nx-shopify-access-token: none\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let logged = std::iter::repeat_with(line).find(|line| line.contains(" s  "));
    child.kill().unwrap();
    child.wait().unwrap();
    let logged = logged.unwrap();
    assert!(logged.contains(r"A\u{1b}[2J\u{a}\u{202e}B"), "{logged}");
}
