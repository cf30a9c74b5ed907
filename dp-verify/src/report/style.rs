//! Colour, for readers who can see it.

use std::io::IsTerminal;

/// Whether text may carry colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// No.
    Plain,
    /// Yes.
    Coloured,
}

impl Style {
    /// Colour on terminals only, and never where `NO_COLOR` is set (<https://no-color.org>).
    pub fn of(output: &impl IsTerminal) -> Self {
        let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        if output.is_terminal() && !unwanted { Self::Coloured } else { Self::Plain }
    }

    /// Green for what was expected, red for what was not.
    pub(super) fn verdict(self, text: &str, as_expected: bool) -> String {
        self.paint(text, if as_expected { "32" } else { "1;31" })
    }

    /// Faint, for what is read only when something is wrong.
    pub(super) fn detail(self, text: &str) -> String {
        self.paint(text, "2")
    }

    fn paint(self, text: &str, code: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Coloured => format!("\x1b[{code}m{text}\x1b[0m"),
        }
    }
}
