use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::pin::{Pin, pin};
use std::time::Duration;

use bytes::Bytes;
use futures_core::Stream;
use http::{StatusCode, header};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::download::{File, address};
use super::job::Settings;
use super::run::{Pause, Run};
use super::slot::slot;
use super::{BulkError, BulkMutation, Results, Snapshot, Status, WhenBusy, service};
use crate::{Client, TransportError};

/// The largest file the service takes.
const MAX_FILE: usize = 100 << 20;
/// Uploads that may fail before the last error is given.
const UPLOADS: u32 = 5;

/// A bulk mutation about to be run: push the variables of every call, then [`start`](Self::start).
#[must_use = "the mutation runs by `start`"]
pub struct BulkInput<O: BulkMutation> {
    client: Client,
    document: Cow<'static, str>,
    pub(super) lines: Vec<u8>,
    count: u64,
    /// The most bytes of lines.
    pub(super) limit: usize,
    identifier: Option<String>,
    settings: Settings,
    operation: PhantomData<fn() -> O>,
}

impl<O: BulkMutation> BulkInput<O> {
    pub(crate) fn new(client: &Client) -> Self {
        Self {
            client: client.clone(),
            document: Cow::Borrowed(O::DOCUMENT),
            lines: Vec::new(),
            count: 0,
            limit: MAX_FILE,
            identifier: None,
            settings: Settings::default(),
            operation: PhantomData,
        }
    }

    /// Submits another document than the operation's: one that is only known at run time.
    pub fn document(mut self, document: impl Into<String>) -> Self {
        self.document = Cow::Owned(document.into());
        self
    }

    /// Adds the variables of one call. The first has index 0 in the results.
    ///
    /// # Errors
    /// [`BulkError::Input`] when the file would be larger than the service takes (100 MB): then
    /// they are not in it, and what is can be started.
    pub fn push(&mut self, variables: &O::Variables) -> Result<(), BulkError> {
        let before = self.lines.len();
        O::encode(variables, &mut self.lines);
        self.lines.push(b'\n');
        if self.lines.len() > self.limit {
            self.lines.truncate(before);
            return Err(BulkError::Input("larger than 100 MB; split it"));
        }
        self.count += 1;
        Ok(())
    }

    /// Adds the variables of all calls of a stream.
    ///
    /// # Errors
    /// As [`Self::push`].
    pub async fn extend(
        mut self,
        variables: impl Stream<Item = O::Variables>,
    ) -> Result<Self, BulkError> {
        let mut variables = pin!(variables);
        while let Some(variables) = next(&mut variables).await {
            self.push(&variables)?;
        }
        Ok(self)
    }

    /// Calls that were added.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// What to do when the service runs as many operations as it allows. There is nothing to
    /// attach to: [`WhenBusy::Attach`] fails.
    pub fn when_busy(mut self, busy: WhenBusy) -> Self {
        self.settings.busy = busy;
        self
    }

    /// The longest time to wait for a slot, and again for the operation; 24 hours unless set.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.settings.deadline = deadline;
        self
    }

    /// A name for the operation, of 10 to 255 letters: of two with the same the service runs one.
    pub fn client_identifier(mut self, identifier: impl Into<String>) -> Self {
        self.identifier = Some(identifier.into());
        self
    }

    /// Uploads the input and starts the mutation.
    ///
    /// # Errors
    /// [`BulkError::Input`] when there is none, and what uploading and starting may fail with.
    pub async fn start(mut self) -> Result<MutationJob<O>, BulkError> {
        if self.count == 0 {
            return Err(BulkError::Input("empty"));
        }
        if let Some(identifier) = &self.identifier
            && !(10..=255).contains(&identifier.chars().count())
        {
            return Err(BulkError::ClientIdentifier(identifier.chars().count()));
        }
        let lines = Bytes::from(std::mem::take(&mut self.lines));
        let path = upload(&self.client, &lines).await?;
        let identifier = self.identifier.as_deref();
        let start = || service::run_mutation(&self.client, &self.document, &path, identifier);
        let snapshot = slot(self.settings, &self.client, start, None).await?;
        Ok(self.job(snapshot, lines))
    }

    /// Follows a mutation that was started with these inputs before, perhaps by another process,
    /// and does not run it again. Its results belong to the inputs by their number, so these have
    /// to be the same in the same order.
    ///
    /// # Errors
    /// [`BulkError::NotFound`] when the service does not know it, or what a call fails with.
    pub async fn resume(mut self, id: &str) -> Result<MutationJob<O>, BulkError> {
        let snapshot = service::look(&self.client, id).await?;
        let lines = Bytes::from(std::mem::take(&mut self.lines));
        Ok(self.job(snapshot, lines))
    }

    fn job(self, snapshot: Snapshot, lines: Bytes) -> MutationJob<O> {
        MutationJob {
            run: Run::new(self.client, snapshot, self.settings),
            lines,
            count: self.count,
            operation: PhantomData,
        }
    }
}

async fn next<S: Stream>(stream: &mut Pin<&mut S>) -> Option<S::Item> {
    std::future::poll_fn(|context| stream.as_mut().poll_next(context)).await
}

/// Uploads lines, and gives the path that the mutation names them by.
async fn upload(client: &Client, lines: &Bytes) -> Result<String, BulkError> {
    let target = service::upload_target(client, lines.len()).await?;
    let key = target.parameters.iter().find(|(name, _)| name == "key");
    let (_, path) = key.ok_or(BulkError::Answer("stagedTargets.parameters.key"))?;
    let boundary = format!("tollgate-{:016x}", fastrand::u64(..));
    let body = Bytes::from(form(&boundary, &target.parameters, lines));
    let uri = address(&target.url, client.endpoint())?;
    let mut pause = Pause::new(Duration::from_secs(1), Duration::from_secs(30));
    for last in (0..UPLOADS).map(|attempt| attempt + 1 == UPLOADS) {
        let request = http::Request::post(uri.clone())
            .header(
                header::CONTENT_TYPE,
                format!("multipart/form-data; boundary={boundary}"),
            )
            .body(body.clone())
            .map_err(|_| BulkError::Answer("stagedTargets.url"))?;
        let sending = client.transport().send(request, 1 << 20);
        let sent = timeout(upload_within(lines.len()), sending).await;
        let error = match sent.unwrap_or_else(|_| Err(TransportError::timeout())) {
            Ok(response) if response.status().is_success() => break,
            Ok(response) => {
                let text = String::from_utf8_lossy(response.body());
                let error = BulkError::FileServer {
                    status: response.status().as_u16(),
                    body: text.trim().chars().take(300).collect(),
                };
                let passing = response.status().is_server_error()
                    || response.status() == StatusCode::TOO_MANY_REQUESTS;
                if !passing {
                    return Err(error);
                }
                error
            }
            Err(source) => BulkError::Upload(source),
        };
        // The same file under the same key: uploading it again changes nothing.
        if last {
            return Err(error);
        }
        sleep(pause.next()).await;
    }
    Ok(path.clone())
}

/// The longest time that an upload may take.
fn upload_within(bytes: usize) -> Duration {
    /// Bytes a second.
    const SLOWEST: u64 = 50_000;
    Duration::from_secs(60 + bytes as u64 / SLOWEST)
}

/// A form with the parameters of the target, and the file last, as file servers demand.
fn form(boundary: &str, parameters: &[(String, String)], lines: &[u8]) -> Vec<u8> {
    let mut form = Vec::with_capacity(lines.len() + 256 * (parameters.len() + 2));
    for (name, value) in parameters {
        let head = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
        );
        form.extend_from_slice(head.as_bytes());
    }
    let head = format!(
        "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"input.jsonl\"\r\n\
         Content-Type: text/jsonl\r\n\r\n"
    );
    form.extend_from_slice(head.as_bytes());
    form.extend_from_slice(lines);
    form.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
    form
}

impl<O: BulkMutation> fmt::Debug for BulkInput<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BulkInput")
            .field("operation", &O::NAME)
            .field("count", &self.count)
            .finish_non_exhaustive()
    }
}

/// A bulk mutation that the service runs.
pub struct MutationJob<O: BulkMutation> {
    run: Run,
    lines: Bytes,
    count: u64,
    operation: PhantomData<fn() -> O>,
}

impl<O: BulkMutation> MutationJob<O> {
    /// The id of the operation, by which another process can [`resume`](BulkInput::resume) it.
    #[must_use]
    pub fn id(&self) -> String {
        self.run.snapshot().id
    }

    /// What the service says of it, as it was asked last; the receiver is told of every change.
    #[must_use]
    pub fn watch(&self) -> watch::Receiver<Snapshot> {
        self.run.state.subscribe()
    }

    /// Asks the service to stop it, and waits until it is over: calls that were made stay made.
    ///
    /// # Errors
    /// As [`Self::results`].
    pub async fn cancel(&mut self) -> Result<Snapshot, BulkError> {
        self.run.cancel().await
    }

    /// Waits until it is over, and opens the results, one for every input, in the order of the
    /// inputs. When it failed or was canceled, the inputs it did not come to are
    /// [`Outcome::Missing`](super::Outcome::Missing).
    ///
    /// # Errors
    /// [`BulkError::Deadline`], [`BulkError::Failed`] when there is no result at all, and what a
    /// call fails with beyond repair.
    pub async fn results(mut self) -> Result<Results<O>, BulkError> {
        let snapshot = self.run.wait().await?;
        let url = snapshot.url.as_ref().or(snapshot.partial_url.as_ref());
        let file = match (url, &snapshot.status) {
            (Some(url), Status::Completed) => Some(File::whole(&self.run.client, &snapshot, url)),
            (Some(url), _) => Some(File::partial(&self.run.client, url)),
            (None, Status::Completed | Status::Canceled) => None,
            (None, Status::Expired) => return Err(BulkError::Expired { id: snapshot.id }),
            (None, _) => {
                return Err(BulkError::Failed {
                    id: snapshot.id,
                    code: snapshot.error_code,
                    partial: false,
                });
            }
        };
        Ok(Results::open(file, self.lines.clone(), self.count))
    }
}

impl<O: BulkMutation> fmt::Debug for MutationJob<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MutationJob")
            .field("operation", &O::NAME)
            .field("state", &*self.run.state.borrow())
            .finish_non_exhaustive()
    }
}
