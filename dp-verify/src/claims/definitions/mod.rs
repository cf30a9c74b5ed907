//! Claims about the definitions, as `dp_core` has them.
//!
//! | id | what it says | what is found |
//! |---|---|---|
//! | D1, D2 | the definitions of ε-DP and (ε,δ)-DP, event by event | hold |
//! | D3 | (ε,δ)-DP ⇔ Pr[loss ≤ ε] ≥ 1 − δ | refuted: the tail is enough and not necessary |
//! | D4 | (ε,δ)-DP is a bound on the δ-smoothed max divergence | holds |
//! | D5 | every notion is a view of the law of the privacy loss | holds |
//! | D6 | the Rényi divergence as printed | refuted: an exponent α − 1 is missing |
//! | D7 | D_α rises with α | holds |
//! | D8, D9, D11 | zCDP, its zero ρ, its tail | hold |
//! | D10 | ρ-zCDP becomes pure DP as α → ∞ | refuted |
//! | D12 | k records together have kε, kμ, k²ρ and (kε, δ(e^kε−1)/(e^ε−1)) | holds |
//! | D13 | D_α(P‖Q) ≤ α(√a + √b)² from aα and bα | holds |
//! | I2 | what an adversary gains by a guess, a suspicion or a test follows from the profile | holds, and is reached |
//! | M6 | Gaussian noise is ρ-zCDP if and only if σ² ≥ Δ₂²/2ρ | holds |

mod concentrated;
mod divergences;
mod events;
mod groups;
mod loss;
mod risk;

use crate::claim::Claim;

/// The claims about definitions.
pub(super) fn all() -> Vec<Claim> {
    [
        events::claims(),
        divergences::claims(),
        loss::claims(),
        concentrated::claims(),
        groups::claims(),
        vec![risk::I2],
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::tests::as_expected;

    #[test]
    fn every_claim_finds_what_is_expected() {
        as_expected(&all());
    }
}
