//! Weighted losses: a moment function M(c+iy) = Σ wᵢ·e^(iyLᵢ), up to a small known error.

use dp_core::rounding::Enclosure;

use super::measure::Moments;
use super::{UNIT, float, fourier};

/// How many turns are made by multiplication before sines and cosines are computed anew.
const TURNS: usize = 32;
/// From this many points and nodes on, fast Fourier transforms are faster than turning each point.
const MANY: usize = 700;
/// Points are turned in bundles, so that the compiler can do several at once.
const LANES: usize = 4;

/// One loss of a cloud.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    /// The loss.
    pub(crate) loss: f64,
    /// How far it may lie from the true one.
    pub(crate) loss_error: f64,
    /// The logarithm of its tilted mass p·e^(c·loss).
    pub(crate) log_mass: f64,
    /// A bound on the error of that logarithm.
    pub(crate) log_mass_error: f64,
}

/// The tilted law of a loss, as weighted points.
///
/// What the points stand for is M(c+iy) for all |y| up to the reach that was asked for, with a
/// relative error (in units of M(c)) of at most `missing` beside the errors of the points: what was
/// cut off, and the error of a quadrature.
#[derive(Clone, Debug)]
pub(crate) struct Cloud {
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
    /// Points of less than e^−38 of the largest mass are dropped and counted as missing.
    pub(crate) fn new(points: &[Point], missing: f64) -> Self {
        let top = points.iter().map(|point| point.log_mass).fold(f64::NEG_INFINITY, f64::max);
        let (mut losses, mut weights) =
            (Vec::with_capacity(points.len() + LANES), Vec::with_capacity(points.len() + LANES));
        let (mut first, mut weight_error, mut loss_error, mut size, mut dropped) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for point in points {
            let height = point.log_mass - top;
            let weight = libm::exp(height);
            if height < -38.0 {
                dropped += weight * 1.01 * libm::exp(point.log_mass_error);
                continue;
            }
            losses.push(point.loss);
            weights.push(weight);
            first += weight * point.loss;
            // |top| and the height are rounded once each, the exponential is right to three ulps.
            let error = point.log_mass_error + (point.log_mass.abs() + top.abs() + 8.0) * UNIT;
            weight_error += weight * relative(error);
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

    /// The same cloud where so much more, relative to all of it, was left out.
    pub(super) fn missing(mut self, relative: f64) -> Self {
        self.fixed_error += relative;
        self.log_moment = self.log_moment + Enclosure::new(-1.01 * relative, 1.01 * relative);
        self
    }

    /// How much one value costs, in points: many values of many points are found together.
    pub(super) fn cost(&self) -> usize {
        self.losses.len().min(MANY)
    }

    /// The moments of the law that was tilted at c.
    pub(crate) fn moments(&self, c: f64) -> Moments {
        Moments { c, log_moment: self.log_moment, mean: self.mean, variance: self.variance }
    }

    /// Calls back with M(c+iy)/M(c) at y = step·j for j = 0…count−1, as real part, imaginary part,
    /// and a bound on the error.
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
        // A product of two complex numbers is right to √5 units and the factor to 4, thirty-two
        // times over; sine and cosine once; each lane sums its share one by one.
        let summed = float(self.losses.len() / LANES + LANES);
        let rounding = (float(TURNS) * 8.0 + 24.0 + summed) * UNIT + 2.0 * self.fixed_error;
        found(0, 1.0, 0.0, rounding);
        for j in 1..count {
            let y = step * float(j);
            let (real, imaginary) = if j % TURNS == 0 {
                for (i, loss) in self.losses.iter().enumerate() {
                    let (sine, cosine) = libm::sincos(y * loss);
                    (re[i], im[i]) = (self.weights[i] * cosine, self.weights[i] * sine);
                }
                (sum(&re), sum(&im))
            } else {
                turn(&mut re, &mut im, &turn_re, &turn_im)
            };
            found(j, real / self.total, imaginary / self.total, rounding + y * self.error_per_reach);
        }
    }
}

/// e^error − 1, rounded up.
pub(super) fn relative(error: f64) -> f64 {
    if error < 0.01 { 1.01 * error } else { 1.01 * libm::expm1(error) }
}

/// Multiplies complex numbers one by one, and sums the products. There is a multiple of `LANES` of
/// them.
fn turn(re: &mut [f64], im: &mut [f64], turn_re: &[f64], turn_im: &[f64]) -> (f64, f64) {
    let (mut real, mut imaginary) = ([0.0; LANES], [0.0; LANES]);
    let bundles = re.as_chunks_mut::<LANES>().0.iter_mut().zip(im.as_chunks_mut::<LANES>().0);
    let turns = turn_re.as_chunks::<LANES>().0.iter().zip(turn_im.as_chunks::<LANES>().0);
    for ((re, im), (turn_re, turn_im)) in bundles.zip(turns) {
        // Whole bundles at once, or the compiler would take them apart.
        let turned_re: [f64; LANES] = core::array::from_fn(|i| re[i] * turn_re[i] - im[i] * turn_im[i]);
        let turned_im: [f64; LANES] = core::array::from_fn(|i| re[i] * turn_im[i] + im[i] * turn_re[i]);
        (*re, *im) = (turned_re, turned_im);
        real = core::array::from_fn(|i| real[i] + turned_re[i]);
        imaginary = core::array::from_fn(|i| imaginary[i] + turned_im[i]);
    }
    (real.iter().sum(), imaginary.iter().sum())
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
