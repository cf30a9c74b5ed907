//! Two discrete Laplace (two-sided geometric) distributions, an integer shift apart.

use super::{DominatingPair, within_profile_limits, within_pure_limits};
use crate::arguments::integer;
use crate::rounding::Enclosure;
use crate::{Alpha, Error, Scale};

/// P(x) ∝ e^(−|x|/b) on the integers, Q the same shifted by Δ: the discrete Laplace mechanism on
/// integer answers.
///
/// With r = e^(−1/b) the losses are (Δ − 2j)/b for j = 0…Δ, with the masses 1/(1+r) at j = 0,
/// r^Δ/(1+r) at j = Δ and r^j(1−r)/(1+r) between. Tests are of the form S = {x ≤ m}, so
///
/// > δ(ε) = max_{0≤m<Δ} 1 − (r^(m+1) + e^ε r^(Δ−m))/(1+r),
///
/// and the maximum is at the last m whose loss (Δ−2m)/b exceeds ε. Several coordinates are
/// dominated by one, as for [`LaplacePair`](super::LaplacePair).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiscreteLaplacePair {
    scale: Scale,
    shift: u32,
}

impl DiscreteLaplacePair {
    /// The pair with scale b and integer shift Δ.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when the shift is zero: nothing needs to be hidden then.
    pub fn new(scale: Scale, shift: u32) -> Result<Self, Error> {
        integer("shift", "[1, ∞)", shift, 1..)?;
        Ok(Self { scale, shift })
    }

    /// The scale b.
    #[must_use]
    pub const fn scale(self) -> Scale {
        self.scale
    }

    /// The shift Δ.
    #[must_use]
    pub const fn shift(self) -> u32 {
        self.shift
    }

    /// The law of the loss, Δ + 1 values: encloses each one and its probability under P.
    pub fn losses(self) -> impl Iterator<Item = (Enclosure, Enclosure)> {
        let (scale, last) = (Enclosure::point(self.scale.get()), self.shift);
        let ratio = self.decay(1.0);
        let whole = Enclosure::ONE / (Enclosure::ONE + ratio);
        // 1 − r, without loss when the scale is large.
        let between = -(-(Enclosure::ONE / scale)).exp_m1() * whole;
        (0..=last).map(move |j| {
            let (j, end) = (f64::from(j), j == 0 || j == last);
            let loss = (Enclosure::point(f64::from(last) - 2.0 * j)) / scale;
            (loss, self.decay(j) * if end { whole } else { between })
        })
    }

    /// Encloses Δ/b, the largest loss.
    fn limit(self) -> Enclosure {
        Enclosure::point(f64::from(self.shift)) / Enclosure::point(self.scale.get())
    }

    /// Encloses e^(−k/b).
    fn decay(self, k: f64) -> Enclosure {
        (Enclosure::point(-k) / Enclosure::point(self.scale.get())).exp()
    }

    /// The last m in 0…Δ−1 whose loss (Δ − 2m)/b exceeds t, up to rounding: the callers look at its
    /// neighbours too.
    fn last_above(self, t: f64) -> f64 {
        let shift = f64::from(self.shift);
        let position = libm::ceil((shift - t * self.scale.get()) / 2.0) - 1.0;
        if position.is_nan() { 0.0 } else { position.clamp(0.0, shift - 1.0) }
    }
}

impl DominatingPair for DiscreteLaplacePair {
    fn delta(&self, epsilon: f64) -> Enclosure {
        let limit = self.limit();
        if limit.hi().is_infinite() {
            return within_profile_limits(Enclosure::new(0.0, 1.0), epsilon);
        }
        if epsilon >= limit.hi() {
            return Enclosure::ZERO;
        }
        let shift = f64::from(self.shift);
        let total = Enclosure::ONE + self.decay(1.0);
        let centre = self.last_above(epsilon);
        let mut best = Enclosure::ZERO;
        for m in [centre - 1.0, centre, centre + 1.0] {
            if (0.0..shift).contains(&m) {
                // e^ε r^(Δ−m) as one exponential, so that it neither over- nor underflows early.
                let exponent = Enclosure::point(epsilon)
                    - Enclosure::point(shift - m) / Enclosure::point(self.scale.get());
                let computed = Enclosure::ONE - (self.decay(m + 1.0) + exponent.exp()) / total;
                best = best.max(computed);
            }
        }
        within_profile_limits(best, epsilon)
    }

    fn tail(&self, loss: f64) -> Enclosure {
        let limit = self.limit();
        if limit.hi().is_infinite() {
            return Enclosure::new(0.0, 1.0);
        }
        if loss >= limit.hi() {
            return Enclosure::ZERO;
        }
        if loss < -limit.hi() {
            return Enclosure::ONE;
        }
        // Pr[x ≤ m] = 1 − r^(m+1)/(1+r) where m is the last position with a loss above t. Where
        // rounding leaves open which one it is, both are enclosed.
        let at = |m: f64| Enclosure::ONE - self.decay(m + 1.0) / (Enclosure::ONE + self.decay(1.0));
        let loss_at =
            |m: f64| Enclosure::point(f64::from(self.shift) - 2.0 * m) / Enclosure::point(self.scale.get());
        let shift = f64::from(self.shift);
        let (mut lo, mut hi) = (0.0f64, 0.0f64);
        let centre = self.last_above(loss);
        for m in [centre - 1.0, centre, centre + 1.0] {
            if (0.0..shift).contains(&m) {
                if loss_at(m).lo() > loss {
                    lo = lo.max(at(m).lo());
                }
                if loss_at(m).hi() > loss {
                    hi = hi.max(at(m).hi());
                }
            }
        }
        if loss < -limit.lo() {
            hi = 1.0; // every outcome may count
        }
        Enclosure::new(lo, hi).probability()
    }

    /// E e^((α−1)L) = e^((α−1)Δ/b)·(1 + w^Δ + (1−r)(w−w^Δ)/(1−w))/(1+r) with w = e^(−(2α−1)/b): a
    /// geometric sum.
    fn renyi(&self, order: Alpha) -> Enclosure {
        let (alpha, limit) = (Enclosure::point(order.get()), self.limit());
        if limit.hi().is_infinite() {
            return Enclosure::new(0.0, f64::INFINITY);
        }
        let below = alpha - Enclosure::ONE;
        let rate = -((alpha + below) / Enclosure::point(self.scale.get())); // ln w
        let (w, w_shift) = (rate.exp(), (rate * Enclosure::point(f64::from(self.shift))).exp());
        // 1 − r and 1 − w as −expm1, and w − w^Δ = w·(1 − w^(Δ−1)), so that large scales lose
        // nothing.
        let one_minus_r = -(Enclosure::point(-1.0) / Enclosure::point(self.scale.get())).exp_m1();
        let inner = -(rate * Enclosure::point(f64::from(self.shift) - 1.0)).exp_m1();
        let between =
            if self.shift == 1 { Enclosure::ZERO } else { one_minus_r * w * inner / -rate.exp_m1() };
        let mean = (Enclosure::ONE + w_shift + between) / (Enclosure::ONE + self.decay(1.0));
        within_pure_limits(limit + mean.ln() / below, order, limit)
    }

    fn max_loss(&self) -> f64 {
        self.limit().hi()
    }
}

#[cfg(test)]
mod tests {
    use super::super::laws::assert_laws;
    use super::*;
    use crate::pairs::FinitePair;

    fn pair(scale: f64, shift: u32) -> DiscreteLaplacePair {
        DiscreteLaplacePair::new(Scale::new(scale).unwrap(), shift).unwrap()
    }

    #[test]
    fn laws() {
        for (scale, shift) in [(0.5, 1), (1.0, 3), (7.0, 2), (100.0, 1000)] {
            assert_laws(&pair(scale, shift), f64::from(shift) / scale);
        }
    }

    /// The pair as explicit probabilities, the outer ones lumped together exactly.
    fn explicit(scale: f64, shift: u32) -> FinitePair {
        let shift = shift.cast_signed();
        let (r, n) = ((-1.0 / scale).exp(), shift + 200);
        let weight = |x: i32| {
            let inside = r.powi(x.abs());
            if x.abs() == n { inside / (1.0 - r) } else { inside }
        };
        let p: Vec<f64> = (-n..=n + shift).map(|x| if x > n { 0.0 } else { weight(x) }).collect();
        let q: Vec<f64> =
            (-n..=n + shift).map(|x| if x - shift < -n { 0.0 } else { weight(x - shift) }).collect();
        FinitePair::new(&p, &q).unwrap()
    }

    #[test]
    fn agrees_with_the_explicit_probabilities() {
        for (scale, shift) in [(0.5, 1), (1.0, 3), (3.0, 2), (2.5, 10)] {
            let (ours, theirs) = (pair(scale, shift), explicit(scale, shift));
            for k in -30..40 {
                let t = f64::from(k) * 0.1 + 0.013;
                assert!((ours.delta(t).hi() - theirs.delta(t).hi()).abs() < 1e-10, "{scale} {shift} δ({t})");
                assert!(ours.delta(t).relative_width() < 1e-9 || ours.delta(t).hi() < 1e-12);
                assert!((ours.tail(t).hi() - theirs.tail(t).hi()).abs() < 1e-10, "{scale} {shift} tail({t})");
            }
        }
    }

    #[test]
    fn divergences_agree_with_direct_sums() {
        for (scale, shift, order) in [(0.5, 1, 2.0), (1.0, 3, 1.3), (3.0, 2, 10.0), (2.5, 10, 3.5)] {
            let r = (-1.0f64 / scale).exp();
            let sum: f64 = (-400i32..400)
                .map(|x| {
                    let loss = (f64::from(x - shift).abs() - f64::from(x).abs()) / scale;
                    (1.0 - r) / (1.0 + r) * r.powi(x.abs()) * ((order - 1.0) * loss).exp()
                })
                .sum();
            let ours = pair(scale, shift.unsigned_abs()).renyi(Alpha::new(order).unwrap());
            let truth = sum.ln() / (order - 1.0);
            assert!(
                (ours.hi() - truth).abs() < 1e-11 && (ours.lo() - truth).abs() < 1e-11,
                "{ours:?} {truth}"
            );
        }
    }

    #[test]
    fn extreme_scales_are_sound() {
        assert!(pair(1e-5, 1).delta(10.0).hi() == 1.0);
        let wide = pair(1e12, 1);
        assert!(wide.delta(0.0).hi() < 1e-12 && wide.renyi(Alpha::new(2.0).unwrap()).hi() <= 1.01e-24);
        assert!(DiscreteLaplacePair::new(Scale::new(1.0).unwrap(), 0).is_err());
    }
}
