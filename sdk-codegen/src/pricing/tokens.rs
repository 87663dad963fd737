use std::borrow::Cow;

use proc_macro2::{Literal as Number, TokenStream};
use quote::{ToTokens, quote};
use tollgate_cost::{Condition, Literal, MilliPoints, Node, Owner, Parameter, Plan, Size};

/// The plan as a constant expression. `terms` is the path of a module that has [`Plan`] and what it
/// is made of under short names, as `tollgate::generated::plan` does.
#[must_use]
pub fn tokens(plan: &Plan, terms: &TokenStream) -> TokenStream {
    let root = node(&plan.root);
    let parameters = list(&plan.parameters, parameter);
    quote! {{
        use #terms::*;
        Plan { root: #root, parameters: #parameters }
    }}
}

fn list<T>(items: &[T], one: impl Fn(&T) -> TokenStream) -> TokenStream {
    let items = items.iter().map(one);
    quote!(B(&[#(#items),*]))
}

fn text(text: &str) -> TokenStream {
    quote!(B(#text))
}

fn price(price: MilliPoints) -> TokenStream {
    let thousandths = Number::u64_unsuffixed(price.0);
    quote!(P(#thousandths))
}

fn index(parameter: usize) -> Number {
    Number::usize_unsuffixed(parameter)
}

fn path(steps: &[Cow<'static, str>]) -> TokenStream {
    list(steps, |step| text(step))
}

fn node(term: &Node) -> TokenStream {
    match term {
        Node::Const(value) => {
            let value = price(*value);
            quote!(N::Const(#value))
        }
        Node::Sum(terms) => {
            let terms = list(terms, node);
            quote!(N::Sum(#terms))
        }
        Node::Max(terms) => {
            let terms = list(terms, node);
            quote!(N::Max(#terms))
        }
        Node::Connection { sizes, children } => {
            let (sizes, children) = (list(sizes, size), list(children, node));
            quote!(N::Connection { sizes: #sizes, children: #children })
        }
        Node::When { condition, then } => {
            let (when, then) = (self::condition(condition), list(then, node));
            quote!(N::When { condition: #when, then: #then })
        }
        Node::PerItem {
            parameter,
            path: steps,
            each,
            at_most,
            declared,
        } => {
            let (steps, each) = (path(steps), price(*each));
            let (parameter, at_most) = (index(*parameter), Number::u64_unsuffixed(*at_most));
            quote!(N::PerItem {
                parameter: #parameter, path: #steps, each: #each, at_most: #at_most, declared: #declared
            })
        }
        Node::PerOwner {
            owners,
            weights,
            at_most,
        } => {
            let owners = list(owners, owner);
            let at_most = Number::u64_unsuffixed(*at_most);
            let weights = list(weights, |(resource, weight)| {
                let weight = price(*weight);
                quote!((B(#resource), #weight))
            });
            quote!(N::PerOwner { owners: #owners, weights: #weights, at_most: #at_most })
        }
    }
}

fn size(size: &Size) -> TokenStream {
    match size {
        Size::Fixed(size) => {
            let size = Number::u64_unsuffixed(*size);
            quote!(S::Fixed(#size))
        }
        Size::Parameter(parameter) => {
            let parameter = index(*parameter);
            quote!(S::Parameter(#parameter))
        }
    }
}

fn condition(condition: &Condition) -> TokenStream {
    match condition {
        Condition::Is { parameter, value } => {
            let parameter = index(*parameter);
            quote!(W::Is { parameter: #parameter, value: #value })
        }
        Condition::All(all) => {
            let all = list(all, self::condition);
            quote!(W::All(#all))
        }
        Condition::Any(any) => {
            let any = list(any, self::condition);
            quote!(W::Any(#any))
        }
    }
}

fn owner(owner: &Owner) -> TokenStream {
    match owner {
        Owner::Id(id) => {
            let id = text(id);
            quote!(O::Id(#id))
        }
        Owner::Parameter {
            parameter,
            path: steps,
        } => {
            let (parameter, steps) = (index(*parameter), path(steps));
            quote!(O::Parameter { parameter: #parameter, path: #steps })
        }
    }
}

fn parameter(parameter: &Parameter) -> TokenStream {
    let name = text(&parameter.name);
    let default = option(parameter.default.as_ref().map(literal));
    let assumed = Number::u64_unsuffixed(parameter.assumed);
    let max = option(
        parameter
            .max
            .map(|max| Number::u64_unsuffixed(max).into_token_stream()),
    );
    quote!(Parameter { name: #name, default: #default, assumed: #assumed, max: #max })
}

fn option(value: Option<TokenStream>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}

fn literal(value: &Literal) -> TokenStream {
    match value {
        Literal::Null => quote!(L::Null),
        Literal::Bool(value) => quote!(L::Bool(#value)),
        Literal::Int(value) => {
            let value = Number::i64_unsuffixed(*value);
            quote!(L::Int(#value))
        }
        Literal::Text(value) => {
            let value = text(value);
            quote!(L::Text(#value))
        }
        Literal::List(items) => {
            let items = list(items, literal);
            quote!(L::List(#items))
        }
        Literal::Object(fields) => {
            let fields = list(fields, |(name, value)| {
                let value = literal(value);
                quote!((B(#name), #value))
            });
            quote!(L::Object(#fields))
        }
        Literal::Other => quote!(L::Other),
    }
}
