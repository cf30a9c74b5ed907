//! What can go wrong, as sentences that say what to do.

use core::fmt;

/// Every way in which this crate refuses a request. An error carries parameters only, never data.
/// `Debug` prints the sentence, too.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A measurement does not fit what is left of a budget. Nothing was drawn, and nothing was
    /// spent.
    Exhausted {
        /// The whole budget.
        total: String,
        /// What was spent before.
        spent: String,
        /// What the measurement would cost.
        requested: String,
    },
    /// The measurement itself refused.
    Core(dp_core::Error),
    /// The ledger refused.
    #[cfg(feature = "ledger")]
    Ledger(crate::ledger::LedgerError),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exhausted { total, spent, requested } => write!(
                f,
                "a release that costs {requested} does not fit: {spent} of {total} is spent; \
                 ask for less, or decide that more may be spent on these data"
            ),
            Self::Core(error) => error.fmt(f),
            #[cfg(feature = "ledger")]
            Self::Ledger(error) => error.fmt(f),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for Error {}

impl From<dp_core::Error> for Error {
    fn from(error: dp_core::Error) -> Self {
        Self::Core(error)
    }
}

#[cfg(feature = "ledger")]
impl From<crate::ledger::LedgerError> for Error {
    fn from(error: crate::ledger::LedgerError) -> Self {
        Self::Ledger(error)
    }
}
