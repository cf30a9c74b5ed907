//! The noise of counts from which bounds are read, and of the statistic between them.

use core::fmt;

use dp_core::interval::ErrorBound;
use dp_core::interval::SumNoise;
use dp_core::rounding::sqrt_up;
use dp_core::rounding::{mul_down, sub_down};
use dp_core::{
    AddRemove, Adjacency, Error, ForGuarantee, Guarantee, L1, L2, Mechanism, Pure, ReplaceOne, Sensitivity,
    Zcdp,
};
use dp_mechanisms::{Coordinatewise, CoordinatewiseIn, DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace};

use crate::arguments::positive;
use crate::estimates::Moves;

/// Noise on the counts of bins of which a record is in one: [`DiscreteLaplace`] or
/// [`DiscreteGaussian`].
///
/// Sealed: bounds are read from counts by the symmetry of the noise.
pub trait NoiseOnBins: Coordinatewise<Input = i64, Output = i64> + ErrorBound + sealed::Symmetric {}

impl NoiseOnBins for DiscreteLaplace {}
impl NoiseOnBins for DiscreteGaussian {}

mod sealed {
    use super::{Error, Mechanism};

    /// Closes [`NoiseOnBins`](super::NoiseOnBins): Pr(x) = Pr(−x).
    pub trait Symmetric: Mechanism + Sized {
        /// The least noise for a guarantee, for lists of which this many counts move by one.
        fn for_counts(guarantee: &Self::Guarantee, counts: u8) -> Result<Self, Error>;
    }

    /// Closes [`NotionOfBounds`](super::NotionOfBounds).
    pub trait Shared {}
    impl Shared for super::Pure {}
    impl Shared for super::Zcdp {}
}

impl sealed::Symmetric for DiscreteLaplace {
    fn for_counts(guarantee: &Pure, counts: u8) -> Result<Self, Error> {
        on_lists(guarantee, Sensitivity::<L1, AddRemove>::new(f64::from(counts))?)
    }
}

impl sealed::Symmetric for DiscreteGaussian {
    fn for_counts(guarantee: &Zcdp, counts: u8) -> Result<Self, Error> {
        on_lists(guarantee, Sensitivity::<L2, AddRemove>::new(sqrt_up(f64::from(counts)))?)
    }
}

/// Noise whose calibration holds for lists, too.
fn on_lists<M, G>(guarantee: &G, apart: Sensitivity<M::Norm, AddRemove>) -> Result<M, Error>
where
    G: dp_core::Guarantee,
    M: CoordinatewiseIn<G> + ForGuarantee<G>,
{
    M::for_guarantee(guarantee, apart)
}

/// A notion in which a budget can be shared between bounds and a statistic: [`Pure`] and [`Zcdp`].
///
/// Sealed: its numbers add up.
pub trait NotionOfBounds: Guarantee + sealed::Shared {
    /// The noise of the counts from which bounds are read.
    type OnBins: NoiseOnBins + Mechanism<Guarantee = Self> + Clone + fmt::Debug;
    /// The noise of the sums of which a statistic is made.
    type OnSums: Coordinatewise<Input = f64, Output = f64> + SumNoise;

    /// A share of this guarantee and the rest, both rounded down.
    #[doc(hidden)]
    fn split(&self, share: f64) -> Result<(Self, Self), Error>;

    /// As little noise on sums that are moved as far as meets this guarantee.
    #[doc(hidden)]
    fn on_sums(&self, moves: Moves) -> Result<Self::OnSums, Error>;
}

impl NotionOfBounds for Pure {
    type OnBins = DiscreteLaplace;
    type OnSums = Laplace;

    fn split(&self, share: f64) -> Result<(Self, Self), Error> {
        let (first, rest) = split(self.epsilon().get(), share);
        Ok((Self::new(positive("epsilon", first)?)?, Self::new(positive("epsilon", rest)?)?))
    }

    fn on_sums(&self, moves: Moves) -> Result<Laplace, Error> {
        on_lists(self, Sensitivity::new(moves.l1)?)
    }
}

impl NotionOfBounds for Zcdp {
    type OnBins = DiscreteGaussian;
    type OnSums = Gaussian;

    fn split(&self, share: f64) -> Result<(Self, Self), Error> {
        let (first, rest) = split(self.rho().get(), share);
        Ok((Self::new(positive("rho", first)?)?, Self::new(positive("rho", rest)?)?))
    }

    fn on_sums(&self, moves: Moves) -> Result<Gaussian, Error> {
        on_lists(self, Sensitivity::new(moves.l2)?)
    }
}

/// Two numbers that add up to at most the first one.
fn split(total: f64, share: f64) -> (f64, f64) {
    let first = mul_down(share, total);
    (first, sub_down(total, first))
}

/// How many counts of bins a step of a relation moves by one.
pub trait StepOfBounds: Adjacency {
    /// One that rises or falls, or one that falls and one that rises.
    const COUNTS: u8;
}

impl StepOfBounds for AddRemove {
    const COUNTS: u8 = 1;
}

impl StepOfBounds for ReplaceOne {
    const COUNTS: u8 = 2;
}
