//! Where the losses of a pair lie, and their dots on a lattice.

use dp_core::pairs::DominatingPair;
use dp_core::rounding::{mul_down, mul_up, sub_down, sub_up};

use dp_accounting::internals::{Discretised, above, below};

use super::float;

/// A pair, how often it occurs, and the ends of its losses that matter.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    pub pair: &'a dyn DominatingPair,
    pub count: u64,
    pub range: Range,
}

/// The losses that matter: less than a negligible mass lies below the first, and less than a
/// negligible profile is left at the last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub first: f64,
    pub last: f64,
}

impl Range {
    /// Finds the range of a pair for a mass that may be lost at the lower end and a profile that
    /// may be left at the upper end.
    ///
    /// A finite largest loss is the last one, so that an atom there lies on the lattice. Nothing
    /// depends on the accuracy of the search: what is outside of the range is accounted for.
    pub(super) fn of(pair: &dyn DominatingPair, mass: f64, profile: f64) -> Self {
        let lost = pair.delta(f64::INFINITY).hi() * (1.0 + 1e-12);
        let largest = pair.max_loss();
        let negligible = |loss: f64| pair.delta(loss).hi() - lost <= profile;
        let last = if largest.is_finite() && largest < 1e6 && !negligible(largest / 2.0) {
            largest
        } else {
            magnitude(negligible)
        };
        let mass = mass.max(1e-14); // a distribution function near 0 is one minus a float
        let first = -magnitude(|loss| pair.loss_distribution(-loss).hi() <= mass);
        Self { first, last: last.max(first / 1024.0) }
    }
}

/// Approximately the least magnitude from which on a condition holds; at most 2¹⁴, beyond which it
/// does not matter.
fn magnitude(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (f64::NAN, 1.0);
    while !holds(high) {
        low = high;
        high *= 2.0;
        if high > 16_384.0 {
            return high;
        }
    }
    while low.is_nan() && high > 1e-12 {
        if holds(high / 4.0) { high /= 4.0 } else { low = high / 4.0 }
    }
    while high > low * 1.01 {
        let middle = libm::sqrt(low * high);
        if holds(middle) { high = middle } else { low = middle }
    }
    high
}

/// Which way a bound errs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Side {
    Above,
    Below,
}

/// Masses at the losses top − s·step, s = 0, 1, …, taken as exact reals.
pub(super) struct OnLattice {
    pub top: f64,
    /// The mass at top − s·step is `masses[s]`.
    pub masses: Vec<f64>,
    pub infinite: f64,
}

/// The dots of a pair on the lattice of a step that ends where its losses end.
///
/// The dots lie on floats, the lattice on reals: above, a float is rounded down, for a loss that
/// moves up to the lattice only raises the profile; below, up.
///
/// From below no mass can be put on more than the largest loss, which is known up to rounding: the
/// lattice then ends a hair below it, where there certainly is something left.
pub(super) fn on_lattice(part: &Part, step: f64, side: Side) -> OnLattice {
    let Range { first, last } = part.range;
    let top = match side {
        Side::Above => last,
        Side::Below => certain_top(part.pair, last),
    };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    // positive, and bounded by the caller's choice of the step
    let cells = (libm::ceil((top - first) / step - 1e-6) as usize).max(1);
    let point = |s: usize| match side {
        Side::Above => sub_down(top, mul_up(float(s), step)),
        Side::Below => sub_up(top, mul_down(float(s), step)),
    };
    let grid: Vec<f64> = (0..=cells).rev().map(point).collect();
    debug_assert!(
        grid.windows(2).all(|cell| cell[0] < cell[1]),
        "the step is a millionth of the range, or more"
    );
    let Discretised { losses, mut masses, infinite } = match side {
        Side::Above => above(part.pair, &grid),
        Side::Below => below(part.pair, &grid),
    };
    masses.resize(masses.len() + (grid.len() - losses.len()), 0.0);
    masses.reverse();
    OnLattice { top, masses, infinite }
}

/// The largest of some losses just below `last` which the pair certainly exceeds with a good part
/// of the probability that is there.
fn certain_top(pair: &dyn DominatingPair, last: f64) -> f64 {
    for exponent in [-52, -50, -47, -44, -40, -35, -30] {
        let loss = last - last.abs() * libm::ldexp(1.0, exponent);
        let (tail, delta) = (pair.tail(loss), pair.delta(loss));
        if loss < last && delta.lo() > 0.0 && tail.lo() > 0.5 * tail.hi() {
            return loss;
        }
    }
    last
}
