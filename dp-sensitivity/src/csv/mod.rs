//! Tables of comma-separated values.

mod error;
mod line;

use std::fmt;
use std::path::Path;

pub use error::CsvError;
use line::Splitter;

/// What to do with a cell that does not hold what is asked for, and with a line that has another
/// number of cells than the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnBadCell {
    /// Take it as missing: NaN for a number, the empty text for a text. Every line below the header
    /// is a record, an empty one, too; cells beyond the last column are ignored. For releases:
    /// whether the reading succeeds, and how many records there are, does not depend on what a
    /// record holds.
    Missing,
    /// Refuse the table and name the line. For whoever may see the records, before anything is
    /// released: the error depends on them.
    Refuse,
}

/// A table of comma-separated values whose first line names the columns:
/// `Csv::open("people.csv", OnBadCell::Missing)`, then [`numbers`](Self::numbers) of a column.
///
/// A line is a record. Cells may be quoted, with commas and doubled quotation marks in them, but a
/// quoted cell ends with its line: otherwise one record with a stray quotation mark would swallow
/// the records that follow. Spaces around a cell do not count. A number is written in digits with a
/// decimal point, such as `-1.5e3`; NaN, infinities and numbers beyond all floats are bad cells.
/// Where bytes are no UTF-8, a text has `\u{FFFD}` in their place.
///
/// ```
/// use dp_sensitivity::{Csv, OnBadCell};
///
/// let text = "name,age\n\"Doe, Jane\",36\nJohn,unknown\n";
/// let table = Csv::parse(text, OnBadCell::Missing)?;
/// let ages = table.numbers("age")?;
/// assert!(ages[0] == 36.0 && ages[1].is_nan());
/// assert_eq!(table.texts("name")?, ["Doe, Jane", "John"]);
///
/// let refused = Csv::parse(text, OnBadCell::Refuse)?.numbers("age").unwrap_err();
/// assert!(refused.to_string().starts_with("line 3, column age: not a number"));
/// # Ok::<(), dp_sensitivity::CsvError>(())
/// ```
#[derive(Clone)]
pub struct Csv {
    /// Where it was read from, for messages.
    path: Option<String>,
    on_bad_cell: OnBadCell,
    names: Vec<String>,
    /// The text of all cells, row after row, and where each ends.
    cells: String,
    ends: Vec<usize>,
}

/// Where it is from and which columns it has, and not the records.
impl fmt::Debug for Csv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Csv")
            .field("path", &self.path)
            .field("columns", &self.names.len())
            .field("on_bad_cell", &self.on_bad_cell)
            .finish_non_exhaustive()
    }
}

impl Csv {
    /// Reads a file.
    ///
    /// # Errors
    /// [`CsvError::File`] when it cannot be read; else those of [`parse`](Self::parse), in
    /// [`CsvError::In`], as are those of the table that is returned.
    pub fn open(path: impl AsRef<Path>, on_bad_cell: OnBadCell) -> Result<Self, CsvError> {
        let name = path.as_ref().display().to_string();
        let bytes = std::fs::read(path)
            .map_err(|error| CsvError::File { path: name.clone(), reason: error.to_string() })?;
        match Self::parse(bytes, on_bad_cell) {
            Ok(table) => Ok(Self { path: Some(name), ..table }),
            Err(error) => Err(error.of(Some(&name))),
        }
    }

    /// Finds the cells of a table. Lines end with or without a carriage return.
    ///
    /// # Errors
    /// [`CsvError::Table`] when there is no header, or a name in it is empty or occurs twice.
    ///
    /// With [`OnBadCell::Missing`], also when the last line has no line break: without it, a last
    /// record that is empty could not be distinguished from none. With [`OnBadCell::Refuse`],
    /// [`CsvError::Row`] when a line has not one cell for each column, and [`CsvError::Table`] when
    /// one is empty, but for empty lines after the last row, or no UTF-8.
    pub fn parse(text: impl AsRef<[u8]>, on_bad_cell: OnBadCell) -> Result<Self, CsvError> {
        let text = text.as_ref();
        let table = |line, problem| CsvError::Table { line, problem };
        // A byte order mark, which some programs write first.
        let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
        let text = match on_bad_cell {
            OnBadCell::Missing => text,
            OnBadCell::Refuse => text.trim_ascii_end(),
        };
        if text.iter().all(u8::is_ascii_whitespace) {
            return Err(table(
                1,
                "the file is empty: the first line must name the columns, separated by commas",
            ));
        }
        let body = match (text.strip_suffix(b"\n"), on_bad_cell) {
            (Some(body), _) => body,
            (None, OnBadCell::Refuse) => text,
            (None, OnBadCell::Missing) => {
                let last = text.iter().filter(|byte| **byte == b'\n').count() + 1;
                return Err(table(
                    last,
                    "the last line has no line break: end each line of the file with one",
                ));
            }
        };
        let mut lines =
            body.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let mut splitter = Splitter::new();
        let header = lines.next().unwrap_or_default();
        let header = str::from_utf8(header)
            .map_err(|_| table(1, "the names of the columns are no UTF-8: save the file as UTF-8"))?;
        let mut names: Vec<String> = vec![];
        splitter.split(header, |name| names.push(name.to_owned()));
        if names.iter().any(String::is_empty) {
            return Err(table(1, "a column has no name: name each column"));
        }
        if names.iter().enumerate().any(|(at, name)| names[..at].contains(name)) {
            return Err(table(1, "two columns have the same name: rename one of them"));
        }
        let mut read = Self { path: None, on_bad_cell, names, cells: String::new(), ends: vec![] };
        for (index, line) in lines.enumerate() {
            read.take(index + 2, line, &mut splitter)?;
        }
        Ok(read)
    }

    /// Takes a line below the header.
    fn take(&mut self, number: usize, line: &[u8], splitter: &mut Splitter) -> Result<(), CsvError> {
        let (columns, refuses) = (self.names.len(), self.on_bad_cell == OnBadCell::Refuse);
        let problem = |problem| Err(CsvError::Table { line: number, problem });
        if refuses && line.trim_ascii().is_empty() {
            return problem("the line is empty: remove it");
        }
        if refuses && str::from_utf8(line).is_err() {
            return problem("the line is no UTF-8: save the file as UTF-8");
        }
        let mut found = 0;
        splitter.split(&String::from_utf8_lossy(line), |cell| {
            if found < columns {
                self.cells.push_str(cell);
                self.ends.push(self.cells.len());
            }
            found += 1;
        });
        if refuses && found != columns {
            return Err(CsvError::Row { line: number, found, expected: columns });
        }
        self.ends.extend((found..columns).map(|_| self.cells.len())); // missing cells are empty
        Ok(())
    }

    /// The names of the columns.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of records.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len() / self.names.len()
    }

    /// Whether there is no line below the header.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// What becomes of bad cells.
    #[must_use]
    pub const fn on_bad_cell(&self) -> OnBadCell {
        self.on_bad_cell
    }

    /// The numbers of a column, one for each record. A bad cell is NaN, or an error.
    ///
    /// # Errors
    /// [`CsvError::Column`] when there is no such column; with [`OnBadCell::Refuse`],
    /// [`CsvError::Cell`] when a cell is no finite number.
    pub fn numbers(&self, column: &str) -> Result<Vec<f64>, CsvError> {
        let place = self.place(column)?;
        let number = |row| match number(self.cell(row, place)) {
            Ok(number) => Ok(number),
            Err(problem) if self.on_bad_cell == OnBadCell::Refuse => {
                Err(self.refuse_cell(row, column, problem))
            }
            Err(_) => Ok(f64::NAN),
        };
        (0..self.len()).map(number).collect()
    }

    /// The texts of a column, one for each record, empty where a cell is missing.
    ///
    /// # Errors
    /// [`CsvError::Column`] when there is no such column.
    pub fn texts(&self, column: &str) -> Result<Vec<&str>, CsvError> {
        let place = self.place(column)?;
        Ok((0..self.len()).map(|row| self.cell(row, place)).collect())
    }

    /// The error that says why the cell of a record, counted from 0, cannot be used: for readers
    /// that ask for more than a number, of a table that is read with [`OnBadCell::Refuse`].
    #[must_use]
    pub fn refuse_cell(&self, record: usize, column: &str, problem: &'static str) -> CsvError {
        CsvError::Cell { line: record + 2, column: column.to_owned(), problem }.of(self.path.as_deref())
    }

    /// The error that says why a column cannot be used.
    #[must_use]
    pub fn refuse_column(&self, name: &str, problem: &'static str) -> CsvError {
        CsvError::Column { name: name.to_owned(), problem }.of(self.path.as_deref())
    }

    fn place(&self, column: &str) -> Result<usize, CsvError> {
        let problem = "the table has no such column: choose one that the first line names";
        let place = self.names.iter().position(|other| other == column);
        place.ok_or_else(|| self.refuse_column(column, problem))
    }

    fn cell(&self, row: usize, place: usize) -> &str {
        let at = row * self.names.len() + place;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.cells[start..self.ends[at]]
    }
}

/// The number that a cell holds, or what is wrong with it.
fn number(cell: &str) -> Result<f64, &'static str> {
    if cell.is_empty() {
        return Err("the cell is empty: fill it by a rule that looks at this row alone, or remove the row");
    }
    // Rust reads "inf" and "nan" as numbers; digits, signs, points and exponents alone spell
    // others.
    let plain = cell.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    match cell.parse::<f64>() {
        Ok(number) if plain && number.is_finite() => Ok(number),
        Ok(_) => Err(
            "not a finite number: NaN, infinities and numbers beyond all floats are not read; replace it by a rule that looks at this row alone, or remove the row",
        ),
        Err(_) => Err(
            "not a number: write it as 1.5 or -2e3, with a decimal point, or declare the column as levels",
        ),
    }
}

#[cfg(test)]
mod tests;
