//! Mixtures of two normal distributions, by the trapezoidal rule.
//!
//! With p = α or 1 − α, φ the normal density and M(x) = 1 − q + q·e^(μx − μ²/2), what is sought is
//! I = ∫φM^p, or G = I − 1 = ∫φ·R_p(M−1) where I is near 1. For a function that is analytic in a
//! strip |Im x| ≤ d and integrable on its edges, the rule of step h differs from the integral by at
//! most
//!
//! > (∫|f(x+id)| dx + ∫|f(x−id)| dx) / (e^(2πd/h) − 1)
//!
//! (Trefethen and Weideman 2014, Theorem 5.1). On the edges |φ| grows by e^(d²/2), and as
//! |e^(u+iθ)| = eᵘ, with θ = μd < π,
//!
//! > cos(θ/2)·(1−q+qeᵘ) ≤ |1 − q + q·e^(u+iθ)| ≤ 1−q+qeᵘ,
//!
//! which bounds the edges by I itself. The nodes are floats, everything at a node is enclosed, and
//! what lies beyond the last nodes is bounded by a geometric series: the logarithm of φM^p has the
//! slope −x + pμs, 0 ≤ s ≤ 1.

use dp_core::Alpha;
use dp_core::rounding::{Enclosure, exp_up, ln_1p_up, ln_up};

use super::quick::{Quick, Sum, Term};
use super::remainder::{Form, Remainder};
use crate::sampling::Direction;
use crate::sampling::threshold::mixture_loss;

/// 1/√(2π), between two adjacent floats.
pub(super) const INV_SQRT_TWO_PI: Enclosure =
    Enclosure::new(0.398_942_280_401_432_65, 0.398_942_280_401_432_7);
/// 2π, which lies just above the float that is nearest to it.
const TWO_PI: Enclosure = Enclosure::new(core::f64::consts::TAU, core::f64::consts::TAU.next_up());
/// What may be left out: e⁻⁴⁶ of what is there.
pub(super) const NEGLIGIBLE: f64 = 46.0;
/// At more nodes than these the rule is given up.
pub(super) const MOST_NODES: u32 = 20_000;
/// At larger orders α − 1 need not be a float.
const LARGEST_ORDER: f64 = 1e12;

/// Encloses D_α(M‖Q) or D_α(Q‖M), or gives up.
pub(in crate::sampling) fn mixture_renyi(
    mu: f64,
    rate: Enclosure,
    direction: Direction,
    order: Alpha,
) -> Option<Enclosure> {
    let alpha = order.get();
    if mu == 0.0 {
        return Some(Enclosure::ZERO);
    }
    if alpha > LARGEST_ORDER || !(1e-150..1e6).contains(&mu) || rate.lo() <= 0.0 || rate.hi() >= 1.0 {
        return None;
    }
    let power = match direction {
        Direction::Remove => alpha,
        Direction::Add => 1.0 - alpha, // exact
    };
    let mixture = Mixture { mu, rate, power, digits: NEGLIGIBLE };
    let peak = mixture.peak();
    let log = if peak > 1.0 { mixture.log_moment(peak)? } else { mixture.excess()?.ln_1p() };
    let below = Enclosure::point(alpha) - Enclosure::ONE;
    let most = Enclosure::point(alpha) * Enclosure::point(mu).square() * Enclosure::point(0.5); // q = 1
    Some((log / below).max(Enclosure::ZERO).min(Enclosure::point(most.hi())))
}

#[derive(Clone, Copy)]
struct Mixture {
    mu: f64,
    rate: Enclosure,
    power: f64,
    /// The rule may be wrong by about e^−digits.
    digits: f64,
}

/// The width d of the strip and the step h of the rule.
pub(super) struct Grid {
    pub(super) strip: f64,
    pub(super) step: f64,
}

impl Mixture {
    /// Encloses u = μx − μ²/2, the loss of the base pair at x.
    fn base_loss(self, x: f64) -> Enclosure {
        let mu = Enclosure::point(self.mu);
        mu * (Enclosure::point(x) - mu * Enclosure::point(0.5))
    }

    /// Encloses ln φ(x)M(x)^p without the constant of φ.
    fn log_density(self, x: f64) -> Enclosure {
        let log = mixture_loss(self.base_loss(x), self.rate);
        Enclosure::point(self.power) * log - Enclosure::point(x).square() * Enclosure::point(0.5)
    }

    /// About the largest value of [`log_density`](Self::log_density), where the slope −x + pμs(x)
    /// vanishes, s(x) = q·eᵘ/M.
    ///
    /// For positive p the map x → pμs(x) rises and is followed from both ends, for there may be two
    /// peaks; for negative p the slope falls, and its zero is found by bisection.
    fn peak(self) -> f64 {
        let drift = self.power * self.mu;
        let odds = ln_up(self.rate.hi()) - ln_1p_up(-self.rate.hi());
        let step = |x: f64| drift / (1.0 + exp_up(-(odds + self.mu * (x - self.mu * 0.5))));
        if drift > 0.0 {
            let climb = |start: f64| self.log_density((0..24).fold(start, |x, _| step(x))).hi();
            return climb(0.0).max(climb(drift));
        }
        let (left, right) = (0..40).fold((drift, 0.0), |(left, right), _| {
            let middle = 0.5 * (left + right);
            if step(middle) > middle { (middle, right) } else { (left, middle) }
        });
        self.log_density(0.5 * (left + right)).hi()
    }

    /// A grid on which the error is about e^−`digits` of the integral over the edges.
    fn grid(self, digits: f64) -> Grid {
        let negative = (-self.power).max(0.0);
        // ln of what the edges gain: d²/2·(1 + |p|μ²/4·…), the second part for negative powers
        // only.
        let stiffness = 1.0 + 0.36 * negative * self.mu * self.mu;
        let widest = (if self.power >= 2.0 { 3.1 } else { 2.8 }) / self.mu;
        let free = (2.0 * digits / stiffness).sqrt();
        let strip = free.min(widest);
        let step = core::f64::consts::TAU * strip / (digits + strip * strip * stiffness * 0.5);
        Grid::with_step(strip, step)
    }

    /// Bounds −ln cos(θ/2) from above at the edge of the strip, by cos t ≥ 1 − t²/2 +
    /// t⁴/24 − t⁶/720.
    fn shrinkage(self, grid: &Grid) -> Enclosure {
        let half = Enclosure::point(self.mu) * Enclosure::point(grid.strip) * Enclosure::point(0.5);
        let square = half.square();
        let series =
            |factor: f64, inner: Enclosure| Enclosure::ONE - square / Enclosure::point(factor) * inner;
        -series(2.0, series(12.0, series(30.0, Enclosure::ONE))).ln()
    }

    /// Encloses I's logarithm.
    fn log_moment(self, peak: f64) -> Option<Enclosure> {
        let drift = self.power * self.mu;
        let reach = (2.0 * NEGLIGIBLE).sqrt();
        let grid = self.grid(self.digits);
        let (right, left) = (drift.max(0.0), drift.min(0.0)); // where the slopes of the outer parts vanish
        let last = right + reach;
        let (mut index, mut nodes) = (((left - reach) / grid.step).floor(), 0);
        let remainder = Remainder::new(self.power);
        let quick = Quick::new(self.mu, self.rate, &remainder, self.power);
        let (mut sum, mut quick_sum, mut skipped) = (Enclosure::ZERO, Sum::default(), 0.0);
        let mut outside = 0.0;
        loop {
            let x = index * grid.step;
            let most = match quick.as_ref().and_then(|quick| quick.log_density(x)) {
                Some((log, error)) if error < 1e-3 => {
                    quick_sum.add_exp(log - peak, error + peak.abs() * f64::EPSILON);
                    log - peak + 0.01
                }
                _ => {
                    let log = self.log_density(x) - Enclosure::point(peak);
                    sum = sum + log.exp();
                    log.hi()
                }
            };
            nodes += 1;
            if nodes == 1 {
                outside += geometric(most, left - x, grid.step);
            }
            if x >= last {
                outside += geometric(most, x - right, grid.step);
                break;
            }
            if nodes > MOST_NODES {
                return None;
            }
            // For t to the right the logarithm rises by at most t(pμ − x): nodes that stay
            // negligible are skipped.
            let spare = -NEGLIGIBLE - most;
            let rise = (right - x).max(f64::MIN_POSITIVE);
            let skip = if spare > 0.0 { (0.999 * spare / rise).min(last - x) / grid.step } else { 0.0 };
            skipped += skip.floor();
            index += skip.floor() + 1.0;
        }
        // A step up for each rounding of these few sums of positive numbers is far below the one
        // percent.
        let rest = 1.01 * (skipped * exp_up(-NEGLIGIBLE) + outside);
        let sum = sum + quick_sum.enclosure();
        let sum = Enclosure::new(sum.lo(), (sum + Enclosure::point(rest)).hi());
        let edges = if self.power > 0.0 {
            Enclosure::ZERO
        } else {
            Enclosure::point(-self.power) * self.shrinkage(&grid)
        };
        let error = grid.error() * edges.exp();
        if error.hi() > 0.5 {
            return None;
        }
        let (fewer, more) = (Enclosure::ONE + error, Enclosure::ONE - error);
        let ratio = Enclosure::new((Enclosure::ONE / fewer).lo(), (Enclosure::ONE / more).hi());
        Some(Enclosure::point(peak) + (sum * Enclosure::point(grid.step) * INV_SQRT_TWO_PI * ratio).ln())
    }

    /// Encloses φ(x)(r−1)²·K or φ(x)·R_p(y), without the constant of φ.
    fn term(self, x: f64, remainder: &Remainder) -> Form {
        let loss = self.base_loss(x);
        let change = loss.exp_m1();
        let log_density = Enclosure::point(x).square() * Enclosure::point(-0.5);
        let density = log_density.exp();
        match remainder.at(self.rate * change, || mixture_loss(loss, self.rate), density, log_density) {
            Form::Series(k) => Form::Series(density * change.square() * k),
            direct @ Form::Direct(_) => direct,
        }
    }

    /// Encloses G, of which ½p(p−1)q² is a factor at most nodes.
    ///
    /// Beyond the nodes R_p(y) ≤ ½|p(p−1)|y²·max(1, M^(p−2)), with y² ≤ q²·max(1, r²). On the
    /// edges, where |y| ≤ q(r+1), two bounds are taken and the smaller one counts:
    ///
    /// - |R_p| ≤ |M|^p + 1 + |p|·|y|, whose integral is I·c + 1 + 2|p|q, c = cos(θ/2)^p for
    ///   negative p and 1 for positive ones;
    /// - |R_p| ≤ ½|p(p−1)|·|y|²·max(1, |M|^(p−2)). For p < 2 the maximum is at most
    ///   (cos(θ/2)·(1−q))^(p−2), and E(r+1)² = e^(μ²) + 3. For p ≥ 2 it is at most 1 + M^(p−2),
    ///   (r+1)² ≤ 2 + 2r², E M^(p−2) ≤ I, and E r²M^(p−2) ≤ e^(μ²)·e^(2μ²(p−2))·I, because r²
    ///   shifts the density by 2μ, and that multiplies r by e^(2μ²).
    fn excess(self) -> Option<Enclosure> {
        let (p, mu) = (Enclosure::point(self.power), Enclosure::point(self.mu));
        let size = Enclosure::point(self.power.abs());
        let half_curvature = Enclosure::point(0.5) * (p * (p - Enclosure::ONE)).max(Enclosure::ZERO);
        let factor = half_curvature * self.rate.square();
        // How many times the edges may exceed G, and how far out φ must have fallen below it.
        let narrow = ln_1p_up(1.0 / (self.mu * self.mu));
        let steep = if self.power >= 2.0 {
            2.0 * self.mu * self.mu * (self.power - 1.0)
        } else {
            (self.power - 2.0) * ln_1p_up(-self.rate.hi())
        };
        let small = -ln_up(factor.hi()) + narrow;
        let grid = self.grid(self.digits + 2.0 + (narrow + steep).min(small.max(0.0) + 2.0));
        let reach = (2.0 * (NEGLIGIBLE + narrow)).sqrt();
        let (right, left) = (self.power.max(2.0) * self.mu, -(2.0 - self.power).max(0.0) * self.mu);
        let (first, last) = (((left - reach) / grid.step).floor(), ((right + reach) / grid.step).ceil());
        if last - first > f64::from(MOST_NODES) {
            return None;
        }
        let remainder = Remainder::new(self.power);
        let quick = Quick::new(self.mu, self.rate, &remainder, self.power);
        let (mut series, mut direct) = (Enclosure::ZERO, Enclosure::ZERO);
        let (mut quick_series, mut quick_direct) = (Sum::default(), Sum::default());
        let mut index = first;
        while index <= last {
            let x = index * grid.step;
            index += 1.0;
            match quick.as_ref().and_then(|quick| quick.at(x)) {
                Some(Term::Series(value, error)) => quick_series.add(value, error),
                Some(Term::Direct(value, error)) => quick_direct.add(value, error),
                None => match self.term(x, &remainder) {
                    Form::Series(value) => series = series + value,
                    Form::Direct(value) => direct = direct + value,
                },
            }
        }
        let (series, direct) = (series + quick_series.enclosure(), direct + quick_direct.enclosure());
        let beyond = |x: f64, slope: f64| {
            let loss = self.base_loss(x);
            let growth = (p - Enclosure::point(2.0)) * mixture_loss(loss, self.rate);
            let larger = (loss + loss).max(Enclosure::ZERO) + growth.max(Enclosure::ZERO);
            let log = larger - Enclosure::point(x).square() * Enclosure::point(0.5);
            geometric(log.hi(), slope, grid.step)
        };
        let (first, last) = (first * grid.step, last * grid.step);
        let outside = 1.01 * (beyond(last, last - right) + beyond(first, left - first));
        let inside = Enclosure::new(series.lo(), (series + Enclosure::point(outside)).hi());
        let rule = (factor * inside + direct) * Enclosure::point(grid.step) * INV_SQRT_TWO_PI;

        let error = grid.error();
        let shrinkage = self.shrinkage(&grid);
        let gain = if self.power > 0.0 { Enclosure::ONE } else { (size * shrinkage).exp() };
        let two = Enclosure::point(2.0);
        let first_edge = (Enclosure::ONE + rule) * gain + Enclosure::ONE + two * size * self.rate;
        if (error * gain).hi() > 0.5 {
            return None;
        }
        let first = error * first_edge / (Enclosure::ONE - error * gain);
        let square = mu.square();
        let second_edge = if self.power < 2.0 {
            let steepest = Enclosure::point(2.0 - self.power) * (shrinkage - (-self.rate).ln_1p());
            (square.exp() + Enclosure::point(3.0)) * steepest.exp()
        } else {
            let moment = two * (Enclosure::ONE + rule + Enclosure::point(first.hi()));
            let shifted = (square * (two * p - Enclosure::point(3.0))).exp();
            square.exp() + Enclosure::point(3.0) + moment + moment * shifted
        };
        let second = error * factor * second_edge;
        let error = first.hi().min(second.hi());
        Some(Enclosure::new(
            (rule - Enclosure::point(error)).lo().max(0.0),
            (rule + Enclosure::point(error)).hi(),
        ))
    }
}

impl Grid {
    /// The step is cut to twelve bits, so that all nodes are floats.
    pub(super) fn with_step(strip: f64, step: f64) -> Self {
        Self { strip, step: f64::from_bits(step.to_bits() & !((1 << 40) - 1)) }
    }

    /// Encloses 2e^(d²/2) / (e^(2πd/h) − 1).
    pub(super) fn error(&self) -> Enclosure {
        let (strip, step) = (Enclosure::point(self.strip), Enclosure::point(self.step));
        let edge = (strip.square() * Enclosure::point(0.5)).exp();
        Enclosure::point(2.0) * edge / (TWO_PI * strip / step).exp_m1()
    }
}

/// About Σ_{k≥1} e^(log − k·slope·step), the slope being positive.
pub(super) fn geometric(log: f64, slope: f64, step: f64) -> f64 {
    1.01 * exp_up(log) / (exp_up(0.99 * slope * step) - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On coarse grids the rule is wrong, by no more than it says.
    #[test]
    fn coarse_grids_own_up_to_their_errors() {
        let mut wrong = 0;
        for mu in [0.3, 1.0, 2.5] {
            for rate in [0.001, 0.1, 0.6] {
                for power in [1.3, 2.0, 3.5, 9.0, -0.4, -2.0, -7.0] {
                    let fine = Mixture { mu, rate: Enclosure::point(rate), power, digits: NEGLIGIBLE };
                    let peak = fine.peak();
                    let (truth, moment) = (fine.excess().unwrap(), fine.log_moment(peak).unwrap());
                    let both = truth.ln_1p();
                    assert!(both.lo() <= moment.hi() && moment.lo() <= both.hi(), "{both:?} {moment:?}");
                    for digits in [1.0, 2.0, 4.0, 8.0] {
                        let coarse = Mixture { digits, ..fine };
                        if let Some(rough) = coarse.excess() {
                            assert!(
                                rough.lo() <= truth.hi() && truth.lo() <= rough.hi(),
                                "μ {mu} q {rate} p {power}: {rough:?} {truth:?}"
                            );
                            // The middle of the enclosure is the rule itself.
                            wrong += u32::from(!truth.contains(0.5 * (rough.lo() + rough.hi())));
                        }
                        if let Some(rough) = coarse.log_moment(peak) {
                            assert!(
                                rough.lo() <= moment.hi() && moment.lo() <= rough.hi(),
                                "μ {mu} q {rate} p {power}: {rough:?} {moment:?}"
                            );
                        }
                    }
                }
            }
        }
        assert!(wrong > 50, "{wrong}");
    }
}
