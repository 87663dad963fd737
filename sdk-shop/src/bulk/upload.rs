//! Uploaded files: put as they are, or posted as a form.

use bytes::Bytes;
use futures_util::stream;
use http::header::CONTENT_TYPE;
use http::{Method, Request};

/// The path and the content of the file in an upload; `None` when it holds none.
pub(crate) async fn file_of(request: &Request<Bytes>) -> Option<(String, Bytes)> {
    let body = request.body().clone();
    if request.method() == Method::PUT {
        let path = request.uri().path().strip_prefix("/staged/")?;
        return Some((path.to_owned(), body));
    }
    let content_type = request.headers().get(CONTENT_TYPE)?.to_str().ok()?;
    let boundary = multer::parse_boundary(content_type).ok()?;
    let whole = stream::iter([Ok::<_, std::convert::Infallible>(body)]);
    let mut form = multer::Multipart::new(whole, boundary);
    let (mut path, mut file) = (None, None);
    while let Ok(Some(field)) = form.next_field().await {
        match field.name() {
            Some("key") => path = field.text().await.ok(),
            Some("file") => file = field.bytes().await.ok(),
            _ => {}
        }
    }
    path.zip(file)
}
