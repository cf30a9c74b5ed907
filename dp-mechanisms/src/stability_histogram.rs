//! Histograms over bins that are not known beforehand.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use dp_core::interval::{Confidence, ConfidenceInterval, ErrorBound};
use dp_core::rounding::Enclosure;
use dp_core::search::smallest_integer;
use dp_core::{
    AddRemove, Approx, Delta, Epsilon, Error, ForGuarantee, L1, MeasuredIn, Mechanism, Pure, Scale,
    Sensitivity, Target,
};
use rand_core::Rng;

use crate::Laplace;
use crate::additive::whole_distance;
use crate::arguments::{integer, positive, within};

/// Publishes the counts of the keys that occur, each with Laplace noise, and hides those that stay
/// below a threshold.
///
/// The bins of a histogram must be declared, because a bin that appears reveals that somebody is in
/// it. Where they cannot be (words, addresses, searches), a threshold hides small bins, and δ
/// covers the probability that noise lifts one above it. A
/// [`TruncatedHistogram`](crate::TruncatedHistogram) has a lower threshold for the same price.
///
/// **What is released.** A count c > 0 becomes c + N, where N is Laplace noise of scale b, rounded
/// to the nearest integer. The key is published with c + N if that is at least T, and left out
/// otherwise. Keys that do not occur, or whose count is 0, are left out.
///
/// **Theorem.** Let r = e^(−1/b), q(c) = Pr(c + N ≥ T) = ½·r^(T−½−c) for 0 ≤ c < T, and let count
/// vectors of neighbours be at most Δ apart in ℓ1, a key that is absent counting 0. If Δ < T,
/// q(1) ≤ 1 − r and q(Δ) ≤ 1 − r^Δ, then the release is (Δ/b, δ)-private with
///
/// > δ = max(q(Δ), 1 − (1 − q(1))^Δ),
///
/// and no smaller δ holds for this ε.
///
/// **Proof.** Let U be the keys that only x has, with counts u, V those that only y has, with
/// counts v, and d the distance on the keys of both: Σu + Σv + d ≤ Δ. Outcomes that show a key of U
/// are impossible for y; they have probability 1 − Π(1 − q(u)) for x. Those that show a key of V
/// are impossible for x. For the others
///
/// > Pr(M(x) = o) / Pr(M(y) = o) ≤ e^(d/b) · Π(1 − q(u)) / Π(1 − q(v)) ≤ e^(d/b) · Π
/// > r^(−v) ≤ e^(Δ/b),
///
/// because 1 − q(v) ≥ r^v for v from 1 to Δ: the function 1 − r^v − q(v) is concave in v, so it is
/// not negative between two points where it is not. Hence δ is the largest 1 − Π(1 − q(uᵢ)) over
/// whole numbers uᵢ ≥ 1 with Σuᵢ ≤ Δ. The function g(u) = ln(1 − q(u)) = ln(1 − ½r^(T−½)·e^(u/b))
/// falls and is concave. For m keys the sum Σg(uᵢ) is least where all but one of them have count 1,
/// and g(Δ−m+1) + (m−1)·g(1) is concave in m, so least at m = 1 or at m = Δ: all on one key, or one
/// on each of Δ keys. Both are attained against an empty y. ∎
///
/// **Timing.** The time of a draw grows with the number of keys that occur, which the
/// guarantee does not cover: whoever can time it learns about how many there are.
///
/// A mechanism that counts what `q` gives to a *single* key of count Δ, or only to Δ keys of count
/// 1, states too small a δ in the other case.
///
/// ```
/// use std::collections::BTreeMap;
/// use dp_core::{AddRemove, Approx, Calibrate, L1, Mechanism, Sensitivity};
/// use dp_mechanisms::{StabilityHistogram, rng::OsSeeded};
///
/// let one_word_each = Sensitivity::<L1, AddRemove>::new(1.0)?;
/// let (noise, guarantee) = StabilityHistogram::epsilon_delta(1.0, 1e-6)?.calibrate(one_word_each)?;
/// assert_eq!(guarantee, Approx::new(1.0, 1e-6)?);
/// assert_eq!(noise.threshold(), 15);
///
/// let counts = BTreeMap::from([("common", 1000u64), ("rare", 1)]);
/// let released = noise.draw(&counts, &mut OsSeeded::new()?)?;
/// assert!(released.contains_key("common"));
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Written", into = "Written"))]
#[cfg_attr(feature = "serde", serde(bound(serialize = "K: Clone")))]
pub struct StabilityHistogram<K> {
    noise: Laplace,
    threshold: u64,
    keys: PhantomData<fn() -> K>,
}

/// The largest threshold, and the count beyond which counts are all the same: whole numbers up to
/// here are floats.
const LARGEST: u64 = 1 << 53;

impl<K> StabilityHistogram<K> {
    /// "As little noise and as low a threshold as make the release (ε,δ)-private": what
    /// [`Query::with`](dp_core::Query::with) takes.
    ///
    /// # Errors
    /// [`Error::LargeDelta`] for a δ that [`Approx::new`](dp_core::Approx::new) refuses.
    /// [`Error::OutOfRange`] unless 0 < ε < ∞ and 0 < δ ≤ 1; [`Error::Unreachable`] for δ = 0: a
    /// key that appears reveals that somebody has it.
    pub fn epsilon_delta(epsilon: f64, delta: f64) -> Result<Target<Self, Approx>, Error>
    where
        K: Ord + Clone,
    {
        if delta == 0.0 {
            return Err(Error::Unreachable {
                request: "a delta of 0 for keys that nobody declared",
                instead: "allow one far below 1 over the number of people, such as 1e-6, \
                          or declare the keys and release a histogram over them, which needs none",
            });
        }
        let delta = within("delta", "(0, 1]", delta, delta > 0.0 && delta <= 1.0)?;
        Ok(Self::to(Approx::new(positive("epsilon", epsilon)?, delta)?))
    }

    /// Noise of scale b and a threshold T.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 1 ≤ T ≤ 2⁵³ and b ≤ 2¹⁰⁰.
    pub fn new(scale: Scale, threshold: u64) -> Result<Self, Error> {
        integer("threshold", "[1, 2^53]", threshold, 1..=LARGEST)?;
        Ok(Self { noise: Laplace::with_scale(scale).on_grid(0)?, threshold, keys: PhantomData })
    }

    /// The scale b of the noise.
    #[must_use]
    pub const fn scale(&self) -> Scale {
        self.noise.scale()
    }

    /// The threshold T: the least count that is published.
    #[must_use]
    pub const fn threshold(&self) -> u64 {
        self.threshold
    }

    /// An upper bound on the probability that a key with this count is left out.
    #[must_use]
    pub fn miss_probability(&self, count: u64) -> f64 {
        if count == 0 { 1.0 } else { (Enclosure::ONE - self.publishes(whole(count))).probability().hi() }
    }

    /// The interval that covers the count of one key, from what was released for it: its count, or
    /// nothing. The key must have been chosen without looking at the release.
    ///
    /// A kept count c + N lies within the quantile of the noise; of a key that was left out,
    /// c + N < T. There is no interval for all kept keys together: how many keys there are, and
    /// each may be the lucky one that passed the threshold, is not public.
    ///
    /// ```
    /// use dp_mechanisms::StabilityHistogram;
    /// use dp_core::Scale;
    ///
    /// let words = StabilityHistogram::<&str>::new(Scale::new(1.0)?, 15)?;
    /// let kept = words.interval_of(Some(100), 0.95)?;
    /// assert_eq!((kept.lower(), kept.upper()), (97.0, 103.0));
    /// let missing = words.interval_of(None, 0.95)?;
    /// assert_eq!((missing.lower(), missing.upper()), (0.0, 17.0));
    /// # Ok::<(), dp_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < confidence < 1.
    pub fn interval_of(&self, released: Option<u64>, confidence: f64) -> Result<ConfidenceInterval, Error> {
        // Whole numbers are at whole distances.
        let bound = self.noise.error_bound(Confidence::new(confidence)?.beta())?.floor();
        let (lower, upper) = match released {
            Some(count) if count < LARGEST => (whole(count), whole(count)),
            Some(_) => (whole(LARGEST), f64::INFINITY),
            None => (0.0, whole(self.threshold) - 1.0),
        };
        let around = ConfidenceInterval::new(lower, upper)?.widened(bound);
        ConfidenceInterval::new(
            around.lower().max(if released.is_some() { 1.0 } else { 0.0 }),
            around.upper(),
        )
    }

    /// Encloses q(c) = Pr(c + N ≥ T), that is Pr(Laplace ≥ T − ½ − c).
    fn publishes(&self, count: f64) -> Enclosure {
        // Whole numbers up to 2⁵³: the difference is exact, and with the half it is enclosed.
        let distance = Enclosure::point(whole(self.threshold) - count) - Enclosure::point(0.5);
        let half = Enclosure::point(0.5);
        if distance.lo() >= 0.0 {
            half * (-(distance / self.unit())).exp()
        } else {
            Enclosure::ONE - half * (distance / self.unit()).exp()
        }
    }

    fn unit(&self) -> Enclosure {
        Enclosure::point(self.scale().get())
    }

    /// Encloses δ for count vectors at most Δ apart, or `None` where the theorem does not apply.
    fn delta(&self, distance: f64) -> Option<Enclosure> {
        if distance >= whole(self.threshold) {
            return None;
        }
        let [one, all] = [1.0, distance].map(|count| self.publishes(count));
        let lost = |count: f64| -(-(Enclosure::point(count) / self.unit())).exp_m1(); // 1 − r^count
        if one.hi() > lost(1.0).lo() || all.hi() > lost(distance).lo() {
            return None;
        }
        let spread = -(Enclosure::point(distance) * (-one).ln_1p()).exp_m1();
        Some(all.max(spread).probability())
    }
}

/// A count as a float, constant from 2⁵³ on: never farther from a neighbour's than the counts are.
fn whole(count: u64) -> f64 {
    #[allow(clippy::cast_precision_loss)] // at most 2⁵³
    let value = count.min(LARGEST) as f64;
    value
}

impl<K: Ord + Clone> Mechanism for StabilityHistogram<K> {
    type Input = BTreeMap<K, u64>;
    type Output = BTreeMap<K, u64>;
    type Norm = L1;
    type Guarantee = Approx;

    /// Counts are whole numbers, so a distance of at most s is one of at most ⌊s⌋. Where the
    /// threshold is too low for the theorem, δ = 1 is stated: nothing is guaranteed.
    fn guarantee(&self, sensitivity: impl MeasuredIn<L1>) -> Approx {
        let distance = sensitivity.value().floor();
        if distance == 0.0 {
            return Approx::from_parts(Epsilon::ZERO, Delta::ZERO);
        }
        let epsilon = Enclosure::point(distance) / self.unit();
        let delta = self.delta(distance).map_or(Delta::ONE, |delta| Delta::saturating(delta.hi()));
        Approx::from_parts(Epsilon::saturating(epsilon.hi()), delta)
    }

    /// Never fails.
    fn draw<R: Rng + ?Sized>(
        &self,
        answer: &BTreeMap<K, u64>,
        rng: &mut R,
    ) -> Result<BTreeMap<K, u64>, Error> {
        let present = || answer.iter().filter(|(_, count)| **count > 0);
        let mut noisy: Vec<f64> = present().map(|(_, count)| whole(*count)).collect();
        self.noise.draw_into(&mut noisy, rng);
        let threshold = whole(self.threshold);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        // a whole number above zero, and `as` saturates
        let published = present()
            .zip(noisy)
            .filter(|(_, value)| *value >= threshold)
            .map(|((key, _), value)| (key.clone(), value as u64))
            .collect();
        Ok(published)
    }
}

impl<K: Ord + Clone> ForGuarantee<Approx> for StabilityHistogram<K> {
    /// b = Δ/ε, rounded up, and the least threshold for which the theorem states at most δ.
    fn for_guarantee(target: &Approx, sensitivity: impl MeasuredIn<L1>) -> Result<Self, Error> {
        let distance = whole_distance(sensitivity.value())?;
        let whole_steps = Sensitivity::<L1, AddRemove>::new(distance)?;
        let scale = Laplace::for_guarantee(&Pure::from(target.epsilon()), whole_steps)?.scale();
        Self::new(scale, LARGEST)?; // refuses a scale that no threshold suits
        // What is stated falls as the threshold rises.
        let suffices = |threshold: u64| {
            let stated = Self::new(scale, threshold).ok().and_then(|mechanism| mechanism.delta(distance));
            stated.is_some_and(|delta| delta.hi() <= target.delta().get())
        };
        let threshold = smallest_integer(1, LARGEST, suffices).ok_or(Error::Unreachable {
            request: "a threshold for this epsilon, delta and sensitivity",
            instead: "allow a delta above 0 or a larger epsilon, or declare the bins, which takes no delta",
        })?;
        Self::new(scale, threshold)
    }
}

#[cfg(feature = "serde")]
dp_core::on_disk! {
    Written<K> for histogram: StabilityHistogram<K> {
        scale: Scale = histogram.scale(),
        threshold: u64 = histogram.threshold(),
    } => Self::new(scale, threshold)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::approx;
    use crate::rng::Insecure;
    use dp_core::Guarantee;
    use proptest::prelude::*;

    type Words = StabilityHistogram<&'static str>;

    #[test]
    fn without_a_delta_it_says_what_to_do() {
        let said = Words::epsilon_delta(1.0, 0.0).unwrap_err().to_string();
        assert!(said.contains("such as 1e-6") && said.contains("declare the keys"), "{said}");
    }

    fn apart(by: f64) -> Sensitivity<L1, AddRemove> {
        Sensitivity::new(by).unwrap()
    }

    fn calibrated(epsilon: f64, delta: f64, by: f64) -> Words {
        Words::for_guarantee(&approx(epsilon, delta), apart(by)).unwrap()
    }

    /// Pr(not shown), Pr(c + N = T), …, Pr(c + N = T + 5), Pr(c + N > T + 5), from the integral of
    /// the Laplace density over cells of length one.
    fn law(noise: &Words, count: u32) -> [f64; 8] {
        let (b, threshold) = (noise.scale().get(), f64::from(u32::try_from(noise.threshold()).unwrap()));
        let cumulative = |t: f64| if t < 0.0 { 0.5 * (t / b).exp() } else { 1.0 - 0.5 * (-t / b).exp() };
        let above = |t: f64| cumulative(-t);
        if count == 0 {
            return [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]; // absent: no noise
        }
        let edge = |k: usize| threshold + f64::from(u32::try_from(k).unwrap()) - 0.5 - f64::from(count);
        std::array::from_fn(|k| match k {
            0 => cumulative(edge(0)),
            7 => above(edge(6)),
            _ => above(edge(k - 1)) - above(edge(k)),
        })
    }

    /// Σ (P − e^ε Q)₊ for two count vectors over two keys, of counts up to T + 2. Outcomes beyond
    /// T + 5 all have the same ratio, so taking them together loses nothing.
    fn profile(noise: &Words, x: [u32; 2], y: [u32; 2], epsilon: f64) -> f64 {
        let [p, q] = [x, y].map(|counts| counts.map(|count| law(noise, count)));
        let outcomes = (0..8).flat_map(|i| (0..8).map(move |j| (i, j)));
        outcomes.map(|(i, j)| (p[0][i] * p[1][j] - epsilon.exp() * q[0][i] * q[1][j]).max(0.0)).sum()
    }

    #[test]
    fn listed_outcomes_never_pass_delta_and_reach_it() {
        for (epsilon, delta, by) in [
            (1.0, 1e-3, 1u8),
            (1.0, 1e-2, 2),
            (0.5, 1e-2, 2),
            (3.0, 1e-2, 2),
            (0.05, 0.2, 1),
            (4.0, 1e-2, 3),
            (0.2, 1e-2, 3),
        ] {
            let noise = calibrated(epsilon, delta, by.into());
            let stated = noise.guarantee(apart(by.into()));
            assert!(stated.is_at_most(&approx(epsilon, delta)), "{stated}");
            let (epsilon, delta) = (stated.epsilon().get(), stated.delta().get());
            let threshold = u32::try_from(noise.threshold()).unwrap();
            let counts: Vec<u32> = (0..4).chain(threshold - 2..threshold + 3).collect();
            let pairs = || counts.iter().flat_map(|a| counts.iter().map(move |b| [*a, *b]));
            let mut worst = 0.0f64;
            for x in pairs() {
                for y in pairs().filter(|y| x[0].abs_diff(y[0]) + x[1].abs_diff(y[1]) <= by.into()) {
                    worst = worst.max(profile(&noise, x, y, epsilon));
                }
            }
            assert!(worst <= delta * (1.0 + 1e-9), "ε = {epsilon}, Δ = {by}: {worst} > {delta}");
            // Two keys do not hold three lone records, so the worst case of a small ε is out of
            // their reach at Δ = 3.
            assert!(
                worst >= delta * (1.0 - 1e-6) || (by == 3 && epsilon < 1.0),
                "ε = {epsilon}, Δ = {by}: {worst} < {delta}"
            );
        }
    }

    #[test]
    fn a_key_is_covered_whether_it_is_kept_or_not() {
        // 10⁵ releases at 0.95: more than 5400 failures have probability below 10⁻⁷ (Bernstein).
        let noise = Words::new(Scale::new(4.0).unwrap(), 20).unwrap();
        for (seed, count) in [(1, 1u64), (2, 18), (3, 25), (4, 400)] {
            let (mut rng, data) = (Insecure::seeded(seed), BTreeMap::from([("a", count)]));
            let (mut missed, mut kept) = (0, 0);
            for _ in 0..100_000 {
                let released = noise.draw(&data, &mut rng).unwrap();
                kept += released.len();
                let interval = noise.interval_of(released.get("a").copied(), 0.95).unwrap();
                missed += u32::from(!interval.contains(whole(count)));
            }
            assert!(missed <= 5400, "{count}: {missed}");
            assert!(kept > 0 && (count < 400 || kept == 100_000));
        }
        let huge = noise.interval_of(Some(u64::MAX), 0.95).unwrap();
        assert_eq!(huge.upper(), f64::INFINITY);
        assert!(noise.interval_of(None, 1.0).is_err());
    }

    #[test]
    fn the_threshold_is_the_least_that_suffices() {
        for (epsilon, delta, by) in
            [(1.0, 1e-6, 1.0), (1.0, 1e-6, 2.0), (0.1, 1e-9, 5.0), (0.001, 0.1, 1.0), (4.0, 0.4, 3.0)]
        {
            let (noise, target) = (calibrated(epsilon, delta, by), approx(epsilon, delta));
            assert!(noise.guarantee(apart(by)).is_at_most(&target));
            let lower = Words::new(noise.scale(), noise.threshold() - 1);
            assert!(lower.is_err() || !lower.unwrap().guarantee(apart(by)).is_at_most(&target));
        }
        // Counts are whole: a sensitivity of 1.9 is one of 1.
        assert_eq!(calibrated(1.0, 1e-6, 1.9), calibrated(1.0, 1e-6, 1.0));
    }

    #[test]
    fn spreads_over_many_keys_are_counted() {
        // One key of count Δ is likelier to show than Δ keys of count 1 when ε is large, and less
        // likely when it is small.
        for (epsilon, concentrated) in [(8.0, true), (0.1, false)] {
            let noise = calibrated(epsilon, 1e-6, 10.0);
            let (one, all) = (noise.publishes(1.0).hi(), noise.publishes(10.0).hi());
            assert_eq!(all > 10.0 * one, concentrated);
            let stated = noise.guarantee(apart(10.0)).delta().get();
            let expected = all.max(1.0 - (1.0 - one).powi(10));
            assert!((stated / expected - 1.0).abs() < 1e-9, "{stated} {expected}");
        }
    }

    #[test]
    fn a_low_threshold_guarantees_nothing() {
        let scale = Scale::new(1.0).unwrap();
        assert_eq!(Words::new(scale, 5).unwrap().guarantee(apart(5.0)).delta(), Delta::ONE);
        // Little is lost by one more record, but a lone key shows too often for that:
        // q(1) > 1 − e^(−1/b).
        let wide = Words::new(Scale::new(1e6).unwrap(), 10).unwrap();
        assert_eq!(wide.guarantee(apart(1.0)).delta(), Delta::ONE);
        assert_eq!(wide.guarantee(apart(0.9)), Approx::perfect());
    }

    #[test]
    fn bad_requests_are_refused() {
        for (epsilon, delta) in
            [(0.0, 0.1), (f64::NAN, 0.1), (f64::INFINITY, 0.1), (1.0, 0.0), (1.0, 1.5), (1.0, f64::NAN)]
        {
            assert!(Words::epsilon_delta(epsilon, delta).is_err(), "{epsilon} {delta}");
        }
        assert!(Words::epsilon_delta(1e-9, 1e-300).is_ok() && Words::epsilon_delta(100.0, 0.1).is_ok());
        let scale = Scale::new(1.0).unwrap();
        assert!(Words::new(scale, 0).is_err() && Words::new(scale, LARGEST + 1).is_err());
        assert!(Words::new(Scale::new(f64::MAX).unwrap(), 5).is_err());
        let reach =
            |epsilon: f64, delta: f64, by: f64| Words::for_guarantee(&approx(epsilon, delta), apart(by));
        for (epsilon, delta, by) in
            [(1.0, 0.0, 1.0), (1e-18, 1e-6, 1.0), (1.0, 1e-6, 0.5), (1.0, 1e-6, 1e17), (0.0, 0.5, 1.0)]
        {
            assert!(reach(epsilon, delta, by).is_err(), "{epsilon} {delta} {by}");
        }
    }

    #[test]
    fn draws_show_frequent_keys_and_never_absent_ones() {
        const DRAWS: u32 = 20_000;
        let noise = Words::new(Scale::new(2.0).unwrap(), 8).unwrap();
        let counts = BTreeMap::from([("absent", 0), ("edge", 8), ("huge", u64::MAX), ("one", 1)]);
        let mut rng = Insecure::seeded(5);
        let (mut edge, mut one) = (0, 0);
        for _ in 0..DRAWS {
            let released = noise.draw(&counts, &mut rng).unwrap();
            assert!(!released.contains_key("absent") && released.contains_key("huge"));
            assert!(released.values().all(|count| *count >= 8));
            edge += u32::from(released.contains_key("edge"));
            one += u32::from(released.contains_key("one"));
        }
        // q(8) = 1 − ½e^−¼ and q(1) = ½e^−3.25, each within √(ln(2·10⁹)/2n) but for a probability
        // of 10⁻⁹ (Hoeffding).
        let slack = (2e9f64.ln() / (2.0 * f64::from(DRAWS))).sqrt();
        for (shown, share) in [(edge, 1.0 - 0.5 * (-0.25f64).exp()), (one, 0.5 * (-3.25f64).exp())] {
            assert!((f64::from(shown) / f64::from(DRAWS) - share).abs() < slack, "{shown} {share}");
        }
        assert!((noise.miss_probability(8) - 0.5 * (-0.25f64).exp()).abs() < 1e-12);
        assert_eq!(noise.miss_probability(0), 1.0);
    }

    #[cfg(feature = "serde")]
    #[test]
    fn reading_validates_as_the_constructor_does() {
        let noise = Words::new(Scale::new(2.0).unwrap(), 8).unwrap();
        let written = serde_json::to_string(&noise).unwrap();
        assert_eq!(written, r#"{"scale":2.0,"threshold":8}"#);
        let read = |text: &str| serde_json::from_str::<StabilityHistogram<u8>>(text);
        assert_eq!(read(&written).unwrap().threshold(), 8);
        assert!(
            read(r#"{"scale":2,"threshold":0}"#).is_err() && read(r#"{"scale":0,"threshold":8}"#).is_err()
        );
    }

    proptest! {
        #[test]
        fn the_guarantee_rises_with_the_sensitivity(b in 0.1..100.0f64, threshold in 1u64..2000, small in 0.0..50.0f64, more in 0.0..50.0f64) {
            let noise = Words::new(Scale::new(b).unwrap(), threshold).unwrap();
            prop_assert!(noise.guarantee(apart(small)).is_at_most(&noise.guarantee(apart(small + more))));
        }

        /// The formula for δ against all ways to spread Δ over keys.
        #[test]
        fn no_spread_shows_more(b in 0.2..20.0f64, above in 1u64..200, by in 1u8..12, parts in prop::collection::vec(1u8..12, 1..12)) {
            let noise = Words::new(Scale::new(b).unwrap(), u64::from(by) + above).unwrap();
            let Some(delta) = noise.delta(by.into()) else { return Ok(()) };
            let mut left = by;
            let mut hidden = 1.0;
            for part in parts {
                let part = part.min(left);
                left -= part;
                if part > 0 {
                    hidden *= 1.0 - noise.publishes(part.into()).lo();
                }
            }
            prop_assert!(1.0 - hidden <= delta.hi() * (1.0 + 1e-12) + 1e-15);
        }
    }
}
