//! M21: which keys occur, where nobody can list them.
//!
//! About [`dp_mechanisms::KeySelection`] and [`dp_sensitivity::PeopleByKey`].

use std::ops::Range;

use dashu_int::IBig;
use dp_core::rounding::Enclosure;
use dp_core::{AddRemove, Delta, Epsilon, Error, ForGuarantee, L1, Sensitivity};
use dp_mechanisms::{KeySelection, StabilityHistogram};
use dp_sensitivity::PeopleByKey;

use crate::approx;
use crate::claim::{Claim, Finding, Kind, Verdict};
use crate::figure::{Axis, Figure};

pub(super) const M21: Claim = Claim {
    id: "M21",
    source: "Desfontaines, Voss, Gipson and Mandayam 2022",
    statement: "a key of n people that is kept with probability π(n), π(0) = 0, is (ε,δ)-private, and no other selection keeps more; s keys by which neighbours differ are, at ε/s and 1 − (1−δ)^(1/s)",
    formula: "π(n+1) = min(e^ε·π(n) + δ, 1 − e^−ε·(1 − π(n) − δ), 1)",
    meaning: "A list of keys that occur, such as the streets that people live in, shows a street in which one person lives. So a key is published with a probability that depends on how many people have it, \
              the largest that (ε,δ) allows: each step of the probability is as large as it can be. The recursion was computed in integers of 300 bits, with e^ε enclosed between two of them, \
              and the library's probabilities, which come from a closed form and are drawn without rounding, are those. All that can be told of several keys was listed, and stays within δ. \
              At ε = 0.1 and δ = 10⁻⁶ a key needs 109 people to be kept with probability ½, where a threshold on noisy counts takes 133.",
    kind: Kind::Exact,
    expected: Verdict::Holds,
    check: || {
        let library = |epsilon, delta| -> Result<Sequence, Error> {
            let keys = KeySelection::<u8>::new(Epsilon::new(epsilon)?, Delta::new(delta)?)?;
            Ok(Box::new(move |people| keys.probability(people)))
        };
        Finding::together(
            [largest(library), several(1.0), reference()]
                .map(|part| part.unwrap_or_else(|error| Finding::undecided(error.to_string()))),
        )
    },
};

/// π as a function of the number of people.
type Sequence = Box<dyn Fn(u64) -> Enclosure>;

const BITS: usize = 300;

/// A number x as whole numbers around x·2³⁰⁰.
type Cell = Range<IBig>;

/// x·2³⁰⁰ for a float that is not below 2⁻²⁴⁰: exact.
fn whole(x: f64) -> IBig {
    let bits = x.to_bits();
    let mantissa = IBig::from((bits & ((1 << 52) - 1)) | 1 << 52);
    let exponent = i64::try_from(bits >> 52).unwrap_or(0) - 1075;
    let shift = usize::try_from(exponent + 300).unwrap_or(0);
    mantissa << shift
}

/// Encloses e^x for 0 < x ≤ 4 by its series: each term is at most rounded down, by one unit, and
/// what follows the 200th term is below a unit.
fn exponential(x: f64) -> Cell {
    let (x, one) = (whole(x), IBig::ONE << BITS);
    let (mut term, mut sum) = (one.clone(), one);
    for k in 1..=200u16 {
        term = ((term * &x) >> BITS) / IBig::from(k);
        sum += &term;
    }
    // A unit lost in a term is carried on, by factors x/k that add up to e⁴ < 55 at most.
    let most = &sum + IBig::from(201 * 55 * 2);
    sum..most
}

fn times(a: &Cell, b: &Cell) -> Cell {
    ((&a.start * &b.start) >> BITS)..((&a.end * &b.end) >> BITS) + IBig::ONE
}

/// π(0), π(1), … up to the first that is 1, by the recursion.
fn recursion(epsilon: f64, delta: f64) -> Option<Vec<Cell>> {
    let (ratio, delta, one) = (exponential(epsilon), whole(delta), IBig::ONE << BITS);
    let mut all = vec![IBig::ZERO..IBig::ZERO];
    loop {
        let before = all.last()?;
        let first = times(before, &ratio);
        let first = first.start + &delta..first.end + &delta;
        // 1 − π − δ, and its quotient by e^ε
        let rest = &one - &before.end - &delta..&one - &before.start - &delta;
        if rest.end <= IBig::ZERO {
            all.push(one.clone()..one);
            return Some(all);
        }
        let shrunk = (rest.start << BITS) / &ratio.end..(rest.end << BITS) / &ratio.start + IBig::ONE;
        let second = &one - &shrunk.end..&one - &shrunk.start;
        if first.end < second.start {
            all.push(first);
        } else if second.end < first.start {
            all.push(second);
        } else {
            return None; // 300 bits do not tell
        }
    }
}

/// Judges "π is what the recursion says", in integers.
fn largest(library: impl Fn(f64, f64) -> Result<Sequence, Error>) -> Result<Finding, Error> {
    let mut keys = 0;
    for (epsilon, delta) in [(0.1, 1e-6), (0.5, 0.02), (1.0, 1e-6), (2.0, 1e-9), (0.693, 0.1), (4.0, 1e-12)] {
        let found = library(epsilon, delta)?;
        let Some(expected) = recursion(epsilon, delta) else {
            return Ok(Finding::undecided("300 bits do not tell where the recursion turns"));
        };
        for (people, expected) in (0..).zip(expected) {
            let found = found(people);
            // A float below 2⁻⁵² times a sum of them is far from 2⁻²⁴⁰ unless it is 0.
            let cell =
                if found.hi() == 0.0 { IBig::ZERO..IBig::ZERO } else { whole(found.lo())..whole(found.hi()) };
            if expected.end < cell.start || cell.end < expected.start || found.relative_width() > 1e-10 {
                return Ok(Finding::refuted(format!(
                    "at ε = {epsilon} and δ = {delta} a key of {people} people is kept with probability {found}, which is not what the recursion says"
                )));
            }
            keys += 1;
        }
    }
    let detail = format!("all {keys} probabilities of six guarantees are those of the recursion");
    Ok(Finding::holds(detail).with_figure(compared()?))
}

/// Judges "s keys cost ε and δ together": what is told of all keys by which neighbours differ is
/// listed. Each key gets `factor` times its share of δ.
fn several(factor: f64) -> Result<Finding, Error> {
    let mut worst = 0.0f64;
    for (epsilon, delta, steps) in [(1.0, 0.01, 1u32), (1.0, 0.01, 2), (3.0, 1e-3, 3), (2.0, 0.05, 4)] {
        let people = PeopleByKey::new(steps, |record: &Vec<u8>| record.clone())?;
        let stated = people.epsilon_delta(epsilon, delta)?.selection().per_step();
        let keys = KeySelection::<u8>::new(stated.epsilon(), Delta::new(factor * stated.delta().get())?)?;
        let sure = keys.people_for(1.0);
        let counts = [0, 1, sure / 2 - 1, sure / 2, sure - 1];
        // Which count each of the keys has before, and whether a person came or left.
        for choice in 0..(2 * counts.len()).pow(steps) {
            let of = |key: u32| choice / (2 * counts.len()).pow(key) % (2 * counts.len());
            let mut total = Enclosure::ZERO;
            for outcome in 0u32..1 << steps {
                let (mut p, mut q) = (Enclosure::ONE, Enclosure::ONE);
                for key in 0..steps {
                    let (count, came) = (counts[of(key) / 2], of(key) % 2 == 0);
                    let [fewer, more] = [count, count + 1].map(|n| {
                        let kept = keys.probability(n);
                        if outcome >> key & 1 == 1 { kept } else { Enclosure::ONE - kept }
                    });
                    let (a, b) = if came { (more, fewer) } else { (fewer, more) };
                    (p, q) = (p * a, q * b);
                }
                total = total + (p - Enclosure::point(epsilon).exp() * q).max(Enclosure::ZERO);
            }
            if total.lo() > delta {
                return Ok(Finding::refuted(format!(
                    "{steps} keys show their neighbours with probability {total}, where ε = {epsilon} and δ = {delta}"
                )));
            }
            worst = worst.max(total.hi() / delta);
        }
    }
    Ok(Finding::holds(format!("up to four keys stay within δ, and reach {worst:.6} of it")))
}

/// The numbers of people of the publication's example.
fn reference() -> Result<Finding, Error> {
    let keys = KeySelection::<u8>::new(Epsilon::new(0.1)?, Delta::new(1e-6)?)?;
    let one = Sensitivity::<L1, AddRemove>::new(1.0)?;
    let threshold = StabilityHistogram::<u8>::for_guarantee(&approx(0.1, 1e-6)?, one)?.threshold();
    let half = keys.people_for(0.5);
    let detail = format!("a key takes {half} people for probability ½, and a threshold {threshold}");
    Ok(if (half, threshold) == (109, 133) { Finding::holds(detail) } else { Finding::refuted(detail) })
}

/// What is kept, beside a threshold on noisy counts.
fn compared() -> Result<Figure, Error> {
    let keys = KeySelection::<u8>::new(Epsilon::new(0.1)?, Delta::new(1e-6)?)?;
    let one = Sensitivity::<L1, AddRemove>::new(1.0)?;
    let histogram = StabilityHistogram::<u8>::for_guarantee(&approx(0.1, 1e-6)?, one)?;
    let people = || (40..200u32).step_by(4);
    let axes = (Axis::linear("people"), Axis::linear("probability"));
    Ok(Figure::new("How likely a key is kept, at ε = 0.1 and δ = 10⁻⁶", axes.0, axes.1)
        .curve("selection", people().map(|n| (f64::from(n), keys.probability(n.into()).hi())))
        .curve("threshold", people().map(|n| (f64::from(n), 1.0 - histogram.miss_probability(n.into())))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(epsilon_factor: f64, delta_factor: f64) -> Verdict {
        let broken = |epsilon: f64, delta: f64| -> Result<Sequence, Error> {
            let (epsilon, delta) = (epsilon * epsilon_factor, delta * delta_factor);
            let keys = KeySelection::<u8>::new(Epsilon::new(epsilon)?, Delta::new(delta)?)?;
            Ok(Box::new(move |people| keys.probability(people)))
        };
        largest(broken).unwrap().verdict
    }

    #[test]
    fn other_probabilities_are_refuted() {
        assert_eq!(with(1.0, 1.0), Verdict::Holds);
        assert_eq!(with(1.0, 1.0 + 1e-9), Verdict::Refuted);
        assert_eq!(with(1.0, 1.0 - 1e-9), Verdict::Refuted);
        assert_eq!(with(1.0 + 1e-9, 1.0), Verdict::Refuted);
    }

    /// A sequence that forgets that a key which is left out tells something, too.
    #[test]
    fn half_of_the_inequalities_is_not_enough() {
        let forgetful = |epsilon: f64, delta: f64| -> Result<Sequence, Error> {
            Ok(Box::new(move |people| {
                let ratio = Enclosure::point(epsilon).exp();
                (0..people).fold(Enclosure::ZERO, |before, _| {
                    (before * ratio + Enclosure::point(delta)).probability()
                })
            }))
        };
        assert_eq!(largest(forgetful).unwrap().verdict, Verdict::Refuted);
    }

    #[test]
    fn a_larger_share_of_delta_is_refuted() {
        assert_eq!(several(1.0).unwrap().verdict, Verdict::Holds);
        assert_eq!(several(1.01).unwrap().verdict, Verdict::Refuted);
    }

    #[test]
    fn the_exponential_is_enclosed() {
        let scale = 300f64.exp2();
        assert_eq!(whole(0.75).to_f64().value() / scale, 0.75);
        for x in [0.1, 1.0, 4.0] {
            let cell = exponential(x);
            assert!((cell.start.to_f64().value() / scale / x.exp() - 1.0).abs() < 1e-14);
            assert!(&cell.end - &cell.start < IBig::ONE << 20);
        }
    }
}
