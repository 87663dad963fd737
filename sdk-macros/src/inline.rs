use syn::LitStr;
use tollgate_codegen::source::Source;

/// A document written into the call. Its name and lines are those of the Rust file, so that an
/// error points at the line it is in.
pub(crate) fn source(literal: &LitStr) -> Source {
    let token = literal.token().to_string();
    let span = literal.span().unwrap();
    let (line, column) = (span.line(), span.column());
    let opening = token.find('"').map_or(0, |quote| quote + 1);
    let as_written = token.starts_with('r') || !token.contains('\\');
    if !as_written || line == 0 {
        return Source::new("document", literal.value());
    }
    let above = "\n".repeat(line - 1);
    let before = " ".repeat(column.saturating_sub(1) + opening);
    Source::new(span.file(), format!("{above}{before}{}", literal.value()))
}
