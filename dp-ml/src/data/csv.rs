//! Tables of comma-separated values.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use super::{Data, ReadError};
use crate::Matrix;

/// A table of comma-separated values whose first line names the columns.
///
/// Cells are plain: numbers such as `-1.5e3`, or words that are declared as levels. Quotation marks, empty cells, `NaN`, infinities and decimal commas are refused with the line and the column of
/// the first one, and nothing is guessed. Which levels a column has is *declared*, not collected from the records, whose levels are private.
///
/// ```
/// use dp_ml::{Column, Csv};
///
/// let table = Csv::parse("carat,cut,price\n0.23,Ideal,326\n0.21,Premium,326\n")?;
/// let columns = [Column::number("carat"), Column::ordinal("cut", &["Fair", "Good", "Very Good", "Premium", "Ideal"])];
/// let data = table.regression(&columns, "price")?;
/// assert_eq!(data.features().row(1), [0.21, 3.0]);
///
/// let error = Csv::parse("x,y\n1,0,2\n").unwrap_err(); // a decimal comma makes three cells
/// assert!(error.to_string().starts_with("line 2 has 3 cells and the header has 2"));
/// # Ok::<(), dp_ml::ReadError>(())
/// ```
#[derive(Clone)]
pub struct Csv {
    /// Where it was read from, for messages.
    path: Option<String>,
    text: String,
    names: Vec<String>,
    /// Where each cell is in the text, row after row.
    cells: Vec<Range<usize>>,
}

/// Where it is from and which columns it has, and not the records.
impl fmt::Debug for Csv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Csv")
            .field("path", &self.path)
            .field("columns", &self.names.len())
            .finish_non_exhaustive()
    }
}

/// A column of a table and how it becomes features.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    name: String,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Number,
    /// A feature for each level, 1 where the cell has it.
    OneHot(Vec<String>),
    /// The place of the level in the list, from 0.
    Ordinal(Vec<String>),
}

impl Column {
    /// A column of numbers: one feature.
    #[must_use]
    pub fn number(name: &str) -> Self {
        Self { name: name.to_owned(), kind: Kind::Number }
    }

    /// A column of levels from a declared list: a feature for each, which is 1 where the cell has that level and 0 elsewhere.
    #[must_use]
    pub fn one_hot(name: &str, levels: &[&str]) -> Self {
        Self { name: name.to_owned(), kind: Kind::OneHot(owned(levels)) }
    }

    /// A column of levels from a declared list, in their order: one feature, 0 for the first level, 1 for the second, and so on.
    #[must_use]
    pub fn ordinal(name: &str, levels: &[&str]) -> Self {
        Self { name: name.to_owned(), kind: Kind::Ordinal(owned(levels)) }
    }

    /// The number of features that it becomes.
    #[must_use]
    pub fn features(&self) -> usize {
        if let Kind::OneHot(levels) = &self.kind { levels.len() } else { 1 }
    }
}

fn owned(levels: &[&str]) -> Vec<String> {
    levels.iter().map(|level| (*level).to_owned()).collect()
}

impl Csv {
    /// Reads a file.
    ///
    /// # Errors
    /// [`ReadError::File`] when it cannot be read as UTF-8 text; else those of [`parse`](Self::parse), in [`ReadError::In`], as are those of the table that is returned.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ReadError> {
        let name = path.as_ref().display().to_string();
        match std::fs::read_to_string(path) {
            Ok(text) => match Self::parse(text) {
                Ok(table) => Ok(Self { path: Some(name), ..table }),
                Err(error) => Err(error.of(Some(&name))),
            },
            Err(error) => Err(ReadError::File { path: name, reason: error.to_string() }),
        }
    }

    /// Finds the cells of a table. Lines end with or without a carriage return, and empty lines may follow the last row.
    ///
    /// # Errors
    /// [`ReadError::Table`] when there is no header, a name is empty or occurs twice, a line is empty or has a quotation mark; [`ReadError::Row`] when a row has not one cell for each column.
    pub fn parse(text: impl Into<String>) -> Result<Self, ReadError> {
        let text: String = text.into();
        let bare = text.strip_prefix('\u{feff}').unwrap_or(&text); // a mark that some programs put first
        let start = text.len() - bare.len();
        let body = start..start + bare.trim_end_matches(['\r', '\n']).len();
        let mut lines = lines(&text, body).enumerate();
        let table = |line, problem| ReadError::Table { line, problem };
        let Some((_, header)) = lines.next() else {
            return Err(table(
                1,
                "the file is empty: the first line must name the columns, separated by commas",
            ));
        };
        let mut names: Vec<String> = vec![];
        for cell in cells(&text, header.clone()) {
            let name = &text[cell];
            if name.is_empty() || name.contains('"') {
                return Err(table(
                    1,
                    "a column has no name, or a quoted one: name each column, without quotation marks",
                ));
            }
            if names.iter().any(|other| other == name) {
                return Err(table(1, "two columns have the same name: rename one of them"));
            }
            names.push(name.to_owned());
        }
        let mut all = vec![];
        for (index, line) in lines {
            if text[line.clone()].contains('"') {
                return Err(table(
                    index + 1,
                    "the line has a quotation mark: write plain cells, without quotation marks and without commas in them",
                ));
            }
            if text[line.clone()].trim().is_empty() {
                return Err(table(index + 1, "the line is empty: remove it"));
            }
            let before = all.len();
            all.extend(cells(&text, line));
            if all.len() - before != names.len() {
                return Err(ReadError::Row {
                    line: index + 1,
                    found: all.len() - before,
                    expected: names.len(),
                });
            }
        }
        Ok(Self { path: None, text, names, cells: all })
    }

    /// The names of the columns.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cells.len() / self.names.len()
    }

    /// Whether there is no row below the header.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// All columns but the named ones, as numbers.
    #[must_use]
    pub fn numbers_but(&self, others: &[&str]) -> Vec<Column> {
        let wanted = self.names.iter().filter(|name| !others.contains(&name.as_str()));
        wanted.map(|name| Column::number(name)).collect()
    }

    /// Records with a real response.
    ///
    /// # Errors
    /// [`ReadError::Column`] when a column is not in the table or its levels are not a list of different ones; [`ReadError::Cell`] when a cell is not a finite number, or not one of the levels.
    pub fn regression(&self, columns: &[Column], target: &str) -> Result<Data<f32>, ReadError> {
        let place = self.place(target)?;
        let targets = (0..self.len()).map(|row| self.number(row, place)).collect::<Result<_, _>>()?;
        Ok(Data::new(self.features(columns)?, targets)?)
    }

    /// Records with a class: the place of the target's level in the declared list.
    ///
    /// # Errors
    /// As [`regression`](Self::regression).
    pub fn classification(
        &self,
        columns: &[Column],
        target: &str,
        classes: &[&str],
    ) -> Result<Data<u32>, ReadError> {
        let (place, classes) = (self.place(target)?, distinct(target, &owned(classes))?);
        let class = |row| {
            let level = self.level(row, place, &classes)?;
            Ok::<_, ReadError>(u32::try_from(level).unwrap_or(u32::MAX)) // a list of levels is short
        };
        let targets = (0..self.len()).map(class).collect::<Result<_, _>>()?;
        Ok(Data::new(self.features(columns)?, targets)?)
    }

    /// The features of all rows.
    ///
    /// # Errors
    /// As [`regression`](Self::regression).
    pub fn features(&self, columns: &[Column]) -> Result<Matrix, ReadError> {
        let width: usize = columns.iter().map(Column::features).sum();
        let mut places = vec![];
        for column in columns {
            if let Kind::OneHot(levels) | Kind::Ordinal(levels) = &column.kind {
                distinct(&column.name, levels)?;
            }
            places.push(self.place(&column.name)?);
        }
        let mut values = Vec::with_capacity(self.len() * width);
        for row in 0..self.len() {
            for (column, &place) in columns.iter().zip(&places) {
                match &column.kind {
                    Kind::Number => values.push(self.number(row, place)?),
                    Kind::OneHot(levels) => {
                        let level = self.level(row, place, levels)?;
                        values.extend((0..levels.len()).map(|other| if other == level { 1.0 } else { 0.0 }));
                    }
                    Kind::Ordinal(levels) => {
                        #[allow(clippy::cast_precision_loss)] // a list of levels is short
                        values.push(self.level(row, place, levels)? as f32);
                    }
                }
            }
        }
        Ok(Matrix::new(self.len(), width, values)?)
    }

    fn place(&self, name: &str) -> Result<usize, ReadError> {
        let problem = "the table has no such column: choose one that the first line names";
        let missing = || ReadError::Column { name: name.to_owned(), problem }.of(self.path.as_deref());
        self.names.iter().position(|other| other == name).ok_or_else(missing)
    }

    fn cell(&self, row: usize, place: usize) -> &str {
        &self.text[self.cells[row * self.names.len() + place].clone()]
    }

    fn refused(&self, row: usize, place: usize, problem: &'static str) -> ReadError {
        ReadError::Cell { line: row + 2, column: self.names[place].clone(), problem }.of(self.path.as_deref())
    }

    fn number(&self, row: usize, place: usize) -> Result<f32, ReadError> {
        let cell = self.cell(row, place);
        if cell.is_empty() {
            return Err(self.refused(
                row,
                place,
                "the cell is empty: fill it by a rule that looks at this row alone, or remove the row",
            ));
        }
        // Rust reads "inf" and "nan" as numbers; digits, signs, points and exponents alone spell finite ones.
        let plain = cell.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
        match cell.parse::<f32>() {
            Ok(number) if plain && number.is_finite() => Ok(number),
            Ok(_) => Err(self.refused(row, place, "not a finite number of 32 bits: NaN, infinities and numbers beyond 3.4e38 are not read; replace it by a rule that looks at this row alone, or remove the row")),
            Err(_) => Err(self.refused(row, place, "not a number: write it as 1.5 or -2e3, with a decimal point, or declare the column as levels")),
        }
    }

    fn level(&self, row: usize, place: usize, levels: &[String]) -> Result<usize, ReadError> {
        let cell = self.cell(row, place);
        levels.iter().position(|level| level == cell).ok_or_else(|| {
            self.refused(row, place, "the cell holds none of the declared levels: declare all that the column may hold, spelt as in the file")
        })
    }
}

fn distinct(name: &str, levels: &[String]) -> Result<Vec<String>, ReadError> {
    let twice = levels.iter().enumerate().any(|(at, level)| levels[..at].contains(level));
    if twice || levels.is_empty() {
        let problem = "the declared levels are none, or one occurs twice: declare a list of different levels";
        return Err(ReadError::Column { name: name.to_owned(), problem });
    }
    Ok(levels.to_vec())
}

/// The lines within a part of the text, without what ends them. None in an empty part.
fn lines(text: &str, part: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
    let start = part.start;
    let line = move |(at, line): (usize, &str)| {
        let end = line.strip_suffix('\r').unwrap_or(line).len();
        start + at..start + at + end
    };
    split(&text[part], '\n').map(line)
}

/// The cells of a line, without the spaces around them.
fn cells(text: &str, line: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
    let start = line.start;
    split(&text[line], ',').map(move |(at, cell)| {
        let first = start + at + (cell.len() - cell.trim_start().len());
        first..first + cell.trim().len()
    })
}

/// The pieces of a text between separators, with their places; none for an empty text.
fn split(text: &str, separator: char) -> impl Iterator<Item = (usize, &str)> {
    let pieces = text.split(separator).filter(|_| !text.is_empty());
    pieces.scan(0, move |next, piece| {
        let at = *next;
        *next += piece.len() + separator.len_utf8();
        Some((at, piece))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        let table = Csv::parse(text).and_then(|table| table.regression(&[Column::number("x")], "y"));
        table.unwrap_err().to_string()
    }

    #[test]
    fn messages_name_the_file() {
        let path = std::env::temp_dir().join(format!("dp-ml-{}.csv", std::process::id()));
        let name = path.display().to_string();
        let said = |text: &str| {
            std::fs::write(&path, text).unwrap();
            let table = Csv::open(&path).and_then(|table| table.regression(&[Column::number("x")], "y"));
            table.unwrap_err().to_string()
        };
        for (text, part) in [
            ("", "line 1: the file is empty"),
            ("x,y\n1,2,3\n", "line 2 has 3 cells"),
            ("x,z\n1,2\n", "column y: the table has no such column"),
            ("x,y\na,2\n", "line 2, column x: not a number"),
        ] {
            let said = said(text);
            assert!(said.starts_with(&format!("{name}: {part}")), "{said}");
        }
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn plain_tables_are_read() {
        let table = Csv::parse("\u{feff}x, y ,z\r\n1,-2.5e1, a\r\n+.5,3,b\r\n\r\n").unwrap();
        assert_eq!((table.len(), table.names()), (2, &["x", "y", "z"].map(str::to_owned)[..]));
        let data = table.regression(&[Column::number("y"), Column::one_hot("z", &["b", "a"])], "x").unwrap();
        assert_eq!(data.features().values(), [-25.0, 0.0, 1.0, 3.0, 1.0, 0.0]);
        assert_eq!(data.targets(), [1.0, 0.5]);
        let classes = table.classification(&table.numbers_but(&["z"]), "z", &["a", "b", "c"]).unwrap();
        assert_eq!((classes.targets(), classes.features().row(1)), (&[0, 1][..], &[0.5, 3.0][..]));
        assert!(Csv::parse("x,y").unwrap().is_empty());
        assert_eq!(
            Csv::parse("x\n1\n2").unwrap().features(&[Column::number("x")]).unwrap().values(),
            [1.0, 2.0]
        );
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (text, part) in [
            ("", "line 1: the file is empty"),
            ("\n\n", "line 1: the file is empty"),
            ("x,,y\n", "line 1: a column has no name"),
            ("x,x\n", "line 1: two columns have the same name"),
            ("x,y\n1,2\n\n3,4", "line 3: the line is empty"),
            ("x,y\n1,2\n\"3\",4", "line 3: the line has a quotation mark"),
            ("x,y\n1,2\n1,0,4", "line 3 has 3 cells and the header has 2"),
            ("x,y\n1\n", "line 2 has 1 cell and the header has 2"),
            ("x,y\n1,2\n,4", "line 3, column x: the cell is empty"),
            ("x,y\n1,nan", "line 2, column y: not a finite number"),
            ("x,y\n1,-inf", "line 2, column y: not a finite number"),
            ("x,y\n1e39,1", "line 2, column x: not a finite number"),
            ("x,y\n1;0,1", "line 2, column x: not a number"),
            ("x,y\n1,0x10", "line 2, column y: not a number"),
            ("x,z\n1,2", "column y: the table has no such column"),
        ] {
            assert!(message(text).starts_with(part), "{text:?}: {}", message(text));
        }
        let table = Csv::parse("x,y\nred,1\nblue,2").unwrap();
        let levels =
            |levels: &[&str]| table.features(&[Column::ordinal("x", levels)]).unwrap_err().to_string();
        assert!(levels(&["red"]).starts_with("line 3, column x: the cell holds none of the declared levels"));
        assert!(levels(&["red", "blue", "red"]).starts_with("column x: the declared levels"));
        assert!(
            Csv::open("no/such/file").unwrap_err().to_string().starts_with("no/such/file cannot be read")
        );
    }

    /// Texts of random characters, and tables with random changes: read or refused, and what is read has the shape of the table.
    #[test]
    fn no_text_makes_it_panic() {
        let mut word = 1u64;
        let mut next = move |below: usize| {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(word >> 33).unwrap() % below
        };
        let odd = [
            '0', '1', '9', '.', '-', 'e', ',', '\n', '\r', '"', ' ', 'x', 'y', 'é', '\u{feff}', '\u{2028}',
            '\0', ';',
        ];
        let valid: Vec<char> = "x,y,z\n1,2,3\r\n-4.5,6e7,8\n".chars().collect();
        let mut read = 0;
        for turn in 0..20_000 {
            let mut text = if turn % 2 == 0 {
                (0..next(30)).map(|_| odd[next(odd.len())]).collect()
            } else {
                valid.clone()
            };
            for _ in 0..next(4) {
                let (at, kind) = (next(text.len() + 1), next(3));
                match kind {
                    0 => text.insert(at, odd[next(odd.len())]),
                    1 => text.truncate(at),
                    _ => drop(text.get_mut(at).map(|place| *place = odd[next(odd.len())])),
                }
            }
            let Ok(table) = Csv::parse(text.into_iter().collect::<String>()) else { continue };
            let columns = table.numbers_but(&["z"]);
            if let Ok(features) = table.features(&columns) {
                assert_eq!((features.rows(), features.columns()), (table.len(), columns.len()));
                assert!(features.values().iter().all(|x| x.is_finite()));
                read += 1;
            }
        }
        assert!(read > 3000, "{read}");
    }
}
