//! How much is drawn.

use std::fmt;

/// How long a verification may take. Claims are checked in full in each mode; audits and mutants
/// draw more or less.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Some seconds.
    Quick,
    /// A minute or two.
    #[default]
    Standard,
    /// Half an hour at most.
    Full,
}

impl Mode {
    /// How often an audit draws from each of two data sets; one whose draws are costly draws less.
    pub(crate) const fn audit_draws(self) -> u64 {
        match self {
            Self::Quick => 20_000,
            Self::Standard => 400_000,
            Self::Full => 8_000_000,
        }
    }

    /// How often a mutant is drawn from, where it is caught by draws.
    pub(crate) const fn mutant_draws(self) -> u64 {
        match self {
            Self::Quick => 40_000,
            Self::Standard => 100_000,
            Self::Full => 1_000_000,
        }
    }

    /// How long durations are measured.
    pub(crate) const fn timing_seconds(self) -> f64 {
        match self {
            Self::Quick => 4.0,
            Self::Standard => 15.0,
            Self::Full => 60.0,
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Quick => "quick",
            Self::Standard => "standard",
            Self::Full => "full",
        })
    }
}
