use tollgate_cost::Condition;

/// When something selected is charged.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Guard {
    Always,
    Never,
    When(Condition),
}

impl Guard {
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Never, _) | (_, Self::Never) => Self::Never,
            (Self::Always, guard) | (guard, Self::Always) => guard,
            (Self::When(a), Self::When(b)) => {
                let mut all = Vec::new();
                for condition in [a, b] {
                    match condition {
                        Condition::All(conditions) => all.extend(conditions.into_owned()),
                        condition => all.push(condition),
                    }
                }
                Self::When(single(distinct(all)).unwrap_or_else(|all| Condition::All(all.into())))
            }
        }
    }

    /// Holds when one of them does.
    pub(super) fn any(guards: impl IntoIterator<Item = Self>) -> Self {
        let mut conditions = Vec::new();
        for guard in guards {
            match guard {
                Self::Always => return Self::Always,
                Self::Never => {}
                Self::When(condition) => conditions.push(condition),
            }
        }
        if conditions.is_empty() {
            return Self::Never;
        }
        let any = single(distinct(conditions));
        Self::When(any.unwrap_or_else(|any| Condition::Any(any.into())))
    }
}

fn distinct(conditions: Vec<Condition>) -> Vec<Condition> {
    let mut distinct = Vec::with_capacity(conditions.len());
    for condition in conditions {
        if !distinct.contains(&condition) {
            distinct.push(condition);
        }
    }
    distinct
}

fn single(mut conditions: Vec<Condition>) -> Result<Condition, Vec<Condition>> {
    match (conditions.pop(), conditions.is_empty()) {
        (Some(condition), true) => Ok(condition),
        (Some(last), false) => {
            conditions.push(last);
            Err(conditions)
        }
        (None, _) => Err(conditions),
    }
}
