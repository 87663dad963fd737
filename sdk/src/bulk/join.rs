use super::parents::Parents;
use super::record::{Record, Sheet};
use super::row::{RawRows, Text, unknown};
use super::scan::Keys;
use super::spill::{Room, Spill};
use super::{JsonlError, Line, Place, Shape};

/// How the lines of a result file are ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grouping {
    /// In any order: children may come long after their parent, or before it. Rows are complete at
    /// the end of the file only; what does not fit in memory waits on disk.
    #[default]
    Any,
    /// Children follow their parent before the next root does, as the service writes them when it
    /// is asked to group objects. Rows come as they are read; a line outside its group is an error.
    Grouped,
}

/// What the lines of a file amounted to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Lines that hold an object.
    pub objects: u64,
    /// Of those, the ones without a parent.
    pub roots: u64,
}

/// Joins the lines of a bulk result into rows.
///
/// A line without children-bearing connections in its document is a row at once. Otherwise memory
/// is bounded by the budget, plus about 60 bytes for every object that can have children.
#[derive(Debug)]
pub struct Join {
    shape: Shape,
    grouping: Grouping,
    counts: Counts,
    parents: Parents,
    /// Bytes of lines that are kept in memory.
    budget: usize,
    /// Lines that have their place, by [`ROWS`].
    rows: Spill,
    /// Lines that came before their parent, by [`EARLY_LINES`].
    early: Spill,
    early_lines: u64,
    /// The records of the row being read, when lines are grouped.
    group: Sheet,
    /// Rows that are complete.
    done: Text,
}

/// How many rows a chunk of the spill holds: enough to read it back in one go, few enough for it to
/// be small.
const ROWS: u64 = 512;
/// The same for lines whose parent is not known yet.
const EARLY_LINES: u64 = 4096;

impl Join {
    /// How many bytes of lines are kept in memory unless told otherwise.
    pub const BUDGET: usize = 64 << 20;

    /// A join of the lines of a document of this shape, with [`Self::BUDGET`].
    #[must_use]
    pub fn new(shape: Shape, grouping: Grouping) -> Self {
        Self::with_budget(shape, grouping, Self::BUDGET)
    }

    /// A join that keeps at most `budget` bytes of lines in memory.
    #[must_use]
    pub fn with_budget(shape: Shape, grouping: Grouping, budget: usize) -> Self {
        let room = Room {
            memory: budget,
            directory: None,
        };
        Self::within(shape, grouping, &room)
    }

    pub(super) fn within(shape: Shape, grouping: Grouping, room: &Room) -> Self {
        Self {
            parents: Parents::new(&shape, grouping),
            shape,
            grouping,
            counts: Counts::default(),
            budget: room.memory,
            rows: Spill::new(ROWS, room.clone()),
            early: Spill::new(EARLY_LINES, room.quarter()),
            early_lines: 0,
            group: Sheet::default(),
            done: Text::default(),
        }
    }

    /// What was read so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Takes a line, and gives rows once enough are known to be complete.
    ///
    /// # Errors
    /// [`JsonlError`] with the place of the line; the join is not usable after one.
    pub fn push(&mut self, line: Line<'_>) -> Result<Option<RawRows>, JsonlError> {
        let keys = Keys::of(&self.shape, line)?;
        self.take(line.place, line.text, &keys)
    }

    /// Takes a line with its keys.
    pub(super) fn take(
        &mut self,
        place: Place,
        text: &str,
        keys: &Keys,
    ) -> Result<Option<RawRows>, JsonlError> {
        let parent = keys.parent(text);
        let nested = parent.is_some();
        let by_type = || self.shape.by_type(type_of(&keys.id(text)?)?, nested);
        let connection = keys
            .connection
            .or_else(by_type)
            .filter(|connection| self.shape.connections[*connection].parent.is_some() == nested);
        let connection = connection.ok_or_else(|| unknown(place, text))?;
        let record = Record {
            place,
            root: self.counts.roots,
            parent: 0,
            connection: u32::try_from(connection).unwrap_or(u32::MAX),
        };
        self.counts.objects += 1;
        if let Some(parent) = parent {
            self.child(record, &parent, text, keys)?;
            return Ok(None);
        }
        self.root(record, text, keys)?;
        Ok(self.done.full())
    }

    fn root(&mut self, record: Record, text: &str, keys: &Keys) -> Result<(), JsonlError> {
        self.counts.roots += 1;
        if !self.shape.is_nested() {
            self.done.line(record.place, |to| keys.own.write(text, to));
            return Ok(());
        }
        if self.grouping == Grouping::Grouped {
            self.end_group()?;
        }
        self.place(record, text, keys)
    }

    fn end_group(&mut self) -> Result<(), JsonlError> {
        if !self.group.is_empty() {
            self.group.sort();
            self.done.row(&self.shape, self.group.leaf())?;
            self.group.clear();
        }
        self.parents.forget();
        Ok(())
    }

    /// Places a line under its parent, or keeps it until the parent comes.
    fn child(
        &mut self,
        mut record: Record,
        id: &str,
        text: &str,
        keys: &Keys,
    ) -> Result<(), JsonlError> {
        let Some(parent) = self.parents.find(&record, id)? else {
            if self.grouping == Grouping::Grouped {
                let (place, parent) = (record.place, id.to_owned());
                return Err(JsonlError::OutOfGroup { place, parent });
            }
            record.root = self.early_lines;
            self.early.push(record, |to| to.push_str(text))?;
            self.early_lines += 1;
            return Ok(());
        };
        record.parent = parent.line;
        record.root = parent.root;
        self.place(record, text, keys)
    }

    /// Keeps a line that has its place, and makes it known to the children to come.
    fn place(&mut self, record: Record, text: &str, keys: &Keys) -> Result<(), JsonlError> {
        if self.parents.counts(&record)
            && let Some(id) = keys.id(text)
        {
            self.parents.register(&record, &id)?;
        }
        let own = |to: &mut String| keys.own.write(text, to);
        match self.grouping {
            Grouping::Grouped => self.group.push(record, own),
            Grouping::Any => {
                // What early lines do not take: in most files there are none.
                self.rows
                    .allow(self.budget.saturating_sub(self.early.held()));
                self.rows.push(record, own)?;
            }
        }
        Ok(())
    }

    /// The rows that are complete and were not given yet, after an error.
    pub(super) fn complete(&mut self) -> RawRows {
        self.done.take()
    }

    /// Ends the file and gives the rows that were not given yet, in the order of their roots.
    ///
    /// # Errors
    /// [`JsonlError::Orphan`] for the first line whose parent never came, and what reading back
    /// from disk may fail with.
    pub fn finish(mut self) -> Result<Remaining, JsonlError> {
        match self.grouping {
            Grouping::Grouped => self.end_group()?,
            Grouping::Any => self.place_early_lines()?,
        }
        Ok(Remaining {
            shape: self.shape,
            spill: self.rows,
            chunk: 0,
            taken: 0,
            done: self.done,
        })
    }

    /// Every pass places at least one level of the tree.
    fn place_early_lines(&mut self) -> Result<(), JsonlError> {
        while self.early_lines > 0 {
            let mut early = self.early.replaced();
            let before = std::mem::take(&mut self.early_lines);
            let mut first = None;
            for chunk in 0..early.len() {
                for (record, text) in early.chunk(chunk)?.iter() {
                    let line = Line {
                        place: record.place,
                        text,
                        open_ended: false,
                    };
                    let keys = Keys::of(&self.shape, line)?;
                    let parent = keys.parent(text).unwrap_or_default();
                    let waiting = self.early_lines;
                    self.child(record, &parent, text, &keys)?;
                    if self.early_lines > waiting && first.is_none() {
                        first = Some((record.place, parent.into_owned()));
                    }
                }
            }
            if let Some((place, parent)) = first
                && self.early_lines == before
            {
                return Err(JsonlError::Orphan { place, parent });
            }
        }
        Ok(())
    }
}

/// `Product` of `gid://shopify/Product/1?…`.
fn type_of(id: &str) -> Option<&str> {
    let path = id.strip_prefix("gid://")?;
    path.split('/').nth(1)
}

/// The rows of a file that was read to its end.
#[derive(Debug)]
pub struct Remaining {
    shape: Shape,
    spill: Spill,
    /// The chunk that is being read, and how many of its records were taken.
    chunk: usize,
    taken: usize,
    done: Text,
}

impl Remaining {
    /// Completes rows of one chunk until there are enough to be handed on.
    fn fill(&mut self) -> Result<Option<RawRows>, JsonlError> {
        let leaf = match self.taken {
            0 => self.spill.chunk(self.chunk)?,
            _ => self.spill.same(),
        };
        let mut rest = leaf.slice(self.taken..leaf.len());
        while rest.len() > 0 {
            let root = rest.get(0).0.root;
            let end = rest.ahead(|record| record.root == root);
            self.done.row(&self.shape, rest.slice(0..end))?;
            rest = rest.slice(end..rest.len());
            self.taken += end;
            if let Some(rows) = self.done.full() {
                return Ok(Some(rows));
            }
        }
        self.chunk += 1;
        self.taken = 0;
        Ok(None)
    }
}

impl Iterator for Remaining {
    type Item = Result<RawRows, JsonlError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.chunk < self.spill.len() {
            match self.fill() {
                Ok(None) => {}
                Ok(Some(rows)) => return Some(Ok(rows)),
                Err(error) => {
                    self.chunk = self.spill.len();
                    self.done = Text::default();
                    return Some(Err(error));
                }
            }
        }
        let rest = self.done.take();
        (!rest.is_empty()).then_some(Ok(rest))
    }
}
