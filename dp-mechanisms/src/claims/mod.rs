//! The claims that this crate makes, as executable checks for the ledger (see [`dp_core::claims`]).
//!
//! | id | what it says | what is found |
//! |---|---|---|
//! | M1 | f + Lap(Δ₁/ε) is ε-private | holds, and is tight |
//! | M2 | Laplace noise of scale b has a standard deviation of at most b | refuted: it is √2·b |
//! | M7 | mixed noise, Gaussian for small Δ, is (ε,δ)-private | refuted: its true δ depends on ε alone |
//!
//! Statistical parts draw with a fixed seed: they give the same result on every run. Where a false-alarm
//! probability is stated, it is over the choice of that seed.

mod mixed_noise;
mod pure_laplace;
mod spread;

use dp_core::claims::Claim;
use dp_core::rounding::Enclosure;

/// The claims of this crate, in the order of their names.
#[must_use]
pub fn all() -> Vec<Claim> {
    vec![pure_laplace::M1, spread::M2, mixed_noise::M7]
}

/// An upper bound on √(ln(1/false alarm) / 2n): how far the mean of n independent variables in [0, 1] strays
/// above its expectation but for that probability (Hoeffding 1963).
fn deviation(draws: u32, false_alarm: f64) -> f64 {
    let exponent = -Enclosure::point(false_alarm).ln();
    (exponent / Enclosure::point(2.0 * f64::from(draws))).sqrt().hi()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_claim_finds_what_is_expected() {
        for claim in all() {
            let (finding, as_expected) = claim.run();
            assert!(as_expected, "{}: {}", claim.id, finding.detail);
            assert!(!finding.detail.is_empty());
        }
    }

    #[test]
    fn deviations_invert_their_bound() {
        let w = deviation(10_000, 1e-9);
        assert!(((-2.0 * 1e4 * w * w).exp() / 1e-9 - 1.0).abs() < 1e-9);
    }
}
