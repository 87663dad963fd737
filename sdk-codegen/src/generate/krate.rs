use std::path::Path;

use toml::{Table, Value};

/// The path of `tollgate` in the crate of this manifest: another one than `::tollgate` where the
/// dependency was renamed, as `gate = { package = "tollgate", … }`.
#[must_use]
pub fn crate_name(manifest: &Path) -> String {
    let name = parsed(manifest)
        .and_then(|table| renamed(&table, || workspace(manifest)))
        .unwrap_or_else(|| "tollgate".into());
    format!("::{}", name.replace('-', "_"))
}

fn parsed(folder: &Path) -> Option<Table> {
    let text = crate::source::text_if_any(&folder.join("Cargo.toml"))?;
    text.parse().ok()
}

/// The manifest of the workspace that the package is in.
fn workspace(package: &Path) -> Option<Table> {
    let mut folders = package.ancestors();
    folders.find_map(|folder| parsed(folder).filter(|table| table.contains_key("workspace")))
}

/// What the dependency is called, if it is renamed here or in the workspace.
fn renamed(manifest: &Table, workspace: impl FnOnce() -> Option<Table>) -> Option<String> {
    let targets = manifest.get("target").and_then(Value::as_table);
    let targets = targets.into_iter().flat_map(Table::values);
    let parts = targets.filter_map(Value::as_table);
    let dependencies: Vec<_> = std::iter::once(manifest)
        .chain(parts)
        .flat_map(|part| {
            ["dependencies", "dev-dependencies"]
                .into_iter()
                .filter_map(|kind| part.get(kind).and_then(Value::as_table))
        })
        .flatten()
        .collect();
    let here = dependencies.iter().find(|(_, it)| is_tollgate(it));
    if let Some((name, _)) = here {
        return Some((*name).clone());
    }
    let inherits = |it: &Value| it.get("workspace").and_then(Value::as_bool) == Some(true);
    let mut inherited = dependencies
        .iter()
        .filter(|(_, it)| inherits(it))
        .peekable();
    inherited.peek()?;
    let workspace = workspace()?;
    let shared = workspace.get("workspace")?.get("dependencies")?;
    inherited
        .find(|(name, _)| shared.get(name.as_str()).is_some_and(is_tollgate))
        .map(|(name, _)| (*name).clone())
}

/// Whether a dependency says that its package is `tollgate`.
fn is_tollgate(dependency: &Value) -> bool {
    dependency.get("package").and_then(Value::as_str) == Some("tollgate")
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
            assert_eq!(renamed(&manifest, || None).as_deref(), wanted);
        }
    }

    #[test]
    fn a_dependency_that_the_workspace_renames_is_found() {
        let folder = std::env::temp_dir().join(format!("tollgate-krate-{}", std::process::id()));
        let member = folder.join("apps/one");
        std::fs::create_dir_all(&member).unwrap();
        let root = "[workspace]\nmembers = [\"apps/*\"]\n[workspace.dependencies]\n\
                    serde = \"1\"\ngate = { package = \"tollgate\", version = \"1\" }\n";
        std::fs::write(folder.join("Cargo.toml"), root).unwrap();
        let package = "[package]\nname = \"one\"\n[dependencies]\nserde.workspace = true\n";
        let named = |manifest: String| {
            std::fs::write(member.join("Cargo.toml"), manifest).unwrap();
            super::crate_name(&member)
        };
        assert_eq!(named(format!("{package}gate.workspace = true")), "::gate");
        assert_eq!(named(package.to_owned()), "::tollgate");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
