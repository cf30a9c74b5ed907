//! R_p(y) = (1+y)^p − 1 − py, without cancellation.

use dp_core::rounding::Enclosure;

/// How far the series goes.
const LAST: u8 = 22;
/// Up to this |y|·max(|p|, 1) it is used.
const REACH: f64 = 0.125;

/// R_p for one p: the coefficients of its series.
pub(super) struct Remainder {
    power: f64,
    /// (p−k+1)/k for k = 3 … [`LAST`], each to 2u, u = 2⁻⁵³.
    ratios: [f64; LAST as usize - 2],
}

/// A weighted value of R_p in one of two forms.
pub(super) enum Form {
    /// K, where R_p(y) = ½p(p−1)y²·K. The weight is not in it.
    Series(Enclosure),
    /// R_p(y) times the weight.
    Direct(Enclosure),
}

impl Remainder {
    pub(super) fn new(power: f64) -> Self {
        let mut ratios = [0.0; LAST as usize - 2];
        for (ratio, k) in ratios.iter_mut().zip(3..=LAST) {
            *ratio = (power - f64::from(k - 1)) / f64::from(k);
        }
        Self { power, ratios }
    }

    /// R_p at an enclosed y > −1, of which `log` encloses ln(1+y), with a weight and its logarithm.
    /// `log` is asked for outside of the series only.
    pub(super) fn at(
        &self,
        y: Enclosure,
        log: impl FnOnce() -> Enclosure,
        weight: Enclosure,
        log_weight: Enclosure,
    ) -> Form {
        let size = y.lo().abs().max(y.hi().abs());
        if size * self.power.abs().max(1.0) <= REACH {
            return Form::Series(self.series(y));
        }
        let power = Enclosure::point(self.power);
        let exponent = power * log();
        // A large power may be no float, while the weighted one is.
        let value = if exponent.hi() < 40.0 {
            weight * (exponent.exp_m1() - power * y)
        } else {
            (exponent + log_weight).exp() - weight * (Enclosure::ONE + power * y)
        };
        Form::Direct(value.max(Enclosure::ZERO))
    }

    /// K = 1 + c₃y(1 + c₄y(1 + …)), c_k = (p−k+1)/k, which is monotone in y, being
    /// 2∫(1−s)(1+sy)^(p−2) ds.
    ///
    /// |c_k·y| ≤ (1 + 1/k)/8 ≤ 1/6, so each bracket lies in [5/6, 6/5]. What is left out changes the innermost one by at most 1/6, hence K by less than 10⁻¹⁷.
    /// Rounding: an error of e in a bracket, 5u in the product and u in the sum make
    /// (e + 5u·6/5)/6 + u·6/5, so e stays below 3u; 8u are allowed.
    fn series(&self, y: Enclosure) -> Enclosure {
        const SLACK: f64 = 8.0 * (f64::EPSILON / 2.0);
        let (left, right) = (self.horner(y.lo(), LAST), self.horner(y.hi(), LAST));
        Enclosure::new(left.min(right) * (1.0 - SLACK), left.max(right) * (1.0 + SLACK))
    }

    /// K at y to 8u, where the series is used; eight terms suffice near zero: (4/3·2⁻⁷)⁸ is below
    /// 10⁻¹⁵, and the innermost bracket is 1 to two percent.
    pub(super) fn series_at(&self, y: f64) -> Option<f64> {
        let size = y.abs() * self.power.abs().max(1.0);
        (size <= REACH).then(|| self.horner(y, if size <= 1.0 / 128.0 { 10 } else { LAST }))
    }

    /// The brackets up to that of c_last.
    fn horner(&self, y: f64, last: u8) -> f64 {
        self.ratios[..usize::from(last) - 2].iter().rev().fold(1.0, |inner, ratio| 1.0 + ratio * y * inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_agree_with_forty_digits() {
        // mpmath, 40 digits.
        for (power, y, truth) in CASES {
            let argument = Enclosure::point(y);
            let value = match Remainder::new(power).at(
                argument,
                || argument.ln_1p(),
                Enclosure::ONE,
                Enclosure::ZERO,
            ) {
                Form::Direct(value) => value,
                Form::Series(k) => {
                    let p = Enclosure::point(power);
                    k * Enclosure::point(0.5) * p * (p - Enclosure::ONE) * argument.square()
                }
            };
            assert!(
                value.lo() <= truth * (1.0 + 1e-15) && value.hi() >= truth * (1.0 - 1e-15),
                "{power} {y}: {value:?} {truth:e}"
            );
            // Outside of the series p near 1 costs digits.
            assert!(
                value.relative_width() < 1e-15 * 100.0 / (power - 1.0).abs().min(1e-2),
                "{power} {y}: {value:?}"
            );
        }
    }

    #[allow(clippy::excessive_precision, clippy::unreadable_literal)] // as they were printed
    const CASES: [(f64, f64, f64); 17] = [
        (1.1, 1e-09, 5.499999998350006e-20),
        (1.1, 0.1, 0.00053424105457572887),
        (1.1, -0.12, 0.00082225993297694629),
        (1.5, 0.125, 0.0057426932522989474),
        (1.001, 0.13, 8.1143648118373816e-6),
        (64.0, 0.0019, 0.0075720060335596429),
        (64.0, -0.0019, 0.0070000815895535739),
        (64.0, 0.3, 19605327.443076097),
        (-63.0, 0.0019, 0.0069873172966554702),
        (-63.0, -0.3, 5738831554.7868746),
        (-0.5, 0.12, 0.0049111825230680677),
        (-0.5, -0.125, 0.0065449676496975387),
        (2.0, 0.1, 0.010000000000000001),
        (3.0, -0.04, 0.0047360000000000002),
        (1024.0, 0.0001, 0.0054208420399936144),
        (1024.0, -0.01, 9.2400339187054021),
        (-1.0, 0.12, 0.012857142857142856),
    ];
}
