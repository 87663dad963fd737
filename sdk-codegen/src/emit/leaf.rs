//! Scalars and enums.

use super::Emitter;
use super::module::{Module, TypeName};
use super::name::{self, Scope};
use crate::schema::{EnumValue, TypeKind};

/// The type of a leaf.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub(super) name: TypeName,
    /// Whether it is a type of the project, read and written through serde.
    pub(super) foreign: bool,
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

impl Emitter<'_> {
    /// The type of a scalar or enum, written when it is first asked for.
    pub(super) fn leaf(&mut self, ty: &str) -> Leaf {
        if let Some(known) = self.leaves.get(ty) {
            return known.clone();
        }
        let leaf = self.make_leaf(ty);
        self.leaves.insert(ty.to_owned(), leaf.clone());
        leaf
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
        let mut scope = Scope::with(["Unknown"]);
        let variants: Vec<_> = values
            .iter()
            .map(|value| self.variant(value, &mut scope))
            .collect();
        let derives = self.derives(&["Eq", "Hash"]);
        module.line(0, &format!("#[derive({derives})]"));
        module.line(0, &format!("pub enum {name} {{"));
        for (value, variant) in values.iter().zip(&variants) {
            module.doc(1, self.docs(value.description.as_deref()));
            module.line(1, &format!("{variant},"));
        }
        module.doc(
            1,
            Some("A value that the schema did not have when this code was generated."),
        );
        module.line(1, "Unknown(String),");
        module.line(0, "}");

        module.line(0, &format!("impl {name} {{"));
        module.doc(1, Some("The value as the schema writes it."));
        module.line(1, "#[inline]");
        module.line(1, "pub fn as_str(&self) -> &str {");
        module.line(2, "match self {");
        for (value, variant) in values.iter().zip(&variants) {
            module.line(3, &format!("Self::{variant} => \"{}\",", value.name));
        }
        module.line(3, "Self::Unknown(text) => text,");
        module.line(2, "}");
        module.line(1, "}");
        module.line(0, "}");

        let mut sorted: Vec<_> = values.iter().zip(&variants).collect();
        sorted.sort_by_key(|(value, _)| &value.name);
        module.line(0, &format!("impl From<&str> for {name} {{"));
        module.line(1, "#[inline]");
        module.line(1, "fn from(text: &str) -> Self {");
        module.line(2, &format!("const VALUES: &[(&str, {name})] = &["));
        for (value, variant) in sorted {
            module.line(3, &format!("(\"{}\", {name}::{variant}),", value.name));
        }
        module.line(2, "];");
        module.line(2, "t::enum_value(text, VALUES, Self::Unknown)");
        module.line(1, "}");
        module.line(0, "}");

        for (head, body) in [
            (
                "t::Decode",
                "fn decode(r: &mut t::Reader<'_>) -> Result<Self, t::DecodeError> {\n        t::enumeration(r)",
            ),
            (
                "t::Item",
                "fn view(&self) -> t::View<'_> {\n        t::View::Text(self.as_str())",
            ),
            (
                "::std::fmt::Display",
                "fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {\n        f.pad(self.as_str())",
            ),
        ] {
            module.line(0, &format!("impl {head} for {name} {{"));
            module.line(1, "#[inline]");
            for line in body.lines() {
                let deeper = if line.starts_with(' ') { 2 } else { 1 };
                module.line(deeper, line.trim_start());
            }
            module.line(1, "}");
            module.line(0, "}");
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
