//! The parts of a toolchain that can be missing.

use std::fmt;
use std::process::Stdio;

use crate::workspace;

/// A component of the toolchain that adds a cargo command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Component {
    Rustfmt,
    Clippy,
}

impl Component {
    /// Whether its command answers.
    pub(super) fn is_installed(self) -> bool {
        let command = match self {
            Self::Rustfmt => "fmt",
            Self::Clippy => "clippy",
        };
        let status = workspace::cargo()
            .args([command, "--version"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        status.is_ok_and(|status| status.success())
    }
}

/// That it is missing, and how to get it.
impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Rustfmt => "rustfmt",
            Self::Clippy => "clippy",
        };
        write!(f, "{name} is not installed; `rustup component add {name}` installs it")
    }
}
