//! Objects: their identity, their fields, and the root fields that find them.

use std::sync::Arc;

use serde_json::{Map, Value};
use tollgate_codegen::schema::{TypeDefinition, TypeRef};

use super::kind::{Kind, Link};
use super::level::Chosen;
use super::{Execution, Resolved};
use crate::gid::Gid;
use crate::seed::Seed;
use crate::sync::lock;
use crate::world::World;

/// The type whose objects are the jobs of the shop.
pub(crate) const BULK_OPERATION: &str = "BulkOperation";

/// An object: its type and its key decide all of its fields, except those it was given.
#[derive(Clone, Debug)]
pub(super) struct Entity {
    pub(super) ty: Arc<TypeDefinition>,
    pub(super) key: u64,
    /// Values that a mutation, an argument or a test gave to it.
    pub(super) given: Option<Arc<Map<String, Value>>>,
}

impl Entity {
    fn new(ty: &Arc<TypeDefinition>, key: u64) -> Self {
        Self {
            ty: Arc::clone(ty),
            key,
            given: None,
        }
    }
}

impl<'a> Execution<'a> {
    pub(super) fn entity_field(&mut self, entity: &Entity, chosen: &Chosen<'a>) -> Resolved<'a> {
        let ty = &chosen.field.definition.ty;
        let mut place = chosen.seed.number(entity.key);
        if entity.ty.name == BULK_OPERATION
            && let Some(value) = self.job_field(entity.key, &chosen.field.name)
        {
            return value.map_or(Resolved::Null, Resolved::Leaf);
        }
        let given = entity.given.as_ref();
        let given = given.and_then(|given| given.get(&chosen.field.name));
        if let Some(value) = given.or(chosen.fixed.as_ref())
            && let Some(value) = self.read_json(ty, chosen, value, place)
        {
            return value;
        }
        if let Some(pointed) = self.pointed(entity, chosen) {
            return pointed;
        }
        if !ty.is_non_null() && place.name("null").happens(self.context.overrides.nulls) {
            return Resolved::Null;
        }
        if let Kind::Connection(connection) = &chosen.kind {
            return self.page(connection, entity.key, place, chosen);
        }
        for (name, value) in &chosen.arguments {
            place = place.name(name).name(&value.to_string());
        }
        self.generate(ty, entity, chosen, place, entity.key)
    }

    /// A field of a bulk operation of this shop: its value, or that it is null.
    fn job_field(&self, key: u64, field: &str) -> Option<Option<Value>> {
        let view = self.context.jobs?;
        let mut fields = lock(view.jobs).fields(key, view.base)?;
        let value = fields.remove(field)?;
        Some(Some(value).filter(|value| !value.is_null()))
    }

    /// Whether there is an object.
    fn exists(&self, ty: &str, key: u64) -> bool {
        match self.context.jobs {
            Some(view) if ty == BULK_OPERATION => lock(view.jobs).fields(key, view.base).is_some(),
            _ => self.world().exists(ty, key),
        }
    }

    /// The object whose id was given: `owner` for `ownerId`.
    fn pointed(&self, entity: &Entity, chosen: &Chosen<'a>) -> Option<Resolved<'a>> {
        if !matches!(chosen.kind, Kind::Object(..) | Kind::Abstract(_)) {
            return None;
        }
        let id = entity
            .given
            .as_ref()?
            .get(&format!("{}Id", chosen.field.name))?;
        Some(self.find(id.as_str()?, chosen))
    }

    /// A value of a type. `turn` decides between the types of an abstract type.
    fn generate(
        &self,
        ty: &TypeRef,
        owner: &Entity,
        chosen: &Chosen<'a>,
        place: Seed,
        turn: u64,
    ) -> Resolved<'a> {
        if let TypeRef::List { item, .. } = ty {
            let catalogue = &self.world().catalogue;
            let size = catalogue.list_size(&owner.ty.name, &chosen.field.name);
            let items = (0..size.at(place)).map(|index| {
                let turn = turn.wrapping_add(index);
                self.generate(item, owner, chosen, place.number(index), turn)
            });
            return Resolved::List(items.collect());
        }
        match &chosen.kind {
            Kind::Leaf(leaf) => Resolved::Leaf(leaf.value(&owner.ty, owner.key, place)),
            Kind::Object(target, link) => match linked_key(*link, owner.key, place) {
                Some(key) => Resolved::Entity(with_arguments(Entity::new(target, key), chosen)),
                None => Resolved::Null,
            },
            Kind::Abstract(members) => match in_turn(members, turn) {
                Some(member) => {
                    let total = self.world().listed_total(&member.name);
                    let link = total.map_or(Link::Own, Link::Listed);
                    linked_key(link, owner.key, place).map_or(Resolved::Null, |key| {
                        Resolved::Entity(with_arguments(Entity::new(member, key), chosen))
                    })
                }
                None => Resolved::Null,
            },
            Kind::Count(ty, size) => Resolved::Entity(count(ty, size.at(place))),
            Kind::Typename | Kind::Introspection | Kind::Connection(_) => Resolved::Null,
        }
    }

    /// A value that was given as JSON; `None` when it does not fit the field.
    pub(super) fn read_json(
        &self,
        ty: &TypeRef,
        chosen: &Chosen<'a>,
        value: &Value,
        place: Seed,
    ) -> Option<Resolved<'a>> {
        if value.is_null() {
            return (!ty.is_non_null()).then_some(Resolved::Null);
        }
        if let TypeRef::List { item, .. } = ty {
            let items = value.as_array()?.iter().zip(0..);
            let items = items
                .map(|(value, index)| self.read_json(item, chosen, value, place.number(index)));
            return items.collect::<Option<_>>().map(Resolved::List);
        }
        match &chosen.kind {
            Kind::Leaf(leaf) => leaf.takes(value).then(|| Resolved::Leaf(value.clone())),
            Kind::Object(ty, _) => self.object_read_json(ty, value, place),
            Kind::Count(ty, _) => self.object_read_json(ty, value, place),
            Kind::Abstract(members) => {
                let fields = value.as_object()?;
                let named = fields.get("__typename").and_then(Value::as_str);
                let id = fields.get("id").and_then(Value::as_str);
                let named = named.or_else(|| Some(Gid::parse(id?)?.resource));
                let ty = match named {
                    Some(name) => self.world().schema.get(name)?,
                    None => members.first()?,
                };
                self.object_read_json(ty, value, place)
            }
            Kind::Typename | Kind::Introspection | Kind::Connection(_) => None,
        }
    }

    fn object_read_json(
        &self,
        ty: &Arc<TypeDefinition>,
        value: &Value,
        place: Seed,
    ) -> Option<Resolved<'a>> {
        let given = value.as_object()?;
        let id = given.get("id").and_then(Value::as_str).and_then(Gid::parse);
        let id = id.filter(|id| id.resource == ty.name);
        let key = id.map_or_else(|| World::unlisted_key(place), |id| id.key);
        let mut given = given.clone();
        given.remove("id");
        Some(Resolved::Entity(Entity {
            ty: Arc::clone(ty),
            key,
            given: Some(Arc::new(given)),
        }))
    }

    /// A field of the query root.
    pub(super) fn root_field(&mut self, chosen: &Chosen<'a>) -> Resolved<'a> {
        let Some(root) = self.world().schema.get(self.world().schema.query_type()) else {
            return Resolved::Null;
        };
        if chosen.field.name == "currentBulkOperation" {
            return self.current_job(chosen);
        }
        if chosen.fixed.is_none()
            && matches!(chosen.kind, Kind::Object(..) | Kind::Abstract(_))
            && let Some(found) = self.identified(chosen)
        {
            return found;
        }
        self.entity_field(&Entity::new(root, 1), chosen)
    }

    /// The newest bulk operation of a kind.
    fn current_job(&self, chosen: &Chosen<'a>) -> Resolved<'a> {
        let mutation = chosen.argument("type") == Some(&Value::from("MUTATION"));
        let newest = self
            .context
            .jobs
            .and_then(|view| lock(view.jobs).newest(mutation));
        match (&chosen.kind, newest) {
            (Kind::Object(ty, _), Some(key)) => Resolved::Entity(Entity::new(ty, key)),
            _ => Resolved::Null,
        }
    }

    /// The objects that the arguments of a root field name; `None` when none of them is an id, a
    /// handle or an identifier.
    fn identified(&self, chosen: &Chosen<'a>) -> Option<Resolved<'a>> {
        let arguments = chosen.field.definition.arguments.iter();
        let identifying = arguments.filter(|argument| {
            argument.ty.base() == "ID" || ["handle", "identifier"].contains(&argument.name.as_str())
        });
        let value = identifying.filter_map(|argument| chosen.argument(&argument.name));
        Some(match value.into_iter().next()? {
            Value::Array(ids) => {
                let found = ids.iter().map(|id| match id.as_str() {
                    Some(id) => self.find(id, chosen),
                    None => Resolved::Null,
                });
                Resolved::List(found.collect())
            }
            Value::Object(fields) => match fields.values().find_map(Value::as_str) {
                Some(text) => self.find(text, chosen),
                None => Resolved::Null,
            },
            Value::String(text) => self.find(text, chosen),
            _ => Resolved::Null,
        })
    }

    /// The object with a global id, or with a handle that holds its number.
    fn find(&self, text: &str, chosen: &Chosen<'a>) -> Resolved<'a> {
        let world = self.world();
        let declared = chosen.field.definition.ty.base();
        let (ty, key) = match Gid::parse(text) {
            Some(gid) => match world.schema.get(gid.resource) {
                Some(ty) if world.applies(declared, ty) => (ty, gid.key),
                _ => return Resolved::Null,
            },
            None => {
                let mut digits = text.rsplit(|c: char| !c.is_ascii_digit());
                let key = digits.find(|run| !run.is_empty());
                match (&chosen.kind, key.and_then(|digits| digits.parse().ok())) {
                    (Kind::Object(ty, _), Some(key)) => (ty, key),
                    _ => return Resolved::Null,
                }
            }
        };
        if ty.is_abstract() || !self.exists(&ty.name, key) {
            return Resolved::Null;
        }
        Resolved::Entity(with_arguments(Entity::new(ty, key), chosen))
    }
}

fn linked_key(link: Link, owner: u64, place: Seed) -> Option<u64> {
    match link {
        Link::Single => Some(1),
        Link::Parent(each) if World::is_dense(owner) => {
            Some(owner.saturating_sub(1).checked_div(each)? + 1)
        }
        Link::Listed(0) => None,
        Link::Listed(total) => Some(1 + place.below(total)),
        Link::Parent(_) | Link::Own => Some(World::unlisted_key(place)),
    }
}

pub(super) fn in_turn(members: &[Arc<TypeDefinition>], turn: u64) -> Option<&Arc<TypeDefinition>> {
    let count = u64::try_from(members.len()).ok()?;
    members.get(usize::try_from(turn.checked_rem(count)?).ok()?)
}

/// An object asked for by its properties has them: `metafield(namespace: "a", key: "b")`.
fn with_arguments(entity: Entity, chosen: &Chosen<'_>) -> Entity {
    if chosen.arguments.is_empty() {
        return entity;
    }
    let mut given = chosen.arguments.clone();
    given.remove("id");
    Entity {
        given: Some(Arc::new(given)),
        ..entity
    }
}

fn count(ty: &Arc<TypeDefinition>, count: u64) -> Entity {
    let mut given = Map::new();
    given.insert("count".into(), count.into());
    given.insert("precision".into(), "EXACT".into());
    Entity {
        ty: Arc::clone(ty),
        key: 1,
        given: Some(Arc::new(given)),
    }
}
