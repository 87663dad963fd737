//! Rust code from validated documents.
//!
//! What is emitted is what costs a user's build, so little is: a struct per selection that asks for
//! field after field, an enum that asks for `__typename`, each with the contracts that are used and
//! no more, and one type for one thing — an enum, an input object or a fragment exists once for all
//! operations. The code is text, since `rustc` reads text faster than it takes tokens one by one
//! from an unoptimised macro.
//!
//! Names: a type below an operation is called by its way in the answer (`ProductsNodes`) in a
//! module of the operation's name, which exports it from the one module where the types of all
//! operations are written (`ProductPage__ProductsNodes`); selections that are alike have one type.
//! Fragments, enums and input objects keep their own names. Two GraphQL names that give one Rust
//! name are told apart by a number.

mod answer;
mod doc;
mod flat;
mod input;
mod leaf;
mod module;
pub(crate) mod name;
mod operation;
mod record;
mod sent;
mod set;
mod settings;
mod usage;
mod way;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use proc_macro2::TokenStream;
use tollgate_cost::Plan;

pub use settings::{Derives, Layout, Settings};

use self::leaf::{Leaf, Side};
use self::module::{Module, TypeName};
use self::name::Scope;
use self::record::Known;
use self::settings::Imported;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::document::{Document, Marks, Operation, Valid};
use crate::schema::{PossibleTypes, Schema};

/// Emitted code.
#[derive(Clone, Debug)]
pub struct Code {
    /// The code.
    pub text: String,
    /// Each document as it is sent, by the name of its operation.
    pub documents: BTreeMap<String, String>,
    /// What is deprecated and used all the same.
    pub warnings: Diagnostics,
}

impl Code {
    /// The code as tokens, all with the span of the macro call.
    ///
    /// # Errors
    /// When a setting that goes into the code as it is (a path, a derive, a visibility) is not
    /// Rust.
    pub fn tokens(&self) -> Result<TokenStream, proc_macro2::LexError> {
        self.text.parse()
    }
}

/// Lints that generated code may set off, whatever the caller's crate denies itself.
const QUIET: &str = "allow(dead_code, deprecated, for_loops_over_fallibles, missing_docs, non_camel_case_types, \
    unreachable_pub, unused, clippy::all, clippy::pedantic, clippy::nursery, rustdoc::all)";

/// What a derive emits finds the names of the caller's module before those of the prelude, such as
/// a `Result` of its own, unless it imports them: all in its module, and beside it, where the
/// caller's struct is named, what stands there.
const PRELUDE: &str = "use ::std::prelude::v1::*;";
const PRELUDE_BESIDE: &str =
    "use ::std::{option::Option::{self, None, Some}, result::Result, string::String, vec::Vec};";

/// The code for all operations of the document. `plans` are their prices, in the same order.
///
/// # Errors
/// What validation allows and Rust cannot say: an operation without a name, two operations of one
/// Rust name, an alias that hides `__typename`. All at once, each with its places.
pub fn operations(
    schema: &Schema,
    document: &Valid<Document>,
    plans: &[Plan],
    settings: &Settings,
) -> Result<Code, Diagnostics> {
    let mut markers = usage::markers(document)?;
    if let Layout::OneStruct { name } = &settings.layout {
        for (marker, _) in markers.values_mut() {
            marker.clone_from(name);
        }
    }
    let sets = set::found(schema, document)?;
    let mut emitter = Emitter::new(schema, document, settings, markers, sets);
    emitter.warnings.extend(usage::deprecated(schema, document));
    for (operation, plan) in document.operations.iter().zip(plans) {
        emitter.operation(operation, plan);
    }
    Ok(emitter.finished())
}

/// An operation with the fragments it reaches as it is sent, but for the `__typename`s that
/// decoding needs.
#[must_use]
pub fn minified(document: &Document, operation: &Operation) -> String {
    sent::text(document, operation, &sent::Told::default())
}

/// What all types of answers have.
const ALWAYS: [&str; 3] = ["Clone", "Debug", "PartialEq"];

/// The state of one emission.
struct Emitter<'a> {
    schema: &'a Schema,
    document: &'a Document,
    settings: &'a Settings,
    possible: PossibleTypes<'a>,
    /// What is sent with `__typename`.
    told: sent::Told,
    /// The aliases that tell of fragments whether they are there.
    marks: Marks,
    /// Names of the shared types.
    scope: Rc<RefCell<Scope>>,
    fragments: BTreeMap<String, TypeName>,
    leaves: BTreeMap<String, Leaf>,
    /// Where the enums written so far are used.
    sides: BTreeSet<(String, Side)>,
    inputs: BTreeMap<String, TypeName>,
    /// Input objects that are still to be written: the type of the schema and the name.
    unwritten: Vec<(String, String)>,
    /// Types of the project, by the name they have here.
    aliases: Vec<(String, String)>,
    /// Derive macros of the project.
    imported: Imported,
    /// The fields of the structs written so far.
    known: BTreeMap<TypeName, Vec<Known>>,
    /// The structs of operations, by what they are made of.
    likes: BTreeMap<String, String>,
    /// Types that have `Deserialize`, as they are written.
    deserialized: BTreeSet<String>,
    /// Marker and module of each operation.
    markers: BTreeMap<String, (String, String)>,
    warnings: Vec<Diagnostic>,
    /// The documents as sent, by operation.
    documents: BTreeMap<String, String>,
    /// What is known of whole data sets, by operation.
    sets: BTreeMap<String, set::Set>,
    /// Types that have `rest`, as they are written.
    rested: BTreeSet<String>,
    shared: String,
    /// The types of operations, all in one module.
    answers: String,
    outer: String,
}

impl<'a> Emitter<'a> {
    fn new(
        schema: &'a Schema,
        document: &'a Document,
        settings: &'a Settings,
        markers: BTreeMap<String, (String, String)>,
        sets: set::Sets,
    ) -> Self {
        let reserved = ["Data", "ResponseData", "Variables"];
        let one = matches!(settings.layout, Layout::OneStruct { .. });
        let taken = markers.values().map(|(marker, _)| marker.as_str());
        let scope = if one {
            Scope::with(["Variables", "QUERY"])
        } else {
            Scope::with(taken.chain(reserved))
        };
        Self {
            schema,
            document,
            settings,
            possible: PossibleTypes::new(schema),
            told: sent::Told::default(),
            marks: Marks::of(document),
            scope: Rc::new(RefCell::new(scope)),
            fragments: BTreeMap::new(),
            leaves: BTreeMap::new(),
            sides: BTreeSet::new(),
            inputs: BTreeMap::new(),
            unwritten: Vec::new(),
            aliases: Vec::new(),
            imported: Imported::of(settings),
            known: BTreeMap::new(),
            likes: BTreeMap::new(),
            deserialized: BTreeSet::new(),
            markers,
            warnings: sets.warnings,
            documents: BTreeMap::new(),
            sets: sets.of,
            rested: BTreeSet::new(),
            shared: String::new(),
            answers: String::new(),
            outer: String::new(),
        }
    }

    /// How deep the items beside the operations' modules stand.
    fn depth(&self) -> usize {
        if matches!(self.settings.layout, Layout::File) {
            0
        } else {
            4
        }
    }

    fn module(&self, indent: usize, scope: Rc<RefCell<Scope>>, of: Option<&str>) -> Module {
        Module {
            scope,
            out: String::new(),
            indent,
            of: of.map(str::to_owned),
            exports: BTreeMap::new(),
            beside: String::new(),
            written: BTreeMap::new(),
            // Of several types none is the default.
            derives: self.answer_derives(&ALWAYS, &["Default"]),
            extra_derives: self.answer_derives(&[], &ALWAYS),
            deserialize: self.settings.derives.ask_for("Deserialize"),
            serialize: self.settings.derives.ask_for("Serialize"),
        }
    }

    /// What types of answers derive.
    fn answer_derives(&self, ours: &[&'static str], by_hand: &[&str]) -> String {
        let by_hand = [by_hand, &settings::ANSWERS_BY_HAND].concat();
        let paths = self.settings.derives.around(ours, &by_hand);
        self.imported.list(&paths)
    }

    /// A piece of the shared types, or of what stands beside the operations' modules.
    fn shared_module(&self) -> Module {
        self.module(self.depth(), Rc::clone(&self.scope), None)
    }

    fn return_shared(&mut self, module: Module) {
        self.shared.push_str(&module.out);
    }

    /// For what stands in the module of an operation beside its types.
    fn inner_module(&self) -> Module {
        self.module(self.depth() + 4, Rc::clone(&self.scope), None)
    }

    /// The types of an operation; with one operation in all, they are among the shared ones.
    fn operation_module(&self, operation: &Operation, one: bool) -> Module {
        if one {
            return self.shared_module();
        }
        let scope = Scope::with(["Variables"]);
        let (marker, _) = &self.markers[&operation.name];
        let indent = self.depth() + 4;
        self.module(indent, Rc::new(RefCell::new(scope)), Some(marker))
    }

    fn put_operation(&mut self, mut outer: Module, called: &str, described: &str, module: Module) {
        if matches!(self.settings.layout, Layout::OneStruct { .. }) {
            self.shared.push_str(&module.out);
        } else {
            outer.doc(0, Some(&format!("Types of `{called}`. {described}")));
            outer.line(0, &format!("pub mod {called} {{"));
            outer.line(1, "use super::t;");
            let exports = module.exports.iter().map(|(name, written)| {
                if name == written {
                    name.clone()
                } else {
                    format!("{written} as {name}")
                }
            });
            let exports: Vec<_> = exports.collect();
            if !exports.is_empty() {
                let exports = exports.join(", ");
                outer.line(1, &format!("pub use super::__answers::{{{exports}}};"));
            }
            outer.out.push_str(&module.beside);
            outer.line(0, "}");
            self.answers.push_str(&module.out);
        }
        self.outer.push_str(&outer.out);
    }

    fn finished(mut self) -> Code {
        let runtime = format!("use {}::generated as t;", self.settings.krate);
        let visibility = &self.settings.visibility;
        let space = if visibility.is_empty() { "" } else { " " };
        let mut aliases = self.shared_module();
        if !self.aliases.is_empty() {
            // Under a name of its own, lest a type of the same name be an alias of itself.
            let project = std::mem::take(&mut self.aliases);
            aliases.line(0, "mod __project {");
            aliases.line(1, "use super::super::*;");
            for (name, path) in &project {
                aliases.line(1, &format!("pub type __{name} = {path};"));
            }
            aliases.line(0, "}");
            for (name, _) in &project {
                aliases.line(0, &format!("pub use __project::__{name} as {name};"));
            }
        }
        let names = self.imported.names();
        if !names.is_empty() {
            aliases.line(0, "mod __derives {");
            // One by one from here on: what else the caller has would hide names of the prelude.
            aliases.line(1, "pub(super) use super::super::*;");
            for (name, path) in names {
                aliases.line(1, &format!("pub(super) use {path} as {name};"));
            }
            aliases.line(0, "}");
            for (name, _) in names {
                aliases.line(0, &format!("use __derives::{name};"));
            }
        }
        let mut answers = self.shared_module();
        if !self.answers.is_empty() {
            answers.line(0, "mod __answers {");
            answers.line(1, "use super::*;");
            answers.line(1, "use super::t;");
            answers.out.push_str(&self.answers);
            answers.line(0, "}");
        }
        let (shared, outer) = (&self.shared, format!("{}{}", self.outer, answers.out));
        let first = self.markers.values().next();
        let called = first.map_or("operations", |(_, module)| module);
        let text = match &self.settings.layout {
            Layout::File => format!(
                "// Generated by Tollgate from a schema and documents. Changes are lost.\n\
                 #![{QUIET}]\n{runtime}\n{}{outer}{shared}",
                aliases.out
            ),
            Layout::Operations => format!(
                "#[allow(unused_imports)]\n{visibility}{space}use __tollgate_{called}::*;\n\
                 #[{QUIET}]\nmod __tollgate_{called} {{\n    {runtime}\n{}{outer}{shared}}}\n",
                aliases.out
            ),
            Layout::OneStruct { .. } => format!(
                "#[{QUIET}]\n{visibility}{space}mod {called} {{\n    {PRELUDE}\n    {runtime}\n{}{shared}}}\n\
                 #[{QUIET}]\nconst _: () = {{\n    {PRELUDE_BESIDE}\n    {runtime}\n{outer}}};\n",
                aliases.out
            ),
        };
        Code {
            text,
            documents: self.documents,
            warnings: Diagnostics::new(self.document.sources.clone(), self.warnings),
        }
    }
}
