use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use super::PageError;

/// What a page says about the one after it, in the direction of the walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageInfo<'a> {
    /// `hasNextPage`, or `hasPreviousPage` on the way back.
    pub has_more: bool,
    /// `endCursor`, or `startCursor` on the way back.
    pub end: Option<&'a str>,
}

impl<'a> PageInfo<'a> {
    /// The cursor to continue a connection from that came cut in an answer, such as one nested in
    /// the nodes of another; `None` when it is all there.
    ///
    /// # Errors
    /// [`PageError::NullCursor`] when there is more and no way to it.
    pub fn rest(&self) -> Result<Option<&'a str>, PageError> {
        match (self.has_more, self.end) {
            (false, _) => Ok(None),
            (true, Some(end)) if !end.is_empty() => Ok(Some(end)),
            (true, _) => Err(PageError::NullCursor { page: 1 }),
        }
    }
}

/// Cursors as they follow each other: each must be new. For walks of one's own; [`Pages`] has one.
///
/// [`Pages`]: super::Pages
#[derive(Debug, Default)]
pub struct Turns {
    pages: u64,
    seen: HashSet<u64>,
    hasher: RandomState,
}

impl Turns {
    /// Begins at a cursor; `None` for the first page.
    #[must_use]
    pub fn from(cursor: Option<&str>) -> Self {
        let mut turns = Self::default();
        turns
            .seen
            .extend(cursor.map(|cursor| turns.hasher.hash_one(cursor)));
        turns
    }

    /// Pages turned so far.
    #[must_use]
    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// Takes what a page says, and gives the cursor of the next; `None` at the end.
    ///
    /// # Errors
    /// [`PageError::MissingPageInfo`], [`PageError::NullCursor`], [`PageError::RepeatedCursor`].
    pub fn turn(&mut self, info: Option<PageInfo<'_>>) -> Result<Option<String>, PageError> {
        self.pages += 1;
        let page = self.pages;
        let info = info.ok_or(PageError::MissingPageInfo { page })?;
        let next = info.rest().map_err(|_| PageError::NullCursor { page })?;
        let Some(cursor) = next.map(str::to_owned) else {
            return Ok(None);
        };
        if !self.seen.insert(self.hasher.hash_one(&cursor)) {
            return Err(PageError::RepeatedCursor { page, cursor });
        }
        Ok(Some(cursor))
    }
}
