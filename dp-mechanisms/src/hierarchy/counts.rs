//! Noise on all counts of a tree.

use std::fmt;

use dp_core::interval::{Confidence, ConfidenceInterval, ErrorBound, WithInterval};
use dp_core::rounding::{Enclosure, div_down, mul_down, sqrt_down};
use dp_core::{Calibrate, Error, L1, MeasuredIn, Mechanism, Rho, Scale, Zcdp};
use rand_core::Rng;

use super::Hierarchy;
use crate::DiscreteGaussian;
use crate::additive::{saturated, scale_for};
use crate::arguments::positive;

/// Releases all counts of a [`Hierarchy`], each with discrete Gaussian noise of the same parameter
/// σ.
///
/// **Theorem.** If the counts of the leaves move by at most Δ₁ in ℓ1, all that is released is
/// ρ-zCDP with
///
/// > ρ = L·Δ₁²/2σ²,  L the number of levels.
///
/// *Proof.* A node moves by at most what its leaves move together, so the counts of a level move by
/// at most Δ₁ in ℓ1, and hence in ℓ2. A level is [`DiscreteGaussian`] noise on a list: Δ₁²/2σ². The
/// L levels compose. ∎ One record added or removed moves one leaf by one: ρ = L/2σ², and no smaller
/// one holds. A record that is replaced moves two, Δ₁ = 2, and the theorem charges at least twice
/// what it could (two nodes of a level that move by one are √2 apart, not 2, and the root does not
/// move).
///
/// **What is released** is a list of counts for each level, the root first. They do not add up yet:
/// see [`Hierarchy::consistent`].
///
/// ```
/// use dp_core::{AddRemove, Calibrate, L1, Mechanism, Sensitivity, Zcdp};
/// use dp_mechanisms::{HierarchicalCounts, Hierarchy, rng::OsSeeded};
///
/// let country = Hierarchy::uniform(&[4, 5])?; // four regions with five towns each
/// let people = Sensitivity::<L1, AddRemove>::new(1.0)?;
/// let (census, guarantee) = HierarchicalCounts::rho(0.5, country.clone())?.calibrate(people)?;
/// assert_eq!(guarantee, Zcdp::new(0.5)?);
/// let towns: Vec<i64> = (0..20).map(|town| 100 * town).collect();
/// let released = census.draw(&towns, &mut OsSeeded::new()?)?;
/// let published = country.whole(&country.consistent(&released)?)?;
/// assert_eq!(published[1].iter().sum::<u64>(), published[0][0]);
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
///
/// Checked as L12 by `cargo xtask verify`.
#[derive(Clone, Debug, PartialEq)]
pub struct HierarchicalCounts {
    shape: Hierarchy,
    noise: DiscreteGaussian,
}

/// A tree and a ρ: becomes [`HierarchicalCounts`] when the sensitivity is known.
#[derive(Clone, Debug, PartialEq)]
pub struct HierarchicalTarget {
    shape: Hierarchy,
    guarantee: Zcdp,
}

impl HierarchicalCounts {
    /// "As little noise as makes all counts of the tree ρ-zCDP": what
    /// [`Query::with`](dp_core::Query::with) takes.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ρ < ∞.
    pub fn rho(rho: f64, shape: Hierarchy) -> Result<HierarchicalTarget, Error> {
        Ok(HierarchicalTarget { shape, guarantee: Zcdp::new(positive("rho", rho)?)? })
    }

    /// Noise of a given parameter σ on each count.
    #[must_use]
    pub fn with_scale(scale: Scale, shape: Hierarchy) -> Self {
        Self { shape, noise: DiscreteGaussian::with_scale(scale) }
    }

    /// The tree.
    #[must_use]
    pub const fn shape(&self) -> &Hierarchy {
        &self.shape
    }

    /// The parameter σ.
    #[must_use]
    pub const fn scale(&self) -> Scale {
        self.noise.scale()
    }
}

/// The number of levels, as a float that is not below it.
fn at_least(levels: usize) -> f64 {
    u32::try_from(levels).map_or(f64::INFINITY, f64::from)
}

impl Mechanism for HierarchicalCounts {
    type Input = [i64];
    type Output = Vec<Vec<i64>>;
    type Norm = L1;
    type Guarantee = Zcdp;

    /// L·Δ₁²/2σ², rounded up.
    fn guarantee(&self, sensitivity: impl MeasuredIn<L1>) -> Zcdp {
        let distance = Enclosure::point(sensitivity.value()) / Enclosure::point(self.scale().get());
        let levels = Enclosure::point(at_least(self.shape.levels()));
        Rho::saturating((distance.square() * Enclosure::point(0.5) * levels).hi()).into()
    }

    /// Fails for another number of leaves than the tree has.
    fn draw<R: Rng + ?Sized>(&self, leaves: &[i64], rng: &mut R) -> Result<Vec<Vec<i64>>, Error> {
        let mut levels = self.shape.add_up(leaves)?;
        for level in &mut levels {
            self.noise.draw_into(level, rng);
        }
        Ok(levels)
    }
}

/// `count` is the number of nodes: the noise of all of them is independent.
impl ErrorBound for HierarchicalCounts {
    fn error_bound_of(&self, count: usize, beta: f64) -> Result<f64, Error> {
        self.noise.error_bound_of(count, beta)
    }
}

/// One interval for each count of the tree as it was released, all of them together. Of what
/// [`consistent`](Hierarchy::consistent) makes of them nothing better is said than that it is an
/// estimate of the same counts.
impl WithInterval for HierarchicalCounts {
    type Released = Vec<Vec<i64>>;
    type Interval = Vec<Vec<ConfidenceInterval>>;

    fn interval_at(
        &self,
        released: &Vec<Vec<i64>>,
        confidence: Confidence,
    ) -> Result<Vec<Vec<ConfidenceInterval>>, Error> {
        let each = confidence.independently(released.iter().map(Vec::len).sum());
        let bound = self.noise.error_bound(each.beta())?;
        let level = |counts: &Vec<i64>| counts.iter().map(|count| saturated(*count).widened(bound)).collect();
        Ok(released.iter().map(level).collect())
    }
}

impl fmt::Display for HierarchicalCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on each count of {} levels", self.noise, self.shape.levels())
    }
}

impl Calibrate for HierarchicalTarget {
    type Mechanism = HierarchicalCounts;
    type Guarantee = Zcdp;

    /// σ = Δ₁·√(L/2ρ), rounded up.
    fn calibrate(self, sensitivity: impl MeasuredIn<L1>) -> Result<(HierarchicalCounts, Zcdp), Error> {
        let each = div_down(mul_down(2.0, self.guarantee.rho().get()), at_least(self.shape.levels()));
        let scale = scale_for(sensitivity.value(), sqrt_down(each))?;
        Ok((HierarchicalCounts::with_scale(scale, self.shape), self.guarantee))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_core::{AddRemove, Sensitivity};

    fn moving(by: f64) -> Sensitivity<L1, AddRemove> {
        Sensitivity::new(by).unwrap()
    }

    #[test]
    fn the_guarantee_is_that_of_the_theorem() {
        let tree = Hierarchy::uniform(&[2, 2]).unwrap();
        let noise = HierarchicalCounts::with_scale(Scale::new(2.0).unwrap(), tree.clone());
        assert_eq!(noise.guarantee(moving(1.0)), Zcdp::new(0.375).unwrap()); // 3·1/8
        assert_eq!(noise.guarantee(moving(2.0)), Zcdp::new(1.5).unwrap());
        let (census, promise) =
            HierarchicalCounts::rho(0.375, tree.clone()).unwrap().calibrate(moving(1.0)).unwrap();
        assert_eq!((census.scale().get(), promise), (2.0, Zcdp::new(0.375).unwrap()));
        for rho in [1e-6, 0.1, 7.3] {
            let target = || HierarchicalCounts::rho(rho, tree.clone()).unwrap();
            let scale = target().calibrate(moving(3.0)).unwrap().0.scale().get();
            // 2ρσ² ≥ L·Δ²: up to the last digit of the check itself.
            assert!(
                2.0 * rho * scale * scale >= 27.0 * (1.0 - 1e-15)
                    && 2.0 * rho * scale * scale < 27.0 * (1.0 + 1e-12)
            );
            assert!(target().calibrate(moving(0.0)).is_err());
        }
        assert!(
            HierarchicalCounts::rho(0.0, tree.clone()).is_err()
                && HierarchicalCounts::rho(f64::NAN, tree).is_err()
        );
    }
}
