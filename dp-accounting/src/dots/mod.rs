//! Connect the dots: finitely many losses that bound a pair from above or from below, for every ε
//! at once.
//!
//! In x = e^ε a profile is δ = sup_S P(S) − x·Q(S): convex, falling, 1 at x = 0. Finitely many
//! losses tⱼ with P-masses pⱼ, and a mass that is lost altogether, have the profile Σ
//! pⱼ(1 − x/e^tⱼ)₊ + infinite, which is piecewise linear in x with its corners at e^tⱼ, and every
//! convex falling piecewise linear function is of this form.
//!
//! **Above** ([`above`]): the function through the points (e^tⱼ, δ(tⱼ)) and (0, 1), constant beyond
//! the last. A convex function lies below its chords (Doroshenko, Ghazi, Kamath, Kumar and
//! Manurangsi 2022).
//!
//! **Below** ([`below`]): each set {L > m} gives a line P(S) − x·Q(S) that touches the profile at m
//! and lies below it everywhere. One such line per cell, with m its middle, is a bound on the cell;
//! each corner takes the lower of the two lines that meet there, and the chord of a cell, being
//! below the line at both ends, is below the profile. With no mass inside the cells, as for atoms
//! on grid points, the lines are the profile itself and nothing is lost; otherwise the loss is of
//! second order in the width of the cells.
//!
//! The values at the corners are known to some ulps only. The lower convex hull of the corners is
//! taken: above, every convex function that is below the corners is below their hull; below, lower
//! corners are still a bound. Masses are differences of slopes, found with ordinary rounding, then
//! the profile that the masses *as floats* have is computed with directed rounding and all masses
//! are scaled by the factor that is missing. So the bound holds exactly.
//!
//! **Why profiles are enough.** With a second measure of losses L₂ ~ P₂
//! (of any total mass, not only one) the profile of the composition is δ₁₂(ε) = ∫ δ₁(ε − L₂) dP₂:
//! replacing δ₁ by something larger, pointwise, makes it larger, since P₂ is not negative. The
//! composition being symmetric, the same holds for the second, and by induction for any number:
//! bounds of the factors give a bound of the composition.

#[cfg(test)]
mod tests;

use dp_core::pairs::DominatingPair;
use dp_core::rounding::{Enclosure, mul_down, mul_up};

/// Profiles below this are cut off: the relative precision of floats ends soon after.
const NEGLIGIBLE: f64 = 1e-280;

/// Finitely many losses with masses under P.
///
/// Its profile Σ masses\[j\]·(1 − e^(ε−losses\[j\]))₊ + infinite bounds the profile of a pair for
/// *every* real ε, the floats being taken as the exact reals that they denote. The total mass need
/// not be one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Dots {
    /// The losses, strictly rising.
    pub losses: Vec<f64>,
    /// Their masses, finite and not negative.
    pub masses: Vec<f64>,
    /// The mass of infinite loss.
    pub infinite: f64,
}

/// Bounds a pair from above by losses on a strictly rising grid of finite points.
///
/// Losses below the first point count as that, and losses beyond the last as infinite.
///
/// # Contract
/// For all real ε the profile of the result is at least that of the pair.
pub(crate) fn above(pair: &dyn DominatingPair, grid: &[f64]) -> Dots {
    let mut values: Vec<f64> = grid.iter().map(|&loss| pair.delta(loss).hi().clamp(0.0, 1.0)).collect();
    make_falling(&mut values);
    let kept = values.iter().position(|&value| value < NEGLIGIBLE).map_or(grid.len(), |first| first + 1);
    let (grid, values) = (&grid[..kept], &values[..kept]);
    let fitted = fit(1.0, grid, values, Enclosure::lo);
    let factor = fitted.quotients.1; // corners that are no vertices do not matter: the profile is below the chords of any corners
    if !factor.is_finite() || grid.is_empty() {
        return Dots { losses: Vec::new(), masses: Vec::new(), infinite: 1.0 };
    }
    fitted.scaled(grid, |mass| mul_up(mass, factor))
}

/// Bounds a pair from below by losses on a strictly rising grid of finite points.
///
/// Losses below the first point are dropped, or nearly so, and losses beyond the last count as
/// that. Where the pair has its largest loss within the grid, a grid point just below that loss
/// saves the atom that may be there: no mass can be put on a larger loss than the largest.
///
/// # Contract
/// For all real ε the profile of the result is at most that of the pair.
pub(crate) fn below(pair: &dyn DominatingPair, grid: &[f64]) -> Dots {
    let (Some(&first), Some(&last)) = (grid.first(), grid.last()) else {
        return Dots {
            losses: Vec::new(),
            masses: Vec::new(),
            infinite: pair.delta(f64::INFINITY).lo().max(0.0),
        };
    };
    let lost = pair.delta(f64::INFINITY).lo();
    let lost = if lost < NEGLIGIBLE { 0.0 } else { lost };
    // Left of the first point there is one more cell, down to x = 0: the line touches as far out as
    // the first cell is wide (or 1), which keeps an atom on the first point, or in the point
    // itself, whichever leaves more at x = 0.
    let width = grid.get(1).map_or(1.0, |second| second - first);
    let outer = [first - width, first].map(|m| line(pair, (f64::NEG_INFINITY, m, first), lost));
    let (origin, mut corner) = if outer[0].0 >= outer[1].0 { outer[0] } else { outer[1] };
    let mut values = Vec::with_capacity(grid.len());
    for cell in grid.windows(2) {
        let (at_left, at_right) = line(pair, (cell[0], cell[0] + (cell[1] - cell[0]) / 2.0, cell[1]), lost);
        values.push(corner.min(at_left));
        corner = at_right;
    }
    values.push(lost); // constant from the last point on
    for value in &mut values {
        *value = if *value < NEGLIGIBLE { lost } else { *value };
    }
    make_falling(&mut values);
    debug_assert!(last.is_finite() && values.iter().all(|value| *value >= lost));
    let fitted = fit(origin, grid, &values, Enclosure::hi);
    let factor = fitted.quotients.0.max(0.0);
    fitted.scaled(grid, |mass| mul_down(mass, factor).max(0.0))
}

/// The values at both ends of a cell (left, middle, right) of a line that lies below the profile
/// and, at the right end, not below the mass that is lost. The left end may be −∞, which is x = 0.
///
/// The line of S = {L > m} is P(S) − x·Q(S) with P(S) − e^m·Q(S) = δ(m), hence at e^t
///
/// > P(S) − e^(t−m)·(P(S) − δ(m)) = δ(m) − (e^(t−m) − 1)·(P(S) − δ(m)).
fn line(pair: &dyn DominatingPair, (left, middle, right): (f64, f64, f64), lost: f64) -> (f64, f64) {
    for m in [middle, right] {
        let (delta, tail) = (pair.delta(m), pair.tail(m));
        let at = |t: f64| {
            let factor = (Enclosure::point(t) - Enclosure::point(m)).exp();
            // Written so that δ has a positive weight: δ·factor − tail·(factor − 1).
            let rise = (Enclosure::point(t) - Enclosure::point(m)).exp_m1();
            (delta * factor - tail * rise).lo()
        };
        let (at_left, at_right) = (at(left), if m == right { delta.lo() } else { at(right) });
        if at_left >= lost && at_right >= lost {
            return (at_left.min(1.0), at_right.min(1.0));
        }
    }
    (lost, lost) // the profile nowhere falls below it
}

/// Lowers values to the least of those before them.
fn make_falling(values: &mut [f64]) {
    let mut least = f64::INFINITY;
    for value in values {
        least = least.min(*value);
        *value = least;
    }
}

/// Masses whose profile is, up to rounding, the lower convex hull of given corners.
struct Fitted {
    masses: Vec<f64>,
    infinite: f64,
    /// Bounds corners over profile: at most the smallest quotient of all corners, and at least the
    /// largest of the vertices of the hull.
    quotients: (f64, f64),
}

impl Fitted {
    /// The measure with all masses multiplied by a factor.
    fn scaled(self, grid: &[f64], scale: impl Fn(f64) -> f64) -> Dots {
        Dots {
            losses: grid.to_vec(),
            masses: self.masses.into_iter().map(&scale).collect(),
            infinite: scale(self.infinite),
        }
    }
}

/// Finds the masses from the right to the left.
///
/// With G the profile of the masses found so far, tᵢ < tₖ neighbouring vertices of the hull and C =
/// Σ_{j≥k} pⱼ·e^(tₖ−tⱼ), which is e^tₖ times the slope between them,
///
/// > G(tᵢ) = G(tₖ) + C·(1 − e^(tᵢ−tₖ)),
///
/// all terms of which are positive. `end` chooses the end of G and C that is kept: both rise with
/// each mass, so the lower end stays a lower bound of the profile of the float masses, and the
/// upper an upper bound.
fn fit(origin: f64, grid: &[f64], values: &[f64], end: fn(Enclosure) -> f64) -> Fitted {
    let keep = |value: Enclosure| Enclosure::point(end(value));
    let infinite = values.last().copied().unwrap_or(origin);
    let mut masses = vec![0.0; grid.len()];
    let (mut smallest, mut largest) = (1.0f64, 1.0f64);
    let quotient = |value: f64, level: Enclosure| {
        if value == level.hi() { Enclosure::ONE } else { Enclosure::point(value) / level }
    };
    let vertices = hull(origin, grid, values);
    let before = |position: usize| match position.checked_sub(1) {
        Some(previous) => (grid[vertices[previous]], values[vertices[previous]]),
        None => (f64::NEG_INFINITY, origin),
    };
    // The slope of the hull on the left of a vertex, times e^t there.
    let steepness = |position: usize| {
        let (k, (left, value)) = (vertices[position], before(position));
        (value - values[k]) / -libm::expm1(left - grid[k])
    };
    let (mut level, mut carried) = (Enclosure::point(infinite), Enclosure::ZERO);
    for (position, &k) in vertices.iter().enumerate().rev() {
        let (left, target) = before(position);
        // From where the masses so far have led, so that rounding errors do not add up; but no
        // steeper than the hull is on the left of the next vertex, or the noise of a narrow cell
        // would be carried into wider ones.
        let wanted = (target - end(level)) / -libm::expm1(left - grid[k]);
        let limit =
            position.checked_sub(1).map_or(f64::INFINITY, |i| steepness(i) * libm::exp(grid[k] - left));
        let wanted = wanted.min(limit);
        masses[k] = (wanted - end(carried)).max(0.0);
        let slope = keep(carried + Enclosure::point(masses[k]));
        // Slopes and levels change by the same small step, whose own rounding hardly counts.
        let step_to = |t: f64| slope * (Enclosure::point(t) - Enclosure::point(grid[k])).exp_m1();
        for j in position.checked_sub(1).map_or(0, |previous| vertices[previous] + 1)..k {
            smallest = smallest.min(quotient(values[j], level - step_to(grid[j])).lo());
        }
        let step = step_to(left);
        (level, carried) = (keep(level - step), keep(slope + step));
        let reached = quotient(target, level);
        (smallest, largest) = (smallest.min(reached.lo()), largest.max(reached.hi()));
    }
    Fitted { masses, infinite, quotients: (smallest, largest) }
}

/// The grid points that are vertices of the lower convex hull of (0, origin) and the points
/// (e^tⱼ, valueⱼ), in order; the last point always is.
fn hull(origin: f64, grid: &[f64], values: &[f64]) -> Vec<usize> {
    let mut vertices: Vec<usize> = Vec::with_capacity(grid.len());
    for k in 0..grid.len() {
        while let Some(&j) = vertices.last() {
            let (left, before) = match vertices.len().checked_sub(2) {
                Some(previous) => (grid[vertices[previous]], values[vertices[previous]]),
                None => (f64::NEG_INFINITY, origin),
            };
            // The slopes on both sides of j, times e^tⱼ.
            let on_left = (before - values[j]) / -libm::expm1(left - grid[j]);
            let on_right = (values[j] - values[k]) / libm::expm1(grid[k] - grid[j]);
            if on_left > on_right {
                break;
            }
            vertices.pop();
        }
        vertices.push(k);
    }
    vertices
}
