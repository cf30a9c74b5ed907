//! One command of the test run.

use std::fmt;

use anyhow::{Context, Result};

use super::component::Component;
use crate::workspace;

/// A call of cargo that must succeed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    arguments: Vec<String>,
    environment: Option<(&'static str, &'static str)>,
    /// What must be installed for it.
    pub(super) needs: Option<Component>,
}

impl Step {
    /// Cargo with these arguments, separated by spaces.
    pub(super) fn cargo(arguments: &str) -> Self {
        Self {
            arguments: arguments.split_whitespace().map(str::to_owned).collect(),
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
        let status =
            workspace::cargo().args(&self.arguments).envs(self.environment).status().with_context(|| {
                format!("cannot start `{self}`; check that cargo is installed and on the PATH")
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
        write!(f, "cargo {}", self.arguments.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_reads_as_it_would_be_typed() {
        let step = Step::cargo("doc --no-deps").with_variable("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(step.to_string(), "RUSTDOCFLAGS=\"-D warnings\" cargo doc --no-deps");
    }

    #[test]
    fn success_and_failure_are_told_apart() {
        assert!(Step::cargo("--version").passes().unwrap());
        assert!(!Step::cargo("a-command-that-must-fail").passes().unwrap());
    }
}
