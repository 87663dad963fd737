//! Where a request goes, and what every answer says of itself.

use bytes::Bytes;
use http::{Method, Request};

use super::Shop;
use super::call::Call;
use crate::log::Outcome;
use crate::reply::Reply;

impl Shop {
    /// Answers a request; `Reply::wire` says what the connection does to it.
    pub(crate) async fn reply(&self, request: &Request<Bytes>) -> Reply {
        let mut call = Call::new(self);
        let path = request.uri().path();
        if path.starts_with("/bulk/") && request.method() == Method::GET {
            return call.download(request).await;
        }
        if path.starts_with("/staged") {
            return call.upload(request).await;
        }
        let mut reply = match self.refused(request) {
            Some(status) => {
                call.record.outcome = Outcome::Status(status);
                Reply::status(status)
            }
            None => call.answer(request).await,
        };
        let id = self.0.world.seed.name("request").number(call.number);
        let id = format!("{:016x}-{}", id.value(), call.number);
        for (name, value) in [
            ("x-shopify-api-version", self.version(request)),
            ("x-request-id", &id),
        ] {
            if !reply.response.headers().contains_key(name) {
                reply.set_header(name, value);
            }
        }
        reply
    }

    /// Answers a request whose body is too long to be read.
    pub(crate) fn refuse_length(&self) -> Reply {
        let mut call = Call::new(self);
        call.record.outcome = Outcome::Status(413);
        Reply::status(413)
    }

    /// The API version that a request is answered by.
    pub(super) fn version<'a>(&'a self, request: &'a Request<Bytes>) -> &'a str {
        let asked = request.uri().path().split('/').nth(3);
        let set = self.0.api_version.as_deref();
        set.or(asked).unwrap_or_default()
    }

    /// The status of what is no authorised POST to the GraphQL endpoint.
    fn refused(&self, request: &Request<Bytes>) -> Option<u16> {
        let mut path = request.uri().path().trim_matches('/').split('/');
        let graphql = (path.next(), path.next(), path.nth(1), path.next())
            == (Some("admin"), Some("api"), Some("graphql.json"), None);
        if !graphql || request.method() != Method::POST {
            return Some(404);
        }
        let token = request.headers().get("x-shopify-access-token");
        let right = match (&self.0.token, token) {
            (Some(right), Some(token)) => right.as_bytes() == token.as_bytes(),
            (None, Some(token)) => !token.is_empty(),
            (_, None) => false,
        };
        (!right).then_some(401)
    }
}
