use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::Schema;

/// Which object types a type can be, looked up once each.
#[derive(Debug)]
pub(crate) struct PossibleTypes<'a> {
    pub(crate) schema: &'a Schema,
    known: RefCell<BTreeMap<String, Rc<BTreeSet<String>>>>,
}

impl<'a> PossibleTypes<'a> {
    pub(crate) fn new(schema: &'a Schema) -> Self {
        Self {
            schema,
            known: RefCell::default(),
        }
    }

    /// Those of the type `name`: itself, when it is an object type.
    pub(crate) fn of(&self, name: &str) -> Rc<BTreeSet<String>> {
        if let Some(known) = self.known.borrow().get(name) {
            return Rc::clone(known);
        }
        let types = Rc::new(self.schema.possible_types(name).into_iter().collect());
        let mut known = self.known.borrow_mut();
        known.insert(name.to_owned(), Rc::clone(&types));
        types
    }

    /// Whether a fragment on the type `condition` holds for the object type `concrete`.
    pub(crate) fn applies(&self, condition: &str, concrete: &str) -> bool {
        condition == concrete || self.of(condition).contains(concrete)
    }
}
