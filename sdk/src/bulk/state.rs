use std::fmt;
use std::time::Duration;

use serde_json::Value;

/// What the service says of a bulk operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snapshot {
    /// Its global id.
    pub id: String,
    /// Where it stands.
    pub status: Status,
    /// Why it failed, if it did.
    pub error_code: Option<ErrorCode>,
    /// Objects so far. It may jump, and is no promise of the total before the end.
    pub objects: u64,
    /// Of those, the ones on the root connection.
    pub roots: u64,
    /// Bytes of the result, at the end.
    pub file_size: Option<u64>,
    /// Where the result is, for seven days. A state other than [`Status::Completed`] can have one
    /// too; its file is not whole then.
    pub url: Option<String>,
    /// Where the part is that a failed operation came to.
    pub partial_url: Option<String>,
    /// How long it has been followed.
    pub age: Duration,
    /// How long its count has not moved.
    pub still: Duration,
}

/// Where a bulk operation stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Status {
    /// Accepted.
    #[default]
    Created,
    /// Running.
    Running,
    /// Done, the result is whole.
    Completed,
    /// About to stop; it can still complete. Takes minutes, during which it counts as running.
    Canceling,
    /// Stopped.
    Canceled,
    /// Failed, see [`Snapshot::error_code`].
    Failed,
    /// The result is gone.
    Expired,
    /// A state that this version does not know; followed like a running one.
    Unknown(String),
}

/// Why a bulk operation failed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorCode {
    /// The token's scopes do not suffice.
    AccessDenied,
    /// The service failed.
    InternalServerError,
    /// It took too long: select fewer fields.
    Timeout,
    /// A code that this version does not know.
    Unknown(String),
}

impl Status {
    fn of(name: &str) -> Self {
        match name {
            "CREATED" => Self::Created,
            "RUNNING" => Self::Running,
            "COMPLETED" => Self::Completed,
            "CANCELING" => Self::Canceling,
            "CANCELED" => Self::Canceled,
            "FAILED" => Self::Failed,
            "EXPIRED" => Self::Expired,
            other => Self::Unknown(other.to_owned()),
        }
    }

    /// Whether it will not change any more.
    #[must_use]
    pub const fn is_terminal(&self) -> bool {
        matches!(
            self,
            Self::Completed | Self::Canceled | Self::Failed | Self::Expired
        )
    }
}

impl ErrorCode {
    fn of(name: &str) -> Self {
        match name {
            "ACCESS_DENIED" => Self::AccessDenied,
            "INTERNAL_SERVER_ERROR" => Self::InternalServerError,
            "TIMEOUT" => Self::Timeout,
            other => Self::Unknown(other.to_owned()),
        }
    }

    /// Whether the same operation may succeed when it is run again.
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        matches!(self, Self::InternalServerError)
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AccessDenied => "ACCESS_DENIED, the token lacks a scope",
            Self::InternalServerError => "INTERNAL_SERVER_ERROR, it may be run again",
            Self::Timeout => "TIMEOUT, select fewer fields",
            Self::Unknown(code) => code,
        })
    }
}

impl Snapshot {
    /// Reads a `BulkOperation` of an answer.
    pub(super) fn read(value: &Value) -> Option<Self> {
        let text = |name: &str| value[name].as_str().map(str::to_owned);
        Some(Self {
            id: text("id")?,
            status: Status::of(value["status"].as_str().unwrap_or_default()),
            error_code: value["errorCode"].as_str().map(ErrorCode::of),
            objects: count(&value["objectCount"]).unwrap_or(0),
            roots: count(&value["rootObjectCount"]).unwrap_or(0),
            file_size: count(&value["fileSize"]),
            url: text("url"),
            partial_url: text("partialDataUrl"),
            age: Duration::ZERO,
            still: Duration::ZERO,
        })
    }
}

/// `UnsignedInt64`: a text, or a number.
fn count(value: &Value) -> Option<u64> {
    match value {
        Value::String(digits) => digits.parse().ok(),
        number => number.as_u64(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn counts_are_texts_or_numbers_or_not_there_yet() {
        let read = |count: Value| {
            Snapshot::read(&json!({"id": "x", "status": "RUNNING", "objectCount": count})).unwrap()
        };
        assert_eq!(read(json!("18446744073709551615")).objects, u64::MAX);
        assert_eq!(read(json!(7)).objects, 7);
        assert_eq!(read(json!(null)).objects, 0);
        assert_eq!(read(json!(null)).file_size, None);
    }

    #[test]
    fn unknown_words_are_kept() {
        let value = json!({"id": "x", "status": "PAUSED", "errorCode": "TOO_TIRED"});
        let snapshot = Snapshot::read(&value).unwrap();
        assert_eq!(snapshot.status, Status::Unknown("PAUSED".into()));
        assert!(!snapshot.status.is_terminal());
        let code = snapshot.error_code.unwrap();
        assert_eq!(
            (code.to_string().as_str(), code.is_retryable()),
            ("TOO_TIRED", false)
        );
    }

    #[test]
    fn only_a_failure_of_the_service_is_worth_repeating() {
        assert!(ErrorCode::of("INTERNAL_SERVER_ERROR").is_retryable());
        assert!(!ErrorCode::of("ACCESS_DENIED").is_retryable());
        assert!(!ErrorCode::of("TIMEOUT").is_retryable());
    }
}
