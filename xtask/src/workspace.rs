//! Where the workspace is, which cargo builds it, and what it holds.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// A crate that users depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Library {
    /// Its package name.
    pub(crate) name: String,
    /// Its features, without `default`.
    pub(crate) features: Vec<String>,
}

/// The folder that holds the crates.
pub(crate) fn root() -> &'static Path {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest)
}

/// The folder that cargo builds into.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// The cargo that started this program, in the root of the workspace: the caller may be in any
/// folder below it.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// The libraries of the workspace, as cargo sees them: a crate that is added tomorrow is checked
/// tomorrow.
pub(crate) fn libraries() -> Result<Vec<Library>> {
    let libraries = libraries_in(&metadata()?);
    if libraries.is_empty() {
        bail!("`cargo metadata` names no library; check the members in the root Cargo.toml");
    }
    Ok(libraries)
}

/// The names of all examples of the workspace, in order.
pub(crate) fn examples() -> Result<Vec<String>> {
    let metadata = metadata()?;
    let mut examples: Vec<String> = list(&metadata["packages"])
        .iter()
        .flat_map(|package| list(&package["targets"]))
        .filter(|target| list(&target["kind"]).contains(&Value::from("example")))
        .filter_map(|target| target["name"].as_str().map(str::to_owned))
        .collect();
    examples.sort();
    Ok(examples)
}

fn metadata() -> Result<Value> {
    let output = cargo()
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start cargo; check that it is installed and on the PATH")?;
    if !output.status.success() {
        bail!("`cargo metadata` failed: mend the manifests that it names above");
    }
    serde_json::from_slice(&output.stdout).context("`cargo metadata` did not print JSON")
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

/// The packages with a library target that may be published.
fn libraries_in(metadata: &Value) -> Vec<Library> {
    let is_library = |package: &Value| {
        list(&package["targets"]).iter().any(|target| list(&target["kind"]).contains(&Value::from("lib")))
            && package["publish"] != Value::Array(Vec::new())
    };
    let features = |package: &Value| {
        package["features"]
            .as_object()
            .map(|all| all.keys().filter(|name| *name != "default").cloned().collect())
    };
    list(&metadata["packages"])
        .iter()
        .filter(|package| is_library(package))
        .filter_map(|package| {
            let name = package["name"].as_str()?.to_owned();
            Some(Library { name, features: features(package).unwrap_or_default() })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_workspace_has_libraries_and_its_tools_are_none() {
        let libraries = libraries().unwrap();
        let core = libraries.iter().find(|library| library.name == "dp-core").unwrap();
        assert!(core.features.contains(&"std".to_owned()) && !core.features.contains(&"default".to_owned()));
        let tools = ["xtask", "dp-bench", "dp-verify"];
        assert!(libraries.iter().all(|library| !tools.contains(&library.name.as_str())));
    }
}
