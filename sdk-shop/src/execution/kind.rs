//! What a field holds, decided once per request from its type and its name.

use std::sync::Arc;

use tollgate_codegen::schema::{FieldDefinition, TypeDefinition, TypeKind};

use super::leaf::Leaf;
use crate::catalogue::Size;
use crate::world::{World, lower_first};

/// What a field holds.
#[derive(Debug)]
pub(super) enum Kind {
    /// `__typename`.
    Typename,
    /// A part of introspection.
    Introspection,
    /// A scalar or enum.
    Leaf(Leaf),
    /// An object, and how its key is found.
    Object(Arc<TypeDefinition>, Link),
    /// An interface or union, and the types its values take in turn.
    Abstract(Vec<Arc<TypeDefinition>>),
    /// A connection.
    Connection(Arc<Connection>),
    /// A `Count` of the connection beside it.
    Count(Arc<TypeDefinition>, Size),
}

/// How an object field finds the object it points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// There is one object of this type.
    Single,
    /// The parent: each parent owns so many children, numbered through.
    Parent(u64),
    /// One of so many listed objects.
    Listed(u64),
    /// An object of its own, found nowhere else.
    Own,
}

/// A connection field.
#[derive(Debug)]
pub(super) struct Connection {
    /// The connection type.
    pub(super) ty: Arc<TypeDefinition>,
    /// The types that nodes take in turn; one for a concrete node type.
    pub(super) nodes: Vec<Arc<TypeDefinition>>,
    /// How many nodes there are.
    pub(super) size: Size,
    /// How nodes get their keys.
    pub(super) numbering: Numbering,
}

/// How the nodes of a connection get their keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbering {
    /// From 1.
    Root,
    /// Numbered through over all parents, so many to each.
    Owned(u64),
    /// One of so many listed objects.
    Listed(u64),
    /// By a hash of the place.
    Own,
}

impl Kind {
    pub(super) fn of(
        world: &World,
        parent: &TypeDefinition,
        field: &FieldDefinition,
        members: impl Fn(&str) -> Vec<Arc<TypeDefinition>>,
    ) -> Self {
        if field.name == "__typename" {
            return Self::Typename;
        }
        if parent.name.starts_with("__") || field.name.starts_with("__") {
            return Self::Introspection;
        }
        let base = field.ty.base();
        let Some(ty) = world.schema.get(base) else {
            return Self::Leaf(Leaf::of(&world.schema, parent, field));
        };
        match &ty.kind {
            TypeKind::Object { .. } => match world.node_type(base) {
                Some(node) => Self::Connection(Arc::new(connection(
                    world, parent, field, ty, &node, members,
                ))),
                None => object(world, parent, field, ty),
            },
            TypeKind::Interface { .. } | TypeKind::Union { .. } => Self::Abstract(members(base)),
            _ => Self::Leaf(Leaf::of(&world.schema, parent, field)),
        }
    }
}

fn object(
    world: &World,
    parent: &TypeDefinition,
    field: &FieldDefinition,
    ty: &Arc<TypeDefinition>,
) -> Kind {
    if ty.name == "Count"
        && let Some(counted) = field.name.strip_suffix("Count")
        && let Some(connection) = world.schema.field(&parent.name, counted)
        && let Some(node) = world.node_type(connection.ty.base())
    {
        return Kind::Count(Arc::clone(ty), size(world, parent, counted, &node));
    }
    let link = if world.is_single(&ty.name) {
        Link::Single
    } else if let Some(owner) = world.owner(&parent.name)
        && owner.parent == ty.name
        && field.name == lower_first(&ty.name)
    {
        Link::Parent(owner.each)
    } else {
        world.listed_total(&ty.name).map_or(Link::Own, Link::Listed)
    };
    Kind::Object(Arc::clone(ty), link)
}

fn size(world: &World, parent: &TypeDefinition, field: &str, node: &str) -> Size {
    if parent.name == world.schema.query_type() {
        Size::Exactly(world.root_total(field, node))
    } else {
        world.catalogue.nested_size(&parent.name, field)
    }
}

fn connection(
    world: &World,
    parent: &TypeDefinition,
    field: &FieldDefinition,
    ty: &Arc<TypeDefinition>,
    node: &str,
    members: impl Fn(&str) -> Vec<Arc<TypeDefinition>>,
) -> Connection {
    let definition = world.schema.get(node);
    let nodes = match definition {
        Some(node) if node.is_abstract() => members(&node.name),
        Some(node) => vec![Arc::clone(node)],
        None => Vec::new(),
    };
    let numbering = if parent.name == world.schema.query_type() {
        Numbering::Root
    } else {
        match world.owner(node) {
            Some(owner) if owner.parent == parent.name && owner.field == field.name => {
                Numbering::Owned(owner.each)
            }
            _ => world
                .listed_total(node)
                .map_or(Numbering::Own, Numbering::Listed),
        }
    };
    Connection {
        ty: Arc::clone(ty),
        nodes,
        size: size(world, parent, &field.name, node),
        numbering,
    }
}
