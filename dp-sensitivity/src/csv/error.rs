//! Why a table was refused.

use std::fmt;

/// Why a table of comma-separated values was refused.
///
/// What is said of a single line or cell is for whoever may see the records: it comes from tables
/// that are read with [`OnBadCell::Refuse`](crate::OnBadCell::Refuse) only. No message repeats what
/// a cell holds. `Debug` prints the sentence, too.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum CsvError {
    /// The file cannot be opened or read.
    File {
        /// Its path.
        path: String,
        /// What the operating system said.
        reason: String,
    },
    /// The text is not a table.
    Table {
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it and what to do.
        problem: &'static str,
    },
    /// A line has more or fewer cells than the header.
    Row {
        /// The line, counted from 1.
        line: usize,
        /// The number of its cells.
        found: usize,
        /// The number of columns.
        expected: usize,
    },
    /// A cell does not hold what was asked for.
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
    /// Any of these, of a file that was opened by its path.
    In {
        /// Its path.
        path: String,
        /// What is wrong with it.
        error: Box<Self>,
    },
}

impl CsvError {
    /// The same of the file at this path, if there is one.
    pub(super) fn of(self, path: Option<&str>) -> Self {
        match path {
            Some(path) => Self::In { path: path.to_owned(), error: Box::new(self) },
            None => self,
        }
    }
}

impl fmt::Display for CsvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, reason } => {
                write!(f, "{path} cannot be read ({reason}): pass the path of a readable file")
            }
            Self::Table { line, problem } => write!(f, "line {line}: {problem}"),
            Self::Row { line, found, expected } => write!(
                f,
                "line {line} has {found} {} and the header has {expected}: give each row one cell for each column, \
                 with commas between them; quote cells that hold a comma, and write decimals with a point (1.5)",
                if *found == 1 { "cell" } else { "cells" }
            ),
            Self::Cell { line, column, problem } => write!(f, "line {line}, column {column}: {problem}"),
            Self::Column { name, problem } => write!(f, "column {name}: {problem}"),
            Self::In { path, error } => write!(f, "{path}: {error}"),
        }
    }
}

impl fmt::Debug for CsvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for CsvError {}
