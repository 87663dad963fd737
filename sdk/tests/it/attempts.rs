//! What all attempts of a call have in common.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::json;
use tollgate::{Client, RetryPolicy, Transport, TransportError, transport::BoxFuture};

use crate::till::status;

/// Fails everything; notes where the body lies and what is in flight meanwhile.
#[derive(Clone, Default)]
struct Deaf {
    bodies: Arc<Mutex<BTreeSet<usize>>>,
    in_flight: Arc<Mutex<Vec<f64>>>,
    shop: Arc<Mutex<Option<Client>>>,
}

impl Transport for Deaf {
    fn send(
        &self,
        request: http::Request<bytes::Bytes>,
        _: usize,
    ) -> BoxFuture<'_, Result<http::Response<bytes::Bytes>, TransportError>> {
        let place = request.body().as_ptr() as usize;
        self.bodies.lock().unwrap().insert(place);
        if let Some(shop) = &*self.shop.lock().unwrap() {
            self.in_flight.lock().unwrap().push(shop.level().in_flight);
        }
        Box::pin(async { status(503, "") })
    }
}

#[tokio::test(start_paused = true)]
async fn all_attempts_share_one_body_and_take_their_points() {
    let deaf = Deaf::default();
    let mut policy = RetryPolicy::default();
    policy.attempts = 100;
    policy.failures = 100;
    policy.longest_backoff = Duration::from_secs(1);
    let shop = Client::builder("test.myshopify.com", "token")
        .transport(deaf.clone())
        .retry(policy)
        .build()
        .unwrap();
    *deaf.shop.lock().unwrap() = Some(shop.clone());
    let large = json!({ "text": "x".repeat(1 << 20) });
    let call = shop.raw("query Large { shop { name } }", &large);
    let error = call
        .operation_name("Large")
        .estimate(tollgate::Points(30))
        .await
        .unwrap_err();
    assert_eq!(error.context().attempts, 100);
    // A hundred attempts hold one megabyte, not a hundred.
    assert_eq!(deaf.bodies.lock().unwrap().len(), 1);
    // Each of them, the last as well, passed the gate with the same price.
    assert_eq!(*deaf.in_flight.lock().unwrap(), [30.0; 100]);
    deaf.shop.lock().unwrap().take();
}
