//! Hadamard response: a short report with little variance.

use dp_core::rounding::Enclosure;
use dp_core::{Epsilon, Error, LocalModel, Measurement, Pure};
use rand_core::Rng;

use super::support::Support;
use super::{FrequencyOracle, checked_epsilon, checked_values, share_of, tally};
use crate::sample::{Bernoulli, Bits};

/// Reports a column of a Hadamard matrix: with probability e^ε/(e^ε+1) one that has a plus in the
/// row of the value, otherwise one that has a minus there.
///
/// Let K be the power of two above k, and H the K×K matrix with entries (−1)^⟨x,y⟩, ⟨x,y⟩ being the
/// number of binary digits that are set in both x and y. The value v has the row v+1, so that
/// nobody has the row 0, which is all plus.
///
/// **Theorem** (Acharya, Sun and Zhang 2019, with blocks of one). The report is ε-private for any
/// two values, and no smaller ε holds: a column has the probability 2/K · e^ε/(e^ε+1) or
/// 2/K · 1/(e^ε+1), by the sign in the own row.
///
/// Two different rows, neither of them 0, have a plus in common in K/4 columns, and each sign in
/// K/2. So a report supports another value with probability 1/2, and the variance is that of
/// randomised response between two answers, twofold or so, whatever k. The report has log₂ K bits,
/// where unary encoding has k.
///
/// **What is released** is a column number, with exact probabilities.
///
/// ```
/// use dp_core::Measurement;
/// use dp_mechanisms::{local::{FrequencyOracle, HadamardResponse}, rng::OsSeeded};
///
/// let mut rng = OsSeeded::new()?;
/// let oracle = HadamardResponse::epsilon(1.0, 1000)?;
/// // Ten bits each.
/// let reports = (0..2000).map(|_| oracle.release(&123, &mut rng)).collect::<Result<Vec<u32>, _>>()?;
/// assert!(oracle.estimate(&reports)?[123] > 0.5);
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Written"))]
pub struct HadamardResponse {
    values: u32,
    epsilon: Epsilon,
}

#[cfg(feature = "serde")]
dp_core::on_disk! {
    Written for HadamardResponse { values: u32, epsilon: Epsilon } => Self::epsilon(epsilon.get(), values)
}

impl HadamardResponse {
    /// The ε-private Hadamard response for `values` values.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞ and 2 ≤ `values` ≤ 2²⁴.
    pub fn epsilon(epsilon: f64, values: u32) -> Result<Self, Error> {
        Ok(Self { values: checked_values(values)?, epsilon: checked_epsilon(epsilon)? })
    }

    /// The number K of reports: the least power of two above the number of values.
    #[must_use]
    pub const fn reports(&self) -> u32 {
        (self.values + 1).next_power_of_two()
    }

    fn support(&self) -> Support {
        let epsilon = -Enclosure::point(self.epsilon.get());
        let (total, half) = (Enclosure::ONE + epsilon.exp(), Enclosure::point(0.5));
        Support::new(Enclosure::ONE / total, half, half * -epsilon.exp_m1() / total)
    }

    pub(crate) fn report<R: Rng + ?Sized>(&self, value: u32, bits: &mut Bits<'_, R>) -> u32 {
        let row = value.min(self.values - 1) + 1;
        let plus = Bernoulli::truth(share_of(self.epsilon, 1), 1).draw_from(bits);
        let column = u32::try_from(bits.take(self.reports().trailing_zeros())).expect("at most 25 bits");
        // A uniform column. If it has the wrong sign, flipping a digit that the row has gives it
        // the right one, and pairs the columns.
        let has_plus = (row & column).count_ones().is_multiple_of(2);
        let lowest = row & row.wrapping_neg();
        if has_plus == plus { column } else { column ^ lowest }
    }
}

impl Measurement for HadamardResponse {
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

impl FrequencyOracle for HadamardResponse {
    fn values(&self) -> u32 {
        self.values
    }

    /// Takes time in proportion to the number of reports and K·log K.
    fn estimate(&self, reports: &[u32]) -> Result<Vec<f64>, Error> {
        let mut counts: Vec<i64> = tally(reports, self.reports())?;
        transform(&mut counts);
        // counts[row] = (reports with a plus in the row) − (those with a minus), counts[0] = all
        // reports
        let (support, all) = (self.support(), counts[0]);
        let pluses =
            |excess: i64| u64::try_from((all + excess) / 2).expect("there are not more minuses than reports");
        let rows = counts.iter().skip(1).take(self.values as usize);
        Ok(rows.map(|excess| support.share(pluses(*excess), reports.len())).collect())
    }

    fn variance(&self, reports: u64, share: f64) -> Result<f64, Error> {
        self.support().variance(reports, share)
    }

    fn error_bound(&self, reports: u64, beta: f64) -> Result<f64, Error> {
        self.support().error_bound(reports, self.values, beta)
    }
}

/// Multiplies by the Hadamard matrix: out[x] = Σ_y (−1)^⟨x,y⟩ · in[y], digit by digit.
fn transform(numbers: &mut [i64]) {
    let mut half = 1;
    while half < numbers.len() {
        for block in numbers.chunks_mut(2 * half) {
            let (low, high) = block.split_at_mut(half);
            for (a, b) in low.iter_mut().zip(high) {
                (*a, *b) = (*a + *b, *a - *b);
            }
        }
        half *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_law, check_loss};
    use super::*;

    #[test]
    fn the_law_is_that_of_the_theorem() {
        for (values, epsilon) in [(2, 0.1), (3, 0.5), (5, 1.0), (7, 2.0)] {
            let oracle = HadamardResponse::epsilon(epsilon, values).unwrap();
            let all: Vec<u32> = (0..oracle.reports()).collect();
            let ideal = |value: u32, report: &u32| {
                let sign = if ((value + 1) & report).count_ones().is_multiple_of(2) { epsilon } else { 0.0 };
                2.0 / f64::from(oracle.reports()) * sign.exp() / (epsilon.exp() + 1.0)
            };
            let open = check_law(&oracle, 14, |value, bits| oracle.report(value, bits), ideal, &all);
            assert!(open < 1e-3, "{open}");
            check_loss(epsilon, values, &all, ideal);
        }
        let sizes = [2, 3, 4, 7, 8, 1 << 24].map(|k| HadamardResponse::epsilon(1.0, k).unwrap().reports());
        assert_eq!(sizes, [4, 4, 8, 8, 16, 1 << 25]);
    }

    #[test]
    fn the_transform_is_the_matrix() {
        let numbers: Vec<i64> = (0..16).map(|i| i * i % 7 - 2).collect();
        let mut fast = numbers.clone();
        transform(&mut fast);
        for (x, found) in fast.into_iter().enumerate() {
            let sign = |y: usize| if (x & y).count_ones().is_multiple_of(2) { 1 } else { -1 };
            assert_eq!(found, numbers.iter().enumerate().map(|(y, n)| sign(y) * n).sum::<i64>());
        }
    }

    #[test]
    fn reports_that_cannot_be_are_refused() {
        let oracle = HadamardResponse::epsilon(1.0, 3).unwrap();
        assert!(
            oracle.estimate(&[]).is_err() && oracle.estimate(&[4]).is_err() && oracle.estimate(&[3]).is_ok()
        );
    }

    #[cfg(feature = "serde")]
    #[test]
    fn reading_validates_as_the_constructors_do() {
        let oracle = HadamardResponse::epsilon(0.5, 3).unwrap();
        let written = serde_json::to_string(&oracle).unwrap();
        assert_eq!(written, r#"{"values":3,"epsilon":0.5}"#);
        assert_eq!(serde_json::from_str::<HadamardResponse>(&written).unwrap(), oracle);
        assert!(serde_json::from_str::<HadamardResponse>(r#"{"values":1,"epsilon":0.5}"#).is_err());
    }
}
