//! The standard exponential law, from comparisons alone.

use dashu_int::UBig;
use rand_core::Rng;

use super::{Bits, Dyadic, Uniform};

/// A real from the law with density e^−t on t ≥ 0: a known whole part and a fraction whose digits can be
/// drawn forever.
///
/// Von Neumann's method (1951). It takes no logarithm and no float.
///
/// **Acceptance.** Let x be uniform on [0, 1) and draw fresh uniforms as long as they descend, each below the
/// one before it: x > U₂ > U₃ > …. Given x, the first n − 1 fresh ones lie below x and in descending order
/// with probability x^(n−1)/(n−1)!, so that is the probability that the run, x included, has a length N ≥ n.
/// Summing over odd lengths,
///
/// > Pr\[N odd | x\] = Σ_{n odd} (Pr\[N ≥ n\] − Pr\[N ≥ n+1\]) = 1 − x + x²/2! − x³/3! + … = e^−x.
///
/// Accept x when N is odd. An accepted x has density e^−x / (1 − 1/e) on [0, 1), and a round accepts with
/// probability ∫₀¹ e^−x dx = 1 − 1/e.
///
/// **Whole part.** Rounds are independent. Let G be the number of rejected rounds before the first accepted
/// one: Pr\[G = g\] = e^−g (1 − 1/e), independent of the accepted x. Hence G + x has density e^−g e^−x =
/// e^−(g+x) at g + x, which is the law.
///
/// **Digits.** Whether x is accepted is decided by the digits that the comparisons looked at. These stay
/// digits of x; the others are still fair and independent, whatever was decided. So the accepted real is
/// uniform *within its cell*: the shape e^−x is in how often each cell is accepted, and extending x by fair
/// bits continues the law exactly.
#[derive(Clone, Debug)]
pub(crate) struct Exponential {
    whole: u64,
    fraction: Uniform,
}

impl Exponential {
    /// Draws the whole part, and as many digits of the fraction as that takes.
    pub(crate) fn draw<R: Rng + ?Sized>(bits: &mut Bits<'_, R>) -> Self {
        let mut whole = 0;
        loop {
            let mut fraction = Uniform::unknown();
            if descent_is_odd(&mut fraction, bits) {
                return Self { whole, fraction };
            }
            whole += 1;
        }
    }

    /// Draws `count` more digits of the fraction.
    pub(crate) fn extend<R: Rng + ?Sized>(&mut self, count: u32, bits: &mut Bits<'_, R>) {
        self.fraction.extend(count, bits);
    }

    /// How many digits of the fraction are known: the cell is 2^−digits wide.
    pub(crate) const fn digits(&self) -> u32 {
        self.fraction.length()
    }

    /// The two ends of the cell in which the real is known to lie, lower end first.
    pub(crate) fn cell(&self) -> [Dyadic; 2] {
        let lower = (UBig::from(self.whole) << self.digits() as usize) + self.fraction.prefix();
        let upper = &lower + UBig::ONE;
        [lower, upper].map(|end| Dyadic::new(end.into(), -i64::from(self.digits())))
    }
}

/// Whether the run x > U₂ > U₃ > … of fresh uniforms, x included, has odd length: a coin of probability e^−x.
fn descent_is_odd<R: Rng + ?Sized>(x: &mut Uniform, bits: &mut Bits<'_, R>) -> bool {
    let mut last = Uniform::unknown();
    if !last.is_below(x, bits) {
        return true;
    }
    let mut odd = false;
    loop {
        let mut next = Uniform::unknown();
        if !next.is_below(&mut last, bits) {
            return odd;
        }
        last = next;
        odd = !odd;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Insecure;
    use crate::sample::replay::Law;
    use dp_core::rounding::Enclosure;

    /// The probability of [a, b) under the ideal law.
    fn ideal(a: f64, b: f64) -> Enclosure {
        let survival = |t: f64| Enclosure::point(-t).exp();
        survival(a) - survival(b)
    }

    fn assert_meets(found: Enclosure, truth: Enclosure, what: &str) {
        assert!(found.lo() <= truth.hi() && truth.lo() <= found.hi(), "{what}: {found}, but ideally {truth}");
    }

    #[test]
    fn a_round_accepts_with_probability_one_minus_one_over_e() {
        let law = Law::of(22, |bits| descent_is_odd(&mut Uniform::unknown(), bits));
        assert!(law.open() < 0.007, "{} of the mass is open", law.open()); // the bracket is that narrow
        assert_meets(law.probability(&true), ideal(0.0, 1.0), "accepted");
    }

    #[test]
    fn an_accepted_fraction_has_density_proportional_to_its_exponential() {
        // The digits that a round reveals do not show the whole law, so spread each cell evenly over the
        // sixteenths of [0, 1) that it meets. That is what extending it by fair bits does.
        let law = Law::of(20, |bits| {
            let mut fraction = Uniform::unknown();
            let accepted = descent_is_odd(&mut fraction, bits);
            (accepted, fraction.length(), fraction.prefix().clone())
        });
        for part in 0..16u8 {
            let (a, b) = (f64::from(part) / 16.0, f64::from(part + 1) / 16.0);
            let mut decided = 0.0;
            for ((accepted, length, prefix), mass) in law.decided() {
                let width = 0.5f64.powi(length.cast_signed());
                let low = f64::from(u32::try_from(prefix).unwrap()) * width;
                let shared = ((low + width).min(b) - low.max(a)).max(0.0) / width;
                decided += if *accepted { mass * shared } else { 0.0 };
            }
            let found = Enclosure::new(decided * (1.0 - 1e-12), decided + law.open());
            assert_meets(found, ideal(a, b), &format!("the part {part} of 16"));
            // The open mass is spread thinly over the parts, so what is decided shows the shape already.
            assert!(
                decided > 0.96 * ideal(a, b).lo(),
                "the part {part} of 16: {decided} is decided, {}",
                ideal(a, b)
            );
        }
    }

    #[test]
    fn whole_parts_are_geometric() {
        let law = Law::of(18, |bits| Exponential::draw(bits).whole);
        assert!(law.open() < 0.13, "{} of the mass is open", law.open());
        for whole in 0..5u32 {
            let (a, b) = (f64::from(whole), f64::from(whole + 1));
            assert_meets(law.probability(&whole.into()), ideal(a, b), &format!("the whole part {whole}"));
        }
    }

    #[test]
    fn extending_narrows_the_cell() {
        let mut rng = Insecure::seeded(3);
        let mut bits = Bits::new(&mut rng);
        let mut drawn = Exponential::draw(&mut bits);
        let [mut lower, mut upper] = drawn.cell();
        for count in [1, 7, 64, 200] {
            let digits = drawn.digits();
            drawn.extend(count, &mut bits);
            assert_eq!(drawn.digits(), digits + count);
            let [low, high] = drawn.cell();
            assert!(low >= lower && high <= upper);
            (lower, upper) = (low, high);
        }
    }
}
