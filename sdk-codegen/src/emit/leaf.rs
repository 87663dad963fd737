//! Scalars and enums.

use super::module::{Module, TypeName};
use super::name::{self, Scope};
use super::{Derives, Emitter};
use crate::schema::{EnumValue, TypeKind};

/// The type of a leaf.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub(super) name: TypeName,
    /// Whether it is a type of the project, read and written through serde.
    pub(super) foreign: bool,
}

/// Where a leaf is used. An enum has what that takes and no more, since few are used in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    /// It is read.
    Answer,
    /// It is sent.
    Input,
}

/// Scalars that the runtime has a type for.
const SCALARS: &[(&str, &str)] = &[
    ("ARN", "t::Arn"),
    ("BigInt", "i64"),
    ("Boolean", "bool"),
    ("Color", "t::Color"),
    ("Date", "t::Date"),
    ("DateTime", "t::DateTime"),
    ("Decimal", "t::Decimal"),
    ("Float", "f64"),
    ("FormattedString", "t::FormattedString"),
    ("HTML", "t::Html"),
    ("ID", "t::Id"),
    ("Int", "i32"),
    ("JSON", "t::Json"),
    ("Money", "t::Money"),
    ("StorefrontID", "t::Id"),
    ("String", "String"),
    ("URL", "t::Url"),
    ("UnsignedInt64", "u64"),
    ("UtcOffset", "t::UtcOffset"),
];

/// What an enum implements: the contract, the head of its function, and the body.
const ENUM_CONTRACTS: [(&str, &str, &str); 6] = [
    ("Clone", "clone(&self) -> Self", "*self"),
    (
        "PartialEq",
        "eq(&self, other: &Self) -> bool",
        "self.as_str() == other.as_str()",
    ),
    (
        "t::Hash",
        "hash<H: t::Hasher>(&self, state: &mut H)",
        "self.as_str().hash(state)",
    ),
    (
        "From<&str>",
        "from(text: &str) -> Self",
        "t::enum_from(text)",
    ),
    (
        "t::Debug",
        "fmt(&self, f: &mut t::Formatter<'_>) -> t::Fmt",
        "f.pad(self.as_str())",
    ),
    (
        "t::Display",
        "fmt(&self, f: &mut t::Formatter<'_>) -> t::Fmt",
        "f.pad(self.as_str())",
    ),
];

impl Emitter<'_> {
    /// The type of a scalar or enum, written when it is first asked for.
    pub(super) fn leaf(&mut self, ty: &str, side: Side) -> Leaf {
        let leaf = if let Some(known) = self.leaves.get(ty) {
            known.clone()
        } else {
            let leaf = self.make_leaf(ty);
            self.leaves.insert(ty.to_owned(), leaf.clone());
            leaf
        };
        let definition = self.schema.get(ty).map(|definition| &definition.kind);
        let enumeration = matches!(definition, Some(TypeKind::Enum { .. })) && !leaf.foreign;
        if let (TypeName::Shared(name), true) = (&leaf.name, enumeration) {
            // `Deserialize` decodes.
            let decoded = self.enum_derives().ask_for("Deserialize");
            for side in [Some(side), decoded.then_some(Side::Answer)] {
                if let Some(side) = side
                    && self.sides.insert((name.clone(), side))
                {
                    self.write_side(name, side);
                }
            }
        }
        leaf
    }

    /// What is asked for enums to derive: both inputs and answers hold them.
    fn enum_derives(&self) -> Derives {
        Derives([&self.settings.derives.0[..], &self.settings.input_derives.0].concat())
    }

    /// What an enum needs to be read, or to be sent.
    fn write_side(&mut self, name: &str, side: Side) {
        let (contract, head, body) = match side {
            Side::Answer => (
                "t::Decode",
                "decode(r: &mut t::Reader<'_>) -> Result<Self, t::Failed>",
                "t::enum_decode(r)",
            ),
            Side::Input => (
                "t::Item",
                "view(&self) -> t::View<'_>",
                "t::View::Text(self.as_str())",
            ),
        };
        let mut module = self.shared_module();
        module.implement(name, contract, head, body);
        self.return_shared(module);
    }

    fn make_leaf(&mut self, ty: &str) -> Leaf {
        let own = |name| Leaf {
            name,
            foreign: false,
        };
        if let Some(path) = self.settings.scalars.get(ty) {
            let name = self.scope.borrow_mut().claim(name::type_name(ty));
            self.aliases.push((name.clone(), path.clone()));
            return Leaf {
                name: TypeName::Shared(name),
                foreign: true,
            };
        }
        if let Some((_, path)) = SCALARS.iter().find(|(scalar, _)| *scalar == ty) {
            return own(TypeName::Runtime(path));
        }
        let definition = self.schema.get(ty).cloned();
        let mut module = self.shared_module();
        let name = module.claim(name::type_name(ty));
        let description = definition.as_ref().and_then(|it| it.description.as_deref());
        match definition.as_ref().map(|definition| &definition.kind) {
            Some(TypeKind::Enum { values }) => {
                module.doc(0, self.docs(description));
                self.write_values(&mut module, &name, values);
            }
            _ => {
                module.line(0, "t::text_scalar! {");
                module.doc(1, description.or(Some("A scalar, as text.")));
                module.line(1, &format!("{name};"));
                module.line(0, "}");
            }
        }
        self.return_shared(module);
        own(TypeName::Shared(name))
    }

    fn write_values(&self, module: &mut Module, name: &str, values: &[EnumValue]) {
        let mut values: Vec<_> = values.iter().collect();
        values.sort_by_key(|value| &value.name);
        let mut scope = Scope::with(["Unknown"]);
        let variants: Vec<_> = values
            .iter()
            .map(|value| self.variant(value, &mut scope))
            .collect();
        // None has a default.
        let asked = self.enum_derives();
        let by_hand = [
            "Clone",
            "Copy",
            "Debug",
            "Default",
            "Deserialize",
            "Eq",
            "Hash",
            "Ord",
            "PartialEq",
            "PartialOrd",
            "Serialize",
        ];
        let derives = asked.around(&[], &by_hand);
        if !derives.is_empty() {
            let derives = self.imported.list(&derives);
            module.line(0, &format!("#[derive({derives})]"));
        }
        module.line(0, &format!("pub enum {name} {{"));
        for (value, variant) in values.iter().zip(&variants) {
            module.doc(1, self.docs(value.description.as_deref()));
            module.line(1, &format!("{variant},"));
        }
        module.doc(
            1,
            Some("A value that the schema did not have when this code was generated."),
        );
        module.line(1, "Unknown(t::UnknownValue),");
        module.line(0, "}");

        let texts: Vec<_> = values
            .iter()
            .map(|value| format!("\"{}\"", value.name))
            .collect();
        let members: Vec<_> = variants
            .iter()
            .map(|variant| format!("Self::{variant}"))
            .collect();
        module.line(0, &format!("impl t::Enum for {name} {{"));
        for (table, of, items) in [
            ("TEXTS", "&'static str", texts),
            ("VALUES", "Self", members),
        ] {
            let items = items.join(", ");
            module.line(1, &format!("const {table}: &'static [{of}] = &[{items}];"));
        }
        module.function(
            1,
            "fn unknown(value: t::UnknownValue) -> Self",
            "Self::Unknown(value)",
        );
        module.line(0, "}");
        module.line(0, &format!("impl {name} {{"));
        module.doc(1, Some("The value as the schema writes it."));
        module.function(
            1,
            "pub fn as_str(self) -> &'static str",
            "match self { Self::Unknown(v) => v.as_str(), known => t::enum_str(known) }",
        );
        module.line(0, "}");
        for (contract, head, body) in ENUM_CONTRACTS {
            module.implement(name, contract, head, body);
        }
        module.line(0, &format!("impl Copy for {name} {{}}"));
        module.line(0, &format!("impl Eq for {name} {{}}"));
        if asked.ask_for("Serialize") {
            module.serialize(name, "s.serialize_str(self.as_str())");
        }
        if asked.ask_for("Deserialize") {
            module.deserialize(name);
        }
        // By the text, as equality is.
        if asked.ask_for("PartialOrd") {
            module.implement(
                name,
                "::core::cmp::PartialOrd",
                "partial_cmp(&self, other: &Self) -> Option<::core::cmp::Ordering>",
                "::core::cmp::PartialOrd::partial_cmp(self.as_str(), other.as_str())",
            );
        }
        if asked.ask_for("Ord") {
            module.implement(
                name,
                "::core::cmp::Ord",
                "cmp(&self, other: &Self) -> ::core::cmp::Ordering",
                "::core::cmp::Ord::cmp(self.as_str(), other.as_str())",
            );
        }
    }

    fn variant(&self, value: &EnumValue, scope: &mut Scope) -> String {
        let name = if self.settings.keep_variants {
            name::kept(&value.name)
        } else {
            name::pascal(&value.name)
        };
        scope.claim(name)
    }
}
