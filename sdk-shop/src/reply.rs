//! What goes over the wire.

use std::sync::Arc;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderName, HeaderValue};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tollgate_codegen::pricing::Shape;

use crate::answer::{Answer, shape_of_text};
use crate::cost::CostBlock;
use crate::fault::{Effect, Wire};
use crate::log::Outcome;
use crate::refusal::Refusal;
use crate::shop::FilePart;

/// The content type of answers.
pub(crate) const JSON: &str = "application/json; charset=utf-8";

/// An answer, and what the connection does to it.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) response: http::Response<Bytes>,
    /// What is sent in place of the body.
    pub(crate) file: Option<FilePart>,
    pub(crate) wire: Option<Wire>,
}

impl Reply {
    pub(crate) fn new(status: u16, content_type: &str, body: impl Into<Bytes>) -> Self {
        let mut reply = Self {
            response: http::Response::new(body.into()),
            file: None,
            wire: None,
        };
        *reply.response.status_mut() = http::StatusCode::from_u16(status).unwrap_or_default();
        reply.set_header(CONTENT_TYPE.as_str(), content_type);
        reply
    }

    pub(crate) fn json(status: u16, body: &impl Serialize) -> Self {
        match serde_json::to_vec(body) {
            Ok(body) => Self::new(status, JSON, body),
            Err(error) => unreachable!("answers hold nothing that JSON cannot: {error}"),
        }
    }

    /// A status with its text under `errors`.
    pub(crate) fn status(status: u16) -> Self {
        Self::json(status, &json!({ "errors": status_text(status) }))
    }

    /// What a fault makes of the answer, and what it is then, if that changes.
    pub(crate) fn suffer(&mut self, effect: &Effect) -> Option<Outcome> {
        match effect {
            Effect::Reply {
                status,
                headers,
                body,
            } => {
                *self = Self::new(*status, "text/plain", body.clone());
                for (name, value) in headers {
                    self.set_header(name, value);
                }
                Some(Outcome::Status(*status))
            }
            Effect::Refused { error, null_data } => {
                let mut body = json!({ "errors": [error] });
                if *null_data {
                    body["data"] = Value::Null;
                }
                *self = Self::json(200, &body);
                Some(Outcome::Refused)
            }
            Effect::Header(name, value) => {
                self.set_header(name, value);
                None
            }
            Effect::Truncated => {
                let body = self.response.body_mut();
                *body = body.slice(..body.len() / 2);
                if let Some(file) = &mut self.file {
                    file.truncate(file.len() / 2);
                }
                Some(Outcome::Lost)
            }
            Effect::Wire(wire) => {
                self.wire = Some(*wire);
                match wire {
                    Wire::Drip(_) => None,
                    _ => Some(Outcome::Lost),
                }
            }
            Effect::Throttled { .. }
            | Effect::Root(_)
            | Effect::Payload(_)
            | Effect::Cost(_)
            | Effect::CostMember(..) => None,
        }
    }

    /// Sets a header; a name or value that HTTP does not allow is left out.
    pub(crate) fn set_header(&mut self, name: &str, value: &str) {
        if let (Ok(name), Ok(value)) = (
            HeaderName::from_bytes(name.as_bytes()),
            HeaderValue::from_str(value),
        ) {
            self.response.headers_mut().insert(name, value);
        }
    }
}

/// What the server says for an HTTP status.
pub(crate) fn status_text(status: u16) -> &'static str {
    match status {
        400 => "Required parameter missing or invalid",
        401 => "[API] Invalid API key or access token (unrecognized login or wrong password)",
        402 => "Unavailable Shop",
        403 => "User does not have access",
        404 => "Not Found",
        413 => "Payload Too Large",
        423 => "This shop is unavailable",
        429 => {
            "Exceeded 2 calls per second for api client. Reduce request rates to resume \
             uninterrupted service."
        }
        430 => "Shopify Security Rejection",
        500..=599 => "Internal Server Error",
        _ => "Something went wrong",
    }
}

/// The members of a body with status 200.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Body<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<Data<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) errors: Vec<Refusal>,
    #[serde(rename = "extensions", skip_serializing_if = "Option::is_none")]
    pub(crate) cost: Option<CostBlock>,
}

/// `data`: executed, or given by a test.
#[derive(Debug)]
pub(crate) enum Data<'a> {
    Executed(Answer<'a>),
    Given(Arc<RawValue>),
}

impl Data<'_> {
    pub(crate) fn shape(&self) -> Shape {
        match self {
            Self::Executed(data) => data.shape(),
            Self::Given(data) => shape_of_text(data),
        }
    }
}

impl Serialize for Data<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Executed(data) => data.serialize(serializer),
            Self::Given(data) => data.serialize(serializer),
        }
    }
}

impl Body<'_> {
    pub(crate) fn refused(errors: Vec<Refusal>) -> Self {
        Self {
            errors,
            ..Self::default()
        }
    }
}
