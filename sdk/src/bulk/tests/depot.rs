//! A counterfeit service of bulk operations with a file server, on tokio's clock.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use serde_json::{Value, json};
use tollgate_cost::{CostError, Plan, Points};

use crate::bulk::{BulkMutation, BulkQuery, Connection, Piece, Shape, Template, Variable};
use crate::transport::{BoxFuture, Chunks};
use crate::{
    Client, DecodeError, Operation, OperationKind, Transport, TransportError, TransportErrorKind,
    UserError,
};

pub(super) const ID: &str = "gid://shopify/BulkOperation/1";
pub(super) const FILE: &str = "https://files.example/result?signature=secret";

static PLAN: Plan = Plan::constant(Points(1));

macro_rules! operation {
    ($name:ident, $kind:ident, $document:literal) => {
        pub(super) struct $name;

        impl Operation for $name {
            type Variables = Value;
            type Data = Value;
            const NAME: &'static str = stringify!($name);
            const KIND: OperationKind = OperationKind::$kind;
            const DOCUMENT: &'static str = $document;
            const PLAN: &'static Plan = &PLAN;
            const MAX_COST: Points = Points(1);

            fn cost(_: &Value) -> Result<Points, CostError> {
                Ok(Points(1))
            }

            fn encode(variables: &Value, out: &mut Vec<u8>) {
                out.extend_from_slice(variables.to_string().as_bytes());
            }

            fn decode(data: &str) -> Result<Value, DecodeError> {
                decode(data)
            }

            fn user_errors(data: &Value) -> Vec<UserError> {
                let errors = data["update"]["userErrors"].as_array();
                let error = |error: &Value| UserError {
                    message: error["message"].as_str().unwrap().to_owned(),
                    ..UserError::default()
                };
                errors.into_iter().flatten().map(error).collect()
            }
        }
    };
}

operation!(Export, Query, "query Export($q:String){products(query:$q)}");
operation!(Update, Mutation, "mutation Update($id:ID!){update(id:$id)}");

impl BulkMutation for Update {}

impl BulkQuery for Export {
    type Row = Value;

    fn template() -> &'static Template {
        static TEMPLATE: Template = Template {
            pieces: Cow::Borrowed(&[
                Piece::Text(Cow::Borrowed("{products")),
                Piece::Arguments(Cow::Borrowed(&[Piece::Member {
                    name: Cow::Borrowed("query"),
                    variable: Cow::Borrowed("q"),
                }])),
                Piece::Text(Cow::Borrowed("{edges{node{_0:__typename id}}}}")),
            ]),
            variables: Cow::Borrowed(&[Variable {
                name: Cow::Borrowed("q"),
                default: None,
                form: crate::bulk::Form::Plain,
            }]),
            inputs: Cow::Borrowed(&[]),
        };
        &TEMPLATE
    }

    fn shape() -> &'static Shape {
        const fn connection(
            parent: Option<usize>,
            marker: &'static str,
            open: &'static str,
        ) -> Connection {
            Connection {
                parent,
                path: Cow::Borrowed(&[]),
                marker: Cow::Borrowed(marker),
                types: Cow::Borrowed(&[]),
                open: Cow::Borrowed(open),
                close: Cow::Borrowed("]}"),
                open_node: Cow::Borrowed(""),
                close_node: Cow::Borrowed(""),
            }
        }
        static SHAPE: Shape = Shape {
            connections: Cow::Borrowed(&[
                connection(None, "_0", ""),
                connection(Some(0), "_1", r#""variants":{"nodes":["#),
            ]),
        };
        &SHAPE
    }

    fn decode_row(json: &str) -> Result<Value, DecodeError> {
        decode(json)
    }
}

fn decode(json: &str) -> Result<Value, DecodeError> {
    serde_json::from_str(json).map_err(|error| DecodeError::new("JSON", error.to_string(), json, 0))
}

/// Products with two variants each, the variants after all products.
pub(super) fn result(products: usize) -> (String, Value) {
    let products = 0..products;
    let roots = products.clone().map(|n| {
        format!(
            "{{\"_0\":\"Product\",\"id\":\"gid://shopify/Product/{n}\",\"title\":\"№ {n} ✓\"}}\n"
        )
    });
    let variants = products.clone().flat_map(|n| {
        [1, 2].map(|v| {
            format!("{{\"_1\":\"Variant\",\"sku\":\"{n}-{v}\",\"__parentId\":\"gid://shopify/Product/{n}\"}}\n")
        })
    });
    let file: String = roots.chain(variants).collect();
    let count = products.len();
    let state = json!({
        "id": ID, "status": "COMPLETED", "errorCode": null, "url": FILE, "partialDataUrl": null,
        "objectCount": (3 * count).to_string(), "rootObjectCount": count.to_string(),
        "fileSize": file.len().to_string(),
    });
    (file, state)
}

/// An answer that the service has no points left for.
pub(super) fn throttled() -> Value {
    json!({"answer": {"errors": [{
        "message": "Throttled", "extensions": {"code": "THROTTLED"},
    }], "extensions": {"cost": {"requestedQueryCost": 1, "actualQueryCost": null, "throttleStatus": {
        "maximumAvailable": 1000.0, "currentlyAvailable": 0, "restoreRate": 50.0,
    }}}}})
}

/// A state that is not the end.
pub(super) fn state(status: &str) -> Value {
    json!({
        "id": ID, "status": status, "errorCode": null, "objectCount": "0", "rootObjectCount": "0",
        "fileSize": null, "url": null, "partialDataUrl": null,
    })
}

/// What the file server does with a request.
#[derive(Clone, Copy, Debug)]
pub(super) enum Serve {
    /// What was asked for.
    Well,
    /// The whole file, whatever range was asked for.
    Whole,
    /// So many bytes, then the connection breaks.
    Cut(usize),
    /// So many bytes, and an end that looks like one.
    Short(usize),
    /// A status.
    Status(u16),
    /// No connection.
    Down,
    /// Nothing, to an upload.
    Silent,
}

#[derive(Default)]
pub(super) struct Script {
    /// Answers to starts, in turn: payloads, whole answers under `answer`, or `lost`; then one
    /// that starts.
    pub(super) starts: VecDeque<Value>,
    /// Answers to looks, in turn, the last for good: states, or whole answers under `answer`.
    pub(super) looks: VecDeque<Value>,
    pub(super) file: Bytes,
    pub(super) serve: VecDeque<Serve>,
    /// The query of an operation, when asked.
    pub(super) running: Value,
    /// Every request: its operation name and variables, or `file` and its range.
    pub(super) log: Vec<(String, Value)>,
    pub(super) uploads: Vec<Bytes>,
}

#[derive(Clone, Default)]
pub(super) struct Depot(Arc<Mutex<Script>>);

impl Depot {
    pub(super) fn new(set: impl FnOnce(&mut Script)) -> Self {
        let depot = Self::default();
        set(&mut depot.0.lock().unwrap());
        depot
    }

    /// An operation that completes with a file.
    pub(super) fn completing(products: usize, serve: &[Serve]) -> Self {
        let (file, end) = result(products);
        Self::new(|script| {
            script.looks = [state("RUNNING"), end].into();
            script.file = file.into();
            script.serve = serve.iter().copied().collect();
        })
    }

    pub(super) fn client(&self) -> Client {
        let builder = Client::builder("test.myshopify.com", "canary");
        builder.transport(self.clone()).build().unwrap()
    }

    pub(super) fn set(&self, set: impl FnOnce(&mut Script)) {
        set(&mut self.0.lock().unwrap());
    }

    /// The names of the requests so far.
    pub(super) fn names(&self) -> Vec<String> {
        self.0
            .lock()
            .unwrap()
            .log
            .iter()
            .map(|(name, _)| name.clone())
            .collect()
    }

    pub(super) fn log(&self) -> Vec<(String, Value)> {
        self.0.lock().unwrap().log.clone()
    }

    pub(super) fn uploads(&self) -> Vec<Bytes> {
        self.0.lock().unwrap().uploads.clone()
    }

    fn answer(&self, body: &Value) -> Result<Value, TransportError> {
        let mut script = self.0.lock().unwrap();
        let name = body["operationName"].as_str().unwrap().to_owned();
        script.log.push((name.clone(), body["variables"].clone()));
        let started = json!({"bulkOperation": state("CREATED"), "userErrors": []});
        let data = match name.as_str() {
            "BulkQueryRun" | "BulkMutationRun" => {
                let payload = script.starts.pop_front().unwrap_or(started);
                if payload == "lost" {
                    return Err(TransportError::new(TransportErrorKind::Closed, "lost"));
                }
                if let Some(answer) = payload.get("answer") {
                    return Ok(answer.clone());
                }
                json!({ format!("bulkOperationRun{}", &name[4..name.len() - 3]): payload })
            }
            "BulkProgress" => {
                let last = script.looks.len() <= 1;
                let state = script.looks.pop_front().unwrap_or_default();
                if last {
                    script.looks.push_back(state.clone());
                }
                if let Some(answer) = state.get("answer") {
                    return Ok(answer.clone());
                }
                json!({"bulkOperation": state})
            }
            "BulkQuery" => json!({"node": {"query": script.running}}),
            "BulkCancel" => json!({"bulkOperationCancel": {
                "bulkOperation": {"id": ID, "status": "CANCELING"}, "userErrors": [],
            }}),
            "UploadTarget" => json!({"stagedUploadsCreate": {"userErrors": [], "stagedTargets": [{
                "url": "https://files.example/upload",
                "parameters": [
                    {"name": "policy", "value": "p"}, {"name": "key", "value": "tmp/input.jsonl"},
                ],
            }]}}),
            other => panic!("{other}"),
        };
        Ok(json!({ "data": data }))
    }

    fn serve(
        &self,
        request: &http::Request<Bytes>,
    ) -> Result<http::Response<Box<dyn Chunks>>, TransportError> {
        let headers = request.headers();
        assert!(
            !format!("{headers:?}").contains("canary"),
            "the token goes to no file server"
        );
        let mut script = self.0.lock().unwrap();
        if request.method() == http::Method::POST {
            script.uploads.push(request.body().clone());
        }
        let range = headers
            .get("range")
            .map(|range| range.to_str().unwrap().to_owned());
        script.log.push(("file".to_owned(), json!(range)));
        let start = range.map_or(0, |range| {
            range["bytes=".len()..range.len() - 1].parse().unwrap()
        });
        let act = script.serve.pop_front().unwrap_or(Serve::Well);
        let whole = script.file.clone();
        let cut = || TransportError::new(TransportErrorKind::Closed, "cut");
        let (status, body, end) = match act {
            Serve::Down => return Err(TransportError::new(TransportErrorKind::Connect, "down")),
            Serve::Silent => return Err(TransportError::timeout()),
            Serve::Status(status) => (status, Bytes::from("<Error>no</Error>"), None),
            Serve::Whole => (200, whole.clone(), None),
            Serve::Well if start > 0 => (206, whole.slice(start..), None),
            Serve::Well => (200, whole.clone(), None),
            Serve::Cut(length) | Serve::Short(length) => {
                let end = (start + length).min(whole.len());
                let status = if start > 0 { 206 } else { 200 };
                let cut = matches!(act, Serve::Cut(_)).then(cut);
                (status, whole.slice(start..end), cut)
            }
        };
        let mut pieces: VecDeque<_> = body
            .chunks(7)
            .map(|c| Ok(Bytes::copy_from_slice(c)))
            .collect();
        pieces.extend(end.map(Err));
        let mut response = http::Response::new(Box::new(Pieces(pieces)) as Box<dyn Chunks>);
        *response.status_mut() = http::StatusCode::from_u16(status).unwrap();
        if status == 206 {
            let range = format!("bytes {start}-{}/{}", whole.len() - 1, whole.len());
            response
                .headers_mut()
                .insert("content-range", range.parse().unwrap());
        }
        Ok(response)
    }
}

struct Pieces(VecDeque<Result<Bytes, TransportError>>);

impl Chunks for Pieces {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Bytes>, TransportError>> {
        let piece = self.0.pop_front().transpose();
        Box::pin(async { piece })
    }
}

impl Transport for Depot {
    fn send(
        &self,
        request: http::Request<Bytes>,
        _: usize,
    ) -> BoxFuture<'_, Result<http::Response<Bytes>, TransportError>> {
        Box::pin(async move {
            if request.uri().host() == Some("files.example") {
                let response = self.serve(&request);
                if matches!(&response, Err(error) if error.kind() == TransportErrorKind::Timeout) {
                    std::future::pending::<()>().await;
                }
                return Ok(response?.map(|_| Bytes::new()));
            }
            let body = serde_json::from_slice(request.body()).unwrap();
            let answer = self.answer(&body)?;
            Ok(http::Response::new(answer.to_string().into()))
        })
    }

    fn open(
        &self,
        request: http::Request<Bytes>,
    ) -> BoxFuture<'_, Result<http::Response<Box<dyn Chunks>>, TransportError>> {
        Box::pin(async move { self.serve(&request) })
    }
}
