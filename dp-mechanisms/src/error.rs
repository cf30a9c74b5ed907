//! What can go wrong, as sentences that say what to do.

use std::fmt;

/// Every way in which this crate refuses a request.
///
/// The traits of `dp-core` (`Mechanism`, `ForGuarantee`, `Measurement`) return [`dp_core::Error`].
/// This type adds the failures of generators, and converts from the other one by `?`, so that one
/// `Result` serves a whole release. `Debug` prints the same sentence as `Display`.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The operating system gave no randomness, so no generator was made.
    Entropy {
        /// What the operating system answered.
        reason: String,
    },
    /// A parameter or a public size was refused.
    Core(dp_core::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entropy { reason } => write!(
                f,
                "the operating system gave no randomness ({reason}): give the process access to its random source \
                 (getrandom or /dev/urandom) and try again, and release nothing until it succeeds"
            ),
            Self::Core(error) => error.fmt(f),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

impl From<dp_core::Error> for Error {
    fn from(error: dp_core::Error) -> Self {
        Self::Core(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_say_what_to_do() {
        let silent = Error::Entropy { reason: "ENOSYS".to_owned() };
        assert_eq!(
            silent.to_string(),
            "the operating system gave no randomness (ENOSYS): give the process access to its random source \
             (getrandom or /dev/urandom) and try again, and release nothing until it succeeds"
        );
        assert_eq!(format!("{silent:?}"), silent.to_string());
        let inner = dp_core::Error::Empty { argument: "the list of parts" };
        assert_eq!(Error::from(inner.clone()).to_string(), inner.to_string());
    }
}
