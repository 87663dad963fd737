//! Any answer of a server, headers and cost block included: the call ends with data or a typed
//! error, and the ledger stays sane.
#![no_main]

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use tollgate::transport::BoxFuture;
use tollgate::{Client, Transport, TransportError};

mod queries {
    tollgate::operations! { schema: "../schema/admin.graphql", documents: "../queries/shop.graphql" }
}

/// Always the same answer: a status, the value of `Retry-After`, and a body.
struct Server {
    status: u16,
    retry_after: Vec<u8>,
    body: Bytes,
}

impl Transport for Server {
    fn send(
        &self,
        _: http::Request<Bytes>,
        _: usize,
    ) -> BoxFuture<'_, Result<http::Response<Bytes>, TransportError>> {
        let mut answer = http::Response::new(self.body.clone());
        if let Ok(status) = http::StatusCode::from_u16(self.status) {
            *answer.status_mut() = status;
        }
        if let Ok(value) = http::HeaderValue::from_bytes(&self.retry_after) {
            answer.headers_mut().insert("retry-after", value);
        }
        Box::pin(async { Ok(answer) })
    }
}

fuzz_target!(|input: (u16, Vec<u8>, &[u8])| {
    let (status, retry_after, body) = input;
    let server = Server {
        status: 200 + status % 400,
        retry_after,
        body: Bytes::copy_from_slice(body),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let client = Client::builder("test.myshopify.com", "shpat_canary")
            .transport(server)
            .build()
            .expect("a client");
        if let Err(error) = queries::shop_info(&client, Default::default()).await {
            let shown = format!("{error} {error:?}");
            assert!(!shown.contains("shpat_canary"), "{shown}");
        }
        let level = client.level();
        assert!(level.available.is_finite() && level.available <= level.maximum);
        assert!(level.restore_rate > 0.0 && level.in_flight == 0.0, "{level:?}");
    });
});
