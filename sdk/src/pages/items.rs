use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;

use super::{PageError, Pages, Paginated};
use crate::progress::Progress;
use crate::resume::{At, ResumeToken};

/// The nodes of a connection, as a stream over its [`Pages`].
#[must_use = "a stream does nothing unless it is polled"]
pub struct Items<O: Paginated> {
    pages: Pages<O>,
    page: std::vec::IntoIter<O::Item>,
    /// Where the walk stands: the page being read, and how many of its nodes were taken.
    token: Option<ResumeToken>,
    /// Nodes that were taken before, still to pass.
    skip: u64,
    progress: Progress,
}

impl<O> Items<O>
where
    O: Paginated + 'static,
    O::Variables: Clone + Send + Sync + 'static,
    O::Data: Send + 'static,
{
    pub(super) fn new(pages: Pages<O>) -> Self {
        Self {
            token: pages.token(),
            pages,
            page: Vec::new().into_iter(),
            skip: 0,
            progress: Progress::default(),
        }
    }

    /// Goes on where [`Self::token`] was taken: nothing twice, nothing lost.
    ///
    /// # Errors
    /// [`PageError::Resume`] when the token belongs to another shop, operation or variables.
    pub fn resume(self, token: &ResumeToken) -> Result<Self, PageError> {
        let (pages, skip) = self.pages.resume(token)?;
        Ok(Self {
            pages,
            skip,
            token: Some(token.clone()),
            ..self
        })
    }

    /// Where the walk stands after the nodes that were taken. `None` only for a stream made of
    /// pages that were polled before.
    #[must_use]
    pub fn token(&self) -> Option<&ResumeToken> {
        self.token.as_ref()
    }

    /// How far the walk is, pages fetched ahead left out.
    #[must_use]
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// The next node; `None` at the end.
    pub async fn next(&mut self) -> Option<Result<O::Item, PageError>> {
        std::future::poll_fn(|context| self.poll(context)).await
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<O::Item, PageError>>> {
        loop {
            if let Some(item) = self.page.next() {
                self.took();
                return Poll::Ready(Some(Ok(item)));
            }
            let page = match ready!(self.pages.poll(context)) {
                Some(Ok(page)) => page,
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            };
            self.progress = page.progress;
            if let Some(token) = &mut self.token {
                let cursor = page.before.clone();
                token.at = At::Page { cursor, taken: 0 };
            }
            self.page = page.into_items().into_iter();
            // A smaller page than the one the token was taken in goes on in the next.
            while self.skip > 0 && self.page.next().is_some() {
                self.skip -= 1;
                self.took();
            }
        }
    }

    fn took(&mut self) {
        if let Some(token) = &mut self.token
            && let At::Page { taken, .. } = &mut token.at
        {
            *taken += 1;
        }
    }
}

impl<O> Stream for Items<O>
where
    O: Paginated + 'static,
    O::Variables: Clone + Send + Sync + Unpin + 'static,
    O::Data: Send + 'static,
    O::Item: Unpin,
{
    type Item = Result<O::Item, PageError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll(context)
    }
}

impl<O: Paginated> fmt::Debug for Items<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Items")
            .field("pages", &self.pages)
            .field("token", &self.token)
            .finish_non_exhaustive()
    }
}
