use super::outline::Keyword;
use super::sdl::Sdl;
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// What a type is named for in the definition of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The type of a field.
    Output,
    /// The type of an argument, or of a field of an input object.
    Input,
    /// A member of a union.
    Member,
    /// What a type implements.
    Interface,
}

impl Role {
    /// Why a type cannot have the role, if so.
    pub(super) fn misfit(
        self,
        sdl: &Sdl,
        owner: &str,
        name: &str,
        at: impl FnOnce() -> Option<Span>,
    ) -> Option<Diagnostic> {
        let message = match sdl.keyword(name) {
            Some(keyword) if self.takes(keyword) => return None,
            Some(_) => {
                let wanted = self.wanted();
                format!("`{owner}` takes `{name}` where only {wanted} may stand")
            }
            None => format!("`{owner}` names `{name}`, which the schema does not define"),
        };
        Some(Diagnostic::error(message, at()))
    }

    fn takes(self, keyword: Keyword) -> bool {
        match self {
            Self::Output => keyword != Keyword::Input,
            Self::Input => matches!(keyword, Keyword::Input | Keyword::Enum | Keyword::Scalar),
            Self::Member => keyword == Keyword::Type,
            Self::Interface => keyword == Keyword::Interface,
        }
    }

    fn wanted(self) -> &'static str {
        match self {
            Self::Output => "a type of answers",
            Self::Input => "a scalar, an enum or an input object",
            Self::Member => "an object type",
            Self::Interface => "an interface",
        }
    }
}
