//! The exact release of values that do not change when a few records do.

use dp_core::rounding::Enclosure;
use dp_core::{Adjacency, Approx, Error, Measurement};
use rand_core::Rng;

use crate::Outcome;
use crate::stability::distance_test::DistanceTest;

/// A function of the data, of any type, with a number of records that can change without changing
/// its value.
///
/// # Contract
/// [`find`](Self::find) gives each data set x a value and a distance d(x); no value at all counts
/// as a value of its own with distance 0. For all neighbours x and y:
/// - d(x) and d(y) differ by one at most;
/// - if the values of x and y differ, then d(x) = d(y) = 0.
///
/// With D(x) the least number of steps to data with another value, d = D − 1 is the largest such
/// distance. Errors depend on public facts only.
pub trait Stable {
    /// The data, usually a slice of records.
    type Data: ?Sized;
    /// What is to be released.
    type Value;
    /// The neighbour relation.
    type Adjacency: Adjacency;

    /// The value and its distance to instability, or `None` where no value stands out. Not private.
    ///
    /// # Errors
    /// When the data do not have the public shape that was declared.
    fn find(&self, data: &Self::Data) -> Result<Option<(Self::Value, u64)>, Error>;
}

/// Releases a value *exactly*, without noise, if many records must change before the value does (if
/// the "distance to instability" is large, claim S15).
///
/// **What is released.** The value if d(x) + N > T, and [`Refused`](Outcome::Refused) otherwise, or
/// if there is no value. N is discrete Laplace noise of scale 1/ε, and T the least whole number
/// with Pr(N > T) ≤ δ.
///
/// **Theorem.** This is (ε, δ)-private.
///
/// *Proof.* Let x and y be neighbours. If they have the same value, what is released is a function
/// of that value and of the test, which is ε-private because d moves by one at most. If their
/// values differ, then d(x) = d(y) = 0, and x passes with a probability p ≤ δ, as does y. So x is
/// refused with probability 1, or with 1 − p, and the same holds of y: for all sets S of outcomes
/// Pr(M(x) ∈ S) ≤ p + (1 − p)·1(Refused ∈ S) ≤ δ + Pr(M(y) ∈ S) if x has a value, and
/// 1(Refused ∈ S) ≤ p + Pr(M(y) ∈ S) if it has none. ∎
///
/// There is no price for the number of candidates, and they need not be known: where one stands out
/// by some ln(1/δ)/ε records, this beats the exponential mechanism. Where none does, it refuses.
///
/// ```
/// use dp_core::{Approx, Measurement};
/// use dp_mechanisms::rng::OsSeeded;
/// use dp_sensitivity::{Mode, Outcome, StableRelease};
///
/// let votes: Vec<&str> = [vec!["red"; 90], vec!["blue"; 40]].concat();
/// let winner = StableRelease::new(Mode::votes(|vote: &&'static str| Some(*vote)), Approx::new(1.0, 1e-9)?)?;
/// assert_eq!(winner.guarantee(), Approx::new(1.0, 1e-9)?);
/// assert_eq!(winner.threshold(), 20);
/// assert!(winner.refusal_probability(49) < 1e-12); // 50 votes ahead
/// assert_eq!(winner.release(&votes, &mut OsSeeded::new()?)?, Outcome::Released("red"));
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
///
/// Checked as S15 by `cargo xtask verify`.
#[derive(Clone, Debug, PartialEq)]
pub struct StableRelease<S> {
    value: S,
    test: DistanceTest,
    guarantee: Approx,
}

impl<S: Stable> StableRelease<S> {
    /// Releases the value under a guarantee.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless ε and δ are above 0, and [`Error::Unreachable`] when the
    /// threshold would be above 2⁵³.
    pub fn new(value: S, target: Approx) -> Result<Self, Error> {
        let test = DistanceTest::new(target.epsilon().get(), target.delta().get())?;
        Ok(Self { value, test, guarantee: target })
    }

    /// What is to be released.
    pub const fn value(&self) -> &S {
        &self.value
    }

    /// The threshold T.
    pub const fn threshold(&self) -> u64 {
        self.test.threshold()
    }

    /// An upper bound on the probability that a value at this distance to instability is refused.
    pub fn refusal_probability(&self, distance: u64) -> f64 {
        (Enclosure::ONE - self.test.passes_with(distance)).probability().hi()
    }
}

impl<S: Stable> Measurement for StableRelease<S> {
    type Data = S::Data;
    type Output = Outcome<S::Value>;
    type Guarantee = Approx;
    type Adjacency = S::Adjacency;

    fn guarantee(&self) -> Approx {
        self.guarantee
    }

    fn draw<R: Rng + ?Sized>(&self, data: &S::Data, rng: &mut R) -> Result<Outcome<S::Value>, Error> {
        let found = self.value.find(data)?;
        let distance = found.as_ref().map_or(0, |(_, distance)| *distance);
        let passes = self.test.passes(distance, rng)?;
        Ok(match found {
            Some((value, _)) if passes => Outcome::Released(value),
            _ => Outcome::Refused,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Mode, MostFrequent};
    use dp_core::{Delta, Epsilon};
    use dp_mechanisms::rng::Insecure;

    #[test]
    fn values_are_released_as_often_as_stated() {
        let release =
            StableRelease::new(Mode::votes(|key: &u8| Some(*key)), Approx::new(0.5, 0.05).unwrap()).unwrap();
        let mut rng = Insecure::seeded(11);
        const DRAWS: u32 = 10_000;
        for ahead in [1, release.threshold() + 1, 3 * release.threshold() + 1] {
            let data = vec![7; usize::try_from(ahead).unwrap()];
            let mut refused = 0;
            for _ in 0..DRAWS {
                match release.draw(&data, &mut rng).unwrap() {
                    Outcome::Released(key) => assert_eq!(key, 7),
                    Outcome::Refused => refused += 1,
                }
            }
            let expected = release.refusal_probability(ahead - 1) * f64::from(DRAWS);
            // Hoeffding: off by more than 400 of 10,000 with probability below 2·e^−32.
            assert!((f64::from(refused) - expected).abs() < 400.0, "{ahead}: {refused} {expected}");
        }
        assert!((0..100).all(|_| release.draw(&[1, 2], &mut rng).unwrap().is_refused()));
    }

    #[test]
    fn sets_of_unknown_keys_are_released() {
        let best = MostFrequent::votes(2, |word: &String| [word.clone()]).unwrap().under_replace_one();
        let release = StableRelease::new(best, Approx::new(1.0, 1e-9).unwrap()).unwrap();
        let data: Vec<String> = (0..300)
            .map(|i| ["yes", "no", "perhaps"][usize::from(i % 100 >= 45) + usize::from(i % 100 >= 90)].into())
            .collect();
        // It is refused with probability below e^−30.
        let set = release.draw(&data, &mut Insecure::seeded(2)).unwrap().released().unwrap();
        assert_eq!(set.into_iter().collect::<Vec<_>>(), ["no", "yes"]);
        assert!(
            release.value().find(&data).unwrap().unwrap().1 == 52
                && release.guarantee().delta().get() == 1e-9
        );
    }

    #[test]
    fn targets_are_checked() {
        for (epsilon, delta) in [(0.0, 0.1), (1.0, 0.0), (1e-17, 0.1)] {
            let target = Approx::from_parts(Epsilon::new(epsilon).unwrap(), Delta::new(delta).unwrap());
            assert!(StableRelease::new(Mode::votes(|key: &u8| Some(*key)), target).is_err());
        }
    }
}
