use std::fmt;

use tollgate_cost::{CostError, Fields, Plan, Points};

use crate::decode::{self, Decode};
use crate::{DecodeError, answer::Said, input};

/// Whether an operation only reads.
///
/// The kind decides what may be sent again: a query always, a mutation only when it is proved that
/// the server did not run it, or when the server recognises a repetition by its idempotency key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperationKind {
    /// `query`: reads.
    Query,
    /// `mutation`: writes.
    Mutation,
}

impl OperationKind {
    /// The GraphQL keyword, `query` or `mutation`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Mutation => "mutation",
        }
    }
}

impl fmt::Display for OperationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An operation of a `.graphql` document, as the generator emits it.
///
/// Implemented by generated marker types; there is seldom a reason to implement it by hand.
pub trait Operation {
    /// What a caller fills in.
    type Variables;
    /// What the `data` member of the answer decodes to.
    type Data;

    /// `operationName`, as sent.
    const NAME: &'static str;
    /// Query or mutation.
    const KIND: OperationKind;
    /// The document as sent: this operation and the fragments it reaches, minified, client
    /// directives stripped.
    const DOCUMENT: &'static str;
    /// The price as a function of the variables.
    const PLAN: &'static Plan;
    /// The most points that a call within the declared bounds can cost.
    const MAX_COST: Points;
    /// The variable that carries the key of `@idempotent(key: $variable)`, without `$`, when the
    /// document declares one. The client fills it in when the caller left it out.
    const IDEMPOTENCY_VARIABLE: Option<&'static str> = None;

    /// The exact price of a call, in points.
    ///
    /// # Errors
    /// [`CostError`] when a variable is outside its bounds; nothing is sent then.
    fn cost(variables: &Self::Variables) -> Result<Points, CostError>;

    /// Appends the JSON object of the variables to `out`.
    fn encode(variables: &Self::Variables, out: &mut Vec<u8>);

    /// Decodes the text of the `data` member.
    ///
    /// # Errors
    /// [`DecodeError`], with the path, when the text is not of the generated shape.
    fn decode(data: &str) -> Result<Self::Data, DecodeError>;

    /// The entries of `userErrors`, `mediaUserErrors` and the like in the payloads of a mutation.
    fn user_errors(_data: &Self::Data) -> Vec<UserError> {
        Vec::new()
    }
}

/// What the generator says of an operation, in one piece, since each constant and function that it
/// writes is paid for in every build. [`Operation`] follows from it.
pub trait Defined {
    /// [`Operation::Variables`].
    type Variables: Fields;
    /// [`Operation::Data`].
    type Data: Decode;

    /// Everything constant.
    const DEFINITION: &'static Definition;

    /// [`Operation::user_errors`].
    fn user_errors(_data: &Self::Data) -> Vec<UserError> {
        Vec::new()
    }
}

/// The constants of an [`Operation`], under the same names.
#[allow(missing_docs)]
#[derive(Debug)]
pub struct Definition {
    pub name: &'static str,
    pub kind: OperationKind,
    pub document: &'static str,
    pub plan: Plan,
    pub max_cost: Points,
    pub idempotency_variable: Option<&'static str>,
}

impl<T: Defined> Operation for T {
    type Variables = T::Variables;
    type Data = T::Data;

    const NAME: &'static str = T::DEFINITION.name;
    const KIND: OperationKind = T::DEFINITION.kind;
    const DOCUMENT: &'static str = T::DEFINITION.document;
    const PLAN: &'static Plan = &T::DEFINITION.plan;
    const MAX_COST: Points = T::DEFINITION.max_cost;
    const IDEMPOTENCY_VARIABLE: Option<&'static str> = T::DEFINITION.idempotency_variable;

    fn cost(variables: &Self::Variables) -> Result<Points, CostError> {
        T::DEFINITION.plan.price(variables)
    }

    fn encode(variables: &Self::Variables, out: &mut Vec<u8>) {
        input::encode(variables, out);
    }

    fn decode(data: &str) -> Result<Self::Data, DecodeError> {
        decode::from_str(data)
    }

    fn user_errors(data: &Self::Data) -> Vec<UserError> {
        T::user_errors(data)
    }
}

/// An entry of a mutation payload's `userErrors`, or of a list like it.
#[derive(Clone, Debug, Default, PartialEq, Eq, thiserror::Error)]
#[error("{}{}", Said(message), At(.field))]
pub struct UserError {
    /// The path of the input field at fault, as the server names it; empty when it names none.
    pub field: Vec<String>,
    /// The code, where the payload's error type has one and the document selects it.
    pub code: Option<String>,
    /// The message for a person.
    pub message: String,
}

struct At<'a>(&'a [String]);

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        write!(f, " (at {})", Said(&self.0.join(".")))
    }
}
