use tollgate_cost::Points;

use super::{Directive, Field, Operation, Variable};

/// The directives that are for the client only, as [`CLIENT_DIRECTIVES`] defines them.
///
/// [`CLIENT_DIRECTIVES`]: crate::schema::CLIENT_DIRECTIVES
const CLIENT: [&str; 4] = ["cost", "max", "bulk", "paginate"];

fn named<'d>(directives: &'d [Directive], name: &str) -> Option<&'d Directive> {
    directives.iter().find(|directive| directive.name == name)
}

impl Directive {
    /// Whether it is for the client only, and not sent.
    #[must_use]
    pub fn is_client(&self) -> bool {
        CLIENT.contains(&self.name.as_str())
    }
}

impl Operation {
    /// Whether it carries `@bulk`: it runs as a bulk operation.
    #[must_use]
    pub fn is_bulk(&self) -> bool {
        named(&self.directives, "bulk").is_some()
    }

    /// Its budget, in points: the value of `@cost(max:)`.
    #[must_use]
    pub fn budget(&self) -> Option<Points> {
        let max = self.cost_directive()?.argument("max")?.as_i64()?;
        u64::try_from(max).ok().map(Points)
    }

    pub(crate) fn cost_directive(&self) -> Option<&Directive> {
        named(&self.directives, "cost")
    }
}

impl Variable {
    /// The most that it may say, or hold: the value of `@max`.
    #[must_use]
    pub fn max(&self) -> Option<u64> {
        let max = self.max_directive()?.argument("value")?.as_i64()?;
        u64::try_from(max).ok()
    }

    pub(crate) fn max_directive(&self) -> Option<&Directive> {
        named(&self.directives, "max")
    }
}

impl Field {
    /// Whether it carries `@paginate`: it is the one whose pages are walked.
    pub(crate) fn is_paginated(&self) -> bool {
        named(&self.directives, "paginate").is_some()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_names_are_those_of_the_definitions() {
        let definitions = crate::schema::CLIENT_DIRECTIVES.lines();
        let defined = definitions.filter_map(|line| line.strip_prefix("directive @"));
        let names = defined.map(|rest| rest.split(['(', ' ']).next().unwrap_or_default());
        assert_eq!(names.collect::<Vec<_>>(), super::CLIENT);
    }
}
