//! The largest difference of two norms along a line.
//!
//! # What is searched
//! φ(s) = √(q + r) − √q for 0 ≤ s ≤ some end, with q(s) = q₀ + q₂·s² and r(s) = r₀ + r₁·s + r₂·s².
//! The caller sees to it that
//! - q₀, q₂, r₁, r₂ ≥ 0 (r₀ may be negative), so that q and r rise with s, and r is convex;
//! - q + r is |A + B·s|² for some vectors A and B, so that √(q + r) is convex in s; √q is so in any
//!   case.
//!
//! # Bounds on a range l ≤ s ≤ h
//! φ = r/D with D = √(q + r) + √q, which rises and is convex. Where φ ≥ 0, that is r ≥ 0:
//! - **coarse**: φ(s) ≤ r(h)/D(l), and φ(s) ≤ √r(s) ≤ √r(h) where D(l) may be zero;
//! - **fine**: r is below its chord c, and D above its tangent d at the middle m, so φ ≤ c/d, if
//!   d > 0 on the range. A quotient of two linear functions is monotone, so it is enough to look at
//!   the ends, at which c = r. This is off by the square of h − l, while the coarse one is off by
//!   h − l.
//!
//! Where r < 0 these are no bounds, but φ is negative then, and 0 is reached in any case
//! ([`largest`] begins with it).
//!
//! *Floats.* r, D and the tangent are enclosures and upper ends are taken; a root of something that
//! rounding made negative is the root of 0. √q has a kink at s = 0 if q₀ = 0: there D' is not
//! known, unless q is 0 altogether, and the coarse bound serves.

use core::cmp::Ordering;
use std::collections::BinaryHeap;

use dp_core::rounding::{Enclosure, mul_up};

use crate::sums::fixed_point::power_of_two;

/// q and r.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    pub(crate) q: [Enclosure; 2],
    pub(crate) r: [Enclosure; 3],
}

impl Line {
    fn q(&self, s: Enclosure) -> Enclosure {
        self.q[0] + self.q[1] * s.square()
    }

    fn r(&self, s: Enclosure) -> Enclosure {
        self.r[0] + s * (self.r[1] + s * self.r[2])
    }

    /// D.
    fn roots(&self, s: Enclosure) -> Enclosure {
        let q = self.q(s);
        (q + self.r(s)).sqrt() + q.sqrt()
    }

    /// φ(s).
    pub(crate) fn at(&self, s: f64) -> Enclosure {
        let s = Enclosure::point(s);
        let (r, roots) = (self.r(s), self.roots(s));
        if roots.lo() > 0.0 { r / roots } else { Enclosure::new(0.0, r.sqrt().hi()) }
    }

    /// No less than φ(s), where that is positive, for all s from `low` to `high`, both at least 0.
    pub(crate) fn above(&self, low: f64, high: f64) -> f64 {
        let ends = [low, high].map(Enclosure::point);
        let (first, last) = (self.roots(ends[0]), self.r(ends[1]));
        let coarse = if first.lo() > 0.0 { (last / first).hi() } else { last.sqrt().hi() };
        let middle = Enclosure::point(low + 0.5 * (high - low));
        let q = self.q(middle);
        let (whole, root) = ((q + self.r(middle)).sqrt(), q.sqrt());
        if whole.lo() <= 0.0 || (root.lo() <= 0.0 && root.hi() > 0.0) {
            return coarse;
        }
        let two = Enclosure::point(2.0);
        // D' = (q + r)'/(2·√(q + r)) + q'/(2·√q): here are q'/2 and (q + r)'/2.
        let slope = self.q[1] * middle;
        let both = slope + self.r[1] / two + self.r[2] * middle;
        let steepness = both / whole + if root.hi() > 0.0 { slope / root } else { Enclosure::ZERO };
        let fine = ends.map(|end| {
            let tangent = whole + root + steepness * (end - middle);
            if tangent.lo() > 0.0 { (self.r(end) / tangent).hi() } else { f64::INFINITY }
        });
        fine[0].max(fine[1]).min(coarse)
    }
}

/// Something that varies along a line from 0 to an end.
pub(crate) trait Curve {
    fn end(&self) -> f64;

    /// No more than what is reached in this place.
    fn at(&self, s: f64) -> f64;

    /// No less than what is reached between two places, if that is positive; the closer they are,
    /// the closer to it.
    fn above(&self, low: f64, high: f64) -> f64;
}

/// A line up to an end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    pub(crate) line: Line,
    pub(crate) end: f64,
}

impl Curve for Segment {
    fn end(&self) -> f64 {
        self.end
    }

    fn at(&self, s: f64) -> f64 {
        self.line.at(s).lo()
    }

    fn above(&self, low: f64, high: f64) -> f64 {
        self.line.above(low, high)
    }
}

/// The largest value that any of these reach, or 0: rounded up, by 2⁻⁴³ relatively, or by what
/// `above` is off for two adjacent floats.
///
/// Branch and bound: the range with the largest bound is halved, until that is no larger than what
/// was reached, or has no float inside. All other ranges have smaller bounds, so what is returned
/// is above everything in either case.
pub(crate) fn largest(curves: &[Box<dyn Curve + '_>]) -> f64 {
    let mut reached = 0.0f64;
    let mut ranges = BinaryHeap::new();
    for (index, curve) in curves.iter().enumerate() {
        let end = curve.end();
        reached = reached.max(curve.at(0.0)).max(curve.at(end));
        ranges.push(Candidate { most: curve.above(0.0, end), index, low: 0.0, high: end });
    }
    while let Some(Candidate { most, index, low, high }) = ranges.pop() {
        let enough = mul_up(reached, 1.0 + power_of_two(-43));
        let middle = low + 0.5 * (high - low);
        if most <= enough || middle <= low || middle >= high {
            return most.max(enough);
        }
        reached = reached.max(curves[index].at(middle));
        for (low, high) in [(low, middle), (middle, high)] {
            ranges.push(Candidate { most: curves[index].above(low, high), index, low, high });
        }
    }
    reached
}

/// A range of a curve, ordered by its bound.
struct Candidate {
    most: f64,
    index: usize,
    low: f64,
    high: f64,
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.most.total_cmp(&other.most)
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// √(q + r) for a vector that moves along a line: |a + b·s|² = q, and c·(d + e·s)² = r.
    fn line(q: [f64; 2], c: f64, d: f64, e: f64) -> Line {
        let [c, d, e] = [c, d, e].map(Enclosure::point);
        Line {
            q: q.map(Enclosure::point),
            r: [c * d.square(), Enclosure::point(2.0) * c * d * e, c * e.square()],
        }
    }

    proptest! {
        #[test]
        fn bounds_are_above_and_close(
            logs in (-8.0..8f64, -8.0..8f64, -3.0..3f64, -8.0..3f64), zero in 0usize..6, end in 0.01..10f64, low in 0.0..1f64, high in 0.0..1f64,
        ) {
            let mut numbers = [logs.0, logs.1, logs.2, logs.3].map(|log| 10f64.powf(log));
            if let Some(number) = numbers.get_mut(zero) {
                *number = 0.0;
            }
            let line = line([numbers[0], numbers[1]], 0.7, numbers[2], numbers[3]);
            let (low, high) = (end * low.min(high), end * low.max(high));
            let above = line.above(low, high);
            let steps = (0..=50).map(|i| (low + (high - low) * f64::from(i) / 50.0).clamp(low, high));
            let seen = steps.map(|s| line.at(s).lo()).fold(0.0, f64::max);
            prop_assert!(above >= seen);
            // Close to a place, it is what is there.
            let close = line.above(low, low * (1.0 + 1e-9));
            prop_assert!(close <= line.at(low).hi() * (1.0 + 1e-8) + 1e-290, "{close} {}", line.at(low));
            // The largest value is found among many.
            let found = largest(&[Box::new(Segment { line, end }), Box::new(Segment { line, end: 0.5 * end })]);
            let places = (0..=1000).map(|i| end * f64::from(i) / 1000.0);
            let listed = places.map(|s| line.at(s).lo()).fold(0.0, f64::max);
            prop_assert!(found >= listed && found <= 1.01 * listed + 1e-300, "{found} {listed}");
        }
    }

    #[test]
    fn a_known_maximum_is_found() {
        // φ = √(1 + s² + (1 + s)²) − √(1 + s²) rises to the end, at which it is √6 − √2.
        let rising = line([1.0, 1.0], 1.0, 1.0, 1.0);
        let found = largest(&[Box::new(Segment { line: rising, end: 1.0 })]);
        let truth = 6f64.sqrt() - 2f64.sqrt();
        assert!(found >= truth * (1.0 - 1e-15) && found <= truth * (1.0 + 1e-12));
        // φ' = 0 where (q₂·s + e·(d + e·s))·√q = q₂·s·√(q + r), by bisection.
        let peaked = line([1.0, 50.0], 1.0, 3.0, 1.0);
        let slope = |s: f64| {
            let (q, r) = (1.0 + 50.0 * s * s, (3.0 + s).powi(2));
            (50.0 * s + 3.0 + s) / (q + r).sqrt() - 50.0 * s / q.sqrt()
        };
        let (mut low, mut high) = (0.0, 0.2);
        assert!(slope(low) > 0.0 && slope(high) < 0.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if slope(middle) > 0.0 { low = middle } else { high = middle }
        }
        let (found, truth) = (largest(&[Box::new(Segment { line: peaked, end: 0.2 })]), peaked.at(low));
        assert!(found >= truth.lo() && found <= truth.hi() * (1.0 + 1e-12), "{found} {truth}");
    }
}
