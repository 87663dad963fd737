//! Files of bulk operations: results to download, inputs to upload.

use bytes::Bytes;
use http::header::{ACCEPT_RANGES, CONTENT_RANGE, HOST, RANGE};
use http::{Method, Request};

use super::Shop;
use super::call::Call;
use crate::bulk::{View, file_of, slots_of};
use crate::execution::Context;
use crate::fault::Fault;
use crate::log::Outcome;
use crate::reply::Reply;
use crate::sync::lock;

/// How the log and faults call a download of a bulk result, and an upload: said in
/// [`Record::operation`](crate::Record::operation).
const DOWNLOAD: &str = "bulk download";
const UPLOAD: &str = "bulk upload";

/// A part of a bulk result that is still to be sent.
#[derive(Clone, Debug)]
pub(crate) struct FilePart {
    shop: Shop,
    job: u64,
    at: u64,
    end: u64,
}

impl FilePart {
    /// How many bytes are left.
    pub(crate) fn len(&self) -> u64 {
        self.end.saturating_sub(self.at)
    }

    /// Cuts it to so many bytes.
    pub(crate) fn truncate(&mut self, length: u64) {
        self.end = self.end.min(self.at.saturating_add(length));
    }

    /// The next bytes, at most so many; none at the end.
    pub(crate) fn read(&mut self, most: usize) -> Bytes {
        let left = usize::try_from(self.len()).unwrap_or(usize::MAX);
        let mut jobs = lock(&self.shop.0.jobs);
        let job = jobs.job(self.job);
        let bytes = job.map(|job| job.read(self.at, left.min(most)));
        let bytes = bytes.unwrap_or_default();
        self.at += u64::try_from(bytes.len()).unwrap_or(0);
        bytes
    }
}

impl Shop {
    /// What an execution sees of the jobs, brought to the present.
    pub(super) fn jobs<'a>(
        &'a self,
        context: Context<'a>,
        base: &'a str,
        version: &str,
    ) -> View<'a> {
        let now = self.now();
        lock(&self.0.jobs).advance(context, now);
        View {
            jobs: &self.0.jobs,
            documents: &self.0.documents,
            now,
            base,
            slots: self.0.bulk_slots.unwrap_or_else(|| slots_of(version)),
        }
    }
}

impl Call<'_> {
    /// Sends a bulk result, or the range of it that was asked for.
    pub(super) async fn download(&mut self, request: &Request<Bytes>) -> Reply {
        self.record.operation = Some(DOWNLOAD.into());
        let fault = self.strike();
        if !fault.as_ref().is_some_and(Fault::prevents) {
            self.record.outcome = Outcome::Answered;
        }
        self.wait().await;
        let mut reply = self.result(request);
        self.suffer(fault.as_ref(), &mut reply);
        reply
    }

    fn result(&mut self, request: &Request<Bytes>) -> Reply {
        let jobs = lock(&self.shop.0.jobs);
        let Some((job, length)) = jobs.result(request.uri().path()) else {
            self.record.outcome = Outcome::Status(403);
            let body = "<?xml version='1.0' encoding='UTF-8'?><Error><Code>ExpiredToken</Code>\
                        <Message>The provided token has expired.</Message></Error>";
            return Reply::new(403, "application/xml; charset=UTF-8", body);
        };
        let asked = request.headers().get(RANGE);
        let asked = asked.and_then(|range| range.to_str().ok());
        let (start, end) = match asked.map(|range| range_of(range, length)) {
            None => (0, length),
            Some(Some(range)) => range,
            Some(None) => {
                self.record.outcome = Outcome::Status(416);
                let mut reply = Reply::new(416, "text/plain", Bytes::new());
                reply.set_header(CONTENT_RANGE.as_str(), &format!("bytes */{length}"));
                return reply;
            }
        };
        let status = if asked.is_some() { 206 } else { 200 };
        let mut reply = Reply::new(status, "application/jsonl", Bytes::new());
        reply.set_header(ACCEPT_RANGES.as_str(), "bytes");
        reply.set_header("etag", &format!("\"{job}-{length}\""));
        if asked.is_some() {
            let range = format!("bytes {start}-{}/{length}", end - 1);
            reply.set_header(CONTENT_RANGE.as_str(), &range);
        }
        reply.file = Some(FilePart {
            shop: self.shop.clone(),
            job,
            at: start,
            end,
        });
        reply
    }

    /// Takes a file for a bulk mutation.
    pub(super) async fn upload(&mut self, request: &Request<Bytes>) -> Reply {
        self.record.operation = Some(UPLOAD.into());
        let fault = self.strike();
        let prevented = fault.as_ref().is_some_and(Fault::prevents);
        let mut reply = match file_of(request).await {
            _ if prevented => Reply::new(200, "text/plain", Bytes::new()),
            Some((path, content)) => {
                lock(&self.shop.0.jobs).upload(path, content);
                self.record.outcome = Outcome::Answered;
                let post = request.method() == Method::POST;
                Reply::new(
                    if post { 201 } else { 200 },
                    "application/xml",
                    Bytes::new(),
                )
            }
            None => {
                self.record.outcome = Outcome::Status(400);
                let body = "<?xml version='1.0' encoding='UTF-8'?><Error><Code>InvalidArgument\
                            </Code><Message>The form has no key or no file.</Message></Error>";
                Reply::new(400, "application/xml; charset=UTF-8", body)
            }
        };
        self.wait().await;
        self.suffer(fault.as_ref(), &mut reply);
        reply
    }
}

/// Scheme and authority that a request came by.
pub(super) fn base_of(request: &Request<Bytes>) -> String {
    let uri = request.uri();
    if let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) {
        return format!("{scheme}://{authority}");
    }
    let host = request.headers().get(HOST);
    let host = host.and_then(|host| host.to_str().ok());
    format!("http://{}", host.unwrap_or("localhost"))
}

/// Start and end of `bytes=a-b`, `bytes=a-` or `bytes=-n`; `None` outside of the file.
fn range_of(range: &str, length: u64) -> Option<(u64, u64)> {
    let (from, to) = range.strip_prefix("bytes=")?.split_once('-')?;
    let (start, end) = match (from, to) {
        ("", last) => (length.saturating_sub(last.parse().ok()?), length),
        (from, "") => (from.parse().ok()?, length),
        (from, to) => (
            from.parse().ok()?,
            to.parse::<u64>().ok()?.saturating_add(1).min(length),
        ),
    };
    (start < end && end <= length).then_some((start, end))
}
