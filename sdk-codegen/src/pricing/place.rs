use tollgate_cost::MilliPoints;

use super::Rules;
use crate::document::{Field, OperationKind};
use crate::schema::Schema;

/// What kind of place a field is selected at: what decides its own price, beside its type.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Place {
    /// On the mutation root.
    Mutation,
    /// On the answer of a mutation, which is paid with it.
    Payload,
    /// On a connection.
    Connection,
    /// Anywhere else.
    Object,
}

impl Place {
    pub(super) fn root(kind: OperationKind) -> Self {
        match kind {
            OperationKind::Query => Self::Object,
            OperationKind::Mutation => Self::Mutation,
        }
    }

    /// The place of what is selected below a field here that is no connection.
    pub(super) fn below(self) -> Self {
        match self {
            Self::Mutation => Self::Payload,
            Self::Payload | Self::Connection | Self::Object => Self::Object,
        }
    }

    /// What a field costs itself, when it is no connection.
    pub(super) fn own(
        self,
        schema: &Schema,
        rules: &Rules,
        on: &str,
        field: &Field,
    ) -> MilliPoints {
        let returns = field.definition.ty.base();
        let on_root = on == schema.query_type();
        let ruled = rules
            .field(on, &field.name, returns)
            .or_else(|| rules.root(returns).filter(|_| on_root));
        ruled.unwrap_or_else(|| match (self, &*field.name) {
            (Self::Payload, _) | (Self::Connection, "edges" | "pageInfo") => MilliPoints::ZERO,
            (Self::Mutation, name) => rules.mutation(name),
            _ if is_leaf(schema, field) => MilliPoints::ZERO,
            _ => MilliPoints::from_points(1),
        })
    }
}

/// Whether a field is no object; one that the schema does not know is judged by its shape.
pub(super) fn is_leaf(schema: &Schema, field: &Field) -> bool {
    let definition = schema.get(field.definition.ty.base());
    field.selections.is_none() && !definition.is_some_and(|definition| definition.is_composite())
}

/// By the name, since the server's connections all have it, also those that this schema lacks.
pub(super) fn is_connection(field: &Field) -> bool {
    field.selections.is_some() && field.definition.ty.base().ends_with("Connection")
}
