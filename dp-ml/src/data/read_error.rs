//! Why a file was refused.

use std::fmt;

use dp_sensitivity::CsvError;

/// Why a file of records was refused.
///
/// Files are read by someone who may see them, before any guarantee applies. An error still never
/// repeats the content of a cell. `Debug` prints the same sentence.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum ReadError {
    /// The file cannot be opened or read.
    File {
        /// Its path.
        path: String,
        /// What the operating system, or the decompressor, said.
        reason: String,
    },
    /// A table was refused, or a column of it.
    Csv(CsvError),
    /// The bytes are not an IDX file of the kind that was asked for.
    Idx {
        /// What is wrong with them and what to do.
        problem: &'static str,
    },
    /// The parts do not fit together, or a number was refused.
    Core(dp_core::Error),
    /// Any of these, of a file that was opened by its path.
    In {
        /// Its path.
        path: String,
        /// What is wrong with it.
        error: Box<Self>,
    },
}

impl ReadError {
    /// The same of the file at this path, if there is one.
    pub(super) fn of(self, path: Option<&str>) -> Self {
        match path {
            Some(path) => Self::In { path: path.to_owned(), error: Box::new(self) },
            None => self,
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, reason } => {
                write!(f, "{path} cannot be read ({reason}): pass the path of a readable file")
            }
            Self::Csv(error) => error.fmt(f),
            Self::Idx { problem } => write!(f, "the IDX file cannot be used: {problem}"),
            Self::Core(error) => error.fmt(f),
            Self::In { path, error } => write!(f, "{path}: {error}"),
        }
    }
}

impl fmt::Debug for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for ReadError {}

impl From<dp_core::Error> for ReadError {
    fn from(error: dp_core::Error) -> Self {
        Self::Core(error)
    }
}

impl From<CsvError> for ReadError {
    fn from(error: CsvError) -> Self {
        Self::Csv(error)
    }
}
