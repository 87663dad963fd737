//! Bodies of faults: the page of a gateway, the error of a server that fails.

use crate::refusal::Refusal;

/// A page of HTML, as gateways give it.
pub(super) fn page(status: u16) -> String {
    let title = http::StatusCode::from_u16(status)
        .ok()
        .and_then(|status| status.canonical_reason())
        .unwrap_or("Something went wrong");
    format!(
        "<!DOCTYPE html>\n<html><head><title>{title}</title></head>\n\
         <body><h1>{status} {title}</h1></body></html>\n"
    )
}

/// The error of a request that failed within the server.
pub(super) fn internal_error() -> Refusal {
    let id = "b8a1d5c0-3f3e-4c57-9a57-6f0d4fbc2a10-1764496800";
    let message = format!(
        "Internal error. Looks like something went wrong on our end.\nRequest ID: {id} \
         (include this in support requests)."
    );
    Refusal::new(message)
        .code("INTERNAL_SERVER_ERROR")
        .extension("requestId", id)
}
