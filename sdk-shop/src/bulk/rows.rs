//! Answers as JSON lines: every node of a connection is a line of its own.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};

use crate::answer::Answer;
use crate::execution::{Context, execute};
use crate::prepared::Prepared;
use crate::refusal::Refusal;
use crate::variables::coerce;

/// The lines that one root object gives.
#[derive(Debug)]
pub(super) struct Rows {
    pub(super) root: Vec<u8>,
    /// What its connections hold, each line with the id of its parent.
    pub(super) children: Vec<Vec<u8>>,
}

impl Rows {
    pub(super) fn of(root: &Answer<'_>) -> Self {
        let mut children = Vec::new();
        collect(root, id_of(root), &mut children);
        let line = Line {
            object: root,
            parent: None,
        };
        Self {
            root: text(&line),
            children,
        }
    }
}

/// The nodes of the connections in an object, and of those in the nodes.
fn collect(object: &Answer<'_>, parent: Option<&str>, lines: &mut Vec<Vec<u8>>) {
    match object {
        Answer::Object { fields, .. } => {
            for (_, value) in fields {
                match nodes_of(value) {
                    Some(nodes) => {
                        for node in nodes {
                            let line = Line {
                                object: node,
                                parent,
                            };
                            lines.push(text(&line));
                            collect(node, id_of(node).or(parent), lines);
                        }
                    }
                    None => collect(value, parent, lines),
                }
            }
        }
        Answer::List(items) => {
            for item in items {
                collect(item, parent, lines);
            }
        }
        Answer::Null | Answer::Leaf(_) | Answer::Made(_) => {}
    }
}

/// The nodes, when the answer is a connection.
fn nodes_of<'b, 'a>(answer: &'b Answer<'a>) -> Option<impl Iterator<Item = &'b Answer<'a>>> {
    let Answer::Object { of, fields } = answer else {
        return None;
    };
    of.name.ends_with("Connection").then(|| {
        let lists = fields.iter().filter_map(|(_, value)| match value {
            Answer::List(edges) => Some(edges),
            _ => None,
        });
        lists.flatten().filter_map(|edge| match edge {
            Answer::Object { fields, .. } => {
                let mut values = fields.iter().map(|(_, value)| value);
                values.find(|value| matches!(value, Answer::Object { .. }))
            }
            _ => None,
        })
    })
}

fn id_of<'b>(object: &'b Answer<'_>) -> Option<&'b str> {
    let Answer::Object { fields, .. } = object else {
        return None;
    };
    let (_, id) = fields.iter().find(|(key, _)| *key == "id")?;
    match id {
        Answer::Leaf(Value::String(id)) => Some(id),
        _ => None,
    }
}

/// An object without its connections, with the id of its parent.
struct Line<'b, 'a> {
    object: &'b Answer<'a>,
    parent: Option<&'b str>,
}

impl Serialize for Line<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Answer::Object { fields, .. } = self.object else {
            return self.object.serialize(serializer);
        };
        let mut map = serializer.serialize_map(None)?;
        for (key, value) in fields {
            match value {
                Answer::Object { .. } if nodes_of(value).is_some() => {}
                Answer::Object { .. } => {
                    let below = Line {
                        object: value,
                        parent: None,
                    };
                    map.serialize_entry(key, &below)?;
                }
                value => map.serialize_entry(key, value)?,
            }
        }
        if let Some(parent) = self.parent {
            map.serialize_entry("__parentId", parent)?;
        }
        map.end()
    }
}

/// What a bulk mutation writes for one line of its input.
pub(super) fn mutation_row(
    context: Context<'_>,
    prepared: &Prepared,
    line: &[u8],
    number: u64,
) -> Vec<u8> {
    let refused = |errors: Vec<Refusal>| {
        text(&Row {
            data: None,
            errors,
            line: number,
        })
    };
    let given: Map<String, Value> = match serde_json::from_slice(line) {
        Ok(given) => given,
        Err(error) => return refused(vec![Refusal::new(format!("Invalid JSON: {error}"))]),
    };
    let (operation, _) = match prepared.operation(None) {
        Ok(found) => found,
        Err(error) => return refused(vec![error]),
    };
    let variables = match coerce(&context.world.schema, operation, &given) {
        Ok(variables) => variables,
        Err(errors) => return refused(errors),
    };
    let executed = execute(context, &prepared.document, operation, &variables, None);
    text(&Row {
        data: Some(executed.data),
        errors: executed.errors,
        line: number,
    })
}

#[derive(serde::Serialize)]
struct Row<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Answer<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<Refusal>,
    #[serde(rename = "__lineNumber")]
    line: u64,
}

fn text(value: &impl Serialize) -> Vec<u8> {
    match serde_json::to_vec(value) {
        Ok(text) => text,
        Err(error) => unreachable!("answers hold nothing that JSON cannot: {error}"),
    }
}
