use std::fmt;
use std::future::IntoFuture;
use std::marker::PhantomData;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::sync::watch;
use tokio::time::Instant;

use super::download::File;
use super::run::Run;
use super::slot::{WhenBusy, slot};
use super::spill::Room;
use super::{BulkError, BulkQuery, Grouping, Rows, Shape, Snapshot, Status, Template, service};
use crate::Client;
use crate::resume::{At, ResumeError, ResumeToken};
use crate::transport::BoxFuture;

/// A bulk query about to be started: set what is to differ, then await it for its rows.
#[must_use = "an operation starts when it is awaited, or by `start`"]
pub struct Bulk<O: BulkQuery> {
    client: Client,
    template: Template,
    shape: Shape,
    variables: O::Variables,
    settings: Settings,
    room: Room,
}

/// How an operation is started and followed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub(super) grouping: Grouping,
    pub(super) busy: WhenBusy,
    pub(super) deadline: Duration,
    pub(super) cancel_on_drop: bool,
}

/// As good as no deadline, and within what the clock can express.
const NEVER: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

impl Settings {
    /// When the deadline of what begins now is over.
    pub(super) fn until(&self) -> Instant {
        Instant::now() + self.deadline.min(NEVER)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            grouping: Grouping::Any,
            busy: WhenBusy::Wait,
            deadline: Duration::from_secs(24 * 3600),
            cancel_on_drop: false,
        }
    }
}

impl<O> Bulk<O>
where
    O: BulkQuery + 'static,
    O::Variables: Send + Sync,
{
    pub(crate) fn new(client: &Client, variables: O::Variables) -> Self {
        Self {
            client: client.clone(),
            template: O::template().clone(),
            shape: O::shape().clone(),
            variables,
            settings: Settings::default(),
            room: Room::default(),
        }
    }

    /// Submits another document than the operation's: one that is only known at run time, with how
    /// the lines of its result nest. A [`ResumeToken`] does not tell such documents apart.
    pub fn document(mut self, template: Template, shape: Shape) -> Self {
        (self.template, self.shape) = (template, shape);
        self
    }

    /// Whether the service is to write children right after their parents. Rows then come while
    /// the file is read; the service takes longer, and times out sooner. Needed where an object
    /// with children of its own occurs under several parents.
    pub fn group_objects(mut self, group: bool) -> Self {
        self.settings.grouping = if group {
            Grouping::Grouped
        } else {
            Grouping::Any
        };
        self
    }

    /// What to do when the service runs as many operations as it allows.
    pub fn when_busy(mut self, busy: WhenBusy) -> Self {
        self.settings.busy = busy;
        self
    }

    /// The longest time to wait for a slot, and again for the operation; 24 hours unless set. The
    /// operation itself goes on after it.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.settings.deadline = deadline;
        self
    }

    /// Cancels the operation when its [`Job`] is dropped before it is done.
    pub fn cancel_on_drop(mut self, cancel: bool) -> Self {
        self.settings.cancel_on_drop = cancel;
        self
    }

    /// How many bytes of an ungrouped result stay in memory, [`Join::BUDGET`](super::Join::BUDGET)
    /// unless set; the rest waits on disk for the end of the file.
    pub fn memory(mut self, bytes: usize) -> Self {
        self.room.memory = bytes;
        self
    }

    /// Where what does not stay in memory waits, in a file without a name; the system's directory
    /// for temporary files unless set.
    pub fn spill_in(mut self, directory: impl Into<PathBuf>) -> Self {
        self.room.directory = Some(directory.into());
        self
    }

    /// Starts it.
    ///
    /// # Errors
    /// [`BulkError::Variables`], [`BulkError::Refused`], [`BulkError::Busy`], or what a call fails
    /// with.
    pub async fn start(self) -> Result<Job<O>, BulkError> {
        let Self {
            client,
            template,
            shape,
            variables,
            settings,
            room,
        } = self;
        let mut encoded = Vec::new();
        O::encode(&variables, &mut encoded);
        let values: Map<String, Value> =
            serde_json::from_slice(&encoded).map_err(BulkError::Variables)?;
        let query = template.fill(&values);
        let grouped = settings.grouping == Grouping::Grouped;
        let snapshot = slot(
            settings,
            &client,
            || service::run_query(&client, &query, grouped),
            Some(&query),
        )
        .await?;
        let at = At::Bulk {
            id: snapshot.id.clone(),
            grouped,
            taken: 0,
        };
        let token = ResumeToken::new::<O>(client.shop(), &variables, at);
        Ok(Job {
            run: Run::new(client, snapshot, settings),
            shape,
            token,
            settings,
            room,
            operation: PhantomData,
        })
    }

    /// Follows an operation that was started before, perhaps by another process.
    ///
    /// # Errors
    /// [`BulkError::Resume`] when the token belongs to another shop, operation or variables,
    /// [`BulkError::NotFound`] when the service does not know it.
    pub async fn resume(self, token: &ResumeToken) -> Result<Job<O>, BulkError> {
        token.check::<O>(self.client.shop(), &self.variables)?;
        let At::Bulk { id, grouped, .. } = &token.at else {
            return Err(ResumeError::OtherKind.into());
        };
        let settings = Settings {
            grouping: if *grouped {
                Grouping::Grouped
            } else {
                Grouping::Any
            },
            ..self.settings
        };
        let snapshot = service::look(&self.client, id).await?;
        Ok(Job {
            run: Run::new(self.client, snapshot, settings),
            shape: self.shape,
            token: token.clone(),
            settings,
            room: self.room,
            operation: PhantomData,
        })
    }
}

impl<O> IntoFuture for Bulk<O>
where
    O: BulkQuery + 'static,
    O::Variables: Send + Sync,
{
    type Output = Result<Rows<O>, BulkError>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async { self.start().await?.rows().await })
    }
}

impl<O: BulkQuery> fmt::Debug for Bulk<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bulk")
            .field("operation", &O::NAME)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

/// A bulk query that the service runs.
pub struct Job<O: BulkQuery> {
    run: Run,
    shape: Shape,
    token: ResumeToken,
    settings: Settings,
    room: Room,
    operation: PhantomData<fn() -> O>,
}

impl<O: BulkQuery + 'static> Job<O> {
    /// The id of the operation.
    #[must_use]
    pub fn id(&self) -> String {
        self.run.snapshot().id
    }

    /// What to follow it by from another process.
    #[must_use]
    pub fn token(&self) -> &ResumeToken {
        &self.token
    }

    /// What the service says of it, as it was asked last; the receiver is told of every change.
    #[must_use]
    pub fn watch(&self) -> watch::Receiver<Snapshot> {
        self.run.state.subscribe()
    }

    /// Waits until it is over, and says how it ended.
    ///
    /// # Errors
    /// [`BulkError::Deadline`], or what a call fails with beyond repair. A call that fails for a
    /// while fails nothing.
    pub async fn wait(&mut self) -> Result<Snapshot, BulkError> {
        self.run.wait().await
    }

    /// Asks the service to stop it, and waits until it is over: it may complete all the same.
    ///
    /// # Errors
    /// As [`Self::wait`].
    pub async fn cancel(&mut self) -> Result<Snapshot, BulkError> {
        self.run.cancel().await
    }

    /// Waits until it is over, and opens its result.
    ///
    /// # Errors
    /// As [`Self::wait`]; and [`BulkError::Failed`], [`BulkError::Canceled`],
    /// [`BulkError::Expired`], [`BulkError::NoFile`].
    pub async fn rows(mut self) -> Result<Rows<O>, BulkError> {
        let snapshot = self.run.wait().await?;
        let id = snapshot.id.clone();
        let partial = snapshot.partial_url.is_some() || snapshot.url.is_some();
        match snapshot.status {
            Status::Completed => {}
            Status::Failed => {
                let code = snapshot.error_code;
                return Err(BulkError::Failed { id, code, partial });
            }
            Status::Canceled => return Err(BulkError::Canceled { id, partial }),
            _ => return Err(BulkError::Expired { id }),
        }
        let file = match &snapshot.url {
            Some(url) => Some(File::whole(&self.run.client, &snapshot, url)),
            None if snapshot.objects == 0 => None,
            None => {
                let objects = snapshot.objects;
                return Err(BulkError::NoFile { id, objects });
            }
        };
        let counts = Some((snapshot.objects, snapshot.roots));
        Ok(Rows::open(
            file,
            self.shape,
            self.settings.grouping,
            counts,
            self.token,
            self.room,
        ))
    }

    /// Waits until it is over, and opens what there is of its result, however it ended: rows may
    /// lack children, and the last may be cut.
    ///
    /// # Errors
    /// As [`Self::wait`], and [`BulkError::NoFile`] when there is nothing.
    pub async fn partial_rows(mut self) -> Result<Rows<O>, BulkError> {
        let snapshot = self.run.wait().await?;
        let Some(url) = snapshot.url.as_ref().or(snapshot.partial_url.as_ref()) else {
            let (id, objects) = (snapshot.id, snapshot.objects);
            return Err(BulkError::NoFile { id, objects });
        };
        let file = File::partial(&self.run.client, url);
        Ok(Rows::open(
            Some(file),
            self.shape,
            self.settings.grouping,
            None,
            self.token,
            self.room,
        ))
    }
}

impl<O: BulkQuery> fmt::Debug for Job<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job")
            .field("operation", &O::NAME)
            .field("state", &*self.run.state.borrow())
            .finish_non_exhaustive()
    }
}
