//! Ways through generated structs to the fields that a document selects.

use super::Emitter;
use super::leaf::Side;
use super::module::TypeName;
use crate::schema::TypeRef;

/// The way from a struct to one of its fields, through the fragments spread in it.
#[derive(Clone, Debug)]
pub(super) struct Way {
    /// The Rust fields to follow, each with the number of `Option`s and `Vec`s around it.
    steps: Vec<(String, usize)>,
    /// The name of the field in the schema.
    pub(super) field: String,
    pub(super) ty: TypeRef,
    /// The type at its end.
    pub(super) base: TypeName,
}

impl Emitter<'_> {
    /// The ways to all fields of a struct.
    pub(super) fn ways(&self, from: &TypeName) -> Vec<Way> {
        let mut ways = Vec::new();
        for known in self.known.get(from).into_iter().flatten() {
            let Some(base) = &known.base else { continue };
            let step = (known.rust.clone(), layers(&known.ty, known.optional));
            match &known.field {
                Some(field) => ways.push(Way {
                    steps: vec![step],
                    field: field.clone(),
                    ty: known.ty.clone(),
                    base: base.clone(),
                }),
                None => ways.extend(self.ways(base).into_iter().map(|mut way| {
                    way.steps.insert(0, step.clone());
                    way
                })),
            }
        }
        ways
    }

    /// A statement that collects the errors at the end of two ways: from the data to a payload,
    /// and from there to its list of errors.
    pub(super) fn user_error(&mut self, payload: &Way, errors: &Way) -> String {
        let entry = self.ways(&errors.base);
        for way in entry.iter().filter(|way| way.field == "code") {
            // Its text is taken as that of an input.
            self.leaf(way.ty.base(), Side::Input);
        }
        let field = |name: &str| {
            // Through fragments too, but not through one that may be left out.
            let plain = |way: &&Way| {
                let before = &way.steps[..way.steps.len() - 1];
                way.field == name && before.iter().all(|(_, layers)| *layers == 0)
            };
            let way = entry.iter().find(plain);
            way.map_or("&None::<String>".to_owned(), |way| {
                let steps = way.steps.iter().map(|(rust, _)| rust.as_str());
                format!("&e.{}", steps.collect::<Vec<_>>().join("."))
            })
        };
        let (path, code, message) = (field("field"), field("code"), field("message"));
        let mut statement = String::new();
        let mut here = "data".to_owned();
        let mut loops = 0;
        for (rust, layers) in payload.steps.iter().chain(&errors.steps) {
            here = format!("{here}.{rust}");
            for layer in 0..*layers {
                let from = if layer == 0 { format!("&{here}") } else { here };
                here = format!("v{loops}");
                loops += 1;
                statement.push_str(&format!("for {here} in {from} {{ "));
            }
        }
        statement.push_str(&format!(
            "let e = {here}; errors.push(t::user_error({path}, {code}, {message}));"
        ));
        statement.push_str(&" }".repeat(loops));
        statement
    }
}

/// The `Option`s and `Vec`s around the core of a type.
fn layers(ty: &TypeRef, optional: bool) -> usize {
    let own = usize::from(optional || !ty.is_non_null());
    match ty {
        TypeRef::Named { .. } => own,
        TypeRef::List { item, .. } => own + 1 + layers(item, false),
    }
}
