//! Connections: pages of nodes, with cursors.

use std::rc::Rc;
use std::sync::Arc;

use serde_json::Value;
use tollgate_codegen::schema::TypeDefinition;
use tollgate_cost::MAX_PAGE;

use super::kind::{Connection, Kind, Numbering};
use super::level::Chosen;
use super::object::{BULK_OPERATION, Entity, in_turn};
use super::{Execution, Resolved};
use crate::cursor;
use crate::refusal::Refusal;
use crate::seed::Seed;
use crate::sync::lock;
use crate::world::World;

/// The largest page of `Product.variants`.
const MAX_VARIANTS: u64 = 2048;

/// One page of a connection.
#[derive(Debug)]
pub(super) struct Page {
    connection: Arc<Connection>,
    /// The key of the object the connection belongs to.
    owner: u64,
    place: Seed,
    /// Indices of the first node of the page and of the first after it.
    start: u64,
    end: u64,
    total: u64,
    reverse: bool,
}

impl Page {
    /// The connection type.
    pub(super) fn ty(&self) -> &Arc<TypeDefinition> {
        &self.connection.ty
    }

    /// How many nodes the connection has.
    pub(super) fn len(&self) -> u64 {
        self.total
    }

    pub(super) fn node<'a>(&self, index: u64) -> Resolved<'a> {
        let index = if self.reverse {
            self.total - 1 - index
        } else {
            index
        };
        let own = || World::unlisted_key(self.place.number(index));
        let key = match self.connection.numbering {
            Numbering::Root => index + 1,
            Numbering::Owned(each) if World::is_dense(self.owner) => {
                let before = self.owner.saturating_sub(1).saturating_mul(each);
                before.saturating_add(index + 1)
            }
            Numbering::Listed(total) if total > 0 => {
                1 + self.place.below(total).wrapping_add(index) % total
            }
            Numbering::Owned(_) | Numbering::Listed(_) | Numbering::Own => own(),
        };
        match in_turn(&self.connection.nodes, index) {
            Some(ty) => Resolved::Entity(Entity {
                ty: Arc::clone(ty),
                key,
                given: None,
            }),
            None => Resolved::Null,
        }
    }

    pub(super) fn info_field<'a>(&self, name: &str) -> Resolved<'a> {
        let some = self.start < self.end;
        Resolved::Leaf(match name {
            "hasNextPage" => (self.end < self.total).into(),
            "hasPreviousPage" => (self.start > 0).into(),
            "startCursor" if some => cursor::encode(self.start).into(),
            "endCursor" if some => cursor::encode(self.end - 1).into(),
            _ => return Resolved::Null,
        })
    }
}

impl<'a> Execution<'a> {
    /// The page that the arguments of a connection ask for.
    pub(super) fn page(
        &mut self,
        connection: &Arc<Connection>,
        owner: u64,
        place: Seed,
        chosen: &Chosen<'a>,
    ) -> Resolved<'a> {
        let total = match self.job_count(connection) {
            Some(jobs) => jobs,
            None => connection.size.at(place.name("size")),
        };
        let (mut start, mut end) = (0, total);
        let largest = match chosen.field.name.as_str() {
            "variants" => MAX_VARIANTS,
            _ => MAX_PAGE,
        };
        for (name, is_after) in [("after", true), ("before", false)] {
            let Some(text) = chosen.argument(name) else {
                continue;
            };
            match text.as_str().and_then(cursor::decode) {
                Some(index) if is_after => start = index.saturating_add(1).min(total),
                Some(index) => end = index.min(total),
                None => return self.bad_request("Malformed cursor"),
            }
        }
        end = end.max(start);
        let sizes = ["first", "last"].map(|name| chosen.argument(name).and_then(Value::as_i64));
        for (name, size) in ["first", "last"].into_iter().zip(sizes) {
            let Some(size) = size else { continue };
            let Ok(size) = u64::try_from(size) else {
                return self.bad_request(&format!("{name} cannot be negative"));
            };
            if size > largest {
                return self.bad_request(&format!("{name} cannot exceed {largest}"));
            }
            match name {
                "first" => end = end.min(start.saturating_add(size)),
                _ => start = start.max(end.saturating_sub(size)),
            }
        }
        if sizes == [None, None] && self.needs_a_size(chosen) {
            return self.bad_request("you must provide one of first or last");
        }
        Resolved::Page(Rc::new(Page {
            connection: Arc::clone(connection),
            owner,
            place,
            start,
            end,
            total,
            reverse: chosen.argument("reverse") == Some(&Value::Bool(true)),
        }))
    }

    /// How many nodes a connection of bulk operations has.
    fn job_count(&self, connection: &Connection) -> Option<u64> {
        let jobs = self.context.jobs?;
        let node = connection.nodes.first()?;
        (node.name == BULK_OPERATION).then(|| lock(jobs.jobs).count())
    }

    /// A bulk operation takes all nodes; of the rest only `bulkOperations` was seen to answer
    /// without a size.
    fn needs_a_size(&self, chosen: &Chosen<'a>) -> bool {
        let sized = |argument: &str| {
            let mut arguments = chosen.field.definition.arguments.iter();
            arguments.any(|known| known.name == argument)
        };
        !self.unpaged && sized("first") && chosen.field.name != "bulkOperations"
    }

    fn bad_request(&mut self, message: &str) -> Resolved<'a> {
        self.fail(Refusal::new(message).code("BAD_REQUEST"))
    }

    pub(super) fn page_field(&mut self, page: &Rc<Page>, chosen: &Chosen<'a>) -> Resolved<'a> {
        match chosen.field.name.as_str() {
            "nodes" => Resolved::List((page.start..page.end).map(|i| page.node(i)).collect()),
            "edges" => {
                let edges = page.start..page.end;
                Resolved::List(edges.map(|i| Resolved::Edge(Rc::clone(page), i)).collect())
            }
            "pageInfo" => Resolved::PageInfo(Rc::clone(page)),
            "totalCount" if matches!(chosen.kind, Kind::Leaf(_)) => {
                Resolved::Leaf(page.total.into())
            }
            _ => self.beside(&page.connection.ty, page.place, chosen),
        }
    }

    pub(super) fn edge_field(
        &mut self,
        page: &Rc<Page>,
        index: u64,
        chosen: &Chosen<'a>,
    ) -> Resolved<'a> {
        match chosen.field.name.as_str() {
            "node" => page.node(index),
            "cursor" => Resolved::Leaf(cursor::encode(index).into()),
            _ => self.beside(&page.connection.ty, page.place.number(index), chosen),
        }
    }

    /// A field of a connection or edge that has nothing to do with paging.
    fn beside(
        &mut self,
        ty: &Arc<TypeDefinition>,
        place: Seed,
        chosen: &Chosen<'a>,
    ) -> Resolved<'a> {
        let entity = Entity {
            ty: Arc::clone(ty),
            key: World::unlisted_key(place),
            given: None,
        };
        self.entity_field(&entity, chosen)
    }
}
