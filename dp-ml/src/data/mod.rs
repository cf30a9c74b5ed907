//! Records with a row of features and a target each: readers, and maps of each record by itself.

mod column;
mod idx;
mod read_error;
mod scaling;

pub use column::Column;
pub use idx::Idx;
pub use read_error::ReadError;
pub use scaling::Scaling;

use dp_core::Error;
use rand_core::Rng;

use crate::Matrix;
use crate::arguments::check;

/// Records with features and a target each: `Y` is `u32` for classes 0, 1, …, and `f32` for real
/// responses.
///
/// ```
/// use dp_ml::{Data, Matrix};
/// let data = Data::new(Matrix::new(2, 1, vec![0.5, -0.5])?, vec![1_u32, 0])?;
/// assert_eq!((data.len(), data.features().columns()), (2, 1));
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Data<Y> {
    features: Matrix,
    targets: Vec<Y>,
}

impl<Y: Copy> Data<Y> {
    /// Records from a row of features each, and their targets in the same order.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] unless there is one target for each row.
    pub fn new(features: Matrix, targets: Vec<Y>) -> Result<Self, Error> {
        if features.rows() != targets.len() {
            return Err(Error::LengthMismatch {
                arguments: "rows of features and targets",
                lengths: (features.rows(), targets.len()),
            });
        }
        Ok(Self { features, targets })
    }

    /// The number of records.
    #[must_use]
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there is no record.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// The features, one row for each record.
    #[must_use]
    pub fn features(&self) -> &Matrix {
        &self.features
    }

    /// The targets.
    #[must_use]
    pub fn targets(&self) -> &[Y] {
        &self.targets
    }

    /// The records at these places, in this order.
    ///
    /// # Panics
    /// When a place is not below [`len`](Self::len).
    #[must_use]
    pub fn select(&self, places: &[usize]) -> Self {
        let mut values = Vec::with_capacity(places.len() * self.features.columns());
        places.iter().for_each(|&place| values.extend_from_slice(self.features.row(place)));
        let features =
            Matrix::new(places.len(), self.features.columns(), values).expect("a row for each place");
        Self { features, targets: places.iter().map(|&place| self.targets[place]).collect() }
    }

    /// Training and test records: about `test_share` of all are test records.
    ///
    /// A random number decides for each record, independently, so a guarantee for one part holds
    /// for all records, under add/remove and under replace-one, if the generator is secret. (With a
    /// known seed it holds under replace-one alone, since a missing record shifts the random
    /// numbers of those after it.)
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 ≤ share ≤ 1.
    pub fn split<R: Rng + ?Sized>(&self, test_share: f64, rng: &mut R) -> Result<(Self, Self), Error> {
        check("the share of test records", "[0, 1]", test_share, (0.0..=1.0).contains(&test_share))?;
        let (test, training): (Vec<_>, Vec<_>) = (0..self.len()).partition(|_| uniform(rng) < test_share);
        Ok((self.select(&training), self.select(&test)))
    }

    /// Scales the features by declared constants.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] unless it is for as many columns as there are.
    pub fn scaled(mut self, scaling: &Scaling) -> Result<Self, Error> {
        scaling.apply(&mut self.features)?;
        Ok(self)
    }

    /// Scales rows with an ℓ2 norm above `norm` down to it; `NaN`s become 0, infinities the largest
    /// float. Afterwards no row has an ℓ2 norm above `norm`, exactly.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `norm` lies between 10⁻³⁰ and 10³⁰.
    pub fn with_rows_up_to(mut self, norm: f64) -> Result<Self, Error> {
        check("the longest row", "[1e-30, 1e30]", norm, (1e-30..=1e30).contains(&norm))?;
        for row in 0..self.features.rows() {
            let row = self.features.row_mut(row);
            row.iter_mut().for_each(|x| *x = finite(*x));
            let squares: f64 = row.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
            // Rounding to 32 bits moves a coordinate by 2⁻²⁴ of itself at most, or by 2⁻¹⁵⁰ near
            // zero; the computed norm of up to 2²⁰ coordinates is off by 2⁻³² of itself at most:
            // 2⁻²⁰ covers both.
            let most = norm * (1.0 - 2f64.powi(-20));
            if squares.sqrt() > most {
                let factor = most / squares.sqrt();
                #[allow(clippy::cast_possible_truncation)] // features are floats of 32 bits
                row.iter_mut().for_each(|x| *x = (f64::from(*x) * factor) as f32);
            }
        }
        Ok(self)
    }

    /// Adds a feature that is the same for all records, so that a linear model has an intercept.
    #[must_use]
    pub fn with_constant_feature(self, value: f32) -> Self {
        let columns = self.features.columns();
        let mut features = Matrix::zeros(self.features.rows(), columns + 1);
        for row in 0..features.rows() {
            features.row_mut(row)[..columns].copy_from_slice(self.features.row(row));
            features.row_mut(row)[columns] = value;
        }
        Self { features, targets: self.targets }
    }

    /// With each row of features changed by a function of that row alone, which costs no privacy:
    /// centred, normalised, any fixed map that does not look at other records.
    #[must_use]
    pub fn map_rows(mut self, function: impl Fn(&mut [f32])) -> Self {
        (0..self.len()).for_each(|row| function(self.features.row_mut(row)));
        self
    }

    /// With each row centred and scaled by itself: its mean becomes 0 and its length `norm`. Rows
    /// that are constant become zeros. `NaN`s count as 0, and numbers beyond ±10¹⁸ are cut off.
    ///
    /// This suits images, whose brightness and contrast carry no meaning, and costs no privacy, as
    /// each row is mapped by itself: give [linear models](crate::training::Plan) the length
    /// [`Plan::ROW_LENGTH`](crate::training::Plan::ROW_LENGTH), and networks the root of the number
    /// of features, which is variance 1.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `norm` lies between 10⁻³⁰ and 10³⁰.
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "floats of 32 bits")]
    pub fn with_normalised_rows(self, norm: f64) -> Result<Self, Error> {
        check("the length of rows", "[1e-30, 1e30]", norm, (1e-30..=1e30).contains(&norm))?;
        Ok(self.map_rows(|row| {
            row.iter_mut().for_each(|x| *x = if x.is_nan() { 0.0 } else { x.clamp(-1e18, 1e18) });
            let mean = row.iter().map(|x| f64::from(*x)).sum::<f64>() / row.len() as f64;
            let squares: f64 = row.iter().map(|x| (f64::from(*x) - mean).powi(2)).sum();
            // What rounding leaves of a constant row is not a signal.
            let constant = squares <= 1e-12 * mean * mean * row.len() as f64;
            let factor = if constant { 0.0 } else { norm / squares.sqrt() };
            row.iter_mut().for_each(|x| *x = ((f64::from(*x) - mean) * factor) as f32);
        }))
    }

    /// Replaces each target by a function of it.
    #[must_use]
    pub fn map_targets<Z: Copy>(self, function: impl Fn(Y) -> Z) -> Data<Z> {
        Data { features: self.features, targets: self.targets.into_iter().map(function).collect() }
    }
}

/// 0 for NaN, and the largest floats for infinities.
pub(crate) fn finite(x: f32) -> f32 {
    if x.is_nan() { 0.0 } else { x.clamp(f32::MIN, f32::MAX) }
}

/// A number in [0, 1).
#[allow(clippy::cast_precision_loss, reason = "53 bits")]
fn uniform<R: Rng + ?Sized>(rng: &mut R) -> f64 {
    (rng.next_u64() >> 11) as f64 / 9_007_199_254_740_992.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_mechanisms::rng::Insecure;
    use dp_sensitivity::{Csv, OnBadCell};

    fn numbered(count: u16) -> Data<u32> {
        let values = (0..count).map(f32::from).collect();
        Data::new(Matrix::new(count.into(), 1, values).unwrap(), (0..count).map(u32::from).collect()).unwrap()
    }

    #[test]
    fn each_record_throws_a_coin() {
        let (training, test) = numbered(1000).split(0.25, &mut Insecure::seeded(5)).unwrap();
        assert_eq!(training.len() + test.len(), 1000);
        // A share of ¼ of 1000 is off by more than 70 with probability below 2·e^−9.8 (Hoeffding).
        assert!((180..320).contains(&test.len()), "{}", test.len());
        let (_, fewer) = numbered(999).split(0.25, &mut Insecure::seeded(5)).unwrap();
        assert_eq!(fewer.targets(), &test.targets()[..fewer.len()]);
        let (_, other) = numbered(1000).split(0.25, &mut Insecure::seeded(6)).unwrap();
        assert_ne!(other, test);
        assert!(
            numbered(3).split(0.0, &mut Insecure::seeded(1)).unwrap().1.is_empty()
                && numbered(3).split(1.0, &mut Insecure::seeded(1)).unwrap().0.is_empty()
        );
        assert!(
            numbered(3).split(f64::NAN, &mut Insecure::seeded(1)).is_err()
                && numbered(3).split(1.1, &mut Insecure::seeded(1)).is_err()
        );
    }

    #[test]
    fn rows_are_shortened_and_lengthened() {
        let rows = Matrix::new(3, 2, vec![3.0, 4.0, f32::INFINITY, f32::NAN, 0.3, 0.4]).unwrap();
        let data = Data::new(rows, vec![0u32, 1, 2]).unwrap().with_rows_up_to(1.0).unwrap();
        let length = |row: usize| {
            let row = data.features().row(row);
            f64::from(row[0]).hypot(row[1].into())
        };
        assert!(length(0) <= 1.0 && length(0) > 0.999_99 && length(1) <= 1.0 && length(1) > 0.999_99);
        assert_eq!(data.features().row(2), [0.3, 0.4]);
        let wider = data.with_constant_feature(0.5).map_targets(|class| class == 1);
        assert_eq!(
            (wider.features().row(2), wider.targets()),
            (&[0.3, 0.4, 0.5][..], &[false, true, false][..])
        );
        assert_eq!(wider.select(&[2, 0]).targets(), [false, false]);
        assert!(numbered(1).with_rows_up_to(0.0).is_err() && numbered(1).with_rows_up_to(f64::NAN).is_err());
    }

    #[test]
    fn rows_are_normalised_each_by_itself() {
        let rows = vec![1.0, 3.0, 0.7, 0.7, f32::NAN, f32::INFINITY, 0.0, f32::NAN, 1e-30, 0.0];
        let data = Data::new(Matrix::new(5, 2, rows).unwrap(), vec![0u32; 5]).unwrap();
        let data = data.with_normalised_rows(2f64.sqrt()).unwrap();
        assert_eq!(data.features().values(), [-1.0, 1.0, 0.0, 0.0, -1.0, 1.0, 0.0, 0.0, 1.0, -1.0]);
        let message = data.with_normalised_rows(0.0).unwrap_err().to_string();
        assert!(message.starts_with("the length of rows must lie in [1e-30, 1e30], but 0"), "{message}");
    }

    #[test]
    fn shipped_data_sets_are_read() {
        let digits = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
        for (name, records, features, classes) in [
            ("digits", 1797, 64, &digits[..]),
            ("breast_cancer", 569, 30, &digits[..2]),
            ("wine", 178, 13, &digits[..3]),
        ] {
            let table =
                Csv::open(format!("{}/data/{name}.csv", env!("CARGO_MANIFEST_DIR")), OnBadCell::Refuse)
                    .unwrap();
            let data =
                Data::classification(&table, &Column::numbers_but(&table, &["target"]), "target", classes)
                    .unwrap();
            assert_eq!((data.len(), data.features().columns()), (records, features));
        }
        let table =
            Csv::open(concat!(env!("CARGO_MANIFEST_DIR"), "/data/diabetes_raw.csv"), OnBadCell::Refuse)
                .unwrap();
        let data = Data::regression(&table, &Column::numbers_but(&table, &["target"]), "target").unwrap();
        assert_eq!((data.len(), data.features().columns(), data.targets()[0]), (442, 10, 151.0));
    }
}
