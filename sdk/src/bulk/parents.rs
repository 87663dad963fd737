use std::collections::hash_map::{Entry, HashMap};
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

use super::record::Record;
use super::{Grouping, JsonlError, Shape};

/// The objects that children can name as their parent.
#[derive(Debug)]
pub(super) struct Parents {
    grouping: Grouping,
    /// By connection: the one it is nested in, and whether others are nested in it.
    levels: Vec<(usize, bool)>,
    known: HashMap<(u64, u64), Parent, BuildHasherDefault<Ready>>,
    hashers: [RandomState; 2],
    /// By connection: the object of it that was meant last. Most lines have the same parent as the
    /// one before, or the one before as parent.
    latest: Vec<Option<Known>>,
    latest_ids: Vec<String>,
}

/// Where an object is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// Its line.
    pub(super) line: u64,
    /// The row it is in.
    pub(super) root: u64,
}

#[derive(Clone, Copy, Debug)]
struct Parent {
    known: Known,
    children: bool,
    repeated: bool,
}

impl Parents {
    pub(super) fn new(shape: &Shape, grouping: Grouping) -> Self {
        let connections = shape.connections.iter().enumerate();
        let level = |(index, connection): (usize, &super::Connection)| {
            let parent = connection.parent.unwrap_or_default();
            (parent, shape.children(index).next().is_some())
        };
        Self {
            grouping,
            levels: connections.map(level).collect(),
            known: HashMap::default(),
            hashers: [RandomState::new(), RandomState::new()],
            latest: vec![None; shape.connections.len()],
            latest_ids: vec![String::new(); shape.connections.len()],
        }
    }

    /// The parent of a line, by its id.
    pub(super) fn find(&mut self, child: &Record, id: &str) -> Result<Option<Known>, JsonlError> {
        let (connection, _) = self.levels[child.connection as usize];
        if let Some(known) = self.latest[connection]
            && self.latest_ids[connection] == id
        {
            return Ok(Some(known));
        }
        let key = self.key(connection, id);
        let Some(parent) = self.known.get_mut(&key) else {
            return Ok(None);
        };
        if parent.repeated && self.grouping == Grouping::Any {
            let (place, parent) = (child.place, id.to_owned());
            return Err(JsonlError::AmbiguousParent { place, parent });
        }
        parent.children = true;
        let known = parent.known;
        self.remember(connection, id, known);
        Ok(Some(known))
    }

    /// Whether an object can have children.
    pub(super) fn counts(&self, record: &Record) -> bool {
        self.levels[record.connection as usize].1
    }

    /// Makes an object known to the children to come.
    pub(super) fn register(&mut self, record: &Record, id: &str) -> Result<(), JsonlError> {
        let connection = record.connection as usize;
        let known = Known {
            line: record.place.line,
            root: record.root,
        };
        let parent = Parent {
            known,
            children: false,
            repeated: false,
        };
        let key = self.key(connection, id);
        if self.grouping == Grouping::Grouped {
            // Within a group the children of an object follow it: the last one is meant.
            self.known.insert(key, parent);
            self.remember(connection, id, known);
            return Ok(());
        }
        match self.known.entry(key) {
            Entry::Vacant(vacant) => {
                vacant.insert(parent);
            }
            Entry::Occupied(known) if known.get().children => {
                let (place, parent) = (record.place, id.to_owned());
                return Err(JsonlError::AmbiguousParent { place, parent });
            }
            Entry::Occupied(mut known) => known.get_mut().repeated = true,
        }
        Ok(())
    }

    /// Forgets all: a group has ended.
    pub(super) fn forget(&mut self) {
        self.known.clear();
        self.latest.fill(None);
    }

    fn remember(&mut self, connection: usize, id: &str, known: Known) {
        self.latest[connection] = Some(known);
        let latest = &mut self.latest_ids[connection];
        latest.clear();
        latest.push_str(id);
    }

    /// 128 bits that stand for an id: two objects share them once in 10²⁴ files of ten million.
    fn key(&self, connection: usize, id: &str) -> (u64, u64) {
        let [one, two] = &self.hashers;
        (
            one.hash_one((connection, id)),
            two.hash_one((connection, id)),
        )
    }
}

/// The hash of a key that is made of hashes.
#[derive(Clone, Copy, Debug, Default)]
struct Ready(u64);

impl Hasher for Ready {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 ^= hash;
    }
}
