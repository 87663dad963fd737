use std::fmt;
use std::sync::Arc;

use fastrand::Rng;
use serde_json::{Map, Value, json};
use tollgate_codegen::schema::{FieldDefinition, Schema, TypeKind, TypeRef};

/// Size variables, with their bounds, and switches.
const SIZES: [(&str, u64); 3] = [("small", 10), ("page", 50), ("large", 250)];
const SWITCHES: [&str; 2] = ["a", "b"];

/// How deep selections nest.
const DEPTH: usize = 5;

/// A valid query that uses its variables in places.
#[derive(Clone)]
pub(crate) struct Query(Vec<Node>);

#[derive(Clone)]
enum Node {
    Field {
        /// Name, alias and arguments, as written.
        head: String,
        condition: String,
        below: Vec<Node>,
    },
    Inline {
        on: String,
        condition: String,
        below: Vec<Node>,
    },
}

impl Query {
    pub(crate) fn generate(schema: &Schema, rng: &mut Rng) -> Self {
        let mut names = 0;
        let root = schema.query_type();
        let mut nodes = Vec::new();
        for _ in 0..rng.usize(1..4) {
            nodes.extend(selection(schema, root, DEPTH, &mut names, rng));
        }
        if nodes.is_empty() {
            nodes.push(typename());
        }
        Self(nodes)
    }

    /// The same with one selection more, somewhere.
    pub(crate) fn with_one_more(&self, schema: &Schema, rng: &mut Rng) -> Self {
        let mut more = self.clone();
        let mut names = 1000;
        let extra = selection(schema, schema.query_type(), DEPTH, &mut names, rng);
        more.0.extend(extra);
        // Also what is there already, once more by another name, or the same again.
        let again = rng.choice(&self.0).cloned();
        more.0.extend(again);
        more
    }

    /// Variables of a call within the bounds; those with a default may be left out.
    pub(crate) fn call(&self, rng: &mut Rng) -> Map<String, Value> {
        let mut variables = Map::new();
        for (name, most) in SIZES {
            match rng.u8(0..6) {
                0 => {}
                1 => drop(variables.insert(name.to_owned(), Value::Null)),
                _ => drop(variables.insert(name.to_owned(), json!(rng.u64(0..=most)))),
            }
        }
        for name in SWITCHES {
            variables.insert(name.to_owned(), json!(rng.bool()));
        }
        variables
    }
}

fn typename() -> Node {
    Node::Field {
        head: "__typename".to_owned(),
        condition: String::new(),
        below: Vec::new(),
    }
}

fn selection(
    schema: &Schema,
    on: &str,
    depth: usize,
    names: &mut usize,
    rng: &mut Rng,
) -> Option<Node> {
    let definition = schema.get(on)?;
    if definition.is_abstract() && rng.bool() {
        let possible = schema.possible_types(on);
        let on = rng.choice(possible)?;
        let below = selections(schema, &on, depth, names, rng);
        return Some(Node::Inline {
            on,
            condition: condition(rng),
            below,
        });
    }
    // Connections are what is most worth trying.
    let fields = definition.fields();
    let connections: Vec<_> = fields.iter().filter(|field| is_connection(field)).collect();
    let field = if rng.u8(0..3) == 0 && !connections.is_empty() {
        rng.choice(connections)?
    } else {
        rng.choice(fields)?
    };
    let arguments = arguments(schema, field, rng)?;
    let base = schema.get(field.ty.base())?;
    let mut below = Vec::new();
    if base.is_composite() {
        if depth == 0 {
            return None;
        }
        below = selections(schema, &base.name, depth - 1, names, rng);
    }
    *names += 1;
    Some(Node::Field {
        head: format!("f{names}: {}{arguments}", field.name),
        condition: condition(rng),
        below,
    })
}

fn selections(
    schema: &Schema,
    on: &str,
    depth: usize,
    names: &mut usize,
    rng: &mut Rng,
) -> Vec<Node> {
    let mut nodes = vec![typename()];
    for _ in 0..rng.usize(1..4) {
        nodes.extend(selection(schema, on, depth, names, rng));
    }
    if let (Some(again), true) = (nodes.last().cloned(), rng.u8(0..4) == 0) {
        // The same field selected twice: merged, whatever its conditions.
        let again = match again {
            Node::Field { head, below, .. } => Node::Field {
                head,
                condition: condition(rng),
                below,
            },
            inline @ Node::Inline { .. } => inline,
        };
        nodes.push(again);
    }
    nodes
}

fn condition(rng: &mut Rng) -> String {
    let switch = SWITCHES[rng.usize(0..SWITCHES.len())];
    match rng.u8(0..8) {
        0 => format!(" @include(if: ${switch})"),
        1 => format!(" @skip(if: ${switch})"),
        2 => " @include(if: true)".to_owned(),
        _ => String::new(),
    }
}

fn is_connection(field: &FieldDefinition) -> bool {
    field.ty.base().ends_with("Connection")
}

/// `None` when the field asks for something that is not made up here.
fn arguments(schema: &Schema, field: &Arc<FieldDefinition>, rng: &mut Rng) -> Option<String> {
    let mut given = Vec::new();
    for argument in field
        .arguments
        .iter()
        .filter(|argument| argument.is_required())
    {
        if argument.name == "first" || argument.name == "last" {
            continue;
        }
        given.push(format!(
            "{}: {}",
            argument.name,
            value(schema, &argument.ty)?
        ));
    }
    let takes = |name: &str| {
        field
            .arguments
            .iter()
            .find(|argument| argument.name == name)
    };
    for name in ["first", "last"] {
        let Some(argument) = takes(name) else {
            continue;
        };
        let often = if name == "first" { 5 } else { 1 };
        if !argument.is_required() && rng.u8(0..6) >= often {
            continue;
        }
        let (variable, _) = SIZES[rng.usize(0..SIZES.len())];
        let size = match rng.u8(0..3) {
            0 if !argument.is_required() => format!("${variable}"),
            _ => rng.u64(0..=250).to_string(),
        };
        given.push(format!("{name}: {size}"));
    }
    if given.is_empty() {
        return Some(String::new());
    }
    Some(format!("({})", given.join(", ")))
}

fn value(schema: &Schema, ty: &TypeRef) -> Option<String> {
    if ty.is_list() {
        return Some("[]".to_owned());
    }
    Some(match ty.base() {
        "ID" | "String" | "URL" | "DateTime" | "Date" => "\"1\"".to_owned(),
        "Int" => "1".to_owned(),
        "Boolean" => "true".to_owned(),
        name => match &schema.get(name)?.kind {
            TypeKind::Enum { values } => values.first()?.name.clone(),
            _ => return None,
        },
    })
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut body = String::new();
        write_nodes(&self.0, &mut body);
        let uses = |name: &str| body.contains(&format!("${name}"));
        let mut variables = Vec::new();
        for (name, most) in SIZES.iter().filter(|(name, _)| uses(name)) {
            // One is bounded by its declaration, one by its default, one by the server.
            variables.push(match *name {
                "small" => format!("$small: Int = 5 @max(value: {most})"),
                "page" => format!("$page: Int = {most}"),
                name => format!("${name}: Int"),
            });
        }
        for name in SWITCHES.iter().filter(|name| uses_switch(&body, name)) {
            variables.push(format!("${name}: Boolean!"));
        }
        if variables.is_empty() {
            write!(f, "query Generated {body}")
        } else {
            write!(f, "query Generated({}) {body}", variables.join(", "))
        }
    }
}

fn uses_switch(body: &str, name: &str) -> bool {
    body.contains(&format!("if: ${name})"))
}

fn write_nodes(nodes: &[Node], out: &mut String) {
    out.push_str("{ ");
    for node in nodes {
        let (head, condition, below) = match node {
            Node::Field {
                head,
                condition,
                below,
            } => (head.clone(), condition, below),
            Node::Inline {
                on,
                condition,
                below,
            } => (format!("... on {on}"), condition, below),
        };
        out.push_str(&head);
        out.push_str(condition);
        out.push(' ');
        if !below.is_empty() {
            write_nodes(below, out);
        }
    }
    out.push_str("} ");
}
