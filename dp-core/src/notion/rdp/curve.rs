//! The closed forms of which a Rényi curve is a sum.

use alloc::boxed::Box;

use super::{Points, Rdp};
use crate::notion::{Guarantee, Pure, Relax, Zcdp};
use crate::pairs::{BoundedRangePair, DominatingPair, LaplacePair, RandomizedResponsePair};
use crate::rounding::{Enclosure, add_up, mul_up};
use crate::{Alpha, Epsilon, Rho};

/// One term of an [`Rdp`] curve.
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
    /// The curve of mechanisms whose losses span at most `range`, such as the exponential mechanism.
    BoundedRange {
        /// The span of the losses.
        range: Epsilon,
    },
    /// Bounds at some orders only.
    Points(Points),
    /// What `of` guarantees to a group of `size` records.
    Group {
        /// The guarantee for one record.
        of: Points,
        /// The number of records.
        size: u32,
    },
    /// The larger of two curves, at each order.
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
            Self::Group { of, size } => of.group_divergence(*size, order),
            Self::Worst(a, b) => a.divergence(alpha).max(b.divergence(alpha)),
        }
    }

    /// A line above the curve, where one is known.
    pub(super) fn line(&self) -> Option<Zcdp> {
        match self {
            Self::Line(line) => Some(*line),
            Self::Pure(pure) => Some(Relax::<Zcdp>::relax(pure)),
            Self::Laplace { shift } => Some(Relax::<Zcdp>::relax(&Pure::from(*shift))),
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

    /// What holds for a group: a shift or a range of k records is k times as large, the rest follows its own notion.
    pub(super) fn for_group(&self, size: u32) -> Self {
        let scaled = |epsilon: Epsilon| Pure::from(epsilon).for_group(size).epsilon();
        match self {
            Self::Line(line) => Self::Line(line.for_group(size)),
            Self::Pure(pure) => Self::Pure(pure.for_group(size)),
            Self::Laplace { shift } => Self::Laplace { shift: scaled(*shift) },
            Self::BoundedRange { range } => Self::BoundedRange { range: scaled(*range) },
            Self::Points(of) if size > 1 => Self::Group { of: of.clone(), size },
            Self::Points(of) => Self::Points(of.clone()),
            Self::Group { of, size: inner } => match inner.checked_mul(size) {
                Some(size) => Self::Group { of: of.clone(), size },
                None => Self::Line(Zcdp::from_parts(Epsilon::INFINITE, Rho::ZERO)),
            },
            Self::Worst(a, b) => Self::Worst(Box::new(a.for_group(size)), Box::new(b.for_group(size))),
        }
    }
}
