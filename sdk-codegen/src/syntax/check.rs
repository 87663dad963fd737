use super::outline::Keyword;
use super::role::Role;
use super::sdl::Sdl;
use super::slot::Found;
use super::{cycle, promise};
use crate::diagnostic::Diagnostic;
use crate::schema::{DirectiveDefinition, FieldDefinition, TypeDefinition, TypeKind};

/// What is wrong with a schema, all definitions considered: what cannot be parsed, names given
/// twice, not defined or of the wrong kind, interfaces that implement themselves or are promised and
/// not kept, input objects that nobody can fill.
pub(crate) fn check(sdl: &Sdl) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    for name in sdl.type_names() {
        problems.extend(sdl.problems(name));
        if let Some(definition) = sdl.get(name) {
            let check = Check { sdl, definition };
            problems.extend(check.misfits());
            problems.extend(check.broken());
        }
    }
    for (name, _) in sdl.directives() {
        problems.extend(directive(sdl, name).err().into_iter().flatten());
    }
    problems.extend(cycle::interfaces(sdl, sdl.type_names()));
    problems.extend(cycle::inputs(sdl, sdl.type_names()));
    problems
}

/// A directive's definition, or what is wrong with it.
pub(super) fn directive(sdl: &Sdl, name: &str) -> Found<DirectiveDefinition> {
    let directive = sdl.directive(name)?;
    let owner = format!("@{name}");
    let arguments = directive.arguments.iter();
    let misfits = arguments.filter_map(|argument| {
        let ty = argument.ty.base();
        Role::Input.misfit(sdl, &owner, ty, || sdl.find_in_directive(name, ty))
    });
    let misfits: Vec<_> = misfits.collect();
    if misfits.is_empty() {
        Ok(directive)
    } else {
        Err(misfits)
    }
}

struct Check<'a> {
    sdl: &'a Sdl,
    definition: &'a TypeDefinition,
}

impl Check<'_> {
    /// Types named where another kind is needed.
    fn misfits(&self) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        match &self.definition.kind {
            TypeKind::Object { fields, interfaces }
            | TypeKind::Interface { fields, interfaces } => {
                let interfaces = interfaces.iter();
                found
                    .extend(interfaces.filter_map(|name| self.misfit(Role::Interface, None, name)));
                found.extend(fields.iter().flat_map(|field| self.field(field)));
            }
            TypeKind::Union { members } => {
                let members = members.iter();
                found.extend(members.filter_map(|name| self.misfit(Role::Member, None, name)));
            }
            TypeKind::Input { fields, .. } => {
                let fields = fields.iter();
                found.extend(fields.filter_map(|field| {
                    self.misfit(Role::Input, Some(&field.name), field.ty.base())
                }));
            }
            TypeKind::Scalar | TypeKind::Enum { .. } => {}
        }
        found
    }

    fn field(&self, field: &FieldDefinition) -> Vec<Diagnostic> {
        let output = self.misfit(Role::Output, Some(&field.name), field.ty.base());
        let inputs = field
            .arguments
            .iter()
            .filter_map(|argument| self.misfit(Role::Input, Some(&field.name), argument.ty.base()));
        output.into_iter().chain(inputs).collect()
    }

    fn misfit(&self, role: Role, field: Option<&str>, name: &str) -> Option<Diagnostic> {
        let owner = &self.definition.name;
        role.misfit(self.sdl, owner, name, || self.sdl.find(owner, field, name))
    }

    /// What interfaces promise, and the type does not keep.
    fn broken(&self) -> Vec<Diagnostic> {
        let owner = self.definition.name.as_str();
        let own = self.sdl.interfaces(owner);
        let mut found = Vec::new();
        for interface in &own {
            if self.sdl.keyword(interface) != Some(Keyword::Interface) {
                continue;
            }
            let fields = self.sdl.get(interface).map(|ty| ty.fields());
            let fields = fields.unwrap_or_default().iter();
            found.extend(
                fields.filter_map(|field| promise::broken(self.sdl, owner, interface, &field.name)),
            );
            for above in self.sdl.interfaces(interface) {
                if !own.contains(&above) && above != owner {
                    let message = format!(
                        "`{owner}` implements `{interface}`, but not `{above}`, which that implements"
                    );
                    let at = self.sdl.find(owner, None, interface);
                    found.push(Diagnostic::error(message, at));
                }
            }
        }
        found
    }
}
