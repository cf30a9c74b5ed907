//! Losses with a gradient for each record.

use core::marker::PhantomData;

use dp_core::{Bounds, Error};

/// A loss L(β, x) with a gradient in β, for a handful to a few hundred parameters.
///
/// # Contract
/// `gradient` is a function of the parameters and the record alone. The
/// [condition](super::StepBound) of a training bounds whatever it writes; a gradient that is not
/// finite counts as zero.
pub trait Loss {
    /// The record that a person contributes.
    type Record;

    /// The number of parameters.
    fn dimension(&self) -> usize;

    /// Writes ∇L(β, x).
    fn gradient(&self, parameters: &[f64], record: &Self::Record, gradient: &mut [f64]);
}

/// A loss of one parameter that is convex and smooth in it, with constants that hold for all
/// parameters and records.
///
/// # Contract
/// For all records x, y and all parameters: ∂L(β, x) is nondecreasing in β and Lipschitz with
/// constant `smoothness`; |∂L(β, x) − ∂L(β, y)| is at most `sensitivity`; and for |β| ≤ `limit`,
/// `gradient` writes a number at most `rounding(limit)` away from ∂L(β, x).
pub trait SmoothLoss: Loss {
    /// The largest second derivative.
    fn smoothness(&self) -> f64;
    /// The largest difference of the derivatives of two records at the same parameter.
    fn sensitivity(&self) -> f64;
    /// The largest error of the computed derivative.
    fn rounding(&self, limit: f64) -> f64;
}

/// (x − β)² for records clamped to public bounds, minimised by their mean. `NaN` becomes the middle
/// of the bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SquaredDistance {
    bounds: Bounds,
}

impl SquaredDistance {
    /// The loss of records within declared bounds.
    #[must_use]
    pub const fn new(bounds: Bounds) -> Self {
        Self { bounds }
    }
}

impl Loss for SquaredDistance {
    type Record = f64;

    fn dimension(&self) -> usize {
        1
    }

    fn gradient(&self, parameters: &[f64], record: &f64, gradient: &mut [f64]) {
        gradient[0] = 2.0 * (parameters[0] - self.bounds.clamp(*record));
    }
}

impl SmoothLoss for SquaredDistance {
    fn smoothness(&self) -> f64 {
        2.0
    }

    fn sensitivity(&self) -> f64 {
        2.0 * self.bounds.width()
    }

    /// β − x rounds by 2⁻⁵³ of itself, and doubling is exact.
    fn rounding(&self, limit: f64) -> f64 {
        f64::EPSILON * (limit + self.bounds.magnitude()) * (1.0 + f64::EPSILON)
    }
}

/// Least squares: ½(y − ⟨β, v⟩)² for records that list the features v and then the target y. For an
/// intercept add a feature of 1.
///
/// ```
/// use dp_ml::scheduled::{LeastSquares, Loss};
/// let loss = LeastSquares::<[f64; 3]>::new(2)?;
/// let mut gradient = [0.0; 2];
/// loss.gradient(&[1.0, 1.0], &[1.0, 2.0, 5.0], &mut gradient); // predicts 3, and 5 is true
/// assert_eq!(gradient, [-2.0, -4.0]);
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeastSquares<R> {
    features: usize,
    record: PhantomData<fn(&R)>,
}

impl<R: AsRef<[f64]>> LeastSquares<R> {
    /// The loss of records with this number of features, then a target. A record of another length
    /// has gradient zero.
    ///
    /// # Errors
    /// [`Error::Empty`] without features.
    pub fn new(features: usize) -> Result<Self, Error> {
        if features == 0 {
            return Err(Error::Empty { argument: "the list of features" });
        }
        Ok(Self { features, record: PhantomData })
    }
}

impl<R: AsRef<[f64]>> Loss for LeastSquares<R> {
    type Record = R;

    fn dimension(&self) -> usize {
        self.features
    }

    fn gradient(&self, parameters: &[f64], record: &R, gradient: &mut [f64]) {
        let record = record.as_ref();
        if record.len() != self.features + 1 {
            return gradient.fill(0.0);
        }
        let (target, features) = record.split_last().expect("at least one feature and a target");
        // Four parallel sums: a single one would wait for each addition.
        let mut sums = [0.0; 4];
        let (blocks, rest) = features.as_chunks::<4>();
        let (weights, rest_weights) = parameters.as_chunks::<4>();
        for (v, w) in blocks.iter().zip(weights) {
            for ((sum, v), w) in sums.iter_mut().zip(v).zip(w) {
                *sum += v * w;
            }
        }
        let rest: f64 = rest.iter().zip(rest_weights).map(|(v, w)| v * w).sum();
        let residual = sums.iter().sum::<f64>() + rest - target;
        for (slope, v) in gradient.iter_mut().zip(features) {
            *slope = residual * v;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradients_are_those_of_finite_differences() {
        let loss = LeastSquares::<Vec<f64>>::new(6).unwrap();
        let record = vec![0.5, -1.0, 2.0, 0.25, -0.75, 1.5, 3.0];
        let at = [0.1, 0.2, -0.3, 0.4, 0.5, -0.6];
        let value = |beta: &[f64]| {
            let prediction: f64 = beta.iter().zip(&record).map(|(b, v)| b * v).sum();
            0.5 * (record[6] - prediction).powi(2)
        };
        let mut gradient = [0.0; 6];
        loss.gradient(&at, &record, &mut gradient);
        for i in 0..6 {
            let (mut up, mut down) = (at, at);
            up[i] += 1e-5;
            down[i] -= 1e-5;
            let slope = (value(&up) - value(&down)) / 2e-5;
            assert!((slope - gradient[i]).abs() < 1e-8, "{i}: {slope} and {}", gradient[i]);
        }
        loss.gradient(&at, &vec![1.0; 3], &mut gradient);
        assert_eq!(gradient, [0.0; 6]);
    }

    #[test]
    fn records_out_of_bounds_are_clamped() {
        let loss = SquaredDistance::new(Bounds::new(0.0, 4.0).unwrap());
        let slope = |beta: f64, x: f64| {
            let mut gradient = [0.0];
            loss.gradient(&[beta], &x, &mut gradient);
            gradient[0]
        };
        assert_eq!((slope(1.0, 9.0), slope(1.0, -9.0), slope(1.0, f64::NAN)), (-6.0, 2.0, -2.0));
        assert_eq!((loss.sensitivity(), loss.smoothness()), (8.0, 2.0));
        assert!(loss.rounding(100.0) >= 2.0f64.powi(-52) * 104.0);
    }
}
