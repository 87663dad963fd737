use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use serde_json::Value;
use tollgate_codegen::document::validate;
use tollgate_codegen::pricing::{self, Bounds, Rules};
use tollgate_codegen::schema::Schema;
use tollgate_codegen::source::Files;
use tollgate_cost::{Condition, MilliPoints, Node, Plan, Points};

use super::page;
use crate::project::{BULK_START, Project};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn project(schema: &Path) -> Project {
    let mut files = Files::new(workspace());
    let schema = Schema::from_sdl(files.schema(schema).unwrap()).unwrap();
    let documents = files.documents(&["queries"]).unwrap();
    let own = documents.len();
    let document = validate(&schema, documents).unwrap();
    Project {
        schema,
        document,
        rules: Rules::newest().clone(),
        bounds: Bounds::default(),
        own,
    }
}

fn plan(project: &Project, name: &str) -> Plan {
    let mut operations = project.document.operations.iter();
    let operation = operations.find(|o| o.name == name).unwrap();
    let priced = pricing::price(
        &project.schema,
        &project.document,
        operation,
        &project.rules,
        project.bounds,
    );
    priced.plan
}

const FLAGS: [&str; 11] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--enable-logging=stderr",
    "--virtual-time-budget=60000",
];

/// Whether a process ends within a minute; it is ended otherwise.
fn ends_in_time(run: &mut Child) -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(60) {
        if run.try_wait().unwrap().is_some() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    run.kill().unwrap();
    run.wait().unwrap();
    false
}

/// What the page shows when [`drive.js`](drive.js) works it; `None` without a browser.
fn driven(page: &str) -> Option<Value> {
    let browsers = ["chromium", "chromium-browser", "google-chrome"];
    let browser = browsers.into_iter().find(|browser| {
        let version = Command::new(browser).arg("--version").output();
        version.is_ok_and(|output| output.status.success())
    });
    let Some(browser) = browser else {
        println!("skipped: no Chromium to open the report in");
        return None;
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.html");
    let script = format!("<script>{}</script></body>", include_str!("drive.js"));
    std::fs::write(&file, page.replace("</body>", &script)).unwrap();
    // Headless browsers hang now and then, without a word.
    let output = |name: &str| folder.path().join(name);
    let ended = (0..3).any(|attempt| {
        let mut run = Command::new(browser)
            .args(FLAGS)
            .arg("--dump-dom")
            .arg(format!(
                "--user-data-dir={}",
                output(&format!("profile{attempt}")).display()
            ))
            .arg(format!("file://{}", file.display()))
            .stdout(File::create(output("dom")).unwrap())
            .stderr(File::create(output("log")).unwrap())
            .spawn()
            .unwrap();
        ends_in_time(&mut run)
    });
    assert!(ended, "the browser hangs");
    let log = std::fs::read(output("log")).unwrap();
    let log = String::from_utf8_lossy(&log);
    let console: Vec<_> = log.lines().filter(|l| l.contains("CONSOLE")).collect();
    assert!(console.is_empty(), "the console says {console:#?}");
    let dom = std::fs::read_to_string(output("dom")).unwrap();
    let (_, seen) = dom
        .split_once("<pre id=\"seen\">")
        .expect("driven to the end");
    let (seen, _) = seen.split_once("</pre>").unwrap();
    let seen = seen
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    Some(serde_json::from_str(&seen).unwrap())
}

/// The bound that the Rust evaluation gives when one control stands elsewhere.
fn expected(plan: &Plan, control: Option<&str>, value: &Value) -> Points {
    let mut plan = plan.clone();
    if let Some(control) = control {
        let name = control.trim_start_matches('$');
        let index = plan.parameters.iter().position(|p| p.name == name);
        if let (Some(index), Some(size)) = (index, value.as_u64()) {
            plan.parameters.to_mut()[index].assumed = size;
        }
        plan.root = with(&plan, &plan.root, name, value);
    }
    plan.declared_bound()
}

/// A term with as many items, or the condition decided.
fn with(plan: &Plan, node: &Node, control: &str, value: &Value) -> Node {
    let all = |nodes: &[Node]| {
        nodes
            .iter()
            .map(|n| with(plan, n, control, value))
            .collect()
    };
    let name = |parameter: usize| plan.parameters[parameter].name.as_ref();
    let is = |parameter: usize, path: &[std::borrow::Cow<'static, str>]| {
        let steps = path.iter().map(AsRef::as_ref);
        let way: Vec<_> = std::iter::once(name(parameter)).chain(steps).collect();
        way.join(".") == control
    };
    let mut node = node.clone();
    match &mut node {
        Node::Const(_) => {}
        Node::Sum(terms) | Node::Max(terms) => *terms = all(terms),
        Node::Connection { children, .. } => *children = all(children),
        Node::When { condition, then } => {
            *then = all(then);
            if let (
                Condition::Is {
                    parameter,
                    value: needed,
                },
                Some(given),
            ) = (&*condition, value.as_bool())
                && name(*parameter) == control
                && *needed != given
            {
                return Node::Const(MilliPoints::ZERO);
            }
        }
        Node::PerItem {
            parameter,
            path,
            at_most,
            declared,
            ..
        } => {
            if let (true, Some(count)) = (is(*parameter, path), value.as_u64()) {
                (*at_most, *declared) = (count, true);
            }
        }
        Node::PerOwner {
            owners, at_most, ..
        } => {
            let variable = owners.iter().any(|owner| match owner {
                tollgate_cost::Owner::Parameter { parameter, path } => is(*parameter, path),
                tollgate_cost::Owner::Id(_) => false,
            });
            if let (true, Some(count)) = (variable, value.as_u64()) {
                *at_most = count;
            }
        }
    }
    node
}

fn texts(value: &Value) -> Vec<&str> {
    value
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect()
}

/// Works the page of a project, and compares every price it shows with ours.
fn works(project: &Project) {
    let page = page(project);
    let operations = &project.document.operations;
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
    assert!(operations.len() >= 40);
    let Some(seen) = driven(&page) else { return };
    assert_eq!(texts(&seen["errors"]), [""; 0]);

    let prices = seen["prices"].as_array().unwrap();
    let shown = prices.iter().filter(|price| price["control"].is_null());
    assert_eq!(shown.count(), operations.len());
    for price in prices {
        let name = price["operation"].as_str().unwrap();
        let operation = operations.iter().find(|o| o.name == name).unwrap();
        let plan = plan(project, name);
        let expected = match operation.is_bulk() {
            true => BULK_START,
            false => expected(&plan, price["control"].as_str(), &price["value"]),
        };
        assert_eq!(price["price"].as_u64(), Some(expected.get()), "{price}");
    }
    let moved = |kind: fn(&Value) -> bool| prices.iter().filter(|p| kind(&p["value"])).count();
    assert!(moved(Value::is_u64) > 100 && moved(Value::is_boolean) > 1);

    let found = texts(&seen["search"]);
    assert!(found.contains(&"OrderPage") && found.len() < operations.len());
    let mut names: Vec<_> = operations.iter().map(|o| o.name.as_str()).collect();
    names.sort_by_key(|name| name.to_lowercase());
    assert_eq!(texts(&seen["sorted"]), names);
    // Two steps down and Enter: the page of orders, then its nodes fill the width; Escape undoes it.
    let zoomed = texts(&seen["zoomed"][0]);
    assert_eq!(zoomed[0], "OrderPage");
    assert!(zoomed.len() >= 3 && zoomed[1].starts_with("orders") && zoomed[2] == "nodes");
    assert!(texts(&seen["zoomed"][1]).len() < zoomed.len());
}

#[test]
fn the_page_of_our_own_operations_works_in_a_browser() {
    works(&project(Path::new("schema/admin.graphql")));
}

#[test]
fn the_page_works_on_the_real_schema() {
    let shared = std::env::var_os("TOLLGATE_SHARED");
    let shared = shared.map_or_else(|| workspace().join("../shared"), PathBuf::from);
    let schema = shared.join("schema/admin_2026-10.graphql.gz");
    if !schema.exists() {
        println!("skipped: no {}", schema.display());
        return;
    }
    works(&project(&schema));
}

#[test]
fn nothing_is_fetched_and_nothing_ends_the_data_early() {
    let page = page(&project(Path::new("schema/admin.graphql")));
    for outside in ["http://", "https://", "src=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    let data = super::page::render(&serde_json::json!({ "text": "</script><!-- & {{script}}" }));
    assert!(data.contains(r#"{"text":"\u003c/script>\u003c!-- & {{script}}"}"#));
}
