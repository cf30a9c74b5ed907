//! Count-mean sketch: reports whose size does not grow with the domain.

use std::fmt;
use std::num::NonZero;

use dp_core::rounding::Enclosure;
use dp_core::{Error, LocalModel, Measurement, Pure};
use rand_core::Rng;

use super::hash::Hash;
use super::support::{Support, checked_share};
use super::{FrequencyOracle, UnaryEncoding, checked_values, no_such_report, some};
use crate::arguments::integer;
use crate::sample::{Bits, below_from};

/// Hashes the value by one of several public functions, and reports the hash in [unary
/// encoding](UnaryEncoding::symmetric).
///
/// **Theorem** (Apple's Differential Privacy Team 2017). The report, which of the functions was
/// taken and m bits, is ε-private for any two values: the function is drawn independently of the
/// value, and given it the bits are the ε-private report of a function of the value. *This holds
/// for any hash functions*, also if many values have the same hash.
///
/// **Lemma.** Over hash functions from a family in which different values have independent uniform
/// hashes, the estimate is unbiased, for any number r of functions: a report supports the own value
/// with probability p, and another one with probability q' = q + (p−q)/m, which is p where the two
/// meet and q elsewhere. For functions that stay the same, as they do here, the values that meet a
/// given one raise its estimate a little; `variance` has a term for it.
///
/// **What is released** is the number of a function and m bits, with exact probabilities.
///
/// ```
/// use dp_core::Measurement;
/// use dp_mechanisms::{local::{CountMeanSketch, FrequencyOracle}, rng::OsSeeded};
///
/// let mut rng = OsSeeded::new()?;
/// // 64 functions, hashes of 7 digits, a public seed.
/// let oracle = CountMeanSketch::epsilon(4.0, 100_000, 64, 7, 20_240_101)?;
/// let reports = (0..200).map(|_| oracle.release(&77_777, &mut rng)).collect::<Result<Vec<_>, _>>()?;
/// assert!(oracle.estimate(&reports)?[77_777] > 0.5);
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Written", into = "Written"))]
pub struct CountMeanSketch {
    values: u32,
    seed: u64,
    row: UnaryEncoding,
    hashes: Vec<Hash>,
    digits: u32,
}

/// Shows the parameters: the functions follow from the seed.
impl fmt::Debug for CountMeanSketch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CountMeanSketch")
            .field("values", &self.values)
            .field("functions", &self.hashes.len())
            .field("digits", &self.digits)
            .field("seed", &self.seed)
            .field("row", &self.row)
            .finish()
    }
}

/// A report to a [`CountMeanSketch`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SketchReport {
    /// The index of the hash function.
    pub function: u16,
    /// The hash in unary, each bit flipped with some probability.
    pub bits: Vec<bool>,
}

#[cfg(feature = "serde")]
dp_core::on_disk! {
    Written for sketch: CountMeanSketch {
        values: u32 = sketch.values,
        functions: u16 = sketch.functions(),
        digits: u32 = sketch.digits,
        seed: u64 = sketch.seed,
        epsilon: dp_core::Epsilon = sketch.row.level(),
    } => Self::epsilon(epsilon.get(), values, functions, digits, seed)
}

impl CountMeanSketch {
    /// A sketch for `values` values by `functions` hash functions with 2^`digits` hashes, chosen by
    /// a public seed.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞, 2 ≤ `values` ≤ 2²⁴, `functions` ≥ 1 and
    /// 1 ≤ `digits` ≤ 16.
    pub fn epsilon(epsilon: f64, values: u32, functions: u16, digits: u32, seed: u64) -> Result<Self, Error> {
        let values = checked_values(values)?;
        integer("the number of hash functions", "[1, 65535]", functions, 1..)?;
        integer("the digits of a hash", "[1, 16]", digits, 1..=16)?;
        let row = UnaryEncoding::symmetric(epsilon, 1 << digits)?;
        Ok(Self { values, seed, row, hashes: Hash::family(seed, functions, digits), digits })
    }

    /// The number m of hashes.
    #[must_use]
    pub const fn width(&self) -> u32 {
        1 << self.digits
    }

    /// The number r of hash functions.
    fn functions(&self) -> u16 {
        u16::try_from(self.hashes.len()).expect("it was made from a number of sixteen bits")
    }

    fn inverse_width(&self) -> Enclosure {
        Enclosure::ONE / Enclosure::point(self.width().into())
    }

    fn support(&self) -> Support {
        self.row.support().blurred(self.inverse_width())
    }

    pub(crate) fn report<R: Rng + ?Sized>(&self, value: u32, bits: &mut Bits<'_, R>) -> SketchReport {
        let value = value.min(self.values - 1);
        let count = NonZero::new(u64::from(self.functions())).expect("there is at least one function");
        let chosen = below_from(count, bits);
        let function = u16::try_from(chosen).expect("it is below their number");
        let hash = self.hashes[usize::from(function)].of(value);
        SketchReport { function, bits: self.row.report(hash, bits) }
    }
}

impl Measurement for CountMeanSketch {
    type Data = u32;
    type Output = SketchReport;
    type Guarantee = Pure;
    type Adjacency = LocalModel;

    fn guarantee(&self) -> Pure {
        self.row.guarantee()
    }

    /// Never fails. A value above k−1 counts as k−1.
    fn draw<R: Rng + ?Sized>(&self, value: &u32, rng: &mut R) -> Result<SketchReport, Error> {
        Ok(self.report(*value, &mut Bits::new(rng)))
    }
}

impl FrequencyOracle for CountMeanSketch {
    fn values(&self) -> u32 {
        self.values
    }

    fn estimate(&self, reports: &[SketchReport]) -> Result<Vec<f64>, Error> {
        let width = self.width() as usize;
        // counts[function][hash]: how many reports on this function have this bit set
        let mut counts = vec![vec![0u64; width]; self.hashes.len()];
        for report in some(reports)? {
            let row = counts.get_mut(usize::from(report.function));
            let row = row.ok_or_else(|| no_such_report(report.function.into()))?;
            if report.bits.len() != width {
                let lengths = (width, report.bits.len());
                return Err(Error::LengthMismatch {
                    arguments: "the hashes and the bits of a report",
                    lengths,
                });
            }
            for (count, bit) in row.iter_mut().zip(&report.bits) {
                *count += u64::from(*bit);
            }
        }
        let support = self.support();
        let supporting =
            |value| self.hashes.iter().zip(&counts).map(|(hash, row)| row[hash.of(value) as usize]).sum();
        Ok((0..self.values).map(|value| support.share(supporting(value), reports.len())).collect())
    }

    /// An upper bound on the expected squared error, over the reports and the hash functions.
    ///
    /// Given the functions, reports are independent. With c(v') the share of the functions in which
    /// v' meets v, the one of a person who holds v' supports v with probability π = q + (p−q)c(v'),
    /// whose π(1−π) is at most q'(1−q') in expectation, since E π = q' and x(1−x) is concave: the
    /// first term is that of independent supports. The second is the variance of the expected
    /// support, (p−q)²·Var(Σ f(v')c(v')), and functions are independent of each other: Σ f(v')c(v')
    /// is a mean of r variables, of which each is at most 1−f, so the variance is at most (1−f)·E/r
    /// with E = (1−f)/m. Divided by (p−q')² = (p−q)²(1−1/m)² that is (1−f)² / (r·m·(1−1/m)²).
    fn variance(&self, reports: u64, share: f64) -> Result<f64, Error> {
        let noise = Enclosure::point(self.support().variance(reports, share)?);
        let others = Enclosure::ONE - checked_share(share)?;
        let inverse = self.inverse_width();
        let functions = Enclosure::point(self.functions().into());
        let meetings = others.square() * inverse / (functions * (Enclosure::ONE - inverse).square());
        Ok((noise + meetings).hi())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check_loss;
    use super::*;
    use crate::sample::replay::Law;

    fn all_reports(functions: u16, width: u32) -> Vec<SketchReport> {
        (0..functions)
            .flat_map(|function| {
                (0u32..1 << width).map(move |mask| SketchReport {
                    function,
                    bits: (0..width).map(|i| mask >> i & 1 == 1).collect(),
                })
            })
            .collect()
    }

    /// Pr(report | value), by the definition.
    fn ideal(oracle: &CountMeanSketch, epsilon: f64, value: u32, report: &SketchReport) -> f64 {
        let keep = 1.0 / (1.0 + (-epsilon / 2.0).exp());
        let hash = oracle.hashes[usize::from(report.function)].of(value) as usize;
        let bits: f64 = report
            .bits
            .iter()
            .enumerate()
            .map(|(i, set)| if *set == (i == hash) { keep } else { 1.0 - keep })
            .product();
        bits / f64::from(oracle.functions())
    }

    #[test]
    fn the_law_is_that_of_the_theorem() {
        let epsilon = 1.0;
        let oracle = CountMeanSketch::epsilon(epsilon, 5, 3, 1, 11).unwrap();
        let all = all_reports(3, 2);
        let truth = |value: u32, report: &SketchReport| ideal(&oracle, epsilon, value, report);
        for value in 0..5 {
            let law = Law::of(14, |bits| oracle.report(value, bits));
            assert!(law.open() < 2e-2 && law.decided().all(|(report, _)| all.contains(report)));
            for report in &all {
                let (found, truth) = (law.probability(report), truth(value, report));
                assert!(found.lo() <= truth && truth <= found.hi(), "{value} {report:?}: {found} {truth}");
            }
        }
        check_loss(epsilon, 5, &all, truth);
    }

    #[test]
    fn estimates_are_unbiased_over_the_hash_functions() {
        // All functions x ↦ top digit of a·x + b modulo 2⁸, which have the lemma for x below 2⁴:
        // the expectation of the estimate over all of them and all reports is one for the own value
        // and zero for another.
        let epsilon = 1.5;
        let support = CountMeanSketch::epsilon(epsilon, 3, 1, 1, 0).unwrap().support();
        let keep = 1.0 / (1.0 + (-epsilon / 2.0f64).exp());
        let (own, other) = (3u8, 10u8);
        let (mut mean_own, mut mean_other) = (0.0, 0.0);
        for (a, b) in (0..=u8::MAX).flat_map(|a| (0..=u8::MAX).map(move |b| (a, b))) {
            let hash = |x: u8| a.wrapping_mul(x).wrapping_add(b) >> 7;
            let set = |x: u8| if hash(x) == hash(own) { keep } else { 1.0 - keep };
            let estimate = |p: f64| p * support.share(1, 1) + (1.0 - p) * support.share(0, 1);
            mean_own += estimate(set(own)) / 65536.0;
            mean_other += estimate(set(other)) / 65536.0;
        }
        assert!((mean_own - 1.0).abs() < 1e-10 && mean_other.abs() < 1e-10, "{mean_own} {mean_other}");
    }

    #[test]
    fn errors_stay_within_the_stated_variance() {
        // 200 seeds: half of 100 people hold 0, the others are spread. The mean of 200 squared
        // errors passes 1.6 times a true bound rarely.
        let mut rng = crate::rng::Insecure::seeded(6);
        let (mut squares, mut stated) = (0.0, 0.0);
        for seed in 0..200 {
            let oracle = CountMeanSketch::epsilon(2.0, 1000, 4, 3, seed).unwrap();
            let reports: Vec<SketchReport> =
                (0..100).map(|i| oracle.draw(&(if i % 2 == 0 { 0 } else { i }), &mut rng).unwrap()).collect();
            squares += (oracle.estimate(&reports).unwrap()[0] - 0.5).powi(2) / 200.0;
            stated = oracle.variance(100, 0.5).unwrap();
        }
        assert!((0.3..1.6).contains(&(squares / stated)), "{squares} {stated}");
    }

    #[test]
    fn parameters_and_reports_are_checked() {
        assert!(
            CountMeanSketch::epsilon(1.0, 9, 0, 3, 1).is_err()
                && CountMeanSketch::epsilon(1.0, 9, 1, 0, 1).is_err()
        );
        assert!(
            CountMeanSketch::epsilon(1.0, 9, 1, 17, 1).is_err()
                && CountMeanSketch::epsilon(1.0, 1, 1, 3, 1).is_err()
        );
        assert!(CountMeanSketch::epsilon(0.0, 9, 1, 3, 1).is_err());
        let oracle = CountMeanSketch::epsilon(1.0, 9, 2, 1, 1).unwrap();
        let report = |function, width| SketchReport { function, bits: vec![true; width] };
        assert!(oracle.estimate(&[report(1, 2)]).is_ok() && oracle.estimate(&[]).is_err());
        assert!(oracle.estimate(&[report(2, 2)]).is_err() && oracle.estimate(&[report(0, 3)]).is_err());
    }

    #[cfg(feature = "serde")]
    #[test]
    fn reading_makes_the_same_hash_functions() {
        let oracle = CountMeanSketch::epsilon(0.5, 9, 2, 3, 5).unwrap();
        let written = serde_json::to_string(&oracle).unwrap();
        assert_eq!(written, r#"{"values":9,"functions":2,"digits":3,"seed":5,"epsilon":0.5}"#);
        assert_eq!(serde_json::from_str::<CountMeanSketch>(&written).unwrap(), oracle);
        assert!(
            serde_json::from_str::<CountMeanSketch>(&written.replace("\"functions\":2", "\"functions\":0"))
                .is_err()
        );
    }
}
