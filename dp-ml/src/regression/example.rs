//! One record of a regression, and its integers.

use crate::Data;
use crate::power_of_two::power_of_two_below;

/// A row of features and a real response.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    features: Vec<f64>,
    response: f64,
}

impl Example {
    /// A record.
    #[must_use]
    pub const fn new(features: Vec<f64>, response: f64) -> Self {
        Self { features, response }
    }

    /// The response.
    #[must_use]
    pub const fn response(&self) -> f64 {
        self.response
    }
}

/// Its features: what [`dp_sensitivity::Gram`] takes.
impl AsRef<[f64]> for Example {
    fn as_ref(&self) -> &[f64] {
        &self.features
    }
}

impl Data<f32> {
    /// The records one by one, for regression from statistics.
    #[must_use]
    pub fn examples(&self) -> Vec<Example> {
        let example = |(row, response): (usize, &f32)| {
            let features = self.features().row(row).iter().map(|&x| f64::from(x)).collect();
            Example::new(features, f64::from(*response))
        };
        self.targets().iter().enumerate().map(example).collect()
    }
}

/// Rounding of features and responses to integers, each record by itself: rows have a norm of at
/// most `longest` units, responses are within `largest` units. Products of both are below 2⁵², and
/// sums of them are exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Integers {
    columns: usize,
    row_bound: f64,
    response_bound: f64,
}

impl Integers {
    pub(super) const fn new(columns: usize, row_bound: f64, response_bound: f64) -> Self {
        Self { columns, row_bound, response_bound }
    }

    pub(super) const fn columns(self) -> usize {
        self.columns
    }

    /// The value of one unit of a feature: a power of two.
    pub(super) fn unit(self) -> f64 {
        unit_for(self.row_bound)
    }

    /// The value of one unit of a response: a power of two.
    pub(super) fn response_unit(self) -> f64 {
        unit_for(self.response_bound)
    }

    /// The longest row in units, rounded down: 2²⁵ to 2²⁶.
    pub(super) fn longest(self) -> i64 {
        whole(self.row_bound / self.unit())
    }

    /// The largest response in units, rounded down.
    pub(super) fn largest(self) -> i64 {
        whole(self.response_bound / self.response_unit())
    }

    /// A row in units, with an ℓ2 norm of at most [`longest`](Self::longest): a function of this
    /// row alone. `NaN`s and missing entries are 0, infinities the largest float; surplus entries
    /// are dropped.
    pub(super) fn row(self, row: &[f64]) -> Vec<i64> {
        let finite = |x: &f64| if x.is_nan() { 0.0 } else { x.clamp(f64::MIN, f64::MAX) };
        let mut values: Vec<f64> =
            row.iter().map(finite).chain(std::iter::repeat(0.0)).take(self.columns).collect();
        let largest = values.iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
        if largest > 0.0 {
            // Quotients neither overflow nor vanish where they matter.
            let length = values.iter().map(|x| (x / largest).powi(2)).sum::<f64>().sqrt();
            if largest > self.row_bound / length {
                values.iter_mut().for_each(|x| *x = *x / largest * (self.row_bound / length));
            }
        }
        let mut integers: Vec<i64> = values.iter().map(|x| whole(x / self.unit())).collect();
        // Rounding may have made it too long by a few units; each iteration shortens it.
        while integers.iter().map(|k| i128::from(*k).pow(2)).sum::<i128>() > i128::from(self.longest()).pow(2)
        {
            integers.iter_mut().for_each(|k| *k -= k.signum());
        }
        integers
    }

    /// A response in units; `NaN` is 0.
    pub(super) fn response(self, response: f64) -> i64 {
        let response = if response.is_nan() { 0.0 } else { response };
        whole(response.clamp(-self.response_bound, self.response_bound) / self.response_unit())
    }
}

/// Towards zero, so that nothing gets larger.
#[allow(clippy::cast_possible_truncation)] // callers pass at most 2²⁷ in magnitude
fn whole(x: f64) -> i64 {
    x.trunc() as i64
}

/// The power of two u with 2²⁵·u ≤ bound < 2²⁶·u, for a normal number.
fn unit_for(bound: f64) -> f64 {
    power_of_two_below(bound) * 2f64.powi(-25)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_are_within_their_bounds(row in prop::collection::vec(any::<f64>(), 0..6), y in any::<f64>(), bound in 1e-90..1e90f64) {
            let integers = Integers::new(4, bound, 3.0 * bound);
            let row = integers.row(&row);
            prop_assert_eq!(row.len(), 4);
            let squares: i128 = row.iter().map(|k| i128::from(*k).pow(2)).sum();
            prop_assert!(squares <= i128::from(integers.longest()).pow(2));
            prop_assert!((1 << 25..1 << 26).contains(&integers.longest()));
            prop_assert!(integers.response(y).abs() <= integers.largest() && integers.largest() < 1 << 26);
        }

        #[test]
        fn short_rows_are_kept(x in -0.5..0.5f64, y in -0.5..0.5f64) {
            let integers = Integers::new(2, 1.0, 1.0);
            for (k, x) in integers.row(&[x, y]).into_iter().zip([x, y]) {
                #[allow(clippy::cast_precision_loss)]
                let back = k as f64 * integers.unit();
                prop_assert!((back - x).abs() <= integers.unit());
            }
        }
    }
}
