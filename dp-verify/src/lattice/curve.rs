//! One side of a profile, from one tilted composition.
//!
//! Let q be the tilted masses of the sums, Tₛ = A − s·h their losses, and e^(Λ − θTₛ)·qₛ their
//! masses. With
//!
//! > gₛ = Σ_{j<s} qⱼ·e^(−θ(Tⱼ−Tₛ))·(1 − e^(−(Tⱼ−Tₛ))),  cₛ = Σ_{j≤s} qⱼ·e^(−(θ+1)(Tⱼ−Tₛ)),
//!
//! the profile between Tₛ₊₁ and Tₛ is δ(ε) = e^(Λ − θTₛ)·(gₛ + cₛ·(1 − e^(ε−Tₛ))), and with r =
//! e^(−θh)
//!
//! > gₛ₊₁ = r·(gₛ + cₛ·(1 − e^−h)),  cₛ₊₁ = qₛ₊₁ + r·e^−h·cₛ.
//!
//! All terms are positive. The constants and masses are moved to the safe side by more than the
//! roundings of a step, so every gₛ and cₛ is a bound.

use dp_core::rounding::Enclosure;

use super::float;
use super::part::Side;
use super::window::Window;

/// More than the roundings of one step, and of the constants.
const STEP_ERROR: f64 = 8.0 * f64::EPSILON;

/// A bound of a profile.
#[derive(Clone, Debug)]
pub(super) struct Curve {
    side: Side,
    tilt: f64,
    step: f64,
    /// A, rounded to the safe side, and Λ.
    top: f64,
    log_scale: Enclosure,
    start: u64,
    /// gₛ and cₛ from `start` on; empty when nothing is known.
    levels: Vec<(f64, f64)>,
    /// e^(θε − Λ) times what sums outside of the window can amount to.
    outside: f64,
    infinite: f64,
}

/// What a curve is made of.
pub(super) struct Composition {
    pub side: Side,
    pub tilt: f64,
    pub step: f64,
    pub top: Enclosure,
    pub log_scale: Enclosure,
    pub infinite: Enclosure,
    pub window: Window,
    /// The masses of the sums modulo the window's length, and a bound on the error of each.
    pub masses: Vec<f64>,
    pub error: f64,
}

impl Curve {
    pub(super) fn new(composition: Composition) -> Self {
        let Composition { side, tilt, step, top, log_scale, infinite, window, masses, error } = composition;
        debug_assert_eq!(masses.len(), window.length);
        let decay = (-(Enclosure::point(tilt) * Enclosure::point(step))).exp();
        let loss = (-Enclosure::point(step)).exp();
        let fall = -(-Enclosure::point(step)).exp_m1();
        let (decay, loss, fall) = match side {
            Side::Above => (decay.hi(), loss.hi(), fall.hi()),
            Side::Below => (decay.lo(), loss.lo(), fall.lo()),
        };
        let (safe, beyond) = match side {
            Side::Above => (1.0 + STEP_ERROR, window.below),
            Side::Below => (1.0 - STEP_ERROR, 0.0),
        };
        let (decay, loss) = (decay * safe, loss * safe);
        let mass = |value: f64| match side {
            Side::Above => (value.max(0.0) + error) * safe,
            Side::Below => ((value - error) * safe).max(0.0),
        };
        // Where the relative precision of floats is about to end, drop it or keep at least that.
        let kept = |value: f64| match side {
            Side::Above => value.max(1e-290),
            Side::Below if value < 1e-290 => 0.0,
            Side::Below => value,
        };
        // What lies above the window counts as if it lay at its end with the largest weight: both
        // sums then are at most that mass.
        let (mut level, mut slope) = (beyond, beyond);
        #[allow(clippy::cast_possible_truncation)] // a remainder of a length that is a usize
        let first = (window.start % window.length as u64) as usize;
        // Nothing is known where the error is out of bounds, or the places are no exact floats.
        let known = error.is_finite() && window.start < 1 << 50;
        let ordered = masses[first..].iter().chain(&masses[..first]).filter(|_| known);
        let levels = ordered
            .map(|&value| {
                slope = kept(slope + mass(value));
                let here = (level, slope);
                level = kept(decay * (level + slope * fall));
                slope *= decay * loss;
                here
            })
            .collect();
        // max_y e^(−θy)(1 − e^(−y)) is at e^(−y) = θ/(θ+1): (θ/(θ+1))^θ/(θ+1) ≤ 1/(θ+1).
        let outside = 1.000_001 * window.outside() / (1.0 + tilt);
        let (top, infinite) = match side {
            Side::Above => (top.hi(), infinite.hi()),
            Side::Below => (top.lo(), infinite.lo()),
        };
        Self { side, tilt, step, top, log_scale, start: window.start, levels, outside, infinite }
    }

    /// Bounds δ(ε).
    pub(super) fn delta(&self, epsilon: f64) -> f64 {
        let trivial = (-Enclosure::point(epsilon).exp_m1()).max(Enclosure::ZERO);
        let bound = match self.side {
            Side::Above => self.upper_bound(epsilon).min(1.0),
            Side::Below => self.lower_bound(epsilon).max(trivial.lo()),
        };
        if bound.is_nan() || self.levels.is_empty() {
            return if self.side == Side::Above { 1.0 } else { trivial.lo() };
        }
        bound.clamp(0.0, 1.0)
    }

    fn upper_bound(&self, epsilon: f64) -> f64 {
        let place = self.place(epsilon);
        let infinite = Enclosure::point(self.infinite);
        let last = float(self.levels.len()) - 1.0;
        if place > last {
            // Left of the window, a chord to (0, 1).
            let end = self.loss(last);
            let value = (self.at(last, end.lo()) + infinite).probability();
            let share = (Enclosure::point(epsilon) - end).exp().probability();
            return (Enclosure::ONE - (Enclosure::ONE - value) * share).hi();
        }
        // A convex function is the largest of its lines; which one it is may be off by one.
        let near = [place - 1.0, place, place + 1.0].into_iter().filter(|s| (0.0..=last).contains(s));
        let lines = near.filter(|s| self.loss(*s).hi() > epsilon).map(|s| self.at(s, epsilon));
        // Beyond the window no line is left, and only what is outside can count.
        let beyond = self.factor(Enclosure::point(epsilon)) * Enclosure::point(self.outside);
        let most = lines.map(Enclosure::hi).reduce(f64::max).unwrap_or(beyond.hi());
        (Enclosure::point(most) + infinite).hi()
    }

    fn lower_bound(&self, epsilon: f64) -> f64 {
        let mut place = self.place(epsilon).min(float(self.levels.len()) - 1.0);
        while place >= 0.0 && self.loss(place).lo() <= epsilon {
            place -= 1.0;
        }
        if place < 0.0 {
            return self.infinite;
        }
        // Wrapped around, mass of the sums outside is counted in the window.
        let wrapped = self.factor(Enclosure::point(epsilon)) * Enclosure::point(self.outside);
        let inside = (self.at(place, epsilon) - wrapped).lo().max(0.0);
        (Enclosure::point(inside) + Enclosure::point(self.infinite)).lo()
    }

    /// The line of the cell below T at place s, at ε.
    fn at(&self, s: f64, epsilon: f64) -> Enclosure {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        // the caller checks that it is an index
        let (level, slope) = self.levels[s as usize];
        let loss = self.loss(s);
        let rest = (-(Enclosure::point(epsilon) - loss).exp_m1()).max(Enclosure::ZERO);
        self.factor(loss) * (Enclosure::point(level) + Enclosure::point(slope) * rest)
    }

    /// e^(Λ − θt).
    fn factor(&self, loss: Enclosure) -> Enclosure {
        (self.log_scale - Enclosure::point(self.tilt) * loss).exp()
    }

    /// The loss at a place in the window.
    pub(super) fn loss(&self, place: f64) -> Enclosure {
        Enclosure::point(self.top)
            - (Enclosure::from(float(self.start)) + Enclosure::point(place)) * Enclosure::point(self.step)
    }

    /// The last place whose loss exceeds ε, up to one.
    fn place(&self, epsilon: f64) -> f64 {
        libm::ceil((self.top - epsilon) / self.step - float(self.start)) - 1.0
    }

    /// How many places there are.
    pub(super) fn len(&self) -> usize {
        self.levels.len()
    }
}
