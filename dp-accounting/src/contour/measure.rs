//! What can be integrated along a line, and where its saddle point is.

use dp_core::rounding::Enclosure;

use super::effort::Effort;
use super::line::Value;
use super::side::many;

/// A positive measure of total losses, known by its moment function M(s) = ∫ e^(sL).
pub(super) trait Measure {
    type Tilted: Tilting;

    /// ln M(c) of the measure composed with a Gaussian of variance `dither`. Nothing when that
    /// takes too much.
    fn moments(&self, c: f64, dither: f64) -> Option<Moments>;

    /// The same measure tilted at c, good for |y| ≤ reach. Nothing when that takes too much.
    fn tilt(&self, c: f64, reach: f64, dither: f64) -> Option<Self::Tilted>;

    /// How far along the line at c the moment function may have to be followed until it is down to
    /// e^−wanted: a guess.
    fn likely_reach(&self, at: &Moments, wanted: f64) -> f64;

    /// An upper bound on the total mass, and one on the profile therefore.
    fn mass(&self) -> f64;

    /// Of how many parts it is composed.
    fn parts(&self) -> usize;

    /// What may still be done for the answer.
    fn effort(&self) -> &Effort;

    /// Whether a tilted measure is one hump about, whose width is its spread.
    fn is_even(&self) -> bool {
        true
    }

    /// A c near the one at which the bound ε ≤ (ln M(c) + ln κ(c) − ln δ)/c is least, and that
    /// bound.
    ///
    /// Its least value is where c·K′(c) − K(c) + ln(1+c) = ln(1/δ), whose left side rises. Newton's
    /// method runs on logarithms, where it is nearly straight.
    fn saddle_for_delta(&self, delta: f64, start: Start) -> Option<(Moments, f64)> {
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

    /// A c near the one at which the bound δ ≤ M(c)·κ(c)·e^(−cε) is least, where K′(c) +
    /// ln(c/(1+c)) = ε, and the logarithm of that bound.
    fn saddle_for_epsilon(&self, epsilon: f64, start: Start) -> Option<(Moments, f64)> {
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

    /// Follows steps in ln c until they are small, within a bracket, and not below the c that suits
    /// the spread of the loss.
    ///
    /// Sampled mechanisms have a loss that is tiny except with a tiny probability. Their mean jumps
    /// at some c, from where on the improbable losses are all that counts; a root that lies in the
    /// jump is approached from below.
    fn newton(&self, start: Start, mut step: impl FnMut(&Moments) -> f64) -> Option<Moments> {
        let Start { mut c, dither, precision } = start;
        let (mut low, mut high) = (None, f64::INFINITY);
        for _ in 0..60 {
            let at = self.moments(c, dither)?;
            let wanted = step(&at);
            // So small a tilt would only make the window long: δ is near its largest value there.
            let least = (0.25 / (1.0 + libm::sqrt(at.variance))).min(0.25);
            // Near enough is a step that is small, also against the width 1/spread of what is
            // integrated.
            let close =
                wanted.abs() < precision && wanted.abs() * c * libm::sqrt(at.variance) < 10.0 * precision;
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
            c = if floor < next && next < high { next } else { libm::sqrt(floor.max(high * 1e-3) * high) };
        }
        self.moments(c, dither)
    }
}

/// A measure along the line through c.
pub(super) trait Tilting {
    fn moments(&self) -> Moments;

    /// How many terms one value of the moment function takes.
    fn size(&self) -> f64;

    /// An upper bound on ln |M(c+iy)/M(c)| for all y ≥ reach.
    fn log_decay(&self, reach: f64) -> f64;

    /// M(c+iy)/M(c) at y = step·j for j below `count`.
    fn values(&self, step: f64, count: usize) -> Vec<Value>;
}

/// What is known of ln M at a real point c.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moments {
    pub(crate) c: f64,
    /// Encloses ln M(c).
    pub(crate) log_moment: Enclosure,
    /// About its derivatives.
    pub(crate) mean: f64,
    pub(crate) variance: f64,
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
    pub(super) fn add(&mut self, part: Moments, count: u64) {
        let count = many(count);
        self.log_moment = self.log_moment + count * part.log_moment;
        self.mean += count.hi() * part.mean;
        self.variance += count.hi() * part.variance;
    }

    pub(crate) fn known(self) -> Option<Self> {
        let known =
            self.log_moment.lo().is_finite() && self.log_moment.hi().is_finite() && self.variance >= 0.0;
        known.then_some(self)
    }

    /// Whether so many runs were composed that rounding hides the answer: M(c) itself is not known
    /// within a factor.
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

/// Encloses ln κ(c), κ(c) = c^c/(1+c)^(1+c) = sup_L (1 − e^−L)·e^(−cL).
pub(super) fn log_kappa(c: f64) -> Enclosure {
    let c = Enclosure::point(c);
    -(c * (Enclosure::ONE / c).ln_1p()) - c.ln_1p()
}
