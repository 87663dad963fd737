//! Documents, read once: parsed, validated and priced, kept by their text.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use serde_json::{Map, Value};
use tollgate_codegen::document::{Document, Operation, Valid, validate};
use tollgate_codegen::pricing::{Bounds, Priced, Rules, Shape, actual, price};
use tollgate_codegen::schema::Schema;
use tollgate_codegen::source::Source;
use tollgate_cost::Points;

use crate::refusal::{Refusal, validation};
use crate::sync::lock;

/// How many documents are kept. Clients send few; a storm of generated ones must not fill the
/// memory.
const KEPT: usize = 2_000;

/// A valid document with its prices.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) document: Valid<Document>,
    prices: Vec<Priced>,
}

impl Prepared {
    fn new(schema: &Schema, text: &str) -> Result<Self, Vec<Refusal>> {
        let source = Source::new("", text);
        let document = validate(schema, vec![source])
            .map_err(|problems| validation::refusals(schema, &problems))?;
        let unknown = validation::client_directives(&document);
        if !unknown.is_empty() {
            return Err(unknown);
        }
        let operations = document.operations.iter();
        let prices = operations
            .map(|operation| {
                price(
                    schema,
                    &document,
                    operation,
                    Rules::newest(),
                    Bounds::default(),
                )
            })
            .collect();
        Ok(Self { document, prices })
    }

    /// What an answer of this shape is charged in the end, in points.
    pub(crate) fn actual(
        &self,
        schema: &Schema,
        operation: &Operation,
        variables: &Map<String, Value>,
        shape: &Shape,
    ) -> Points {
        let rules = Rules::newest();
        actual(schema, &self.document, operation, rules, variables, shape)
    }

    /// The operation of a name, or the only one.
    pub(crate) fn operation(&self, name: Option<&str>) -> Result<(&Operation, &Priced), Refusal> {
        let mut operations = self.document.operations.iter().zip(&self.prices);
        match name {
            Some(name) => operations
                .find(|(operation, _)| operation.name == name)
                .ok_or_else(|| Refusal::new(format!("No operation named \"{name}\""))),
            None => match (operations.next(), operations.next()) {
                (Some(only), None) => Ok(only),
                _ => Err(Refusal::new("An operation name is required")),
            },
        }
    }
}

/// A document, or why the server refuses it.
pub(crate) type Read = Result<Arc<Prepared>, Arc<Vec<Refusal>>>;

#[derive(Debug, Default)]
pub(crate) struct Documents(Mutex<HashMap<Arc<str>, Read>>);

impl Documents {
    pub(crate) fn read(&self, schema: &Schema, text: &str) -> Read {
        if let Some(read) = lock(&self.0).get(text) {
            return read.clone();
        }
        let read = Prepared::new(schema, text).map(Arc::new).map_err(Arc::new);
        let mut kept = lock(&self.0);
        if kept.len() == KEPT {
            kept.clear();
        }
        kept.insert(text.into(), read.clone());
        read
    }
}
