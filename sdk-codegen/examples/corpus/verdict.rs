use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::Path;
use std::rc::Rc;

use serde_json::{Map, Value};
use tollgate_codegen::document::{self, Document, Selection, SelectionSet, Valid};
use tollgate_codegen::pricing::{self, Bounds, HandPrice, Rules, Shape};
use tollgate_codegen::schema::Schema;
use tollgate_codegen::source::{Files, Source};
use tollgate_cost::Points;

use super::recording::Recording;

/// What the rules say about a recording.
pub(crate) struct Verdict {
    /// Our price, or why there is none.
    pub(crate) requested: Result<Points, String>,
    /// What we would have charged in the end, where the answer was recorded.
    pub(crate) actual: Option<Points>,
    /// Every `Type.field` that is selected.
    pub(crate) coordinates: BTreeSet<String>,
}

impl Verdict {
    pub(crate) fn is_exact(&self, recording: &Recording) -> bool {
        self.requested == Ok(Points(recording.requested))
    }
}

pub(crate) struct Judge {
    /// By API version.
    schemas: BTreeMap<String, Schema>,
    hand_prices: Vec<HandPrice>,
    /// The day that recordings without one are judged by: the newest of the corpus.
    newest: String,
    days: RefCell<BTreeMap<String, Rc<Held>>>,
}

impl Judge {
    /// Reads the schemas of a folder, named as `admin_2026-10.graphql.gz` or `….json.gz`.
    pub(crate) fn new(folder: &Path, recordings: &[Recording]) -> Result<Self, Box<dyn Error>> {
        let mut files = Files::new(folder);
        let mut schemas = BTreeMap::new();
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or_default();
            let Some(version) = name
                .strip_prefix("admin_")
                .and_then(|rest| rest.split('.').next())
            else {
                continue;
            };
            if !schemas.contains_key(version) {
                let version = version.to_owned();
                let schema = Schema::from_sdl(files.schema(&path)?)?;
                schemas.insert(version, schema);
            }
        }
        if schemas.is_empty() {
            return Err(format!("no schema in {}", folder.display()).into());
        }
        let newest = recordings.iter().filter_map(Recording::day).max();
        Ok(Self {
            schemas,
            hand_prices: Rules::hand_prices(),
            newest: newest.unwrap_or("9999-12-31").to_owned(),
            days: RefCell::default(),
        })
    }

    /// The schema of the version, else the oldest.
    fn schema(&self, version: Option<&str>) -> &Schema {
        let own = version.and_then(|version| self.schemas.get(version));
        own.or_else(|| self.schemas.values().next())
            .unwrap_or_else(|| unreachable!("`new` refuses an empty folder"))
    }

    /// What of the day of a recording holds.
    fn rules(&self, recording: &Recording) -> Rc<Held> {
        let day = recording.day().unwrap_or(&self.newest);
        let mut days = self.days.borrow_mut();
        let held = days
            .entry(day.to_owned())
            .or_insert_with(|| Rc::new(Held::on(day, &self.hand_prices)));
        Rc::clone(held)
    }

    fn open(&self, recording: &Recording) -> Result<Opened<'_>, String> {
        let schema = self.schema(recording.api_version.as_deref());
        let source = || vec![Source::new(&*recording.id, &*recording.operation)];
        // What another version or a pruned recording leaves invalid has its price all the same.
        let document = document::validate(schema, source())
            .or_else(|_| document::trust(schema, source()))
            .map_err(|problems| problems.to_string())?;
        if document.operations.is_empty() {
            return Err("no operation".to_owned());
        }
        Ok(Opened {
            schema,
            document,
            variables: recording.variables(),
        })
    }

    pub(crate) fn verdict(&self, recording: &Recording) -> Verdict {
        let held = self.rules(recording);
        match self.open(recording) {
            Err(why) => Verdict {
                requested: Err(why),
                actual: None,
                coordinates: BTreeSet::new(),
            },
            Ok(opened) => Verdict {
                requested: opened.price(&held.rules),
                actual: recording
                    .answer()
                    .map(|answer| opened.actual(&held.rules, &answer)),
                coordinates: coordinates(&opened.document),
            },
        }
    }

    /// Places of the prices set by hand without which a recording would have another price.
    pub(crate) fn depends_on(&self, recording: &Recording) -> Vec<String> {
        let held = self.rules(recording);
        let Ok(opened) = self.open(recording) else {
            return Vec::new();
        };
        let price = opened.price(&held.rules);
        // Most need none, and are seen by one more price.
        if opened.price(&held.bare) == price {
            return Vec::new();
        }
        let changes = |known: &&HandPrice| opened.price(&held.rules.without(known)) != price;
        let needed = self.hand_prices.iter().filter(changes);
        needed.map(|known| known.place.clone()).collect()
    }
}

/// The rules of a day.
struct Held {
    rules: Rules,
    /// Without anything set by hand.
    bare: Rules,
}

impl Held {
    fn on(day: &str, hand_prices: &[HandPrice]) -> Self {
        let rules = Rules::on(day);
        let bare = hand_prices
            .iter()
            .fold(rules.clone(), |rules, known| rules.without(known));
        Self { rules, bare }
    }
}

/// A recording, read against its schema.
struct Opened<'j> {
    schema: &'j Schema,
    document: Valid<Document>,
    variables: Map<String, Value>,
}

impl Opened<'_> {
    fn price(&self, rules: &Rules) -> Result<Points, String> {
        let operation = &self.document.operations[0];
        let bounds = Bounds::default();
        let priced = pricing::price(self.schema, &self.document, operation, rules, bounds);
        let price = priced.plan.price(&self.variables);
        price.map_err(|error| error.to_string())
    }

    fn actual(&self, rules: &Rules, answer: &Shape) -> Points {
        let operation = &self.document.operations[0];
        pricing::actual(
            self.schema,
            &self.document,
            operation,
            rules,
            &self.variables,
            answer,
        )
    }
}

fn coordinates(document: &Valid<Document>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for operation in &document.operations {
        collect(&operation.selections, &mut found);
    }
    for fragment in document.fragments.values() {
        collect(&fragment.selections, &mut found);
    }
    found
}

fn collect(set: &SelectionSet, found: &mut BTreeSet<String>) {
    for selection in &set.items {
        match selection {
            Selection::Field(field) => {
                found.insert(format!("{}.{}", set.parent, field.name));
                if let Some(below) = &field.selections {
                    collect(below, found);
                }
            }
            Selection::Inline(inline) => collect(&inline.selections, found),
            Selection::Spread(_) => {}
        }
    }
}
