use std::fmt::Write as _;
use std::fs::File;
use std::io::Read as _;
use std::sync::Arc;

use flate2::read::GzDecoder;
use tollgate_codegen::emit::Settings;
use tollgate_codegen::schema::{InputDefinition, Schema};

/// Writes ordinary selections for anything in a schema.
struct Author<'a> {
    schema: &'a Schema,
    /// Variables of the operation that is being written.
    variables: Vec<String>,
    text: String,
}

impl<'a> Author<'a> {
    fn new(schema: &'a Schema) -> Self {
        Self {
            schema,
            variables: Vec::new(),
            text: String::new(),
        }
    }

    /// An operation that selects one root field, with what it needs and two levels below it.
    fn operation(mut self, keyword: &str, root: &str, field: &str) -> String {
        let name = format!("{}{}", keyword[..1].to_uppercase(), field);
        self.field(root, field, field, 2);
        let variables = if self.variables.is_empty() {
            String::new()
        } else {
            format!("({})", self.variables.join(", "))
        };
        format!("{keyword} {name}{variables} {{ {} }}\n", self.text)
    }

    fn field(&mut self, parent: &str, name: &str, key: &str, depth: usize) {
        let definition = self.schema.field(parent, name).unwrap();
        if key != name {
            let _ = write!(self.text, "{key}: ");
        }
        self.text.push_str(name);
        let mut arguments = Vec::new();
        for argument in &definition.arguments {
            // Of a root field all, so that all inputs are reached; below it what is required.
            if argument.is_required() || depth == 2 {
                let variable = format!("{}{}", argument.name, self.variables.len());
                self.variables.push(format!("${variable}: {}", argument.ty));
                arguments.push(format!("{}: ${variable}", argument.name));
            }
        }
        if !arguments.is_empty() {
            let _ = write!(self.text, "({})", arguments.join(", "));
        }
        let base = definition.ty.base();
        if self.schema.get(base).unwrap().is_composite() {
            self.text.push_str(" { ");
            self.selections(base, depth - 1);
            self.text.push_str("} ");
        } else {
            self.text.push(' ');
        }
    }

    /// All leaves, and composites as deep as `depth`; on an interface or union all possible types.
    fn selections(&mut self, ty: &str, depth: usize) {
        let definition = Arc::clone(self.schema.get(ty).unwrap());
        let mut any = false;
        for field in definition.fields() {
            let composite = self.schema.get(field.ty.base()).unwrap().is_composite();
            if field.arguments.iter().any(InputDefinition::is_required) || (composite && depth == 0)
            {
                continue;
            }
            any = true;
            self.field(ty, &field.name, &field.name, depth.max(1));
        }
        if definition.is_abstract() && depth > 0 {
            for (index, possible) in self.schema.possible_types(ty).iter().enumerate() {
                let _ = write!(self.text, "... on {possible} {{ ");
                let fields = self.schema.get(possible).unwrap().fields().to_vec();
                let leaf = fields.iter().find(|field| {
                    let ty = self.schema.get(field.ty.base()).unwrap();
                    !ty.is_composite() && field.arguments.is_empty()
                });
                match leaf {
                    // Under an alias: fields of one name differ between the types.
                    Some(leaf) => self.field(possible, &leaf.name, &format!("own{index}"), 1),
                    None => self.text.push_str("__typename "),
                }
                self.text.push_str("} ");
            }
        } else if !any {
            self.text.push_str("__typename ");
        }
    }
}

/// One operation for each root field.
fn operations(schema: &Schema) -> Vec<String> {
    let mut operations = Vec::new();
    let roots = [
        ("query", Some(schema.query_type())),
        ("mutation", schema.mutation_type()),
    ];
    for (keyword, root) in roots {
        let Some(root) = root else { continue };
        for field in schema.get(root).unwrap().fields() {
            operations.push(Author::new(schema).operation(keyword, root, &field.name));
        }
    }
    operations
}

fn real_schema() -> Option<String> {
    let path = super::shared("schema/admin_2026-10.graphql.gz")?;
    let mut text = String::new();
    GzDecoder::new(File::open(path).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    Some(text)
}

/// Writes the code where `variable` says, for a look or a compilation by hand.
fn save(code: &str, variable: &str) {
    if let Some(path) = std::env::var_os(variable) {
        std::fs::write(path, code).unwrap();
    }
}

#[test]
fn every_root_field_of_the_real_schema_is_emitted() {
    let Some(sdl) = real_schema() else { return };
    let schema = super::schema(&sdl);
    let operations = operations(&schema);
    assert!(operations.len() > 800, "{}", operations.len());
    let code = super::emitted(&schema, &operations.concat(), &Settings::default());
    assert_eq!(
        code.text.matches("\n    pub mod ").count(),
        operations.len()
    );
    code.tokens().unwrap();
    save(&code.text, "TOLLGATE_EVERY_ROOT");
}

#[test]
fn every_interface_and_union_of_the_real_schema_is_emitted() {
    let Some(sdl) = real_schema() else { return };
    let plain = super::schema(&sdl);
    let is_abstract = |name: &&str| plain.get(name).unwrap().is_abstract();
    let names: Vec<&str> = plain.type_names().filter(is_abstract).collect();
    assert!(names.len() > 100, "{}", names.len());
    // Most are only reached deep below a root field: here each has one of its own.
    let fields: String = names
        .iter()
        .map(|name| format!("  every{name}: {name}\n"))
        .collect();
    let root = format!("type {} {{", plain.query_type());
    let at = sdl
        .find(&root)
        .and_then(|at| Some(at + sdl[at..].find('{')? + 1))
        .unwrap();
    let schema = super::schema(&format!("{}\n{fields}{}", &sdl[..at], &sdl[at..]));
    let operation = |name: &&str| {
        Author::new(&schema).operation("query", schema.query_type(), &format!("every{name}"))
    };
    let text: String = names.iter().map(operation).collect();
    let code = super::emitted(&schema, &text, &Settings::default());
    // Where one type is possible there is nothing to tell apart.
    let several = names
        .iter()
        .filter(|name| schema.possible_types(name).len() > 1)
        .count();
    let told_apart = code.text.lines().filter(|line| {
        let line = line.trim_start();
        line.starts_with("pub enum ") && line.contains("__Every")
    });
    assert_eq!(told_apart.count(), several);
    code.tokens().unwrap();
    save(&code.text, "TOLLGATE_EVERY_ABSTRACT");
}
