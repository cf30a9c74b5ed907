//! Scaling of features by declared constants.

use dp_core::{Bounds, Error};

use crate::Matrix;
use crate::arguments::check;

/// The shift and scale of each column of features.
///
/// **The constants are declared**: they come from what is known of the columns (a percentage lies
/// in [0, 100]), from public data or from a release, never from the private records: features that
/// are scaled by the largest record reveal that record. Scaling by declared constants is a function
/// of each row alone, so neighbours stay neighbours and it costs no privacy.
///
/// With bounds, numbers are clamped to them. `NaN` becomes the middle of the bounds, or the mean.
/// With means and scales nothing is clamped: clip the rows
/// ([`Data::with_rows_up_to`](crate::Data::with_rows_up_to)) if a guarantee rests on their length.
///
/// ```
/// use dp_core::Bounds;
/// use dp_ml::{Matrix, Scaling};
///
/// let ages_and_hours = [Bounds::new(0.0, 120.0)?, Bounds::new(0.0, 24.0)?];
/// let mut features = Matrix::new(1, 2, vec![30.0, 36.0])?;
/// Scaling::to_symmetric_interval(&ages_and_hours).apply(&mut features)?;
/// assert_eq!(features.row(0), [-0.5, 1.0]); // 36 hours are moved to 24
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Scaling {
    columns: Vec<Affine>,
}

/// x → (x − centre)·factor + offset, for x clamped to bounds where there are any.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Affine {
    centre: f64,
    factor: f64,
    offset: f64,
    bounds: Option<Bounds>,
}

impl Scaling {
    /// Maps each column's bounds to [0, 1].
    #[must_use]
    pub fn to_unit_interval(bounds: &[Bounds]) -> Self {
        Self::to_interval(bounds, 0.5)
    }

    /// Maps each column's bounds to [−1, 1].
    #[must_use]
    pub fn to_symmetric_interval(bounds: &[Bounds]) -> Self {
        Self::to_interval(bounds, 0.0)
    }

    /// To [offset − h, offset + h], h being ½ for the unit interval and 1 for the symmetric one.
    fn to_interval(bounds: &[Bounds], offset: f64) -> Self {
        let column = |bounds: &Bounds| Affine {
            centre: bounds.lower() + 0.5 * (bounds.upper() - bounds.lower()),
            factor: 2.0 * (1.0 - offset) / (bounds.upper() - bounds.lower()),
            offset,
            bounds: Some(*bounds),
        };
        Self { columns: bounds.iter().map(column).collect() }
    }

    /// (x − mean)/scale for each column.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] when there are not as many means as scales, [`Error::OutOfRange`]
    /// when a mean is not finite or a scale not a positive number.
    pub fn standard(means: &[f64], scales: &[f64]) -> Result<Self, Error> {
        if means.len() != scales.len() {
            return Err(Error::LengthMismatch {
                arguments: "means and scales",
                lengths: (means.len(), scales.len()),
            });
        }
        let column = |(&mean, &scale): (&f64, &f64)| {
            check("a mean", "(−∞, ∞)", mean, mean.is_finite())?;
            check("a scale", "(0, ∞)", scale, scale.is_normal() && scale > 0.0)?;
            Ok(Affine { centre: mean, factor: 1.0 / scale, offset: 0.0, bounds: None })
        };
        Ok(Self { columns: means.iter().zip(scales).map(column).collect::<Result<_, _>>()? })
    }

    /// The number of columns that it is for.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns.len()
    }

    /// Scales all rows. Results that overflow become the largest float.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] unless the matrix has as many columns as were declared.
    pub fn apply(&self, features: &mut Matrix) -> Result<(), Error> {
        if features.columns() != self.columns.len() {
            let lengths = (features.columns(), self.columns.len());
            return Err(Error::LengthMismatch { arguments: "the columns and the declared scales", lengths });
        }
        for row in 0..features.rows() {
            for (x, column) in features.row_mut(row).iter_mut().zip(&self.columns) {
                *x = column.apply(*x);
            }
        }
        Ok(())
    }

    /// Scales one number by the constants of the first column, for a target.
    #[must_use]
    pub fn apply_to_target(&self, target: f32) -> f32 {
        self.columns.first().map_or(target, |column| column.apply(target))
    }
}

impl Affine {
    fn apply(self, x: f32) -> f32 {
        let x = f64::from(x);
        let x = if x.is_nan() { self.centre } else { self.bounds.map_or(x, |bounds| bounds.clamp(x)) };
        let scaled = (x - self.centre) * self.factor + self.offset;
        // An infinity minus one is no number, but a float minus a float is.
        let scaled = if scaled.is_nan() { 0.0 } else { scaled };
        #[allow(clippy::cast_possible_truncation)] // features are floats of 32 bits
        {
            scaled.clamp(f32::MIN.into(), f32::MAX.into()) as f32
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(lower: f64, upper: f64) -> Bounds {
        Bounds::new(lower, upper).unwrap()
    }

    #[test]
    fn bounds_become_the_interval() {
        let columns = [bounds(-2.0, 6.0), bounds(0.0, 0.5)];
        let rows =
            || Matrix::new(4, 2, vec![-2.0, 0.5, 2.0, 0.25, 100.0, -1.0, f32::NAN, f32::INFINITY]).unwrap();
        let mut unit = rows();
        Scaling::to_unit_interval(&columns).apply(&mut unit).unwrap();
        assert_eq!(unit.values(), [0.0, 1.0, 0.5, 0.5, 1.0, 0.0, 0.5, 1.0]);
        let mut symmetric = rows();
        Scaling::to_symmetric_interval(&columns).apply(&mut symmetric).unwrap();
        assert_eq!(symmetric.values(), [-1.0, 1.0, 0.0, 0.0, 1.0, -1.0, 0.0, 1.0]);
        assert_eq!(Scaling::to_unit_interval(&columns).apply_to_target(4.0), 0.75);
    }

    #[test]
    fn means_and_scales_are_checked() {
        let scaling = Scaling::standard(&[1.0, 0.0], &[2.0, 1e-30]).unwrap();
        assert_eq!(scaling.columns(), 2);
        let mut rows = Matrix::new(2, 2, vec![5.0, 1e30, f32::NAN, f32::NEG_INFINITY]).unwrap();
        scaling.apply(&mut rows).unwrap();
        assert_eq!(rows.values(), [2.0, f32::MAX, 0.0, f32::MIN]);
        assert!(scaling.apply(&mut Matrix::zeros(1, 3)).is_err());
        assert!(Scaling::standard(&[0.0], &[1.0, 2.0]).is_err());
        for (mean, scale) in [
            (f64::NAN, 1.0),
            (f64::INFINITY, 1.0),
            (0.0, 0.0),
            (0.0, -1.0),
            (0.0, f64::NAN),
            (0.0, f64::INFINITY),
        ] {
            assert!(Scaling::standard(&[mean], &[scale]).is_err());
        }
    }
}
