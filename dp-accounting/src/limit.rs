//! Why an answer is wider than asked for.

use core::fmt;

/// What keeps a bracket from being narrower: [`Composition::limit`](crate::Composition::limit) says
/// which it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// A part is known by a Rényi guarantee only, which many mechanisms have: the upper end holds
    /// for all of them, the lower one for Gaussian noise among them.
    Guarantee,
    /// The number of runs is so large that the rounding of a single one, repeated in each, is what
    /// is left.
    Rounding,
    /// The number is near the smallest float.
    Underflow,
    /// An answer takes a bounded amount of work, and this one took all of it.
    Effort,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Guarantee => {
                "a Rényi guarantee is all that is known of a part: the upper end holds for every mechanism that has it, the lower one is that of Gaussian noise"
            }
            Self::Rounding => "so many runs were composed that the rounding of a single one counts",
            Self::Underflow => "it is near the smallest float",
            Self::Effort => {
                "an answer takes a bounded amount of work, which these parts used up: ask for more digits to allow for more work, or list fewer different parts"
            }
        })
    }
}
