//! The moments of a Poisson-sampled Gaussian mechanism, by a trapezoidal rule with a proven error.
//!
//! With r(x) = 1 − q + q·e^(μx−μ²/2), the ratio of (1−q)·N(0,1) + q·N(μ,1) to N(0,1), both
//! directions are moments of r under N(0,1):
//!
//! > remove: M(s) = E r^(1+s),  loss ln r;  add: M(s) = E r^(−s),  loss −ln r.
//!
//! **Quadrature.** f(x) = φ(x)·r(x)^a is analytic for |Im x| < π/μ, where r does not vanish. For a
//! trapezoidal rule of step h and any d below that, the error is at most (∫|f(x+id)|dx +
//! ∫|f(x−id)|dx)/(e^(2πd/h) − 1) (Trefethen and Weideman 2014, Theorem 5.1). With θ = μd: |φ(x+id)|
//! = φ(x)·e^(d²/2); |r(x+id)| ≤ r(x), and ≥ cos(θ/2)·r(x) because |A + Be^(iθ)|² − ½(1+cos θ)(A+B)²
//! = ½(1−cos θ)(A−B)² ≥ 0; its argument is at most θ. So relative to M(Re s) the error is at most
//! 2·e^(d²/2 + |y|θ)·cos(θ/2)^(−(−Re a)₊)/(e^(2πd/h) − 1).
//!
//! **Cut.** d/dx ln f = −x + aμp(x), where p = q·e^u/r lies in [0, 1]. Beyond x = (aμ)₊ + t, and
//! before (aμ)₋ − t, ln f falls with a slope of at least t, so what is cut off there is a geometric
//! series.
//!
//! **Rounding.** The nodes are exact: multiples of a step with 16 binary digits after the point.
//! The rest is bounded term by term.

use dp_core::rounding::Enclosure;

use crate::sampling::Direction;

use super::UNIT;
use super::cloud::{Cloud, Point, relative};
use super::components::Components;
use super::effort::Effort;
use super::measure::Moments;

/// A Poisson-sampled Gaussian mechanism, in one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SampledGaussian {
    pub(crate) rate: f64,
    pub(crate) mu: f64,
    pub(crate) direction: Direction,
}

/// More nodes than that, and the quadrature is not worth it.
const MOST_NODES: f64 = 60_000.0;
/// The width of the blocks in which nodes are kept or skipped.
const BLOCK: f64 = 0.25;
/// More blocks than that are not looked at.
const MOST_BLOCKS: f64 = 20_000.0;
/// So few are all kept.
const FEW_BLOCKS: f64 = 160.0;
/// −ln of the relative error that the quadrature and the cut may have, at most.
pub(super) const FINEST: f64 = 37.0;

/// How far beyond the last hump the nodes go for an accuracy: to where e^(−t²/2) is smaller.
fn beyond(accuracy: f64) -> f64 {
    (2.0 * accuracy).sqrt() + 0.2
}

impl SampledGaussian {
    /// The exponent of r in the tilted law at c.
    fn exponent(self, c: f64) -> f64 {
        match self.direction {
            Direction::Remove => 1.0 + c,
            Direction::Add => -c,
        }
    }

    /// The step, and the quadrature's error relative to M(c), for |y| ≤ reach.
    fn rule(self, exponent: f64, reach: f64, accuracy: f64) -> (f64, f64) {
        let below_zero = (-exponent).max(0.0);
        // θ = 2.8 of π for positive exponents; smaller for negative ones, where −a·ln cos(θ/2)
        // grows.
        let widest: f64 = if below_zero > 0.0 { (8.0 / below_zero).sqrt().min(1.8) } else { 2.8 };
        let d = (widest / self.mu).min(8.5);
        let theta = self.mu * d * 1.000_000_1;
        let growth = d * d / 2.0 + reach * theta - below_zero * libm::log(libm::cos(theta / 2.0));
        let step = core::f64::consts::TAU * d / (growth + accuracy);
        // Rounded down to a dyadic number, so that the nodes are exact.
        let step = libm::floor(step * 65_536.0) / 65_536.0;
        let error = 2.0 * libm::exp(growth - core::f64::consts::TAU * d / step) * 1.001;
        (step, error)
    }

    /// ln M(c) to a relative error of about e^−accuracy, if not e^−37. Nothing when it takes too
    /// many nodes.
    pub(super) fn moments(self, c: f64, accuracy: f64, effort: &Effort) -> Option<Moments> {
        let (a, sign, accuracy) = (self.exponent(c), self.sign(), accuracy.min(FINEST));
        let (step, quadrature_error) = self.rule(a, 0.0, accuracy);
        let blocks = self.blocks(a, accuracy, effort)?;
        let nodes = blocks.count(step);
        if !(nodes < MOST_NODES && quadrature_error < 1e-6 && effort.allows(85.0 * nodes + 300.0)) {
            return None;
        }
        // Heights relative to the highest one so far, nearly: a tilt may be enormous.
        let (mut top, mut count, mut total, mut error) = (f64::NEG_INFINITY, 0.0, 0.0, 0.0);
        let (mut first, mut second) = (0.0, 0.0);
        blocks.for_each_node(step, |x| {
            let node = self.node(x, a);
            if node.log_height > top + 30.0 {
                let scale = libm::exp(top - node.log_height);
                for sum in [&mut total, &mut error, &mut first, &mut second] {
                    *sum *= scale;
                }
                top = node.log_height;
            }
            let weight = libm::exp(node.log_height - top);
            let loss = sign * node.log_ratio;
            count += 1.0;
            total += weight;
            first += weight * loss;
            second += weight * loss * loss;
            // The height is rounded once more, the exponential is right to three ulps, and each
            // scale to a few.
            error +=
                weight * relative(node.log_height_error + (node.log_height.abs() + top.abs() + 16.0) * UNIT);
        });
        let missing = quadrature_error + blocks.missing(step, top + libm::log(total))?;
        let error = 1.01 * (error / total + 2.0 * (count + 8.0) * UNIT) + missing;
        // The step and √(2π) belong to each mass.
        let (mean, root) = (first / total, Enclosure::new(0.918_938_533_204_672_6, 0.918_938_533_204_672_9));
        let log_moment = Enclosure::new(total.next_down(), total.next_up()).ln()
            + Enclosure::point(top)
            + (Enclosure::point(step).ln() - root)
            + Enclosure::new(-1.01 * error, 1.01 * error);
        Some(Moments { c, log_moment, mean, variance: (second / total - mean * mean).max(0.0) })
    }

    /// The tilted law at c, good for |y| ≤ reach, and its uniform components. Nothing when it takes
    /// too many nodes.
    pub(super) fn tilt(self, c: f64, reach: f64, effort: &Effort) -> Option<(Cloud, Components)> {
        let (a, sign) = (self.exponent(c), self.sign());
        let (step, quadrature_error) = self.rule(a, reach, FINEST);
        let blocks = self.blocks(a, FINEST, effort)?;
        let nodes = blocks.count(step);
        if !(nodes < MOST_NODES && quadrature_error < 1e-6 && effort.allows(280.0 * nodes + 800.0)) {
            return None;
        }
        let mut nodes = Vec::new();
        blocks.for_each_node(step, |x| nodes.push(self.node(x, a)));
        // The step and √(2π) belong to each mass; they are added once. ln √(2π) =
        // 0.918938533204672741780…
        let scale = libm::log(step) - 0.918_938_533_204_672_8;
        let points: Vec<Point> = nodes
            .iter()
            .map(|node| Point {
                loss: sign * node.log_ratio,
                loss_error: node.log_ratio_error,
                log_mass: node.log_height + scale,
                log_mass_error: node.log_height_error
                    + (node.log_height.abs() + 3.0 * scale.abs() + 4.0) * UNIT,
            })
            .collect();
        let cloud = Cloud::new(&points, quadrature_error);
        let log_total = cloud.moments(c).log_moment.lo();
        let cloud = cloud.missing(blocks.missing(step, log_total - scale)?);
        let log_integral = log_total - scale + libm::log(step);
        Some((cloud, self.components(&nodes, a, step, log_integral)))
    }

    /// The loss is ln r or −ln r.
    fn sign(self) -> f64 {
        if self.direction == Direction::Remove { 1.0 } else { -1.0 }
    }

    /// Where f matters: blocks of nodes on which it may exceed e^(−5−accuracy) of its largest
    /// value, divided by the number of blocks.
    ///
    /// On a block d/dx ln f = −x + aμp(x) is at most −x_left + aμp at one of its ends, p being
    /// monotone.
    fn blocks(self, a: f64, accuracy: f64, effort: &Effort) -> Option<Blocks> {
        let (shifted, beyond) = (a * self.mu, beyond(accuracy));
        // Multiples of a quarter, like the blocks: whether a node lies in a block is then decided
        // exactly.
        let first = libm::floor((shifted.min(0.0) - beyond) / BLOCK) * BLOCK;
        let last = shifted.max(0.0) + beyond;
        if last - first >= MOST_BLOCKS * BLOCK || shifted.is_nan() {
            return None;
        }
        if last - first < FEW_BLOCKS * BLOCK {
            // Not worth a look: all in one.
            let end = first + libm::ceil((last - first) / BLOCK) * BLOCK;
            let log_ends = self.node(first, a).log_height.max(self.node(end, a).log_height);
            let log_ends = log_ends + core::f64::consts::LN_2;
            return Some(Blocks {
                kept: vec![(first, end)],
                log_skipped: f64::NEG_INFINITY,
                log_ends,
                beyond,
            });
        }
        if !effort.allows(90.0 * (last - first) / BLOCK) {
            return None;
        }
        let mut bounds = Vec::new();
        let (mut left, mut highest) = (self.node(first, a), f64::NEG_INFINITY);
        let log_first = left.log_height;
        while left.x < last {
            let right = self.node(left.x + BLOCK, a);
            let slope = -left.x + (shifted * left.share).max(shifted * right.share);
            bounds.push((left.x, left.log_height + slope.max(0.0) * BLOCK * 1.000_001));
            highest = highest.max(left.log_height);
            left = right;
        }
        // All that is skipped together is to be negligible.
        #[allow(clippy::cast_precision_loss, reason = "at most MOST_BLOCKS")]
        let limit = highest - accuracy - 5.0 - libm::log(bounds.len() as f64);
        let (kept, skipped): (Vec<_>, Vec<_>) = bounds.into_iter().partition(|(_, bound)| *bound > limit);
        // At most this many times e^limit.
        #[allow(clippy::cast_precision_loss, reason = "at most MOST_BLOCKS")]
        let log_skipped = limit + libm::log(skipped.len() as f64 + 1e-300);
        let log_ends = left.log_height.max(log_first) + core::f64::consts::LN_2;
        let kept = kept.into_iter().map(|(start, _)| (start, start + BLOCK)).collect();
        Some(Blocks { kept, log_skipped, log_ends, beyond })
    }

    /// r and f at a node.
    pub(super) fn node(self, x: f64, a: f64) -> Node {
        let (q, mu) = (self.rate, self.mu);
        let half = mu * mu / 2.0;
        let u = mu * x - half;
        let u_error = (2.0 * (mu * x).abs() + 2.0 * half + u.abs()) * UNIT;
        let (log_ratio, own_error, share) = if u < 30.0 {
            let risen = libm::expm1(u);
            let excess = q * risen;
            let ratio = 1.0 + excess;
            // e^u to eight digits at least, which is more than its uses need.
            let power = if u > -20.0 { 1.0 + risen } else { libm::exp(u) };
            (libm::log1p(excess), 8.0 * UNIT * excess.abs() / ratio, q * power / ratio)
        } else {
            let (log_q, rest) = (libm::log(q), (1.0 - q) / q * libm::exp(-u));
            // u + ln q + ln(1 + (1−q)/q·e^−u)
            let error = (4.0 * log_q.abs() + 2.0 * u.abs() + 8.0 * rest / (1.0 + rest)) * UNIT;
            (u + log_q + libm::log1p(rest), error, 1.0 / (1.0 + rest))
        };
        let log_ratio_error = share.min(1.0) * 1.01 * u_error + own_error + 4.0 * UNIT * log_ratio.abs();
        let (square, power) = (x * x / 2.0, a * log_ratio);
        let log_height = power - square;
        let log_height_error =
            a.abs() * log_ratio_error + (2.0 * square + 3.0 * power.abs() + log_height.abs()) * UNIT;
        Node { x, log_ratio, log_ratio_error, share, log_height, log_height_error }
    }

    /// Lower bounds on the tilted density of the loss: f/(μp), between nodes.
    ///
    /// d/dx ln(f/p) = −x + μ((a+1)p − 1), and p rises, which bounds the slope on a cell and with it
    /// the least value.
    fn components(self, nodes: &[Node], a: f64, step: f64, log_integral: f64) -> Components {
        let log_density =
            |node: &Node| node.log_height - libm::log(self.mu * node.share.max(f64::MIN_POSITIVE));
        let mut edges: Vec<f64> = nodes.iter().map(|node| node.log_ratio).collect();
        let mut densities: Vec<f64> = nodes
            .windows(2)
            .map(|cell| {
                let [left, right] = cell else { return 0.0 };
                if right.x - left.x > 1.5 * step {
                    return 0.0; // nothing is known between two kept blocks
                }
                let ends = [(a + 1.0) * left.share, (a + 1.0) * right.share];
                let least_slope = -right.x + self.mu * (ends[0].min(ends[1]) - 1.0);
                let greatest_slope = -left.x + self.mu * (ends[0].max(ends[1]) - 1.0);
                let from_left = log_density(left) + least_slope.min(0.0) * step;
                let from_right = log_density(right) - greatest_slope.max(0.0) * step;
                libm::exp(from_left.max(from_right) - log_integral)
            })
            .collect();
        if self.direction == Direction::Add {
            edges.iter_mut().for_each(|edge| *edge = -*edge);
            edges.reverse();
            densities.reverse();
        }
        Components::new(&edges, &densities)
    }
}

/// The blocks of nodes that are looked at.
struct Blocks {
    /// From where to where each goes, rising. Their ends are multiples of a quarter.
    kept: Vec<(f64, f64)>,
    /// ln of the sum of bounds on f over the others.
    log_skipped: f64,
    /// ln of what f has at both ends together.
    log_ends: f64,
    /// How fast ln f falls beyond the ends, at least.
    beyond: f64,
}

impl Blocks {
    /// About how many nodes there are.
    fn count(&self, step: f64) -> f64 {
        self.kept.iter().map(|(start, end)| (end - start) / step).sum()
    }

    /// The nodes are the multiples of the step.
    fn for_each_node(&self, step: f64, mut look: impl FnMut(f64)) {
        for (start, end) in &self.kept {
            let mut index = libm::ceil(start / step);
            while index * step < *end {
                look(index * step);
                index += 1.0;
            }
        }
    }

    /// A bound on what all other nodes would add, relative to the sum over those looked at. Nothing
    /// when that is much.
    fn missing(&self, step: f64, log_sum: f64) -> Option<f64> {
        // In each skipped block at most (its width + a step) times the bound on f.
        let skipped = (BLOCK / step + 1.0) * libm::exp(self.log_skipped - log_sum);
        // Σ f beyond an end is at most f/(1 − e^(−th)) ≤ f·(1/th + 1).
        let cut = (1.0 / (self.beyond * step) + 1.0) * libm::exp(self.log_ends - log_sum);
        (skipped + cut < 1e-6).then_some(1.01 * (skipped + cut))
    }
}

/// What is known at one node of the quadrature.
pub(super) struct Node {
    pub(super) x: f64,
    /// ln r.
    pub(super) log_ratio: f64,
    pub(super) log_ratio_error: f64,
    /// p = q·e^u/r.
    pub(super) share: f64,
    /// ln r^a − x²/2.
    pub(super) log_height: f64,
    pub(super) log_height_error: f64,
}
