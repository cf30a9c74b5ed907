//! Randomisers of the local model with the wrong odds.

use std::num::NonZero;

use dp_core::{Error, Measurement};
use dp_mechanisms::local::{KRandomizedResponse, UnaryEncoding};
use dp_mechanisms::rng::Insecure;
use dp_mechanisms::sample::{Bernoulli, below};

use super::trial::{Trial, pure};
use super::{Caught, Effort, Mutant};
use crate::audit::labels::digits;

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "randomised response among many with the odds of two",
        mistake: "the truth is told with probability e^ε/(e^ε + 1) among 16 values, of which each of the others is then 15 times as rare",
        right: "the truth has probability e^ε/(e^ε + k − 1)",
        check: |effort| many_values(effort, 1.0),
    },
    Mutant {
        name: "unary encoding with ε for each bit",
        mistake: "two bits differ between any two values, and each is randomised as if it were alone",
        right: "each bit gets ε/2",
        check: |effort| unary(effort, 2.0),
    },
];

/// Keeps the value with probability e^ε/(e^ε + `lies`), and draws another one otherwise.
fn many_values(effort: Effort, lies: f64) -> Result<Caught, Error> {
    const EPSILON: f64 = 1.0;
    const VALUES: u32 = 16;
    const OTHERS: NonZero<u64> = NonZero::new(15).expect("not zero");
    let keep = Bernoulli::new(EPSILON.exp() / (EPSILON.exp() + lies))?;
    let library = KRandomizedResponse::epsilon(EPSILON, VALUES)?;
    let trial = Trial {
        promise: pure(EPSILON)?,
        neighbours: [&0, &1],
        looking_at: "the reported value",
        label: |value: &u32| u64::from(*value),
    };
    let broken = |value: &u32, rng: &mut Insecure| {
        if keep.draw(rng) {
            return Ok(*value);
        }
        let other = u32::try_from(below(OTHERS, rng)).expect("below 15");
        Ok(if other < *value { other } else { other + 1 })
    };
    trial.audit(effort, broken, |value, rng| library.draw(value, rng))
}

/// Spends `factor`·ε on an encoding that promises ε.
fn unary(effort: Effort, factor: f64) -> Result<Caught, Error> {
    const EPSILON: f64 = 2.0;
    let (broken, library) =
        (UnaryEncoding::symmetric(factor * EPSILON, 4)?, UnaryEncoding::symmetric(EPSILON, 4)?);
    let trial = Trial {
        promise: pure(EPSILON)?,
        neighbours: [&0, &1],
        looking_at: "the reported bits",
        label: |bits: &Vec<bool>| digits(bits.iter().map(|bit| u64::from(*bit)), 2),
    };
    trial.audit(effort, |value, rng| broken.draw(value, rng), |value, rng| library.draw(value, rng))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{EFFORT, assert_caught};
    use super::*;

    #[test]
    fn every_mutant_is_caught() {
        assert_caught(MUTANTS);
    }

    /// Each mutant without its mistake. False alarms: 10⁻⁹ each.
    #[test]
    fn what_is_right_is_not_caught() {
        assert!(!many_values(EFFORT, 15.0).unwrap().caught);
        assert!(!unary(EFFORT, 1.0).unwrap().caught);
    }
}
