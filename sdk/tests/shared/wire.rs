//! The counterfeit shop for several processes: its requests and answers over a socket, as length
//! and bytes.
//!
//! The benchmark uses this file too.

use std::{io, net::SocketAddr};

use bytes::Bytes;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};
use tollgate::{Transport, TransportError, TransportErrorKind, transport::BoxFuture};

use super::till::Till;

/// Answers for `till` on a free port until the runtime ends.
pub async fn serve(till: Till) -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let till = till.clone();
            // A client that is gone needs no answer.
            tokio::spawn(async move { answer(&till, stream).await.ok() });
        }
    });
    address
}

async fn answer(till: &Till, mut stream: TcpStream) -> io::Result<()> {
    let body = read(&mut stream).await?;
    let request = http::Request::new(Bytes::from(body));
    let answer = till
        .send(request, usize::MAX)
        .await
        .map_err(io::Error::other)?;
    write(&mut stream, answer.body()).await
}

async fn read(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let length = stream.read_u32().await?;
    let mut body = vec![0; usize::try_from(length).unwrap()];
    stream.read_exact(&mut body).await?;
    Ok(body)
}

async fn write(stream: &mut TcpStream, body: &[u8]) -> io::Result<()> {
    stream.write_u32(u32::try_from(body.len()).unwrap()).await?;
    stream.write_all(body).await
}

/// The way to a shop that is served elsewhere.
pub struct Wire(pub SocketAddr);

impl Transport for Wire {
    fn send(
        &self,
        request: http::Request<Bytes>,
        _: usize,
    ) -> BoxFuture<'_, Result<http::Response<Bytes>, TransportError>> {
        Box::pin(async move {
            let failed = |error| TransportError::new(TransportErrorKind::Connect, error);
            let mut stream = TcpStream::connect(self.0).await.map_err(failed)?;
            write(&mut stream, request.body()).await.map_err(failed)?;
            let body = read(&mut stream).await.map_err(failed)?;
            Ok(http::Response::new(Bytes::from(body)))
        })
    }
}
