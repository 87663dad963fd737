use std::collections::VecDeque;
use std::collections::hash_map::{Entry, HashMap};
use std::hash::{BuildHasher, RandomState};

use super::record::Record;
use super::row::{assemble, unknown};
use super::scan::{self, Keys};
use super::spill::Spill;
use super::{JsonlError, Line, RawRow, Shape};

/// How the lines of a result file are ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grouping {
    /// In any order: children may come long after their parent, or before it. Remaining are complete at
    /// the end of the file only; what does not fit in memory waits on disk.
    #[default]
    Any,
    /// Children follow their parent before the next root does, as the service writes them when it
    /// is asked to group objects. Remaining come as they are read; a line outside its group is an error.
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
    parents: HashMap<(u64, u64), Parent>,
    hashers: [RandomState; 2],
    /// The parent of the line before: most lines have the same.
    latest: Option<(usize, String, Parent)>,
    /// Remaining in chunks, by [`ROWS`].
    rows: Spill,
    /// Lines that came before their parent.
    early: Spill,
    early_lines: usize,
    /// The records of the row being read, when lines are grouped.
    group: Vec<u8>,
}

/// How many rows a chunk of the spill holds: enough to read it back in one go, few enough for it to
/// be small.
const ROWS: u64 = 512;
/// The same for lines whose parent is not known yet.
const EARLY_LINES: usize = 4096;

/// An object that can have children.
#[derive(Clone, Copy, Debug)]
struct Parent {
    line: u64,
    root: u64,
    children: bool,
    repeated: bool,
}

impl Join {
    /// How many bytes of lines are kept in memory unless told otherwise.
    pub const BUDGET: usize = 32 << 20;

    /// A join of the lines of a document of this shape, with [`Self::BUDGET`].
    #[must_use]
    pub fn new(shape: Shape, grouping: Grouping) -> Self {
        Self::with_budget(shape, grouping, Self::BUDGET)
    }

    /// A join that keeps at most `budget` bytes of lines in memory.
    #[must_use]
    pub fn with_budget(shape: Shape, grouping: Grouping, budget: usize) -> Self {
        Self {
            shape,
            grouping,
            counts: Counts::default(),
            parents: HashMap::new(),
            hashers: [RandomState::new(), RandomState::new()],
            latest: None,
            rows: Spill::new(budget / 4 * 3),
            early: Spill::new(budget / 4),
            early_lines: 0,
            group: Vec::new(),
        }
    }

    /// What was read so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Takes a line, and gives the row that it completes, if it is known to be complete.
    ///
    /// # Errors
    /// [`JsonlError`] with the place of the line; the join is not usable after one.
    pub fn push(&mut self, line: Line<'_>) -> Result<Option<RawRow>, JsonlError> {
        let keys = self.keys(line)?;
        let nested = keys.parent.is_some();
        let by_type = || self.shape.by_type(type_of(keys.id.as_deref()?)?, nested);
        let mut record = Record {
            place: line.place,
            root: self.counts.roots,
            parent: 0,
            connection: 0,
            text: line.text,
        };
        let connection = keys
            .connection
            .or_else(by_type)
            .filter(|connection| self.shape.connections[*connection].parent.is_some() == nested);
        let connection = connection.ok_or_else(|| unknown(&record))?;
        record.connection = u32::try_from(connection).unwrap_or(u32::MAX);
        self.counts.objects += 1;
        match keys.parent {
            None => self.root(&record, keys.id.as_deref()),
            Some(_) => self.child(record, &keys).map(|()| None),
        }
    }

    fn keys<'l>(&self, line: Line<'l>) -> Result<Keys<'l>, JsonlError> {
        let marker = |key: &str| {
            let mut connections = self.shape.connections.iter();
            connections.position(|connection| connection.marker == key)
        };
        scan::keys(line.text, marker).map_err(|flaw| {
            let place = line.place;
            if line.open_ended {
                return JsonlError::Truncated { place };
            }
            JsonlError::NotAnObject {
                place,
                at: place.offset + flaw.at as u64,
                reason: flaw.reason,
            }
        })
    }

    fn root(
        &mut self,
        record: &Record<'_>,
        id: Option<&str>,
    ) -> Result<Option<RawRow>, JsonlError> {
        self.counts.roots += 1;
        if !self.shape.is_nested() {
            return Ok(Some(RawRow::single(record)));
        }
        if self.grouping == Grouping::Any {
            self.register(record, id)?;
            self.rows.push(chunk_of(record.root), record)?;
            return Ok(None);
        }
        let row = self.end_group()?;
        self.register(record, id)?;
        record.write(&mut self.group);
        Ok(row)
    }

    fn end_group(&mut self) -> Result<Option<RawRow>, JsonlError> {
        self.parents.clear();
        self.latest = None;
        let row = assemble(&self.shape, &self.group)?.pop_front();
        self.group.clear();
        Ok(row)
    }

    /// Places a line under its parent, or keeps it until the parent comes.
    fn child(&mut self, mut record: Record<'_>, keys: &Keys<'_>) -> Result<(), JsonlError> {
        let Some(parent) = self.parent(&record, keys)? else {
            if self.grouping == Grouping::Grouped {
                let (place, parent) = (record.place, parent_text(keys));
                return Err(JsonlError::OutOfGroup { place, parent });
            }
            self.early.push(self.early_lines / EARLY_LINES, &record)?;
            self.early_lines += 1;
            return Ok(());
        };
        record.parent = parent.line;
        record.root = parent.root;
        self.register(&record, keys.id.as_deref())?;
        match self.grouping {
            Grouping::Grouped => record.write(&mut self.group),
            Grouping::Any => self.rows.push(chunk_of(record.root), &record)?,
        }
        Ok(())
    }

    fn parent(
        &mut self,
        record: &Record<'_>,
        keys: &Keys<'_>,
    ) -> Result<Option<Parent>, JsonlError> {
        let id = keys.parent.as_deref().unwrap_or_default();
        let connection = self.shape.connections[record.connection as usize].parent;
        let connection = connection.unwrap_or_default();
        if let Some((of, latest, parent)) = &self.latest
            && *of == connection
            && latest == id
        {
            return Ok(Some(*parent));
        }
        let key = self.key(connection, id);
        let Some(parent) = self.parents.get_mut(&key) else {
            return Ok(None);
        };
        if parent.repeated && self.grouping == Grouping::Any {
            let (place, parent) = (record.place, id.to_owned());
            return Err(JsonlError::AmbiguousParent { place, parent });
        }
        parent.children = true;
        let parent = *parent;
        self.latest = Some((connection, id.to_owned(), parent));
        Ok(Some(parent))
    }

    /// Makes an object known to the children to come.
    fn register(&mut self, record: &Record<'_>, id: Option<&str>) -> Result<(), JsonlError> {
        let connection = record.connection as usize;
        let (true, Some(id)) = (self.shape.has_children(connection), id) else {
            return Ok(());
        };
        let parent = Parent {
            line: record.place.line,
            root: record.root,
            children: false,
            repeated: false,
        };
        let key = self.key(connection, id);
        match self.parents.entry(key) {
            Entry::Vacant(vacant) => {
                vacant.insert(parent);
            }
            Entry::Occupied(mut known) if self.grouping == Grouping::Grouped => {
                // Within a group the children of an object follow it: the last one is meant.
                known.insert(parent);
                self.latest = None;
            }
            Entry::Occupied(known) if known.get().children => {
                let (place, parent) = (record.place, id.to_owned());
                return Err(JsonlError::AmbiguousParent { place, parent });
            }
            Entry::Occupied(mut known) => known.get_mut().repeated = true,
        }
        Ok(())
    }

    /// 128 bits that stand for an id: two objects share them once in 10²⁴ files of ten million.
    fn key(&self, connection: usize, id: &str) -> (u64, u64) {
        let [one, two] = &self.hashers;
        (
            one.hash_one((connection, id)),
            two.hash_one((connection, id)),
        )
    }

    /// Ends the file and gives the rows that were not given yet, in the order of their roots.
    ///
    /// # Errors
    /// [`JsonlError::Orphan`] for the first line whose parent never came, and what reading back
    /// from disk may fail with.
    pub fn finish(mut self) -> Result<Remaining, JsonlError> {
        let mut ready = VecDeque::new();
        match self.grouping {
            Grouping::Grouped => ready.extend(self.end_group()?),
            Grouping::Any => self.place_early_lines()?,
        }
        Ok(Remaining {
            shape: self.shape,
            spill: self.rows,
            chunk: 0,
            ready,
        })
    }

    /// Every pass places at least one level of the tree.
    fn place_early_lines(&mut self) -> Result<(), JsonlError> {
        while self.early_lines > 0 {
            let budget = self.early.budget();
            let mut early = std::mem::replace(&mut self.early, Spill::new(budget));
            let before = std::mem::take(&mut self.early_lines);
            let mut first = None;
            for chunk in 0..early.len() {
                let bytes = early.take(chunk)?;
                for record in Record::read_all(&bytes)? {
                    let keys = self.keys(Line {
                        place: record.place,
                        text: record.text,
                        open_ended: false,
                    })?;
                    let waiting = self.early_lines;
                    self.child(record, &keys)?;
                    if self.early_lines > waiting && first.is_none() {
                        first = Some((record.place, parent_text(&keys)));
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

fn chunk_of(root: u64) -> usize {
    usize::try_from(root / ROWS).unwrap_or(usize::MAX)
}

fn parent_text(keys: &Keys<'_>) -> String {
    keys.parent.as_deref().unwrap_or_default().to_owned()
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
    chunk: usize,
    ready: VecDeque<RawRow>,
}

impl Iterator for Remaining {
    type Item = Result<RawRow, JsonlError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(row) = self.ready.pop_front() {
                return Some(Ok(row));
            }
            if self.chunk >= self.spill.len() {
                return None;
            }
            let bytes = self.spill.take(self.chunk);
            self.chunk += 1;
            let bytes = bytes.map_err(JsonlError::Disk);
            match bytes.and_then(|bytes| assemble(&self.shape, &bytes)) {
                Ok(rows) => self.ready = rows,
                Err(error) => {
                    self.chunk = self.spill.len();
                    return Some(Err(error));
                }
            }
        }
    }
}
