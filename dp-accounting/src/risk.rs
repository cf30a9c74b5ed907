//! What a guarantee means for a person, for readers who do not know ε.
//!
//! All numbers are about one adversary, who knows everything but whether the data are one of two
//! neighbours or the other, such as with one person's record or without it, and sees what was
//! released. Write P and Q for the laws of the release on the two, p for the probability that the
//! adversary gave to the first one before, and δ(ε) for the profile of the guarantee.
//!
//! | question | at most | reached by |
//! |---|---|---|
//! | how much better than a coin is the best guess? ([`advantage`](Risk::advantage)) | δ(0), the total variation | the best test |
//! | how often is it right, with prior p ≤ ½? ([`guess`](Risk::guess)) | 1 − p + p·δ(ln((1−p)/p)) | the best test |
//! | how strongly may one believe after? ([`posterior`](Risk::posterior)) | e^ℓ·p/(1 − p + e^ℓ·p), ℓ the largest loss | the worst output |
//! | … except for a probability η of the outputs | ℓ the least of ε − ln(1 − δ(ε)/η) | |
//! | how many members does a test find that accuses a share α of the others? ([`detection`](Risk::detection)) | the least of e^ε·α + δ(ε) and 1 − e^−ε·(1 − α − δ(ε)) | the best test |
//!
//! **Proofs.** A test that says "first" on S is right with probability p·P(S) + (1−p)(1 − Q(S)) =
//! 1 − p + p·(P(S) − e^ε·Q(S)) for e^ε = (1−p)/p, and the supremum over S is δ(ε). At p = ½ it is
//! ½ + ½·δ(0). By Bayes, the posterior odds are the prior odds times e^L, L = ln P/Q of what was
//! seen. And for t > ε, δ(ε) = E_P(1 − e^(ε−L))₊ ≥ (1 − e^(ε−t))·P(L > t), so that
//! P(L > ℓ) ≤ η for ℓ = ε − ln(1 − δ(ε)/η), whatever ε is; under Q it is less likely still. A test
//! with Q(S) ≤ α has P(S) ≤ e^ε·Q(S) + δ(ε), and 1 − Q(S) ≤ e^ε·(1 − P(S)) + δ(ε), as the guarantee
//! holds in both directions. ∎

use core::fmt;

use dp_core::adjacency::Adjacency;
use dp_core::arguments::within;
use dp_core::rounding::Enclosure;
use dp_core::{Delta, Epsilon, Error, Guarantee};

use crate::composition::{Composition, DEFAULT_ACCURACY};
use crate::contour::Effort;
use crate::search::lowest_between;

/// What one point of the profile of a composition may take, in nanoseconds: most answers take many.
const EACH: f64 = 2e8;

/// What has a profile: a guarantee of any notion, and a [`Composition`].
///
/// # Contract
/// `delta_bound(ε)` is an upper bound on δ(ε) in both directions of all neighbours, and the loss is
/// at most `loss_bound()` with probability one.
pub trait Profiled {
    /// An upper bound on δ(ε).
    fn delta_bound(&self, epsilon: Epsilon) -> f64;

    /// An upper bound on the loss; infinite where there is none.
    fn loss_bound(&self) -> f64;

    /// An ε at which δ(ε) is at most `delta`: where a search for ε ends.
    fn epsilon_bound(&self, delta: Delta) -> f64;
}

impl<G: Guarantee> Profiled for G {
    fn delta_bound(&self, epsilon: Epsilon) -> f64 {
        self.delta_at(epsilon).get()
    }

    fn loss_bound(&self) -> f64 {
        self.epsilon_at(Delta::ZERO).get()
    }

    fn epsilon_bound(&self, delta: Delta) -> f64 {
        self.epsilon_at(delta).get()
    }
}

impl<A: Adjacency> Profiled for Composition<A> {
    fn delta_bound(&self, epsilon: Epsilon) -> f64 {
        self.delta_with(epsilon, DEFAULT_ACCURACY, &Effort::new(EACH)).hi()
    }

    fn loss_bound(&self) -> f64 {
        self.epsilon(Delta::ZERO).hi()
    }

    fn epsilon_bound(&self, delta: Delta) -> f64 {
        self.epsilon(delta).hi()
    }
}

/// What an adversary can gain from what a guarantee pays for. See [the module](self).
///
/// Every number is an upper bound, computed in enclosures and rounded up. It prints as sentences
/// for readers who do not know ε.
///
/// ```
/// use dp_accounting::risk::Risk;
/// use dp_core::Pure;
///
/// let one = Pure::new(1.0)?;
/// let risk = Risk::of(&one);
/// assert!((risk.advantage() - 0.462_117_157).abs() < 1e-9); // tanh ½
/// // A suspicion of one in a hundred becomes less than three.
/// assert!((risk.posterior(0.01, 0.0)? - 0.026_723_6).abs() < 1e-7);
/// println!("{risk}");
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Risk<'a, P> {
    of: &'a P,
}

impl<'a, P: Profiled> Risk<'a, P> {
    /// The risk of what has this guarantee.
    pub const fn of(guarantee: &'a P) -> Self {
        Self { of: guarantee }
    }

    /// δ(0): twice the amount by which the best guess beats a coin. It is 0 for a coin, and 1 for
    /// certainty.
    #[must_use]
    pub fn advantage(&self) -> f64 {
        self.of.delta_bound(Epsilon::ZERO)
    }

    /// The probability that the best guess is right, when the adversary gave the first of two
    /// neighbours the probability `prior` before the release. Without the release it is the larger
    /// of p and 1 − p.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < prior < 1.
    pub fn guess(&self, prior: f64) -> Result<f64, Error> {
        let p = Enclosure::point(probability("prior", prior)?);
        let rest = Enclosure::ONE - p;
        // The guarantee holds in both directions, so the less likely one may be the first.
        let (rare, common) = if prior <= 0.5 { (p, rest) } else { (rest, p) };
        let epsilon = Epsilon::saturating((common / rare).ln().lo().max(0.0));
        let gained = rare * Enclosure::point(self.of.delta_bound(epsilon));
        Ok((common + gained).probability().hi())
    }

    /// The factor e^ℓ by which a release multiplies the odds of any suspicion at most, except with
    /// probability `except`, which may be 0. It is infinite where nothing is guaranteed.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 ≤ except < 1.
    pub fn odds(&self, except: f64) -> Result<f64, Error> {
        Ok(self.loss(except)?.exp().hi())
    }

    /// The largest probability that an adversary may give to the first of two neighbours after the
    /// release, when it was `prior` before, except with probability `except`, which may be 0.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < prior < 1 and 0 ≤ except < 1.
    pub fn posterior(&self, prior: f64, except: f64) -> Result<f64, Error> {
        let (p, loss) = (Enclosure::point(probability("prior", prior)?), self.loss(except)?);
        // p/(p + (1−p)·e^−ℓ) does not overflow.
        Ok((p / (p + (Enclosure::ONE - p) * (-loss).exp())).probability().hi())
    }

    /// The share of the members that the best test of membership finds, when it accuses a share
    /// `false_alarms` of the others.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 ≤ false_alarms ≤ 1.
    pub fn detection(&self, false_alarms: f64) -> Result<f64, Error> {
        let is_share = (0.0..=1.0).contains(&false_alarms);
        let level = Enclosure::point(within("the share of false alarms", "[0, 1]", false_alarms, is_share)?);
        let low = |epsilon: f64| {
            let delta = Enclosure::point(self.of.delta_bound(Epsilon::saturating(epsilon)));
            (Enclosure::point(epsilon).exp() * level + delta).hi()
        };
        let high = |epsilon: f64| {
            let delta = Enclosure::point(self.of.delta_bound(Epsilon::saturating(epsilon)));
            let missed = (-Enclosure::point(epsilon)).exp() * (Enclosure::ONE - level - delta);
            (Enclosure::ONE - missed).hi()
        };
        Ok(self.least(low).min(self.least(high)).clamp(false_alarms, 1.0))
    }

    /// ℓ: what the loss passes with probability `except` at most.
    fn loss(&self, except: f64) -> Result<Enclosure, Error> {
        let except = within("except", "[0, 1)", except, (0.0..1.0).contains(&except))?;
        let always = self.of.loss_bound();
        if except == 0.0 {
            return Ok(Enclosure::point(always));
        }
        let at = |epsilon: f64| {
            let share = Enclosure::point(self.of.delta_bound(Epsilon::saturating(epsilon)))
                / Enclosure::point(except);
            if share.hi() < 1.0 {
                (Enclosure::point(epsilon) - (-Enclosure::point(share.hi())).ln_1p()).hi()
            } else {
                f64::INFINITY
            }
        };
        Ok(Enclosure::point(self.least(at).min(always).max(0.0)))
    }

    /// The least value that was found of a bound that holds at every ε, which falls and then rises.
    fn least(&self, bound: impl Fn(f64) -> f64) -> f64 {
        // At the last, δ matters to none of the bounds, unless it is never that small.
        let ends = [1e-2, 1e-4, 1e-9, 1e-15].map(|delta| self.of.epsilon_bound(Delta::saturating(delta)));
        let reach = ends.into_iter().filter(|end| *end < 700.0).fold(0.0, f64::max);
        let (found, least) = lowest_between(&bound, [0.0, reach + 1.0], 1e-4);
        // Where the profile jumps or has a corner, that is where the least value lies: at the ε
        // that belongs to the δ that was found, or at an end.
        let corner =
            self.of.epsilon_bound(Delta::saturating(self.of.delta_bound(Epsilon::saturating(found))));
        let corners = [0.0, corner, self.of.loss_bound()].into_iter().chain(ends);
        corners.filter(|corner| corner.is_finite()).map(bound).fold(least, f64::min)
    }
}

fn probability(argument: &'static str, value: f64) -> Result<f64, Error> {
    within(argument, "(0, 1)", value, value > 0.0 && value < 1.0)
}

/// For readers who do not know ε. Probabilities are rounded up to a tenth of a percent.
///
/// It speaks of records, because a guarantee does: of a person who has several records it says what
/// [`for_group`](Guarantee::for_group) says. Nor does a guarantee know its relation. Under
/// replace-one the number of records is public, and whether there is a record too few is no secret.
impl<P: Profiled> fmt::Display for Risk<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const RARE: f64 = 1e-3;
        let certain = self.of.loss_bound().is_finite();
        let except = if certain { 0.0 } else { RARE };
        let (Ok(guess), Ok(found)) = (self.guess(0.5), self.detection(0.01)) else { return Err(fmt::Error) };
        write!(
            f,
            "Somebody who sees what was released, and knows everything about the data but one record (whether it is \
             there, or under replace-one which of two it is), guesses right with a probability of at most {}; a coin \
             toss does with 50 %. ",
            Percent(guess)
        )?;
        f.write_str("A suspicion of ")?;
        for (place, prior) in [0.01, 0.1, 0.5].into_iter().enumerate() {
            let after = self.posterior(prior, except).map_err(|_| fmt::Error)?;
            let before = ["", ", of ", " and of "].get(place).unwrap_or(&"");
            write!(f, "{before}{} becomes at most {}", Percent(prior), Percent(after))?;
        }
        f.write_str(if certain { ". " } else { ", except in one release of a thousand. " })?;
        write!(
            f,
            "A test that wrongly accuses 1 in 100 finds at most {} of those whom it should.",
            Percent(found)
        )
    }
}

/// A probability in percent with one digit, rounded up.
struct Percent(f64);

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The last digits of a float are not shown: 0.1 + 2⁻⁵⁶ is ten percent.
        let tenths = (self.0 * 1000.0 - 1e-11).ceil().clamp(0.0, 1000.0);
        write!(f, "{} %", tenths / 10.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_core::pairs::{DominatingPair, FinitePair, GaussianPair, RandomizedResponsePair};
    use dp_core::{AddRemove, Approx, Gdp, Mu, Pure, Rdp, Relax, Zcdp};
    use proptest::prelude::*;

    /// All that the best adversary does on two finite laws, by listing every test.
    struct Brute {
        p: Vec<f64>,
        q: Vec<f64>,
    }

    impl Brute {
        fn tests(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
            (0..1u32 << self.p.len()).map(move |set| {
                let of = |law: &[f64]| {
                    law.iter().enumerate().filter(|(k, _)| set >> k & 1 == 1).map(|(_, x)| x).sum::<f64>()
                };
                (of(&self.p), of(&self.q))
            })
        }

        fn guess(&self, prior: f64) -> f64 {
            self.tests().map(|(p, q)| prior * p + (1.0 - prior) * (1.0 - q)).fold(0.0, f64::max)
        }

        /// The best randomised test: on the upper hull of all pairs.
        fn detection(&self, level: f64) -> f64 {
            let all: Vec<_> = self.tests().collect();
            let mut best = 0.0f64;
            for (p, q) in &all {
                if *q <= level {
                    best = best.max(*p);
                }
                for (other_p, other_q) in all.iter().filter(|(_, other)| *q <= level && *other > level) {
                    best = best.max(p + (other_p - p) * (level - q) / (other_q - q));
                }
            }
            best
        }

        /// The least posterior that is passed with probability `except` at most.
        fn posterior(&self, prior: f64, except: f64) -> f64 {
            let mut outcomes: Vec<(f64, f64)> = self
                .p
                .iter()
                .zip(&self.q)
                .filter(|(p, _)| **p > 0.0)
                .map(|(p, q)| (prior * p / (prior * p + (1.0 - prior) * q), *p))
                .collect();
            outcomes.sort_by(|a, b| b.0.total_cmp(&a.0));
            let mut passed = 0.0;
            for (posterior, mass) in outcomes {
                passed += mass;
                if passed > except {
                    return posterior;
                }
            }
            0.0
        }
    }

    /// Laws of k outcomes that differ by ε at most but for δ: the worst pair, cut into pieces.
    fn worst(epsilon: f64, delta: f64) -> Brute {
        let (t, keep) = ((-epsilon).exp(), 1.0 - delta);
        let (likely, rare) = (keep / (1.0 + t), keep * t / (1.0 + t));
        Brute { p: vec![delta, likely, rare, 0.0], q: vec![0.0, rare, likely, delta] }
    }

    #[test]
    fn closed_forms_of_pure_privacy() {
        for epsilon in [0.1, 1.0, 3.0] {
            let guarantee = Pure::new(epsilon).unwrap();
            let risk = Risk::of(&guarantee);
            assert!((risk.advantage() - (epsilon / 2.0).tanh()).abs() < 1e-12);
            for prior in [0.01, 0.3, 0.5, 0.9] {
                let e = epsilon.exp();
                let truth = e * prior / (1.0 - prior + e * prior);
                let found = risk.posterior(prior, 0.0).unwrap();
                assert!(found >= truth * (1.0 - 1e-15) && found < truth * (1.0 + 1e-12), "{found} {truth}");
            }
            assert!((risk.odds(0.0).unwrap() - epsilon.exp()).abs() < 1e-12 * epsilon.exp());
        }
    }

    #[test]
    fn the_worst_pair_reaches_the_bounds_of_its_guarantee() {
        for (epsilon, delta) in [(1.0, 0.0), (0.5, 0.01), (2.0, 1e-4), (0.0, 0.1)] {
            let (brute, guarantee) = (
                worst(epsilon, delta),
                Approx::from_parts(Epsilon::new(epsilon).unwrap(), Delta::new(delta).unwrap()),
            );
            let risk = Risk::of(&guarantee);
            for prior in [0.001, 0.1, 0.5, 0.7] {
                let (found, truth) = (risk.guess(prior).unwrap(), brute.guess(prior));
                assert!(found >= truth - 1e-12 && found < truth + 1e-9, "guess {found} {truth}");
            }
            for level in [0.0, 0.01, 0.3, 0.9, 1.0] {
                let (found, truth) = (risk.detection(level).unwrap(), brute.detection(level));
                assert!(found >= truth - 1e-12 && found < truth + 1e-3, "level {level}: {found} {truth}");
            }
            // With more than δ to spare the loss is hardly above ε.
            for except in [0.2, 0.5] {
                let (found, truth) = (risk.posterior(0.1, except).unwrap(), brute.posterior(0.1, except));
                assert!(found >= truth - 1e-12, "posterior {found} {truth}");
            }
            if delta > 0.0 {
                assert_eq!(risk.posterior(0.1, delta / 2.0).unwrap(), 1.0);
                let found = risk.odds(100.0 * delta.min(1e-3)).unwrap();
                assert!(delta > 1e-3 || found <= epsilon.exp() / 0.99 * (1.0 + 1e-9), "{found}");
            }
        }
    }

    /// Two finite laws, in both directions.
    struct Both(FinitePair);

    impl Both {
        fn larger(&self, of: impl Fn(&FinitePair) -> f64) -> f64 {
            of(&self.0).max(of(&self.0.reversed()))
        }
    }

    impl Profiled for Both {
        fn delta_bound(&self, epsilon: Epsilon) -> f64 {
            self.larger(|pair| pair.delta(epsilon.get()).hi())
        }

        fn loss_bound(&self) -> f64 {
            self.larger(DominatingPair::max_loss)
        }

        fn epsilon_bound(&self, delta: Delta) -> f64 {
            self.larger(|pair| pair.epsilon(delta).get())
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn no_adversary_on_finite_laws_gains_more(
            weights in prop::collection::vec((0u8..20, 0u8..20), 2..6), prior in 0.01..0.99f64, level in 0.0..1.0f64, except in 0.0..0.5f64,
        ) {
            let [p, q] = [0, 1].map(|side| weights.iter().map(|w| f64::from(if side == 0 { w.0 } else { w.1 })).collect::<Vec<f64>>());
            if let Ok(pair) = FinitePair::new(&p, &q) {
                let normal = |law: &[f64]| law.iter().map(|x| x / law.iter().sum::<f64>()).collect::<Vec<f64>>();
                let brute = Brute { p: normal(&p), q: normal(&q) };
                let both = Both(pair);
                let risk = Risk::of(&both);
                prop_assert!(risk.guess(prior).unwrap() >= brute.guess(prior) - 1e-9);
                prop_assert!(risk.detection(level).unwrap() >= brute.detection(level) - 1e-9);
                prop_assert!(risk.posterior(prior, except).unwrap() >= brute.posterior(prior, except) - 1e-9);
            }
        }
    }

    #[test]
    fn gaussian_detection_is_the_trade_off() {
        let gdp = Gdp::new(1.0).unwrap();
        let composition = Composition::<AddRemove>::new().with(GaussianPair::new(Mu::new(0.5).unwrap()), 4);
        for level in [0.01, 0.05, 0.5] {
            let curve = 1.0 - composition.trade_off(level).lo();
            for found in
                [Risk::of(&gdp).detection(level).unwrap(), Risk::of(&composition).detection(level).unwrap()]
            {
                assert!((found - curve).abs() < 1e-3, "{found} {curve}");
            }
        }
        // Φ(Φ⁻¹(0.01) + 1) = 0.092 375 9…, from below and hardly above.
        let found = Risk::of(&gdp).detection(0.01).unwrap();
        assert!((0.092_361_7..0.092_4).contains(&found), "{found}");
    }

    #[test]
    fn weaker_notions_say_more_risk() {
        let pure = Pure::new(0.5).unwrap();
        let (zcdp, rdp): (Zcdp, Rdp) = (pure.relaxed(), pure.relaxed());
        let least = Risk::of(&pure).advantage();
        for more in [Risk::of(&zcdp).advantage(), Risk::of(&rdp).advantage()] {
            assert!(more >= least && more <= 1.0, "{more} {least}");
        }
        assert!(Risk::of(&zcdp).posterior(0.1, 1e-3).unwrap() < 1.0);
        let response = RandomizedResponsePair::binary(Epsilon::new(0.5).unwrap());
        assert!((response.delta(0.0).hi() - least).abs() < 1e-12);
    }

    #[test]
    fn nothing_and_everything() {
        let nothing = Pure::perfect();
        let risk = Risk::of(&nothing);
        assert_eq!((risk.advantage(), risk.guess(0.5).unwrap(), risk.odds(0.0).unwrap()), (0.0, 0.5, 1.0));
        assert!((risk.detection(0.3).unwrap() - 0.3).abs() < 1e-12);
        let all = Pure::from(Epsilon::INFINITE);
        let risk = Risk::of(&all);
        assert_eq!(
            (risk.advantage(), risk.guess(0.1).unwrap(), risk.posterior(0.1, 0.01).unwrap()),
            (1.0, 1.0, 1.0)
        );
        assert_eq!(risk.detection(0.01).unwrap(), 1.0);
        for bad in [0.0, 1.0, f64::NAN, -1.0] {
            assert!(risk.guess(bad).is_err() && risk.posterior(bad, 0.1).is_err(), "{bad}");
        }
        assert!(risk.odds(1.0).is_err() && risk.odds(f64::NAN).is_err() && risk.detection(1.1).is_err());
    }

    #[test]
    fn it_is_said_in_words() {
        let pure = Pure::new(1.0).unwrap();
        let said = Risk::of(&pure).to_string();
        for part in [
            "at most 73.2 %; a coin toss does with 50 %",
            "A suspicion of 1 % becomes at most 2.7 %, of 10 % becomes at most 23.2 % and of 50 % becomes at most 73.2 %.",
            "at most 2.8 % of those whom it should",
        ] {
            assert!(said.contains(part), "{said}");
        }
        let approx = Approx::new(1.0, 1e-6).unwrap();
        assert!(Risk::of(&approx).to_string().contains("except in one release of a thousand"));
    }
}
