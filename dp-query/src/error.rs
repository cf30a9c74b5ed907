//! Why a query was refused.

use std::fmt;

use datafusion::error::DataFusionError;

/// Every way in which a query is refused, by public facts alone.
///
/// No error depends on a record: [`Refused`](Self::Refused) and [`Sql`](Self::Sql) come from the
/// text of the query and from what was declared, before any row is read. Where the engine fails
/// while it reads rows, for lack of memory or disk, [`Engine`](Self::Engine) does not say more than
/// that; [`for_owner`](Self::for_owner) does.
pub enum Error {
    /// The query, or a declaration, asks for what cannot be released.
    Refused {
        /// What was asked for.
        what: String,
        /// What to write instead.
        instead: String,
    },
    /// The text is not SQL, or names what does not exist.
    Sql(String),
    /// The engine could not finish.
    Engine(DataFusionError),
    /// The query was released and paid, and what it computes from released numbers has no value.
    After(String),
    /// A file could not be read when it was declared.
    Io(std::io::Error),
    /// A number or a guarantee was refused.
    Core(dp_core::Error),
    /// The operating system gave no randomness.
    Noise(dp_mechanisms::Error),
    /// The release does not fit the budget, or the ledger could not record it.
    Budget(dp_accounting::Error),
}

impl Error {
    pub(crate) fn refused(what: impl Into<String>, instead: impl Into<String>) -> Self {
        Self::Refused { what: what.into(), instead: instead.into() }
    }

    /// An error of planning, which has seen names and types only.
    pub(crate) fn sql(error: &DataFusionError) -> Self {
        let message = error.strip_backtrace();
        let message = message.split("\nThis issue was likely").next().unwrap_or_default();
        let hint = if message.contains("Utf8") {
            "; a column of a CSV file is a text unless it has bounds: declare them, or cast it, CAST(x AS DOUBLE)"
        } else {
            ""
        };
        Self::Sql(format!("{message}{hint}"))
    }

    /// All that is known of a failure of the engine, which may hold values of records: for the
    /// owner of the data.
    #[must_use]
    pub fn for_owner(&self) -> String {
        match self {
            Self::Engine(error) => error.to_string(),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { what, instead } => write!(f, "{what}: {instead}"),
            Self::Sql(message) => write!(f, "the query cannot be understood: {message}"),
            Self::Engine(_) => f.write_str(
                "the engine could not finish, for lack of memory or disk, or because a file is damaged; \
                 nothing was released, and the price stays paid if a release had begun: \
                 `for_owner` says more to the owner of the data",
            ),
            Self::After(message) => write!(
                f,
                "the release is paid, and what the query computes from it has no value ({message}): \
                 ask for the aggregates alone, and compute the rest yourself"
            ),
            Self::Io(error) => error.fmt(f),
            Self::Core(error) => error.fmt(f),
            Self::Noise(error) => error.fmt(f),
            Self::Budget(error) => error.fmt(f),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Refused { .. } | Self::Sql(_) | Self::Engine(_) | Self::After(_) => None,
            Self::Io(error) => Some(error),
            Self::Core(error) => Some(error),
            Self::Noise(error) => Some(error),
            Self::Budget(error) => Some(error),
        }
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
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
