//! What a macro call becomes: the code, what rebuilds it, and what is wrong.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::{Output, Settings};
use crate::diagnostic::{Diagnostic, Severity};
use crate::emit::Layout;
use crate::emit::name;
use crate::source::Source;

impl Output {
    /// The whole expansion: the code, with every file that was read as a dependency of the crate,
    /// and warnings and errors as the compiler shows them.
    #[must_use]
    pub fn expansion(&self) -> String {
        let mut out = String::new();
        let errors = self.problems(Severity::Error);
        let mut errors = errors.map(|problem| self.told(problem));
        if self.stands_in {
            // What cannot be resolved, by way of an expression that is an error, is an error type:
            // the compiler says nothing of what is done with it.
            let first = errors.next().unwrap_or_default();
            let _ = writeln!(
                out,
                "#[doc(hidden)] trait {REFUSED}Trait {{ type Type; }}\n\
                 #[doc(hidden)] #[allow(dead_code)] type {REFUSED} = \
                 <[(); ::core::compile_error!({first:?})] as {REFUSED}Trait>::Type;"
            );
        }
        for error in errors {
            let _ = writeln!(out, "::core::compile_error!({error:?});");
        }
        for warning in self.problems(Severity::Warning) {
            out.push_str(&warned(&self.told(warning)));
        }
        for file in &self.files_read {
            // In a function that nothing calls, so that nothing of it is compiled.
            let file = file.to_string_lossy();
            let _ = writeln!(
                out,
                "const _: () = {{ fn _rebuilt_by() -> &'static [u8] {{ ::core::include_bytes!({file:?}) }} }};"
            );
        }
        out.push_str(&self.code);
        if self.stands_in {
            // Each refused call has its own, since a module may have several.
            let mut own = DefaultHasher::new();
            self.code.hash(&mut own);
            return out.replace(REFUSED, &format!("{REFUSED}{:x}", own.finish()));
        }
        out
    }

    fn problems(&self, severity: Severity) -> impl Iterator<Item = &Diagnostic> {
        let list = self.diagnostics.list.iter();
        list.filter(move |problem| problem.severity == severity)
    }

    /// A problem without the word that the compiler writes before it.
    fn told(&self, problem: &Diagnostic) -> String {
        let text = self.diagnostics.render(problem);
        let text = text.trim_end();
        text.split_once(": ")
            .map_or(text, |(_, text)| text)
            .to_owned()
    }
}

/// The compiler has no warnings for macros to give, but it tells the note of what is deprecated
/// and used. The level is set here, so that a crate that denies its own warnings still builds.
fn warned(text: &str) -> String {
    format!(
        "#[allow(dead_code)] #[warn(warnings, deprecated)] const _: () = {{ \
         #[deprecated(note = {text:?})] const fn tollgate() {{}} const _: () = tollgate(); }};\n"
    )
}

const REFUSED: &str = "__TollgateRefused";

/// What stands for the code when there is none: every name that the documents promise, so that one
/// mistake is one error.
pub(super) fn stand_in(settings: &Settings, documents: &[Source]) -> String {
    let visibility = &settings.emit.visibility;
    let mut out = String::new();
    let names = documents.iter().flat_map(|source| declared(&source.text));
    let names: BTreeSet<_> = names.collect();
    if let Layout::OneStruct { name } = &settings.emit.layout {
        let krate = &settings.emit.krate;
        let module = settings.operation.as_deref().unwrap_or(name);
        stand_in_module(&mut out, visibility, &name::snake(module));
        let _ = writeln!(
            out,
            "impl {krate}::generated::GraphQLQuery for {name} {{ type Variables = {REFUSED}; \
             type ResponseData = {REFUSED}; fn build_query(_: {REFUSED}) -> \
             {krate}::generated::QueryBody<{REFUSED}> {{ loop {{}} }} }}"
        );
        return out;
    }
    let mut taken = BTreeSet::new();
    for (keyword, name) in names {
        let ty = name::type_name(name);
        if !taken.insert(ty.clone()) {
            continue;
        }
        let _ = writeln!(
            out,
            "#[allow(dead_code)] {visibility} type {ty} = {REFUSED};"
        );
        if keyword != "fragment" {
            let module = name::snake(name);
            stand_in_module(&mut out, visibility, &module);
            let _ = writeln!(
                out,
                "#[allow(dead_code)] {visibility} async fn {module}<C>(_: C, _: {REFUSED}) -> {REFUSED} {{ loop {{}} }}"
            );
        }
    }
    if out.is_empty() {
        // Nothing to stand for, but the first error hangs on it.
        let _ = writeln!(out, "const _: Option<{REFUSED}> = None;");
    }
    out
}

fn stand_in_module(out: &mut String, visibility: &str, module: &str) {
    let _ = write!(
        out,
        "#[allow(dead_code, missing_docs)] {visibility} mod {module} {{"
    );
    for name in ["Variables", "Data", "ResponseData"] {
        let _ = write!(out, "pub type {name} = super::{REFUSED};");
    }
    out.push_str("}\n");
}

/// What a text declares, valid or not: `query`, `mutation` or `fragment`, and the name.
fn declared(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_whitespace();
        while let Some(word) = words.next() {
            let keyword = word.rsplit(['}', '"']).next().unwrap_or_default();
            if !matches!(keyword, "query" | "mutation" | "fragment") {
                continue;
            }
            let rest = words.clone().next().unwrap_or_default();
            let of_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            let end = rest.find(|letter| !of_name(letter)).unwrap_or(rest.len());
            if end > 0 {
                found.push((keyword, &rest[..end]));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::declared;
    use crate::diagnostic::Diagnostics;
    use crate::generate::Output;

    #[test]
    fn refused_calls_of_one_module_do_not_clash() {
        let traits = ["A", "B"].map(|name| {
            let output = Output {
                code: format!("type {name} = __TollgateRefused;"),
                stands_in: true,
                files_read: Vec::new(),
                diagnostics: Diagnostics::new(Vec::new(), Vec::new()),
            };
            let text = output.expansion();
            let (_, declared) = text.split_once("trait ").unwrap();
            let (declared, rest) = declared.split_once("Trait ").unwrap();
            assert!(rest.contains(&format!("= {declared};")), "{text}");
            declared.to_owned()
        });
        assert_ne!(traits[0], traits[1]);
    }

    #[test]
    fn declarations_are_found_in_text_that_does_not_parse() {
        let text = "# query No {\n  query A($x: { shop } mutation B{ x(query: 1) }\nfragment C on D {\n}query E\n  query";
        let wanted = [
            ("query", "A"),
            ("mutation", "B"),
            ("fragment", "C"),
            ("query", "E"),
        ];
        assert_eq!(declared(text), wanted);
    }
}
