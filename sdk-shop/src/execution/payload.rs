//! Mutations: payloads that give back what was sent, and the count of what ran.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::{Arc, MutexGuard};

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tollgate_codegen::schema::TypeRef;

use super::kind::{Kind, Link};
use super::leaf::Leaf;
use super::level::{Chosen, Level};
use super::object::Entity;
use super::{Execution, Failing, Resolved};
use crate::answer::Answer;
use crate::gid::Gid;
use crate::refusal::Refusal;
use crate::sync::lock;
use crate::variables::literal;
use crate::world::CREATED;

/// What mutations left behind.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    created: u64,
    keys: HashMap<String, Kept>,
    /// How often each mutation ran, by field name.
    pub(crate) runs: BTreeMap<String, u64>,
}

/// A mutation that ran under an idempotency key.
#[derive(Debug)]
struct Kept {
    arguments: Map<String, Value>,
    answer: Arc<RawValue>,
}

impl Effects {
    /// Whether a mutation ran under this idempotency key.
    pub(crate) fn knows_key(&self, key: &str) -> bool {
        self.keys.contains_key(key)
    }
}

/// The payload of a mutation.
#[derive(Debug)]
pub(super) struct Payload {
    /// The arguments with the fields of input objects among them, for objects that give back what
    /// was sent.
    sent: Map<String, Value>,
    user_errors: Vec<Value>,
    /// The key of the object this mutation creates, if it creates one.
    created: u64,
    /// Whether all that can be null is.
    hollow: bool,
}

impl Payload {
    /// The id that was sent for an object of a type for which `fits` holds.
    fn id(&self, fits: impl Fn(&str) -> bool) -> Option<Gid<'_>> {
        let mut ids = self.sent.values().filter_map(Value::as_str);
        ids.find_map(|text| Gid::parse(text).filter(|gid| fits(gid.resource)))
    }

    /// The first list of input objects that was sent.
    fn items(&self) -> Option<&Vec<Value>> {
        let mut lists = self.sent.values().filter_map(Value::as_array);
        lists.find(|items| items.first().is_some_and(Value::is_object))
    }
}

impl<'a> Execution<'a> {
    fn effects(&self) -> MutexGuard<'a, Effects> {
        lock(self.context.effects)
    }

    /// Runs a field of the mutation root, once per idempotency key.
    pub(super) fn mutate(&mut self, chosen: &Chosen<'a>) -> Resolved<'a> {
        if let Some(wrong) = self.wrong_id(chosen) {
            return self.fail(wrong);
        }
        let Some(key) = self.idempotency_key(chosen) else {
            return self.run(chosen);
        };
        if let Some(kept) = self.effects().keys.get(&key) {
            if kept.arguments == chosen.arguments {
                return Resolved::Made(Arc::clone(&kept.answer));
            }
            let mismatch = json!({
                "field": null,
                "code": "IDEMPOTENCY_KEY_PARAMETER_MISMATCH",
                "message": "The same idempotency key was used with different parameters.",
            });
            return payload(Map::new(), vec![mismatch], 0, true);
        }
        let value = self.run(chosen);
        let answer = self.complete(&chosen.field.definition.ty, chosen, value);
        let Ok(text) = serde_json::value::to_raw_value(&answer.unwrap_or(Answer::Null)) else {
            unreachable!("an answer is made of strings, numbers, lists and maps of strings")
        };
        let answer = Arc::<RawValue>::from(text);
        let kept = Kept {
            arguments: chosen.arguments.clone(),
            answer: Arc::clone(&answer),
        };
        self.effects().keys.insert(key, kept);
        Resolved::Made(answer)
    }

    fn run(&mut self, chosen: &Chosen<'a>) -> Resolved<'a> {
        let name = &chosen.field.name;
        if let Some(errors) = self.context.overrides.user_errors.get(name) {
            return payload(chosen.arguments.clone(), errors.clone(), 0, true);
        }
        if let Some(job) = self.bulk_mutation(chosen) {
            return job;
        }
        let mut effects = self.effects();
        *effects.runs.entry(name.clone()).or_default() += 1;
        effects.created += 1;
        let created = CREATED + effects.created;
        drop(effects);
        self.ran.push(name.clone());
        let failing = matches!(self.failing, Some(Failing::Payload(_)));
        if failing && let Some(Failing::Payload(error)) = self.failing.take() {
            self.errors.push(error);
        }
        payload(chosen.arguments.clone(), Vec::new(), created, failing)
    }

    /// The mutations that have to do with bulk operations.
    fn bulk_mutation(&mut self, chosen: &Chosen<'a>) -> Option<Resolved<'a>> {
        let view = self.context.jobs?;
        let (name, arguments) = (&chosen.field.name, &chosen.arguments);
        let mut jobs = lock(view.jobs);
        let job = match name.as_str() {
            "bulkOperationRunQuery" => view.run_query(&mut jobs, self.context, arguments),
            "bulkOperationRunMutation" => view.run_mutation(&mut jobs, self.context, arguments),
            "bulkOperationCancel" => view.cancel(&mut jobs, arguments),
            "stagedUploadsCreate" => {
                let targets = Value::Array(view.targets(&mut jobs, arguments));
                let targets = Map::from_iter([("targets".to_owned(), targets)]);
                return Some(payload(targets, Vec::new(), 0, false));
            }
            _ => return None,
        };
        drop(jobs);
        Some(match job {
            Ok(key) => {
                *self.effects().runs.entry(name.clone()).or_default() += 1;
                self.ran.push(name.clone());
                payload(Map::new(), Vec::new(), key, false)
            }
            Err(error) => payload(Map::new(), vec![error], 0, true),
        })
    }

    /// The key of `@idempotent(key: …)` on the field.
    fn idempotency_key(&self, chosen: &Chosen<'a>) -> Option<String> {
        let mut directives = chosen.field.directives.iter();
        let directive = directives.find(|directive| directive.name == "idempotent")?;
        let key = literal(directive.argument("key")?, self.collector.variables)?;
        key.as_str().map(str::to_owned)
    }

    /// An id argument that is no global id of a type of this schema.
    fn wrong_id(&self, chosen: &Chosen<'a>) -> Option<Refusal> {
        let arguments = chosen.field.definition.arguments.iter();
        let ids = arguments.filter(|argument| argument.ty.base() == "ID");
        let texts = ids.filter_map(|argument| chosen.argument(&argument.name)?.as_str());
        let known = |text: &str| {
            Gid::parse(text).is_some_and(|gid| self.world().schema.get(gid.resource).is_some())
        };
        let wrong = texts.into_iter().any(|text| !known(text));
        wrong.then(|| Refusal::new("invalid id").code("RESOURCE_NOT_FOUND"))
    }

    pub(super) fn payload_field(
        &mut self,
        payload: &Payload,
        level: &Level<'a>,
        chosen: &Chosen<'a>,
    ) -> Resolved<'a> {
        let (name, ty) = (&chosen.field.name, &chosen.field.definition.ty);
        let owner = Entity {
            ty: Arc::clone(&level.ty),
            key: payload.created,
            given: None,
        };
        let place = chosen.seed.number(payload.created);
        if chosen.fixed.is_some() {
            return self.entity_field(&owner, chosen);
        }
        if is_user_errors(name) {
            let errors = Value::from(payload.user_errors.clone());
            let errors = self.read_json(ty, chosen, &errors, place);
            return errors.unwrap_or(Resolved::Null);
        }
        if payload.hollow && !ty.is_non_null() {
            return Resolved::Null;
        }
        let sent = match ty {
            TypeRef::List { .. } => payload
                .items()
                .and_then(|items| self.read_json(ty, chosen, &items.as_slice().into(), place)),
            TypeRef::Named { .. } => self.sent_object(payload, chosen),
        };
        let same_name = || {
            let value = payload.sent.get(name)?;
            self.read_json(ty, chosen, value, place)
        };
        match sent.or_else(same_name) {
            Some(value) => value,
            None => self.entity_field(&owner, chosen),
        }
    }

    /// The object that a mutation changed or created, as it was sent.
    fn sent_object(&self, payload: &Payload, chosen: &Chosen<'a>) -> Option<Resolved<'a>> {
        let schema = &self.world().schema;
        let (ty, key) = match &chosen.kind {
            Kind::Object(ty, Link::Single) => (ty, 1),
            Kind::Object(ty, _) => {
                let id = payload.id(|resource| resource == ty.name);
                (ty, id.map_or(payload.created, |id| id.key))
            }
            Kind::Abstract(_) => {
                let declared = chosen.field.definition.ty.base();
                let applies = |resource: &str| {
                    let ty = schema.get(resource);
                    ty.is_some_and(|ty| self.world().applies(declared, ty))
                };
                let id = payload.id(applies)?;
                (schema.get(id.resource)?, id.key)
            }
            Kind::Leaf(Leaf::IdOf(_)) => {
                let id = payload.sent.get("id").or_else(|| payload.sent.get("ids"))?;
                return Some(Resolved::Leaf(id.clone()));
            }
            _ => return None,
        };
        let mut given = payload.sent.clone();
        given.remove("id");
        Some(Resolved::Entity(Entity {
            ty: Arc::clone(ty),
            key,
            given: Some(Arc::new(given)),
        }))
    }
}

fn payload<'a>(
    arguments: Map<String, Value>,
    user_errors: Vec<Value>,
    created: u64,
    hollow: bool,
) -> Resolved<'a> {
    let mut sent = Map::new();
    for (name, value) in arguments {
        match value {
            Value::Object(fields) => sent.extend(fields),
            other => sent.extend([(name, other)]),
        }
    }
    Resolved::Payload(Rc::new(Payload {
        sent,
        user_errors,
        created,
        hollow,
    }))
}

/// `userErrors`, `mediaUserErrors` and the like.
fn is_user_errors(field: &str) -> bool {
    field.ends_with("serErrors")
}
