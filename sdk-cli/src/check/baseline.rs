use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use tollgate_cost::Points;

use super::Checked;
use crate::error::Error;
use crate::file;

/// Prices as they were.
#[derive(Deserialize, Serialize)]
pub(super) struct Baseline {
    /// The bound of each operation, in points.
    bounds: BTreeMap<String, u64>,
}

impl Baseline {
    pub(super) fn of(checked: &[Checked]) -> Self {
        let bound = |checked: &Checked| (checked.name.clone(), checked.bound.0);
        Self {
            bounds: checked.iter().map(bound).collect(),
        }
    }

    pub(super) fn read(path: &Path) -> Result<Self, Error> {
        match path.exists() {
            true => file::json(path),
            false => Err(Error::NoBaseline(path.to_owned())),
        }
    }

    pub(super) fn write(&self, path: &Path) -> Result<(), Error> {
        let text = serde_json::to_string_pretty(self).map_err(|source| Error::Json {
            path: path.to_owned(),
            source,
        })?;
        file::replace(path, text + "\n")
    }

    pub(super) fn bound(&self, operation: &str) -> Option<Points> {
        self.bounds.get(operation).copied().map(Points)
    }
}

/// How much dearer an operation may become, in percent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MaxRise(u32);

impl FromStr for MaxRise {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.strip_suffix('%').unwrap_or(text).trim();
        let percent = number
            .parse()
            .map_err(|_| format!("`{text}` is no share: write it as `10%`"));
        percent.map(Self)
    }
}

impl MaxRise {
    pub(super) fn allows(self, before: Points, now: Points) -> bool {
        let most = u128::from(before.0) * (100 + u128::from(self.0));
        u128::from(now.0) * 100 <= most
    }
}
