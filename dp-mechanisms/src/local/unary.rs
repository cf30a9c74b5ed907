//! Unary encoding: a bit for each value, each flipped independently.

use dp_core::rounding::Enclosure;
use dp_core::{Epsilon, Error, LocalModel, Measurement, Pure};
use rand_core::Rng;

use super::support::Support;
use super::{FrequencyOracle, checked_epsilon, checked_values, share_of, some};
use crate::sample::{Bernoulli, Bits};

/// Reports k bits, one for each value: the bit of the true value is set with probability p, every
/// other bit with probability q, independently.
///
/// **Theorem** (Wang, Blocki, Li and Jha 2017). The report is private for
/// ε = ln(p(1−q) / (q(1−p))), for any two values, and no smaller ε holds: two values differ in two
/// bits, the others have the same law, and the worst report has the one bit set and the other not.
///
/// - [`symmetric`](Self::symmetric) (RAPPOR, Erlingsson, Pihur and Korolova 2014):
///   p = e^(ε/2)/(e^(ε/2)+1) and q = 1−p. Each bit is a randomised response of ε/2.
/// - [`epsilon`](Self::epsilon): p = 1/2 and q = 1/(e^ε+1), which has the least variance for rare
///   values, about 4e^ε/(n(e^ε−1)²), whatever k.
///
/// **What is released** is a list of k bits, whose probabilities are exact.
///
/// ```
/// use dp_core::Measurement;
/// use dp_mechanisms::{local::{FrequencyOracle, UnaryEncoding}, rng::OsSeeded};
///
/// let mut rng = OsSeeded::new()?;
/// let oracle = UnaryEncoding::epsilon(1.0, 50)?;
/// let reports = (0..500).map(|_| oracle.release(&7, &mut rng)).collect::<Result<Vec<_>, _>>()?;
/// assert!(oracle.estimate(&reports)?[7] > 0.5); // all of them hold 7
/// assert!(oracle.variance(500, 0.0)? < UnaryEncoding::symmetric(1.0, 50)?.variance(500, 0.0)?);
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Written"))]
pub struct UnaryEncoding {
    values: u32,
    epsilon: Epsilon,
    bits: Flips,
}

/// The probabilities with which bits are flipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
enum Flips {
    Symmetric,
    Optimized,
}

#[cfg(feature = "serde")]
dp_core::on_disk! {
    Written for UnaryEncoding { values: u32, epsilon: Epsilon, bits: Flips }
    => Self::with(values, epsilon.get(), bits)
}

impl UnaryEncoding {
    /// The ε-private encoding that keeps ones and zeros with the same probability.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞ and 2 ≤ `values` ≤ 2²⁴.
    pub fn symmetric(epsilon: f64, values: u32) -> Result<Self, Error> {
        Self::with(values, epsilon, Flips::Symmetric)
    }

    /// The ε-private encoding whose estimates have the least variance for rare values.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞ and 2 ≤ `values` ≤ 2²⁴.
    pub fn epsilon(epsilon: f64, values: u32) -> Result<Self, Error> {
        Self::with(values, epsilon, Flips::Optimized)
    }

    fn with(values: u32, epsilon: f64, bits: Flips) -> Result<Self, Error> {
        Ok(Self { values: checked_values(values)?, epsilon: checked_epsilon(epsilon)?, bits })
    }

    #[cfg(feature = "serde")]
    pub(super) const fn level(&self) -> Epsilon {
        self.epsilon
    }

    /// With t = e^−ε or e^(−ε/2): p = 1/(1+t) or 1/2, q = t/(1+t).
    pub(super) fn support(&self) -> Support {
        let exponent = match self.bits {
            Flips::Symmetric => Enclosure::point(self.epsilon.get()) * Enclosure::point(0.5),
            Flips::Optimized => Enclosure::point(self.epsilon.get()),
        };
        let total = Enclosure::ONE + (-exponent).exp();
        let (other, gap) = ((-exponent).exp() / total, -(-exponent).exp_m1() / total);
        let half = Enclosure::point(0.5);
        match self.bits {
            Flips::Symmetric => Support::new(Enclosure::ONE / total, other, gap),
            Flips::Optimized => Support::new(half, other, half * gap), // ½ − t/(1+t) = ½(1−t)/(1+t)
        }
    }

    pub(crate) fn report<R: Rng + ?Sized>(&self, value: u32, bits: &mut Bits<'_, R>) -> Vec<bool> {
        let value = value.min(self.values - 1);
        let divisor = match self.bits {
            Flips::Symmetric => 2,
            Flips::Optimized => 1,
        };
        let zero_stays = Bernoulli::truth(share_of(self.epsilon, divisor), 1);
        let one_stays = match self.bits {
            Flips::Symmetric => zero_stays.clone(),
            Flips::Optimized => Bernoulli::ratio(1, 2).expect("a half is a probability"),
        };
        (0..self.values)
            .map(|other| if other == value { one_stays.draw_from(bits) } else { !zero_stays.draw_from(bits) })
            .collect()
    }
}

impl Measurement for UnaryEncoding {
    type Data = u32;
    type Output = Vec<bool>;
    type Guarantee = Pure;
    type Adjacency = LocalModel;

    fn guarantee(&self) -> Pure {
        self.epsilon.into()
    }

    /// Never fails. A value above k−1 counts as k−1.
    fn draw<R: Rng + ?Sized>(&self, value: &u32, rng: &mut R) -> Result<Vec<bool>, Error> {
        Ok(self.report(*value, &mut Bits::new(rng)))
    }
}

impl FrequencyOracle for UnaryEncoding {
    fn values(&self) -> u32 {
        self.values
    }

    fn estimate(&self, reports: &[Vec<bool>]) -> Result<Vec<f64>, Error> {
        let mut counts = vec![0u64; self.values as usize];
        for report in some(reports)? {
            if report.len() != counts.len() {
                let lengths = (counts.len(), report.len());
                return Err(Error::LengthMismatch { arguments: "the values and a report", lengths });
            }
            for (count, bit) in counts.iter_mut().zip(report) {
                *count += u64::from(*bit);
            }
        }
        let support = self.support();
        Ok(counts.into_iter().map(|count| support.share(count, reports.len())).collect())
    }

    fn variance(&self, reports: u64, share: f64) -> Result<f64, Error> {
        self.support().variance(reports, share)
    }

    fn error_bound(&self, reports: u64, beta: f64) -> Result<f64, Error> {
        self.support().error_bound(reports, self.values, beta)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_law, check_loss};
    use super::*;

    #[test]
    fn the_law_is_that_of_the_theorem() {
        for (values, epsilon) in [(2, 0.1), (3, 1.0), (3, 3.0)] {
            let all: Vec<Vec<bool>> =
                (0u32..1 << values).map(|mask| (0..values).map(|i| mask >> i & 1 == 1).collect()).collect();
            let half = 1.0 / (1.0 + (-epsilon / 2.0f64).exp());
            let cases = [
                (UnaryEncoding::symmetric(epsilon, values).unwrap(), half, 1.0 - half),
                (UnaryEncoding::epsilon(epsilon, values).unwrap(), 0.5, 1.0 / (1.0 + epsilon.exp())),
            ];
            for (oracle, p, q) in cases {
                let ideal = |value: u32, report: &Vec<bool>| {
                    let mass = |(i, set): (usize, &bool)| {
                        let p = if i == value as usize { p } else { q };
                        if *set { p } else { 1.0 - p }
                    };
                    report.iter().enumerate().map(mass).product()
                };
                let open = check_law(&oracle, 14, |value, bits| oracle.report(value, bits), ideal, &all);
                assert!(open < 5e-2, "{open}");
                check_loss(epsilon, values, &all, ideal);
            }
        }
    }

    #[test]
    fn variances_are_those_of_the_theorem() {
        for epsilon in [0.1f64, 1.0, 4.0] {
            let e = epsilon.exp();
            let optimized = UnaryEncoding::epsilon(epsilon, 9).unwrap().variance(1000, 0.0).unwrap();
            assert!((optimized / (4.0 * e / (1000.0 * (e - 1.0).powi(2))) - 1.0).abs() < 1e-12);
            let h = (epsilon / 2.0).exp();
            let symmetric = UnaryEncoding::symmetric(epsilon, 9).unwrap().variance(1000, 0.4).unwrap();
            assert!((symmetric / (h / (1000.0 * (h - 1.0).powi(2))) - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn reports_that_cannot_be_are_refused() {
        let oracle = UnaryEncoding::epsilon(1.0, 3).unwrap();
        assert!(oracle.estimate(&[]).is_err() && oracle.estimate(&[vec![true; 2]]).is_err());
        assert!(UnaryEncoding::epsilon(1.0, 1).is_err() && UnaryEncoding::symmetric(f64::NAN, 3).is_err());
    }

    #[cfg(feature = "serde")]
    #[test]
    fn reading_validates_as_the_constructors_do() {
        let oracle = UnaryEncoding::epsilon(0.5, 3).unwrap();
        let written = serde_json::to_string(&oracle).unwrap();
        assert_eq!(written, r#"{"values":3,"epsilon":0.5,"bits":"optimized"}"#);
        assert_eq!(serde_json::from_str::<UnaryEncoding>(&written).unwrap(), oracle);
        for bad in [
            r#"{"values":1,"epsilon":0.5,"bits":"symmetric"}"#,
            r#"{"values":3,"epsilon":0.5,"bits":"other"}"#,
        ] {
            assert!(serde_json::from_str::<UnaryEncoding>(bad).is_err(), "{bad}");
        }
    }
}
