//! The local model: each person randomises one value at home, and only the report leaves.
//!
//! The data are one person's value, and any two values are neighbours ([`LocalModel`]). A report
//! that is ε-private under this relation hides the value from everyone, the collector included; no
//! one is trusted.
//!
//! | randomiser | report | Pr(supports the own value) p | Pr(supports another value) q |
//! |---|---|---|---|
//! | [`RandomizedResponse`] | a bit | e^ε/(e^ε+1) | 1/(e^ε+1) |
//! | [`KRandomizedResponse`] | one of k values | e^ε/(e^ε+k−1) | 1/(e^ε+k−1) |
//! | [`UnaryEncoding::symmetric`] | k bits | e^(ε/2)/(e^(ε/2)+1) | 1/(e^(ε/2)+1) |
//! | [`UnaryEncoding::epsilon`] | k bits | 1/2 | 1/(e^ε+1) |
//! | [`HadamardResponse`] | log₂ k bits or one more | e^ε/(e^ε+1) | 1/2 |
//! | [`CountMeanSketch`] | m bits | as of its rows | q + (p−q)/m, over the hash functions |
//!
//! All have the guarantee [`Pure`] ε *exactly*: the probabilities are those of the table to their
//! last digit, for the ε that the float denotes.
//!
//! # From reports to frequencies
//!
//! A report *supports* values: itself, the bits that are set, the rows of a matrix with a plus. If
//! a share f of n people hold v, the expected share of reports that support v is fp + (1−f)q. So
//! (supporting/n − q)/(p − q) is an unbiased estimate of f (Warner 1965; Wang, Blocki, Li and Jha
//! 2017), and since people randomise independently its variance is
//! (f·p(1−p) + (1−f)·q(1−q)) / (n(p−q)²). Estimating is post-processing: it sees reports only. An
//! unbiased estimate may be negative or above one; clamp it if you must, at the price of a bias.
//!
//! # Values outside of the domain
//!
//! The values are 0, …, k−1. An error would reveal something about another one to the collector, so
//! `draw` is total: *a value above k−1 counts as k−1*. Where that can happen, set the last value
//! aside for "other".
//!
//! # Timing
//!
//! A randomiser does the same work whatever the value and whether or not the report is true, but
//! for draws that are rejected, which do not depend on the value, and for about one event in 2⁵⁰.

mod hadamard;
mod hash;
mod k_response;
mod response;
mod sketch;
mod support;
mod unary;

pub use hadamard::HadamardResponse;
pub use k_response::KRandomizedResponse;
pub use response::RandomizedResponse;
pub use sketch::{CountMeanSketch, SketchReport};
pub use unary::UnaryEncoding;

use std::ops::AddAssign;

use dp_core::interval::{Confidence, ConfidenceInterval};
use dp_core::rounding::Enclosure;
use dp_core::{Bounds, Epsilon, Error, LocalModel, Measurement, Pure};

use crate::arguments::{integer, positive};
use crate::sample::{Dyadic, Ratio};

/// A randomiser of values from a public domain 0, …, k−1, whose reports tell how frequent each
/// value is.
///
/// # Contract
/// `estimate` is unbiased: over the randomness of the reports (and of the hash functions, where
/// there are any) the expectation of each entry is the share of people who hold that value.
pub trait FrequencyOracle: Measurement<Data = u32, Guarantee = Pure, Adjacency = LocalModel> {
    /// The number k of values.
    fn values(&self) -> u32;

    /// For each value, an unbiased estimate of the share of people who hold it.
    ///
    /// # Errors
    /// [`Error::Empty`] without reports, and an error for a report that this randomiser cannot have
    /// made. Reports are public.
    fn estimate(&self, reports: &[Self::Output]) -> Result<Vec<f64>, Error>;

    /// The variance of the estimate of a value that a share of the people holds, from a number of
    /// reports; rounded up.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the share lies in [0, 1] and there is a report.
    fn variance(&self, reports: u64, share: f64) -> Result<f64, Error>;

    /// A bound on how far any of the estimates is from the share among the people who reported,
    /// which holds for all values together except with probability β; rounded up.
    ///
    /// This one follows from the variances alone, by Chebyshev's inequality. Where every report
    /// supports a value or not, the bounds of Hoeffding and Bernstein are much smaller.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < β ≤ 1 and there is a report.
    fn error_bound(&self, reports: u64, beta: f64) -> Result<f64, Error> {
        let each = Confidence::all_but(beta)?.shared_by(self.values() as usize);
        let variance = self.variance(reports, 0.0)?.max(self.variance(reports, 1.0)?);
        Ok((Enclosure::point(variance) / Enclosure::point(each.beta())).sqrt().hi())
    }

    /// Intervals that together cover the shares among the people who reported, from their
    /// [estimates](Self::estimate), within [0, 1].
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < confidence < 1 and there is a report.
    fn intervals(
        &self,
        estimates: &[f64],
        reports: u64,
        confidence: f64,
    ) -> Result<Vec<ConfidenceInterval>, Error> {
        let bound = self.error_bound(reports, Confidence::new(confidence)?.beta())?;
        let shares = Bounds::new(0.0, 1.0)?;
        Ok(estimates.iter().map(|share| ConfidenceInterval::around(*share, bound).clamped(shares)).collect())
    }
}

/// The largest number of values: estimates hold a float for each.
const MOST_VALUES: u32 = 1 << 24;

fn checked_values(values: u32) -> Result<u32, Error> {
    integer("the number of values", "[2, 16777216]", values, 2..=MOST_VALUES)
}

/// A positive, finite ε. At ε = 0 reports carry no information, and there is nothing to estimate.
fn checked_epsilon(epsilon: f64) -> Result<Epsilon, Error> {
    Epsilon::new(positive("epsilon", epsilon)?)
}

/// ε/d, exactly.
fn share_of(epsilon: Epsilon, divisor: u8) -> Ratio {
    Ratio::new(Dyadic::from_finite(epsilon.get()), Dyadic::from_finite(divisor.into()))
}

/// A list of reports that is not empty.
fn some<T>(reports: &[T]) -> Result<&[T], Error> {
    if reports.is_empty() { Err(Error::Empty { argument: "the list of reports" }) } else { Ok(reports) }
}

/// Counts how often each of the `different` possible reports occurs in a list.
fn tally<T: Clone + From<u8> + AddAssign>(reports: &[u32], different: u32) -> Result<Vec<T>, Error> {
    let mut counts = vec![T::from(0); different as usize];
    for report in some(reports)? {
        *counts.get_mut(*report as usize).ok_or_else(|| no_such_report(*report))? += T::from(1);
    }
    Ok(counts)
}

/// A report that names a value which does not exist.
fn no_such_report(found: u32) -> Error {
    Error::OutOfRange { argument: "a report", allowed: "[0, number of reports)", found: found.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Insecure;
    use crate::sample::Bits;
    use crate::sample::replay::{Law, Replay};

    #[test]
    fn domains_and_epsilons_are_checked() {
        assert!(checked_values(2).is_ok() && checked_values(1 << 24).is_ok());
        assert!(
            checked_values(0).is_err()
                && checked_values(1).is_err()
                && checked_values((1 << 24) + 1).is_err()
        );
        for bad in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY] {
            let message = checked_epsilon(bad).unwrap_err().to_string();
            assert!(message.starts_with("epsilon must lie in (0, ∞)"), "{message}");
        }
        assert!(checked_epsilon(f64::from_bits(1)).is_ok() && checked_epsilon(f64::MAX).is_ok());
    }

    /// Lists the law of a randomiser for each value, and checks that it brackets
    /// `ideal(value, report)`, and that the estimate of one report has the expectation that it must
    /// have, exactly: one for the own value and zero for the others. Returns the open mass.
    pub(super) fn check_law<O, T>(
        oracle: &O,
        length: u32,
        sampler: impl Fn(u32, &mut Bits<'_, Replay>) -> T,
        ideal: impl Fn(u32, &T) -> f64,
        all: &[T],
    ) -> f64
    where
        O: FrequencyOracle<Output = T>,
        T: Ord + Clone + std::fmt::Debug,
    {
        let mut open = 0f64;
        for value in 0..oracle.values() {
            let law = Law::of(length, |bits| sampler(value, bits));
            open = open.max(law.open());
            let mut expected = vec![0.0; oracle.values() as usize];
            let mut total = 0.0;
            for report in all {
                let (found, truth) = (law.probability(report), ideal(value, report));
                assert!(
                    found.lo() <= truth + 1e-15 && truth <= found.hi() + 1e-15,
                    "{value} → {report:?}: {found}, {truth}"
                );
                total += truth;
                let estimate = oracle.estimate(std::slice::from_ref(report)).unwrap();
                for (sum, share) in expected.iter_mut().zip(estimate) {
                    *sum += truth * share;
                }
            }
            assert!((total - 1.0).abs() < 1e-14, "all reports are listed: {total}");
            assert!(law.decided().all(|(report, _)| all.contains(report)));
            for (other, share) in expected.into_iter().enumerate() {
                let wanted = f64::from(u8::from(other == value as usize));
                assert!((share - wanted).abs() < 1e-12, "E of the estimate of {other} at {value} is {share}");
            }
        }
        open
    }

    /// The loss of every report for every two values is at most ε, and some reaches it.
    pub(super) fn check_loss<T>(epsilon: f64, values: u32, all: &[T], ideal: impl Fn(u32, &T) -> f64) {
        let mut largest = 0f64;
        for report in all {
            for (a, b) in (0..values).flat_map(|a| (0..values).map(move |b| (a, b))) {
                largest = largest.max((ideal(a, report) / ideal(b, report)).ln());
            }
        }
        assert!((largest - epsilon).abs() < 1e-13 * (1.0 + epsilon), "{largest} is not {epsilon}");
    }

    #[test]
    fn values_outside_of_the_domain_count_as_the_last() {
        let draw = |value| {
            let mut rng = Insecure::seeded(4);
            let unary = UnaryEncoding::symmetric(1.0, 5).unwrap().draw(&value, &mut rng).unwrap();
            let response = KRandomizedResponse::epsilon(1.0, 5).unwrap().draw(&value, &mut rng).unwrap();
            let hadamard = HadamardResponse::epsilon(1.0, 5).unwrap().draw(&value, &mut rng).unwrap();
            let sketch = CountMeanSketch::epsilon(1.0, 5, 4, 3, 1).unwrap().draw(&value, &mut rng).unwrap();
            (unary, response, hadamard, sketch)
        };
        assert_eq!(draw(5), draw(4));
        assert_eq!(draw(u32::MAX), draw(4));
        assert_ne!(draw(3), draw(4));
    }

    #[test]
    fn intervals_hold_together() {
        // 400 simulations at 0.9: more than 80 failures have probability below 10⁻⁶ (Bernstein).
        fn check<O: FrequencyOracle>(oracle: &O, seed: u64) -> f64 {
            let (mut rng, people, mut missed) = (Insecure::seeded(seed), 120u32, 0);
            let truth = [0.0, 0.5, 0.25, 0.25];
            for _ in 0..400 {
                let reports: Vec<O::Output> =
                    (0..people).map(|i| oracle.draw(&(i % 4).max(1), &mut rng).unwrap()).collect();
                let estimates = oracle.estimate(&reports).unwrap();
                let intervals = oracle.intervals(&estimates, people.into(), 0.9).unwrap();
                missed += u32::from(!intervals.iter().zip(truth).all(|(found, share)| found.contains(share)));
            }
            assert!(missed <= 80, "{missed}");
            assert!(oracle.error_bound(0, 0.1).is_err() && oracle.error_bound(1, 0.0).is_err());
            oracle.error_bound(10_000, 0.1).unwrap()
        }
        let bound = check(&KRandomizedResponse::epsilon(1.0, 4).unwrap(), 1);
        let _ = check(&UnaryEncoding::symmetric(1.0, 4).unwrap(), 2);
        let _ = check(&UnaryEncoding::epsilon(1.0, 4).unwrap(), 3);
        let _ = check(&HadamardResponse::epsilon(1.0, 4).unwrap(), 4);
        let sketch = check(&CountMeanSketch::epsilon(1.0, 4, 8, 4, 1).unwrap(), 5);
        // √(ln(80)/2n)/(p − q), and less by Bernstein.
        assert!(bound < 0.05 && sketch.is_finite(), "{bound}");
    }

    #[test]
    fn simulated_estimates_have_their_variance() {
        // 100 squared errors, about normal ones: their mean strays beyond these limits on one seed
        // in a thousand at most (Laurent and Massart 2000).
        fn check<O: FrequencyOracle>(oracle: &O, seed: u64) {
            let mut rng = Insecure::seeded(seed);
            let (rounds, people) = (100, 200u32);
            let mut mean = 0.0;
            for _ in 0..rounds {
                // Half of the people hold 1, a quarter 2, a quarter 3.
                let reports: Vec<O::Output> =
                    (0..people).map(|i| oracle.draw(&(i % 4).max(1), &mut rng).unwrap()).collect();
                mean += (oracle.estimate(&reports).unwrap()[1] - 0.5).powi(2) / f64::from(rounds);
            }
            let stated = oracle.variance(people.into(), 0.5).unwrap();
            assert!((0.4..1.8).contains(&(mean / stated)), "{mean:e}, but {stated:e} is stated");
        }
        check(&KRandomizedResponse::epsilon(1.0, 4).unwrap(), 1);
        check(&UnaryEncoding::symmetric(1.0, 4).unwrap(), 2);
        check(&UnaryEncoding::epsilon(1.0, 4).unwrap(), 3);
        check(&HadamardResponse::epsilon(1.0, 4).unwrap(), 4);
    }
}
