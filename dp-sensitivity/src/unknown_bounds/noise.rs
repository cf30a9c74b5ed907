//! The noise of counts from which bounds are read.

use dp_core::interval::ErrorBound;
use dp_core::rounding::sqrt_up;
use dp_core::{AddRemove, Error, ForGuarantee, L1, L2, Mechanism, Pure, Sensitivity, Zcdp};
use dp_mechanisms::{Coordinatewise, CoordinatewiseIn, DiscreteGaussian, DiscreteLaplace};

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
