//! The parts of a toolchain that can be missing.

use std::process::Stdio;

use crate::workspace;

/// A component of the toolchain, or a tool beside it, that adds a cargo command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Component {
    Rustfmt,
    Clippy,
    Deny,
}

impl Component {
    /// Whether its command answers.
    pub(super) fn is_installed(self) -> bool {
        let command = match self {
            Self::Rustfmt => "fmt",
            Self::Clippy => "clippy",
            Self::Deny => "deny",
        };
        let mut probe = workspace::cargo();
        let status = probe.args([command, "--version"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    }

    /// Whether a build server must have it. `cargo deny` is no part of a toolchain: it runs where
    /// it is installed.
    pub(super) fn is_required(self) -> bool {
        self != Self::Deny
    }

    /// What to say when it is missing: how to get it.
    pub(super) fn notice(self) -> &'static str {
        match self {
            Self::Rustfmt => "rustfmt is not installed; `rustup component add rustfmt` installs it",
            Self::Clippy => "clippy is not installed; `rustup component add clippy` installs it",
            Self::Deny => "cargo-deny is not installed; `cargo install --locked cargo-deny` installs it",
        }
    }
}
