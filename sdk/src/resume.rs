//! Where a long piece of work stands, as text that a later process takes up.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::Operation;

/// The format written; others are refused.
const VERSION: u32 = 1;

/// Where a walk or a bulk operation stands: print it, keep it, parse it, go on.
///
/// It names the shop, the operation, its document and its variables, so that it cannot be taken up
/// by something else; it holds no access token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResumeToken {
    version: u32,
    shop: String,
    operation: String,
    /// Of the document and the variables.
    hash: String,
    pub(crate) at: At,
}

/// The place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum At {
    /// After `taken` items of the page behind the cursor.
    Page { cursor: Option<String>, taken: u64 },
    /// A bulk operation, after `taken` rows of its result.
    Bulk {
        id: String,
        grouped: bool,
        taken: u64,
    },
}

/// Why a [`ResumeToken`] cannot be taken up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// The text is no token.
    #[error("this is no resume token of this version: {0}")]
    Malformed(String),
    /// It was written by another version of the format.
    #[error("the token is of format {0}, this is format {VERSION}")]
    Version(u32),
    /// It belongs to another shop.
    #[error("the token belongs to the shop `{0}`")]
    OtherShop(String),
    /// It belongs to another operation, or to the same with another document or other variables.
    #[error("the token belongs to `{0}` with another document or other variables")]
    OtherOperation(String),
    /// More rows were taken, as it says, than the result has. It was changed: a result is not.
    #[error("the token is {0} rows beyond the end of the result")]
    Beyond(u64),
    /// It belongs to a bulk operation and not to pages, or the reverse.
    #[error("the token belongs to another kind of work")]
    OtherKind,
}

impl ResumeToken {
    pub(crate) fn new<O: Operation>(shop: &str, variables: &O::Variables, at: At) -> Self {
        Self {
            version: VERSION,
            shop: shop.to_owned(),
            operation: O::NAME.to_owned(),
            hash: hash::<O>(variables),
            at,
        }
    }

    /// Whether it belongs to this work.
    pub(crate) fn check<O: Operation>(
        &self,
        shop: &str,
        variables: &O::Variables,
    ) -> Result<(), ResumeError> {
        if self.version != VERSION {
            return Err(ResumeError::Version(self.version));
        }
        if self.shop != shop {
            return Err(ResumeError::OtherShop(self.shop.clone()));
        }
        if self.operation != O::NAME || self.hash != hash::<O>(variables) {
            return Err(ResumeError::OtherOperation(self.operation.clone()));
        }
        Ok(())
    }
}

/// Of document and variables.
fn hash<O: Operation>(variables: &O::Variables) -> String {
    let mut bytes = O::DOCUMENT.as_bytes().to_vec();
    O::encode(variables, &mut bytes);
    digest(&bytes)
}

/// By FNV-1a: the same in every build, which the standard hashers do not promise. The command keeps
/// its place by it, too.
pub fn digest(bytes: &[u8]) -> String {
    let fold = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", bytes.iter().fold(0xcbf2_9ce4_8422_2325, fold))
}

impl fmt::Display for ResumeToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = serde_json::to_string(self).map_err(|_| fmt::Error)?;
        f.write_str(&text)
    }
}

impl FromStr for ResumeToken {
    type Err = ResumeError;

    fn from_str(text: &str) -> Result<Self, ResumeError> {
        serde_json::from_str(text).map_err(|error| ResumeError::Malformed(error.to_string()))
    }
}
