//! Events of an exactly given probability.
//!
//! With U uniform on [0, 1), the event U < p has probability p for every real p in [0, 1]. U is
//! known [digit by digit](super::Uniform), and p to as many digits as one likes:
//! lower ≤ p·2ⁿ ≤ upper for whole numbers that are at most a few units apart. As soon as the cell
//! of U lies on one side of these bounds the event is decided, whatever digits follow. Both shrink
//! with n, so only the U that agree with p in all digits are never decided: that has probability
//! zero, and the k-th further digit is needed with a probability of a few 2^−k.
//!
//! The first 64 digits are compared with bounds that were computed once, in floats with directed
//! rounding where p is not a quotient. They leave about one draw in 2⁵⁰ to the integers.

use dashu_int::UBig;
use dashu_int::ops::BitTest;
use dp_core::Error;
use dp_core::rounding::Enclosure;
use rand_core::Rng;

use crate::arguments::within;

use super::exponential_function::exp_neg_of;
use super::{Bits, Cut, Dyadic, Ratio, Uniform};

/// An event whose probability is exactly the real number that was asked for.
///
/// ```
/// use dp_mechanisms::{rng::OsSeeded, sample::Bernoulli};
///
/// let mut rng = OsSeeded::new()?;
/// let third = Bernoulli::ratio(1, 3)?;          // no float is one third
/// // 3602879701896397 / 2⁵⁵, which is what the float denotes.
/// let tenth = Bernoulli::new(0.1)?;
/// let decay = Bernoulli::exp_neg(1.0)?;         // 1/e
/// let heads = (0..300).filter(|_| third.draw(&mut rng)).count();
/// assert!((20..=180).contains(&heads));
/// # let _ = (tenth.draw(&mut rng), decay.draw(&mut rng));
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Bernoulli {
    probability: Probability,
    cut: Cut,
}

/// A probability as a formula, from which any number of digits can be computed.
#[derive(Clone, Debug)]
enum Probability {
    /// a/b ≤ 1.
    Ratio(Ratio),
    /// e^−x, x > 0.
    ExpNeg(Ratio),
    /// 1 / (1 + m·e^−x), x > 0.
    Truth { others: u64, x: Ratio },
}

impl Bernoulli {
    /// An event of the probability that a float denotes.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless it lies in [0, 1].
    pub fn new(p: f64) -> Result<Self, Error> {
        Ok(Self::of_ratio(Ratio::probability(p)?))
    }

    /// An event of probability numerator / denominator.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless that lies in [0, 1].
    pub fn ratio(numerator: u64, denominator: u64) -> Result<Self, Error> {
        Ok(Self::of_ratio(Ratio::of_whole(numerator, denominator)?))
    }

    /// An event of probability e^−x.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 ≤ x < ∞.
    pub fn exp_neg(x: f64) -> Result<Self, Error> {
        within("x", "[0, ∞)", x, (0.0..f64::INFINITY).contains(&x))?;
        Ok(Self::exp_neg_ratio(Ratio::new(Dyadic::from_finite(x), Dyadic::from_finite(1.0))))
    }

    /// An event of probability e^−x, for an exact quotient x.
    pub(crate) fn exp_neg_ratio(x: Ratio) -> Self {
        if x.is_zero() {
            return Self::certain();
        }
        let enclosed = (-x.enclosure()).exp();
        Self::between(enclosed, Probability::ExpNeg(x))
    }

    /// An event of probability e^x / (e^x + m) = 1 / (1 + m·e^−x), for an exact quotient x: the
    /// truth against m other answers.
    pub(crate) fn truth(x: Ratio, others: u64) -> Self {
        if x.is_zero() {
            // 1 / (1 + m), with a denominator that may need 65 bits
            let total = Dyadic::new(u128::from(others).into(), 0);
            let one = Dyadic::from_finite(1.0);
            return Self::of_ratio(Ratio::new(one.clone(), &total + &one));
        }
        #[allow(clippy::cast_precision_loss)] // one step to each side covers what it loses
        let m = others as f64;
        let m = Enclosure::new(m.next_down().max(0.0), m.next_up());
        let enclosed = Enclosure::ONE / (Enclosure::ONE + m * (-x.enclosure()).exp());
        Self::between(enclosed, Probability::Truth { others, x })
    }

    /// What always happens.
    fn certain() -> Self {
        Self::of_ratio(Ratio::new(Dyadic::from_finite(1.0), Dyadic::from_finite(1.0)))
    }

    fn of_ratio(ratio: Ratio) -> Self {
        let (lower, upper) = ratio.enclose(64);
        let [certain, possible] =
            [lower, upper].map(|end| u128::try_from(end).expect("a probability is at most 2⁶⁴ · 2⁻⁶⁴"));
        Self { probability: Probability::Ratio(ratio), cut: Cut { certain, possible } }
    }

    /// Bounds on the first 64 digits from bounds in floats.
    fn between(enclosed: Enclosure, probability: Probability) -> Self {
        Self { probability, cut: Cut::between(enclosed) }
    }

    /// Whether the event happens this time.
    pub fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> bool {
        self.draw_from(&mut Bits::new(rng))
    }

    /// [`draw`](Self::draw), from bits.
    pub(crate) fn draw_from<R: Rng + ?Sized>(&self, bits: &mut Bits<'_, R>) -> bool {
        let known = bits.portion();
        let prefix = bits.take(known);
        self.cut
            .settled(prefix, known)
            .unwrap_or_else(|| self.settle(Uniform::with_prefix(prefix, known), bits))
    }

    /// The outcome, with as many digits as needed.
    #[cold]
    fn settle<R: Rng + ?Sized>(&self, mut uniform: Uniform, bits: &mut Bits<'_, R>) -> bool {
        uniform.is_below(|digits| self.probability.enclose(digits), bits)
    }
}

impl Probability {
    /// Integers lower ≤ p·2^digits ≤ upper, at most a few units apart.
    fn enclose(&self, digits: usize) -> (UBig, UBig) {
        match self {
            Self::Ratio(ratio) => ratio.enclose(digits),
            Self::ExpNeg(x) => exp_neg_of(x, digits),
            Self::Truth { others, x } => {
                // An error of e^−x moves 1/(1 + m·e^−x) by at most m times as much: as many digits
                // more as m has, and the few units are divided by 2⁸.
                let finer = digits + UBig::from(*others).bit_len() + 8;
                let (lower, upper) = exp_neg_of(x, finer);
                let (numerator, one) = (UBig::ONE << (digits + finer), UBig::ONE << finer);
                let least = &numerator / (&one + upper * *others);
                let most = numerator / (one + lower * *others) + UBig::ONE;
                (least, most)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Insecure;
    use crate::sample::replay::Law;
    use proptest::prelude::*;

    fn float(x: f64) -> Ratio {
        Ratio::new(Dyadic::from_finite(x), Dyadic::from_finite(1.0))
    }

    /// The decided and the open mass of an event, from all strings of 16 bits.
    fn law(event: &Bernoulli) -> (Enclosure, f64) {
        let law = Law::of(16, |bits| event.draw_from(bits));
        let slowly = Law::of(12, |bits| event.settle(Uniform::unknown(), bits)).probability(&true);
        let found = law.probability(&true);
        assert!(slowly.lo() <= found.lo() && found.hi() <= slowly.hi(), "{slowly} {found}");
        (found, law.open())
    }

    #[test]
    fn quotients_have_their_probability_to_the_last_bit() {
        // Sixteenths and the like are closed; one third is ⌊2¹⁶/3⌋ strings and one that is open.
        for (a, b) in [(0u32, 5u32), (1, 1), (3, 8), (1, 65_536), (65_535, 65_536)] {
            let (found, open) = law(&Bernoulli::ratio(a.into(), b.into()).unwrap());
            assert_eq!((found, open), (Enclosure::point(f64::from(a) / f64::from(b)), 0.0), "{a}/{b}");
        }
        for (a, b) in [(1, 3), (2, 7), (999, 1000), (1, u64::MAX), (u64::MAX - 1, u64::MAX)] {
            let (found, open) = law(&Bernoulli::ratio(a, b).unwrap());
            let strings = u32::try_from((u128::from(a) << 16) / u128::from(b)).unwrap();
            assert_eq!((found.lo(), open), (f64::from(strings) / 65_536.0, 1.0 / 65_536.0), "{a}/{b}");
        }
        let (found, open) = law(&Bernoulli::new(0.1).unwrap());
        assert_eq!((found.lo(), open), (6553.0 / 65_536.0, 1.0 / 65_536.0));
    }

    #[test]
    fn exponentials_are_bracketed() {
        let meets = |a: Enclosure, b: Enclosure| a.lo() <= b.hi() && b.lo() <= a.hi();
        for x in [1e-300, 1e-5, 0.5, 1.0, 5.0, 40.0] {
            let odds = Enclosure::point(-x).exp();
            let (found, open) = law(&Bernoulli::exp_neg(x).unwrap());
            assert!(meets(found, odds) && open < 1e-3, "{x}: {found}, {odds}");
            for others in [1u8, 2, 9] {
                let (found, open) = law(&Bernoulli::truth(float(x), others.into()));
                let truth = Enclosure::ONE / (Enclosure::ONE + odds * Enclosure::point(others.into()));
                assert!(meets(found, truth) && open < 1e-3, "{x} {others}: {found}, {truth}");
            }
        }
        assert_eq!(law(&Bernoulli::exp_neg(0.0).unwrap()), (Enclosure::ONE, 0.0));
        assert_eq!(law(&Bernoulli::truth(float(0.0), 3)), (Enclosure::point(0.25), 0.0));
        assert_eq!(law(&Bernoulli::truth(float(0.0), u64::MAX)).0.lo(), 0.0);
        assert_eq!(law(&Bernoulli::truth(float(1.0), 0)).0.hi(), 1.0);
    }

    #[test]
    fn parameters_are_checked() {
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(Bernoulli::exp_neg(bad).is_err() && Bernoulli::new(bad).is_err());
        }
        assert!(Bernoulli::ratio(1, 0).is_err());
    }

    #[test]
    fn certain_and_impossible_events() {
        let mut rng = Insecure::seeded(3);
        let hopeless = Bernoulli::exp_neg(f64::MAX).unwrap();
        assert_eq!((hopeless.cut.certain, hopeless.cut.possible), (0, 1));
        assert!(!hopeless.settle(Uniform::with_prefix(0, 64), &mut Bits::new(&mut rng)));
        let (always, never) = (Bernoulli::new(1.0).unwrap(), Bernoulli::new(0.0).unwrap());
        assert!((0..100).all(|_| always.draw(&mut rng) && !never.draw(&mut rng)));
        for word in [0, u64::MAX] {
            assert_eq!(
                (always.cut.settled(word, 64), never.cut.settled(word, 64)),
                (Some(true), Some(false))
            );
        }
    }

    #[test]
    fn a_cell_that_holds_the_probability_is_settled_by_the_digits_that_follow() {
        // ⌊2⁶⁴/e⌋ and ⌊2⁶⁴/3⌋
        let cases = [
            (Bernoulli::exp_neg(1.0).unwrap(), 6_786_177_901_268_885_274u64),
            (Bernoulli::ratio(1, 3).unwrap(), u64::MAX / 3),
        ];
        for (event, prefix) in cases {
            assert_eq!(event.cut.settled(prefix, 64), None);
            let mut after = [false; 2];
            for seed in 0..64 {
                let mut rng = Insecure::seeded(seed);
                let outcome = event.settle(Uniform::with_prefix(prefix, 64), &mut Bits::new(&mut rng));
                after[usize::from(outcome)] = true;
            }
            assert_eq!(after, [true; 2], "both sides are reached");
        }
    }

    proptest! {
        #[test]
        fn what_the_first_digits_settle_all_digits_settle_alike(
            x in prop_oneof![0.0..3.0f64, 0.0..50.0f64, Just(1e-17)], others in prop_oneof![0u64..9, Just(u64::MAX)],
            offset in -(1i64 << 14)..1 << 14, seed in any::<u64>(),
        ) {
            for event in [Bernoulli::exp_neg(x).unwrap(), Bernoulli::truth(float(x), others), Bernoulli::new(x.min(1.0)).unwrap()] {
                // A word near the bounds.
                let middle = u64::try_from(event.cut.certain.min(u64::MAX.into())).unwrap();
                let word = middle.saturating_add_signed(offset);
                let exact = event.settle(Uniform::with_prefix(word, 64), &mut Bits::new(&mut Insecure::seeded(seed)));
                if let Some(fast) = event.cut.settled(word, 64) {
                    prop_assert_eq!(fast, exact);
                }
                prop_assert!(event.cut.possible <= 1 << 64 && event.cut.possible - event.cut.certain < 1 << 15);
            }
        }

        #[test]
        fn more_digits_narrow_the_bounds(x in 1e-3..30.0f64, others in 0u64..1000, digits in 1usize..100) {
            let p = Probability::Truth { others, x: float(x) };
            let (lower, upper) = p.enclose(digits);
            let (finer_lower, finer_upper) = p.enclose(digits + 64);
            prop_assert!(&lower << 64 <= finer_upper && finer_lower <= &upper << 64);
            prop_assert!(upper - lower <= UBig::from(3u8));
        }
    }
}
