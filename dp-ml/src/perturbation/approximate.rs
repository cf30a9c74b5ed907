//! How close to a minimiser floats certainly come, and what the rest costs.

use dp_core::Error;
use dp_core::rounding::Enclosure;

use super::ConvexProblem;
use super::problem::{BLOCK, TOO_ROUGH, length};
use crate::arguments::count;
use crate::loss::ConvexLoss;

/// How small a gradient must be: `gradient` up to a distance of `within` from the origin, and
/// farther out as many times as much as it is farther.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Accuracy {
    pub(super) gradient: f64,
    pub(super) within: f64,
}

impl Accuracy {
    /// The bound at a point, rounded down: its length is off by fewer than 2¹³ ulps.
    pub(super) fn at(self, point: &[f64]) -> f64 {
        self.gradient * (length(point) / self.within * (1.0 - 2f64.powi(-39))).max(1.0)
    }
}

impl<L: ConvexLoss> ConvexProblem<L> {
    /// A gradient that certainly can be certified, whatever the linear term, relative to a distance
    /// W that no minimiser without a linear term passes.
    ///
    /// *What floats lose* at a point w with R = ‖w‖, in `is_certified`, in units of 2⁻⁵⁰: p·BR in a
    /// prediction, that times the curvature and 4 steepest slopes in a slope, (m + n/m)/2 of the
    /// sum of all slopes in adding blocks of m, and nλR and ‖b‖ ≤ nL + nλR + ‖∇‖ in what is added
    /// at the end. The gradient below is sixteen times that for R = W, also apart for the terms
    /// with R and those without. So beyond W it is enough that it grows in proportion to R.
    ///
    /// *On the way there*, an iterate is at most ‖∇‖/nλ from the minimiser, so R is larger by that
    /// at most, and what floats lose by a share of the gradient that is checked to be small.
    ///
    /// # Errors
    /// [`Error::Unreachable`] when that share is not small.
    pub(super) fn reachable(&self) -> Result<Accuracy, Error> {
        let (n, p) = (count(self.records()), count(self.columns()));
        let (steepest, curved) = (self.steepest().hi(), self.most_curved().hi());
        let lambda = self.ridge() / n;
        let within = (steepest / lambda).min((2.0 * self.loss().most_to_gain() / lambda).sqrt());
        let (block, unit) = (count(BLOCK), 2f64.powi(-46));
        if (p + 2.0) * curved / lambda * unit > 2f64.powi(-10) {
            return Err(TOO_ROUGH);
        }
        let still = steepest * (32.0 + block + n / block);
        let growing = within * ((p + 2.0) * curved + 4.0 * lambda);
        Ok(Accuracy { gradient: unit * n * (still + growing), within })
    }

    /// How far apart the points of two data sets can be that have the same exact minimiser of J +
    /// ⟨b, w⟩, rounded up, where the coordinates of b were moved by `half_step` at most and points
    /// are shortened to W.
    ///
    /// **Theorem.** Let the gradient at w̃ be at most τ·max(1, ‖w̃‖/W), so that w̃ is at most
    /// r·max(1, ‖w̃‖/W) from the minimiser w, for r = (τ + √p·half_step)/nλ. Shortened to W, they
    /// are at most 2r apart, and so points of two data sets 4r.
    ///
    /// **Proof.** It is clear if ‖w̃‖ ≤ W, for shortening brings points no farther apart. Otherwise
    /// scale both by W/‖w̃‖, to u and v. They are at most r apart, so ‖v‖ lies within r of W; and
    /// the shortened w has the direction of v and a length between ‖v‖ and W, or W, so it is within
    /// r of v. ∎
    ///
    /// So there is no exception for a large b, however unlikely it is: what floats lose grows in
    /// proportion to ‖w‖, and so does what is asked of them.
    pub(super) fn apart(&self, accuracy: Accuracy, half_step: Enclosure) -> f64 {
        let columns = Enclosure::integer(self.columns());
        let off = Enclosure::point(accuracy.gradient) + half_step * columns.sqrt();
        // Lengths are off by p + 2 ulps at most, and coordinates by two more.
        let ulps = (columns + Enclosure::point(8.0)) * Enclosure::point(f64::EPSILON);
        let two = Enclosure::point(2.0);
        (two * (two * off / Enclosure::point(self.ridge()) + Enclosure::point(accuracy.within) * ulps)).hi()
    }
}

/// Scales a point down to a length, if it is longer.
pub(super) fn shorten(point: &mut [f64], most: f64) {
    let factor = most / length(point);
    if factor < 1.0 {
        point.iter_mut().for_each(|x| *x *= factor);
    }
}
