use std::fmt;

use bluejay_core::definition::{
    InterfaceTypeDefinition as _, ObjectTypeDefinition as _, SchemaDefinition as _,
    TypeDefinitionReference,
};
use bluejay_parser::ast::Parse;
use bluejay_parser::ast::definition::{DefaultContext, DefinitionDocument, SchemaDefinition};
use self_cell::self_cell;

use super::{definition, problem};
use crate::diagnostic::Diagnostics;
use crate::schema::{CLIENT_DIRECTIVES, TypeDefinition};
use crate::source::Source;

type Definitions<'a> = DefinitionDocument<'a, DefaultContext>;
type Linked<'a> = SchemaDefinition<'a, DefaultContext>;

self_cell!(
    struct Parsed {
        owner: String,
        #[covariant]
        dependent: Definitions,
    }
);

self_cell!(
    struct LinkedSchema {
        owner: Parsed,
        #[covariant]
        dependent: Linked,
    }
);

/// A schema as `bluejay` holds it, with the text it borrows from.
pub(crate) struct ParsedSchema(LinkedSchema);

impl fmt::Debug for ParsedSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParsedSchema").finish_non_exhaustive()
    }
}

impl ParsedSchema {
    pub(crate) fn parse(source: &Source) -> Result<Self, Diagnostics> {
        let report = |problems: Vec<bluejay_parser::Error>| {
            let list = problems
                .into_iter()
                .map(|p| problem::convert(p, source, 0))
                .collect();
            Diagnostics::new(vec![source.clone()], list)
        };
        let text = format!("{}\n{}", source.text, missing_directives(&source.text));
        let parsed = Parsed::try_new(text, |text| Definitions::parse(text).result);
        let parsed = parsed.map_err(report)?;
        let linked = LinkedSchema::try_new(parsed, |parsed| {
            Linked::try_from(parsed.borrow_dependent())
                .map_err(|problems| problems.into_iter().map(Into::into).collect::<Vec<_>>())
        });
        linked.map(Self).map_err(report)
    }

    pub(super) fn definition_of(&self) -> &Linked<'_> {
        self.0.borrow_dependent()
    }

    pub(crate) fn type_names(&self) -> impl Iterator<Item = &str> {
        self.definition_of()
            .type_definitions()
            .map(|definition| definition.name())
    }

    pub(crate) fn roots(&self) -> (String, Option<String>) {
        let schema = self.definition_of();
        let mutation = schema.mutation().map(|mutation| mutation.name().to_owned());
        (schema.query().name().to_owned(), mutation)
    }

    /// The definition of a name that [`Self::type_names`] gave.
    pub(crate) fn definition(&self, name: &str) -> TypeDefinition {
        let schema = self.definition_of();
        match schema.get_type_definition(name) {
            Some(definition) => definition::convert(&definition),
            None => unreachable!("`{name}` is not one of the names this schema listed"),
        }
    }

    pub(crate) fn implementors(&self, interface: &str) -> Vec<String> {
        let schema = self.definition_of();
        let Some(TypeDefinitionReference::Interface(definition)) =
            schema.get_type_definition(interface)
        else {
            return Vec::new();
        };
        debug_assert_eq!(definition.name(), interface);
        let implementors = schema.get_interface_implementors(definition);
        let mut names: Vec<_> = implementors
            .map(|object| object.name().to_owned())
            .collect();
        names.sort();
        names
    }
}

/// The client directives that the text does not define itself.
fn missing_directives(text: &str) -> String {
    CLIENT_DIRECTIVES
        .split("\n\n")
        .filter(|definition| {
            let name = definition
                .split('@')
                .nth(1)
                .and_then(|rest| rest.split('(').next());
            let name = name
                .and_then(|name| name.split_whitespace().next())
                .unwrap_or_default();
            !["(", " on", "\n"]
                .iter()
                .any(|end| text.contains(&format!("directive @{name}{end}")))
        })
        .collect()
}
