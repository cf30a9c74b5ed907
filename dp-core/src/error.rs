//! What can go wrong, as sentences that say what to do.

use core::fmt;

use crate::number::write_number;

/// Every way in which this crate refuses a request.
///
/// An error is about parameters and public sizes only. It never carries a record, a statistic of
/// records, or a random draw, so it may be logged and shown. `Debug` prints the same sentence as
/// `Display`, because that is what a `main` that returns an error, and `unwrap`, show to people.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A number lies outside of the range in which it makes sense.
    OutOfRange {
        /// The name of the argument.
        argument: &'static str,
        /// The range in which it must lie, as an interval.
        allowed: &'static str,
        /// What was passed.
        found: f64,
    },
    /// A number is larger than another one allows.
    Above {
        /// The name of the argument.
        argument: &'static str,
        /// What was passed.
        found: f64,
        /// The name of what limits it.
        limit: &'static str,
        /// The largest value that is allowed.
        most: f64,
    },
    /// A δ that protects nobody, or that was swapped with an ε.
    LargeDelta {
        /// The ε that was passed.
        epsilon: f64,
        /// The δ that was passed.
        delta: f64,
    },
    /// A pair of bounds does not describe an interval.
    BadBounds {
        /// The lower bound that was passed.
        lower: f64,
        /// The upper bound that was passed.
        upper: f64,
    },
    /// Something that needs at least one element got none.
    Empty {
        /// The name of the argument.
        argument: &'static str,
    },
    /// Data whose size is public has another size than was declared.
    WrongSize {
        /// The declared number of records.
        declared: usize,
        /// The number of records that were passed.
        found: usize,
    },
    /// Data that are split at a position end before it.
    TooShort {
        /// Where the data are split.
        position: usize,
        /// The number of records that were passed.
        found: usize,
    },
    /// Two lists that belong together have different lengths.
    LengthMismatch {
        /// The names of the two arguments.
        arguments: &'static str,
        /// The two lengths.
        lengths: (usize, usize),
    },
    /// An adaptively chosen measurement costs more than was set aside for it.
    CostsMoreThanReserved,
    /// What was asked for is not possible: no finite parameter does it, or it is not supported.
    Unreachable {
        /// What was asked for.
        request: &'static str,
        /// What to do instead.
        instead: &'static str,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfRange { argument, allowed, found } => {
                write!(f, "{argument} must lie in {allowed}, but ")?;
                write_number(*found, f)?;
                f.write_str(" was passed: pass a number from that range")
            }
            Self::Above { argument, found, limit, most } => {
                write!(f, "{argument} is ")?;
                write_number(*found, f)?;
                write!(f, ", and {limit} allows ")?;
                write_number(*most, f)?;
                f.write_str(" at most: pass a number up to that")
            }
            Self::LargeDelta { epsilon, delta } => {
                f.write_str("epsilon = ")?;
                write_number(*epsilon, f)?;
                f.write_str(" and delta = ")?;
                write_number(*delta, f)?;
                f.write_str(
                    " look swapped, or protect nobody: pass epsilon first, and a delta far below 1 over the \
                     number of people, such as 1e-6; if they are meant, pass \
                     `Approx::from_parts(Epsilon::new(…)?, Delta::new(…)?)`",
                )
            }
            Self::BadBounds { lower, upper } => {
                f.write_str("the bounds [")?;
                write_number(*lower, f)?;
                f.write_str(", ")?;
                write_number(*upper, f)?;
                f.write_str(
                    "] are not an interval: \
                     pass two different finite numbers, the lower one first, whose difference is finite too",
                )
            }
            Self::Empty { argument } => write!(f, "{argument} is empty: pass at least one"),
            Self::WrongSize { declared, found } => write!(
                f,
                "the query was declared for a size of {declared}, but the size of the data is {found}: \
                 declare the size of the data that you release (records or nodes), which neighbours share and anyone may know"
            ),
            Self::TooShort { position, found } => write!(
                f,
                "the data are split at position {position}, but their size is {found}: split them where both parts exist"
            ),
            Self::LengthMismatch { arguments, lengths: (a, b) } => {
                write!(f, "{arguments} have {a} and {b} entries: pass lists of the same length")
            }
            Self::CostsMoreThanReserved => f.write_str(
                "the measurement chosen in the second step costs more than was reserved for it: \
                 reserve its largest possible cost, or choose one that fits",
            ),
            Self::Unreachable { request, instead } => write!(f, "{request} is not possible: {instead}"),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn messages_say_what_to_do() {
        let messages = [
            (
                Error::OutOfRange { argument: "epsilon", allowed: "[0, ∞)", found: f64::NAN },
                "epsilon must lie in [0, ∞), but NaN was passed: pass a number from that range",
            ),
            (
                Error::BadBounds { lower: 1.0, upper: 0.0 },
                "the bounds [1, 0] are not an interval: pass two different finite numbers, the lower one \
                 first, whose difference is finite too",
            ),
            (
                Error::BadBounds { lower: 0.0, upper: f64::INFINITY },
                "the bounds [0, ∞] are not an interval: pass two different finite numbers, the lower one \
                 first, whose difference is finite too",
            ),
            (
                Error::Above { argument: "k", found: 5.0, limit: "the number of candidates", most: 3.0 },
                "k is 5, and the number of candidates allows 3 at most: pass a number up to that",
            ),
            (
                Error::LargeDelta { epsilon: 1e-6, delta: 0.5 },
                "epsilon = 1e-6 and delta = 0.5 look swapped, or protect nobody: pass epsilon first, and a \
                 delta far below 1 over the number of people, such as 1e-6; if they are meant, pass \
                 `Approx::from_parts(Epsilon::new(…)?, Delta::new(…)?)`",
            ),
            (Error::Empty { argument: "the list of parts" }, "the list of parts is empty: pass at least one"),
            (
                Error::WrongSize { declared: 10, found: 9 },
                "the query was declared for a size of 10, but the size of the data is 9: declare the size of the \
                 data that you release (records or nodes), which neighbours share and anyone may know",
            ),
            (
                Error::TooShort { position: 5, found: 2 },
                "the data are split at position 5, but their size is 2: split them where both parts exist",
            ),
            (
                Error::OutOfRange { argument: "scale", allowed: "(0, ∞)", found: f64::INFINITY },
                "scale must lie in (0, ∞), but ∞ was passed: pass a number from that range",
            ),
            (
                Error::LengthMismatch { arguments: "p and q", lengths: (2, 3) },
                "p and q have 2 and 3 entries: pass lists of the same length",
            ),
            (
                Error::CostsMoreThanReserved,
                "the measurement chosen in the second step costs more than was reserved for it: \
                 reserve its largest possible cost, or choose one that fits",
            ),
            (
                Error::Unreachable { request: "0-DP", instead: "allow some epsilon" },
                "0-DP is not possible: allow some epsilon",
            ),
        ];
        for (error, message) in messages {
            assert_eq!(error.to_string(), message);
            assert_eq!(alloc::format!("{error:?}"), message, "what `main` and `unwrap` print");
        }
    }
}
