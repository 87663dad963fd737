//! The page: one file, nothing fetched.

use serde_json::Value;

/// Fills the page in.
pub(crate) fn render(report: &Value) -> String {
    // In a script element only `<` can end the element or begin a comment.
    let data = report.to_string().replace('<', "\\u003c");
    include_str!("page.html")
        .replacen("{{style}}", include_str!("page.css"), 1)
        .replacen("{{price}}", include_str!("price.js"), 1)
        .replacen("{{script}}", include_str!("page.js"), 1)
        .replacen("{{data}}", &data, 1)
}
