use bytes::Bytes;
use http::{HeaderMap, StatusCode, header};
use tollgate_cost::Points;

use super::{Cure, Fault, Ran};
use crate::{
    answer::{Body, BodyError},
    ledger::Charge,
};

/// An answer whose body was read, or could not be.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: Bytes,
    pub(crate) body: Result<Body, BodyError>,
}

impl Reply {
    pub(crate) fn read(answer: http::Response<Bytes>) -> Self {
        let (parts, text) = answer.into_parts();
        let content_type = parts.headers.get(header::CONTENT_TYPE);
        let content_type = content_type.and_then(|value| value.to_str().ok());
        Self {
            body: Body::read(text.clone(), content_type),
            status: parts.status,
            headers: parts.headers,
            text,
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The server's id of the request, from the header or from an error.
    pub(crate) fn request_id(&self) -> Option<String> {
        let inside = || {
            let errors = self.body.as_ref().ok()?.errors.iter();
            errors
                .filter_map(|error| error.extension_text("requestId"))
                .next()
        };
        self.header("x-request-id")
            .or_else(inside)
            .map(|id| id.chars().take(100).collect())
    }

    /// What the bucket was charged for a call of this price.
    pub(crate) fn charge(&self, cost: Points, fault: Option<&Fault>) -> Charge {
        let Ok(body) = &self.body else {
            return match fault {
                Some(fault) if fault.ran == Ran::No => Charge::Nothing,
                _ => Charge::Unknown,
            };
        };
        if let Some(actual) = body.cost.actual {
            return Charge::Actual(actual);
        }
        if matches!(
            fault,
            Some(Fault {
                cure: Cure::Points { .. } | Cure::Patience,
                ..
            })
        ) {
            return Charge::Nothing;
        }
        match (body.cost.requested, fault) {
            // Debited, and never refunded: seen for input lists that are too long.
            (Some(requested), _) => Charge::Actual(requested),
            (None, Some(fault)) if fault.ran == Ran::No => Charge::Nothing,
            (None, Some(_)) => Charge::Unknown,
            (None, None) => Charge::Actual(cost),
        }
    }
}
