//! Variables and input objects.

use std::collections::BTreeSet;

use super::Emitter;
use super::leaf::Side;
use super::module::{Module, TypeName};
use super::name::{self, Scope};
use super::settings::INPUTS_BY_HAND;
use crate::document::Operation;
use crate::schema::{InputDefinition, TypeKind, TypeRef};

/// A field of an input object, or a variable.
struct Slot {
    /// Its name in GraphQL.
    name: String,
    rust: String,
    /// The type of the Rust field.
    ty: String,
    required: bool,
    doc: Option<String>,
}

/// What a slot is made of.
struct Shape<'s> {
    name: &'s str,
    rust: String,
    ty: &'s TypeRef,
    has_default: bool,
    doc: Option<String>,
    /// The input object it is in, when it is in one.
    within: Option<&'s str>,
}

impl Emitter<'_> {
    /// The struct `Variables` of an operation.
    pub(super) fn variables(&mut self, module: &mut Module, operation: &Operation) {
        let mut names = Scope::default();
        let slots: Vec<_> = operation
            .variables
            .iter()
            .map(|variable| {
                let shape = Shape {
                    name: &variable.name,
                    rust: names.claim(name::snake(&variable.name)),
                    ty: &variable.ty,
                    has_default: variable.default.is_some(),
                    doc: Some(self.variable_doc(variable)),
                    within: None,
                };
                self.slot(module, &shape)
            })
            .collect();
        let derived = self.settings.graphql_client || !self.settings.input_derives.0.is_empty();
        if slots.is_empty() && !derived {
            let mut inside = self.inner_module();
            inside.line(0, "pub use t::NoVariables as Variables;");
            module.beside.push_str(&inside.out);
            return;
        }
        let (_, written) = module.own("Variables");
        module.doc(0, Some(&format!("The variables of `{}`.", operation.name)));
        self.write_input(module, &written, &slots);
    }

    /// The type of an input object, which is to be written once.
    fn input_object(&mut self, ty: &str) -> TypeName {
        if let Some(known) = self.inputs.get(ty) {
            return known.clone();
        }
        let name = self.scope.borrow_mut().claim(name::type_name(ty));
        let this = TypeName::Shared(name.clone());
        self.inputs.insert(ty.to_owned(), this.clone());
        self.unwritten.push((ty.to_owned(), name));
        this
    }

    /// Writes the input objects that were asked for, and those that they lead to; in a loop, since
    /// they may do so without end.
    pub(super) fn write_input_objects(&mut self) {
        while let Some((ty, name)) = self.unwritten.pop() {
            self.write_input_object(&ty, &name);
        }
    }

    fn write_input_object(&mut self, ty: &str, name: &str) {
        let start = self.shared.len();
        let mut module = self.shared_module();
        let Some(definition) = self.schema.get(ty).cloned() else {
            unreachable!("validation has found the type `{ty}`");
        };
        let one_of = matches!(definition.kind, TypeKind::Input { one_of: true, .. });
        let mut names = Scope::default();
        let slots: Vec<_> = definition
            .input_fields()
            .iter()
            .map(|field| self.input_field(&module, ty, field, one_of, &mut names))
            .collect();
        module.doc(0, self.docs(definition.description.as_deref()));
        if one_of {
            self.write_one_of(&mut module, name, &slots);
        } else {
            self.write_input(&mut module, name, &slots);
        }
        self.shared.insert_str(start, &module.out);
    }

    fn input_field(
        &mut self,
        module: &Module,
        within: &str,
        field: &InputDefinition,
        one_of: bool,
        names: &mut Scope,
    ) -> Slot {
        let doc = self.input_doc(field);
        // A field of a `@oneOf` input is nullable in the schema and never null.
        let ty = if one_of {
            non_null(&field.ty)
        } else {
            field.ty.clone()
        };
        let rust = if one_of {
            name::pascal(&field.name)
        } else {
            name::snake(&field.name)
        };
        let shape = Shape {
            name: &field.name,
            rust: names.claim(rust),
            ty: &ty,
            has_default: field.default.is_some(),
            doc,
            within: Some(within),
        };
        self.slot(module, &shape)
    }

    fn slot(&mut self, module: &Module, shape: &Shape<'_>) -> Slot {
        let base = shape.ty.base();
        let definition = self
            .schema
            .get(base)
            .map(|definition| definition.kind.clone());
        let is_input = matches!(definition, Some(TypeKind::Input { .. }));
        let core = if is_input && !self.settings.scalars.contains_key(base) {
            let path = self.input_object(base);
            let path = module.path(&path);
            let closes =
                !shape.ty.is_list() && shape.within.is_some_and(|within| self.closes(base, within));
            if closes { format!("Box<{path}>") } else { path }
        } else {
            let leaf = self.leaf(base, Side::Input);
            let path = module.path(&leaf.name);
            if leaf.foreign {
                format!("t::Foreign<{path}>")
            } else {
                path
            }
        };
        let value = value_type(shape.ty, &core);
        let (ty, required) = match (shape.ty.is_non_null(), shape.has_default) {
            (true, false) => (value, true),
            // Never null: left out or a value.
            (true, true) => (format!("Option<{value}>"), false),
            (false, _) if self.settings.optional_inputs => (format!("Option<{value}>"), false),
            (false, _) => (format!("t::Input<{value}>"), false),
        };
        Slot {
            name: shape.name.to_owned(),
            rust: shape.rust.clone(),
            ty,
            required,
            doc: shape.doc.clone(),
        }
    }

    /// Whether an input object of type `from` holds one of type `to` without a list between, so
    /// that a field from the second to the first closes a cycle of infinite size.
    fn closes(&self, from: &str, to: &str) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = vec![from.to_owned()];
        while let Some(ty) = open.pop() {
            if ty == to {
                return true;
            }
            if !seen.insert(ty.clone()) {
                continue;
            }
            let Some(definition) = self.schema.get(&ty) else {
                continue;
            };
            let direct = definition
                .input_fields()
                .iter()
                .filter(|field| !field.ty.is_list());
            open.extend(direct.map(|field| field.ty.base().to_owned()));
        }
        false
    }

    fn write_input(&self, module: &mut Module, name: &str, slots: &[Slot]) {
        let required: Vec<_> = slots.iter().filter(|slot| slot.required).collect();
        let by_hand: &[_] = if required.is_empty() {
            &["Clone", "Default"]
        } else {
            &["Clone"]
        };
        let derives = self.input_derives(&[], by_hand);
        if !derives.is_empty() {
            module.line(0, &format!("#[derive({derives})]"));
        }
        if slots.is_empty() {
            module.line(0, &format!("pub struct {name};"));
        } else {
            module.line(0, &format!("pub struct {name} {{"));
            for slot in slots {
                module.doc(1, slot.doc.as_deref());
                module.line(1, &format!("pub {}: {},", slot.rust, slot.ty));
            }
            module.line(0, "}");
        }
        if self.settings.input_derives.ask_for("Serialize") {
            module.serialize(name, "t::serialize(self, s)");
        }
        if slots.is_empty() {
            write_contracts(module, name, &["let _ = i;", "None"]);
        } else {
            let arms = slots.iter().enumerate().map(|(index, slot)| {
                format!("    {index} => (\"{}\", &self.{}),", slot.name, slot.rust)
            });
            let arms: Vec<_> = arms.collect();
            let mut body = vec!["Some(match i {"];
            body.extend(arms.iter().map(String::as_str));
            body.extend(["    _ => return None,", "})"]);
            write_contracts(module, name, &body);
        }
        let each = |value: &dyn Fn(&str) -> String| {
            if slots.is_empty() {
                return "Self".to_owned();
            }
            let fields = slots.iter().map(|Slot { rust, .. }| {
                let value = value(rust);
                format!("{rust}: {value}")
            });
            format!("Self {{ {} }}", fields.collect::<Vec<_>>().join(", "))
        };
        // What derives write is the same and longer.
        let clone = each(&|rust| format!("self.{rust}.clone()"));
        module.implement(name, "Clone", "clone(&self) -> Self", &clone);
        if required.is_empty() {
            let default = each(&|_| "Default::default()".to_owned());
            module.implement(name, "Default", "default() -> Self", &default);
            return;
        }
        let arguments: Vec<_> = required
            .iter()
            .map(|slot| format!("{}: {}", slot.rust, slot.ty))
            .collect();
        let fields: Vec<_> = slots
            .iter()
            .map(|slot| {
                if slot.required {
                    slot.rust.clone()
                } else {
                    format!("{}: Default::default()", slot.rust)
                }
            })
            .collect();
        module.line(0, &format!("impl {name} {{"));
        module.doc(
            1,
            Some("With what is required; everything else is left out."),
        );
        module.line(1, "#[inline]");
        module.line(
            1,
            &format!("pub fn new({}) -> Self {{", arguments.join(", ")),
        );
        module.line(2, &format!("Self {{ {} }}", fields.join(", ")));
        module.line(1, "}");
        module.line(0, "}");
    }

    fn write_one_of(&self, module: &mut Module, name: &str, slots: &[Slot]) {
        module.line(
            0,
            &format!(
                "#[derive({})]",
                self.input_derives(&["Clone"], &["Default"])
            ),
        );
        module.line(0, &format!("pub enum {name} {{"));
        for slot in slots {
            module.doc(1, slot.doc.as_deref());
            module.line(1, &format!("{}({}),", slot.rust, slot.ty));
        }
        module.line(0, "}");
        if self.settings.input_derives.ask_for("Serialize") {
            module.serialize(name, "t::serialize(self, s)");
        }
        let arms = slots.iter().map(|slot| {
            format!(
                "    Self::{}(value) => (\"{}\", value),",
                slot.rust, slot.name
            )
        });
        let arms: Vec<_> = arms.collect();
        let mut body = vec!["if i > 0 {", "    return None;", "}", "Some(match self {"];
        body.extend(arms.iter().map(String::as_str));
        body.push("})");
        write_contracts(module, name, &body);
    }

    /// What an input derives: `ours` and what is asked for.
    fn input_derives(&self, ours: &[&'static str], by_hand: &[&str]) -> String {
        let by_hand = [by_hand, &INPUTS_BY_HAND].concat();
        let paths = self.settings.input_derives.around(ours, &by_hand);
        self.imported.list(&paths)
    }
}

/// The fields one by one, of which `member` is the body, and `Debug` and `PartialEq` by them.
fn write_contracts(module: &mut Module, name: &str, member: &[&str]) {
    module.line(0, &format!("impl t::Fields for {name} {{"));
    module.line(1, "#[inline]");
    module.line(
        1,
        "fn member(&self, i: usize) -> Option<(&str, &dyn t::Item)> {",
    );
    for line in member {
        module.line(2, line);
    }
    module.line(1, "}");
    module.line(0, "}");
    for (contract, head, body) in [
        (
            "PartialEq",
            "eq(&self, other: &Self) -> bool",
            "t::input_eq(self, other)",
        ),
        (
            "t::Debug",
            "fmt(&self, f: &mut t::Formatter<'_>) -> t::Fmt",
            "t::input_fmt(self, f)",
        ),
    ] {
        module.implement(name, contract, head, body);
    }
}

fn non_null(ty: &TypeRef) -> TypeRef {
    match ty.clone() {
        TypeRef::Named { name, .. } => TypeRef::Named {
            name,
            non_null: true,
        },
        TypeRef::List { item, .. } => TypeRef::List {
            item,
            non_null: true,
        },
    }
}

/// The type of a value that is given and not null.
fn value_type(ty: &TypeRef, core: &str) -> String {
    match ty {
        TypeRef::Named { .. } => core.to_owned(),
        TypeRef::List { item, .. } if item.is_non_null() => {
            format!("Vec<{}>", value_type(item, core))
        }
        TypeRef::List { item, .. } => format!("Vec<Option<{}>>", value_type(item, core)),
    }
}
