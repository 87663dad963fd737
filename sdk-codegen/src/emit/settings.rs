use std::collections::BTreeMap;

/// How code is emitted.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The path of the crate `tollgate` in the caller's, as `::tollgate`.
    pub krate: String,
    /// The visibility of what is emitted, as `pub(crate)`; empty for private.
    pub visibility: String,
    /// What the types of answers derive beside `Clone`, `Debug` and `PartialEq`.
    pub derives: Derives,
    /// What variables and input objects derive beside those.
    pub input_derives: Derives,
    /// Types of the project for scalars and enums of the schema: the name in the schema, and a path
    /// as the caller's module sees it. They are read and written through serde.
    pub scalars: BTreeMap<String, String>,
    /// Whether descriptions of the schema become doc comments.
    pub docs: bool,
    /// Whether variants of enums keep the schema's spelling (`USD` rather than `Usd`).
    pub keep_variants: bool,
    /// Whether inputs that may be left out are `Option` rather than `Input`: `None` is left out,
    /// and nothing can be set to null.
    pub optional_inputs: bool,
    /// Whether operations also implement `graphql_client::GraphQLQuery`, which takes their
    /// `Variables` to be `Serialize` and their answers to be `Deserialize`.
    pub graphql_client: bool,
    /// What the code is for.
    pub layout: Layout,
}

/// Where emitted code goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A call of `operations!`: a marker, a module and a function per operation.
    Operations,
    /// A derive on the struct of this name: one module, and the contracts of the struct.
    OneStruct {
        /// The struct.
        name: String,
    },
    /// A file of its own.
    File,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            krate: "::tollgate".to_owned(),
            visibility: "pub".to_owned(),
            derives: Derives::default(),
            input_derives: Derives::default(),
            scalars: BTreeMap::new(),
            docs: true,
            keep_variants: false,
            optional_inputs: false,
            graphql_client: false,
            layout: Layout::Operations,
        }
    }
}

/// Paths of derive macros.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Derives(pub Vec<String>);

impl Derives {
    /// `ours` and what is asked for beside them, without what is implemented by hand: each macro
    /// once, whatever path it was named by.
    pub(super) fn around<'d>(&'d self, ours: &[&'d str], by_hand: &[&str]) -> Vec<&'d str> {
        let mut list: Vec<&str> = ours.to_vec();
        for path in &self.0 {
            let known = list
                .iter()
                .chain(by_hand)
                .any(|known| last(known) == last(path));
            if !known {
                list.push(path.trim());
            }
        }
        list
    }

    /// Whether the macro of that name is asked for.
    pub(super) fn ask_for(&self, name: &str) -> bool {
        self.0.iter().any(|path| last(path) == name)
    }
}

/// What a path ends with.
fn last(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path).trim()
}

/// What is written for answers, by the names of the document: what serde derives has Rust's.
pub(super) const ANSWERS_BY_HAND: [&str; 2] = ["Deserialize", "Serialize"];

/// What follows from the fields of inputs.
pub(super) const INPUTS_BY_HAND: [&str; 3] = ["Debug", "PartialEq", "Serialize"];

/// The names that generated code has for the derive macros of the caller, whose paths hold in the
/// caller's module.
#[derive(Clone, Debug, Default)]
pub(super) struct Imported(Vec<(String, String)>);

impl Imported {
    /// What the paths are called. Those of traits that are written by hand are not looked at.
    pub(super) fn of(settings: &Settings) -> Self {
        let mut imported = Self::default();
        let answers = settings.derives.around(&[], &ANSWERS_BY_HAND);
        let inputs = settings.input_derives.around(&[], &INPUTS_BY_HAND);
        for path in answers.into_iter().chain(inputs) {
            let known = imported.0.iter().any(|(_, known)| known == path);
            if known || STANDARD.contains(&path) || path.starts_with("::") {
                continue;
            }
            let mut name = format!("__{}", last(path));
            while imported.0.iter().any(|(taken, _)| *taken == name) {
                name.push('_');
            }
            imported.0.push((name, path.to_owned()));
        }
        imported
    }

    /// What stands in `derive(…)`.
    pub(super) fn list(&self, paths: &[&str]) -> String {
        let name = |path: &&str| {
            let known = self.0.iter().find(|(_, known)| known == path);
            known.map_or_else(|| (*path).to_owned(), |(name, _)| name.clone())
        };
        paths.iter().map(name).collect::<Vec<_>>().join(", ")
    }

    /// The names and the paths that they stand for.
    pub(super) fn names(&self) -> &[(String, String)] {
        &self.0
    }
}

/// Derive macros that everyone has.
const STANDARD: &[&str] = &[
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Eq",
    "Hash",
    "Ord",
    "PartialEq",
    "PartialOrd",
];
