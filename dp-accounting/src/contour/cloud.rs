//! Weighted losses: a moment function M(c+iy) = Σ wᵢ·e^(iyLᵢ), up to a small known error.

use dp_core::rounding::Enclosure;

use super::{UNIT, float, fourier};

/// How many turns are made by multiplication before sines and cosines are computed anew.
const TURNS: usize = 16;
/// From so many points and nodes on, fast Fourier transforms are faster than turning each point.
const MANY: usize = 700;
/// Points are turned in bundles, so that the compiler can do several at once.
const LANES: usize = 4;

/// One loss of a cloud.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    /// The loss.
    pub(super) loss: f64,
    /// How far it may lie from the true one.
    pub(super) loss_error: f64,
    /// The logarithm of its tilted mass p·e^(c·loss).
    pub(super) log_mass: f64,
    /// A bound on the error of that logarithm.
    pub(super) log_mass_error: f64,
}

/// The tilted law of a loss, as weighted points.
///
/// What the points stand for is M(c+iy) for all |y| up to the reach that was asked for, with a relative error (in units of M(c)) of at
/// most `missing` beside the errors of the points: what was cut off, and the error of a quadrature.
#[derive(Clone, Debug)]
pub(super) struct Cloud {
    losses: Vec<f64>,
    /// Weights, the largest being near one.
    weights: Vec<f64>,
    total: f64,
    log_moment: Enclosure,
    mean: f64,
    variance: f64,
    /// Relative error of the weighted sum that does not depend on y, and that grows with |y|.
    fixed_error: f64,
    error_per_reach: f64,
}

impl Cloud {
    /// The cloud of some points, and the relative error of the sum over them.
    ///
    /// Points of less than 2⁻⁷⁰ of the largest mass are dropped and counted as missing.
    pub(super) fn new(points: &[Point], missing: f64) -> Self {
        let top = points.iter().map(|point| point.log_mass).fold(f64::NEG_INFINITY, f64::max);
        let (mut losses, mut weights) =
            (Vec::with_capacity(points.len() + LANES), Vec::with_capacity(points.len() + LANES));
        let (mut first, mut weight_error, mut loss_error, mut size, mut dropped) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for point in points {
            let height = point.log_mass - top;
            let weight = libm::exp(height);
            if height < -48.0 {
                dropped += weight * 1.01 * libm::exp(point.log_mass_error);
                continue;
            }
            losses.push(point.loss);
            weights.push(weight);
            first += weight * point.loss;
            // |top| and the height are rounded once each, the exponential is right to three ulps.
            let error = point.log_mass_error + (point.log_mass.abs() + top.abs() + 8.0) * UNIT;
            weight_error += weight * libm::expm1(error);
            loss_error += weight * (point.loss_error + point.loss.abs() * 4.0 * UNIT);
            size += weight * point.loss.abs();
        }
        while losses.len() % LANES != 0 {
            losses.push(0.0);
            weights.push(0.0);
        }
        let total = sum(&weights);
        let mean = first / total;
        let variance =
            losses.iter().zip(&weights).map(|(l, w)| w * (l - mean) * (l - mean)).sum::<f64>() / total;
        // Both sums of a quotient, each of which errs by a unit on every level of the tree.
        let summation = (f64::from(losses.len().max(1).ilog2()) + 24.0) * UNIT;
        let fixed_error = 1.01 * (weight_error / total + dropped / total) + missing + 2.0 * summation;
        let log_total = Enclosure::new(total.next_down(), total.next_up()).ln() + Enclosure::point(top);
        let log_moment = log_total + Enclosure::new(-1.01 * fixed_error, 1.01 * fixed_error);
        // The phase y·L is rounded, and so is y.
        let error_per_reach = 1.01 * (loss_error / total + 8.0 * UNIT * size / total);
        Self { losses, weights, total, log_moment, mean, variance, fixed_error, error_per_reach }
    }

    /// How much one value costs, in points: many values of many points are found together.
    pub(super) fn cost(&self) -> usize {
        self.losses.len().min(MANY)
    }

    /// Encloses ln M(c).
    pub(super) fn log_moment(&self) -> Enclosure {
        self.log_moment
    }

    /// About the mean of the tilted loss, which is the derivative of ln M.
    pub(super) fn mean(&self) -> f64 {
        self.mean
    }

    /// About its variance, the second derivative.
    pub(super) fn variance(&self) -> f64 {
        self.variance
    }

    /// Calls back with M(c+iy)/M(c) at y = step·j for j = 0…count−1, as real part, imaginary part, and a bound on the error.
    pub(super) fn along(&self, step: f64, count: usize, mut found: impl FnMut(usize, f64, f64, f64)) {
        if self.losses.len() > MANY && count > MANY {
            let (sums, error) = fourier::sums(&self.losses, &self.weights, step, count);
            for (j, (re, im)) in sums.into_iter().enumerate() {
                let y = step * float(j);
                let error = error + 2.0 * self.fixed_error + y * self.error_per_reach;
                found(j, re / self.total, im / self.total, error);
            }
            return;
        }
        let turns: Vec<(f64, f64)> = self.losses.iter().map(|loss| libm::sincos(step * loss)).collect();
        let (turn_im, turn_re): (Vec<f64>, Vec<f64>) = turns.into_iter().unzip();
        let (mut re, mut im) = (self.weights.clone(), vec![0.0; self.losses.len()]);
        // A product of two complex numbers is right to √5 units and the factor to 4, sixteen times over; sine and cosine once; the sum has 16 terms in a lane at its leaves.
        let rounding = (float(TURNS) * 8.0 + 24.0) * UNIT + 2.0 * self.fixed_error;
        for j in 0..count {
            let y = step * float(j);
            if j > 0 {
                if j % TURNS == 0 {
                    for (i, loss) in self.losses.iter().enumerate() {
                        let (sine, cosine) = libm::sincos(y * loss);
                        (re[i], im[i]) = (self.weights[i] * cosine, self.weights[i] * sine);
                    }
                } else {
                    turn(&mut re, &mut im, &turn_re, &turn_im);
                }
            }
            let (real, imaginary) = (sum(&re) / self.total, sum(&im) / self.total);
            found(j, real, imaginary, rounding + y * self.error_per_reach);
        }
    }
}

/// Multiplies complex numbers one by one.
fn turn(re: &mut [f64], im: &mut [f64], turn_re: &[f64], turn_im: &[f64]) {
    for (((re, im), turn_re), turn_im) in re.iter_mut().zip(im.iter_mut()).zip(turn_re).zip(turn_im) {
        (*re, *im) = (*re * turn_re - *im * turn_im, *re * turn_im + *im * turn_re);
    }
}

/// A sum as a tree, whose rounding grows with the logarithm of the number of terms.
fn sum(terms: &[f64]) -> f64 {
    if terms.len() > 64 {
        let (left, right) = terms.split_at(terms.len() / 2 / LANES * LANES);
        return sum(left) + sum(right);
    }
    let mut lanes = [0.0; LANES];
    for bundle in terms.chunks_exact(LANES) {
        for (lane, term) in lanes.iter_mut().zip(bundle) {
            *lane += term;
        }
    }
    lanes.iter().sum()
}
