//! The noise that belongs to a norm.

use dp_accounting::Event;
use dp_core::pairs::{GaussianPair, LaplacePair};
use dp_core::rounding::{Enclosure, sqrt_up};
use dp_core::{Adjacency, Epsilon, Error, Guarantee, L1, L2, Mu, Norm, Pure, Rho, Scale, Zcdp};
use dp_mechanisms::{Coordinatewise, Gaussian, Laplace};

use crate::arguments::count;

/// A norm in which gradients are bounded, with its noise: Laplace for [`L1`], Gaussian for [`L2`].
///
/// Privacy losses are functions of one number, the *ratio* of the sensitivity to the scale of the
/// noise. It is ε for Laplace noise, and μ for Gaussian noise, which is ½μ²-zCDP.
pub trait StepNoise: Norm + sealed::Sealed {
    /// The mechanism.
    type Mechanism: Coordinatewise<Input = f64, Output = f64> + Copy + core::fmt::Debug + Send + Sync;
    /// The notion of its guarantee.
    type Guarantee: Guarantee;

    /// The noise of this scale, on the multiples of 2^exponent.
    ///
    /// # Errors
    /// When the grid does not suit the scale.
    fn mechanism(scale: Scale, exponent: i32) -> Result<Self::Mechanism, Error>;

    /// The guarantee of one release at this ratio.
    fn guarantee(ratio: f64) -> Self::Guarantee;

    /// The guarantee of one release at this ratio on a subsample, in which each record is with this
    /// probability.
    ///
    /// For Laplace noise privacy amplification gives ln(1 + q(e^ε − 1)) (Balle, Barthe and Gaboardi
    /// 2018): without replacement under replace-one, Poisson under add/remove, for a ratio under
    /// the same relation. For Gaussian noise this is the guarantee without subsampling, since zCDP
    /// is not amplified; numerical composition gives a smaller one.
    fn sampled(ratio: f64, probability: Enclosure) -> Self::Guarantee;

    /// The parameter of a guarantee, by which guarantees are compared.
    fn order(guarantee: &Self::Guarantee) -> f64;

    /// One release at this ratio, as an event for the accountant.
    fn event<A: Adjacency>(ratio: f64) -> Event<A>;

    /// The norm of a vector of ones, rounded up.
    fn of_ones(dimension: usize) -> f64;

    /// The norm of a gradient, in plain floats.
    fn norm(gradient: &[f64]) -> f64;

    /// The variance of the noise, in squares of its scale.
    const VARIANCE: f64;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for dp_core::L1 {}
    impl Sealed for dp_core::L2 {}
}

impl StepNoise for L1 {
    type Mechanism = Laplace;
    type Guarantee = Pure;
    const VARIANCE: f64 = 2.0;

    fn mechanism(scale: Scale, exponent: i32) -> Result<Laplace, Error> {
        Laplace::with_scale(scale).on_grid(exponent)
    }

    fn guarantee(ratio: f64) -> Pure {
        Epsilon::saturating(ratio).into()
    }

    fn sampled(ratio: f64, probability: Enclosure) -> Pure {
        let amplified = (probability * Enclosure::point(ratio).exp_m1()).ln_1p().hi();
        Epsilon::saturating(amplified.min(ratio)).into() // not more than without sampling, where e^ε overflows
    }

    fn order(guarantee: &Pure) -> f64 {
        guarantee.epsilon().get()
    }

    fn event<A: Adjacency>(ratio: f64) -> Event<A> {
        LaplacePair::new(Epsilon::saturating(ratio)).into()
    }

    fn of_ones(dimension: usize) -> f64 {
        count(dimension)
    }

    #[inline]
    fn norm(gradient: &[f64]) -> f64 {
        sum_of(gradient, f64::abs)
    }
}

impl StepNoise for L2 {
    type Mechanism = Gaussian;
    type Guarantee = Zcdp;
    const VARIANCE: f64 = 1.0;

    fn mechanism(scale: Scale, exponent: i32) -> Result<Gaussian, Error> {
        Gaussian::with_scale(scale).on_grid(exponent)
    }

    fn guarantee(ratio: f64) -> Zcdp {
        Rho::saturating((Enclosure::point(ratio).square() * Enclosure::point(0.5)).hi()).into()
    }

    fn sampled(ratio: f64, _: Enclosure) -> Zcdp {
        Self::guarantee(ratio)
    }

    fn order(guarantee: &Zcdp) -> f64 {
        guarantee.rho().get()
    }

    fn event<A: Adjacency>(ratio: f64) -> Event<A> {
        GaussianPair::new(Mu::saturating(ratio)).into()
    }

    fn of_ones(dimension: usize) -> f64 {
        sqrt_up(count(dimension))
    }

    #[inline]
    fn norm(gradient: &[f64]) -> f64 {
        f64::sqrt(sum_of(gradient, |x| x * x))
    }
}

/// Four parallel sums: a single one would wait for each addition.
#[inline]
fn sum_of(values: &[f64], each: impl Fn(f64) -> f64) -> f64 {
    let (blocks, rest) = values.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for block in blocks {
        for (sum, x) in sums.iter_mut().zip(block) {
            *sum += each(*x);
        }
    }
    rest.iter().fold((sums[0] + sums[1]) + (sums[2] + sums[3]), |sum, x| sum + each(*x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sampling_amplifies_laplace_noise() {
        let eighth = Enclosure::point(0.125);
        // ln(1 + (e − 1)/8) and ln(1 + (e^0.01 − 1)/8), by mpmath
        for (ratio, expected) in [(1.0, 0.194_567_294_548_011_76), (0.01, 0.001_255_482_437_519_199)] {
            let found = L1::sampled(ratio, eighth).epsilon().get();
            assert!(found >= expected && found < expected * (1.0 + 1e-12), "{found}");
        }
        assert_eq!(L1::sampled(2000.0, eighth).epsilon().get(), 2000.0);
        assert_eq!(L1::sampled(0.5, Enclosure::ONE).epsilon().get(), 0.5);
        assert_eq!(L2::guarantee(0.5), Zcdp::new(0.125).unwrap());
    }

    #[test]
    fn norms_are_norms() {
        let v = [3.0, -4.0, 12.0, 0.0, -84.0];
        assert_eq!((L1::norm(&v), L2::norm(&v)), (103.0, 85.0));
        assert_eq!((L1::of_ones(9), L2::of_ones(9)), (9.0, 3.0));
    }
}
