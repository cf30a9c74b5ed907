//! One error for whole programs.

use std::{error, fmt, io};

/// Why a request was refused, by whichever part of the library. `?` takes in the errors of all
/// crates.
///
/// It prints the sentence of the part that refused, which says what to do, and so does `Debug`: a
/// `main` that returns it ends in that sentence. [`source`](error::Error::source) is the error of
/// that part, and the variants name it. An error carries parameters and public facts, never
/// records; only a table that is read with [`OnBadCell::Refuse`](crate::data::OnBadCell::Refuse)
/// says where its cells are wrong.
///
/// ```
/// use exactdp::prelude::*;
///
/// fn budget(epsilon: f64) -> Result<Budget<Pure, AddRemove>, exactdp::Error> {
///     Ok(Budget::new(Pure::new(epsilon)?))
/// }
/// assert!(budget(1.0).is_ok());
/// assert!(budget(-1.0).unwrap_err().to_string().starts_with("epsilon must lie in [0, ∞)"));
/// ```
#[non_exhaustive]
pub enum Error {
    /// A parameter, a public size or a guarantee was refused.
    Core(dp_core::Error),
    /// A mechanism was refused its parameters, or the operating system gave no randomness.
    Noise(dp_mechanisms::Error),
    /// A release does not fit its budget, or a ledger could not record it.
    Budget(dp_accounting::Error),
    /// A table of comma-separated values could not be read.
    Csv(dp_sensitivity::CsvError),
    /// A file of records could not be read for learning.
    #[cfg(feature = "learn")]
    Read(dp_ml::ReadError),
    /// A query over private tables was refused.
    #[cfg(feature = "query")]
    Query(dp_query::Error),
    /// The operating system refused to read or write.
    Io(io::Error),
}

impl Error {
    fn cause(&self) -> &(dyn error::Error + 'static) {
        match self {
            Self::Core(error) => error,
            Self::Noise(error) => error,
            Self::Budget(error) => error,
            Self::Csv(error) => error,
            #[cfg(feature = "learn")]
            Self::Read(error) => error,
            #[cfg(feature = "query")]
            Self::Query(error) => error,
            Self::Io(error) => error,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.cause(), f)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        Some(self.cause())
    }
}

impl From<dp_core::Error> for Error {
    fn from(error: dp_core::Error) -> Self {
        Self::Core(error)
    }
}

impl From<dp_mechanisms::Error> for Error {
    fn from(error: dp_mechanisms::Error) -> Self {
        match error {
            dp_mechanisms::Error::Core(error) => Self::Core(error),
            other => Self::Noise(other),
        }
    }
}

impl From<dp_accounting::Error> for Error {
    fn from(error: dp_accounting::Error) -> Self {
        match error {
            dp_accounting::Error::Core(error) => Self::Core(error),
            other => Self::Budget(other),
        }
    }
}

impl From<dp_sensitivity::CsvError> for Error {
    fn from(error: dp_sensitivity::CsvError) -> Self {
        Self::Csv(error)
    }
}

#[cfg(feature = "learn")]
impl From<dp_ml::ReadError> for Error {
    fn from(error: dp_ml::ReadError) -> Self {
        match error {
            dp_ml::ReadError::Core(error) => Self::Core(error),
            other => Self::Read(other),
        }
    }
}

#[cfg(feature = "query")]
impl From<dp_query::Error> for Error {
    fn from(error: dp_query::Error) -> Self {
        match error {
            dp_query::Error::Core(error) => Self::Core(error),
            dp_query::Error::Noise(error) => error.into(),
            dp_query::Error::Budget(error) => error.into(),
            dp_query::Error::Io(error) => Self::Io(error),
            other => Self::Query(other),
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use dp_core::Pure;

    use super::*;

    #[test]
    fn the_same_refusal_is_the_same_variant_wherever_it_came_from() {
        let refused = || Pure::new(-1.0).unwrap_err();
        let ways: [Error; 3] = [
            refused().into(),
            dp_mechanisms::Error::Core(refused()).into(),
            dp_accounting::Error::Core(refused()).into(),
        ];
        for error in ways {
            assert!(matches!(&error, Error::Core(core) if *core == refused()));
            assert_eq!(error.to_string(), refused().to_string());
            assert_eq!(format!("{error:?}"), error.to_string());
            assert!(error.source().is_some_and(|source| source.is::<dp_core::Error>()));
        }
    }
}
