//! Intervals that cover less often than they say. No privacy is lost by them, and every reader is
//! misled.

use dp_core::interval::Confidence;
use dp_core::rounding::Enclosure;
use dp_core::{Error, ErrorBound, Scale};
use dp_mechanisms::Laplace;

use super::certified::certified;
use super::{Caught, Mutant};
use crate::claims::misses;

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "an interval that ignores the grid",
        mistake: "releases are rounded to whole numbers, and the interval makes room for the noise alone",
        right: "the interval is wider by half a step of the grid",
        check: |_| without_the_grid(0.0),
    },
    Mutant {
        name: "twenty intervals at the confidence of one",
        mistake: "each bin of a histogram gets an interval at 95 %, and the twenty are said to hold together",
        right: "each gets the confidence that twenty independent ones need to hold together",
        check: |_| one_by_one(1),
    },
];

/// Intervals at 95 % with this share of half a step.
fn without_the_grid(share: f64) -> Result<Caught, Error> {
    let noise = Laplace::with_scale(Scale::new(1.0)?).on_grid(0)?;
    let (bound, beta) = (noise.error_bound(0.05)?, 0.05);
    // Just out of reach of the last point that the noise alone would reach.
    let answer = (bound - 0.5).fract() + 1e-9;
    let missed = |reach: f64| misses(&noise, 1000.0 - answer, 1.0, reach);
    let broken = missed(bound - 0.5 * (1.0 - share));
    Ok(certified("the probability that the answer is not covered", beta, broken, missed(bound)))
}

/// Twenty intervals, each at the confidence that `together` independent ones need.
fn one_by_one(together: usize) -> Result<Caught, Error> {
    let noise = Laplace::with_scale(Scale::new(1.0)?).on_grid(-20)?;
    let some_missed = |count: usize| {
        let each = Confidence::new(0.95)?.independently(count);
        let covered =
            Enclosure::ONE - misses(&noise, 1000.0, 2f64.powi(-20), noise.error_bound(each.beta())?);
        Ok::<_, Error>(Enclosure::ONE - (0..20).fold(Enclosure::ONE, |all, _| all * covered))
    };
    let beta = Confidence::new(0.95)?.beta();
    Ok(certified(
        "the probability that some answer is not covered",
        beta,
        some_missed(together)?,
        some_missed(20)?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_caught_and_the_library_is_not() {
        super::super::tests::assert_caught(MUTANTS);
        assert!(!without_the_grid(1.0).unwrap().caught);
        assert!(!one_by_one(20).unwrap().caught);
    }
}
