//! M18: releases that are forced into a range.
//!
//! About [`dp_core::Measurement::map`].

use std::collections::BTreeMap;

use crate::claim::{Claim, Finding, Kind, Verdict};
use crate::figure::{Axis, Figure};
use dp_core::rounding::Enclosure;
use dp_core::{AddRemove, Error, Finite, L1, Measurement, Query, Sensitivity, SensitivityIn};

use dp_mechanisms::Laplace;
use dp_mechanisms::rng::Insecure;

pub(super) const M18: Claim = Claim {
    id: "M18",
    source: "Ottawa Ex 22, 25",
    statement: "negative counts and ages out of range can be clamped after the release, at no cost in privacy",
    formula: "Pr(g(M(x)) ∈ S) = Pr(M(x) ∈ g⁻¹(S)) ≤ e^ε · Pr(g(M(y)) ∈ S)",
    meaning: "A noisy count can be negative and a noisy age above a hundred and fifty. Forcing the released value into its range uses the release alone, so it costs \
              no privacy. The exact laws of clamped counts were enumerated for all neighbouring answers and stay within the ratio that ε allows. A clamped \
              measurement of the library keeps the guarantee that it had, and none of 3000 of its releases left the range. Clamping the noise instead of the release \
              is a mistake that looks alike, and it is caught.",
    kind: Kind::Enumeration,
    expected: Verdict::Holds,
    check: || judge(clamped).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

/// The largest number that makes sense; the smallest is 0.
const TOP: i64 = 10;

fn clamped(answer: i64, noise: i64) -> i64 {
    (answer + noise).clamp(0, TOP)
}

/// Checks what `output` makes of an answer and its noise: its exact law for all neighbours, and the
/// type of a clamped measurement.
fn judge(output: impl Fn(i64, i64) -> i64) -> Result<Finding, Error> {
    let ratio = Enclosure::point(RATE).exp();
    let laws: Vec<_> = (0..=TOP).map(|answer| law(|noise| output(answer, noise))).collect();
    for (answer, (p, q)) in laws.iter().zip(&laws[1..]).enumerate() {
        for value in p.keys().chain(q.keys()) {
            let [p, q] = [p, q].map(|law| law.get(value).copied().unwrap_or(Enclosure::ZERO));
            if p.lo() > (ratio * q).hi() || q.lo() > (ratio * p).hi() {
                return Ok(Finding::refuted(format!(
                    "the answers {answer} and {} give {value} with probabilities {p} and {q}, not within e^ε for ε = {RATE}",
                    answer + 1
                )));
            }
        }
    }
    let release = Number.with(Laplace::epsilon(RATE)?)?;
    let guarantee = release.guarantee();
    let within = release.map(|age: f64| age.clamp(0.0, 110.0));
    let mut rng = Insecure::seeded(18);
    let mut outside = 0;
    for answer in [0.0, 10.0, 110.0] {
        for _ in 0..1000 {
            outside += usize::from(!(0.0..=110.0).contains(&within.draw(&answer, &mut rng)?));
        }
    }
    let detail = format!(
        "clamped to 0…{TOP}, the laws of all neighbouring counts stay within e^ε; a clamped measurement has the guarantee {guarantee} that it had, \
         and {outside} of 3000 releases out of range"
    );
    let finding = if within.guarantee() == guarantee && outside == 0 {
        Finding::holds(detail)
    } else {
        Finding::undecided(detail)
    };
    let points = |law: &BTreeMap<i64, Enclosure>| -> Vec<(f64, f64)> {
        (0i32..).zip(0..=TOP).filter_map(|(x, value)| Some((f64::from(x), law.get(&value)?.hi()))).collect()
    };
    Ok(finding.with_figure(
        Figure::new(
            format!("The law of a count that is clamped to 0…{TOP} after the release, ε = {RATE}"),
            Axis::linear("released"),
            Axis::logarithmic("probability"),
        )
        .curve("true count 2", points(&laws[2]))
        .curve("true count 3", points(&laws[3])),
    ))
}

/// 1/b of the discrete Laplace noise, and its ε for counts.
const RATE: f64 = 0.5;

/// Encloses the law of a function of the noise. Noise beyond ±60 counts as ±61, which clamps to the
/// same.
fn law(output: impl Fn(i64) -> i64) -> BTreeMap<i64, Enclosure> {
    const END: i32 = 60;
    let decay = |k: i32| Enclosure::point(-RATE * f64::from(k)).exp();
    let total = Enclosure::ONE + decay(1);
    let mut law = BTreeMap::new();
    for noise in -END - 1..=END + 1 {
        let mass = if noise.abs() > END {
            decay(noise.abs()) / total // Σ_{k>60} r^k·(1−r)/(1+r)
        } else {
            decay(noise.abs()) * (Enclosure::ONE - decay(1)) / total
        };
        let slot = law.entry(output(noise.into())).or_insert(Enclosure::ZERO);
        *slot = *slot + mass;
    }
    law
}

/// A number that one record moves by one: only its type matters.
struct Number;

impl Query for Number {
    type Data = f64;
    type Answer = Finite;
    type Adjacency = AddRemove;
    fn answer(&self, data: &f64) -> Result<Finite, Error> {
        Ok(Finite::or_zero(*data))
    }
}

impl SensitivityIn<L1> for Number {
    fn sensitivity(&self) -> Sensitivity<L1, AddRemove> {
        Sensitivity::new(1.0).expect("one is a sensitivity")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_core::{Mechanism, Scale};
    use dp_mechanisms::DiscreteLaplace;

    #[test]
    fn clamping_the_noise_instead_of_the_release_is_refuted() {
        let found = judge(|answer, noise| answer + noise.clamp(-3, 3)).unwrap();
        assert_eq!(found.verdict, Verdict::Refuted, "{}", found.detail);
        // Noise that is reflected at the answer's distance from the end looks at the answer too.
        let found =
            judge(|answer, noise| answer + noise.max(-answer).min(TOP - answer) + answer % 2).unwrap();
        assert_eq!(found.verdict, Verdict::Refuted, "{}", found.detail);
    }

    #[test]
    fn the_enumerated_law_is_that_of_the_library() {
        let law = law(|noise| noise);
        let total = law.values().fold(Enclosure::ZERO, |sum, mass| sum + *mass);
        assert!(total.contains(1.0) && total.relative_width() < 1e-12);
        let noise = DiscreteLaplace::with_scale(Scale::new(1.0 / RATE).unwrap());
        let mut rng = Insecure::seeded(3);
        let zeros = (0..20_000).filter(|_| noise.draw(&0, &mut rng).unwrap() == 0).count();
        // Hoeffding: off by more than 400 of 20 000 with probability below 2·e^−16.
        let expected = 20_000.0 * law[&0].hi();
        assert!((f64::from(u32::try_from(zeros).unwrap()) - expected).abs() < 400.0, "{zeros} {expected}");
    }
}
