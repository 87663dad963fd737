use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;

use super::book::{self, Book};
use super::{Items, PageError, PageSize, Paginated};
use crate::progress::Progress;
use crate::resume::{At, ResumeError, ResumeToken};
use crate::{Client, Cost, Forecast};

/// One page of a connection.
#[derive(Debug)]
#[non_exhaustive]
pub struct Page<O: Paginated> {
    /// The whole answer.
    pub data: O::Data,
    /// What it cost, and what is left.
    pub cost: Cost,
    /// Which page, counted from 1.
    pub number: u64,
    /// The page size it was asked with; `None` when the document fixes it.
    pub size: Option<u32>,
    /// The cursor it was asked with; `None` for the first page.
    pub before: Option<String>,
    /// The cursor of the page after it: keep it once this page is dealt with, and a later
    /// [`Pages::after`] goes on there. `None` at the end.
    pub after: Option<String>,
    /// How far the walk is with this page.
    pub progress: Progress,
}

impl<O: Paginated> Page<O> {
    /// The nodes.
    pub fn into_items(self) -> Vec<O::Item> {
        O::into_items(self.data)
    }
}

/// The pages of a connection, as a stream.
///
/// Nothing is asked before the stream is polled first. From then on a task of its own fetches up to
/// [`prefetch`](Self::prefetch) pages ahead of the one being worked on; dropping the stream stops
/// it. Needs a tokio runtime.
#[must_use = "a stream does nothing unless it is polled"]
pub struct Pages<O: Paginated> {
    setup: Box<Setup<O>>,
    state: State<O>,
    /// Whether the page polled for is asked for already.
    asked: bool,
}

enum State<O: Paginated> {
    Idle,
    Running(Running<O>),
    Done,
}

struct Setup<O: Paginated> {
    client: Client,
    variables: O::Variables,
    cursor: Option<String>,
    size: PageSize,
    prefetch: usize,
    total: Option<u64>,
}

struct Running<O: Paginated> {
    /// A permit for each page that may be fetched.
    demand: Arc<Semaphore>,
    pages: mpsc::UnboundedReceiver<Result<Option<Page<O>>, PageError>>,
    task: JoinHandle<()>,
}

impl<O: Paginated> Drop for Running<O> {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl<O> Pages<O>
where
    O: Paginated + 'static,
    O::Variables: Clone + Send + Sync + 'static,
    O::Data: Send + 'static,
{
    pub(crate) fn new(client: &Client, variables: O::Variables) -> Self {
        Self {
            setup: Box::new(Setup {
                client: client.clone(),
                variables,
                cursor: None,
                size: PageSize::default(),
                prefetch: 1,
                total: None,
            }),
            state: State::Idle,
            asked: false,
        }
    }

    fn with(mut self, set: impl FnOnce(&mut Setup<O>)) -> Self {
        if let State::Idle = self.state {
            set(&mut self.setup);
        }
        self
    }

    /// How large pages are. A size in the variables is the largest that is asked for.
    pub fn page_size(self, size: PageSize) -> Self {
        self.with(|setup| setup.size = size)
    }

    /// How many pages are fetched ahead while one is worked on; 1 unless set, 0 for none.
    pub fn prefetch(self, pages: usize) -> Self {
        self.with(|setup| setup.prefetch = pages.min(Semaphore::MAX_PERMITS / 2))
    }

    /// Begins after a cursor: one that was kept, or that of a connection cut short in another
    /// answer, see [`PageInfo::rest`](super::PageInfo::rest).
    pub fn after(self, cursor: impl Into<String>) -> Self {
        self.with(|setup| setup.cursor = Some(cursor.into()))
    }

    /// How many nodes there are, for the [`Progress`] of the pages.
    pub fn expect(self, total: u64) -> Self {
        self.with(|setup| setup.total = Some(total))
    }

    /// What a walk over so many nodes is going to cost, with pages of the size it begins with, and
    /// how long the bucket makes it take: from the plan, what the answers of this operation have
    /// taught, and the level and restore rate of the shop. Nothing is asked.
    ///
    /// # Errors
    /// [`PageError::Size`], and [`PageError::Call`] when the variables have no price.
    pub fn forecast(&self, nodes: u64) -> Result<Forecast, PageError> {
        let Setup {
            client,
            variables,
            size,
            ..
        } = &*self.setup;
        book::forecast::<O>(client, variables, *size, nodes)
    }

    /// The nodes of the pages.
    pub fn items(self) -> Items<O> {
        Items::new(self)
    }

    pub(super) fn resume(self, token: &ResumeToken) -> Result<(Self, u64), ResumeError> {
        let State::Idle = self.state else {
            return Ok((self, 0));
        };
        let setup = &self.setup;
        token.check::<O>(setup.client.shop(), &unplaced::<O>(&setup.variables))?;
        let At::Page { cursor, taken } = &token.at else {
            return Err(ResumeError::OtherKind);
        };
        let (cursor, taken) = (cursor.clone(), *taken);
        Ok((self.with(|setup| setup.cursor = cursor), taken))
    }

    /// A token that names this walk, without its place.
    pub(super) fn token(&self) -> Option<ResumeToken> {
        let State::Idle = self.state else {
            return None;
        };
        let setup = &self.setup;
        let at = At::Page {
            cursor: setup.cursor.clone(),
            taken: 0,
        };
        let variables = unplaced::<O>(&setup.variables);
        Some(ResumeToken::new::<O>(setup.client.shop(), &variables, at))
    }

    /// The next page; `None` at the end.
    pub async fn next(&mut self) -> Option<Result<Page<O>, PageError>> {
        std::future::poll_fn(|context| self.poll(context)).await
    }

    pub(super) fn poll(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Page<O>, PageError>>> {
        if let Err(error) = self.start() {
            return Poll::Ready(Some(Err(error)));
        }
        let State::Running(running) = &mut self.state else {
            return Poll::Ready(None);
        };
        if !self.asked {
            running.demand.add_permits(1);
            self.asked = true;
        }
        let page = ready!(running.pages.poll_recv(context));
        self.asked = false;
        let page = page.unwrap_or(Err(PageError::Stopped));
        if !matches!(page, Ok(Some(_))) {
            self.state = State::Done;
        }
        Poll::Ready(page.transpose())
    }

    /// Begins to fetch, unless that has begun.
    fn start(&mut self) -> Result<(), PageError> {
        if let State::Idle = self.state {
            self.state = State::Done;
            self.state = State::Running(Running::start(&self.setup)?);
        }
        Ok(())
    }
}

impl<O> Running<O>
where
    O: Paginated + 'static,
    O::Variables: Clone + Send + Sync + 'static,
    O::Data: Send + 'static,
{
    fn start(setup: &Setup<O>) -> Result<Self, PageError> {
        let mut book = Book::<O>::open(
            setup.client.clone(),
            setup.variables.clone(),
            setup.cursor.clone(),
            setup.size,
            setup.total,
        )?;
        let demand = Arc::new(Semaphore::new(setup.prefetch));
        let (sender, pages) = mpsc::unbounded_channel();
        let permits = Arc::clone(&demand);
        let task = tokio::spawn(async move {
            while let Ok(permit) = permits.acquire().await {
                permit.forget();
                let page = book.next().await;
                let more = matches!(page, Ok(Some(_)));
                if sender.send(page).is_err() || !more {
                    return;
                }
            }
        });
        Ok(Self {
            demand,
            pages,
            task,
        })
    }
}

/// The variables without what the walk itself sets.
fn unplaced<O: Paginated>(variables: &O::Variables) -> O::Variables
where
    O::Variables: Clone,
{
    let mut variables = variables.clone();
    O::set_cursor(&mut variables, None);
    O::set_size(&mut variables, 1);
    variables
}

impl<O> Stream for Pages<O>
where
    O: Paginated + 'static,
    O::Variables: Clone + Send + Sync + Unpin + 'static,
    O::Data: Send + 'static,
{
    type Item = Result<Page<O>, PageError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll(context)
    }
}

impl<O: Paginated> fmt::Debug for Pages<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages")
            .field("operation", &O::NAME)
            .finish_non_exhaustive()
    }
}
