//! Scalars and enums: plausible values in the text forms of the real API.

use serde_json::Value;
use tollgate_codegen::schema::{FieldDefinition, Schema, TypeDefinition, TypeKind};

use crate::gid::Gid;
use crate::seed::Seed;
use crate::timestamp::Timestamp;

const FIRST_NAMES: [&str; 8] = [
    "Ada", "Björn", "Chloé", "Dmitri", "Esra", "Fatou", "Gwen", "Hiroshi",
];
const LAST_NAMES: [&str; 8] = [
    "Lovelace",
    "Ångström",
    "Dupont",
    "Ivanov",
    "Yılmaz",
    "Diop",
    "Llewellyn",
    "Tanaka",
];
const WORDS: [&str; 8] = [
    "Oak", "Linen", "Copper", "Café", "Nordic", "Velvet", "Amber", "Slate",
];
const CITIES: [&str; 4] = ["Ottawa", "Zürich", "São Paulo", "Kyōto"];

/// How a leaf makes its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Leaf {
    /// The global id of the object itself.
    Id,
    /// The global id of another object, of this type.
    IdOf(String),
    Int,
    Float,
    Boolean,
    /// A text, by the name of its field.
    Text(String),
    Money,
    DateTime,
    Date,
    Url,
    Html,
    Json,
    /// An integer as a text. `true`: the key of the object.
    Digits(bool),
    Color,
    UtcOffset,
    /// One of the values of an enum.
    Enum(Vec<String>),
}

impl Leaf {
    pub(super) fn of(schema: &Schema, parent: &TypeDefinition, field: &FieldDefinition) -> Self {
        let base = field.ty.base();
        match base {
            "ID" if field.name == "id" => Self::Id,
            "ID" => Self::IdOf(pointed_type(schema, parent, &field.name)),
            "Int" => Self::Int,
            "Float" => Self::Float,
            "Boolean" => Self::Boolean,
            "Money" | "Decimal" => Self::Money,
            "DateTime" => Self::DateTime,
            "Date" => Self::Date,
            "URL" => Self::Url,
            "HTML" => Self::Html,
            "JSON" => Self::Json,
            "UnsignedInt64" | "BigInt" => Self::Digits(field.name == "legacyResourceId"),
            "Color" => Self::Color,
            "UtcOffset" => Self::UtcOffset,
            _ => match schema.get(base).map(|ty| &ty.kind) {
                Some(TypeKind::Enum { values }) => {
                    let current = values.iter().filter(|value| value.deprecated.is_none());
                    let mut names: Vec<_> = current.map(|value| value.name.clone()).collect();
                    // One currency in all of the shop.
                    if base == "CurrencyCode" && names.iter().any(|name| name == "USD") {
                        names = vec!["USD".into()];
                    }
                    Self::Enum(names)
                }
                _ => Self::Text(field.name.clone()),
            },
        }
    }

    /// The value on the object of a type with a key. `place` varies it.
    pub(super) fn value(&self, ty: &TypeDefinition, key: u64, place: Seed) -> Value {
        match self {
            Self::Id => gid(&ty.name, key),
            Self::IdOf(other) => gid(other, key),
            Self::Int => place.below(100).into(),
            Self::Float => Value::from(f64::from(small(place, 10_000)) / 100.0),
            Self::Boolean => (place.below(2) == 0).into(),
            Self::Text(field) => text(field, &ty.name, key, place).into(),
            Self::Money => {
                let cents = place.below(20_000);
                format!("{}.{:02}", cents / 100, cents % 100).into()
            }
            Self::DateTime => moment(place).into(),
            Self::Date => moment(place)[..10].into(),
            Self::Url => format!("https://shop.example/{}/{key}", kebab(&ty.name)).into(),
            Self::Html => format!("<p>{} &amp; more</p>", describe(place)).into(),
            Self::Json => serde_json::json!({ "n": place.below(100) }),
            Self::Digits(true) => key.to_string().into(),
            Self::Digits(false) => place.below(1_000_000).to_string().into(),
            Self::Color => format!("#{:06X}", place.below(0x0100_0000)).into(),
            Self::UtcOffset => "+00:00".into(),
            Self::Enum(names) => pick(names, place).map_or(Value::Null, Value::from),
        }
    }

    /// Whether a value that a mutation was given can stand here.
    pub(super) fn takes(&self, value: &Value) -> bool {
        match self {
            Self::Int => value.is_i64() || value.is_u64(),
            Self::Float => value.is_number(),
            Self::Boolean => value.is_boolean(),
            Self::Json => true,
            Self::Enum(names) => value
                .as_str()
                .is_some_and(|text| names.iter().any(|name| name == text)),
            _ => value.is_string(),
        }
    }
}

fn gid(resource: &str, key: u64) -> Value {
    Gid { resource, key }.to_string().into()
}

/// The type an id field points to, read off its name: `deletedProductId`, `ownerId`.
fn pointed_type(schema: &Schema, parent: &TypeDefinition, field: &str) -> String {
    let name = field.strip_suffix("Id").unwrap_or(field);
    let name = name.strip_prefix("deleted").unwrap_or(name);
    let mut letters = name.chars();
    let upper: String = letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default();
    let object = schema.get(&upper).is_some_and(|ty| ty.is_composite());
    if object { upper } else { parent.name.clone() }
}

fn small(place: Seed, limit: u32) -> u32 {
    u32::try_from(place.below(limit.into())).unwrap_or(0)
}

fn pick<T: Clone>(from: &[T], place: Seed) -> Option<T> {
    let count = u64::try_from(from.len()).ok()?;
    from.get(usize::try_from(place.below(count)).ok()?).cloned()
}

fn word(place: Seed) -> &'static str {
    pick(&WORDS, place).unwrap_or("Oak")
}

fn describe(place: Seed) -> String {
    let (first, second) = (word(place.number(1)), word(place.number(2)));
    format!("{first} and {second} – made to last")
}

fn moment(place: Seed) -> String {
    let timestamp = Timestamp {
        month: 1 + place.below(12),
        day: 1 + place.number(1).below(28),
        second: place.number(2).below(86_400),
    };
    timestamp.to_string()
}

fn text(field: &str, ty: &str, key: u64, place: Seed) -> String {
    let first = || pick(&FIRST_NAMES, place).unwrap_or("Ada");
    let last = || pick(&LAST_NAMES, place.number(1)).unwrap_or("Lovelace");
    match field {
        "title" | "name" => format!("{} {key}", sentence(ty)),
        "handle" | "slug" => format!("{}-{key}", kebab(ty)),
        "sku" => format!("SKU-{key:06}"),
        "barcode" => format!("{:013}", place.below(10_000_000_000_000)),
        "firstName" => first().into(),
        "lastName" => last().into(),
        "displayName" if ty != "Customer" => format!("{} {key}", sentence(ty)),
        "displayName" => format!("{} {}", first(), last()),
        "email" => format!("{}-{key}@shop.example", kebab(ty)),
        "phone" => format!("+1555{:07}", place.below(10_000_000)),
        "city" => pick(&CITIES, place).unwrap_or("Ottawa").into(),
        "zip" => format!("{:05}", place.below(100_000)),
        "countryCodeV2" | "countryCode" => "CA".into(),
        "myshopifyDomain" => "tollgate-shop.myshopify.com".into(),
        "vendor" | "productType" => word(place).into(),
        "namespace" => "custom".into(),
        "key" => format!("key_{}", place.below(10)),
        "tags" => word(place).to_lowercase(),
        "cursor" | "defaultCursor" => crate::cursor::encode(key),
        field if field.ends_with("escription") => describe(place),
        field => format!("{} {}", sentence(field), place.below(1000)),
    }
}

/// `ProductVariant` as `Product variant`.
fn sentence(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if text.is_empty() {
            text.extend(letter.to_uppercase());
        } else if letter.is_uppercase() {
            text.push(' ');
            text.extend(letter.to_lowercase());
        } else {
            text.push(letter);
        }
    }
    text
}

/// `ProductVariant` as `product-variant`.
fn kebab(name: &str) -> String {
    sentence(name).to_lowercase().replace(' ', "-")
}
