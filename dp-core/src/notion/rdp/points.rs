//! Rényi bounds that are known at finitely many orders.

use alloc::vec::Vec;

use crate::rounding::Enclosure;
use crate::{Alpha, Epsilon, Error};

/// A table of bounds (α, ε) at rising orders.
///
/// Between two orders the bound is interpolated as (α−1)·D_α, which is convex in α; below the first
/// order the first bound holds, because divergences rise with the order; above the last nothing is
/// known.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Vec<(Alpha, Epsilon)>", into = "Vec<(Alpha, Epsilon)>"))]
pub struct Points(Vec<(Alpha, Epsilon)>);

impl Points {
    /// A table of at least one bound, with strictly rising orders.
    ///
    /// # Errors
    /// [`Error::Empty`] for an empty table, [`Error::OutOfRange`] when the orders do not rise.
    pub fn new(points: Vec<(Alpha, Epsilon)>) -> Result<Self, Error> {
        if points.is_empty() {
            return Err(Error::Empty { argument: "the table of orders" });
        }
        match points.windows(2).find(|pair| pair[0].0 >= pair[1].0) {
            Some(pair) => Err(Error::OutOfRange {
                argument: "each order of a table, which must rise,",
                allowed: "(the order before it, ∞)",
                found: pair[1].0.get(),
            }),
            None => Ok(Self(points)),
        }
    }

    /// The table.
    #[must_use]
    pub fn as_slice(&self) -> &[(Alpha, Epsilon)] {
        &self.0
    }

    /// An upper bound on D_α.
    pub(super) fn divergence(&self, order: f64) -> f64 {
        let next = self.0.partition_point(|(alpha, _)| alpha.get() < order);
        let Some(&(right, at_right)) = self.0.get(next) else { return f64::INFINITY };
        if next == 0 || right.get() == order {
            return at_right.get();
        }
        let (left, at_left) = self.0[next - 1];
        let [left, right, order] = [left.get(), right.get(), order].map(Enclosure::point);
        let share = (right - order) / (right - left);
        let weighted =
            |alpha: Enclosure, bound: Epsilon| (alpha - Enclosure::ONE) * Enclosure::point(bound.get());
        let chord = share * weighted(left, at_left) + (Enclosure::ONE - share) * weighted(right, at_right);
        (chord / (order - Enclosure::ONE)).hi().min(at_right.get())
    }
}

impl TryFrom<Vec<(Alpha, Epsilon)>> for Points {
    type Error = Error;
    fn try_from(points: Vec<(Alpha, Epsilon)>) -> Result<Self, Error> {
        Self::new(points)
    }
}

impl From<Points> for Vec<(Alpha, Epsilon)> {
    fn from(points: Points) -> Self {
        points.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn order(alpha: f64) -> Alpha {
        Alpha::new(alpha).unwrap()
    }

    fn table(points: &[(f64, f64)]) -> Points {
        Points::new(points.iter().map(|&(a, e)| (order(a), Epsilon::new(e).unwrap())).collect()).unwrap()
    }

    #[test]
    fn tables_interpolate_convexly() {
        // The true curve ρα: the table must never be below it, and be exact at its entries.
        let points = table(&[(2.0, 1.0), (4.0, 2.0), (8.0, 4.0)]);
        for k in 0..=60 {
            let alpha = 1.5 + f64::from(k) * 0.1;
            let bound = points.divergence(alpha);
            assert!(bound >= alpha * 0.5 - 1e-15 || alpha < 2.0, "{alpha}");
        }
        assert_eq!(points.divergence(4.0), 2.0);
        assert_eq!(points.divergence(1.1), 1.0);
        assert_eq!(points.divergence(8.1), f64::INFINITY);
        // (α−1)D at 3 is at most (1·1 + 3·2)/2 = 3.5
        assert!((points.divergence(3.0) - 1.75).abs() < 1e-14);
        assert!(Points::new(vec![]).is_err());
        assert!(Points::new(vec![(order(3.0), Epsilon::ZERO), (order(2.0), Epsilon::ZERO)]).is_err());
    }
}
