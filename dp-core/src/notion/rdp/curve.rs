//! The closed forms of which a Rényi curve is a sum.

use alloc::boxed::Box;
use core::num::NonZero;

use super::{Points, Rdp};
use crate::notion::{Guarantee, Pure, Zcdp};
use crate::pairs::{BoundedRangePair, DominatingPair, LaplacePair, RandomizedResponsePair};
use crate::rounding::{Enclosure, add_up, div_up, mul_down, mul_up, sub_down};
use crate::{Alpha, Epsilon, Rho};

/// One term of an [`Rdp`] curve.
///
/// The terms that are named after a mechanism state more than their curve: `Laplace` that the
/// mechanism is dominated by two Laplace distributions that far apart, `BoundedRange` that the
/// losses span at most that range. Group privacy uses it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Curve {
    /// ξ + ρα: concentrated privacy, and the Gaussian mechanism.
    Line(Zcdp),
    /// The curve of randomised response, which bounds every ε-private mechanism.
    Pure(Pure),
    /// The curve of the Laplace mechanism with Δ₁/b = `shift`.
    Laplace {
        /// Δ₁/b.
        shift: Epsilon,
    },
    /// The curve of mechanisms whose losses span at most `range`, such as the exponential
    /// mechanism.
    BoundedRange {
        /// The span of the losses.
        range: Epsilon,
    },
    /// Bounds at finitely many orders.
    Points(Points),
    /// The bound for a group of `size` records that follows from a curve alone.
    Group {
        /// The guarantee for one record.
        of: Box<Rdp>,
        /// The number of records.
        size: NonZero<u32>,
    },
    /// The larger of two curves at each order: one of two guarantees holds, and it is not known
    /// which.
    Worst(Box<Rdp>, Box<Rdp>),
}

impl Curve {
    /// An upper bound on D_α.
    pub(super) fn divergence(&self, order: f64) -> f64 {
        let alpha = Alpha::saturating(order);
        match self {
            Self::Line(line) => add_up(
                line.xi().get(),
                if line.rho() == Rho::ZERO { 0.0 } else { mul_up(line.rho().get(), order) },
            ),
            Self::Pure(pure) => RandomizedResponsePair::binary(pure.epsilon()).renyi(alpha).hi(),
            Self::Laplace { shift } => LaplacePair::new(*shift).renyi(alpha).hi(),
            Self::BoundedRange { range } => BoundedRangePair::new(*range).renyi(alpha).hi(),
            Self::Points(points) => points.divergence(order),
            Self::Group { of, size } => group_divergence(of, size.get(), order),
            Self::Worst(a, b) => a.divergence(alpha).max(b.divergence(alpha)),
        }
    }

    /// A line above the curve, if one is known.
    pub(super) fn line(&self) -> Option<Zcdp> {
        match self {
            Self::Line(line) => Some(*line),
            Self::Pure(pure) => Some(pure.relax::<Zcdp>()),
            Self::Laplace { shift } => Some(Pure::from(*shift).relax::<Zcdp>()),
            Self::BoundedRange { range } => {
                let rho = Enclosure::point(range.get()).square() * Enclosure::point(0.125);
                Some(Zcdp::from(Rho::saturating(rho.hi())))
            }
            Self::Worst(a, b) => Some(a.line()?.join(&b.line()?)),
            Self::Points(_) | Self::Group { .. } => None,
        }
    }

    /// An upper bound on D_∞, the largest loss.
    pub(super) fn max_loss(&self) -> f64 {
        match self {
            Self::Line(line) => line.as_pure().map_or(f64::INFINITY, |pure| pure.epsilon().get()),
            Self::Pure(pure) => pure.epsilon().get(),
            Self::Laplace { shift } => shift.get(),
            Self::BoundedRange { range } => range.get(),
            Self::Worst(a, b) => a.max_loss().max(b.max_loss()),
            Self::Points(_) | Self::Group { .. } => f64::INFINITY,
        }
    }

    /// Whether this term implies the other one.
    pub(super) fn is_at_most(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Pure(a), Self::Pure(b)) => a.is_at_most(b),
            (Self::Laplace { shift: a }, Self::Laplace { shift: b }) => a <= b,
            (Self::BoundedRange { range: a }, Self::BoundedRange { range: b }) => a <= b,
            (Self::Laplace { shift: a } | Self::BoundedRange { range: a }, Self::Pure(b)) => {
                *a <= b.epsilon()
            }
            (Self::Line(a), Self::Line(b)) => a.is_at_most(b),
            _ => self == other,
        }
    }

    /// What holds for a group: a shift or a range of k records is k times as large, lines and ε
    /// follow their notions, and of anything else only the curve is known.
    pub(super) fn for_group(&self, size: u32) -> Self {
        let scaled = |epsilon: Epsilon| Pure::from(epsilon).for_group(size).epsilon();
        match self {
            Self::Line(line) => Self::Line(line.for_group(size)),
            Self::Pure(pure) => Self::Pure(pure.for_group(size)),
            Self::Laplace { shift } => Self::Laplace { shift: scaled(*shift) },
            Self::BoundedRange { range } => Self::BoundedRange { range: scaled(*range) },
            Self::Points(_) | Self::Worst(..) | Self::Group { .. } => match NonZero::new(size) {
                None => Self::Line(Zcdp::perfect()),
                Some(NonZero::<u32>::MIN) => self.clone(),
                Some(size) => Self::Group { of: Box::new(self.clone().into()), size },
            },
        }
    }
}

/// The weak triangle inequality D_α(P‖Q) ≤ (α−1/p)/(α−1)·D_{pα}(P‖R) + D_{q(α−1/p)}(R‖Q),
/// 1/p + 1/q = 1 (Mironov 2017), along a chain of k neighbours, with the p that is best for
/// D_α = ρα at each step, telescopes to
///
/// > Σ_{j=1}^{k} kα/(kα−j+1) · D_{kα−j+1},
///
/// which for D_α = ρα is k²ρα. Beyond 4096 records each term is replaced by the largest one.
fn group_divergence(of: &Rdp, size: u32, order: f64) -> f64 {
    let (k, top) = (f64::from(size), mul_up(f64::from(size), order));
    let divergence = |order: f64| of.divergence(Alpha::saturating(order));
    if size > 4096 {
        let lowest = Enclosure::point(k) * (Enclosure::point(order) - Enclosure::ONE) + Enclosure::ONE;
        return mul_up(mul_up(k, (Enclosure::point(top) / lowest).hi()), divergence(top));
    }
    (0..size).fold(0.0, |sum, steps| {
        let factor = div_up(top, sub_down(mul_down(k, order), f64::from(steps)));
        add_up(sum, mul_up(factor, divergence(add_up(top, -f64::from(steps)))))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_chains_bound_the_sum_over_their_steps() {
        // For D_α = ρα the sum telescopes to k²ρα.
        let of = Curve::Line(Zcdp::new(0.01).unwrap()).into();
        for (size, order) in [(2, 3.0), (4096, 1.5), (4097, 1.01), (4097, 1.5), (100_000, 8.0)] {
            let (found, k) = (group_divergence(&of, size, order), f64::from(size));
            let sum = k * k * 0.01 * order;
            assert!(found >= sum * (1.0 - 1e-12), "{size} {order}: {found} < {sum}");
            let largest = if size > 4096 { k * order / (k * (order - 1.0) + 1.0) } else { 1.0 };
            assert!(found <= sum * largest * (1.0 + 1e-9), "{size} {order}: {found} > {sum}·{largest}");
        }
    }

    #[test]
    fn lines_lie_above_their_curves() {
        for range in [0.1, 1.0, 4.0].map(|range| Epsilon::new(range).unwrap()) {
            let curve = Curve::BoundedRange { range };
            let rho = curve.line().unwrap().rho().get();
            assert!((rho / (range.get() * range.get() / 8.0) - 1.0).abs() < 1e-12, "{rho}");
            for order in [1.001, 2.0, 64.0] {
                assert!(curve.divergence(order) <= rho * order);
            }
        }
    }
}
