use super::cursor::Cursor;
use super::outline::{Entry, Unexpected};
use super::problem;
use super::sdl::place;
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// The root types of a schema, each with the place that names it.
#[derive(Debug, Default)]
pub(super) struct Roots {
    pub(super) query: String,
    pub(super) mutation: Option<String>,
    pub(super) subscription: Option<String>,
}

impl Roots {
    /// Reads `schema { … }` and its extensions; without a definition the roots are the types of
    /// the usual names.
    pub(super) fn find(
        text: &str,
        schema: &[Entry],
        is_object: impl Fn(&str) -> bool,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut reading = Reading {
            text,
            named: [const { None }; 3],
            problems: Vec::new(),
        };
        let mut definitions = schema.iter().filter(|entry| !entry.extends);
        let definition = definitions.next();
        for again in definitions {
            let first = definition.unwrap_or(again).range.start;
            let here = place(again.range.start..again.range.start + "schema".len());
            let there = place(first..first + "schema".len());
            let message = "the schema has two `schema { … }`: leave one, with all its roots";
            let problem = Diagnostic::error(message, here);
            reading
                .problems
                .push(problem.with_label(there, "the first one"));
        }
        for entry in schema {
            reading.body(entry);
        }
        let Reading {
            named,
            mut problems,
            ..
        } = reading;
        for (index, root) in named.iter().enumerate() {
            let Some((root, span)) = root else { continue };
            if !is_object(root) {
                let message = format!("the root `{root}` is not an object type of the schema");
                problems.push(Diagnostic::error(message, span.clone()));
            }
            let mut earlier = named[..index].iter().flatten();
            if let Some((_, first)) = earlier.find(|(name, _)| name == root) {
                let message = format!("`{root}` is two roots, and each must be a type of its own");
                let problem = Diagnostic::error(message, span.clone());
                problems.push(problem.with_label(first.clone(), "the other root"));
            }
        }
        let usual = |name: &str| (definition.is_none() && is_object(name)).then(|| name.to_owned());
        let [query, mutation, subscription] = named.map(|root| root.map(|(name, _)| name));
        let query = query.or_else(|| usual("Query"));
        if query.is_none() && problems.is_empty() {
            let start = definition.map_or(0, |entry| entry.range.start);
            let length = definition.map_or(0, |_| "schema".len());
            let at = place(start..start + length);
            let problem = Diagnostic::error("the schema has no query root", at);
            let help = "it needs `schema { query: … }`, or a type named `Query`";
            problems.push(problem.with_help(help));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok(Self {
            query: query.unwrap_or_default(),
            mutation: mutation.or_else(|| usual("Mutation")),
            subscription: subscription.or_else(|| usual("Subscription")),
        })
    }
}

struct Reading<'a> {
    text: &'a str,
    /// Query, mutation, subscription.
    named: [Option<(String, Span)>; 3],
    problems: Vec<Diagnostic>,
}

impl Reading<'_> {
    fn body(&mut self, entry: &Entry) {
        let mut cursor = Cursor::new(&self.text[..entry.body.end], entry.body.start);
        while cursor.next_byte().is_some() {
            if let Err(unexpected) = self.root(&mut cursor) {
                let problem = problem::unexpected(self.text, &unexpected);
                return self.problems.push(problem);
            }
        }
    }

    /// `query: Name`.
    fn root(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Unexpected> {
        let at = cursor.position();
        let operations = ["query", "mutation", "subscription"];
        let operation = cursor.name().map(|operation| &self.text[operation]);
        let index = operation.and_then(|operation| operations.iter().position(|o| *o == operation));
        let Some(index) = index else {
            let wanted = "`query`, `mutation` or `subscription`";
            return Err(Unexpected { at, wanted });
        };
        let colon = cursor.take(b':');
        let Some(name) = cursor.name().filter(|_| colon) else {
            let wanted = "`:` and the name of a type";
            let at = cursor.position();
            return Err(Unexpected { at, wanted });
        };
        let root = (self.text[name.clone()].to_owned(), place(name));
        match &self.named[index] {
            Some((_, first)) => {
                let message = format!("the schema has two {} roots", operations[index]);
                let problem = Diagnostic::error(message, root.1);
                let problem = problem.with_label(first.clone(), "the first one");
                self.problems.push(problem);
            }
            None => self.named[index] = Some(root),
        }
        Ok(())
    }
}
