use std::{fmt, future::IntoFuture, time::Duration};

use serde_json::Value;
use tollgate_cost::Points;

use super::{
    Client,
    call::{response, send},
    core::Options,
};
use crate::{
    Error, ErrorKind, Forecast, OperationKind, Priority, Response, RetryPolicy,
    request::{OperationId, Request, body},
    transport::BoxFuture,
};

/// The least that a mutation costs, as a rule: what the gate takes when nobody said more.
const MUTATION: Points = Points(10);

const QUERY: Points = Points(1);

/// A call of a document that is only known at run time. Await it to send it.
#[must_use = "a call is sent when it is awaited"]
pub struct RawCall<'a> {
    client: &'a Client,
    document: String,
    variables: Vec<u8>,
    name: Option<String>,
    estimate: Option<Points>,
    idempotent: bool,
    options: Options,
}

impl<'a> RawCall<'a> {
    pub(super) fn new(client: &'a Client, document: &str, variables: &Value) -> Self {
        let variables = match variables {
            Value::Null => "{}".to_owned(),
            variables => variables.to_string(),
        };
        Self {
            client,
            document: document.to_owned(),
            variables: variables.into_bytes(),
            name: None,
            estimate: None,
            idempotent: false,
            options: client.core.defaults.clone(),
        }
    }

    /// Which operation of the document to run; needed when there are several.
    pub fn operation_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// What the call may cost, in points. Less than the least of its kind (1 for a query, 10 for
    /// a mutation) is not taken; the first answer puts it right.
    pub fn estimate(mut self, estimate: Points) -> Self {
        self.estimate = Some(estimate);
        self
    }

    /// Says that the document carries `@idempotent` with a key in it, so that the mutation may be
    /// repeated.
    pub fn idempotent(mut self, idempotent: bool) -> Self {
        self.idempotent = idempotent;
        self
    }

    /// How urgent the call is.
    pub fn priority(mut self, priority: Priority) -> Self {
        self.options.priority = priority;
        self
    }

    /// The longest time that the call may take, waits included.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.options.deadline = Some(deadline);
        self
    }

    /// How the call is repeated. A policy out of range is brought into it.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.options.retry = policy.within_range();
        self
    }

    /// Takes data with errors beside it as an answer.
    pub fn accept_partial(mut self, accept: bool) -> Self {
        self.options.accept_partial = accept;
        self
    }

    /// Asks the server for the price of every field.
    pub fn debug_cost(mut self, debug: bool) -> Self {
        self.options.debug_cost = debug;
        self
    }

    /// What `calls` such calls are going to cost, and how long the bucket makes them take.
    #[must_use]
    pub fn forecast(&self, calls: u64) -> Forecast {
        self.client.forecast_of(&self.request(), calls)
    }

    fn request(&self) -> Request {
        let kind = kind(&self.document);
        let least = match kind {
            OperationKind::Query => QUERY,
            OperationKind::Mutation => MUTATION,
        };
        let name = self.name.clone().unwrap_or_else(|| format!("({kind})"));
        Request {
            operation: OperationId::new(name, &self.document),
            kind,
            idempotent: self.idempotent,
            price: self.estimate.unwrap_or(least).max(least),
            body: body(&self.document, self.name.as_deref(), &self.variables),
        }
    }
}

impl<'a> IntoFuture for RawCall<'a> {
    type Output = Result<Response<Value>, Error>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        let request = self.request();
        let answer = send(&self.client.core, Ok(request), "", self.options, None);
        Box::pin(async move {
            let answer = answer.await?;
            let body = answer.reply.body.as_ref().ok();
            let data = body.and_then(|body| body.data()).map(serde_json::from_str);
            match data {
                Some(Ok(data)) => Ok(response(answer.reply, answer.context, data, Vec::new())),
                _ => Err(Error::new(
                    ErrorKind::NoData,
                    answer.context,
                    answer.reply.body.ok(),
                )),
            }
        })
    }
}

impl fmt::Debug for RawCall<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawCall")
            .field("client", self.client)
            .field("name", &self.name)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

/// Whether a document only reads. One mutation in it, or nothing that can be recognised, and it
/// counts as a mutation, which is never repeated without proof.
fn kind(document: &str) -> OperationKind {
    let mut rest = document;
    let mut depth = 0_u32;
    let mut reads = false;
    while let Some(letter) = rest.chars().next() {
        let in_word = |letter: char| letter == '_' || letter.is_ascii_alphanumeric();
        let length = match letter {
            '#' => rest.find('\n').unwrap_or(rest.len()),
            '"' => text_length(rest),
            _ if in_word(letter) => rest.find(|l| !in_word(l)).unwrap_or(rest.len()),
            _ => letter.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        rest = after;
        match token {
            "mutation" | "subscription" if depth == 0 => return OperationKind::Mutation,
            "query" if depth == 0 => reads = true,
            "{" | "(" => {
                reads |= depth == 0 && token == "{";
                depth += 1;
            }
            "}" | ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    if reads {
        OperationKind::Query
    } else {
        OperationKind::Mutation
    }
}

/// The length of the string that `text` begins with, quotes included.
fn text_length(text: &str) -> usize {
    let quote = if text.starts_with("\"\"\"") {
        "\"\"\""
    } else {
        "\""
    };
    let mut at = quote.len();
    while let Some(rest) = text.get(at..) {
        if rest.starts_with(quote) {
            return at + quote.len();
        }
        let mut letters = rest.chars();
        match letters.next() {
            None => break,
            // In a block string only `\"""` is an escape; stepping over one letter covers both.
            Some('\\') => at += 1 + letters.next().map_or(0, char::len_utf8),
            Some(letter) => at += letter.len_utf8(),
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::kind;
    use crate::OperationKind::{Mutation, Query};

    #[test]
    fn knows_what_only_reads() {
        for query in [
            "{ shop { name } }",
            "query A { a(q: \"mutation } {\") { b } }",
            "# mutation\nquery A($m: Int = 1) { mutation }",
            "fragment F on Shop { name } query { shop { ...F } }",
            r#"query { a(t: """x " \""" mutation { """) }"#,
        ] {
            assert_eq!(kind(query), Query, "{query}");
        }
        for mutation in [
            "mutation { a }",
            "query A { a } mutation B { b }",
            "# query\nmutation B($x: Int) { b }",
            "query A { a(q: \"\\\"\") } mutation B { b }",
            "",
            "nonsense",
        ] {
            assert_eq!(kind(mutation), Mutation, "{mutation}");
        }
    }
}
