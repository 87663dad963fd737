//! The server's words.

use crate::refusal::Refusal;

/// What the server says for an HTTP status.
pub(super) fn words(status: u16) -> &'static str {
    match status {
        400 => "Required parameter missing or invalid",
        401 => "[API] Invalid API key or access token (unrecognized login or wrong password)",
        402 => "Unavailable Shop",
        403 => "User does not have access",
        404 => "Not Found",
        423 => "This shop is unavailable",
        429 => {
            "Exceeded 2 calls per second for api client. Reduce request rates to resume uninterrupted service."
        }
        430 => "Shopify Security Rejection",
        500..=599 => "Internal Server Error",
        _ => "Something went wrong",
    }
}

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
