//! One command of the test run.

use std::fmt;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::component::Component;
use crate::workspace;

/// A call of cargo, or of an example, that must succeed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// The name of an example that was built for tests; without it, cargo.
    example: Option<String>,
    arguments: Vec<String>,
    environment: Option<(&'static str, &'static str)>,
    /// What must be installed for it.
    pub(super) needs: Option<Component>,
}

impl Step {
    /// Cargo with these arguments, separated by spaces.
    pub(super) fn cargo(arguments: &str) -> Self {
        Self {
            example: None,
            arguments: arguments.split_whitespace().map(str::to_owned).collect(),
            environment: None,
            needs: None,
        }
    }

    /// An example, as a build of all tests has left it. `cargo run` would build its crates again,
    /// for other features.
    pub(super) fn example(name: &str, file: Option<&Path>) -> Self {
        Self {
            example: Some(name.to_owned()),
            arguments: file.map(|file| file.display().to_string()).into_iter().collect(),
            environment: None,
            needs: None,
        }
    }

    /// The same, with a component that can be missing.
    pub(super) fn needing(self, component: Component) -> Self {
        Self { needs: Some(component), ..self }
    }

    /// The same, with an environment variable.
    pub(super) fn with_variable(self, name: &'static str, value: &'static str) -> Self {
        Self { environment: Some((name, value)), ..self }
    }

    /// Runs the command, its output going where ours goes.
    pub(super) fn passes(&self) -> Result<bool> {
        let mut command = match &self.example {
            Some(name) => Command::new(workspace::target().join("debug/examples").join(name)),
            None => workspace::cargo(),
        };
        let status = command.args(&self.arguments).envs(self.environment).status().with_context(|| {
            format!(
                "cannot start `{self}`; check that cargo is installed and on the PATH, and builds to {}",
                workspace::target().display()
            )
        })?;
        Ok(status.success())
    }
}

/// The command line as one would type it.
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, value)) = self.environment {
            write!(f, "{name}=\"{value}\" ")?;
        }
        match &self.example {
            Some(name) => write!(f, "target/debug/examples/{name}")?,
            None => write!(f, "cargo")?,
        }
        self.arguments.iter().try_for_each(|argument| write!(f, " {argument}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_reads_as_it_would_be_typed() {
        let step = Step::cargo("doc --no-deps").with_variable("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(step.to_string(), "RUSTDOCFLAGS=\"-D warnings\" cargo doc --no-deps");
        let step = Step::example("ledger", Some(Path::new("a.ledger")));
        assert_eq!(step.to_string(), "target/debug/examples/ledger a.ledger");
    }

    #[test]
    fn success_and_failure_are_told_apart() {
        assert!(Step::cargo("--version").passes().unwrap());
        assert!(!Step::cargo("a-command-that-must-fail").passes().unwrap());
    }
}
