//! Claims about noise, selection and randomisers, as `dp_mechanisms` has them.
//!
//! | id | what it says | what is found |
//! |---|---|---|
//! | M1 | f + Lap(Δ₁/ε) is ε-private | holds, and is tight |
//! | M2 | Laplace noise of scale b has a standard deviation of at most b | refuted: it is √2·b |
//! | M3 | σ = Δ₂√(2 ln(1.25/δ))/ε is enough for ε < 1 | holds, with noise to spare; fails from about ε = 7 on |
//! | M4 | a closed form of σ for every ε and δ < ½ | holds, with noise to spare |
//! | M5 | σ² > 2Δ ln(1.25/δ)/ε is enough | refuted: Δ and ε must be squared |
//! | M7 | mixed noise, Gaussian for small Δ, is (ε,δ)-private | refuted: its true δ depends on ε alone; the library's holds |
//! | M8 | the bounded Laplace mechanism is (ε,δ)-private from a certain b on | holds, and is loose for δ > 0 |
//! | M11 | the exponential mechanism is ε-private | holds, and is tight; so is half of the noise for monotone scores |
//! | M12 | the Laplace mechanism is an exponential mechanism | holds up to a factor 2 in the scale |
//! | M13 | Pr(u < u* − 2Δ(ln d + t)/ε) ≤ e^−t | holds; the library's bound is sharper |
//! | M14 | report-noisy-max with exponential noise is ε-private | holds, and is permute-and-flip |
//! | M16 | synthetic data from an ε-private histogram are ε-private, counts can be negative, clamping biases | holds |
//! | M18 | releases can be clamped into their range at no cost | holds |
//! | M21 | keys are kept with the largest probability that (ε,δ) allows | holds, and is tight |
//! | M22 | counts with noise that ends at a limit, above it | holds, and is tight |
//! | D14 | private selection does not overfit | holds; the library's bound is at most half of the printed one |
//! | L12 | local reports, and a census whose counts add up | hold |
//! | I1 | the interval of a release covers the exact answer | holds, and is tight |
//! | SV1 | the sparse vector technique is ε-private | holds, and is tight |
//! | SV3 to SV6 | four variants of it are ε-private | refuted: three have no finite ε |
//! | SV7 | its noise for monotone answers serves for any counts, each of which moves one way | refuted: the loss is up to nearly 2ε |
//!
//! Statistical parts draw with a fixed seed: they give the same result on every run. Where a
//! false-alarm probability is stated, it is over the choice of that seed.

mod bounded_laplace;
mod census;
mod clamped;
mod generalisation;
mod intervals;
mod keys;
mod local_reports;
mod mixed_noise;
mod pure_laplace;
mod selection;
mod sparse_vector;
mod spread;
mod synthetic_data;
mod textbook_gaussian;
mod truncated;

pub(crate) use intervals::misses;

use crate::claim::Claim;
use dp_core::rounding::Enclosure;

/// The claims about mechanisms.
pub(super) fn all() -> Vec<Claim> {
    vec![
        pure_laplace::M1,
        spread::M2,
        textbook_gaussian::M3,
        textbook_gaussian::M4,
        textbook_gaussian::M5,
        mixed_noise::M7,
        bounded_laplace::M8,
        selection::M11,
        selection::M12,
        selection::M13,
        selection::M14,
        synthetic_data::M16,
        clamped::M18,
        keys::M21,
        truncated::M22,
        generalisation::D14,
        local_reports::L12,
        intervals::I1,
        sparse_vector::SV1,
        sparse_vector::SV3,
        sparse_vector::SV4,
        sparse_vector::SV5,
        sparse_vector::SV6,
        sparse_vector::SV7,
    ]
}

/// An upper bound on √(ln(1/false alarm) / 2n): how far the mean of n independent variables in [0,
/// 1] strays above its expectation but for that probability (Hoeffding 1963).
pub(crate) fn deviation(draws: u32, false_alarm: f64) -> f64 {
    let exponent = -Enclosure::point(false_alarm).ln();
    (exponent / Enclosure::point(2.0 * f64::from(draws))).sqrt().hi()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::tests::as_expected;

    #[test]
    fn every_claim_finds_what_is_expected() {
        assert!(as_expected(&all()).iter().all(|finding| !finding.figures.is_empty()));
    }

    #[test]
    fn deviations_invert_their_bound() {
        let w = deviation(10_000, 1e-9);
        assert!(((-2.0 * 1e4 * w * w).exp() / 1e-9 - 1.0).abs() < 1e-9);
    }
}
