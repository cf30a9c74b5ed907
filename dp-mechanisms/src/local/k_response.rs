//! Randomised response among k values.

use std::num::NonZero;

use dp_core::pairs::RandomizedResponsePair;
use dp_core::{Epsilon, Error, LocalModel, Measurement, Pure};
use rand_core::Rng;

use super::support::Support;
use super::{FrequencyOracle, checked_epsilon, checked_values, share_of, tally};
use crate::sample::{Bernoulli, Bits, below_from};

/// Tells the truth with probability e^ε/(e^ε+k−1), and one of the other k−1 values otherwise, each
/// with the same probability.
///
/// **Theorem** (Kairouz, Oh and Viswanath 2014). The report is ε-private for any two values, and no
/// smaller ε holds: each probability is e^ε/(e^ε+k−1) or 1/(e^ε+k−1), and their ratio is e^ε.
///
/// **What is released** is one of the values 0, …, k−1. Choose it for few values, k < 3e^ε + 2; for
/// more, [`UnaryEncoding::epsilon`](super::UnaryEncoding::epsilon) has the smaller variance.
///
/// ```
/// use dp_core::Measurement;
/// use dp_mechanisms::{local::{FrequencyOracle, KRandomizedResponse}, rng::OsSeeded};
///
/// let mut rng = OsSeeded::new()?;
/// let browser = KRandomizedResponse::epsilon(2.0, 4)?; // one of four browsers, ε = 2
/// let reports = (0..5000).map(|i| browser.release(&(i % 3), &mut rng)).collect::<Result<Vec<u32>, _>>()?;
/// let shares = browser.estimate(&reports)?; // near 1/3, 1/3, 1/3, 0
/// assert!((shares[3] - 0.0).abs() < 8.0 * browser.variance(5000, 0.0)?.sqrt());
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
///
/// Checked as L12 by `cargo xtask verify`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Written"))]
pub struct KRandomizedResponse {
    values: u32,
    epsilon: Epsilon,
}

#[cfg(feature = "serde")]
dp_core::on_disk! {
    Written for KRandomizedResponse { values: u32, epsilon: Epsilon } => Self::epsilon(epsilon.get(), values)
}

impl KRandomizedResponse {
    /// The ε-private randomised response among `values` values.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞ and 2 ≤ `values` ≤ 2²⁴.
    pub fn epsilon(epsilon: f64, values: u32) -> Result<Self, Error> {
        Ok(Self { values: checked_values(values)?, epsilon: checked_epsilon(epsilon)? })
    }

    /// The exact privacy loss, for an accountant. The pair *is* the two laws of the report.
    #[must_use]
    #[allow(clippy::missing_panics_doc)] // it cannot
    pub fn dominating_pair(&self) -> RandomizedResponsePair {
        RandomizedResponsePair::new(self.epsilon, self.values).expect("there are at least two values")
    }

    fn support(&self) -> Support {
        Support::of_response(self.epsilon, self.values - 1)
    }

    pub(crate) fn report<R: Rng + ?Sized>(&self, value: u32, bits: &mut Bits<'_, R>) -> u32 {
        let value = value.min(self.values - 1);
        let others = u64::from(self.values - 1);
        let truthful = Bernoulli::truth(share_of(self.epsilon, 1), others).draw_from(bits);
        // Drawn whether or not it is reported, so that the time does not depend on that.
        let other = below_from(NonZero::new(others).expect("there are at least two values"), bits);
        let other = u32::try_from(other).expect("it is below the number of values");
        let other = other + u32::from(other >= value); // skips the own value
        if truthful { value } else { other }
    }
}

impl Measurement for KRandomizedResponse {
    type Data = u32;
    type Output = u32;
    type Guarantee = Pure;
    type Adjacency = LocalModel;

    fn guarantee(&self) -> Pure {
        self.epsilon.into()
    }

    /// Never fails. A value above k−1 counts as k−1.
    fn draw<R: Rng + ?Sized>(&self, value: &u32, rng: &mut R) -> Result<u32, Error> {
        Ok(self.report(*value, &mut Bits::new(rng)))
    }
}

impl FrequencyOracle for KRandomizedResponse {
    fn values(&self) -> u32 {
        self.values
    }

    fn estimate(&self, reports: &[u32]) -> Result<Vec<f64>, Error> {
        let (counts, support) = (tally::<u64>(reports, self.values)?, self.support());
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
        for (values, epsilon) in [(2, 0.1), (3, 0.5), (4, 1.0), (5, 2.0)] {
            let oracle = KRandomizedResponse::epsilon(epsilon, values).unwrap();
            let all: Vec<u32> = (0..values).collect();
            let total = epsilon.exp() + f64::from(values - 1);
            let ideal =
                |value: u32, report: &u32| if value == *report { epsilon.exp() / total } else { 1.0 / total };
            let open = check_law(&oracle, 16, |value, bits| oracle.report(value, bits), ideal, &all);
            assert!(open < 1e-2, "{open}");
            check_loss(epsilon, values, &all, ideal);
        }
    }

    #[test]
    fn reports_that_cannot_be_are_refused() {
        let oracle = KRandomizedResponse::epsilon(1.0, 3).unwrap();
        assert!(
            oracle.estimate(&[]).is_err()
                && oracle.estimate(&[0, 3]).is_err()
                && oracle.estimate(&[2]).is_ok()
        );
        assert!(
            KRandomizedResponse::epsilon(1.0, 1).is_err() && KRandomizedResponse::epsilon(0.0, 3).is_err()
        );
        let most = KRandomizedResponse::epsilon(1.0, 1 << 24).unwrap();
        assert!(most.draw(&7, &mut crate::rng::Insecure::seeded(1)).unwrap() < 1 << 24);
    }

    #[cfg(feature = "serde")]
    #[test]
    fn reading_validates_as_the_constructors_do() {
        let oracle = KRandomizedResponse::epsilon(0.5, 3).unwrap();
        let written = serde_json::to_string(&oracle).unwrap();
        assert_eq!(written, r#"{"values":3,"epsilon":0.5}"#);
        assert_eq!(serde_json::from_str::<KRandomizedResponse>(&written).unwrap(), oracle);
        for bad in [r#"{"values":1,"epsilon":0.5}"#, r#"{"values":3,"epsilon":0}"#, r#"{"values":3}"#] {
            assert!(serde_json::from_str::<KRandomizedResponse>(bad).is_err(), "{bad}");
        }
    }
}
