//! Why a file was refused.

use std::fmt;

/// Why a file of records was refused.
///
/// Files are read before any guarantee is in play, by someone who may see them: an error says where the trouble is, and it still never repeats what a cell holds. `Debug`
/// prints the sentence, too.
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
    /// The text is not a table.
    Table {
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it and what to do.
        problem: &'static str,
    },
    /// A row has more or fewer cells than the header.
    Row {
        /// The line, counted from 1.
        line: usize,
        /// The number of its cells.
        found: usize,
        /// The number of columns.
        expected: usize,
    },
    /// A cell cannot be read as what its column was declared to hold.
    Cell {
        /// The line, counted from 1.
        line: usize,
        /// The name of the column.
        column: String,
        /// What is wrong with it and what to do.
        problem: &'static str,
    },
    /// A column was asked for that cannot be had.
    Column {
        /// Its name.
        name: String,
        /// What is wrong with it and what to do.
        problem: &'static str,
    },
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
            Self::Table { line, problem } => write!(f, "line {line}: {problem}"),
            Self::Row { line, found, expected } => write!(
                f,
                "line {line} has {found} {} and the header has {expected}: give each row one cell for each column, \
                 with commas between them, and write decimals with a point (1.5)",
                if *found == 1 { "cell" } else { "cells" }
            ),
            Self::Cell { line, column, problem } => write!(f, "line {line}, column {column}: {problem}"),
            Self::Column { name, problem } => write!(f, "column {name}: {problem}"),
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
