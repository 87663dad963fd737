use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};

use super::record::Record;
use super::{Grouping, JsonlError, Shape};

/// The objects that children can name as their parent.
#[derive(Debug)]
pub(super) struct Parents {
    grouping: Grouping,
    /// By connection: the one it is nested in, and whether others are nested in it.
    levels: Vec<(usize, bool)>,
    /// Objects whose ids end in a number, as most do: the number is enough to know them by.
    kinds: Vec<Kind>,
    /// The others, by connection.
    named: Vec<HashMap<String, Parent>>,
    /// By connection: the object of it that was meant last. Most lines have the same parent as the
    /// one before, or the one before as parent.
    latest: Vec<Option<Known>>,
    latest_ids: Vec<String>,
}

/// Objects of one connection whose ids differ in their number only.
#[derive(Debug)]
struct Kind {
    connection: usize,
    /// The id without the number: `gid://shopify/Product/`.
    stem: String,
    numbered: HashMap<u64, Parent, Seed>,
}

/// More kinds than a document has types; a file with more than that is none of the service's.
const KINDS: usize = 32;

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
            kinds: Vec::new(),
            named: vec![HashMap::new(); shape.connections.len()],
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
        let Some(parent) = self.get(connection, id) else {
            return Ok(None);
        };
        parent.children = true;
        let Parent {
            known, repeated, ..
        } = *parent;
        if repeated && self.grouping == Grouping::Any {
            let (place, parent) = (child.place, id.to_owned());
            return Err(JsonlError::AmbiguousParent { place, parent });
        }
        self.remember(connection, id, known);
        Ok(Some(known))
    }

    fn get(&mut self, connection: usize, id: &str) -> Option<&mut Parent> {
        if let Some((stem, number)) = numbered(id)
            && let Some(kind) = self.kind(connection, stem)
        {
            return self.kinds[kind].numbered.get_mut(&number);
        }
        self.named[connection].get_mut(id)
    }

    fn kind(&self, connection: usize, stem: &str) -> Option<usize> {
        let is = |kind: &Kind| kind.connection == connection && kind.stem == stem;
        self.kinds.iter().position(is)
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
        if self.grouping == Grouping::Grouped {
            // Within a group the children of an object follow it: the last one is meant.
            self.remember(connection, id, known);
        } else if let Some(other) = self.get(connection, id) {
            if other.children {
                let (place, parent) = (record.place, id.to_owned());
                return Err(JsonlError::AmbiguousParent { place, parent });
            }
            other.repeated = true;
            return Ok(());
        }
        self.insert(connection, id, known);
        Ok(())
    }

    fn insert(&mut self, connection: usize, id: &str, known: Known) {
        let parent = Parent {
            known,
            children: false,
            repeated: false,
        };
        if let Some((stem, number)) = numbered(id) {
            let kind = self.kind(connection, stem);
            let kind = kind.or_else(|| self.add(connection, stem));
            if let Some(kind) = kind {
                self.kinds[kind].numbered.insert(number, parent);
                return;
            }
        }
        self.named[connection].insert(id.to_owned(), parent);
    }

    fn add(&mut self, connection: usize, stem: &str) -> Option<usize> {
        let index = self.kinds.len();
        (index < KINDS).then(|| {
            self.kinds.push(Kind {
                connection,
                stem: stem.to_owned(),
                numbered: HashMap::default(),
            });
            index
        })
    }

    /// Forgets all: a group has ended.
    pub(super) fn forget(&mut self) {
        for kind in &mut self.kinds {
            kind.numbered.clear();
        }
        for named in &mut self.named {
            named.clear();
        }
        self.latest.fill(None);
    }

    fn remember(&mut self, connection: usize, id: &str, known: Known) {
        self.latest[connection] = Some(known);
        let latest = &mut self.latest_ids[connection];
        latest.clear();
        latest.push_str(id);
    }
}

/// Parts an id into its stem and its number, if no other text is the same number after that stem.
fn numbered(id: &str) -> Option<(&str, u64)> {
    let digits = id.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (stem, number) = id.split_at(id.len() - digits);
    let is_plain = number == "0" || !number.starts_with('0');
    is_plain.then(|| number.parse().ok().map(|number| (stem, number)))?
}

/// Hashes a number by one multiplication, with a number of its own that nobody can guess.
#[derive(Clone, Copy, Debug)]
struct Seed(u64);

impl Default for Seed {
    fn default() -> Self {
        Self(RandomState::new().hash_one(0))
    }
}

impl BuildHasher for Seed {
    type Hasher = Folded;

    fn build_hasher(&self) -> Folded {
        Folded(self.0)
    }
}

#[derive(Clone, Copy, Debug)]
struct Folded(u64);

impl Hasher for Folded {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64((*byte).into());
        }
    }

    fn write_u64(&mut self, number: u64) {
        const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
        let product = u128::from(number ^ self.0) * u128::from(ODD);
        let [low, high] = [product, product >> 64].map(|half| half & u128::from(u64::MAX));
        self.0 = u64::try_from(low ^ high).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_known_by_its_number_only_where_that_is_the_same() {
        assert_eq!(numbered("gid://s/P/12"), Some(("gid://s/P/", 12)));
        assert_eq!(numbered("gid://s/P/0"), Some(("gid://s/P/", 0)));
        assert_eq!(numbered("7"), Some(("", 7)));
        let largest = format!("a{}", u64::MAX);
        assert_eq!(numbered(&largest), Some(("a", u64::MAX)));
        for other in [
            "",
            "a",
            "a01",
            "a00",
            "a18446744073709551616",
            "a1?b=c",
            "a١",
        ] {
            assert_eq!(numbered(other), None, "{other}");
        }
    }
}
