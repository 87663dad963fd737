//! What a fault does: to the execution, to the answer, to the connection.

use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;

use crate::execution::Failing;
use crate::refusal::Refusal;

/// What a fault does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Effect {
    /// Another answer altogether.
    Reply {
        status: u16,
        headers: Vec<(String, String)>,
        body: Bytes,
    },
    /// 200 with nothing but `errors`, and `data: null` where `null_data`.
    Refused { error: Refusal, null_data: bool },
    /// A refusal for want of points, although they are there.
    Throttled { coded: bool },
    /// The first root field is null and has an error; the rest of the operation runs.
    Root(Refusal),
    /// The mutation runs; its payload holds nulls beside an error at the top.
    Payload(Refusal),
    /// Another cost block, or none.
    Cost(Option<Value>),
    /// One member of the cost block.
    CostMember(Vec<String>, Option<Value>),
    /// A header on top of the others, or in place of one.
    Header(String, String),
    /// The text of the body ends early, although the transfer is complete.
    Truncated,
    /// The connection.
    Wire(Wire),
}

impl Effect {
    /// The error that strikes in the middle of the execution.
    pub(crate) fn failing(&self) -> Option<Failing> {
        match self {
            Self::Root(error) => Some(Failing::Root(error.clone())),
            Self::Payload(error) => Some(Failing::Payload(error.clone())),
            _ => None,
        }
    }
}

/// What a fault does to the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wire {
    /// Closed without an answer.
    Closed,
    /// Reset without an answer.
    Reset,
    /// Closed in the middle of the body, or after so many bytes of it.
    CutOff(Option<u64>),
    /// Nothing ever comes.
    Silent,
    /// Half of the body, then nothing more.
    Stalled,
    /// The body comes piece by piece, with a pause before each.
    Drip(Duration),
    /// The body never ends.
    Endless,
}

impl Wire {
    /// How many pieces a slow body comes in.
    pub(crate) const PIECES: u32 = 16;
}
