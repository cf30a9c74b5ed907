//! A private test of how far the data are from those that must not pass.

use dp_core::rounding::Enclosure;
use dp_core::{AddRemove, Error, ForGuarantee, L1, Mechanism, Pure, Sensitivity};
use dp_mechanisms::DiscreteLaplace;
use rand_core::Rng;

use crate::arguments::positive;

/// Passes data at distance d from those that must not pass if d + N > T, where N is discrete
/// Laplace noise of scale b = 1/ε, on the whole numbers.
///
/// **Theorem.** Let d be a whole number that one step changes by one at most. Then the outcome of
/// the test is ε-private, and with r = e^(−1/b) data with d = 0 pass with probability
///
/// > Pr(N > T) = r^(T+1)/(1 + r).
///
/// *Proof.* d + N is the discrete Laplace mechanism, and what follows does not look at d. The noise
/// is −k or k with probability (1−r)/(1+r)·r^k, and a geometric series gives the tail. ∎
///
/// T is the least whole number for which the enclosure of that probability lies at or below δ. The
/// lecture's threshold for continuous noise is ln(1/δ)/ε, about ln 2/ε more (claim S15).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DistanceTest {
    noise: DiscreteLaplace,
    threshold: u64,
}

/// Thresholds end here, where whole numbers are floats.
const LARGEST: u64 = 1 << 53;

impl DistanceTest {
    /// The ε-private test that data at distance 0 pass with probability at most δ.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞ and 0 < δ ≤ 1; [`Error::Unreachable`] when the
    /// threshold would be above 2⁵³.
    pub(crate) fn new(epsilon: f64, delta: f64) -> Result<Self, Error> {
        if !(delta > 0.0 && delta <= 1.0) {
            return Err(Error::OutOfRange { argument: "delta", allowed: "(0, 1]", found: delta });
        }
        let step = Sensitivity::<L1, AddRemove>::new(1.0)?;
        let noise = DiscreteLaplace::for_guarantee(&Pure::new(positive("epsilon", epsilon)?)?, step)?;
        let meets = |threshold| Self { noise: noise.clone(), threshold }.passes_with(0).hi() <= delta;
        if !meets(LARGEST) {
            return Err(Error::Unreachable {
                request: "a threshold for this epsilon and delta",
                instead: "allow a larger epsilon or delta for the test",
            });
        }
        // As if the upper end of what is computed fell with the threshold. If it did not
        // everywhere, the result would still be one that was found to meet δ.
        let (mut below, mut threshold) = (0, LARGEST);
        if meets(0) {
            threshold = 0;
        }
        while threshold > below + 1 {
            let middle = below + (threshold - below) / 2;
            if meets(middle) { threshold = middle } else { below = middle }
        }
        Ok(Self { noise, threshold })
    }

    /// The threshold T.
    pub(crate) const fn threshold(&self) -> u64 {
        self.threshold
    }

    /// Distances from here on are taken as this one, which leaves them as far apart or closer.
    /// Noise so far down has a probability of about δ².
    pub(crate) fn farthest(&self) -> u64 {
        self.threshold.saturating_mul(3).saturating_add(3)
    }

    /// Encloses the probability of passing at a distance: Pr(N > T − d).
    pub(crate) fn passes_with(&self, distance: u64) -> Enclosure {
        let rate = Enclosure::ONE / Enclosure::point(self.noise.scale().get());
        let half = (-rate).exp() + Enclosure::ONE; // 1 + r
        let power = |exponent: u64| (-(rate * Enclosure::integer(exponent))).exp() / half; // r^exponent/(1 + r)
        let distance = distance.min(self.farthest());
        let passes = if distance <= self.threshold {
            power(self.threshold - distance + 1)
        } else {
            // Pr(N ≤ −m) = r^m/(1 + r) for m = d − T ≥ 1.
            Enclosure::ONE - power(distance - self.threshold)
        };
        passes.probability()
    }

    /// Draws the outcome.
    pub(crate) fn passes<R: Rng + ?Sized>(&self, distance: u64, rng: &mut R) -> Result<bool, Error> {
        let signed = |x: u64| i64::try_from(x).unwrap_or(i64::MAX);
        let noisy = self.noise.draw(&signed(distance.min(self.farthest())), rng)?;
        Ok(noisy > signed(self.threshold))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_mechanisms::rng::Insecure;
    use proptest::prelude::*;

    proptest! {
        /// T meets δ and T − 1 does not, by a sum that shares nothing with the closed form;
        /// neighbours are ε apart in both outcomes.
        #[test]
        fn thresholds_are_the_least(epsilon in 0.01..10f64, log in -20.0..0f64, distance in 0u64..300) {
            let delta = 10f64.powf(log);
            let test = DistanceTest::new(epsilon, delta).unwrap();
            let r = (-epsilon).exp();
            let mass = |k: u32| (1.0 - r) / (1.0 + r) * (-epsilon * f64::from(k)).exp();
            let tail = |from: u64| (0..10_000).map(|k| mass(u32::try_from(from).unwrap() + k)).sum::<f64>();
            prop_assert!(tail(test.threshold() + 1) <= delta * (1.0 + 1e-9));
            prop_assert!(test.threshold() == 0 || tail(test.threshold()) > delta * (1.0 - 1e-9));
            let [here, there] = [distance, distance + 1].map(|d| test.passes_with(d));
            prop_assert!(here.hi() <= there.hi());
            prop_assert!(there.lo() <= (here * Enclosure::point(epsilon).exp()).hi());
            let [here, there] = [here, there].map(|passes| Enclosure::ONE - passes);
            prop_assert!(here.lo() <= (there * Enclosure::point(epsilon).exp()).hi() + 1e-15);
        }
    }

    #[test]
    fn drawn_outcomes_have_the_stated_probability() {
        let test = DistanceTest::new(0.5, 0.05).unwrap();
        let mut rng = Insecure::seeded(7);
        for distance in [0, 2, test.threshold(), test.threshold() + 1, 9, u64::MAX] {
            const DRAWS: u32 = 20_000;
            let passed: u32 = (0..DRAWS).map(|_| u32::from(test.passes(distance, &mut rng).unwrap())).sum();
            let expected = test.passes_with(distance).hi() * f64::from(DRAWS);
            // Hoeffding: off by more than 600 of 20,000 with probability below 2·e^−36.
            assert!((f64::from(passed) - expected).abs() < 600.0, "{distance}: {passed} {expected}");
        }
    }

    #[test]
    fn parameters_are_checked() {
        for (epsilon, delta) in [
            (0.0, 0.1),
            (-1.0, 0.1),
            (f64::NAN, 0.1),
            (f64::INFINITY, 0.1),
            (1.0, 0.0),
            (1.0, 1.1),
            (1.0, f64::NAN),
            (1e-17, 0.1),
            (f64::from_bits(1), 0.5),
        ] {
            assert!(DistanceTest::new(epsilon, delta).is_err(), "{epsilon} {delta}");
        }
        assert_eq!(DistanceTest::new(700.0, 1.0).unwrap().threshold(), 0);
        assert_eq!(DistanceTest::new(1e-12, 0.5).unwrap().threshold(), 0);
        assert_eq!(DistanceTest::new(1.0, 1e-6).unwrap().threshold(), 13); // r¹⁴/(1 + r) = 6.1e−7
    }
}
