//! Private evaluation of models.

use core::marker::PhantomData;

use dp_core::{Bounds, Error, Measurement, Pure, Query, ReplaceOne};
use dp_mechanisms::{DiscreteLaplace, Laplace};
use dp_sensitivity::{Count, Mean};
use rand_core::Rng;

use crate::Data;

/// A measurement of a function of each record, such as whether a model classifies it correctly, or
/// its loss.
///
/// The function gets one record at a time, so data sets that differ in one record become lists that
/// differ in one entry, and the guarantee is that of the measurement on lists.
///
/// ```
/// use dp_core::{Measurement, Query};
/// use dp_mechanisms::{Laplace, rng::OsSeeded};
/// use dp_ml::{Data, EachRecord, Matrix};
/// use dp_sensitivity::Count;
///
/// let data = Data::new(Matrix::new(3, 1, vec![0.4, -0.1, 0.9])?, vec![1, 0, 0])?;
/// // The number that the sign of the only feature classifies correctly, under add/remove.
/// let right = |row: &[f32], class: u32| u32::from(row[0] > 0.0) == class;
/// let count = Count::matching(|right: &bool| *right).with(Laplace::epsilon(1.0)?)?;
/// let release = EachRecord::new(right, count);
/// println!("about {}", release.release(&data, &mut OsSeeded::new()?)?);
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct EachRecord<F, Y, M> {
    function: F,
    measurement: M,
    target: PhantomData<fn(Y)>,
}

impl<F, Y, M> EachRecord<F, Y, M> {
    /// Measures the list of `function(features, target)` over all records.
    pub const fn new(function: F, measurement: M) -> Self {
        Self { function, measurement, target: PhantomData }
    }
}

impl<T, Y, F, M> Measurement for EachRecord<F, Y, M>
where
    Y: Copy,
    F: Fn(&[f32], Y) -> T,
    M: Measurement<Data = [T]>,
{
    type Data = Data<Y>;
    type Output = M::Output;
    type Guarantee = M::Guarantee;
    type Adjacency = M::Adjacency;

    fn guarantee(&self) -> M::Guarantee {
        self.measurement.guarantee()
    }

    fn draw<R: Rng + ?Sized>(&self, data: &Data<Y>, rng: &mut R) -> Result<M::Output, Error> {
        let each = |(row, target): (usize, &Y)| (self.function)(data.features().row(row), *target);
        let list: Vec<T> = data.targets().iter().enumerate().map(each).collect();
        self.measurement.draw(&list, rng)
    }
}

/// The share of `records` test records that a model classifies correctly, ε-private: their number
/// with discrete Laplace noise, divided by `records` and clamped to [0, 1].
///
/// The number of test records is public, so neighbours are those of replace-one. The model must not
/// depend on them, or must have been released privately before.
///
/// # Errors
/// [`Error::OutOfRange`] unless 0 < ε < ∞, [`Error::Empty`] without records.
pub fn private_accuracy<P: Fn(&[f32]) -> u32>(
    predict: P,
    records: usize,
    epsilon: f64,
) -> Result<impl Measurement<Data = Data<u32>, Output = f64, Guarantee = Pure, Adjacency = ReplaceOne>, Error>
{
    if records == 0 {
        return Err(Error::Empty { argument: "the test data" });
    }
    let count = Count::matching(|right: &bool| *right).under_replace_one().in_integers();
    let right = move |row: &[f32], class: u32| predict(row) == class;
    #[allow(clippy::cast_precision_loss)] // after the release
    let share = move |count: i64| (count as f64 / records as f64).clamp(0.0, 1.0);
    Ok(EachRecord::new(right, count.with(DiscreteLaplace::epsilon(epsilon)?)?).map(share))
}

/// The mean loss over `records` test records, ε-private: each loss is clamped to the declared
/// bounds, and the mean gets Laplace noise.
///
/// # Errors
/// [`Error::OutOfRange`] unless 0 < ε < ∞, and for a number of records that [`Mean`] refuses.
pub fn private_mean_loss<Y: Copy, F: Fn(&[f32], Y) -> f64>(
    loss: F,
    bounds: Bounds,
    records: usize,
    epsilon: f64,
) -> Result<impl Measurement<Data = Data<Y>, Output = f64, Guarantee = Pure, Adjacency = ReplaceOne>, Error> {
    Ok(EachRecord::new(loss, Mean::new(bounds).under_replace_one(records)?.with(Laplace::epsilon(epsilon)?)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Matrix;
    use dp_mechanisms::rng::Insecure;

    fn signs(count: u16) -> Data<u32> {
        let values = (0..count).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let classes = (0..count).map(|i| u32::from(i % 10 < 3)).collect(); // right for 0, 2, 3 no, …
        Data::new(Matrix::new(count.into(), 1, values).unwrap(), classes).unwrap()
    }

    #[test]
    fn accuracies_and_losses_are_near() {
        let data = signs(1000);
        // Of ten records 0 and 2 are right about 1, and 3, 5, 7 and 9 about 0.
        let release = private_accuracy(|row| u32::from(row[0] > 0.0), 1000, 1.0).unwrap();
        assert_eq!(release.guarantee(), Pure::new(1.0).unwrap());
        let mut rng = Insecure::seeded(1);
        // Noise of the scale 1 on the count passes 30 with probability below 10⁻¹².
        assert!((release.draw(&data, &mut rng).unwrap() - 0.6).abs() < 0.03);
        let loss = |row: &[f32], class: u32| f64::from(row[0]) * 100.0 * f64::from(class);
        let bounds = Bounds::new(-1.0, 1.0).unwrap();
        let release = private_mean_loss(loss, bounds, 1000, 1.0).unwrap();
        // Of ten records 0 and 2 have the loss 1, 1 has −1; the scale is 2/1000.
        assert!((release.draw(&data, &mut rng).unwrap() - 0.1).abs() < 0.06);
        assert!(release.draw(&signs(10), &mut rng).is_err());
        assert!(private_accuracy(|_| 0, 0, 1.0).is_err() && private_accuracy(|_| 0, 1, 0.0).is_err());
        assert!(private_mean_loss(loss, bounds, 0, 1.0).is_err());
    }
}
