//! How many cells noise leaves alone before it lifts one over a threshold.
//!
//! Each of many empty cells passes a threshold t ≥ 0 with probability
//! p = Pr(Laplace ≥ t) = ½e^(−t/b), independently. The number G of cells before the first that does
//! has Pr(G ≥ k) = (1 − p)^k, so G = ⌊ln U / ln(1 − p)⌋ for a uniform U, or, in a form that can be
//! decided exactly,
//!
//! > G ≥ k ⇔ U < (1 − p)^k.
//!
//! Directed floats tell G nearly always. Where they leave several values possible, (1 − p)^k is
//! computed between integers to as many digits as it takes to tell it from U, of which more digits
//! are drawn as they are needed. The result is G for every sequence of random bits on which it is
//! reached, and that is all of them but a set of probability zero: U would have to agree with
//! (1 − p)^k in all digits.

use dashu_int::UBig;
use dp_core::Scale;
use dp_core::rounding::Enclosure;
use rand_core::Rng;

use super::exponential_function::exp_neg;
use super::{Bits, Dyadic, Uniform};

/// The cells that Laplace noise of a scale leaves below a threshold.
#[derive(Clone, Debug)]
pub(crate) struct Gaps {
    threshold: Dyadic,
    scale: Dyadic,
    /// Encloses ln(1 − p).
    logarithm: Enclosure,
}

impl Gaps {
    /// For a threshold t > 0.
    pub(crate) fn new(threshold: f64, scale: Scale) -> Self {
        let exponent = Enclosure::point(threshold) / Enclosure::point(scale.get());
        let logarithm = (-(Enclosure::point(0.5) * (-exponent).exp())).ln_1p();
        Self { threshold: Dyadic::from_finite(threshold), scale: Dyadic::from_finite(scale.get()), logarithm }
    }

    /// The number of cells before the first that passes, or `None` when none of the next `cells`
    /// does.
    pub(crate) fn draw<R: Rng + ?Sized>(&self, cells: u64, bits: &mut Bits<'_, R>) -> Option<u64> {
        let uniform = Uniform::with_prefix(bits.take(63), 63);
        self.settle(uniform, cells, bits)
    }

    /// The same for a U of which some digits are known.
    pub(crate) fn settle<R: Rng + ?Sized>(
        &self,
        mut uniform: Uniform,
        cells: u64,
        bits: &mut Bits<'_, R>,
    ) -> Option<u64> {
        let (mut low, mut high) = self.between(&uniform, cells);
        while low != high && uniform.length() < 64 {
            uniform.extend(1, bits);
            (low, high) = self.between(&uniform, cells);
        }
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if self.reaches(middle, &mut uniform, bits) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        (low < cells).then_some(low)
    }

    /// Values between which G lies, both at most `cells`, by directed rounding.
    fn between(&self, uniform: &Uniform, cells: u64) -> (u64, u64) {
        let ratio = uniform.enclosure().ln().min(Enclosure::ZERO) / self.logarithm;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates, and is floored by it
        let [low, high] = [ratio.lo(), ratio.hi()].map(|end| (end.max(0.0) as u64).min(cells));
        (low, high)
    }

    /// Whether G ≥ k, that is U < (1 − p)^k.
    fn reaches<R: Rng + ?Sized>(&self, k: u64, uniform: &mut Uniform, bits: &mut Bits<'_, R>) -> bool {
        loop {
            // A power of k < 2⁶⁴ loses at most 64 digits and a few.
            let digits = uniform.length() as usize + 80;
            let (lower, upper) = self.power(k, digits);
            let shift = digits + 1 - uniform.length() as usize;
            if uniform.prefix() << shift >= upper {
                return false;
            }
            if (uniform.prefix() + UBig::ONE) << shift <= lower {
                return true;
            }
            uniform.extend(64, bits);
        }
    }

    /// Integers lower ≤ (1 − p)^k · 2^(digits+1) ≤ upper, for p = ½e^(−t/b).
    fn power(&self, k: u64, digits: usize) -> (UBig, UBig) {
        // 2·p to `digits` digits is p to one more.
        let (p_lower, p_upper) = exp_neg(&self.threshold.quotient(&self.scale, digits), digits);
        let q = digits + 1;
        let one = UBig::ONE << q;
        let (mut base_lower, mut base_upper) = (&one - p_upper, &one - p_lower);
        let (mut lower, mut upper) = (one.clone(), one);
        let mut left = k;
        while left > 0 {
            if left & 1 == 1 {
                lower = (lower * &base_lower) >> q;
                upper = ((upper * &base_upper) >> q) + UBig::ONE;
            }
            base_lower = (&base_lower * &base_lower) >> q;
            base_upper = ((&base_upper * &base_upper) >> q) + UBig::ONE;
            left >>= 1;
        }
        (lower, upper)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Insecure;
    use crate::sample::replay::Law;
    use proptest::prelude::*;

    fn gaps(threshold: f64, scale: f64) -> Gaps {
        Gaps::new(threshold, Scale::new(scale).unwrap())
    }

    /// Encloses (1 − p)^k.
    fn survival(threshold: f64, scale: f64, k: u8) -> Enclosure {
        let p = Enclosure::point(0.5) * (Enclosure::point(-threshold) / Enclosure::point(scale)).exp();
        (0..k).fold(Enclosure::ONE, |product, _| product * (Enclosure::ONE - p))
    }

    #[test]
    fn enumerated_masses_bracket_the_law() {
        for (threshold, scale) in [(0.5, 1.0), (0.5, 3.0), (2.5, 2.0)] {
            let gaps = gaps(threshold, scale);
            let law = Law::of(14, |bits| gaps.settle(Uniform::unknown(), 6, bits));
            assert!(law.open() < 0.01, "{}", law.open());
            for k in 0..6u8 {
                let truth = survival(threshold, scale, k) - survival(threshold, scale, k + 1);
                let found = law.probability(&Some(k.into()));
                assert!(
                    found.lo() <= truth.hi() && truth.lo() <= found.hi(),
                    "{threshold} {scale} {k}: {found} {truth}"
                );
            }
            let (found, truth) = (law.probability(&None), survival(threshold, scale, 6));
            assert!(
                found.lo() <= truth.hi() && truth.lo() <= found.hi(),
                "{threshold} {scale}: {found} {truth}"
            );
        }
    }

    #[test]
    fn powers_enclose_the_truth_to_their_last_digits() {
        // (1 − ½e^−½)^k, t = ½ and b = 1.
        let gaps = gaps(0.5, 1.0);
        for k in [0u8, 1, 2, 7, 100] {
            let (lower, upper) = gaps.power(k.into(), 200);
            let top = |x: &UBig| {
                #[allow(clippy::cast_precision_loss)]
                let top = u64::try_from(x >> 140).unwrap() as f64;
                top * 2f64.powi(-61)
            };
            let truth = survival(0.5, 1.0, k);
            assert!((top(&lower) - truth.lo()).abs() < 1e-13 && top(&lower) <= truth.hi() * (1.0 + 1e-15));
            assert!(upper - lower < UBig::from(1000u32));
        }
    }

    #[test]
    fn rare_passes_in_huge_universes_are_drawn() {
        // p = ½e^−40 ≈ 2.1·10⁻¹⁸, in 2⁶⁴ − 1 cells: about 39 passes, and gaps of about 2⁵⁹, which
        // floats do not distinguish.
        let gaps = gaps(40.0, 1.0);
        let mut rng = Insecure::seeded(1);
        let mut bits = Bits::new(&mut rng);
        let (mut left, mut passes) = (u64::MAX, 0);
        while let Some(gap) = gaps.draw(left, &mut bits) {
            passes += 1;
            left -= gap + 1;
        }
        // Poisson of mean 39.2: outside of [5, 100] with probability below 10⁻⁹.
        assert!((5..100).contains(&passes), "{passes}");
        assert_eq!(gaps.draw(0, &mut bits), None);
    }

    proptest! {
        /// The exact path alone, from the first digit on, finds what floats find.
        #[test]
        fn floats_and_integers_agree(
            threshold in prop_oneof![0.5..20.0f64, 30.0..44.0f64], scale in 0.5..5.0f64, seed in any::<u64>(),
            cells in prop_oneof![1u64..1 << 40, Just(u64::MAX)],
        ) {
            let gaps = gaps(threshold, scale);
            let mut rng = Insecure::seeded(seed);
            let drawn = gaps.draw(cells, &mut Bits::new(&mut rng));
            let mut rng = Insecure::seeded(seed);
            let mut bits = Bits::new(&mut rng);
            let mut uniform = Uniform::with_prefix(bits.take(63), 63);
            if let Some(gap) = drawn {
                prop_assert!(gaps.reaches(gap, &mut uniform, &mut bits) && !gaps.reaches(gap + 1, &mut uniform, &mut bits));
            } else {
                prop_assert!(gaps.reaches(cells, &mut uniform, &mut bits));
            }
        }
    }
}
