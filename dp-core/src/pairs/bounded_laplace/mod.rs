//! Laplace noise confined to an interval, for the worst pair of answers in it.

mod worst_place;

use super::{DominatingPair, within_profile_limits, within_pure_limits};
use crate::arguments::within;
use crate::rounding::Enclosure;
use crate::search::smallest_with_value_at_most;
use crate::{Alpha, Bounds, Delta, Epsilon, Error, Scale};

/// The bounded Laplace mechanism on [l, u] (Holohan, Antonatos, Braghin and Mac Aonghusa 2020): the
/// density at v is e^(−|v−a|/b) / 2b·C_a inside and zero outside, for the answer a and
/// C_a = 1 − ½(e^(−(a−l)/b) + e^(−(u−a)/b)).
///
/// Measured in scales, let w = (u−l)/b, s = Δ/b (at most w, for answers lie within the bounds),
/// a ∈ [0, w]. The noise is not the same everywhere, and there is not one worst pair of neighbours
/// for all ε; the profile of this pair is the largest of all:
///
/// > δ(ε) = sup { δ(P_a ‖ P_a') : |a − a'| ≤ s }.
///
/// As a function of e^ε it is convex, being a supremum of convex functions, and as each of them it
/// falls from 1 − e^ε to 0. Hence it is the profile of a pair of distributions (Zhu, Dong and Wang
/// 2022), and that pair dominates the mechanism for all ε at once. Which a are the worst:
///
/// - By mirroring the interval a < a'. The family P_a has a monotone likelihood ratio, so the best
///   tests are {v ≤ t}, and P_a(v ≤ t) falls in a: moving a' away from a, or a away from a', never
///   helps to hide. So a' = a + s and 0 ≤ a ≤ w − s.
/// - The loss is largest left of a: s + c(a) with c(a) = ln C_{a+s} − ln C_a. C is concave, so c
///   falls in a, and the largest loss of all is that at a = 0: ε₀ = s + ln(C_s/C_0).
/// - With y = (s + c(a) − ε)/2, the loss passes ε at v = a + y, and integrating up to there gives
///   δ = (1 − e^(−y))·(1 − ½e^(−a)(1 + e^(−y)))/C_a for y > 0, and 0 otherwise.
///
/// The supremum over a is enclosed by bisection with certified bounds of each piece: mostly to a
/// part in 10⁷, to a part in 10³ where shift or width are extreme. The tail and the divergences are
/// bounded by the profile: the tail to a part in 10³ or so, the divergences to a few percent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundedLaplacePair {
    /// Encloses s = min(Δ, u−l)/b.
    shift: Enclosure,
    /// Encloses w = (u−l)/b.
    width: Enclosure,
}

impl BoundedLaplacePair {
    /// The pair for noise of scale b on the bounds, and answers within them that are at most
    /// `sensitivity` apart.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when the sensitivity is negative, infinite or `NaN`.
    pub fn new(scale: Scale, bounds: Bounds, sensitivity: f64) -> Result<Self, Error> {
        within("sensitivity", "[0, ∞)", sensitivity, (0.0..f64::INFINITY).contains(&sensitivity))?;
        let scale = Enclosure::point(scale.get());
        let width = Enclosure::point(bounds.upper()) - Enclosure::point(bounds.lower());
        Ok(Self { shift: Enclosure::point(sensitivity).min(width) / scale, width: width / scale })
    }

    /// The least scale at which δ(ε) is at most `delta`, rounded up; infinite when there is none.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn least_scale(
        bounds: Bounds,
        sensitivity: f64,
        epsilon: Epsilon,
        delta: Delta,
    ) -> Result<f64, Error> {
        Self::search(bounds, sensitivity, delta.get(), |pair| pair.delta(epsilon.get()).hi())
    }

    /// The least scale at which the largest loss is at most `epsilon`, rounded up; infinite when
    /// there is none.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn least_pure_scale(bounds: Bounds, sensitivity: f64, epsilon: Epsilon) -> Result<f64, Error> {
        Self::search(bounds, sensitivity, epsilon.get(), |pair| pair.max_loss())
    }

    /// The smallest scale at which a cost is at most `target`.
    fn search(
        bounds: Bounds,
        sensitivity: f64,
        target: f64,
        cost: impl Fn(Self) -> f64,
    ) -> Result<f64, Error> {
        Self::new(Scale::saturating(1.0), bounds, sensitivity)?;
        let at = |scale: f64| match Scale::new(scale).and_then(|b| Self::new(b, bounds, sensitivity)) {
            Ok(pair) => cost(pair),
            Err(_) => f64::INFINITY, // a scale of 0 hides nothing
        };
        Ok(if target == 0.0 { f64::INFINITY } else { smallest_with_value_at_most(at, target, sensitivity) })
    }

    /// Encloses w − s, the last a.
    fn room(self) -> Enclosure {
        (self.width - self.shift).max(Enclosure::ZERO)
    }

    /// Encloses ε₀ = s + ln(C_s/C_0), where
    /// C_s/C_0 = 1 + (1 − e^(−s))(1 − e^(−(w−s)))/(1 − e^(−w)).
    fn limit(self) -> Enclosure {
        if self.shift == Enclosure::ZERO {
            return Enclosure::ZERO;
        }
        let [shift, room, width] = [self.shift, self.room(), self.width].map(mass);
        self.shift + (shift * room / width).ln_1p()
    }
}

/// Encloses 1 − e^(−t) for t ≥ 0.
fn mass(t: Enclosure) -> Enclosure {
    -(-t).exp_m1()
}

impl DominatingPair for BoundedLaplacePair {
    fn delta(&self, epsilon: f64) -> Enclosure {
        let limit = self.limit();
        if epsilon >= limit.hi() {
            return within_profile_limits(Enclosure::ZERO, epsilon);
        }
        if !self.room().hi().is_finite() || !limit.hi().is_finite() {
            return within_profile_limits(Enclosure::new(0.0, 1.0), epsilon);
        }
        // With (P_a, P_a') the family has (P_a', P_a), so δ(−ε) = 1 − e^(−ε) + e^(−ε)·δ(ε).
        let computed = if epsilon >= 0.0 {
            self.worst_place(epsilon)
        } else if -epsilon >= limit.hi() {
            Enclosure::ZERO
        } else {
            let factor = Enclosure::point(epsilon).exp();
            factor * self.worst_place(-epsilon) - Enclosure::point(epsilon).exp_m1()
        };
        within_profile_limits(computed, epsilon)
    }

    /// Pr(L > t) = δ(t) − k·h'(k) at k = eᵗ, where h(k) = δ(ln k) is convex: its slope lies between
    /// those of chords to the right and to the left.
    fn tail(&self, loss: f64) -> Enclosure {
        const STEP: f64 = 1.0 / 8192.0;
        let limit = self.limit().hi();
        if loss >= limit {
            return Enclosure::ZERO;
        }
        if loss < -limit {
            return Enclosure::ONE;
        }
        let here = self.delta(loss);
        let fall = |from: f64, to: f64| {
            let run = (Enclosure::point(to) - Enclosure::point(loss)).exp_m1()
                - (Enclosure::point(from) - Enclosure::point(loss)).exp_m1();
            let drop = self.delta(from) - self.delta(to);
            drop.max(Enclosure::ZERO) / run
        };
        let (right, left) = (fall(loss, loss + STEP), fall(loss - STEP, loss));
        (here + Enclosure::new(right.lo(), left.hi())).probability()
    }

    /// e^((α−1)D_α) = 1 + α(α−1)·∫₀^{ε₀} (e^((α−1)ε) + e^(−αε))·δ(ε) dε (Sason and Verdú 2016). The
    /// profile falls, so on each piece of a partition it lies between its ends.
    fn renyi(&self, order: Alpha) -> Enclosure {
        const PIECES: u8 = 64;
        let limit = self.limit();
        if !limit.hi().is_finite() {
            return Enclosure::new(0.0, f64::INFINITY);
        }
        let alpha = Enclosure::point(order.get());
        let below = alpha - Enclosure::ONE;
        let at = |k: u8| limit.hi() * (f64::from(k) / f64::from(PIECES));
        // α(α−1)·∫_p^q (e^((α−1)ε) + e^(−αε)) dε
        let weight = |p: f64, q: f64| {
            let [p, q] = [p, q].map(Enclosure::point);
            let rising = (below * p).exp() * (below * (q - p)).exp_m1();
            alpha * rising - below * (-(alpha * p)).exp() * (-(alpha * (q - p))).exp_m1()
        };
        let (mut sum, mut left) = (Enclosure::ZERO, self.delta(0.0));
        for k in 0..PIECES {
            let right = self.delta(at(k + 1));
            let piece = weight(at(k), at(k + 1)).max(Enclosure::ZERO);
            sum = sum + piece * Enclosure::new(right.lo(), left.hi());
            left = right;
        }
        within_pure_limits(sum.ln_1p() / below, order, Enclosure::point(limit.hi()))
    }

    fn max_loss(&self) -> f64 {
        self.limit().hi()
    }
}

#[cfg(test)]
mod tests;
