//! A dense matrix, row by row.

use dp_core::Error;

/// A dense matrix of `f32`, row after row.
///
/// ```
/// use dp_ml::Matrix;
/// let m = Matrix::new(2, 3, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// assert_eq!(m.row(1), [4.0, 5.0, 6.0]);
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    values: Vec<f32>,
}

impl Matrix {
    /// A matrix from its values, row after row.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] unless there are rows·columns values.
    pub fn new(rows: usize, columns: usize, values: Vec<f32>) -> Result<Self, Error> {
        match rows.checked_mul(columns) {
            Some(size) if size == values.len() => Ok(Self { rows, columns, values }),
            size => Err(Error::LengthMismatch {
                arguments: "rows·columns and values",
                lengths: (size.unwrap_or(usize::MAX), values.len()),
            }),
        }
    }

    /// A matrix of zeros.
    ///
    /// # Panics
    /// When rows·columns overflows.
    #[must_use]
    pub fn zeros(rows: usize, columns: usize) -> Self {
        let size = rows.checked_mul(columns).expect("the size of a matrix in memory");
        Self { rows, columns, values: vec![0.0; size] }
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// One row.
    ///
    /// # Panics
    /// Unless `index` is below the number of rows.
    #[must_use]
    pub fn row(&self, index: usize) -> &[f32] {
        &self.values[index * self.columns..(index + 1) * self.columns]
    }

    /// One row, mutable.
    ///
    /// # Panics
    /// Unless `index` is below the number of rows.
    pub fn row_mut(&mut self, index: usize) -> &mut [f32] {
        &mut self.values[index * self.columns..(index + 1) * self.columns]
    }

    /// All values, row after row.
    #[must_use]
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// All values, row after row, mutable.
    pub fn values_mut(&mut self) -> &mut [f32] {
        &mut self.values
    }
}
