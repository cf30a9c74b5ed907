//! How likely a key is kept.
//!
//! Let π(0) = 0 and π(n+1) = min(e^ε·π(n) + δ, 1 − e^−ε·(1 − π(n) − δ), 1): the largest
//! probability that (ε,δ) allows after π(n). In closed form, with the sum of δ's
//!
//! > f(n) = δ·(1 + e^ε + … + e^((n−1)ε)) = δ·(e^(nε) − 1)/(e^ε − 1):
//!
//! - The first argument of the minimum is the smaller one of the two while π(n) ≤ (1−δ)/(1+e^ε)
//!   (compare them). π rises, so that is so up to some n, and π = f up to n₁, the number after it.
//! - From then on 1 − π falls: 1 − π(n+1) = e^−ε·(1 − π(n) − δ), hence by induction
//!   1 − π(n₁+m) = e^(−mε)·(1 − f(n₁) − f(m)), until that is no longer positive, and π = 1.
//!
//! ε and δ are floats, taken as the reals that they denote, and π(n) is that real number: it is
//! enclosed to as many digits as a draw asks for, and never rounded. So the inequalities of
//! (ε,δ)-privacy hold for what is drawn as they hold on paper.
//!
//! **Comparisons end.** x = e^ε is transcendental (Lindemann; ε ≠ 0 is algebraic). That π(n), n ≥
//! 1, is the number where the minimum changes, or that f(n₁) + f(m) = 1, are equations between
//! polynomials in x with rational coefficients. The first is δ·(1 + … + x^(n−1))·(1 + x) = 1 − δ,
//! of degree n; the second has a positive degree unless n₁ = m = 1, where f(1) = δ is exact. So
//! enough digits decide all of them.

use std::cmp::Ordering;

use dashu_int::{IBig, UBig};
use dp_core::Error;
use dp_core::rounding::Enclosure;
use dp_core::search::smallest_integer;
use rand_core::Rng;

use crate::sample::{Bits, Cut, Dyadic, Interval, Uniform};

/// The largest number of people that a table has a place for.
const MOST: u64 = 1 << 20;

/// π, for one ε and one δ.
pub(super) struct Keep {
    epsilon: f64,
    delta: f64,
    /// n₁: up to here π = f.
    turn: u64,
    /// π(0), π(1), …, up to the first that is 1, each to 64 digits.
    table: Vec<Cut>,
}

impl Keep {
    /// # Errors
    /// [`Error::Unreachable`] where more than 2²⁰ people are not always enough.
    ///
    /// # Panics
    /// Unless 0 < ε ≤ 1000 and 0 < δ < 1.
    pub(super) fn new(epsilon: f64, delta: f64) -> Result<Self, Error> {
        assert!(0.0 < epsilon && epsilon <= 1000.0 && 0.0 < delta && delta < 1.0);
        let mut keep = Self { epsilon, delta, turn: 1, table: vec![] };
        let too_many = Error::Unreachable {
            request: "a selection of keys that takes more than 2^20 people to be sure of a key",
            instead: "allow a larger epsilon or delta, or declare the keys, which takes no delta",
        };
        // The least n ≥ 1 after which the second argument of the minimum is the smaller one.
        keep.turn = smallest_integer(1, MOST, |n| keep.turns_at(n)).ok_or(too_many.clone())?;
        let after = smallest_integer(1, MOST, |m| keep.is_certain(m)).ok_or(too_many)?;
        let uncertain = (1..keep.turn + after).map(|n| Cut::between(keep.enclosure(n)));
        keep.table = [Cut::NEVER].into_iter().chain(uncertain).chain([Cut::ALWAYS]).collect();
        Ok(keep)
    }

    pub(super) const fn epsilon(&self) -> f64 {
        self.epsilon
    }

    pub(super) const fn delta(&self) -> f64 {
        self.delta
    }

    /// The least n with π(n) = 1.
    pub(super) fn sure_from(&self) -> u64 {
        self.table.len() as u64 - 1
    }

    /// Encloses π(n).
    pub(super) fn probability(&self, people: u64) -> Enclosure {
        if people == 0 {
            Enclosure::ZERO
        } else if people >= self.sure_from() {
            Enclosure::ONE
        } else {
            self.enclosure(people)
        }
    }

    /// Whether a key of this many people is kept this time. The work does not depend on their
    /// number: one look into the table, one comparison of 64 digits, and more digits only where
    /// these do not suffice, which is one draw in 2⁴⁰ or fewer.
    pub(super) fn draw<R: Rng + ?Sized>(&self, people: u64, bits: &mut Bits<'_, R>) -> bool {
        let people = people.min(self.sure_from());
        let known = bits.portion();
        let prefix = bits.take(known);
        let cut = self.table[usize::try_from(people).expect("a table in memory")];
        cut.settled(prefix, known).unwrap_or_else(|| self.settle(people, prefix, known, bits))
    }

    #[cold]
    fn settle<R: Rng + ?Sized>(&self, people: u64, prefix: u64, known: u32, bits: &mut Bits<'_, R>) -> bool {
        Uniform::with_prefix(prefix, known).is_below(|digits| self.enclose(people, digits), bits)
    }

    /// Whether π(n) > (1−δ)/(1+e^ε), for n ≥ 1 with π(n) = f(n).
    fn turns_at(&self, n: u64) -> bool {
        decided(|precision| {
            let grown = self.grown(n, precision)?;
            let left = grown.plus(&grown.times(&self.power(1, precision), precision), precision);
            let right = &Interval::point(Dyadic::ONE) - &Interval::exactly(self.delta);
            left.compare(&right)
        }) == Ordering::Greater
    }

    /// Whether π(n₁+m) = 1, that is f(n₁) + f(m) ≥ 1.
    fn is_certain(&self, m: u64) -> bool {
        decided(|precision| {
            let sum = self.grown(self.turn, precision)?.plus(&self.grown(m, precision)?, precision);
            sum.compare(&Interval::point(Dyadic::ONE))
        }) != Ordering::Less
    }

    /// Encloses e^(nε).
    fn power(&self, n: u64, precision: u32) -> Interval {
        let n = Interval::point(Dyadic::new(IBig::from(n), 0));
        n.times(&Interval::exactly(self.epsilon), precision + 128).exp(precision)
    }

    /// Encloses f(n) for n ≥ 1; `None` where the precision does not tell e^ε from 1.
    fn grown(&self, n: u64, precision: u32) -> Option<Interval> {
        let delta = Interval::exactly(self.delta);
        if n == 1 {
            return Some(delta);
        }
        // A small ε loses as many digits of e^ε − 1 as it has zeros behind the point.
        let lost = (1 - Dyadic::from_finite(self.epsilon).floor_log2()).max(1);
        let finer = precision + u32::try_from(lost).expect("a float has at most 1075 zeros") + 8;
        let minus_one = Interval::point(-Dyadic::ONE);
        let [above, below] = [n, 1].map(|n| self.power(n, finer).plus(&minus_one, finer));
        Some(delta.times(&above.over(&below, finer)?, finer))
    }

    /// Integers lower ≤ π(n)·2^digits ≤ upper, a few units apart, for n ≥ 1 with π(n) < 1.
    fn enclose(&self, n: u64, digits: usize) -> (UBig, UBig) {
        let wanted = u32::try_from(digits).expect("digits in memory") + 8;
        let unit = -i64::try_from(digits).expect("digits in memory");
        let mut precision = wanted;
        loop {
            if let Some(found) = self.interval(n, precision) {
                let lower = found.lower().floor_multiple(unit);
                let upper = -(-found.upper().clone()).floor_multiple(unit);
                if &upper - &lower <= IBig::from(3) {
                    let natural = |x: IBig| UBig::try_from(x).unwrap_or(UBig::ZERO);
                    return (natural(lower), natural(upper));
                }
            }
            precision *= 2;
        }
    }

    /// Encloses π(n) to about as many digits, for n ≥ 1 with π(n) < 1.
    fn interval(&self, n: u64, precision: u32) -> Option<Interval> {
        if n <= self.turn {
            return self.grown(n, precision);
        }
        let (one, m) = (Interval::point(Dyadic::ONE), n - self.turn);
        let rest = &(&one - &self.grown(self.turn, precision)?) - &self.grown(m, precision)?;
        Some(&one - &rest.over(&self.power(m, precision), precision)?)
    }

    /// The same in floats.
    fn enclosure(&self, n: u64) -> Enclosure {
        if n <= self.turn {
            return self.grown_in_floats(n).probability();
        }
        let m = n - self.turn;
        let rest = Enclosure::ONE - self.grown_in_floats(self.turn) - self.grown_in_floats(m);
        let shrunk = (-(Enclosure::integer(m) * Enclosure::point(self.epsilon))).exp();
        (Enclosure::ONE - shrunk * rest.max(Enclosure::ZERO)).probability()
    }

    /// f(n) = δ·e^((n−1)ε)·(1 − e^(−nε))/(1 − e^−ε), n ≥ 1. The power may be too large for a float
    /// where the product with δ is not, so it comes as a square.
    fn grown_in_floats(&self, n: u64) -> Enclosure {
        let (delta, epsilon) = (Enclosure::point(self.delta), Enclosure::point(self.epsilon));
        if n == 1 {
            return delta;
        }
        let half = (Enclosure::integer(n - 1) * epsilon * Enclosure::point(0.5)).exp();
        let shares = (-(Enclosure::integer(n) * epsilon)).exp_m1() / (-epsilon).exp_m1();
        delta * half * half * shares
    }
}

/// What a comparison says as soon as there are enough digits.
fn decided(compare: impl Fn(u32) -> Option<Ordering>) -> Ordering {
    let mut precision = u64::BITS;
    loop {
        if let Some(ordering) = compare(precision) {
            return ordering;
        }
        precision *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Insecure;
    use crate::sample::replay::Law;
    use proptest::prelude::*;

    const DIGITS: u32 = 1600;

    /// π(0), …, π(last) by the recursion, to 1600 digits; `None` from the first that is 1.
    fn by_recursion(epsilon: f64, delta: f64, last: u64) -> Vec<Option<Interval>> {
        let one = Interval::point(Dyadic::ONE);
        let (delta, ratio) = (Interval::exactly(delta), Interval::exactly(epsilon).exp(DIGITS));
        let mut all = vec![Some(Interval::point(Dyadic::ZERO))];
        for _ in 0..last {
            let next = all.last().unwrap().as_ref().and_then(|before: &Interval| {
                let first = before.times(&ratio, DIGITS).plus(&delta, DIGITS);
                let rest = &(&one - before) - &delta;
                if rest.upper().is_negative() || rest.upper().is_zero() {
                    return None;
                }
                let second = &one - &rest.over(&ratio, DIGITS).unwrap();
                Some(if first.compare(&second).unwrap().is_lt() { first } else { second })
            });
            all.push(next);
        }
        all
    }

    fn meets(a: &Interval, b: &Interval) -> bool {
        a.lower() <= b.upper() && b.lower() <= a.upper()
    }

    fn agrees(epsilon: f64, delta: f64) {
        let keep = Keep::new(epsilon, delta).unwrap();
        let sure = keep.sure_from();
        let expected = by_recursion(epsilon, delta, sure + 2);
        for (n, expected) in (0..).zip(&expected) {
            assert_eq!(expected.is_none(), n >= sure, "{epsilon} {delta} {n} of {sure}");
            let Some(expected) = expected else { continue };
            let found = Interval::from(keep.probability(n));
            assert!(meets(&found, expected), "{epsilon} {delta} {n}");
            let width = keep.probability(n).relative_width();
            assert!(width < 1e-11, "{epsilon} {delta} {n}: {width}");
            if n > 0 {
                let (lower, upper) = keep.enclose(n, 200);
                let exact = Interval::new(Dyadic::new(lower.into(), -200), Dyadic::new(upper.into(), -200));
                assert!(meets(&exact, expected), "{epsilon} {delta} {n}");
                let fine = expected.upper() - expected.lower();
                assert!(fine < Dyadic::power_of_two(-250), "the reference has its digits");
            }
        }
    }

    #[test]
    fn the_closed_form_is_the_recursion() {
        for (epsilon, delta) in [
            (0.1, 1e-6),
            (1.0, 1e-6),
            (2f64.ln(), 0.1),
            (1.5f64.ln(), 0.1),
            (0.5, 0.02),
            (0.5, 0.9),
            (3.0, 0.5),
        ] {
            agrees(epsilon, delta);
        }
    }

    #[test]
    fn extreme_parameters_keep_their_digits() {
        for (epsilon, delta) in
            [(50.0, 1e-200), (1000.0, 1e-300), (1e-20, 0.02), (1e-300, 0.15), (1e-9, 1e-3)]
        {
            agrees(epsilon, delta);
        }
        assert!(Keep::new(1e-9, 1e-9).is_err() && Keep::new(1e-6, 1e-300).is_err());
        let half = Keep::new(7.0, 0.5).unwrap(); // f(1) + f(1) = 1 exactly
        assert_eq!((half.turn, half.sure_from()), (1, 2));
    }

    /// The exact law of a draw on short bit strings.
    #[test]
    fn a_draw_has_its_probability() {
        for (epsilon, delta) in [(2f64.ln(), 0.1), (0.5, 0.02), (1e-20, 0.15)] {
            let keep = Keep::new(epsilon, delta).unwrap();
            for n in 0..=keep.sure_from() + 1 {
                let law = Law::of(14, |bits| keep.draw(n, bits));
                let found = law.probability(&true);
                let expected = keep.probability(n);
                assert!(
                    found.lo() <= expected.hi() && expected.lo() <= found.hi(),
                    "{n}: {found} {expected}"
                );
                let least = if n == 0 || n >= keep.sure_from() { 0.0 } else { 1e-3 };
                assert!(law.open() <= least, "{n}: {}", law.open());
            }
        }
    }

    #[test]
    fn a_cell_that_holds_the_probability_is_settled_by_the_digits_that_follow() {
        let keep = Keep::new(0.5, 0.02).unwrap();
        // π(1) = δ is a float, and settled by its own digits.
        for (n, cut) in (0..).zip(&keep.table).skip(2).take(keep.table.len() - 3) {
            let prefix = u64::try_from(keep.enclose(n, 64).0).unwrap();
            assert_eq!(cut.settled(prefix, 64), None, "{n}");
            let mut after = [false; 2];
            for seed in 0..64 {
                let mut rng = Insecure::seeded(seed);
                after[usize::from(keep.settle(n, prefix, 64, &mut Bits::new(&mut rng)))] = true;
            }
            assert_eq!(after, [true; 2], "both sides are reached");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        /// All four inequalities of (ε,δ), and that no larger probability keeps them.
        #[test]
        fn neighbours_keep_the_promise_and_reach_it(epsilon in 0.02..4.0f64, log_delta in -20.0..-0.5f64) {
            const FEW: u32 = 400;
            let delta = log_delta.exp();
            let keep = Keep::new(epsilon, delta).unwrap();
            let sure = keep.sure_from();
            let pi = |n: u64| {
                if n == 0 { Interval::point(Dyadic::ZERO) }
                else if n >= sure { Interval::point(Dyadic::ONE) }
                else { keep.interval(n, FEW).unwrap() }
            };
            let (one, ratio) = (Interval::point(Dyadic::ONE), Interval::exactly(epsilon).exp(FEW));
            let room = Interval::exactly(delta);
            let tiny = Dyadic::power_of_two(-300);
            for n in 0..=sure {
                let (here, next) = (pi(n), pi(n + 1));
                let [away, gone] = [&here, &next].map(|p| &one - p);
                // room left in p ≤ e^ε·q + δ
                let slack = |p: &Interval, q: &Interval| &(&q.times(&ratio, FEW) + &room) - p;
                let slacks = [slack(&next, &here), slack(&here, &next), slack(&gone, &away), slack(&away, &gone)];
                let lowest = -tiny.clone();
                prop_assert!(slacks.iter().all(|slack| slack.upper() >= &lowest && slack.lower() >= &lowest));
                let reached = slacks.iter().any(|slack| slack.lower() <= &tiny);
                prop_assert!(reached || next == one, "{}", n);
            }
        }
    }
}
