//! Counts of keys that nobody can list, with noise that ends somewhere.

use core::fmt;
use std::collections::BTreeMap;
use std::marker::PhantomData;

use dp_core::interval::{Confidence, ConfidenceInterval, ErrorBound};
use dp_core::rounding::{Enclosure, add_up, sub_down};
use dp_core::search::smallest_integer;
use dp_core::{
    AddRemove, Approx, Calibrate, Delta, Epsilon, Error, ForGuarantee, Guarantee, L1, MeasuredIn, Mechanism,
    Pure, Scale, Sensitivity,
};
use rand_core::Rng;

use crate::DiscreteLaplace;
use crate::arguments::integer;
use crate::key_selection::{per_step, requested};

/// Publishes the counts of keys that occur, with noise that never passes a limit K, and hides those
/// that do not pass K with it.
///
/// Such noise hides for certain that a key does not occur, so keys need no declaration; and the
/// limit costs no more than δ. So keys and counts come together for one (ε,δ), and the threshold is
/// lower than that of a [`StabilityHistogram`](crate::StabilityHistogram): 110 instead of 133 at
/// ε = 0.1 and δ = 10⁻⁶. A [`KeySelection`](crate::KeySelection) keeps about as many keys, and
/// tells no counts.
///
/// **What is released.** A count c > 0 becomes c + N, where N has the law of discrete Laplace noise
/// of scale b, given that |N| ≤ K. The key is published with c + N if that is at least K + m, m
/// being the minimum number of people, 1 unless you set it; and left out otherwise.
///
/// **Theorem** (the k-TSGD of Desfontaines, Voss, Gipson and Mandayam 2022). Let r = e^(−1/b). For
/// neighbours that differ by one in the count of one key the release is (1/b, δ)-private with
///
/// > δ = Pr(N = K) = r^K·(1 − r)/(1 + r − 2r^(K+1)),
///
/// and no smaller δ holds for this ε.
///
/// **Proof.** Let p(x) = Pr(N = x), and c and c + 1 the counts. A published value v has probability
/// p(v − c) for c and p(v − c − 1) for c + 1, whose ratio is at most 1/r where neither is 0. Only
/// for c + 1 there is v = c + 1 + K, with p(K). Only for c there is v = c − K, with p(−K) = p(K),
/// if that is published at all. That the key is left out has probability F(j) = Pr(N ≤ j) for c,
/// where j = K + m − 1 − c, and F(j−1) ≤ F(j) for c + 1; and F(j) ≤ F(j−1)/r + p(−K) because p(x) ≤
/// p(x−1)/r for all x > −K. The two cases of p(−K) exclude each other. So each direction exceeds
/// e^(1/b) times the other by p(K) at most, and by that much where c + 1 + K is published, which it
/// is for c ≥ m − 1. Keys of fewer people than m are left out for certain, since N ≤ K: so are
/// those that do not occur. ∎
///
/// Counts that are s apart in ℓ1 are s such steps apart: a group of s.
///
/// **Timing.** The time of a draw grows with the number of keys that occur, which the guarantee
/// does not cover.
///
/// ```
/// use std::collections::BTreeMap;
/// use dp_core::{AddRemove, Approx, Calibrate, L1, Mechanism, Sensitivity};
/// use dp_mechanisms::{TruncatedHistogram, rng::OsSeeded};
///
/// let one_word_each = Sensitivity::<L1, AddRemove>::new(1.0)?;
/// let (noise, guarantee) = TruncatedHistogram::epsilon_delta(0.1, 1e-6)?.calibrate(one_word_each)?;
/// assert_eq!(guarantee, Approx::new(0.1, 1e-6)?);
/// assert_eq!((noise.limit(), noise.threshold()), (109, 110));
///
/// let counts = BTreeMap::from([("common", 1000u64), ("rare", 1)]);
/// let released = noise.draw(&counts, &mut OsSeeded::new()?)?;
/// assert!(released["common"].abs_diff(1000) <= 109); // for certain
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
///
/// Checked as M22 by `cargo xtask verify`.
#[derive(Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Written", into = "Written"))]
#[cfg_attr(feature = "serde", serde(bound(serialize = "K: Clone")))]
pub struct TruncatedHistogram<K> {
    noise: DiscreteLaplace,
    limit: u64,
    minimum: u64,
    keys: PhantomData<fn() -> K>,
}

/// The largest limit, minimum and count: sums of three of them fit into an `i64`.
const LARGEST: u64 = 1 << 60;

impl<K> TruncatedHistogram<K> {
    /// "As little noise, and as low a limit, as make the release (ε,δ)-private": what
    /// [`Query::with`](dp_core::Query::with) takes.
    ///
    /// # Errors
    /// [`Error::LargeDelta`] for a δ that [`Approx::new`](dp_core::Approx::new) refuses.
    /// [`Error::OutOfRange`] unless 0 < ε < ∞ and 0 < δ ≤ 1; [`Error::Unreachable`] for δ = 0: a
    /// key that appears reveals that somebody has it.
    pub fn epsilon_delta(epsilon: f64, delta: f64) -> Result<TruncatedTarget<K>, Error> {
        Ok(TruncatedTarget { guarantee: requested(epsilon, delta)?, minimum: 1, keys: PhantomData })
    }

    /// Noise of scale b, up to a limit K.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless K ≤ 2⁶⁰ and b ≤ 2·max(K, 1): where the limit cuts off most of
    /// the noise, drawing takes long.
    pub fn new(scale: Scale, limit: u64) -> Result<Self, Error> {
        integer("the limit", "[0, 2^60]", limit, 0..=LARGEST)?;
        #[allow(clippy::cast_precision_loss)] // a bound that need not be exact
        let most = 2.0 * limit.max(1) as f64;
        if scale.get() > most {
            let (argument, found, limit) = ("the scale", scale.get(), "twice the limit of the noise");
            return Err(Error::Above { argument, found, limit, most });
        }
        let noise = DiscreteLaplace::with_scale(scale);
        Ok(Self { noise, limit, minimum: 1, keys: PhantomData })
    }

    /// The same, but never a key of fewer people than this.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless it lies in [1, 2⁶⁰].
    pub fn with_minimum(self, people: u64) -> Result<Self, Error> {
        Ok(Self { minimum: integer("the minimum", "[1, 2^60]", people, 1..=LARGEST)?, ..self })
    }

    /// The scale b of the noise.
    #[must_use]
    pub const fn scale(&self) -> Scale {
        self.noise.scale()
    }

    /// K: how far a published count can be from the truth.
    #[must_use]
    pub const fn limit(&self) -> u64 {
        self.limit
    }

    /// The least number of people whose key may be published.
    #[must_use]
    pub const fn minimum(&self) -> u64 {
        self.minimum
    }

    /// K + m: the least count that is published.
    #[must_use]
    pub const fn threshold(&self) -> u64 {
        self.limit + self.minimum
    }

    /// Encloses the probability with which a key of this many people is published.
    #[must_use]
    pub fn probability(&self, people: u64) -> Enclosure {
        if people < self.minimum {
            return Enclosure::ZERO;
        }
        // N ≥ K + m − c; below −K it always is.
        let least = i128::from(self.threshold()) - i128::from(people);
        let limit = i128::from(self.limit);
        if least <= -limit {
            return Enclosure::ONE;
        }
        // Σ p(x) from `least` to K; from the other side where that is the smaller part.
        let upper = |from: i128| {
            let r = |power: i128| (-(Enclosure::integer(power) / self.unit())).exp();
            ((r(from) - r(limit + 1)) / self.total()).max(Enclosure::ZERO)
        };
        let part = if least > 0 { upper(least) } else { Enclosure::ONE - upper(1 - least) };
        part.probability()
    }

    /// The interval that covers the count of one key, from what was released for it: its count, or
    /// nothing. The key must have been chosen without looking at the release.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < confidence < 1.
    pub fn interval_of(&self, released: Option<u64>, confidence: f64) -> Result<ConfidenceInterval, Error> {
        // Noise within a limit is smaller than noise without.
        let bound = self.noise.error_bound(Confidence::new(confidence)?.beta())?;
        let bound = bound.min(Enclosure::integer(self.limit).hi());
        let (lower, upper) = match released {
            Some(count) => {
                let around = Enclosure::integer(count);
                // Counts from 2⁶⁰ on are the same.
                let above = if count < LARGEST / 2 { add_up(around.hi(), bound) } else { f64::INFINITY };
                (sub_down(around.lo(), bound).max(Enclosure::integer(self.minimum).lo()), above)
            }
            None => (0.0, add_up(Enclosure::integer(self.threshold() - 1).hi(), bound)),
        };
        ConfidenceInterval::new(lower, upper)
    }

    fn unit(&self) -> Enclosure {
        Enclosure::point(self.scale().get())
    }

    /// 1 + r − 2r^(K+1), which is Σ r^|x|·(1 − r) over |x| ≤ K.
    fn total(&self) -> Enclosure {
        let two = Enclosure::point(2.0);
        let limit = Enclosure::integer(u128::from(self.limit) + 1);
        // As 2·(1 − r^(K+1)) − (1 − r), which loses no digits.
        two * -(-(limit / self.unit())).exp_m1() + (-(Enclosure::ONE / self.unit())).exp_m1()
    }

    /// Encloses δ = p(K).
    fn edge(&self) -> Enclosure {
        let top = (-(Enclosure::integer(self.limit) / self.unit())).exp();
        let step = -(-(Enclosure::ONE / self.unit())).exp_m1();
        (top * step / self.total()).probability()
    }
}

impl<K: Ord + Clone> Mechanism for TruncatedHistogram<K> {
    type Input = BTreeMap<K, u64>;
    type Output = BTreeMap<K, u64>;
    type Norm = L1;
    type Guarantee = Approx;

    /// Counts are whole numbers, so a distance of at most s is one of at most ⌊s⌋ steps.
    fn guarantee(&self, sensitivity: impl MeasuredIn<L1>) -> Approx {
        let steps = sensitivity.value().floor();
        if steps > f64::from(u32::MAX) {
            return Approx::from_parts(Epsilon::INFINITE, Delta::ONE);
        }
        let epsilon = Enclosure::ONE / self.unit();
        let step = Approx::from_parts(Epsilon::saturating(epsilon.hi()), Delta::saturating(self.edge().hi()));
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within the limits
        let group = step.for_group(steps as u32);
        group
    }

    /// Never fails.
    fn draw<R: Rng + ?Sized>(
        &self,
        answer: &BTreeMap<K, u64>,
        rng: &mut R,
    ) -> Result<BTreeMap<K, u64>, Error> {
        let mut published = BTreeMap::new();
        for (key, count) in answer.iter().filter(|(_, count)| **count > 0) {
            let noise = loop {
                let noise = self.noise.draw(&0, rng)?;
                if noise.unsigned_abs() <= self.limit {
                    break noise;
                }
            };
            // Counts are the same from 2⁶⁰ on: never farther from a neighbour's than they are.
            let noisy = (*count).min(LARGEST).checked_add_signed(noise);
            if let Some(noisy) = noisy.filter(|noisy| *noisy >= self.threshold()) {
                published.insert(key.clone(), noisy);
            }
        }
        Ok(published)
    }
}

impl<K: Ord + Clone> ForGuarantee<Approx> for TruncatedHistogram<K> {
    /// b = s/ε, rounded up, and the least limit whose δ is the share of a step.
    fn for_guarantee(target: &Approx, sensitivity: impl MeasuredIn<L1>) -> Result<Self, Error> {
        let (epsilon, delta) = per_step(target, sensitivity)?;
        let one = Sensitivity::<L1, AddRemove>::new(1.0)?;
        let scale = DiscreteLaplace::for_guarantee(&Pure::new(epsilon)?, one)?.scale();
        let suffices = |limit: u64| Self::new(scale, limit).is_ok_and(|found| found.edge().hi() <= delta);
        let limit = smallest_integer(0, LARGEST, suffices);
        let found = limit.map(|limit| Self::new(scale, limit)).transpose()?;
        found.filter(|found| found.guarantee(sensitivity).is_at_most(target)).ok_or(Error::Unreachable {
            request: "a limit for this epsilon, delta and sensitivity",
            instead: "allow a larger epsilon or delta, or declare the keys, which takes no delta",
        })
    }
}

/// The target of [`TruncatedHistogram::epsilon_delta`]: becomes a [`TruncatedHistogram`] when the
/// sensitivity is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TruncatedTarget<K> {
    guarantee: Approx,
    minimum: u64,
    keys: PhantomData<fn() -> K>,
}

impl<K> TruncatedTarget<K> {
    /// The same, but never a key of fewer people than this.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless it lies in [1, 2⁶⁰].
    pub fn with_minimum(self, people: u64) -> Result<Self, Error> {
        Ok(Self { minimum: integer("the minimum", "[1, 2^60]", people, 1..=LARGEST)?, ..self })
    }
}

impl<K: Ord + Clone> Calibrate for TruncatedTarget<K> {
    type Mechanism = TruncatedHistogram<K>;
    type Guarantee = Approx;

    fn calibrate(self, sensitivity: impl MeasuredIn<L1>) -> Result<(TruncatedHistogram<K>, Approx), Error> {
        let noise = TruncatedHistogram::for_guarantee(&self.guarantee, sensitivity)?;
        Ok((noise.with_minimum(self.minimum)?, self.guarantee))
    }
}

impl<K> fmt::Debug for TruncatedHistogram<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TruncatedHistogram")
            .field("scale", &self.scale())
            .field("limit", &self.limit)
            .field("minimum", &self.minimum)
            .finish_non_exhaustive()
    }
}

#[cfg(feature = "serde")]
dp_core::on_disk! {
    Written<K> for histogram: TruncatedHistogram<K> {
        scale: Scale = histogram.scale(),
        limit: u64 = histogram.limit,
        minimum: u64 = histogram.minimum,
    } => Self::new(scale, limit)?.with_minimum(minimum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::approx;
    use crate::rng::Insecure;
    use crate::{KeySelection, StabilityHistogram};
    use proptest::prelude::*;

    type Words = TruncatedHistogram<&'static str>;

    fn apart(by: f64) -> Sensitivity<L1, AddRemove> {
        Sensitivity::new(by).unwrap()
    }

    fn calibrated(epsilon: f64, delta: f64, by: f64) -> Words {
        Words::for_guarantee(&approx(epsilon, delta), apart(by)).unwrap()
    }

    /// The probability of each published count, and of none (at 0), from the definition.
    fn law(noise: &Words, count: u64) -> BTreeMap<u64, f64> {
        let (limit, r) = (i64::try_from(noise.limit()).unwrap(), (-1.0 / noise.scale().get()).exp());
        let mass = |x: i64| r.powi(i32::try_from(x.abs()).unwrap());
        let total: f64 = (-limit..=limit).map(mass).sum();
        let mut law = BTreeMap::new();
        for x in -limit..=limit {
            let noisy = count.checked_add_signed(x).filter(|v| count > 0 && *v >= noise.threshold());
            *law.entry(noisy.unwrap_or(0)).or_insert(0.0) += mass(x) / total;
        }
        law
    }

    /// Σ (P − e^ε Q)₊ for two count vectors over two keys.
    fn profile(noise: &Words, x: [u64; 2], y: [u64; 2], epsilon: f64) -> f64 {
        let [p, q] = [x, y].map(|counts| counts.map(|count| law(noise, count)));
        let of = |law: &[BTreeMap<u64, f64>; 2], a: &u64, b: &u64| {
            law[0].get(a).unwrap_or(&0.0) * law[1].get(b).unwrap_or(&0.0)
        };
        let outcomes = p[0].keys().flat_map(|a| p[1].keys().map(move |b| (a, b)));
        outcomes.map(|(a, b)| (of(&p, a, b) - epsilon.exp() * of(&q, a, b)).max(0.0)).sum()
    }

    #[test]
    fn listed_outcomes_never_pass_delta_and_reach_it() {
        for (epsilon, delta, by, minimum) in
            [(1.0, 1e-2, 1u8, 1), (0.5, 0.05, 1, 4), (2.0, 1e-2, 2, 1), (3.0, 1e-2, 2, 2), (0.2, 0.1, 1, 1)]
        {
            let noise = calibrated(epsilon, delta, by.into()).with_minimum(minimum).unwrap();
            let stated = noise.guarantee(apart(by.into()));
            assert!(stated.is_at_most(&approx(epsilon, delta)), "{stated}");
            let (epsilon, delta) = (stated.epsilon().get(), stated.delta().get());
            let last = 2 * noise.limit() + minimum + 2;
            let pairs = || (0..=last).flat_map(|a| [0, 1, a / 2].map(move |b| [a, b]));
            let mut worst = 0.0f64;
            for x in pairs() {
                for y in pairs().filter(|y| x[0].abs_diff(y[0]) + x[1].abs_diff(y[1]) <= by.into()) {
                    worst = worst.max(profile(&noise, x, y, epsilon));
                }
            }
            assert!(worst <= delta * (1.0 + 1e-9), "ε = {epsilon}, Δ = {by}: {worst} > {delta}");
            assert!(worst >= delta * (1.0 - 1e-9), "ε = {epsilon}, Δ = {by}: {worst} < {delta}");
        }
    }

    #[test]
    fn the_limit_is_the_least_and_the_threshold_lower_than_others() {
        for (epsilon, delta, by) in [(0.1, 1e-6, 1.0), (1.0, 1e-6, 2.0), (1.0, 1e-12, 5.0), (4.0, 0.1, 1.0)] {
            let (noise, target) = (calibrated(epsilon, delta, by), approx(epsilon, delta));
            let lower = noise.limit().checked_sub(1).map(|limit| Words::new(noise.scale(), limit).unwrap());
            assert!(lower.is_none_or(|lower| !lower.guarantee(apart(by)).is_at_most(&target)));
            let histogram = StabilityHistogram::<u8>::for_guarantee(&target, apart(by)).unwrap();
            assert!(noise.threshold() <= histogram.threshold());
            // No selection keeps more, and this one as much for one person more, but for δ.
            let keys = KeySelection::<u8>::for_guarantee(&target, apart(by)).unwrap();
            for people in 0..3 * noise.limit() {
                let (ours, most) = (noise.probability(people), keys.probability(people));
                assert!(ours.lo() <= most.hi() && noise.probability(people + 1).hi() >= most.lo() - delta);
            }
        }
        assert_eq!(
            (calibrated(0.1, 1e-6, 1.0).threshold(), calibrated(1.0, 1e-6, 1.9).threshold()),
            (110, 15)
        );
    }

    #[test]
    fn draws_have_the_law() {
        const DRAWS: u32 = 20_000;
        let noise = Words::new(Scale::new(2.0).unwrap(), 8).unwrap().with_minimum(2).unwrap();
        let counts =
            BTreeMap::from([("absent", 0), ("edge", 10), ("huge", u64::MAX), ("one", 1), ("some", 14)]);
        let mut rng = Insecure::seeded(5);
        let mut shown: BTreeMap<(&str, u64), u32> = BTreeMap::new();
        for _ in 0..DRAWS {
            let released = noise.draw(&counts, &mut rng).unwrap();
            assert!(!released.contains_key("absent") && !released.contains_key("one"));
            assert!(released["huge"].abs_diff(LARGEST) <= 8);
            for key in ["edge", "some"] {
                *shown.entry((key, released.get(key).copied().unwrap_or(0))).or_insert(0) += 1;
            }
        }
        // All of at most 30 shares within √(ln(60·10⁹)/2n) but for a probability of 10⁻⁹
        // (Hoeffding).
        let slack = (6e10f64.ln() / (2.0 * f64::from(DRAWS))).sqrt();
        for (key, count) in [("edge", 10), ("some", 14)] {
            let law = law(&noise, count);
            assert!(shown.keys().filter(|(of, _)| *of == key).all(|(_, value)| law.contains_key(value)));
            for (value, share) in &law {
                let found = f64::from(shown.get(&(key, *value)).copied().unwrap_or(0)) / f64::from(DRAWS);
                assert!((found - share).abs() < slack, "{key} {value}: {found} {share}");
            }
            let kept = 1.0 - law.get(&0).unwrap_or(&0.0);
            assert!((noise.probability(count).hi() - kept).abs() < 1e-12);
        }
    }

    #[test]
    fn a_key_is_covered_whether_it_is_kept_or_not() {
        // 10⁵ releases at 0.9: more than 10 700 failures have probability below 10⁻¹² (Bernstein).
        let noise = Words::new(Scale::new(4.0).unwrap(), 20).unwrap();
        for (seed, count) in [(1, 1u64), (2, 18), (3, 25), (4, 400)] {
            let (mut rng, data) = (Insecure::seeded(seed), BTreeMap::from([("a", count)]));
            let mut missed = 0;
            for _ in 0..100_000 {
                let released = noise.draw(&data, &mut rng).unwrap().get("a").copied();
                #[allow(clippy::cast_precision_loss)]
                let of = |confidence| noise.interval_of(released, confidence).unwrap().contains(count as f64);
                missed += u32::from(!of(0.9));
                assert!(of(1.0 - 1e-15)); // the limit is certain
            }
            assert!(missed <= 10_700, "{count}: {missed}");
        }
        let kept = noise.interval_of(Some(100), 1.0 - 1e-15).unwrap();
        assert_eq!((kept.lower(), kept.upper()), (80.0, 120.0));
        let missing = noise.interval_of(None, 1.0 - 1e-15).unwrap();
        assert_eq!((missing.lower(), missing.upper()), (0.0, 40.0));
        assert_eq!(noise.interval_of(Some(u64::MAX), 0.9).unwrap().upper(), f64::INFINITY);
    }

    #[test]
    fn bad_requests_are_refused() {
        for (epsilon, delta) in
            [(0.0, 0.1), (f64::NAN, 0.1), (f64::INFINITY, 0.1), (1.0, 0.0), (1.0, 1.5), (1.0, f64::NAN)]
        {
            assert!(Words::epsilon_delta(epsilon, delta).is_err(), "{epsilon} {delta}");
        }
        assert!(Words::epsilon_delta(1.0, 0.1).unwrap().with_minimum(0).is_err());
        let scale = Scale::new(5.0).unwrap();
        assert!(Words::new(scale, 2).is_err() && Words::new(scale, 3).is_ok());
        assert!(Words::new(scale, LARGEST + 1).is_err() && Words::new(scale, LARGEST).is_ok());
        assert!(Words::new(scale, 9).unwrap().with_minimum(LARGEST + 1).is_err());
        let reach = |epsilon, by| Words::for_guarantee(&approx(epsilon, 1e-6), apart(by));
        assert!(reach(1.0, 0.5).is_err() && reach(1.0, 0.0).is_err() && reach(1.0, 1e17).is_err());
        assert!(reach(1e-30, 1.0).is_err());
        assert_eq!(Words::new(scale, 9).unwrap().guarantee(apart(1e10)).delta(), Delta::ONE);
        assert_eq!(Words::new(scale, 9).unwrap().guarantee(apart(0.9)), Approx::perfect());
    }

    #[cfg(feature = "serde")]
    #[test]
    fn reading_validates_as_the_constructor_does() {
        let noise = Words::new(Scale::new(2.0).unwrap(), 8).unwrap();
        let written = serde_json::to_string(&noise).unwrap();
        assert_eq!(written, r#"{"scale":2.0,"limit":8,"minimum":1}"#);
        let read = |text: &str| serde_json::from_str::<TruncatedHistogram<u8>>(text);
        assert_eq!(read(&written).unwrap().threshold(), 9);
        assert!(read(r#"{"scale":2,"limit":8,"minimum":0}"#).is_err());
        assert!(read(r#"{"scale":20,"limit":8,"minimum":1}"#).is_err());
    }

    proptest! {
        #[test]
        fn calibrated_noise_meets_its_target(epsilon in 0.01..20.0f64, log_delta in -40.0..-5.0f64, by in 1u32..50) {
            let target = approx(epsilon, log_delta.exp());
            let Ok(noise) = Words::for_guarantee(&target, apart(by.into())) else { return Ok(()) };
            let stated = noise.guarantee(apart(by.into()));
            prop_assert!(stated.is_at_most(&target), "{stated}");
            prop_assert!(noise.guarantee(apart(f64::from(by) / 2.0)).is_at_most(&stated));
        }
    }
}
