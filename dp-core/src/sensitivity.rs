//! Norms, and the sensitivity of a query in a norm under a neighbour relation.

use core::fmt;
use core::marker::PhantomData;

use crate::Error;
use crate::adjacency::{AddRemove, Adjacency, ReplaceOne};
use crate::rounding::{add_up, div_up, mul_up, sqrt_up};

/// A norm on vectors of answers, as a type.
pub trait Norm: Copy + fmt::Debug + Default + Send + Sync + 'static {
    /// How the norm is written.
    const NAME: &'static str;

    /// The norm of a vector, rounded up; infinite when a coordinate is not a number.
    fn of(vector: &[f64]) -> f64;
}

/// The sum of magnitudes: what Laplace noise is calibrated to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct L1;

/// The Euclidean length: what Gaussian noise is calibrated to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct L2;

/// The largest magnitude.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LInf;

impl Norm for L1 {
    const NAME: &'static str = "ℓ1";
    fn of(vector: &[f64]) -> f64 {
        or_infinite(vector.iter().fold(0.0, |sum, x| add_up(sum, x.abs())))
    }
}

impl Norm for L2 {
    const NAME: &'static str = "ℓ2";
    fn of(vector: &[f64]) -> f64 {
        let largest = LInf::of(vector);
        if largest.is_infinite() || vector.iter().filter(|x| **x != 0.0).count() <= 1 {
            return largest;
        }
        // Dividing by the power of two below the largest entry is exact and keeps squares from over- and underflowing.
        let unit = f64::from_bits(largest.to_bits() & (0x7ff << 52)).max(f64::MIN_POSITIVE);
        let sum = vector.iter().fold(0.0, |sum, x| {
            let ratio = if *x == 0.0 { 0.0 } else { div_up(x.abs(), unit) };
            add_up(sum, mul_up(ratio, ratio))
        });
        or_infinite(mul_up(unit, sqrt_up(sum)))
    }
}

impl Norm for LInf {
    const NAME: &'static str = "ℓ∞";
    fn of(vector: &[f64]) -> f64 {
        vector.iter().map(|x| or_infinite(x.abs())).fold(0.0, f64::max)
    }
}

fn or_infinite(x: f64) -> f64 {
    if x.is_nan() { f64::INFINITY } else { x }
}

/// An upper bound on ‖f(x) − f(y)‖ in the norm `N`, over all neighbours x, y under the relation `A`.
///
/// Queries state theirs; for a function of your own you assert one with [`Sensitivity::new`], and the guarantee
/// is as good as that assertion.
///
/// ```
/// use dp_core::{AddRemove, L1, L2, Sensitivity};
///
/// let histogram = Sensitivity::<L1, AddRemove>::new(1.0)?; // one record, one bin
/// let euclidean: Sensitivity<L2, AddRemove> = histogram.into(); // ‖v‖₂ ≤ ‖v‖₁
/// assert_eq!(histogram.under_replace_one()?.value(), 2.0); // one bin down, another up
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub struct Sensitivity<N, A> {
    value: f64,
    kind: PhantomData<(N, A)>,
}

impl<N: Norm, A: Adjacency> Sensitivity<N, A> {
    /// Asserts a sensitivity.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when the value is negative, infinite or `NaN`.
    pub fn new(value: f64) -> Result<Self, Error> {
        if (0.0..f64::INFINITY).contains(&value) {
            Ok(Self { value, kind: PhantomData })
        } else {
            Err(Error::OutOfRange { argument: "sensitivity", allowed: "[0, ∞)", found: value })
        }
    }

    /// The bound itself.
    #[must_use]
    pub const fn value(self) -> f64 {
        self.value
    }

    /// The sensitivity of c·f, rounded up.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when the product is not finite.
    pub fn scaled(self, factor: f64) -> Result<Self, Error> {
        Self::new(mul_up(self.value, factor.abs()))
    }
}

impl<N: Norm> Sensitivity<N, AddRemove> {
    /// One replacement is a removal followed by an addition, so it changes the answer by at most twice as much.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when the result is not finite.
    pub fn under_replace_one(self) -> Result<Sensitivity<N, ReplaceOne>, Error> {
        Sensitivity::new(2.0 * self.value)
    }
}

impl<A: Adjacency> Sensitivity<L2, A> {
    /// ‖v‖₁ ≤ √d·‖v‖₂ for answers of d coordinates.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when the result is not finite.
    pub fn in_l1(self, dimension: u32) -> Result<Sensitivity<L1, A>, Error> {
        Sensitivity::new(mul_up(self.value, sqrt_up(f64::from(dimension))))
    }
}

/// ‖v‖₂ ≤ ‖v‖₁.
impl<A> From<Sensitivity<L1, A>> for Sensitivity<L2, A> {
    fn from(sensitivity: Sensitivity<L1, A>) -> Self {
        Self { value: sensitivity.value, kind: PhantomData }
    }
}

/// ‖v‖∞ ≤ ‖v‖₂.
impl<A> From<Sensitivity<L2, A>> for Sensitivity<LInf, A> {
    fn from(sensitivity: Sensitivity<L2, A>) -> Self {
        Self { value: sensitivity.value, kind: PhantomData }
    }
}

impl<N: Norm, A: Adjacency> fmt::Debug for Sensitivity<N, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}, {})", self.value, N::NAME, A::NAME)
    }
}

impl<N: Norm, A: Adjacency> fmt::Display for Sensitivity<N, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {} under {} neighbours", self.value, N::NAME, A::NAME)
    }
}

/// Holds of sensitivities in the norm `N`, whatever their neighbour relation: what a mechanism asks for.
#[diagnostic::on_unimplemented(
    message = "this mechanism is calibrated to a sensitivity in the norm `{N}`, which `{Self}` is not",
    label = "not a sensitivity in `{N}`",
    note = "‖v‖∞ ≤ ‖v‖₂ ≤ ‖v‖₁: a sensitivity in ℓ1 turns into one in ℓ2 by `.into()`; \
            from ℓ2 to ℓ1 costs a factor √dimension, `.in_l1(dimension)`"
)]
pub trait MeasuredIn<N: Norm>: Copy {
    /// The bound itself.
    fn value(self) -> f64;
}

impl<N: Norm, A: Adjacency> MeasuredIn<N> for Sensitivity<N, A> {
    fn value(self) -> f64 {
        self.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sensitivities_are_finite_and_not_negative() {
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(Sensitivity::<L1, AddRemove>::new(bad).is_err());
        }
        assert_eq!(Sensitivity::<L2, ReplaceOne>::new(3.0).unwrap().in_l1(4).unwrap().value(), 6.0);
    }

    #[test]
    fn norms_survive_extreme_vectors() {
        assert_eq!(L2::of(&[3.0, -4.0, 12.0]), 13.0);
        assert_eq!(L2::of(&[0.3, 0.0]), 0.3);
        assert!((5e300..5.001e300).contains(&L2::of(&[3e300, 4e300])));
        assert!(L2::of(&[3e-300, 4e-300]) >= 5e-300);
        assert_eq!(L1::of(&[f64::NAN]), f64::INFINITY);
        assert_eq!(L2::of(&[1.0, f64::NAN]), f64::INFINITY);
        assert_eq!(L2::of(&[]), 0.0);
    }

    proptest! {
        #[test]
        fn norms_are_ordered(v in prop::collection::vec(-1e6..1e6f64, 0..8)) {
            prop_assert!(LInf::of(&v) <= L2::of(&v));
            prop_assert!(L2::of(&v) <= L1::of(&v) * (1.0 + 1e-14));
        }
    }
}
