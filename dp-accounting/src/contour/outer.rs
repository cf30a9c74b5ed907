//! Bounds from a few moments on the real line, for compositions of which nothing else is known: of
//! any number of runs, and however large their losses.
//!
//! **Near one.** For 0 ≤ c ≤ 1 and a law of total mass T, T − δ(ε) = E min(1, e^(ε−L)) ≤ E
//! e^(c(ε−L)) = M(−c)·e^(cε), infinite losses counting nothing, and losses of which it is not known
//! whether they are infinite counting twice.
//!
//! **Cramér's bound.** Tilt the law by e^(cL)/M(c), c ≥ 0. By Markov's inequality the tilted loss
//! lies above u = (ln M(c+h) − ln M(c) + ln 4)/h with probability ¼ at most, and below l = (ln M(c)
//! − ln M(c−h) − ln 4)/h likewise. So it lies between with probability ½, and there e^(−cL) ≥
//! e^(−cu):
//!
//! > δ(ε) ≥ M(c)·E_c e^(−cL)·(1 − e^(ε−L))₊ ≥ m·(1 − e^(ε−l)),  m = ½·M(c)·e^(−cu).
//!
//! For Gaussian losses that is more than a third of ε at δ = 10⁻⁵: far from the truth, but far from
//! nothing.

use dp_core::rounding::Enclosure;

use super::measure::Measure;
use super::side::Side;

/// ln 4 and ln 2, rounded up.
const LN_4: f64 = 1.386_294_361_119_891;
const LN_2: f64 = 0.693_147_180_559_945_4;

/// Tilts for the first bound. At ½ the closed form of Laplace losses is 0/0, and what ¾ finds is
/// what ¼ finds where both directions are alike.
const BELOW: [f64; 14] = [1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.05, 0.1, 0.25, 0.4375, 0.75, 1.0];

/// Tilts for the second one, in halves of the inverse of the spread.
const ABOVE: [u8; 13] = [0, 1, 2, 3, 4, 5, 6, 8, 10, 14, 20, 30, 40];

impl Side {
    /// A lower bound on δ(ε).
    pub(crate) fn least_delta(&self, epsilon: f64) -> f64 {
        let point = Enclosure::point;
        let near_one = BELOW.iter().filter_map(|c| {
            let missed = (self.moments(-c, 0.0)?.log_moment + point(*c) * point(epsilon)).exp();
            Some((self.certain() - missed).lo())
        });
        let bands = self.bands().into_iter().map(|Band { log_mass, from }| {
            (point(log_mass).exp() * -(point(epsilon) - point(from)).exp_m1() + self.infinite()).lo()
        });
        near_one.chain(bands).fold(self.infinite().lo(), f64::max).min(1.0)
    }

    /// A lower bound on the smallest ε ≥ 0 with δ(ε) ≤ `delta`.
    pub(crate) fn least_epsilon(&self, delta: f64) -> f64 {
        let point = Enclosure::point;
        // Up to there T − M(−c)·e^(cε) is at least δ.
        let log_room = (self.certain() - point(delta)).max(Enclosure::ZERO).ln();
        let near_one = BELOW
            .iter()
            .filter_map(|c| Some(((log_room - self.moments(-c, 0.0)?.log_moment) / point(*c)).lo()));
        // m·(1 − e^(ε−l)) ≥ δ up to l + ln(1 − δ/m).
        let bands = self.bands().into_iter().map(|Band { log_mass, from }| {
            (point(from) + (-(point(delta) / point(log_mass).exp())).ln_1p()).lo()
        });
        near_one.chain(bands).fold(0.0, f64::max)
    }

    /// Encloses the total mass of losses that are known to be finite or known to be infinite.
    fn certain(&self) -> Enclosure {
        let infinite = self.infinite();
        self.log_total.exp() - Enclosure::point(infinite.hi()) + Enclosure::point(infinite.lo())
    }

    /// Cramér's bound at some tilts. All of them are dyadic numbers of few digits, so that sums and
    /// differences are exact.
    fn bands(&self) -> Vec<Band> {
        // Near 1.67 over the spread, which is the best for Gaussian losses.
        let width = |variance: f64| libm::exp2(libm::round(0.74 - 0.5 * libm::log2(variance)));
        let Some(plain) = self.moments(0.0, 0.0) else { return Vec::new() };
        let unit = 0.25 * width(plain.variance);
        let band = |c: f64| {
            let at = self.moments(c, 0.0)?;
            let h = width(at.variance);
            let (right, left) = (self.moments(c + h, 0.0)?, self.moments(c - h, 0.0)?);
            let (ln_4, ln_2) = (Enclosure::point(LN_4), Enclosure::point(LN_2));
            let [above, below] = [right.c, left.c].map(|end| Enclosure::point(end) - Enclosure::point(c));
            let to = (right.log_moment - at.log_moment + ln_4) / above;
            let from = (left.log_moment - at.log_moment + ln_4) / below;
            let log_mass = at.log_moment - Enclosure::point(c) * to - ln_2;
            let band = Band { log_mass: log_mass.lo(), from: from.lo() };
            (band.log_mass.is_finite() && band.from.is_finite()).then_some(band)
        };
        ABOVE.iter().filter_map(|steps| band(f64::from(*steps) * unit)).collect()
    }
}

/// δ(ε) ≥ m·(1 − e^(ε−l)).
#[derive(Clone, Copy, Debug)]
struct Band {
    /// ln m.
    log_mass: f64,
    /// l.
    from: f64,
}
