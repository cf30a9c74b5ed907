//! A part of the law of a Poisson-sampled Gaussian mechanism, cut out with soft steps.
//!
//! > M(s) = E r^(1+s)·(1 − w₀)·w₁,
//!
//! under N(0,1), with two [steps](Step) of which the first may be missing, and r as for the [whole
//! law](super::sampled_gaussian) in the direction *remove*.
//!
//! **Shifted integrals.** All factors are analytic, so the path may be moved to x + id, where |φ| =
//! φ(x)·e^(d²/2), |r| ≤ r(x), the steps are bounded as they say, and |r^(iy)| = e^(−y·arg r). The
//! argument of r = A + B·e^(iθ), θ = μd in (0, π), lies in (0, θ) and rises with B, hence with x.
//! So
//!
//! > |M(c+iy)| ≤ I(d, −y) with
//! > I(d, y) = e^(d²/2)·∫ φ·r^(1+c)·min(ζ₀, 2)·e^(−ζ₁·cos κ₁d)·e^(y·arg r(x+id)) dx,
//!
//! which falls in y: it bounds *all* y beyond a point, which no number of evaluations does. And
//! since |f(x−id)| has e^(+y·arg r), a trapezoidal rule of step h errs by at most 2·I(d,
//! |y|)/(e^(2πd/h) − 1) (Trefethen and Weideman 2014, Theorem 5.1).
//!
//! **Cells.** Each factor of the integrand is monotone but φ·r^(1+c), whose logarithm has the slope
//! −x + (1+c)·μp(x), p rising. That bounds it on a cell from its values at both ends.
//!
//! **Cut.** Far enough to the left ln f rises with a slope of at least t, and far enough to the
//! right it falls with at least one, so what is cut off is a geometric series.

use core::f64::consts::TAU;

use dp_core::rounding::Enclosure;

use super::cloud::{Cloud, Point};
use super::effort::Effort;
use super::measure::Moments;
use super::sampled_gaussian::{FINEST, Node, SampledGaussian};
use super::step::Step;
use super::{UNIT, float};

/// A window on the law of a sampled Gaussian in the direction *remove*.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Windowed {
    pub(super) law: SampledGaussian,
    /// What lies before this step is left out.
    pub(super) from: Option<Step>,
    /// What lies beyond this one, too.
    pub(super) to: Step,
}

/// More nodes than that, and the quadrature is not worth it.
const MOST_NODES: f64 = 1_500_000.0;
/// The width of the cells on which integrands are bounded, at most.
const CELL: f64 = 1.0 / 16.0;
/// More cells than that are not looked at.
const MOST_CELLS: usize = 10_000;
/// From here on to the left nothing matters.
const LEFT: f64 = -10.0;

impl Windowed {
    /// A bound on what the law has beyond its last step: 1 − w ≤ ζ, and under P
    /// E ζ = e^(κ²/2 − κX)·(1 − q + q·e^(κμ)).
    pub(super) fn infinite(&self) -> f64 {
        let point = Enclosure::point;
        let Step { at, steepness } = self.to;
        let (rate, steep) = (point(self.law.rate), point(steepness));
        let base = (steep.square() * point(0.5) - steep * point(at)).exp();
        let sampled = ((steep * (steep * point(0.5) + point(self.law.mu) - point(at))).exp()) * rate;
        ((Enclosure::ONE - rate) * base + sampled).hi()
    }

    /// The law without what is too improbable to count, about `negligible`.
    pub(super) fn trimmed(law: SampledGaussian, negligible: f64) -> Self {
        let steepness = libm::sqrt(-2.0 * libm::log(negligible)).clamp(4.0, 40.0);
        let (half, mixed) =
            (steepness * steepness / 2.0, (libm::log(law.rate) + steepness * law.mu).max(0.0));
        let at = (libm::log(2.0 / negligible) + half + mixed) / steepness;
        Self { law, from: None, to: Step { at, steepness } }
    }

    /// The loss at which the tilted law has a valley between two humps: where the slope −x +
    /// (1+c)·μp(x) of its logarithm turns positive.
    pub(super) fn valley(&self, c: f64) -> Option<f64> {
        let slope = |node: &Node| -node.x + (1.0 + c) * self.law.mu * node.share;
        let mut node = self.law.node(self.from?.at, 1.0 + c);
        while node.x < self.to.at {
            let next = self.law.node(node.x + CELL, 1.0 + c);
            if slope(&node) < 0.0 && slope(&next) >= 0.0 {
                return Some(node.log_ratio);
            }
            node = next;
        }
        None
    }

    /// ln M(c) to a relative error of about e^−accuracy, if not e^−37. Nothing when it takes too
    /// many nodes.
    pub(super) fn moments(&self, c: f64, accuracy: f64, effort: &Effort) -> Option<Moments> {
        self.cloud(c, 0.0, accuracy.min(FINEST), effort).map(|cloud| cloud.moments(c))
    }

    /// The tilted law at c, good for |y| ≤ reach. Nothing when it takes too many nodes.
    pub(super) fn tilt(&self, c: f64, reach: f64, effort: &Effort) -> Option<Cloud> {
        self.cloud(c, reach, FINEST, effort)
    }

    fn cloud(&self, c: f64, reach: f64, accuracy: f64, effort: &Effort) -> Option<Cloud> {
        let a = 1.0 + c;
        let shifted = Shifted::new(self, c, reach, effort)?;
        let (d, step, log_error) = shifted.rule(reach, accuracy);
        let from = self.from.map_or(0.0, |step| step.steepness);
        // To the left the slope of ln f is at least −x − κ₁ζ₁ ≥ t; the first step only adds to it.
        let t = libm::sqrt(2.0 * accuracy) + 1.0;
        let mut first = -t - 1.0;
        if let Some(step) = self.from {
            // Up to ζ₀ = 0.1 that one adds ζ₀/(e^ζ₀−1) ≥ 0.95 of its steepness.
            let falls = step.steepness - step.at.max(0.0);
            let low = step.at - (accuracy + 8.0) / falls.max(0.1);
            first = first.max(low.min(step.place(0.1)).min(0.95 * step.steepness - t - 1.0));
        }
        first = first.min(self.to.place(1.0 / self.to.steepness));
        // To the right it is at most −x + aμ + κ₀ − κ₁ζ₁ ≤ −1, if κ₁ζ₁ ≥ aμ + κ₀ + 1 + |x|.
        let last =
            self.to.place(outweighing((a * self.law.mu + from + 50.0) / self.to.steepness)).max(first + 1.0);
        let nodes = (last - first) / step;
        if !(step > 0.0 && nodes < MOST_NODES && d > 0.0 && first > -40.0 && effort.allows(220.0 * nodes)) {
            return None;
        }
        // The step and √(2π) belong to each mass; they are added once. ln √(2π) =
        // 0.918938533204672741780…
        let scale = libm::log(step) - 0.918_938_533_204_672_8;
        let mut points = Vec::new();
        let mut index = libm::ceil(first / step);
        while index * step < last {
            let node = self.node(index * step, a);
            points.push(Point {
                loss: node.log_ratio,
                loss_error: node.log_ratio_error,
                log_mass: node.log_height + scale,
                log_mass_error: node.log_height_error
                    + (node.log_height.abs() + 3.0 * scale.abs() + 4.0) * UNIT,
            });
            index += 1.0;
        }
        let cloud = Cloud::new(&points, 0.0);
        let log_total = cloud.moments(c).log_moment.lo();
        let (start, end) = (self.node(first, a).log_height, self.node(last, a).log_height);
        // Σ f beyond an end is at most f/(1 − e^(−th)) ≤ f·(1/th + 1).
        let cut = (1.0 / (t * step) + 1.0) * libm::exp(start + scale - log_total)
            + (1.0 / step + 1.0) * libm::exp(end + scale - log_total);
        let quadrature = libm::exp(log_error - log_total);
        let missing = 1.01 * (cut + quadrature);
        (missing < 1e-6).then(|| cloud.missing(missing))
    }

    /// r and the integrand at a node.
    fn node(&self, x: f64, a: f64) -> Node {
        let mut node = self.law.node(x, a);
        let (below, below_error) = self.to.log_below(x);
        let (above, above_error) = self.from.map_or((0.0, 0.0), |step| step.log_above(x));
        node.log_height += below + above;
        node.log_height_error += below_error
            + above_error
            + (2.0 * node.log_height.abs() + 2.0 * below.abs() + 2.0 * above.abs()) * UNIT;
        node
    }
}

/// A ζ that is at least A, and outweighs what r^(1+c) ≤ e^(A·κ(x−X)) can have gained on the way
/// there.
fn outweighing(slope: f64) -> f64 {
    2.0 * slope * (1.0 + libm::log(slope).max(0.0)) + 60.0
}

/// Bounds on the integrals I(d, y) of a window, for all |y| up to a reach, and for all y < 0.
#[derive(Clone, Debug)]
pub(super) struct Shifted {
    mu: f64,
    /// The largest d.
    widest: f64,
    cells: Vec<Cell>,
    /// The steepness of the last step.
    steepness: f64,
    /// ln of the integrand at both ends, without steps and phase, and ζ₁ at the right one.
    log_ends: [f64; 2],
    last_power: f64,
    log_from: f64,
}

/// What is known on one cell.
#[derive(Clone, Copy, Debug)]
struct Cell {
    /// An upper bound on ln(φ·r^(1+c)·min(ζ₀, 2)), times the width.
    log_height: f64,
    /// ζ₁ at the left end.
    power: f64,
    /// p at both ends.
    shares: [f64; 2],
}

impl Shifted {
    pub(super) fn new(window: &Windowed, c: f64, reach: f64, effort: &Effort) -> Option<Self> {
        let (a, Windowed { law, from, to }) = (1.0 + c, *window);
        let steepest = from.map_or(0.0, |step| step.steepness).max(to.steepness);
        let widest = (1.05 / steepest).min(2.8 / law.mu).min(4.0);
        // Beyond the last cell −x + aμ − κ₁ζ₁·cos κ₁d ≤ −1, and ζ₁·cos κ₁d outweighs y·arg r. cos
        // 1.05 > 0.497.
        let enough = outweighing((a * law.mu + 50.0) / to.steepness) + reach * law.mu * widest;
        let last = to.place(2.02 * enough).max(LEFT + 1.0);
        let log_from = |x: f64| {
            from.map_or(0.0, |step| (step.steepness * (x - step.at)).min(core::f64::consts::LN_2) + 1e-9)
        };
        let mut cells = Vec::new();
        let mut left = law.node(LEFT, a);
        let log_start = left.log_height;
        while left.x < last {
            // Steep slopes take narrow cells, unless nothing is left any more.
            let power = to.power(left.x);
            let slope = a * law.mu * left.share + if power < 1e3 { to.steepness * power } else { 0.0 };
            let right = law.node(left.x + CELL.min(2.0 / slope), a);
            let width = right.x - left.x;
            let least_slope = -right.x + a * law.mu * left.share;
            let greatest_slope = -left.x + a * law.mu * right.share;
            let from_left = left.log_height + greatest_slope.max(0.0) * width;
            let from_right = right.log_height - least_slope.min(0.0) * width;
            cells.push(Cell {
                log_height: from_left.min(from_right) + log_from(right.x) + libm::log(width),
                power,
                shares: [left.share, right.share],
            });
            left = right;
            if cells.len() > MOST_CELLS {
                return None;
            }
        }
        // The cells, and the integrals over them that choose a rule.
        let integrals = if reach > 0.0 { 32.0 } else { 3.0 };
        if !effort.allows((100.0 + 25.0 * integrals) * float(cells.len())) {
            return None;
        }
        Some(Self {
            mu: law.mu,
            widest,
            cells,
            steepness: to.steepness,
            log_ends: [log_start, left.log_height],
            last_power: to.power(left.x),
            log_from: log_from(LEFT),
        })
    }

    /// An upper bound on ln I(d, y).
    fn log_integral(&self, d: f64, y: f64) -> f64 {
        let theta = self.mu * d;
        let (sine, cosine) = libm::sincos(theta);
        let steady = libm::cos(self.steepness * d) * (1.0 - 1e-9);
        // The argument rises: where it hurts the right end counts, where it helps the left one.
        // Shares are known to seven digits.
        let (end, slack) = if y > 0.0 { (1, 1.0 + 1e-6) } else { (0, 1.0 - 1e-6) };
        let turned = |share: f64| libm::atan2(share * sine, 1.0 - share + share * cosine);
        let logs: Vec<f64> = self
            .cells
            .iter()
            .map(|cell| {
                let phase = if y == 0.0 { 0.0 } else { slack * y * turned(cell.shares[end].min(1.0)) };
                cell.log_height - steady * cell.power + phase
            })
            .collect();
        let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = logs.iter().map(|log| libm::exp(log - top)).sum();
        // ∫ φ before −t is at most φ(t)/t, r is smaller there, and so is its argument.
        let before = libm::exp(
            self.log_ends[0] + self.log_from + (slack * y * turned(self.cells[0].shares[1])).max(0.0) - top,
        ) / -LEFT;
        let beyond = libm::exp(
            self.log_ends[1] + core::f64::consts::LN_2 - steady * self.last_power + (y * theta).max(0.0)
                - top,
        );
        d * d / 2.0 - 0.918_938_533_204_672_7 + top + libm::log(sum + before + beyond) + 1e-3
    }

    /// An upper bound on ln |M(c+iy)| for all y from `reach` on.
    pub(super) fn log_decay(&self, reach: f64) -> f64 {
        [1.0, 0.6]
            .into_iter()
            .map(|part| self.log_integral(part * self.widest, -reach))
            .fold(f64::INFINITY, f64::min)
    }

    /// A d, a step, and ln of the error of the trapezoidal rule for |y| ≤ reach, which is near
    /// e^−accuracy of M(c).
    fn rule(&self, reach: f64, accuracy: f64) -> (f64, f64, f64) {
        let log_moment = self.log_integral(0.0, 0.0);
        let log_error = |d: f64, step: f64| {
            let exponent = TAU * d / step;
            core::f64::consts::LN_2 + self.log_integral(d, reach)
                - exponent
                - libm::log1p(-libm::exp(-exponent))
        };
        let mut best = (0.0, 0.0);
        for halvings in 0..if reach > 0.0 { 30 } else { 1 } {
            let d = self.widest * libm::exp2(-0.5 * f64::from(halvings));
            let growth = (self.log_integral(d, reach) - log_moment).max(0.0);
            let step = TAU * d / (growth + accuracy + 1.0);
            if step > best.1 {
                best = (d, step);
            }
        }
        // Rounded down to a dyadic number, so that the nodes are exact.
        let step = libm::floor(best.1 * 1_048_576.0) / 1_048_576.0;
        (best.0, step, log_error(best.0, step))
    }
}
