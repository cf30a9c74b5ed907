//! A second accountant: composition on a lattice, by Fourier transforms. Whole profiles, with every
//! error in the bounds.
//!
//! It shares discretisation with the accountant of `dp-accounting`, and nothing that composes: what
//! both enclose is held against each other.
//!
//! 1. Each pair is replaced by finitely many losses on a lattice top − s·h, from above and from
//!    below. Bounds of the pairs are bounds of the composition.
//! 2. The dots are tilted by e^(θt), with θ near the saddle point of the query (`saddle.rs`): then
//!    the composition has its bulk where the answer is made, and δ is accurate relatively, however
//!    small.
//! 3. Transforms, powers and a product compose them (`transform.rs`), in a window outside of which
//!    a Chernoff bound leaves next to nothing (`window.rs`).
//! 4. One pass turns the masses into the profile at every lattice point (`curve.rs`).
//!
//! Losses that are infinite, or beyond the range of the lattice, count as lost: with finite masses
//! Fᵢ and infinite Iᵢ the composition loses Π(Fᵢ+Iᵢ)^kᵢ − ΠFᵢ^kᵢ.
//!
//! The step follows from the accuracy. Dots add about θ(θ+1)h²/12 to the cumulant of each pair from
//! above and take half of that from below, which in ε is (θ+1)h²/8 between them per pair; the gap
//! is measured, and the step refined until it is as asked for or the lattice has reached its
//! largest size. Then the bracket is wider than asked for, and still a bracket.

mod curve;
mod part;
mod profile;
mod saddle;
#[cfg(test)]
mod tests;
mod tilt;
mod transform;
mod window;

use dp_core::pairs::DominatingPair;
use dp_core::rounding::{Enclosure, add_up, mul_up};
use realfft::num_traits::AsPrimitive;

pub use profile::{Profile, profile};

use curve::{Composition, Curve};
use part::{Part, Range, Side, on_lattice};
use saddle::{Cumulants, Saddle};
use tilt::Tilted;
use transform::Transforms;
use window::Window;

/// Pairs and how often each occurs, all in one direction.
pub type Parts<'a> = [(&'a dyn DominatingPair, u64)];

/// The largest transform: some tens of megabytes.
const LARGEST: usize = 1 << 20;
/// The largest number of dots of all pairs together.
const LARGEST_TOTAL: usize = 1 << 22;

/// The nearest float.
fn float<T: AsPrimitive<f64>>(number: T) -> f64 {
    number.as_()
}

/// Encloses a count.
fn exact(count: u64) -> Enclosure {
    let nearest = float(count);
    if count < 1 << 53 {
        Enclosure::point(nearest)
    } else {
        Enclosure::new(nearest.next_down(), nearest.next_up())
    }
}

/// What is asked of a composition.
#[derive(Clone, Copy, Debug)]
enum Query {
    /// δ at an ε.
    Delta(f64),
    /// ε at a δ.
    Epsilon(f64),
}

/// A lattice on which the atoms of all pairs lie: nothing is lost then.
///
/// The losses of each pair differ by multiples of the step. Those of a pair that has no largest
/// loss are the offset and multiples of the step. Were this not so, the bounds would be wider, and
/// still bounds.
#[derive(Clone, Copy, Debug)]
pub struct Spacing {
    /// The distance between neighbouring points.
    pub step: f64,
    /// A loss that lies on the lattice.
    pub offset: f64,
}

/// Encloses δ(ε) of a composition, to a relative accuracy where the lattice allows it.
#[must_use]
pub fn delta(parts: &Parts, epsilon: f64, accuracy: f64, spacing: Option<Spacing>) -> Enclosure {
    if epsilon.is_nan() {
        return Enclosure::new(0.0, 1.0);
    }
    if epsilon >= largest_loss(parts) {
        return Enclosure::ZERO;
    }
    bounds(parts, Query::Delta(epsilon), accuracy, spacing).delta(epsilon)
}

/// Encloses the least ε ≥ 0 with δ(ε) ≤ `delta`, to a relative accuracy where the lattice allows
/// it.
#[must_use]
pub fn epsilon(parts: &Parts, delta: f64, accuracy: f64, spacing: Option<Spacing>) -> Enclosure {
    if delta >= 1.0 {
        return Enclosure::ZERO;
    }
    let largest = largest_loss(parts);
    if delta > 0.0 {
        return bounds(parts, Query::Epsilon(delta), accuracy, spacing).epsilon(delta, largest);
    }
    // Not less than at any positive δ.
    let lower = bounds(parts, Query::Epsilon(1e-200), accuracy, spacing).epsilon(1e-200, largest).lo();
    Enclosure::new(lower, largest)
}

/// An upper bound on the sum of the losses.
fn largest_loss(parts: &Parts) -> f64 {
    let of = |&(pair, count): &(&dyn DominatingPair, u64)| {
        if count == 0 { 0.0 } else { mul_up(exact(count).hi(), pair.max_loss()) }
    };
    parts.iter().map(of).fold(0.0, add_up)
}

/// A profile between two curves.
#[derive(Clone, Debug)]
struct Bounds {
    upper: Curve,
    lower: Curve,
}

impl Bounds {
    fn delta(&self, epsilon: f64) -> Enclosure {
        Enclosure::new(self.lower.delta(epsilon), self.upper.delta(epsilon))
    }

    fn epsilon(&self, delta: f64, largest: f64) -> Enclosure {
        invert(|epsilon| self.delta(epsilon), delta, largest)
    }

    /// How wide the answer to a query is, relatively.
    fn gap(&self, query: Query, largest: f64) -> f64 {
        match query {
            Query::Delta(epsilon) => self.delta(epsilon),
            Query::Epsilon(delta) => self.epsilon(delta, largest),
        }
        .relative_width()
    }
}

/// Encloses the least ε ≥ 0 at which an enclosed profile falls to a level, given a bound on all
/// losses.
///
/// Both ends are judged where they are: at the upper one the upper bound is at most the level
/// (or no loss is larger), at the lower one the lower bound is above it (or it is 0).
fn invert(profile: impl Fn(f64) -> Enclosure, level: f64, largest: f64) -> Enclosure {
    if profile(f64::INFINITY).lo() > level {
        return Enclosure::point(f64::INFINITY);
    }
    let upper = first_at_most(|epsilon| profile(epsilon).hi(), level, largest);
    // Downwards from the upper end: a curve is sharp around its own saddle point and may say
    // nothing far from it.
    let (mut high, mut low) = (upper.min(1e12), 0.0);
    for exponent in -50..=0 {
        let candidate = upper.min(1e12) * (1.0 - libm::ldexp(1.0, exponent));
        if profile(candidate).lo() > level {
            low = candidate;
            break;
        }
        high = candidate;
    }
    for _ in 0..60 {
        let middle = low + (high - low) / 2.0;
        if profile(middle).lo() > level { low = middle } else { high = middle }
    }
    Enclosure::new(if profile(low).lo() > level { low } else { 0.0 }, upper)
}

/// Approximately the least argument ≥ 0 at which a falling function is at most a level; at most
/// `largest`, and infinite where there is none.
fn first_at_most(falling: impl Fn(f64) -> f64, level: f64, largest: f64) -> f64 {
    if falling(0.0) <= level {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, if largest.is_finite() { largest } else { 1.0 });
    while high < largest && falling(high) > level {
        low = high;
        high *= 2.0;
        if high > 1e12 {
            return largest;
        }
    }
    for _ in 0..100 {
        // Geometric as long as the ends differ in magnitude.
        let middle = if high > 32.0 * low { high / 16.0 } else { low + (high - low) / 2.0 };
        if !(low < middle && middle < high) || high < 1e-300 {
            break;
        }
        if falling(middle) > level { low = middle } else { high = middle }
    }
    high.min(largest)
}

/// Both curves, fit for a query.
fn bounds(parts: &Parts, query: Query, accuracy: f64, spacing: Option<Spacing>) -> Bounds {
    let spacing = spacing.filter(|it| it.step > 0.0 && it.step.is_finite() && it.offset.is_finite());
    let parts: Vec<_> = parts.iter().copied().filter(|(_, count)| *count > 0).collect();
    let largest = largest_loss(&parts);
    let accuracy = if accuracy > 0.0 { accuracy.min(0.5) } else { 1e-4 };
    let saddle = Cumulants::new(&parts).find(query);
    let count: f64 = parts.iter().map(|(_, count)| float(*count)).sum();
    let delta = libm::exp(saddle.ln_delta.clamp(-500.0, 0.0));
    let tolerance = 1e-3 * accuracy / count.max(1.0);
    let parts: Vec<Part> = parts
        .iter()
        .map(|&(pair, count)| {
            let mut range = Range::of(pair, tolerance, tolerance * delta);
            if let Some(Spacing { step, offset }) = spacing.filter(|_| pair.max_loss().is_infinite()) {
                range.last = offset + libm::ceil((range.last - offset) / step) * step;
            }
            Part { pair, count, range }
        })
        .collect();

    let plan = Plan::new(&parts, saddle, query, accuracy, count, spacing.map(|it| it.step));
    let mut step = plan.first;
    let mut transforms = None;
    let mut attempts = 0;
    let mut best: Option<(f64, Bounds)> = None;
    loop {
        let found = Bounds {
            upper: compose(&parts, step, saddle, Side::Above, LARGEST, &mut transforms),
            lower: compose(&parts, step, saddle, Side::Below, LARGEST, &mut transforms),
        };
        let gap = found.gap(query, largest);
        attempts += 1;
        let next = plan.refined(step, gap);
        let (gap, found) = best.take().filter(|(least, _)| *least <= gap).unwrap_or((gap, found));
        if gap <= accuracy || attempts == 5 || next >= step {
            return found;
        }
        best = Some((gap, found));
        step = next;
    }
}

/// The steps to try.
struct Plan {
    first: f64,
    /// The step that the estimate asks for, the least that the sizes allow, and one on which atoms
    /// lie, if any.
    wanted: f64,
    least: f64,
    unit: Option<f64>,
    accuracy: f64,
}

impl Plan {
    fn new(
        parts: &[Part],
        saddle: Saddle,
        query: Query,
        accuracy: f64,
        count: f64,
        unit: Option<f64>,
    ) -> Self {
        let Saddle { point, deviation, .. } = saddle;
        let ranges = parts.iter().map(|part| part.range.last - part.range.first);
        let widest = ranges.clone().fold(0.0, f64::max);
        let least = (17.0 * deviation / float(LARGEST))
            .max(ranges.sum::<f64>() / float(LARGEST_TOTAL))
            .max(widest / float(LARGEST))
            .max(1e-12);
        let allowed = match query {
            Query::Epsilon(_) => saddle.epsilon.max(0.01 * deviation),
            Query::Delta(_) => 1.0 / point,
        };
        let smooth = libm::sqrt(4.0 * accuracy * allowed / (count.max(1.0) * (1.0 + point)));
        let wanted = smooth.min(widest / 8.0).max(least);
        // A largest loss is a unit of the lattice, so that ± that loss lie on it.
        let finite =
            parts.iter().map(|part| part.pair.max_loss()).filter(|loss| loss.is_finite()).fold(0.0, f64::max);
        let unit = unit.or((finite > 0.0).then_some(finite));
        let mut plan = Self { first: wanted, wanted, least, unit, accuracy };
        plan.first = match unit {
            Some(unit) if unit >= least => unit,
            _ => wanted,
        };
        plan
    }

    /// A step that should do after one that left a gap.
    fn refined(&self, step: f64, gap: f64) -> f64 {
        let factor = (0.8 * libm::sqrt(self.accuracy / gap)).clamp(0.02, 0.7);
        let step = if step > self.wanted { self.wanted } else { step * factor };
        self.aligned(step).max(self.least)
    }

    /// A step near the wanted one of which the unit is a multiple.
    fn aligned(&self, step: f64) -> f64 {
        self.unit.map_or(step, |unit| if unit > step { unit / libm::ceil(unit / step) } else { step })
    }
}

/// One side of the profile, by transforms of at most the largest length.
fn compose(
    parts: &[Part],
    step: f64,
    saddle: Saddle,
    side: Side,
    largest: usize,
    transforms: &mut Option<Transforms>,
) -> Curve {
    let tilt = saddle.tilt.min(4.0 / step); // more would leave a single point of the lattice
    let (mut top, mut log_scale) = (Enclosure::ZERO, Enclosure::ZERO);
    let (mut ln_total, mut ln_kept) = (Enclosure::ZERO, Enclosure::ZERO);
    let mut measures = Vec::with_capacity(parts.len());
    for part in parts {
        let measure = on_lattice(part, step, side);
        let count = exact(part.count);
        let finite = sum(&measure.masses);
        ln_total = ln_total + count * (finite + Enclosure::point(measure.infinite)).ln();
        // F/(F+I), without loss for a small I
        let infinite = Enclosure::point(measure.infinite);
        let lost = if finite.lo() > 0.0 {
            (infinite / finite).ln_1p()
        } else {
            -(finite / (finite + infinite)).ln()
        };
        ln_kept = ln_kept - count * lost.max(Enclosure::ZERO);
        let tilted = Tilted::new(&measure, part.count, step, tilt, side);
        top = top + count * Enclosure::point(measure.top);
        log_scale = log_scale + count * Enclosure::point(tilted.log_scale);
        measures.push(tilted);
    }
    // Π(F+I)ᵏ·(1 − Π(F/(F+I))ᵏ)
    let infinite = (ln_total.exp() * -ln_kept.exp_m1()).max(Enclosure::ZERO);

    let window = Window::around(&measures, largest);
    let plan = match transforms.take().filter(|plan| plan.length() == window.length) {
        Some(plan) => plan,
        None => Transforms::new(window.length),
    };
    let (masses, error) = plan.compose(&measures);
    *transforms = Some(plan);
    Curve::new(Composition { side, tilt, step, top, log_scale, infinite, window, masses, error })
}

/// Encloses a sum of masses.
fn sum(masses: &[f64]) -> Enclosure {
    masses.iter().fold(Enclosure::ZERO, |sum, &mass| sum + Enclosure::point(mass))
}
