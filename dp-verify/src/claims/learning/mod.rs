//! Claims about learning, as `dp_ml` has it.
//!
//! | id | what it says | what is found |
//! |---|---|---|
//! | L1 | gradient descent is within ‖β⁰ − β*‖²/Σγ | holds for small steps |
//! | L2 | stochastic gradients add CΣγ²/Σγ; constant rates do not converge | holds |
//! | L3 | the ridge estimator in closed form | holds |
//! | L4 | one-pass and multi-pass batches | hold: the samplers do what they say |
//! | L5 | the h-th iterate is εa_h-private | holds for one iterate and gradients bounded wherever iterates are; with the textbook sensitivity it loses up to 1.5ε |
//! | L6 | the average is within A₁ + A₂ + A₃ | holds; but L5 does not make it private |
//! | L7 | A₂ ≈ N^−ρ | refuted for ρ > ½: it is N^(ρ−1) |
//! | L8 | a_h = 1 diverges, a_h = h^κ converges exactly if 2κ + ρ > 2 | holds |
//! | L9 | private and convergent with κ > ¾, ρ = ½ | holds, at a price: the last iterate is εN^κ-private |
//! | L10 | DP-SGD costs what the composition of its steps costs | holds, as it is built |
//! | L11 | regression from noisy sums with an adaptive ridge (AdaSSP) | holds |
//! | L13 | noise that looks the same from all sides | holds |
//! | L14 | objective perturbation under pure ε | holds |
//! | L15 | regression from all its sums with one noise | holds |
//!
//! Expectations of squared losses are computed by recursion, laws of trainings from the definition.

mod batches;
mod descent;
mod iterates;
mod moments;
mod moments_of_regression;
mod noisy_steps;
mod objective;
mod price;
mod regression;
mod ridge;
mod sampled_law;
mod slopes;
mod spherical;
pub mod study;

use crate::claim::Claim;

/// The claims about learning, in the order of their names.
pub(super) fn all() -> Vec<Claim> {
    vec![
        descent::L1,
        moments::L2,
        ridge::L3,
        batches::L4,
        iterates::L5,
        moments::L6,
        slopes::L7,
        slopes::L8,
        price::L9,
        noisy_steps::L10,
        regression::L11,
        spherical::L13,
        objective::L14,
        moments_of_regression::L15,
    ]
}

/// A small count as a float.
#[allow(clippy::cast_precision_loss, reason = "counts of steps are far below 2⁵³")]
const fn count(n: usize) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::tests::as_expected;

    #[test]
    fn every_claim_finds_what_is_expected() {
        assert!(as_expected(&all()).iter().all(|finding| !finding.figures.is_empty()));
    }
}
