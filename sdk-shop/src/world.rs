//! What exists in the shop: which objects, how many, and how they belong together.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tollgate_codegen::schema::{
    FieldDefinition, Schema, TypeDefinition, TypeKind, TypeRef, lists_user_errors,
};

use crate::catalogue::{Catalogue, Size};
use crate::seed::Seed;
use crate::sync::lock;

/// Keys of objects that mutations create begin here.
pub(crate) const CREATED: u64 = 100_000_000_000;
/// Keys of objects that no root connection lists begin here. They are hashes of their place.
const UNLISTED: u64 = 1_000_000_000_000;
/// How far ownership is followed from a child to its parents.
const DEEPEST_OWNER: u8 = 4;

/// The data of the shop, as a function of its seed.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) schema: Arc<Schema>,
    pub(crate) catalogue: Catalogue,
    pub(crate) seed: Seed,
    /// Types that a root connection lists, with the field.
    listed: BTreeMap<String, String>,
    /// Types of which there is one: the shop itself, the app's installation.
    single: BTreeSet<String>,
    /// Found so far.
    owners: Mutex<HashMap<String, Option<Arc<Owner>>>>,
}

/// Through which connection a type owns the objects of another: all objects are numbered through,
/// so many to each owner.
#[derive(Debug)]
pub(crate) struct Owner {
    pub(crate) parent: String,
    pub(crate) field: String,
    pub(crate) each: u64,
}

impl World {
    pub(crate) fn new(schema: Arc<Schema>, catalogue: Catalogue, seed: u64) -> Self {
        let mut world = Self {
            listed: BTreeMap::new(),
            single: BTreeSet::new(),
            owners: Mutex::default(),
            schema,
            catalogue,
            seed: Seed::new(seed),
        };
        let root = world.schema.get(world.schema.query_type()).cloned();
        for field in root.iter().flat_map(|root| root.fields()) {
            world.list(field);
        }
        world
    }

    fn list(&mut self, field: &FieldDefinition) {
        if let Some(node) = self.node_type(field.ty.base()) {
            let plural = format!("{}s", lower_first(&node));
            if field.name == plural || !self.listed.contains_key(&node) {
                self.listed.insert(node, field.name.clone());
            }
        } else if field.arguments.is_empty() && !field.ty.is_list() {
            let identified = self.schema.field(field.ty.base(), "id").is_some();
            if identified {
                self.single.insert(field.ty.base().to_owned());
            }
        }
    }

    /// The type of the nodes, when the type is a connection.
    pub(crate) fn node_type(&self, connection: &str) -> Option<String> {
        if !connection.ends_with("Connection") {
            return None;
        }
        if let Some(nodes) = self.schema.field(connection, "nodes") {
            return Some(nodes.ty.base().to_owned());
        }
        let edges = self.schema.field(connection, "edges")?;
        let node = self.schema.field(edges.ty.base(), "node")?;
        Some(node.ty.base().to_owned())
    }

    /// How many objects a root connection lists.
    pub(crate) fn root_total(&self, field: &str, node: &str) -> u64 {
        self.root_total_within(field, node, DEEPEST_OWNER)
    }

    fn root_total_within(&self, field: &str, node: &str, depth: u8) -> u64 {
        match self.catalogue.root_size(field) {
            Some(size) => size.at(self.seed.name(field)),
            None => self
                .owned_total(node, depth)
                .unwrap_or_else(|| self.catalogue.root_default()),
        }
    }

    /// All children of all parents, when the type belongs to a listed type.
    fn owned_total(&self, child: &str, depth: u8) -> Option<u64> {
        let depth = depth.checked_sub(1)?;
        let owner = self.owner(child)?;
        let root = self.listed.get(&owner.parent)?;
        let parents = self.root_total_within(root, &owner.parent, depth);
        Some(parents.saturating_mul(owner.each))
    }

    /// The type that owns the objects of a type: one that they name (`product` of a
    /// `ProductVariant`), that lists them in a connection, and that a root connection lists. Of
    /// several, the one whose connection was given a size, or else whose name the child's begins
    /// with, comes first.
    pub(crate) fn owner(&self, child: &str) -> Option<Arc<Owner>> {
        if let Some(owner) = lock(&self.owners).get(child) {
            return owner.clone();
        }
        let fields = self.schema.get(child)?.fields();
        let parents = fields.iter().filter(|field| names_its_type(field));
        let owners = parents.filter_map(|field| self.owner_named(field.ty.base(), child));
        let rank = |owner: &Owner| {
            let sized = self.catalogue.has_nested(&owner.parent, &owner.field);
            (sized, child.starts_with(&owner.parent))
        };
        let owner = owners.max_by_key(rank).map(Arc::new);
        lock(&self.owners).insert(child.to_owned(), owner.clone());
        owner
    }

    fn owner_named(&self, parent: &str, child: &str) -> Option<Owner> {
        self.listed.get(parent)?;
        let fields = self.schema.get(parent)?.fields();
        let field = fields
            .iter()
            .find(|field| self.node_type(field.ty.base()).as_deref() == Some(child))?;
        match self.catalogue.nested_size(parent, &field.name) {
            Size::Exactly(each) => Some(Owner {
                parent: parent.to_owned(),
                field: field.name.clone(),
                each,
            }),
            Size::Between(..) => None,
        }
    }

    /// Whether a type has one object only.
    pub(crate) fn is_single(&self, ty: &str) -> bool {
        self.single.contains(ty)
    }

    /// How many objects of a type the root connection lists; `None` when none lists it.
    pub(crate) fn listed_total(&self, ty: &str) -> Option<u64> {
        let field = self.listed.get(ty)?;
        Some(self.root_total(field, ty))
    }

    /// Whether there is an object with this key.
    pub(crate) fn exists(&self, ty: &str, key: u64) -> bool {
        if self.is_single(ty) {
            return key == 1;
        }
        key >= CREATED || (key > 0 && self.listed_total(ty).is_none_or(|total| key <= total))
    }

    /// The key of an object at a place that no root connection lists.
    pub(crate) fn unlisted_key(place: Seed) -> u64 {
        UNLISTED + place.below(9 * UNLISTED)
    }

    /// Whether a key is the dense number of a listed object, so that its children have one too.
    pub(crate) fn is_dense(key: u64) -> bool {
        key < CREATED
    }

    /// Whether a selection on the type `on` applies to objects of `ty`.
    pub(crate) fn applies(&self, on: &str, ty: &TypeDefinition) -> bool {
        if on == ty.name {
            return true;
        }
        match &ty.kind {
            TypeKind::Object { interfaces, .. } if interfaces.iter().any(|i| i == on) => true,
            _ => match self.schema.get(on).map(|on| &on.kind) {
                Some(TypeKind::Union { members }) => members.contains(&ty.name),
                _ => false,
            },
        }
    }

    /// Whether an object type of the schema has the field that a coordinate names:
    /// `Product.variants`.
    pub(crate) fn has_field(&self, coordinate: &str) -> bool {
        coordinate.split_once('.').is_some_and(|(ty, field)| {
            let object = self.schema.get(ty).is_some_and(|ty| !ty.is_abstract());
            object && self.schema.field(ty, field).is_some()
        })
    }

    /// Whether JSON can be an entry of the `userErrors` of a mutation, and what of it cannot.
    pub(crate) fn fits_user_error(
        &self,
        root: &str,
        mutation: &str,
        error: &Value,
    ) -> Result<(), String> {
        let payload = self.schema.field(root, mutation);
        let payload = payload.and_then(|field| self.schema.get(field.ty.base()));
        let lists = payload.iter().flat_map(|payload| payload.fields());
        let lists = lists.filter(|list| lists_user_errors(&list.name, &list.ty));
        let entries: Vec<&str> = lists.map(|list| list.ty.base()).collect();
        let Some(given) = error.as_object() else {
            return Err(format!(
                "an error of `{mutation}` is an object, not {error}"
            ));
        };
        for (key, value) in given {
            let mut fields = entries.iter().filter_map(|it| self.schema.field(it, key));
            let Some(field) = fields.next() else {
                // Not every error has one.
                if key == "code" {
                    continue;
                }
                return Err(format!("no error of `{mutation}` has a field `{key}`"));
            };
            let ty = self.schema.get(field.ty.base());
            let kind = ty.as_ref().map(|ty| &ty.kind);
            if let (Some(TypeKind::Enum { values }), Some(text)) = (kind, value.as_str())
                && values.iter().all(|value| value.name != text)
            {
                let name = field.ty.base();
                return Err(format!(
                    "`{name}` has no value `{text}` in the shop's schema"
                ));
            }
        }
        Ok(())
    }

    /// The places of the catalogue that the schema does not have.
    pub(crate) fn unknown_places(&self) -> Vec<String> {
        let root = self.schema.query_type();
        let known = |place: &str| {
            let of_root = || self.schema.field(root, place).is_some();
            self.has_field(place) || of_root()
        };
        let unknown = self.catalogue.places().filter(|place| !known(place));
        unknown.map(str::to_owned).collect()
    }
}

/// Whether a field is called after its type: `product: Product`.
fn names_its_type(field: &FieldDefinition) -> bool {
    matches!(&field.ty, TypeRef::Named { name, .. } if lower_first(name) == field.name)
}

/// `productVariant` for `ProductVariant`.
pub(crate) fn lower_first(name: &str) -> String {
    let mut letters = name.chars();
    letters
        .next()
        .map(|first| first.to_lowercase().chain(letters).collect())
        .unwrap_or_default()
}
