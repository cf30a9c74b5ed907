//! How close to a minimiser floats certainly come, and what the rest costs.

use dp_core::Error;
use dp_core::rounding::Enclosure;

use super::ConvexProblem;
use super::problem::{BLOCK, TOO_ROUGH, length};
use crate::arguments::count;
use crate::loss::ConvexLoss;

/// What floats of the linear term that are coarser than its grid may add to a certified gradient,
/// relative to its bound.
const COARSE_FLOATS: f64 = 1.0 / 256.0;

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
    ///
    /// *Nor for one whose floats are coarser than the grid*, and are off by 2⁻⁵³·‖b‖ more. With m =
    /// max(1, ‖w̃‖/W) the certified gradient says ‖b‖ ≤ (nL + nλW + τ)·m, and nL + nλW ≤ 2⁴⁴·τ by
    /// the choice of τ, so that is at most 2⁻⁸·τ·m, by which τ is larger here.
    pub(super) fn apart(&self, accuracy: Accuracy, half_step: Enclosure) -> f64 {
        let columns = Enclosure::integer(self.columns());
        let gradient = Enclosure::point(accuracy.gradient) * Enclosure::point(1.0 + COARSE_FLOATS);
        let off = gradient + half_step * columns.sqrt();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HuberLoss, LogisticLoss};

    /// 2⁻⁵³·(nL + nλW + τ) is within the share, which `apart` counts, for problems of all sizes.
    fn coarse_floats_are_counted<L: ConvexLoss + Copy>(loss: L) {
        for (records, columns, row_bound, lambda) in [
            (1, 1, 1.0, 1e-6),
            (1, 4096, 1e-3, 1e30),
            (1_000_000_000, 3, 2.0, 1e-3),
            (30, 7, 1e-30, 1e-30),
            (30, 7, 1e30, 1e30),
        ] {
            let Ok(problem) = ConvexProblem::declared(loss, records, columns, row_bound, lambda) else {
                panic!("{records} {columns} {row_bound} {lambda}")
            };
            let Ok(accuracy) = problem.reachable() else { continue };
            let Accuracy { gradient, within } = accuracy;
            let most = count(records) * problem.steepest().hi() + problem.ridge() * within + gradient;
            let more = 0.5 * f64::EPSILON * most;
            assert!(more > 0.0 && more <= COARSE_FLOATS * gradient, "{records} {columns}: {more} {gradient}");
            let apart = problem.apart(accuracy, Enclosure::ZERO);
            assert!(apart >= 4.0 * (gradient + more) / problem.ridge(), "{records} {columns}: {apart}");
        }
    }

    #[test]
    fn coarse_floats_are_counted_for_all_losses() {
        coarse_floats_are_counted(LogisticLoss);
        coarse_floats_are_counted(HuberLoss::new(1e-30).unwrap());
        coarse_floats_are_counted(HuberLoss::new(1e3).unwrap());
    }
}
