//! The probability that a report supports a value, and estimates from it.

use dp_core::interval::Confidence;
use dp_core::rounding::Enclosure;
use dp_core::{Epsilon, Error};

use crate::arguments::{integer, within};

/// Pr(a report supports the own value), Pr(it supports another one), and their difference.
#[derive(Clone, Copy, Debug)]
pub(super) struct Support {
    own: Enclosure,
    other: Enclosure,
    gap: Enclosure,
}

impl Support {
    /// The difference is given too, because subtraction would cancel for small ε.
    pub(super) const fn new(own: Enclosure, other: Enclosure, gap: Enclosure) -> Self {
        Self { own, other, gap }
    }

    /// The truth with probability e^ε/(e^ε+d), and each of d `others` with probability 1/(e^ε+d).
    pub(super) fn of_response(epsilon: Epsilon, others: u32) -> Self {
        let epsilon = -Enclosure::point(epsilon.get());
        let total = Enclosure::ONE + Enclosure::point(others.into()) * epsilon.exp();
        Self::new(Enclosure::ONE / total, epsilon.exp() / total, -epsilon.exp_m1() / total)
    }

    /// Where another value has the same hash with probability 1/m: q becomes q + (p−q)/m.
    pub(super) fn blurred(self, inverse: Enclosure) -> Self {
        let other = self.other + self.gap * inverse;
        Self { own: self.own, other, gap: self.gap * (Enclosure::ONE - inverse) }
    }

    /// (supporting/n − q) / (p − q), for n > 0 reports.
    pub(super) fn share(self, supporting: u64, reports: usize) -> f64 {
        let middle = |x: Enclosure| f64::midpoint(x.lo(), x.hi());
        #[allow(clippy::cast_precision_loss)] // an estimate
        let observed = supporting as f64 / reports as f64;
        (observed - middle(self.other)) / middle(self.gap)
    }

    /// A bound on how far the estimate of any of `values` values is from its share, except with
    /// probability β.
    ///
    /// **Proof.** The reports of n people are independent, and each supports a value or not. By
    /// Hoeffding the share that supports it strays by t from its mean with probability 2·e^(−2nt²)
    /// at most, and by Bernstein 2·e^(−nt²/(2v + 2t/3)), where v is the larger one of p(1−p) and
    /// q(1−q): t = √(L/2n), or t = L/3n + √((L/3n)² + 2vL/n) with L = ln(2/β), whichever is
    /// smaller. For several values together β is divided by their number. The estimate is that over
    /// p − q, and its floats err by less than 2⁻⁴⁸ of 1/(p−q). ∎
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < β ≤ 1 and there is a report.
    pub(super) fn error_bound(self, reports: u64, values: u32, beta: f64) -> Result<f64, Error> {
        let n = checked_reports(reports)?;
        let each = Confidence::all_but(beta)?.shared_by(values as usize);
        let log = Enclosure::point(2.0).ln() - Enclosure::point(each.beta()).ln();
        let coin = |p: Enclosure| p * (Enclosure::ONE - p);
        let variance = coin(self.own).max(coin(self.other));
        let hoeffding = (log / (Enclosure::point(2.0) * n)).sqrt();
        let third = log / (Enclosure::point(3.0) * n);
        let bernstein = third + (third.square() + Enclosure::point(2.0) * variance * log / n).sqrt();
        let rounded = Enclosure::point(f64::EPSILON * 16.0);
        Ok(((hoeffding.min(bernstein) + rounded) / self.gap).hi())
    }

    /// (f·p(1−p) + (1−f)·q(1−q)) / (n(p−q)²), rounded up.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the share lies in [0, 1] and there is a report.
    pub(super) fn variance(self, reports: u64, share: f64) -> Result<f64, Error> {
        let (share, reports) = (checked_share(share)?, checked_reports(reports)?);
        let coin = |p: Enclosure| p * (Enclosure::ONE - p);
        let one = share * coin(self.own) + (Enclosure::ONE - share) * coin(self.other);
        Ok((one / (reports * self.gap.square())).hi())
    }
}

pub(super) fn checked_share(share: f64) -> Result<Enclosure, Error> {
    within("the share", "[0, 1]", share, (0.0..=1.0).contains(&share)).map(Enclosure::point)
}

fn checked_reports(reports: u64) -> Result<Enclosure, Error> {
    integer("the number of reports", "[1, ∞)", reports, 1..).map(Enclosure::integer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_invert_the_expected_support() {
        let support = Support::new(Enclosure::point(0.75), Enclosure::point(0.25), Enclosure::point(0.5));
        // A share f of 1000 people: 250 + 500·f reports in expectation.
        for (supporting, share) in [(250, 0.0), (500, 0.5), (750, 1.0)] {
            assert_eq!(support.share(supporting, 1000), share);
        }
        // One report of either kind has the variance 3/16, and (p−q)² is 1/4.
        for (reports, share) in [(1u8, 0.3), (100, 0.0), (200, 1.0)] {
            let (found, truth) =
                (support.variance(reports.into(), share).unwrap(), 0.75 / f64::from(reports));
            assert!((truth..truth * (1.0 + 1e-14)).contains(&found), "{found} {truth}");
        }
        for (reports, share) in [(0, 0.5), (1, -0.1), (1, 1.1), (1, f64::NAN)] {
            assert!(support.variance(reports, share).is_err());
        }
        assert!(support.variance(u64::MAX, 1.0).unwrap() > 0.0);
        let blurred = support.blurred(Enclosure::point(0.25));
        assert_eq!((blurred.other.lo(), blurred.gap.lo()), (0.375, 0.375));
    }
}
