//! Randomised response to a yes-or-no question.

use dp_core::pairs::RandomizedResponsePair;
use dp_core::{Epsilon, Error, LocalModel, Measurement, Pure};
use rand_core::Rng;

use super::support::Support;
use super::{checked_epsilon, share_of, some};
use crate::sample::{Bernoulli, Bits};

/// Tells the truth with probability e^ε/(e^ε+1), and the opposite otherwise.
///
/// **Theorem** (Warner 1965). The report is ε-private for any two values, and no smaller ε holds:
/// Pr(report | true) / Pr(report | false) is e^ε or e^−ε. Of all ε-private reports on a bit this
/// one errs least (Kairouz, Oh and Viswanath 2015).
///
/// **What is released** is a bit. The probability is exact to its last digit: a uniform real, drawn
/// digit by digit, is compared with e^ε/(e^ε+1) for the ε that the float denotes.
///
/// ```
/// use dp_core::{Measurement, Pure};
/// use dp_mechanisms::{local::RandomizedResponse, rng::OsSeeded};
///
/// let mut rng = OsSeeded::new()?;
/// let question = RandomizedResponse::epsilon(1.0)?;
/// assert_eq!(question.guarantee(), Pure::new(1.0)?);
/// // Of 10 000 people every fifth says yes at home; what they send hides it.
/// let reports = (0..10_000).map(|i| question.release(&(i % 5 == 0), &mut rng));
/// let reports = reports.collect::<Result<Vec<bool>, _>>()?;
/// let share = question.estimate(&reports)?;
/// assert!((share - 0.2).abs() < 8.0 * question.variance(10_000, 0.2)?.sqrt());
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Written"))]
pub struct RandomizedResponse {
    epsilon: Epsilon,
}

#[cfg(feature = "serde")]
dp_core::on_disk! { Written for RandomizedResponse { epsilon: Epsilon } => Self::epsilon(epsilon.get()) }

impl RandomizedResponse {
    /// The ε-private randomised response.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞.
    pub fn epsilon(epsilon: f64) -> Result<Self, Error> {
        Ok(Self { epsilon: checked_epsilon(epsilon)? })
    }

    /// The exact privacy loss, for an accountant. The pair *is* the two laws of the report.
    #[must_use]
    pub const fn dominating_pair(&self) -> RandomizedResponsePair {
        RandomizedResponsePair::binary(self.epsilon)
    }

    /// An unbiased estimate of the share of people whose value is `true`.
    ///
    /// # Errors
    /// [`Error::Empty`] without reports.
    pub fn estimate(&self, reports: &[bool]) -> Result<f64, Error> {
        let yes: u64 = some(reports)?.iter().map(|report| u64::from(*report)).sum();
        Ok(self.support().share(yes, reports.len()))
    }

    /// The variance of the estimate, rounded up. It does not depend on the share:
    /// e^ε / (n(e^ε−1)²).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the share lies in [0, 1] and there is a report.
    pub fn variance(&self, reports: u64, share: f64) -> Result<f64, Error> {
        self.support().variance(reports, share)
    }

    fn support(&self) -> Support {
        Support::of_response(self.epsilon, 1)
    }

    fn report<R: Rng + ?Sized>(&self, value: bool, bits: &mut Bits<'_, R>) -> bool {
        let truthful = Bernoulli::truth(share_of(self.epsilon, 1), 1).draw_from(bits);
        value == truthful
    }
}

impl Measurement for RandomizedResponse {
    type Data = bool;
    type Output = bool;
    type Guarantee = Pure;
    type Adjacency = LocalModel;

    fn guarantee(&self) -> Pure {
        self.epsilon.into()
    }

    /// Never fails.
    fn draw<R: Rng + ?Sized>(&self, value: &bool, rng: &mut R) -> Result<bool, Error> {
        Ok(self.report(*value, &mut Bits::new(rng)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::replay::Law;
    use dp_core::pairs::DominatingPair;

    #[test]
    fn the_law_is_that_of_the_theorem() {
        for epsilon in [1e-3, 0.3, 1.0, 3.0] {
            let response = RandomizedResponse::epsilon(epsilon).unwrap();
            let truthful = 1.0 / (1.0 + (-epsilon).exp());
            for value in [false, true] {
                let law = Law::of(16, |bits| response.report(value, bits));
                assert!(law.open() < 1e-4);
                let found = law.probability(&value);
                assert!(found.lo() <= truthful && truthful <= found.hi(), "{found} {truthful}");
                // The estimate is unbiased, with the stated variance: both by listing the two
                // reports.
                let [lie, truth] = [!value, value].map(|report| response.estimate(&[report]).unwrap());
                let wanted = f64::from(u8::from(value));
                let mean = truthful * truth + (1.0 - truthful) * lie;
                assert!((mean - wanted).abs() < 1e-12);
                let variance =
                    truthful * (truth - wanted).powi(2) + (1.0 - truthful) * (lie - wanted).powi(2);
                let stated = response.variance(1, wanted).unwrap();
                assert!((variance / stated - 1.0).abs() < 1e-9 && stated > variance * (1.0 - 1e-12));
                assert!((stated * epsilon.exp_m1().powi(2) / epsilon.exp() - 1.0).abs() < 1e-12);
            }
            assert_eq!(response.dominating_pair().max_loss(), epsilon);
        }
        assert!(RandomizedResponse::epsilon(1.0).unwrap().estimate(&[]).is_err());
    }

    #[test]
    fn extreme_epsilons_do_not_fail() {
        let mut rng = crate::rng::Insecure::seeded(2);
        for epsilon in [f64::from_bits(1), 1e-300, 800.0, f64::MAX] {
            let response = RandomizedResponse::epsilon(epsilon).unwrap();
            for value in [false, true] {
                let report = response.draw(&value, &mut rng).unwrap();
                assert!(epsilon < 1.0 || report == value);
            }
            assert!(!response.variance(1, 0.5).unwrap().is_nan());
        }
    }

    #[cfg(feature = "serde")]
    #[test]
    fn reading_validates_as_the_constructors_do() {
        let response = RandomizedResponse::epsilon(0.5).unwrap();
        let written = serde_json::to_string(&response).unwrap();
        assert_eq!(written, r#"{"epsilon":0.5}"#);
        assert_eq!(serde_json::from_str::<RandomizedResponse>(&written).unwrap(), response);
        for bad in [
            r#"{"epsilon":0}"#,
            r#"{"epsilon":-1}"#,
            r#"{"epsilon":"infinity"}"#,
            "{}",
            r#"{"epsilon":1,"k":2}"#,
        ] {
            assert!(serde_json::from_str::<RandomizedResponse>(bad).is_err(), "{bad}");
        }
    }
}
