use std::{error::Error as StdError, fmt};

/// What a `main` that fails prints of an error: its message with its causes. Some messages have
/// their cause in them already.
pub(super) fn with_causes(error: &dyn StdError, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut said = error.to_string();
    f.write_str(&said)?;
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !said.contains(&more) {
            write!(f, ": {more}")?;
        }
        said = more;
        cause = error.source();
    }
    Ok(())
}

/// `Debug` of errors that users hand to their `main`.
macro_rules! debug_with_causes {
    ($($error:ty),*) => {$(
        impl fmt::Debug for $error {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                with_causes(self, f)
            }
        }
    )*};
}

debug_with_causes!(
    crate::BuildError,
    crate::bulk::BulkError,
    crate::pages::PageError
);
#[cfg(feature = "blocking")]
debug_with_causes!(crate::blocking::BlockingError);
#[cfg(feature = "redis")]
debug_with_causes!(crate::shared::RedisLedgerError);
