//! The parts of a toolchain that can be missing.

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
        let mut probe = workspace::cargo();
        let status = probe.args([command, "--version"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    }

    /// What to say when it is missing: how to get it.
    pub(super) fn notice(self) -> String {
        let name = match self {
            Self::Rustfmt => "rustfmt",
            Self::Clippy => "clippy",
        };
        format!("{name} is not installed; `rustup component add {name}` installs it")
    }
}
