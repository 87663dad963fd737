use tollgate_codegen::schema::{Schema, TypeDefinition, TypeKind, introspection};
use tollgate_codegen::source::{Cache, Files, Source, SourceError};

use super::{problems, schema, shared, validate, workspace};

#[test]
fn extensions_are_merged_into_what_they_extend() {
    let schema = schema(
        r#"
        schema { query: Q }
        extend schema { mutation: M }
        "Described" type Q { a: Int }
        extend type Q implements N & L { "more" b(c: I): U }
        extend type Q @gone
        interface N { a: Int }
        interface L { b: U }
        type M { a: E }
        enum E { ONE } extend enum E { TWO }
        union U = Q extend union U = | M
        input I { a: Int } extend input I @oneOf { b: Int = 1 }
        scalar S extend scalar S @specifiedBy(url: "x")
        directive @gone on OBJECT
        "#,
    );
    schema.check().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(
        (schema.query_type(), schema.mutation_type()),
        ("Q", Some("M"))
    );
    let q = schema.get("Q").unwrap();
    assert_eq!(q.description.as_deref(), Some("Described"));
    let TypeKind::Object { fields, interfaces } = &q.kind else {
        panic!()
    };
    let names: Vec<_> = fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(*interfaces, ["N", "L"]);
    assert_eq!(fields[1].description.as_deref(), Some("more"));
    assert_eq!(schema.possible_types("N"), ["Q"]);
    assert_eq!(schema.possible_types("U"), ["M", "Q"]);
    let TypeKind::Enum { values } = &schema.get("E").unwrap().kind else {
        panic!()
    };
    assert_eq!(values.len(), 2);
    let TypeKind::Input { fields, one_of } = &schema.get("I").unwrap().kind else {
        panic!()
    };
    assert_eq!((fields.len(), *one_of), (2, true));
    validate(&schema, "{ b(c: {b: 2}) { ... on M { a } } }").unwrap();
}

#[test]
fn names_like_keywords_and_odd_layouts_are_read() {
    let schema = schema(
        "\u{FEFF}#type Fake {\ntype Query{type(input:input,enum:Int=1):type,union:[[extend!]!]!}type type{a:Int}\
         input input{a:Int}union extend=|type|Query\"\"\"a \\\"\"\" { \"\"\"scalar scalar\"}\"enum enum{type input}",
    );
    schema.check().unwrap_or_else(|e| panic!("{e}"));
    let scalar = schema.get("scalar").unwrap();
    assert_eq!(scalar.description.as_deref(), Some("a \"\"\" { "));
    assert_eq!(schema.possible_types("extend"), ["Query", "type"]);
    validate(
        &schema,
        "{ type(input: {a: 1}) { a } union { ... on type { a } } }",
    )
    .unwrap();
}

#[test]
fn introspection_of_2025_is_known_although_the_validator_is_older() {
    let schema = schema("type Query { a: Int isOneOf: Int }");
    validate(
        &schema,
        "{ isOneOf __schema { types { ...T } directives { name args { ...I } } } \
         __type(name: \"I\") { one: isOneOf inputFields { ...I } } } \
         fragment T on __Type { name isOneOf fields { isDeprecated } ofType { isOneOf } } \
         fragment I on __InputValue { name isDeprecated why: deprecationReason type { ...T } }",
    )
    .unwrap_or_else(|e| panic!("{e}"));
    let problem = problems(
        &schema,
        "{ __type(name: \"I\") { isOneOf { name } inputFields { isDeprecated nam } } }",
    );
    for said in [
        "q.graphql:1:31",
        "nothing can be selected",
        "q.graphql:1:67",
        "`nam`",
    ] {
        assert!(problem.contains(said), "{said}: {problem}");
    }
}

#[test]
fn directives_and_specifications_can_be_looked_up() {
    let schema = schema(
        "\"Loud.\" directive @loud(times: Int = 2 @deprecated, to: [ID!]) repeatable on FIELD | ENUM\
         \ntype Query { a: S } scalar S @a(b: 1) @specifiedBy(url: \"u\") scalar T \
         scalar U extend scalar U @specifiedBy(url: \"v\") directive @a(b: Int) on SCALAR",
    );
    let names: Vec<_> = schema
        .directives()
        .iter()
        .map(|d| d.name.as_str())
        .collect();
    assert_eq!(names, ["a", "include", "loud", "skip"]);
    let loud = &schema.directives()[2];
    assert_eq!(loud.description.as_deref(), Some("Loud."));
    assert_eq!((loud.repeatable, loud.arguments.len()), (true, 2));
    assert!(loud.arguments[0].deprecated.is_some());
    assert_eq!(loud.locations, ["FIELD", "ENUM"]);
    let urls = ["S", "T", "U", "Query", "Nope"].map(|name| schema.specified_by(name));
    assert_eq!(urls, [Some("u".into()), None, Some("v".into()), None, None]);
}

#[test]
fn introspection_and_client_directives_are_known() {
    let schema = schema("type Query { a(first: Int): [Int] }");
    validate(
        &schema,
        "query Q($n: Int @max(value: 3)) @cost(max: 9) @bulk { a(first: $n) @paginate __typename \
         __schema { types { name kind fields(includeDeprecated: true) { name args { defaultValue } } specifiedByURL } } \
         __type(name: \"Query\") { name ofType { name } possibleTypes { name } inputFields { name } } }",
    )
    .unwrap_or_else(|e| panic!("{e}"));
    assert!(schema.field("Query", "__schema").is_some());
    assert!(schema.field("Query", "__typename").is_some());
    assert!(schema.get("__Type").is_some());
}

const JSON: &str = r#"{"extra": 1, "data": {"more": [], "__schema": {
  "queryType": {"name": "Q", "kind": "OBJECT"}, "mutationType": null, "unknown": {},
  "directives": [{"name": "d", "description": "a \"d\"", "locations": ["FIELD", "QUERY"], "isRepeatable": true,
    "args": [{"name": "x", "description": "dx", "type": {"kind": "SCALAR", "name": "Int", "ofType": null}, "defaultValue": "1"}]}],
  "types": [
    {"kind": "SCALAR", "name": "Int"},
    {"kind": "SCALAR", "name": "URL", "specifiedByURL": "http://u", "description": "line one\n\n  line two"},
    {"kind": "OBJECT", "name": "Q", "interfaces": [{"name": "N"}], "requiredAccess": "x", "fields": [
      {"name": "f", "description": "\"\"\" } type X {", "args": [{"name": "i", "type": {"kind": "INPUT_OBJECT", "name": "I"}, "defaultValue": "{a: [1, 2]}", "isDeprecated": true, "deprecationReason": "no"}],
       "type": {"kind": "NON_NULL", "ofType": {"kind": "LIST", "ofType": {"kind": "NON_NULL", "ofType": {"kind": "ENUM", "name": "E"}}}}, "isDeprecated": true, "deprecationReason": "Use \"g\".\nNow."},
      {"name": "u", "args": [], "type": {"kind": "UNION", "name": "U"}, "isDeprecated": true}]},
    {"kind": "INTERFACE", "name": "N", "interfaces": [], "fields": [{"name": "u", "args": [], "type": {"kind": "UNION", "name": "U"}}]},
    {"kind": "UNION", "name": "U", "possibleTypes": [{"name": "Q"}]},
    {"kind": "ENUM", "name": "E", "enumValues": [{"name": "A", "isDeprecated": false}, {"name": "B", "description": "b", "isDeprecated": true, "deprecationReason": "old"}]},
    {"kind": "INPUT_OBJECT", "name": "I", "isOneOf": true, "inputFields": [{"name": "a", "type": {"kind": "LIST", "ofType": {"kind": "SCALAR", "name": "Int"}}}]},
    {"kind": "OBJECT", "name": "__Type", "fields": []}
  ]}}}"#;

const SDL: &str = r#"
schema { query: Q }
"a \"d\"" directive @d("dx" x: Int = 1) repeatable on FIELD | QUERY
"line one\n\n  line two" scalar URL @specifiedBy(url: "http://u")
type Q implements N {
  "\"\"\" } type X {"
  f(i: I = {a: [1, 2]} @deprecated(reason: "no")): [E!]! @deprecated(reason: "Use \"g\".\nNow.")
  u: U @deprecated
}
interface N { u: U }
union U = Q
enum E { A "b" B @deprecated(reason: "old") }
input I @oneOf { a: [Int] }
"#;

fn types(schema: &Schema) -> Vec<TypeDefinition> {
    let names: Vec<_> = schema.type_names().collect();
    names
        .iter()
        .map(|name| (**schema.get(name).unwrap()).clone())
        .collect()
}

#[test]
fn json_and_sdl_give_the_same_schema() {
    let printed = introspection::to_sdl(JSON.as_bytes()).unwrap();
    let from_json = schema(&printed);
    from_json.check().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(types(&from_json), types(&schema(SDL)), "{printed}");
    assert!(
        printed.contains("@specifiedBy(url: \"http://u\")")
            && printed.contains(") repeatable on FIELD | QUERY")
    );
    let bare = JSON.replacen("{\"extra\": 1, \"data\": ", "", 1);
    let bare = bare.strip_suffix('}').unwrap();
    assert_eq!(introspection::to_sdl(bare.as_bytes()).unwrap(), printed);
}

/// The published SDL was printed with descriptions wrapped at 80 letters.
fn unwrapped(mut ty: TypeDefinition) -> TypeDefinition {
    fn words(text: &mut Option<String>) {
        if let Some(text) = text {
            *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        }
    }
    words(&mut ty.description);
    match &mut ty.kind {
        TypeKind::Object { fields, .. } | TypeKind::Interface { fields, .. } => {
            for field in fields {
                let field = std::sync::Arc::make_mut(field);
                words(&mut field.description);
                field
                    .arguments
                    .iter_mut()
                    .for_each(|argument| words(&mut argument.description));
            }
        }
        TypeKind::Input { fields, .. } => fields
            .iter_mut()
            .for_each(|field| words(&mut field.description)),
        TypeKind::Enum { values } => values
            .iter_mut()
            .for_each(|value| words(&mut value.description)),
        TypeKind::Scalar | TypeKind::Union { .. } => {}
    }
    ty
}

#[test]
fn the_real_json_and_sdl_give_the_same_schema() {
    let (Some(json), Some(sdl)) = (
        shared("schema/admin_2026-10.json.gz"),
        shared("schema/admin_2026-10.graphql.gz"),
    ) else {
        return;
    };
    let mut files = Files::new(workspace());
    let read = |files: &mut Files, path| Schema::from_sdl(files.schema(path).unwrap()).unwrap();
    let (from_json, from_sdl) = (read(&mut files, json), read(&mut files, sdl));
    from_json.check().unwrap_or_else(|e| panic!("{e}"));
    from_sdl.check().unwrap_or_else(|e| panic!("{e}"));
    let (a, b) = (types(&from_json), types(&from_sdl));
    assert_eq!(a.len(), b.len());
    for (a, b) in a.into_iter().zip(b) {
        assert_eq!(unwrapped(a), unwrapped(b));
    }
}

struct Scratch(std::path::PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("tollgate-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.0.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn paths_start_at_the_manifest_then_at_the_workspace() {
    let scratch = Scratch::new("paths");
    scratch.write("Cargo.toml", "[workspace]\n");
    scratch.write("schema/a.graphql", "type Query { a: Int }");
    scratch.write("member/Cargo.toml", "[package]\n");
    scratch.write("member/q/one.graphql", "{ a }");
    scratch.write("member/q/deep/two.gql", "query Two { a }");
    scratch.write("member/q/notes.txt", "no");
    let member = scratch.0.join("member");
    let mut files = Files::new(&member);
    assert_eq!(
        &*files.schema("schema/a.graphql").unwrap().name,
        "schema/a.graphql"
    );
    let names = |sources: Vec<Source>| {
        let names = sources.iter().map(|source| source.name.to_string());
        names.collect::<Vec<_>>()
    };
    let both = ["member/q/deep/two.gql", "member/q/one.graphql"];
    assert_eq!(names(files.documents(&["q"]).unwrap()), both);
    assert_eq!(names(files.documents(&["q/**/*.g*ql"]).unwrap()), both);
    assert_eq!(
        names(files.documents(&["q/one.graphql", "q"]).unwrap()),
        [both[1], both[0]]
    );
    assert_eq!(files.read().count(), 3);
    assert!(files.read().all(std::path::Path::is_absolute));
    let error = files.schema("schema/b.graphql").unwrap_err().to_string();
    for tried in [
        member.join("schema/b.graphql"),
        scratch.0.join("schema/b.graphql"),
    ] {
        assert!(error.contains(&tried.display().to_string()), "{error}");
    }
    assert!(matches!(
        files.documents(&["none/*.graphql"]),
        Err(SourceError::Missing { .. })
    ));
    assert!(
        files
            .text_if_present("schema/costs.toml")
            .unwrap()
            .is_none()
    );
}

#[test]
fn what_was_converted_once_is_kept_and_a_broken_cache_does_no_harm() {
    use std::io::Write as _;
    let scratch = Scratch::new("cache");
    scratch.write("Cargo.toml", "[workspace]\n");
    scratch.write("target/CACHEDIR.TAG", "");
    scratch.write("target/debug/deps/x", "");
    scratch.write("s.json", JSON);
    let mut zip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    zip.write_all(SDL.as_bytes()).unwrap();
    scratch.write("s.graphql.gz", zip.finish().unwrap());
    let cache = Cache::in_target_of(&scratch.0.join("target/debug/deps"));
    let read = |path: &str| {
        Files::new(&scratch.0)
            .with_cache(cache.clone())
            .schema(path)
            .unwrap()
    };
    let first = read("s.json");
    assert_eq!(&*read("s.graphql.gz").text, SDL);
    let kept: Vec<_> = std::fs::read_dir(scratch.0.join("target/tollgate"))
        .unwrap()
        .collect();
    assert_eq!(kept.len(), 2);
    assert_eq!(read("s.json").text, first.text);
    // Kept, and really read: what is written there comes back.
    for entry in kept {
        std::fs::write(entry.unwrap().path(), "type Query { kept: Int }").unwrap();
    }
    assert!(read("s.json").text.contains("kept"));
    // A file where the folder should be: nothing can be kept.
    scratch.write("blocked", "");
    let blocked = Cache::new(scratch.0.join("blocked/tollgate"));
    let source = Files::new(&scratch.0)
        .with_cache(blocked)
        .schema("s.json")
        .unwrap();
    assert_eq!(source.text, first.text);
}

#[test]
fn unreadable_files_say_what_is_wrong() {
    let scratch = Scratch::new("broken");
    scratch.write("Cargo.toml", "[workspace]\n");
    scratch.write("half.graphql.gz", [0x1F, 0x8B, 8, 0, 0]);
    scratch.write("latin.graphql", [b'#', 0xE9]);
    scratch.write("empty.json", "{}");
    let mut files = Files::new(&scratch.0);
    for (file, wanted) in [
        ("half.graphql.gz", "cannot be read"),
        ("latin.graphql", "is not text"),
        ("empty.json", "is not a schema: it has no `__schema`"),
    ] {
        let error = files.schema(file).unwrap_err().to_string();
        assert!(error.contains(wanted) && error.contains(file), "{error}");
    }
}

#[test]
fn what_is_no_file_is_told_apart() {
    let scratch = Scratch::new("no-file");
    scratch.write("Cargo.toml", "[workspace]\n");
    std::fs::create_dir_all(scratch.0.join("folder/costs.toml")).unwrap();
    let mut files = Files::new(&scratch.0);
    let said = |error: SourceError| error.to_string();
    let folder = said(files.schema("folder").unwrap_err());
    assert!(
        folder.ends_with("folder` is a folder, not a file"),
        "{folder}"
    );
    let empty = said(files.documents(&["folder"]).unwrap_err());
    assert!(empty.contains("is a folder without `.graphql`"), "{empty}");
    let costs = said(files.text_if_present("folder/costs.toml").unwrap_err());
    assert!(costs.contains("is a folder, not a file"), "{costs}");
    #[cfg(unix)]
    {
        let pipe = scratch.0.join("pipe.graphql");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        // Nobody writes into it: to open it would wait for ever.
        for error in [
            files.schema("pipe.graphql").unwrap_err(),
            files.documents(&["pipe.graphql"]).unwrap_err(),
            files.text("pipe.graphql").unwrap_err(),
            files.text("/dev/zero").unwrap_err(),
        ] {
            let said = said(error);
            assert!(
                said.contains("is a pipe, socket or device, not a file"),
                "{said}"
            );
        }
        std::os::unix::fs::symlink("circle", scratch.0.join("circle")).unwrap();
        let circle = said(files.text("circle").unwrap_err());
        assert!(circle.contains("circle` cannot be read: "), "{circle}");
    }
}

#[test]
fn more_than_a_file_may_hold_is_refused() {
    use std::io::Write as _;

    use tollgate_codegen::source::{MAX_FILE, read_text};
    let scratch = Scratch::new("large");
    scratch.write("Cargo.toml", "[workspace]\n");
    // 256 MB of spaces in 256 kB.
    let mut zip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let spaces = vec![b' '; 1 << 20];
    for _ in 0..=MAX_FILE >> 20 {
        zip.write_all(&spaces).unwrap();
    }
    scratch.write("bomb.graphql.gz", zip.finish().unwrap());
    // A hole: it takes no place on the disk.
    let hole = std::fs::File::create(scratch.0.join("hole.graphql")).unwrap();
    hole.set_len(MAX_FILE + 1).unwrap();
    let mut files = Files::new(&scratch.0);
    for file in ["bomb.graphql.gz", "hole.graphql"] {
        let error = files.schema(file).unwrap_err().to_string();
        let wanted = format!("{file}` holds more than 256 MB, the most that is read of a file");
        assert!(error.ends_with(&wanted), "{error}");
    }
    #[cfg(unix)]
    {
        let endless = read_text(std::path::Path::new("/dev/zero")).unwrap_err();
        assert!(matches!(endless, SourceError::TooLarge { .. }), "{endless}");
        let folder = read_text(&scratch.0).unwrap_err().to_string();
        assert!(folder.contains("is a directory"), "{folder}");
    }
}

#[test]
fn problems_of_a_converted_schema_say_where_they_point() {
    let scratch = Scratch::new("converted");
    scratch.write("Cargo.toml", "[workspace]\n");
    scratch.write(
        "s.json",
        JSON.replace("\"name\": \"E\"}}}}", "\"name\": \"Gone\"}}}}"),
    );
    let source = Files::new(&scratch.0).schema("s.json").unwrap();
    let said = problems(&Schema::from_sdl(source).unwrap(), "{ f }");
    assert!(
        said.contains("`Q` names `Gone`") && said.contains("s.json (as SDL):"),
        "{said}"
    );
}
