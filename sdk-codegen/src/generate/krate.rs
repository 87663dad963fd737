use std::path::Path;

use toml::{Table, Value};

/// The path of `tollgate` in the crate of this manifest: another one than `::tollgate` where the
/// dependency was renamed, as `gate = { package = "tollgate", … }`.
#[must_use]
pub fn crate_name(manifest: &Path) -> String {
    let renamed = std::fs::read_to_string(manifest.join("Cargo.toml"))
        .ok()
        // Most manifests rename nothing, and are not worth parsing.
        .filter(|text| text.contains("tollgate") && text.contains("package"))
        .and_then(|text| text.parse::<Table>().ok())
        .and_then(|manifest| renamed(&manifest));
    let name = renamed.unwrap_or_else(|| "tollgate".into());
    format!("::{}", name.replace('-', "_"))
}

fn renamed(manifest: &Table) -> Option<String> {
    let targets = manifest.get("target").and_then(Value::as_table);
    let targets = targets.into_iter().flat_map(Table::values);
    let parts = targets.filter_map(Value::as_table);
    std::iter::once(manifest)
        .chain(parts)
        .flat_map(|part| {
            ["dependencies", "dev-dependencies"]
                .into_iter()
                .filter_map(|kind| part.get(kind).and_then(Value::as_table))
        })
        .flatten()
        .find(|(_, dependency)| {
            let package = dependency.get("package").and_then(Value::as_str);
            package == Some("tollgate")
        })
        .map(|(name, _)| name.clone())
}

#[cfg(test)]
mod tests {
    use super::renamed;

    #[test]
    fn a_renamed_dependency_is_found_wherever_it_stands() {
        for (manifest, wanted) in [
            ("[dependencies]\ntollgate = \"1\"", None),
            (
                "[dependencies]\ngate = { package = \"tollgate\", version = \"1\" }",
                Some("gate"),
            ),
            (
                "[dev-dependencies.the-gate]\npackage = \"tollgate\"",
                Some("the-gate"),
            ),
            (
                "[target.'cfg(unix)'.dependencies]\ng = { package = \"tollgate\" }",
                Some("g"),
            ),
            ("[dependencies]\ntollgate = { package = \"other\" }", None),
        ] {
            let manifest = manifest.parse().unwrap();
            assert_eq!(renamed(&manifest).as_deref(), wanted);
        }
    }
}
