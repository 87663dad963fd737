//! The shop as the transport of a client: in process, without a socket.

use bytes::Bytes;
use tollgate::transport::BoxFuture;
use tollgate::{Transport, TransportError, TransportErrorKind};

use crate::shop::{Disconnected, Shop};

/// Answers the client in process. Faults of the connection become the errors that an HTTP stack
/// gives for them.
impl Transport for Shop {
    fn send(
        &self,
        request: http::Request<Bytes>,
        limit: usize,
    ) -> BoxFuture<'_, Result<http::Response<Bytes>, TransportError>> {
        Box::pin(async move {
            let response = self.handle(request).await.map_err(|error| match error {
                Disconnected::Endless => TransportError::too_large(limit),
                Disconnected::Closed | Disconnected::Reset => {
                    TransportError::new(TransportErrorKind::Closed, error)
                }
            })?;
            if response.body().len() > limit {
                return Err(TransportError::too_large(limit));
            }
            Ok(response)
        })
    }
}
