//! Execution: a validated operation and its variables in, `data` and field errors out.

mod bulk;
mod connection;
mod introspection;
mod kind;
mod leaf;
mod level;
mod object;
mod payload;

use std::rc::Rc;
use std::sync::{Arc, Mutex};

use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tollgate_codegen::document::{Document, Operation, OperationKind};
use tollgate_codegen::schema::{TypeDefinition, TypeRef};

pub(crate) use self::bulk::BulkNodes;
use self::connection::Page;
use self::introspection::Meta;
use self::kind::Kind;
use self::level::{Chosen, Collector, Level};
pub(crate) use self::object::BULK_OPERATION;
use self::object::Entity;
pub(crate) use self::payload::Effects;
use self::payload::Payload;
use crate::answer::Answer;
use crate::bulk::View;
use crate::overrides::Overrides;
use crate::refusal::Refusal;
use crate::world::World;

/// What an operation gave.
#[derive(Debug)]
pub(crate) struct Executed<'a> {
    pub(crate) data: Answer<'a>,
    pub(crate) errors: Vec<Refusal>,
    /// The mutations that ran, by field name.
    pub(crate) ran: Vec<String>,
}

/// What an execution reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    pub(crate) world: &'a World,
    pub(crate) overrides: &'a Overrides,
    pub(crate) effects: &'a Mutex<Effects>,
    /// The bulk operations; `None` within one.
    pub(crate) jobs: Option<View<'a>>,
}

/// An error that strikes in the middle of an execution, once.
#[derive(Clone, Debug)]
pub(crate) enum Failing {
    /// The first root field is null and does not run.
    Root(Refusal),
    /// The first mutation runs; what its payload holds is null.
    Payload(Refusal),
}

/// Runs an operation.
pub(crate) fn execute<'a>(
    context: Context<'a>,
    document: &'a Document,
    operation: &'a Operation,
    variables: &'a Map<String, Value>,
    failing: Option<Failing>,
) -> Executed<'a> {
    let mut execution = Execution::new(context, document, variables, failing);
    let root = match operation.kind {
        OperationKind::Query => Resolved::Query,
        OperationKind::Mutation => Resolved::Mutation,
    };
    let level = execution.collector.root(&operation.selections);
    let data = level.map(|level| execution.fields(&root, &level));
    Executed {
        data: match data {
            Some(Ok(data)) => data,
            Some(Err(Nulled)) | None => Answer::Null,
        },
        errors: execution.errors,
        ran: execution.ran,
    }
}

/// A value before selection.
#[derive(Clone, Debug)]
enum Resolved<'a> {
    Null,
    Leaf(Value),
    List(Vec<Resolved<'a>>),
    Query,
    Mutation,
    Entity(Entity),
    Page(Rc<Page>),
    Edge(Rc<Page>, u64),
    PageInfo(Rc<Page>),
    Payload(Rc<Payload>),
    Meta(Meta<'a>),
    Made(Arc<RawValue>),
}

/// A null where none may be: it replaces the nearest nullable value above.
struct Nulled;

struct Execution<'a> {
    context: Context<'a>,
    collector: Collector<'a>,
    failing: Option<Failing>,
    path: Vec<Value>,
    errors: Vec<Refusal>,
    ran: Vec<String>,
    /// Whether connections give all their nodes, as in a bulk operation.
    unpaged: bool,
}

impl<'a> Execution<'a> {
    fn new(
        context: Context<'a>,
        document: &'a Document,
        variables: &'a Map<String, Value>,
        failing: Option<Failing>,
    ) -> Self {
        Self {
            context,
            collector: Collector {
                world: context.world,
                overrides: context.overrides,
                document,
                variables,
            },
            failing,
            path: Vec::new(),
            errors: Vec::new(),
            ran: Vec::new(),
            unpaged: false,
        }
    }

    fn world(&self) -> &'a World {
        self.context.world
    }

    /// Notes an error at the current path; the field is null.
    fn fail(&mut self, error: Refusal) -> Resolved<'a> {
        self.errors.push(error.at(&self.path));
        Resolved::Null
    }

    /// The selected fields of an object.
    fn fields(&mut self, object: &Resolved<'a>, level: &Level<'a>) -> Result<Answer<'a>, Nulled> {
        let mut fields = Vec::with_capacity(level.chosen.len());
        for chosen in &level.chosen {
            self.path.push(chosen.key().into());
            let value = self.resolve(object, level, chosen);
            let answer = self.complete(&chosen.field.definition.ty, chosen, value);
            self.path.pop();
            fields.push((chosen.key(), answer?));
        }
        Ok(Answer::Object {
            of: Arc::clone(&level.ty),
            fields,
        })
    }

    fn resolve(
        &mut self,
        object: &Resolved<'a>,
        level: &Level<'a>,
        chosen: &Chosen<'a>,
    ) -> Resolved<'a> {
        if let Kind::Typename = chosen.kind {
            return Resolved::Leaf(level.ty.name.as_str().into());
        }
        if let Some(scope) = &chosen.denied {
            let message = format!("Access denied for {} field", chosen.field.name);
            return self.fail(Refusal::access_denied(&message, scope));
        }
        match object {
            Resolved::Query | Resolved::Mutation => {
                if let Some(Failing::Root(error)) = &self.failing {
                    let error = error.clone();
                    self.failing = None;
                    return self.fail(error);
                }
                match (object, &chosen.kind) {
                    (Resolved::Mutation, _) => self.mutate(chosen),
                    (_, Kind::Introspection) => self.introspect(chosen),
                    _ => self.root_field(chosen),
                }
            }
            Resolved::Entity(entity) => self.entity_field(entity, chosen),
            Resolved::Page(page) => self.page_field(page, chosen),
            Resolved::Edge(page, index) => self.edge_field(page, *index, chosen),
            Resolved::PageInfo(page) => page.info_field(&chosen.field.name),
            Resolved::Payload(payload) => self.payload_field(payload, level, chosen),
            Resolved::Meta(meta) => self.meta_field(meta, chosen),
            Resolved::Null | Resolved::Leaf(_) | Resolved::List(_) | Resolved::Made(_) => {
                Resolved::Null
            }
        }
    }

    /// Selects from a value what the document asks for, and checks it against its type.
    fn complete(
        &mut self,
        ty: &TypeRef,
        chosen: &Chosen<'a>,
        value: Resolved<'a>,
    ) -> Result<Answer<'a>, Nulled> {
        let answer = match (value, ty) {
            (Resolved::Null, _) => Ok(Answer::Null),
            (Resolved::Made(text), _) => return Ok(Answer::Made(text)),
            (Resolved::List(items), TypeRef::List { item, .. }) => {
                self.complete_items(item, chosen, items)
            }
            (Resolved::Leaf(value), _) => Ok(Answer::Leaf(value)),
            (value, _) => match self.type_of(&value, chosen) {
                Some(ty) => {
                    let level = self.collector.below(chosen, &ty);
                    self.fields(&value, &level)
                }
                None => Ok(Answer::Null),
            },
        };
        match answer {
            Ok(Answer::Null) | Err(Nulled) if ty.is_non_null() => Err(Nulled),
            Err(Nulled) => Ok(Answer::Null),
            answer => answer,
        }
    }

    fn complete_items(
        &mut self,
        item: &TypeRef,
        chosen: &Chosen<'a>,
        items: Vec<Resolved<'a>>,
    ) -> Result<Answer<'a>, Nulled> {
        let mut answers = Vec::with_capacity(items.len());
        for (index, value) in items.into_iter().enumerate() {
            self.path.push(index.into());
            let answer = self.complete(item, chosen, value);
            self.path.pop();
            answers.push(answer?);
        }
        Ok(Answer::List(answers))
    }

    /// The concrete type of a composite value.
    fn type_of(&self, value: &Resolved<'a>, chosen: &Chosen<'a>) -> Option<Arc<TypeDefinition>> {
        let declared = || {
            let base = chosen.field.definition.ty.base();
            self.world().schema.get(base).map(Arc::clone)
        };
        match value {
            Resolved::Entity(entity) => Some(Arc::clone(&entity.ty)),
            Resolved::Page(_)
            | Resolved::Edge(..)
            | Resolved::PageInfo(_)
            | Resolved::Payload(_)
            | Resolved::Meta(_) => declared(),
            _ => None,
        }
    }
}
