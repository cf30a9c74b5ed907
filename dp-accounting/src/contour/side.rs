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

/// What is known of ln M at a real point c.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moments {
    pub(super) c: f64,
    /// Encloses ln M(c).
    pub(super) log_moment: Enclosure,
    /// About its derivatives.
    pub(super) mean: f64,
    pub(super) variance: f64,
}

/// The composition tilted at c.
pub(super) struct Tilt {
    pub(super) moments: Moments,
    /// Σ μ², the dither included.
    pub(super) gaussian: Enclosure,
    pub(super) parts: Vec<(Tilted, u64)>,
}

/// So many groups of parts are looked at by a [pilot](Side::pilot).
const PILOT: usize = 48;

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

    /// ln M(c) of all parts and a Gaussian of variance `dither`. Nothing when that takes too much.
    pub(super) fn moments(&self, c: f64, dither: f64) -> Option<Moments> {
        // Each part may err by e^−16 over the number of runs.
        let runs = self.parts.iter().fold(1.0, |sum, (_, count)| sum + many(*count).hi());
        let accuracy = 16.0 + libm::log(runs);
        let mut sum = self.gaussian_moments(c, dither);
        for (loss, count) in &self.parts {
            sum.add(loss.moments(c, accuracy)?, *count);
        }
        sum.known()
    }

    /// Tilts all parts and a Gaussian of variance `dither` at c, good for |y| ≤ reach. Nothing when that takes too much.
    pub(super) fn tilt(&self, c: f64, reach: f64, dither: f64) -> Option<Tilt> {
        let mut moments = self.gaussian_moments(c, dither);
        let mut parts = Vec::with_capacity(self.parts.len());
        for (loss, count) in &self.parts {
            let tilted = loss.tilt(c, reach)?;
            moments.add(tilted.moments, *count);
            parts.push((tilted, *count));
        }
        Some(Tilt { moments: moments.known()?, gaussian: self.gaussian + Enclosure::point(dither), parts })
    }

    fn gaussian_moments(&self, c: f64, dither: f64) -> Moments {
        let (gaussian, point) = (self.gaussian + Enclosure::point(dither), Enclosure::point(c));
        let log_moment = gaussian * point * (point + Enclosure::ONE) * Enclosure::point(0.5);
        Moments { c, log_moment, mean: gaussian.hi() * (c + 0.5), variance: gaussian.hi() }
    }

    /// A few of the parts, which stand for the others: they show where to look, at a small part of the price, and prove nothing. Nothing where there are few parts anyway.
    pub(super) fn pilot(&self) -> Option<Self> {
        let size = self.parts.len() / PILOT;
        if size < 2 {
            return None;
        }
        let parts = self.parts.chunks(size).enumerate().map(|(i, group)| {
            // At a place that wanders through the groups, so that kinds which come in turns are all met.
            let (loss, _) = &group[i * 7919 % group.len()];
            (loss.clone(), group.iter().fold(0, |sum: u64, (_, count)| sum.saturating_add(*count)))
        });
        Some(Self { parts: parts.collect(), ..*self })
    }

    /// A c near the one at which the bound ε ≤ (ln M(c) + ln κ(c) − ln δ)/c is least, and that bound.
    ///
    /// Its least value is where
    /// c·K′(c) − K(c) + ln(1+c) = ln(1/δ), whose left side rises. Newton's method runs on logarithms, where it is nearly straight.
    pub(super) fn saddle_for_delta(&self, delta: f64, start: Start) -> Option<(Moments, f64)> {
        let target = -libm::log(delta);
        let mut bound = f64::INFINITY;
        let saddle = self.newton(start, |at| {
            bound = bound.min(at.epsilon_bound(delta));
            let reached = (at.c * at.mean - at.log_moment.hi()).max(0.0) + libm::log1p(at.c);
            let slope = at.c * (at.c * at.variance + 1.0 / (1.0 + at.c)) / reached;
            (libm::log(target) - libm::log(reached)) / slope
        })?;
        Some((saddle, bound))
    }

    /// A c near the one at which the bound δ ≤ M(c)·κ(c)·e^(−cε) is least, where K′(c) + ln(c/(1+c)) = ε, and the logarithm of that bound.
    pub(super) fn saddle_for_epsilon(&self, epsilon: f64, start: Start) -> Option<(Moments, f64)> {
        let mut bound = 0.0f64;
        let saddle = self.newton(start, |at| {
            let c = Enclosure::point(at.c);
            bound = bound.min((at.log_moment + log_kappa(at.c) - c * Enclosure::point(epsilon)).hi());
            let reached = at.likely_epsilon();
            let slope = at.c * at.variance + 1.0 / (1.0 + at.c);
            (epsilon - reached) / slope
        })?;
        Some((saddle, bound))
    }

    /// Follows steps in ln c until they are small, within a bracket, and not below the c that suits the spread of the loss.
    ///
    /// Sampled mechanisms have a loss that is tiny except with a tiny probability. Their mean jumps at some c, from where on the
    /// improbable losses are all that counts; a root that lies in the jump is approached from below.
    fn newton(&self, start: Start, mut step: impl FnMut(&Moments) -> f64) -> Option<Moments> {
        let Start { mut c, dither, precision } = start;
        let (mut low, mut high) = (None, f64::INFINITY);
        for _ in 0..60 {
            let at = self.moments(c, dither)?;
            let wanted = step(&at);
            // So small a tilt would only make the window long: δ is near its largest value there.
            let least = (0.25 / (1.0 + at.variance.sqrt())).min(0.25);
            // Near enough is a step that is small, also against the width 1/spread of what is integrated.
            let close = wanted.abs() < precision && wanted.abs() * c * at.variance.sqrt() < 10.0 * precision;
            if wanted.is_nan() || close || (wanted < 0.0 && c <= least) || (wanted > 0.0 && c >= 1e9) {
                return Some(at);
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
            c = if floor < next && next < high { next } else { (floor.max(high * 1e-3) * high).sqrt() };
        }
        self.moments(c, dither)
    }
}

/// Where a search for the saddle starts, and how near it is to get.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    pub(super) c: f64,
    pub(super) dither: f64,
    pub(super) precision: f64,
}

impl Start {
    /// From nothing.
    pub(super) fn anew(dither: f64, precision: f64) -> Self {
        Self { c: 1.0, dither, precision }
    }
}

impl Moments {
    fn add(&mut self, part: Moments, count: u64) {
        let count = many(count);
        self.log_moment = self.log_moment + count * part.log_moment;
        self.mean += count.hi() * part.mean;
        self.variance += count.hi() * part.variance;
    }

    fn known(self) -> Option<Self> {
        let known =
            self.log_moment.lo().is_finite() && self.log_moment.hi().is_finite() && self.variance >= 0.0;
        known.then_some(self)
    }

    /// Whether so many runs were composed that rounding hides the answer: M(c) itself is not known within a factor.
    pub(super) fn is_blurred(&self) -> bool {
        self.log_moment.hi() - self.log_moment.lo() > 1.0
    }

    /// The ε of which c is the saddle point.
    pub(super) fn likely_epsilon(&self) -> f64 {
        self.mean - libm::log1p(1.0 / self.c)
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
