//! Columns of tables as features.

use dp_sensitivity::{Csv, OnBadCell};

use super::{Data, ReadError};
use crate::Matrix;

/// A column of a table and how it becomes features.
///
/// Which levels a column has is *declared*, not collected from the records, whose levels are
/// private. A cell that is no finite number, or none of the levels, is an error that names its
/// place, or with [`OnBadCell::Missing`] NaN, and a class that no model knows: such a record
/// contributes nothing to a training.
///
/// ```
/// use dp_ml::{Column, Csv, Data, OnBadCell};
///
/// let rows = "carat,cut,price\n0.23,Ideal,326\n0.21,Premium,326\n";
/// let table = Csv::parse(rows, OnBadCell::Refuse)?;
/// let cuts = ["Fair", "Good", "Very Good", "Premium", "Ideal"];
/// let columns = [Column::number("carat"), Column::ordinal("cut", &cuts)];
/// let data = Data::regression(&table, &columns, "price")?;
/// assert_eq!(data.features().row(1), [0.21, 3.0]);
/// # Ok::<(), dp_ml::ReadError>(())
/// ```
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

    /// A column of levels from a declared list: a feature for each, which is 1 where the cell has
    /// that level and 0 elsewhere.
    #[must_use]
    pub fn one_hot(name: &str, levels: &[&str]) -> Self {
        Self { name: name.to_owned(), kind: Kind::OneHot(owned(levels)) }
    }

    /// A column of levels from a declared list, in their order: one feature, 0 for the first level,
    /// 1 for the second, and so on.
    #[must_use]
    pub fn ordinal(name: &str, levels: &[&str]) -> Self {
        Self { name: name.to_owned(), kind: Kind::Ordinal(owned(levels)) }
    }

    /// All columns of a table but the named ones, as numbers.
    #[must_use]
    pub fn numbers_but(table: &Csv, others: &[&str]) -> Vec<Self> {
        let wanted = table.names().iter().filter(|name| !others.contains(&name.as_str()));
        wanted.map(|name| Self::number(name)).collect()
    }

    /// The number of features that it becomes.
    #[must_use]
    pub fn features(&self) -> usize {
        if let Kind::OneHot(levels) = &self.kind { levels.len() } else { 1 }
    }

    /// The features of all records, record after record.
    fn read(&self, table: &Csv) -> Result<Vec<f32>, ReadError> {
        match &self.kind {
            Kind::Number => singles(table, &self.name),
            Kind::OneHot(levels) => {
                let places = places(table, &self.name, levels)?;
                let indicator = |place: Option<usize>, at| match place {
                    None => f32::NAN,
                    Some(place) if place == at => 1.0,
                    Some(_) => 0.0,
                };
                let indicators = |place| (0..levels.len()).map(move |at| indicator(place, at));
                Ok(places.into_iter().flat_map(indicators).collect())
            }
            Kind::Ordinal(levels) => {
                #[allow(clippy::cast_precision_loss)] // a list of levels is short
                let feature = |place: Option<usize>| place.map_or(f32::NAN, |place| place as f32);
                Ok(places(table, &self.name, levels)?.into_iter().map(feature).collect())
            }
        }
    }
}

impl Matrix {
    /// The features of all records of a table, in the order of the columns.
    ///
    /// # Errors
    /// [`ReadError::Csv`] when a column is not in the table, or its levels are not a list of
    /// different ones; with [`OnBadCell::Refuse`], when a cell is not a finite number of 32 bits,
    /// or not one of the levels.
    pub fn from_columns(table: &Csv, columns: &[Column]) -> Result<Self, ReadError> {
        let width: usize = columns.iter().map(Column::features).sum();
        let mut values = vec![0.0; table.len() * width];
        let mut first = 0;
        for column in columns {
            let (features, read) = (column.features(), column.read(table)?);
            for (record, cells) in read.chunks_exact(features).enumerate() {
                values[record * width + first..][..features].copy_from_slice(cells);
            }
            first += features;
        }
        Ok(Self::new(table.len(), width, values)?)
    }
}

impl Data<f32> {
    /// Records with a real response.
    ///
    /// # Errors
    /// As [`Matrix::from_columns`].
    pub fn regression(table: &Csv, columns: &[Column], target: &str) -> Result<Self, ReadError> {
        let targets = singles(table, target)?;
        Ok(Self::new(Matrix::from_columns(table, columns)?, targets)?)
    }
}

impl Data<u32> {
    /// Records with a class: the place of the target's level in the declared list.
    ///
    /// # Errors
    /// As [`Matrix::from_columns`].
    pub fn classification(
        table: &Csv,
        columns: &[Column],
        target: &str,
        classes: &[&str],
    ) -> Result<Self, ReadError> {
        let places = places(table, target, &owned(classes))?;
        let class =
            |place: Option<usize>| place.and_then(|place| u32::try_from(place).ok()).unwrap_or(u32::MAX);
        let targets = places.into_iter().map(class).collect();
        Ok(Self::new(Matrix::from_columns(table, columns)?, targets)?)
    }
}

fn owned(levels: &[&str]) -> Vec<String> {
    levels.iter().map(|level| (*level).to_owned()).collect()
}

/// The numbers of a column in single precision.
fn singles(table: &Csv, column: &str) -> Result<Vec<f32>, ReadError> {
    let single = |(record, number): (usize, f64)| {
        #[allow(clippy::cast_possible_truncation)] // the rounding that is meant
        let single = number as f32;
        match table.on_bad_cell() {
            _ if single.is_finite() => Ok(single),
            OnBadCell::Missing => Ok(f32::NAN),
            OnBadCell::Refuse => Err(table.refuse_cell(record, column, "not a finite number of 32 bits: numbers beyond 3.4e38 are not read; replace it by a rule that looks at this row alone, or remove the row").into()),
        }
    };
    table.numbers(column)?.into_iter().enumerate().map(single).collect()
}

/// The places of a column's cells in a list of levels.
fn places(table: &Csv, column: &str, levels: &[String]) -> Result<Vec<Option<usize>>, ReadError> {
    let twice = levels.iter().enumerate().any(|(at, level)| levels[..at].contains(level));
    if twice || levels.is_empty() {
        let problem = "no level is declared, or one is declared twice: declare a list of different levels";
        return Err(table.refuse_column(column, problem).into());
    }
    let place = |(record, cell): (usize, &str)| {
        let place = levels.iter().position(|level| level == cell);
        match table.on_bad_cell() {
            OnBadCell::Refuse if place.is_none() => Err(table.refuse_cell(record, column, "the cell holds none of the declared levels: declare all that the column may hold, spelt as in the file").into()),
            _ => Ok(place),
        }
    };
    table.texts(column)?.into_iter().enumerate().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Csv {
        Csv::parse(text, OnBadCell::Refuse).unwrap()
    }

    #[test]
    fn columns_become_features() {
        let table = parse("x, y ,z\r\n1,-2.5e1, a\r\n+.5,3,b\r\n\r\n");
        let columns = [Column::number("y"), Column::one_hot("z", &["b", "a"])];
        let data = Data::regression(&table, &columns, "x").unwrap();
        assert_eq!(data.features().values(), [-25.0, 0.0, 1.0, 3.0, 1.0, 0.0]);
        assert_eq!(data.targets(), [1.0, 0.5]);
        let numbers = Column::numbers_but(&table, &["z"]);
        let classes = Data::classification(&table, &numbers, "z", &["a", "b", "c"]).unwrap();
        assert_eq!((classes.targets(), classes.features().row(1)), (&[0, 1][..], &[0.5, 3.0][..]));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let message =
            |text: &str| Data::regression(&parse(text), &[Column::number("x")], "y").unwrap_err().to_string();
        for (text, part) in [
            ("x,y\n1,2\n,4", "line 3, column x: the cell is empty"),
            ("x,y\n1,nan", "line 2, column y: not a finite number"),
            ("x,y\n1e39,1", "line 2, column x: not a finite number of 32 bits"),
            ("x,z\n1,2", "column y: the table has no such column"),
        ] {
            assert!(message(text).starts_with(part), "{text:?}: {}", message(text));
        }
        let table = parse("x,y\nred,1\nblue,2");
        let levels = |levels: &[&str]| {
            Matrix::from_columns(&table, &[Column::ordinal("x", levels)]).unwrap_err().to_string()
        };
        assert!(levels(&["red"]).starts_with("line 3, column x: the cell holds none of the declared levels"));
        assert!(
            levels(&["red", "blue", "red"])
                .starts_with("column x: no level is declared, or one is declared twice")
        );
    }

    /// A record that cannot be read does not change whether the others can be.
    #[test]
    fn missing_values_are_no_numbers_and_no_classes() {
        let table = Csv::parse("x,c,y\n1,a,no\n1e39,b,maybe\n?,,\n", OnBadCell::Missing).unwrap();
        let columns = [Column::number("x"), Column::one_hot("c", &["a"]), Column::ordinal("c", &["b", "a"])];
        let data = Data::classification(&table, &columns, "y", &["no", "yes"]).unwrap();
        assert_eq!(data.targets(), [0, u32::MAX, u32::MAX]);
        let values = data.features().values();
        assert_eq!((&values[..3], values[5]), (&[1.0, 1.0, 1.0][..], 0.0));
        assert!([3, 4, 6, 7, 8].iter().all(|at| values[*at].is_nan()));
    }
}
