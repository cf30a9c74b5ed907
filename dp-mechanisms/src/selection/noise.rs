//! The error of a selection, for each noise.

use core::fmt;

use dp_core::Error;
use dp_core::rounding::Enclosure;

use crate::arguments::failure;
use crate::sample::race::{ExponentialNoise, GumbelNoise, LaplaceNoise, NoiseLaw};

/// A law of noise for [`NoisyMax`](super::NoisyMax): [`GumbelNoise`], [`ExponentialNoise`] or
/// [`LaplaceNoise`].
///
/// Sealed: each law needs a proof and an exact sampler. The error of a selection is best
/// score − score of the winner, here in units of the scale.
pub trait Noise: NoiseLaw + Copy + fmt::Debug + Default + PartialEq + Send + Sync + 'static {
    /// A bound on the error that fails with probability at most β, where `rivals` candidates
    /// compete with the best one.
    #[doc(hidden)]
    fn error_in_scales(rivals: Enclosure, beta: Enclosure) -> Enclosure;

    /// A bound on the expected error, for the logarithm of the number of candidates.
    #[doc(hidden)]
    fn expected_in_scales(ln_candidates: Enclosure) -> Enclosure;
}

impl Noise for GumbelNoise {
    /// The r rivals that are at least t behind have at most r·e^(−t) of the weight that the best
    /// has alone, so one of them wins with probability at most r·e^(−t)/(1 + r·e^(−t)). That is β
    /// at t = ln(r(1 − β)/β), and r rivals all t behind reach it.
    fn error_in_scales(rivals: Enclosure, beta: Enclosure) -> Enclosure {
        (rivals * (Enclosure::ONE - beta) / beta).ln()
    }

    /// The law p ∝ e^u is the one that maximises Σ pᵢuᵢ plus its entropy, so this sum is at least
    /// that of the best candidate alone, max u + 0; and an entropy is at most ln d (claim M13).
    fn expected_in_scales(ln_candidates: Enclosure) -> Enclosure {
        ln_candidates
    }
}

impl Noise for ExponentialNoise {
    /// A rival that is t behind passes the best one when the difference of two exponentials exceeds
    /// t: ½e^(−t). The sum over the rivals is β at t = ln(r/2β).
    fn error_in_scales(rivals: Enclosure, beta: Enclosure) -> Enclosure {
        (rivals / (beta * Enclosure::point(2.0))).ln()
    }

    /// The winner is behind by at most the difference of the noises, so the expectation is at most
    /// that of the largest one of d exponentials less that of one: 1 + ½ + … + 1/d − 1 ≤ ln d.
    fn expected_in_scales(ln_candidates: Enclosure) -> Enclosure {
        ln_candidates
    }
}

impl Noise for LaplaceNoise {
    /// A rival that is t behind passes the best one when the difference of two Laplace variables
    /// exceeds t: (2 + t)/4·e^(−t). The sum over the rivals is at most β for
    /// t ≥ g(t) = ln(r(2 + t)/4β). The start 2·ln(r/2β) is such a t, because 1 + t/2 ≤ e^(t/2); and
    /// with t also g(t) is one, because g rises.
    fn error_in_scales(rivals: Enclosure, beta: Enclosure) -> Enclosure {
        let weight = rivals / (beta * Enclosure::point(4.0));
        let start = (weight * Enclosure::point(2.0)).ln() * Enclosure::point(2.0);
        let mut t = start.max(Enclosure::ZERO).hi();
        loop {
            let next =
                (weight * (Enclosure::point(2.0) + Enclosure::point(t))).ln().max(Enclosure::ZERO).hi();
            // Near the fixed point g is a contraction by 1/(2 + t): this ends where roundings stop
            // the descent.
            if next >= t {
                return Enclosure::point(t);
            }
            t = next;
        }
    }

    /// The largest of the noises less that of the best candidate: E max Nᵢ ≤ E max
    /// |Nᵢ| = 1 + ½ + … + 1/d ≤ 1 + ln d.
    fn expected_in_scales(ln_candidates: Enclosure) -> Enclosure {
        Enclosure::ONE + ln_candidates
    }
}

/// The error that is passed with probability β only, in scales.
pub(super) fn error_bound<N: Noise>(candidates: usize, beta: f64) -> Result<Enclosure, Error> {
    if candidates == 0 {
        return Err(Error::Empty { argument: "the list of candidates" });
    }
    let beta = failure(beta)?;
    if candidates == 1 || beta == 1.0 {
        return Ok(Enclosure::ZERO);
    }
    Ok(N::error_in_scales(Enclosure::integer(candidates - 1), Enclosure::point(beta)).max(Enclosure::ZERO))
}

/// The expected error, in scales.
pub(super) fn expected_error<N: Noise>(candidates: usize) -> Result<Enclosure, Error> {
    match candidates {
        0 => Err(Error::Empty { argument: "the list of candidates" }),
        1 => Ok(Enclosure::ZERO),
        _ => Ok(N::expected_in_scales(Enclosure::integer(candidates).ln())),
    }
}
