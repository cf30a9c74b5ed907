//! The three noises, as functions of a standard exponential: in floats, in enclosures, and to any
//! number of digits.

use dp_core::rounding::Enclosure;

use crate::sample::Interval;
use crate::sample::logarithm::{
    ERROR, GUMBEL_ERROR, SMALLEST_EXPONENTIAL, SMALLEST_PREFIX, exponential, gumbel,
};

/// A law of noise at scale one, as a function of a uniform U in [0, 1) and, for some, a fair sign.
///
/// With E = −ln U, a standard exponential:
///
/// | law | noise |
/// |---|---|
/// | Gumbel | −ln E |
/// | exponential | E |
/// | Laplace | ±E |
///
/// The first 64 random bits of a draw are a word. Its highest bit is the first digit of U, and its
/// lowest one the 64th digit of U, or the sign.
pub trait NoiseLaw {
    /// Whether the noise has a sign of its own.
    const SIGNED: bool;

    /// Floats between which the noise lies, whatever digits follow those of the word; infinite
    /// where floats do not settle it.
    ///
    /// Finite ends are below 24 in magnitude, and 2⁻⁴⁷ farther out than they need to be; or, where
    /// floats do not place the noise, below 45, and 0.2 farther out.
    ///
    /// An upper end is infinite for one word in 2¹⁵ or in 2²⁴, so that such a candidate is compared
    /// whatever the scores. A lower one is not, but for one in 2⁶³: it matters for a leader alone,
    /// and would tell that there is one.
    fn between(word: u64) -> (f64, f64);

    /// Encloses the noise between floats, from an enclosure of E.
    fn enclose(exponential: Enclosure, negative: bool) -> Enclosure;

    /// Encloses the noise to about `precision` digits, from an interval of E; `None` when E may be
    /// too close to zero for that.
    fn interval(exponential: Interval, negative: bool, precision: u32) -> Option<Interval>;
}

/// What noise is at least if U ≥ 2⁻⁶³, which a prefix that is not zero says.
#[inline]
fn least(prefix: u64, least: f64) -> f64 {
    if prefix > 0 { least } else { f64::NEG_INFINITY }
}

/// Gumbel noise: Pr(N ≤ z) = e^(−e^(−z)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GumbelNoise;

/// Exponential noise: Pr(N > z) = e^(−z) for z ≥ 0. It only ever raises a score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExponentialNoise;

/// Laplace noise: density e^(−|z|)/2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaplaceNoise;

impl NoiseLaw for GumbelNoise {
    const SIGNED: bool = false;

    /// For a U below 2⁻¹⁵ the noise is at most that of 2⁻¹⁵, and above −ln 44 > −3.79 if U ≥ 2⁻⁶³;
    /// for one so close to one that E < 2⁻²⁴, it is at least that of 2⁻²⁴.
    #[inline]
    fn between(word: u64) -> (f64, f64) {
        const MARGIN: f64 = 2.0 * GUMBEL_ERROR;
        let prefix = word >> 1;
        let exponential = exponential(prefix.max(SMALLEST_PREFIX));
        let noise = gumbel(exponential.max(SMALLEST_EXPONENTIAL));
        (
            if prefix >= SMALLEST_PREFIX { noise - MARGIN } else { least(prefix, -4.0) },
            if exponential >= SMALLEST_EXPONENTIAL { noise + MARGIN } else { f64::INFINITY },
        )
    }

    fn enclose(exponential: Enclosure, _: bool) -> Enclosure {
        -exponential.ln()
    }

    fn interval(exponential: Interval, _: bool, precision: u32) -> Option<Interval> {
        exponential.lower().is_positive().then(|| -exponential.ln(precision))
    }
}

impl NoiseLaw for ExponentialNoise {
    const SIGNED: bool = false;

    #[inline]
    fn between(word: u64) -> (f64, f64) {
        const MARGIN: f64 = 2.0 * ERROR;
        let prefix = word >> 1;
        let noise = exponential(prefix.max(SMALLEST_PREFIX));
        (noise - MARGIN, if prefix >= SMALLEST_PREFIX { noise + MARGIN } else { f64::INFINITY })
    }

    fn enclose(exponential: Enclosure, _: bool) -> Enclosure {
        exponential
    }

    fn interval(exponential: Interval, _: bool, _: u32) -> Option<Interval> {
        Some(exponential)
    }
}

impl NoiseLaw for LaplaceNoise {
    const SIGNED: bool = true;

    #[inline]
    fn between(word: u64) -> (f64, f64) {
        let (near, far) = ExponentialNoise::between(word);
        // The far end is a lower one: E ≤ 63·ln 2 < 43.7 if U ≥ 2⁻⁶³.
        let lowest = if far < f64::INFINITY { -far } else { least(word >> 1, -44.0) };
        if word & 1 == 1 { (lowest, -near) } else { (near, far) }
    }

    fn enclose(exponential: Enclosure, negative: bool) -> Enclosure {
        if negative { -exponential } else { exponential }
    }

    fn interval(exponential: Interval, negative: bool, _: u32) -> Option<Interval> {
        Some(if negative { -exponential } else { exponential })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Bits;
    use crate::sample::race::noise::Noise;
    use proptest::prelude::*;

    /// The floats enclose what directed rounding encloses, and are no wider than they promise.
    fn assert_encloses<L: NoiseLaw>(word: u64, width: f64) {
        let ((lower, upper), noise) = (L::between(word), Noise::<L>::known(word).enclosure());
        assert!(lower <= noise.lo() && noise.hi() <= upper, "{word:#x}: [{lower}, {upper}], but {noise}");
        let prefix = word >> 1;
        if prefix >= SMALLEST_PREFIX && upper - lower < f64::INFINITY {
            assert!(
                upper - lower <= width && lower.abs().max(upper.abs()) < 24.0,
                "{word:#x}: {lower} {upper}"
            );
        } else {
            let rare = prefix < SMALLEST_PREFIX || word > u64::MAX - (1 << 41);
            assert!(rare, "{word:#x} goes the long way for no reason");
            // All that is said of these is that a leader stays one.
            assert!(prefix == 0 || lower > -45.0, "{word:#x}: {lower}");
            assert!(![-4.0, -44.0].contains(&lower) || noise.lo() - lower > 0.2, "{word:#x}: {lower}");
        }
    }

    fn assert_all_enclose(word: u64) {
        assert_encloses::<GumbelNoise>(word, 9.0 * GUMBEL_ERROR);
        assert_encloses::<ExponentialNoise>(word, 5.0 * ERROR);
        assert_encloses::<LaplaceNoise>(word, 5.0 * ERROR);
    }

    #[test]
    fn words_at_the_ends_of_the_floats_reach() {
        for edge in [0, 1 << 49, u64::MAX - (1 << 40), u64::MAX - (1 << 41), 1 << 63] {
            for offset in -3i64..=3 {
                assert_all_enclose(edge.saturating_add_signed(offset));
                assert_all_enclose(u64::wrapping_add_signed(edge, offset << 20));
            }
        }
        assert_all_enclose(u64::MAX);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5_000))]
        #[test]
        fn floats_enclose_the_noise(word in any::<u64>(), shift in 0u32..64, ones in any::<bool>()) {
            // Small U, and U close to one.
            let small = word >> shift;
            assert_all_enclose(if ones { !small } else { small });
        }

    }

    proptest! {
        #[test]
        fn the_sign_is_no_digit(word in any::<u64>(), seed in any::<u64>()) {
            let [this, other] = [word, word ^ 1].map(|word| {
                let mut rng = crate::rng::Insecure::seeded(seed);
                Noise::<LaplaceNoise>::known(word).interval(150, &mut Bits::new(&mut rng)).unwrap()
            });
            prop_assert_eq!(this, -other);
        }

        #[test]
        fn more_digits_stay_within_what_was_known(word in any::<u64>(), seed in any::<u64>()) {
            let mut rng = crate::rng::Insecure::seeded(seed);
            let mut bits = Bits::new(&mut rng);
            let mut noise = Noise::<GumbelNoise>::known(word);
            let before = noise.enclosure();
            let after = noise.interval(150, &mut bits).unwrap().enclosure();
            prop_assert!(before.lo() <= after.lo() && after.hi() <= before.hi(), "{} {}", before, after);
        }
    }
}
