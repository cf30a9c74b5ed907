//! The composition in one direction, and where to integrate.

use dp_core::rounding::Enclosure;

use super::UNIT;
use super::loss::{Loss, Tilted};

/// All losses of a composition in one direction.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    /// Σ μ² over the Gaussian parts.
    pub(super) gaussian: Enclosure,
    /// The other parts, and how often each occurs.
    pub(super) parts: Vec<(Loss, u64)>,
    /// Encloses the logarithm of the probability that no loss is infinite, as if all laws were of mass one.
    pub(super) log_finite: Enclosure,
    /// Encloses the logarithm of the total mass.
    pub(super) log_total: Enclosure,
    /// An upper bound on the sum of all losses that are finite.
    pub(super) max_loss: f64,
}

/// The composition tilted at c.
pub(super) struct Tilt {
    pub(super) c: f64,
    /// Encloses ln M(c).
    pub(super) log_moment: Enclosure,
    /// About its derivatives.
    pub(super) mean: f64,
    pub(super) variance: f64,
    /// Σ μ², the dither included.
    pub(super) gaussian: Enclosure,
    pub(super) parts: Vec<(Tilted, u64)>,
}

impl Side {
    /// Encloses the mass of infinite losses.
    ///
    /// Laws of mass Tᵢ, of which δᵢ is infinite, have ΠTᵢ − Π(Tᵢ−δᵢ) = ΠTᵢ·(1 − Π(1−δᵢ/Tᵢ)) together, which lies between 1 − Π(1−δᵢ) and ΠTᵢ times that, since
    /// the Tᵢ are all at least one (bounds from above) or all at most one (from below).
    pub(super) fn infinite(&self) -> Enclosure {
        let of_mass_one = -self.log_finite.exp_m1();
        let factor = self.log_total.exp();
        (of_mass_one * Enclosure::new(factor.lo().min(1.0), factor.hi().max(1.0))).probability()
    }

    /// Tilts all parts and a Gaussian of variance `dither` at c, good for |y| ≤ reach. Nothing when that takes too much.
    pub(super) fn tilt(&self, c: f64, reach: f64, dither: f64) -> Option<Tilt> {
        let gaussian = self.gaussian + Enclosure::point(dither);
        let point = Enclosure::point(c);
        let mut log_moment = gaussian * point * (point + Enclosure::ONE) * Enclosure::point(0.5);
        let (mut mean, mut variance) = (gaussian.hi() * (c + 0.5), gaussian.hi());
        let mut parts = Vec::with_capacity(self.parts.len());
        for (loss, count) in &self.parts {
            let tilted = loss.tilt(c, reach)?;
            log_moment = log_moment + many(*count) * tilted.log_moment;
            mean += many(*count).hi() * tilted.mean;
            variance += many(*count).hi() * tilted.variance;
            parts.push((tilted, *count));
        }
        let known = log_moment.lo().is_finite() && log_moment.hi().is_finite() && variance >= 0.0;
        known.then_some(Tilt { c, log_moment, mean, variance, gaussian, parts })
    }

    /// A c near the one at which the bound ε ≤ (ln M(c) + ln κ(c) − ln δ)/c is least, and that bound.
    ///
    /// Its least value is where
    /// c·K′(c) − K(c) + ln(1+c) = ln(1/δ), whose left side rises. Newton's method runs on logarithms, where it is nearly straight.
    pub(super) fn saddle_for_delta(&self, delta: f64, dither: f64, precision: f64) -> Option<(Tilt, f64)> {
        let target = -libm::log(delta);
        let mut bound = f64::INFINITY;
        let tilt = self.newton(dither, precision, |tilt| {
            bound = bound.min(tilt.epsilon_bound(delta));
            let reached = (tilt.c * tilt.mean - tilt.log_moment.hi()).max(0.0) + libm::log1p(tilt.c);
            let slope = tilt.c * (tilt.c * tilt.variance + 1.0 / (1.0 + tilt.c)) / reached;
            (libm::log(target) - libm::log(reached)) / slope
        })?;
        Some((tilt, bound))
    }

    /// A c near the one at which the bound δ ≤ M(c)·κ(c)·e^(−cε) is least, where K′(c) + ln(c/(1+c)) = ε, and the logarithm of that bound.
    pub(super) fn saddle_for_epsilon(
        &self,
        epsilon: f64,
        dither: f64,
        precision: f64,
    ) -> Option<(Tilt, f64)> {
        let mut bound = 0.0f64;
        let tilt = self.newton(dither, precision, |tilt| {
            let c = Enclosure::point(tilt.c);
            bound = bound.min((tilt.log_moment + log_kappa(tilt.c) - c * Enclosure::point(epsilon)).hi());
            let reached = tilt.mean - libm::log1p(1.0 / tilt.c);
            let slope = tilt.c * tilt.variance + 1.0 / (1.0 + tilt.c);
            (epsilon - reached) / slope
        })?;
        Some((tilt, bound))
    }

    /// Follows steps in ln c until they are small, within a bracket, and not below the c that suits the spread of the loss.
    ///
    /// Sampled mechanisms have a loss that is tiny except with a tiny probability. Their mean jumps at some c, from where on the
    /// improbable losses are all that counts; a root that lies in the jump is approached from below.
    fn newton(&self, dither: f64, precision: f64, mut step: impl FnMut(&Tilt) -> f64) -> Option<Tilt> {
        let (mut low, mut high) = (None, f64::INFINITY);
        let mut c = 1.0f64;
        for _ in 0..60 {
            let tilt = self.tilt(c, 0.0, dither)?;
            let wanted = step(&tilt);
            // So small a tilt would only make the window long: δ is near its largest value there.
            let least = (0.25 / (1.0 + libm::sqrt(tilt.variance))).min(0.25);
            // Near enough is a step that is small, also against the width 1/spread of what is integrated.
            let close =
                wanted.abs() < precision && wanted.abs() * c * libm::sqrt(tilt.variance) < 10.0 * precision;
            if wanted.is_nan() || close || (wanted < 0.0 && c <= least) || (wanted > 0.0 && c >= 1e9) {
                return Some(tilt);
            }
            if wanted > 0.0 {
                low = Some(c);
            } else {
                high = c;
            }
            let next = (c * libm::exp(wanted.clamp(-3.0, 3.0))).clamp(least, 1e9);
            let floor = low.unwrap_or(0.0);
            if high < floor * (1.0 + precision.min(1e-4)) {
                c = floor;
                break;
            }
            c = if floor < next && next < high { next } else { libm::sqrt(floor.max(high * 1e-3) * high) };
        }
        self.tilt(c, 0.0, dither)
    }
}

impl Tilt {
    /// Whether so many runs were composed that rounding hides the answer: M(c) itself is not known within a factor.
    pub(super) fn is_blurred(&self) -> bool {
        self.log_moment.hi() - self.log_moment.lo() > 1.0
    }

    /// The bound on ε of Canonne, Kamath and Steinke at the order c + 1.
    pub(super) fn epsilon_bound(&self, delta: f64) -> f64 {
        let log_delta = Enclosure::point(delta).ln();
        ((self.log_moment + log_kappa(self.c) - log_delta) / Enclosure::point(self.c)).hi().max(0.0)
    }
}

/// Encloses a count.
#[allow(clippy::cast_precision_loss, reason = "both neighbours are taken where the float is not exact")]
pub(crate) fn many(count: u64) -> Enclosure {
    let near = count as f64;
    if count < 1 << 53 {
        Enclosure::point(near)
    } else {
        Enclosure::new(near * (1.0 - 2.0 * UNIT), near * (1.0 + 2.0 * UNIT))
    }
}

/// Encloses ln κ(c), κ(c) = c^c/(1+c)^(1+c) = sup_L (1 − e^−L)·e^(−cL).
pub(super) fn log_kappa(c: f64) -> Enclosure {
    let c = Enclosure::point(c);
    -(c * (Enclosure::ONE / c).ln_1p()) - c.ln_1p()
}
