//! Releases that are paid for together, and paid for too little.

use std::num::NonZero;

use dp_core::measurement::ByKey;
use dp_core::{AddRemove, Error, ForGuarantee, L1, Measurement, Mechanism, Pure, Query, Scale, Sensitivity};
use dp_mechanisms::rng::Insecure;
use dp_mechanisms::sample::{Bernoulli, below};
use dp_mechanisms::{DiscreteLaplace, Laplace};
use dp_sensitivity::Count;

use super::sensitivity::below_between_or_above;
use super::trial::{Trial, cell, pure};
use super::{Caught, Effort, Mutant};
use crate::audit::labels::integer;

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "parallel composition under replace-one",
        mistake: "parts by a key cost the largest ε among them, though a replaced record leaves one part and enters another",
        right: "that rule is for add/remove; under replace-one the guarantee of a group of two holds",
        check: |effort| parallel(effort, 1.0),
    },
    Mutant {
        name: "sampling that saves q²",
        mistake: "a release on a sample at rate q is said to cost q²ε",
        right: "it costs ln(1 + q(e^ε − 1))",
        check: |effort| sampled(effort, |epsilon, rate| epsilon / (rate * rate)),
    },
    Mutant {
        name: "Poisson sampling's price for batches of a fixed size",
        mistake: "batches of a fixed size under replace-one are accounted for as Poisson samples under add/remove, though a record in the batch is exchanged and not left out",
        right: "sampling belongs to a neighbour relation, and noise for replaced records is twice as large",
        check: |effort| fixed_size(effort, 1.0),
    },
    Mutant {
        name: "the same noise twice",
        mistake: "two releases start from copies of one generator, and their difference has no noise",
        right: "a generator for releases cannot be copied",
        check: |effort| same_noise(effort, |rng| rng.clone()),
    },
];

/// Counts by key with ε·`share` for each of two parts, on a record that changes its part.
fn parallel(effort: Effort, share: f64) -> Result<Caught, Error> {
    const EPSILON: f64 = 2.0;
    let parts = |epsilon: f64| {
        let count = || Count::all().with(Laplace::epsilon(epsilon)?);
        ByKey::new(vec![count()?, count()?], |part: &usize| *part)
    };
    let broken = parts(EPSILON * share)?;
    let library = parts(EPSILON / 2.0)?.replace_one_as_two_steps();
    let trial = Trial {
        promise: pure(library.guarantee().epsilon().get())?,
        neighbours: [&[0][..], &[1][..]],
        looking_at: "both counts, where one record is in the first part and where it is in the second",
        label: |counts: &Vec<f64>| below_between_or_above(counts),
    };
    trial.audit(effort, |data, rng| broken.draw(data, rng), |data, rng| library.draw(data, rng))
}

/// A count of a sample at rate ½, whose noise is for the ε that `unsampled` makes of the promise
/// and the rate.
fn sampled(effort: Effort, unsampled: impl Fn(f64, f64) -> f64) -> Result<Caught, Error> {
    const EPSILON: f64 = 0.5;
    const RATE: f64 = 0.5;
    let coin = Bernoulli::new(RATE)?;
    let release = |epsilon: f64| Count::all().with(Laplace::epsilon(epsilon)?);
    // ln(1 + q(e^ε' − 1)) = ε, less a little for the roundings of this line.
    let (broken, right) =
        (release(unsampled(EPSILON, RATE))?, release((EPSILON.exp_m1() / RATE).ln_1p() * (1.0 - 1e-12))?);
    let sample = |data: &[f64], rng: &mut Insecure| -> Vec<f64> {
        data.iter().copied().filter(|_| coin.draw(rng)).collect()
    };
    let trial = Trial {
        promise: pure(EPSILON)?,
        neighbours: [&[][..], &[7.0][..]],
        looking_at: "the released count of a sample of no record or one",
        label: |count: &f64| cell(*count, 0.5),
    };
    trial.audit(
        effort,
        |data, rng| broken.draw(&sample(data, rng), rng),
        |data, rng| right.draw(&sample(data, rng), rng),
    )
}

const TWO: NonZero<u64> = NonZero::new(2).expect("not zero");

/// One of two records in [−1, 1], with noise for a `sensitivity` and the promise of Poisson
/// sampling at rate ½.
fn fixed_size(effort: Effort, sensitivity: f64) -> Result<Caught, Error> {
    const UNSAMPLED: f64 = 2.0;
    let release =
        |sensitivity: f64| Ok::<_, Error>(Laplace::with_scale(Scale::new(sensitivity / UNSAMPLED)?));
    let (broken, right) = (release(sensitivity)?, release(2.0)?);
    let drawn = |data: &[f64; 2], rng: &mut Insecure| data[usize::from(below(TWO, rng) == 1)];
    let trial = Trial {
        promise: pure((0.5 * UNSAMPLED.exp_m1()).ln_1p())?,
        neighbours: [&[1.0, 1.0], &[-1.0, 1.0]],
        looking_at: "the released value of one of two records",
        label: |value: &f64| cell(*value, 0.5),
    };
    trial.audit(
        effort,
        |data, rng| broken.draw(&drawn(data, rng), rng),
        |data, rng| right.draw(&drawn(data, rng), rng),
    )
}

/// Two counts at ε = ½ each, the second with the generator that `second` makes of the first.
fn same_noise(effort: Effort, second: impl Fn(&mut Insecure) -> Insecure) -> Result<Caught, Error> {
    let noise = DiscreteLaplace::for_guarantee(&Pure::new(0.5)?, Sensitivity::<L1, AddRemove>::new(1.0)?)?;
    let trial = Trial {
        promise: pure(1.0)?,
        neighbours: [&[5, 5], &[6, 5]],
        looking_at: "the difference of two released counts",
        label: |[a, b]: &[i64; 2]| integer(a - b),
    };
    let broken = |[a, b]: &[i64; 2], rng: &mut Insecure| {
        let mut other = second(rng);
        Ok([noise.draw(a, rng)?, noise.draw(b, &mut other)?])
    };
    trial.audit(effort, broken, |[a, b], rng| Ok([noise.draw(a, rng)?, noise.draw(b, rng)?]))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{EFFORT, assert_caught};
    use super::*;
    use rand_core::Rng;

    #[test]
    fn every_mutant_is_caught() {
        assert_caught(MUTANTS);
    }

    /// Each mutant without its mistake. False alarms: 10⁻⁹ each.
    #[test]
    fn what_is_right_is_not_caught() {
        assert!(!parallel(EFFORT, 0.5).unwrap().caught);
        let amplified = |epsilon: f64, rate: f64| (epsilon.exp_m1() / rate).ln_1p();
        assert!(!sampled(EFFORT, amplified).unwrap().caught);
        assert!(!fixed_size(EFFORT, 2.0).unwrap().caught);
        assert!(!same_noise(EFFORT, |rng| Insecure::seeded(rng.next_u64())).unwrap().caught);
    }
}
