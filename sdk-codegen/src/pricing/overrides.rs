use std::collections::BTreeMap;

use serde::Deserialize;
use tollgate_cost::MilliPoints;
use toml::Spanned;

use super::price::Price;
use crate::diagnostic::{Diagnostic, Diagnostics, suggest};
use crate::schema::Schema;
use crate::source::{Source, Span};

/// The prices of a project's own: what its server charges differently from the rules. Usually
/// `schema/costs.toml`:
///
/// ```toml
/// [types]
/// MoneyV2 = 0
///
/// [fields]
/// "Product.variantsCount" = 10
///
/// [mutations]
/// fulfillmentTrackingInfoUpdate = 50
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// What a field costs that returns an object of the type, in points.
    pub types: BTreeMap<String, MilliPoints>,
    /// What a field costs, by `Type.field`, in points.
    pub fields: BTreeMap<String, MilliPoints>,
    /// What a mutation costs before what is selected below its payload, in points.
    pub mutations: BTreeMap<String, MilliPoints>,
}

type Section = BTreeMap<Spanned<String>, Spanned<Price>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    types: Section,
    #[serde(default)]
    fields: Section,
    #[serde(default)]
    mutations: Section,
}

impl Overrides {
    /// Reads the file and holds it against the schema.
    ///
    /// # Errors
    /// Everything that is wrong with it: syntax, prices that are none, names that the schema does
    /// not have.
    pub fn parse(schema: &Schema, source: &Source) -> Result<Self, Diagnostics> {
        let fail = |problems| Err(Diagnostics::new(vec![source.clone()], problems));
        let file: File = match toml::from_str(&source.text) {
            Ok(file) => file,
            Err(error) => {
                let span = error.span().map(|range| Span { source: 0, range });
                return fail(vec![Diagnostic::error(error.message(), span)]);
            }
        };
        let mut problems = Vec::new();
        for name in file.types.keys() {
            problems.extend(type_problem(schema, name));
        }
        for coordinate in file.fields.keys() {
            problems.extend(field_problem(schema, coordinate));
        }
        for name in file.mutations.keys() {
            let root = schema.mutation_type().unwrap_or_default();
            problems.extend(member_problem(schema, root, name.get_ref(), name));
        }
        if !problems.is_empty() {
            return fail(problems);
        }
        Ok(Self {
            types: prices(file.types),
            fields: prices(file.fields),
            mutations: prices(file.mutations),
        })
    }

    /// As a file that [`Overrides::parse`] reads.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let sections = [
            ("types", &self.types),
            ("fields", &self.fields),
            ("mutations", &self.mutations),
        ];
        let mut text = String::new();
        for (name, prices) in sections
            .into_iter()
            .filter(|(_, prices)| !prices.is_empty())
        {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&format!("[{name}]\n"));
            for (key, price) in prices {
                text.push_str(&format!("\"{key}\" = {price}\n"));
            }
        }
        text
    }
}

fn prices(section: Section) -> BTreeMap<String, MilliPoints> {
    let prices = section.into_iter();
    prices
        .map(|(key, price)| (key.into_inner(), price.into_inner().0))
        .collect()
}

fn span(key: &Spanned<String>) -> Span {
    Span {
        source: 0,
        range: key.span(),
    }
}

fn type_problem(schema: &Schema, name: &Spanned<String>) -> Option<Diagnostic> {
    match schema.get(name.get_ref()) {
        Some(definition) if definition.is_composite() => None,
        Some(_) => {
            let message = format!(
                "`{}` is no object type: only objects have prices",
                name.get_ref()
            );
            Some(Diagnostic::error(message, span(name)))
        }
        None => {
            let message = format!("the schema has no type `{}`", name.get_ref());
            let problem = Diagnostic::error(message, span(name));
            Some(suggested(problem, name.get_ref(), schema.type_names()))
        }
    }
}

fn field_problem(schema: &Schema, coordinate: &Spanned<String>) -> Option<Diagnostic> {
    let Some((on, field)) = coordinate.get_ref().split_once('.') else {
        let message = format!(
            "`{}` is no field: write it as `Type.field`",
            coordinate.get_ref()
        );
        return Some(Diagnostic::error(message, span(coordinate)));
    };
    if schema.get(on).is_none() {
        let message = format!("the schema has no type `{on}`");
        let problem = Diagnostic::error(message, span(coordinate));
        return Some(suggested(problem, on, schema.type_names()));
    }
    member_problem(schema, on, field, coordinate)
}

fn member_problem(
    schema: &Schema,
    on: &str,
    field: &str,
    key: &Spanned<String>,
) -> Option<Diagnostic> {
    if schema.field(on, field).is_some() {
        return None;
    }
    let message = format!("type `{on}` has no field `{field}`");
    let problem = Diagnostic::error(message, span(key));
    let fields = schema
        .get(on)
        .map(|definition| definition.fields().to_vec());
    let fields = fields.unwrap_or_default();
    Some(suggested(
        problem,
        field,
        fields.iter().map(|field| field.name.as_str()),
    ))
}

fn suggested<'n>(
    problem: Diagnostic,
    name: &str,
    known: impl Iterator<Item = &'n str>,
) -> Diagnostic {
    match suggest(name, known) {
        Some(close) => problem.with_help(format!("did you mean `{close}`?")),
        None => problem,
    }
}
