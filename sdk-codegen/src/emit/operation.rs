//! What an operation has around its types: the marker, the contracts, the function.

use super::answer::Place;
use super::module::{Module, TypeName};
use super::{Emitter, Layout, name, sent};
use crate::document::{Directive, Document, Operation, OperationKind, Value};
use crate::pricing;
use crate::schema::lists_user_errors;
use quote::quote;
use tollgate_cost::Plan;

/// What stands around the types of an operation.
struct Around {
    /// The name of the root type.
    data: String,
    /// The document as sent.
    document: String,
    /// Statements that collect user errors.
    errors: Vec<String>,
    /// The contracts of pages and bulk.
    sets: String,
}

impl<'a> Emitter<'a> {
    /// The module of an operation, and what stands beside it.
    pub(super) fn operation(&mut self, operation: &'a Operation, plan: &Plan) {
        let derive = matches!(self.settings.layout, Layout::OneStruct { .. });
        // Types of the operation before may have the same names.
        self.known.retain(|ty, _| matches!(ty, TypeName::Shared(_)));
        let mut module = self.operation_module(operation, derive);
        self.variables(&mut module, operation);
        self.write_input_objects();
        let place = Place {
            name: if derive { "ResponseData" } else { "Data" }.to_owned(),
            prefix: Some(if derive {
                name::type_name(&operation.name)
            } else {
                String::new()
            }),
            ty: &operation.selections.parent,
            may_alias: true,
        };
        let data = self.composite(&mut module, place, &vec![(&operation.selections, None)]);
        let data_name = self.name_data(&mut module, &data, derive);
        if self.settings.graphql_client {
            self.graphql_client_types(&mut module, &data);
        }
        let errors = self.user_errors(operation, &data);
        let sets = self.sets(&mut module, operation, &data);
        let document = sent::text(self.document, operation, &self.told);
        self.documents
            .insert(operation.name.clone(), document.clone());
        let around = Around {
            data: data_name,
            document,
            errors,
            sets,
        };
        self.finish(operation, plan, module, &around);
    }

    /// Names the root type: as `graphql_client` does for a derive, and for both where its contract
    /// is asked for.
    fn name_data(&mut self, module: &mut Module, data: &TypeName, derive: bool) -> String {
        let mut names = ["Data", "ResponseData"];
        if derive {
            names.reverse();
        }
        let [wanted, other] = names;
        let path = module.path(data);
        let exported = matches!(data, TypeName::Here(name) if name == wanted);
        let also = self.settings.graphql_client && module.claim(other.to_owned()) == other;
        for (name, missing) in [(wanted, path != wanted && !exported), (other, also)] {
            if missing {
                match data {
                    TypeName::Here(_) => module.export(name, &path),
                    _ if derive => module.line(0, &format!("pub use {path} as {name};")),
                    _ => {
                        let mut inside = self.inner_module();
                        inside.line(0, &format!("pub use super::{path} as {name};"));
                        module.beside.push_str(&inside.out);
                    }
                }
            }
        }
        wanted.to_owned()
    }

    /// `Serialize` and `Deserialize`, which the contract of `graphql_client` asks for.
    fn graphql_client_types(&mut self, module: &mut Module, data: &TypeName) {
        let path = module.path(data);
        if !module.deserialize && self.deserialized.insert(path.clone()) {
            module.deserialize(&path);
        }
        if !self.settings.input_derives.ask_for("Serialize") {
            let variables = module.path(&TypeName::Here("Variables".to_owned()));
            module.serialize(&variables, "t::serialize(self, s)");
        }
    }

    fn finish(&mut self, operation: &Operation, plan: &Plan, mut module: Module, around: &Around) {
        let Around {
            data,
            document,
            errors,
            sets,
        } = around;
        let (marker, called) = self.markers[&operation.name].clone();
        let mut outer = self.shared_module();
        let kind = match operation.kind {
            OperationKind::Query => "Query",
            OperationKind::Mutation => "Mutation",
        };
        let name = &operation.name;
        let described = operation.description.clone();
        let described =
            described.unwrap_or_else(|| format!("The {} `{name}`.", kind.to_lowercase()));
        let derive = matches!(self.settings.layout, Layout::OneStruct { .. });
        if !derive {
            outer.doc(0, Some(&described));
            outer.line(0, &format!("pub struct {marker};"));
        }
        outer.line(0, &format!("impl t::Defined for {marker} {{"));
        outer.line(1, &format!("type Variables = {called}::Variables;"));
        outer.line(1, &format!("type Data = {called}::{data};"));
        let idempotency_variable = idempotency_variable(self.document, operation);
        outer.line(
            1,
            "const DEFINITION: &'static t::Definition = &t::Definition {",
        );
        outer.line(2, &format!("name: \"{name}\","));
        outer.line(2, &format!("kind: t::OperationKind::{kind},"));
        if derive {
            // As `graphql_client` has them.
            module.line(0, &format!("pub const OPERATION_NAME: &str = \"{name}\";"));
            module.line(0, &format!("pub const QUERY: &str = {document:?};"));
            outer.line(2, &format!("document: {called}::QUERY,"));
        } else {
            outer.line(2, &format!("document: {document:?},"));
        }
        outer.line(2, &format!("plan: {},", plan_text(plan)));
        outer.line(2, &format!("max_cost: t::Points({}),", plan.bound()));
        outer.line(
            2,
            &format!("idempotency_variable: {idempotency_variable:?},"),
        );
        outer.line(1, "};");
        if !errors.is_empty() {
            outer.line(1, "#[inline]");
            outer.line(
                1,
                "fn user_errors(data: &Self::Data) -> Vec<t::UserError> {",
            );
            outer.line(2, "let mut errors = Vec::new();");
            for line in errors {
                outer.line(2, line);
            }
            outer.line(2, "errors");
            outer.line(1, "}");
        }
        outer.line(0, "}");
        if self.settings.graphql_client {
            outer.line(0, &format!("impl t::GraphQLQuery for {marker} {{"));
            outer.line(1, &format!("type Variables = {called}::Variables;"));
            outer.line(1, &format!("type ResponseData = {called}::{data};"));
            outer.line(1, "#[inline]");
            outer.line(
                1,
                "fn build_query(variables: Self::Variables) -> t::QueryBody<Self::Variables> {",
            );
            outer.line(2, "t::query_body::<Self>(variables)");
            outer.line(1, "}");
            outer.line(0, "}");
        }
        if !derive {
            outer.doc(0, Some(&described));
            outer.line(0, "#[inline]");
            outer.line(0, &format!(
                "pub fn {called}(client: &t::Client, variables: {called}::Variables) -> impl t::Future<Output = Result<t::Response<{called}::{data}>, t::Error>> + '_ {{"
            ));
            outer.line(1, &format!("client.run::<{marker}>(variables)"));
            outer.line(0, "}");
        }
        outer.out.push_str(sets);
        self.put_operation(outer, &called, &described, module);
    }

    /// Statements that collect the entries of `userErrors` and the like.
    fn user_errors(&mut self, operation: &Operation, data: &TypeName) -> Vec<String> {
        if operation.kind != OperationKind::Mutation {
            return Vec::new();
        }
        let mut statements = Vec::new();
        for payload in self.ways(data) {
            for errors in self.ways(&payload.base) {
                if lists_user_errors(&errors.field, &errors.ty) {
                    statements.push(self.user_error(&payload, &errors));
                }
            }
        }
        statements
    }
}

/// The plan as an expression.
fn plan_text(plan: &Plan) -> String {
    pricing::tokens(plan, &quote!(t::plan)).to_string()
}

/// The variable of `@idempotent(key: $variable)`, on the operation or on a field of its root.
fn idempotency_variable<'d>(document: &'d Document, operation: &'d Operation) -> Option<&'d str> {
    let of = |directives: &'d [Directive]| {
        let directive = directives
            .iter()
            .find(|directive| directive.name == "idempotent")?;
        match directive.argument("key") {
            Some(Value::Variable(name)) => Some(name.as_str()),
            _ => None,
        }
    };
    let mut roots = Vec::new();
    document.fields(&operation.selections, &mut roots);
    let mut fields = roots.iter();
    of(&operation.directives).or_else(|| fields.find_map(|field| of(&field.directives)))
}
