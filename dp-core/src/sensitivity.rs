//! Norms, and the sensitivity of a query in a norm under a neighbour relation.

use core::fmt;
use core::marker::PhantomData;

use crate::Error;
use crate::adjacency::{AddRemove, Adjacency, ReplaceOne};
use crate::arguments::within;
use crate::rounding::{add_up, div_up, mul_up, sqrt_up};

/// A way to measure how far apart two answers are, as a type: a function of the vector of their
/// differences.
///
/// # Contract
/// ‖c·v‖ = |c|·‖v‖, and the norm of a vector of one coordinate is its magnitude. Norms in the sense
/// of the textbooks are also [`Subadditive`], and a query whose answer is one number states the
/// same sensitivity in all of those. It states none in [`LInfMonotone`], which speaks of the
/// direction of all answers together.
pub trait Norm: Copy + fmt::Debug + Default + Send + Sync + 'static {
    /// The symbol of the norm.
    const NAME: &'static str;

    /// The norm of a vector, rounded up; infinite when a coordinate is not a number.
    fn of(vector: &[f64]) -> f64;
}

/// A norm with the triangle inequality, ‖u + v‖ ≤ ‖u‖ + ‖v‖.
///
/// [`LInfMonotone`] has none: a step up in one coordinate and a step down in another are monotone
/// each, and together they are not. For the same reason a query of one number states its
/// sensitivity in subadditive norms only: `impl<N: Subadditive> SensitivityIn<N>`.
///
/// # Contract
/// The triangle inequality. It can be stated of a norm of your own only.
#[diagnostic::on_unimplemented(
    message = "two steps in the norm `{Self}` may lead anywhere: it has no triangle inequality",
    label = "no triangle inequality",
    note = "under replace-one neighbours one coordinate may fall while another rises, so that monotone differences do not stay monotone: \
            turn the sensitivity into one in `LInf` by `.into()`",
    note = "queries of one number state a sensitivity in norms with a triangle inequality only: that all answers move in one direction is a fact \
            about all of them, which a joint query such as a histogram states, or you assert"
)]
pub trait Subadditive: Norm {}

/// The sum of magnitudes: what Laplace noise is calibrated to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct L1;

/// The Euclidean length: what Gaussian noise is calibrated to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct L2;

/// The largest magnitude: what selection is calibrated to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LInf;

/// The largest magnitude, of differences whose coordinates all have the same sign; infinite for
/// others. What selection of *monotone* scores is calibrated to, at half of the noise.
///
/// A sensitivity Δ in it says two things: no coordinate moves by more than Δ, and between any two
/// neighbours either no coordinate falls or none rises. Which of them may depend on the neighbours.
/// Counts under [`AddRemove`] are like this: a record that is added raises some and lowers none.
/// Under [`ReplaceOne`] they are not, since one record leaves and another enters; nor are
/// differences, averages and distances.
///
/// A single number always moves in one direction, but two of them may move in opposite ones:
/// between the same neighbours one count rises and another falls. So a query of one number states
/// no sensitivity in this norm. A query that answers all of the numbers at once does, such as a
/// histogram under [`AddRemove`]; for others you assert it by name, with
/// `Sensitivity::<LInfMonotone, _>::new`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LInfMonotone;

impl Subadditive for L1 {}
impl Subadditive for L2 {}
impl Subadditive for LInf {}

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
        // Dividing by the power of two below the largest entry is exact and keeps squares from
        // over- and underflowing.
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

impl Norm for LInfMonotone {
    const NAME: &'static str = "ℓ∞, monotone";
    fn of(vector: &[f64]) -> f64 {
        let mixed = vector.iter().any(|x| *x > 0.0) && vector.iter().any(|x| *x < 0.0);
        if mixed { f64::INFINITY } else { LInf::of(vector) }
    }
}

fn or_infinite(x: f64) -> f64 {
    if x.is_nan() { f64::INFINITY } else { x }
}

/// An upper bound on ‖f(x) − f(y)‖ in the norm `N`, over all neighbours x, y under the relation
/// `A`.
///
/// Queries state theirs; for a function of your own you assert one with [`Sensitivity::new`], and
/// the guarantee is as good as that assertion.
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
    norm: PhantomData<fn(N) -> N>,
    /// Invariant in `A`: a relation that is a subtype of another one is a different relation.
    relation: PhantomData<fn(A) -> A>,
}

impl<N: Norm, A: Adjacency> Sensitivity<N, A> {
    /// Asserts a sensitivity.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when the value is negative, infinite or `NaN`.
    pub fn new(value: f64) -> Result<Self, Error> {
        within("sensitivity", "[0, ∞)", value, (0.0..f64::INFINITY).contains(&value))?;
        Ok(Self { value, norm: PhantomData, relation: PhantomData })
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
    /// The sensitivity under replace-one: twice this one, as a replacement is a removal followed by
    /// an addition.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when the result is not finite.
    pub fn under_replace_one(self) -> Result<Sensitivity<N, ReplaceOne>, Error>
    where
        N: Subadditive, // on the method and not on the block, so that the compiler shows the note of `Subadditive`
    {
        Sensitivity::new(2.0 * self.value)
    }
}

impl<A: Adjacency> Sensitivity<L2, A> {
    /// The sensitivity in ℓ1 of answers with d coordinates: ‖v‖₁ ≤ √d·‖v‖₂.
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
        Self { value: sensitivity.value, norm: PhantomData, relation: PhantomData }
    }
}

/// ‖v‖∞ ≤ ‖v‖₂.
impl<A> From<Sensitivity<L2, A>> for Sensitivity<LInf, A> {
    fn from(sensitivity: Sensitivity<L2, A>) -> Self {
        Self { value: sensitivity.value, norm: PhantomData, relation: PhantomData }
    }
}

/// The magnitudes are the same. There is no conversion back: monotonicity does not follow from a
/// magnitude.
impl<A> From<Sensitivity<LInfMonotone, A>> for Sensitivity<LInf, A> {
    fn from(sensitivity: Sensitivity<LInfMonotone, A>) -> Self {
        Self { value: sensitivity.value, norm: PhantomData, relation: PhantomData }
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

/// Holds for sensitivities in the norm `N` under any neighbour relation: what a mechanism takes.
///
/// Sealed: it holds for [`Sensitivity`] only.
#[diagnostic::on_unimplemented(
    message = "this mechanism is calibrated to a sensitivity in the norm `{N}`, which `{Self}` is not",
    label = "not a sensitivity in `{N}`",
    note = "‖v‖∞ ≤ ‖v‖₂ ≤ ‖v‖₁: a sensitivity in ℓ1 turns into one in ℓ2 by `.into()`; \
            from ℓ2 to ℓ1 costs a factor √dimension, `.in_l1(dimension)`",
    note = "monotone scores or answers are those whose sensitivity is in `LInfMonotone`: if between any two neighbours either none of them falls \
            or none rises, state it as `Sensitivity::<LInfMonotone, _>::new(…)`; otherwise use the mechanism for general ones"
)]
pub trait MeasuredIn<N: Norm>: Copy + sealed::Sensitivity<N> {
    /// The bound itself.
    fn value(self) -> f64;
}

impl<N: Norm, A: Adjacency> MeasuredIn<N> for Sensitivity<N, A> {
    fn value(self) -> f64 {
        self.value
    }
}

mod sealed {
    use super::{Adjacency, Norm};

    /// Closes [`MeasuredIn`](super::MeasuredIn).
    #[diagnostic::on_unimplemented(
        message = "`{Self}` is not a `Sensitivity`, and a mechanism takes nothing else for one",
        label = "not a `Sensitivity`",
        note = "assert a sensitivity with `Sensitivity::new(…)`, under the neighbour relation that it is about"
    )]
    pub trait Sensitivity<N: Norm> {}

    impl<N: Norm, A: Adjacency> Sensitivity<N> for super::Sensitivity<N, A> {}
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
        assert_eq!(MeasuredIn::value(Sensitivity::<L2, ReplaceOne>::new(3.0).unwrap()), 3.0);
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

    #[test]
    fn monotone_differences_have_one_sign() {
        for (v, norm) in [
            (&[][..], 0.0),
            (&[0.0, -0.0], 0.0),
            (&[-7.0], 7.0),
            (&[1.0, 0.0, 3.0], 3.0),
            (&[-1.0, -0.0, 0.0, -3.0], 3.0),
            (&[1.0, -f64::from_bits(1)], f64::INFINITY),
            (&[-1.0, 2.0, -1.0], f64::INFINITY),
            (&[1.0, f64::NAN], f64::INFINITY),
        ] {
            assert_eq!(LInfMonotone::of(v), norm, "{v:?}");
        }
        let counts = Sensitivity::<LInfMonotone, AddRemove>::new(1.5).unwrap();
        assert_eq!(counts.to_string(), "1.5 in ℓ∞, monotone under add-remove neighbours");
        let any: Sensitivity<LInf, AddRemove> = counts.into();
        assert_eq!(any.under_replace_one().unwrap().value(), 3.0);
    }

    proptest! {
        #[test]
        fn norms_scale_with_the_vector(v in prop::collection::vec(-4..4i8, 0..4), c in prop_oneof![Just(-4.0), Just(-0.5), Just(2.0)]) {
            fn scales<N: Norm>(v: &[f64], c: f64) -> bool {
                let scaled: Vec<f64> = v.iter().map(|x| c * x).collect();
                N::of(&scaled) == c.abs() * N::of(v) // powers of two, so that all is exact
            }
            let v: Vec<f64> = v.into_iter().map(f64::from).collect();
            prop_assert!(scales::<L1>(&v, c) && scales::<L2>(&v, c) && scales::<LInf>(&v, c) && scales::<LInfMonotone>(&v, c));
        }

        #[test]
        fn the_subadditive_norms_are(u in prop::collection::vec(-9..9i8, 3), v in prop::collection::vec(-9..9i8, 3)) {
            fn holds<N: Subadditive>(u: &[f64], v: &[f64]) -> bool {
                let sum: Vec<f64> = u.iter().zip(v).map(|(a, b)| a + b).collect();
                N::of(&sum) <= (N::of(u) + N::of(v)) * (1.0 + 1e-14)
            }
            let [u, v] = [u, v].map(|w| w.into_iter().map(f64::from).collect::<Vec<_>>());
            prop_assert!(holds::<L1>(&u, &v) && holds::<L2>(&u, &v) && holds::<LInf>(&u, &v));
        }

        #[test]
        fn norms_are_ordered(v in prop::collection::vec(-1e6..1e6f64, 0..8)) {
            prop_assert!(LInf::of(&v) <= LInfMonotone::of(&v));
            prop_assert!(LInf::of(&v) <= L2::of(&v));
            prop_assert!(L2::of(&v) <= L1::of(&v) * (1.0 + 1e-14));
        }
    }
}
