//! Propose a bound on the local sensitivity, test it, and release if it passes.

use dp_core::interval::{Confidence, ConfidenceInterval, WithInterval};
use dp_core::rounding::{Enclosure, div_up};
use dp_core::{Approx, Delta, Error, Guarantee, Measurement, Mechanism, Pure, Scale};
use dp_mechanisms::Laplace;
use rand_core::Rng;

use crate::arguments::positive;
use crate::stability::distance_test::DistanceTest;
use crate::{LocalSensitivity, Outcome};

/// Releases the answer with Laplace noise for a *proposed* sensitivity b, if the data are far from
/// all data sets that are more sensitive than that (Dwork and Lei 2009; claim S16).
///
/// Noise in proportion to the local sensitivity is not private, because the amount of noise reveals
/// something of the data. Here the amount is fixed beforehand, and what is tested is how many steps
/// lead to data for which it would not be enough. That number has sensitivity 1, like a count.
///
/// **What is released.** Let γ be the least k with A⁽ᵏ⁾(x) > b, A being the query's
/// [ladder](LocalSensitivity). If γ + N > T, with discrete Laplace noise N of scale 1/ε₁, the
/// release is [`Released`](Outcome::Released) with the answer and Laplace noise of scale b/ε₂,
/// rounded to a grid that follows from b and ε₂; otherwise it is [`Refused`](Outcome::Refused). The
/// threshold T is the least whole number with Pr(N > T) ≤ δ.
///
/// **Theorem.** This is (ε₁ + ε₂, δ)-private; (2ε, δ) when both are ε.
///
/// *Proof.* Let x and y be neighbours. First, γ changes by one step at most: if γ(x) = k, then b <
/// A⁽ᵏ⁾(x) ≤ A⁽ᵏ⁺¹⁾(y), so γ(y) ≤ k + 1. It is infinite for both or for neither, and cutting off
/// large distances brings two of them no further apart. So passing or not is ε₁-private. For all
/// sets S of outcomes:
///
/// - γ(x) = 0. Then x passes with probability δ at most, and Pr(M(x) ∈ S) ≤ δ + Pr(M(x) = Refused ∈
///   S) ≤ δ + e^(ε₁)·Pr(M(y) = Refused ∈ S).
/// - γ(x) ≥ 1. Then |f(x) − f(y)| ≤ A⁽⁰⁾(x) ≤ b, whatever γ(y) is. The noise of the answer is
///   ε₂-private for the two, the test ε₁-private, and Pr(M(x) ∈ S) ≤ e^(ε₁+ε₂)·Pr(M(y) ∈ S). ∎
///
/// Of the contract of [`LocalSensitivity`] the proof uses all: that A⁽⁰⁾(x) bounds what one step
/// from x does, and that A⁽ᵏ⁾(x) ≤ A⁽ᵏ⁺¹⁾(y). The search for γ uses that A⁽ᵏ⁾ rises.
///
/// **Which queries.** Any with a ladder: γ is large where it takes many steps to make the answer
/// sensitive. That is so for [medians and quantiles](crate::Quantile) of data that lie densely
/// around them, for [triangles](crate::Triangles) in sparse graphs, and for means of
/// well-concentrated data, if they are [trimmed](crate::TrimmedMean): with m of n records trimmed
/// at each end and all but j records within an interval of length w, it takes at least m − j steps
/// to lift the sensitivity above w/(n−2m). The plain mean is not among them, whatever the data: one
/// step away from any data are some on which a record can move it by all of its global sensitivity.
/// (Records that are clamped to a proposed interval of length w need no test: their mean has the
/// sensitivity w/n. What a test could tell is whether clamping distorts it.)
///
/// **The proposal** must not be chosen by looking at the data. A bound that is too small is
/// refused, and the refusal costs as much as a release.
/// [`PrivateSensitivityBound`](crate::PrivateSensitivityBound) asks the data for one, privately.
///
/// A rule that does not look at them: on public data of the same kind take b =
/// [`local_at_distance`](LocalSensitivity::local_at_distance) at a distance of T + 6/ε₁, where T is
/// the [`threshold`](Self::threshold); data like these then pass except with a probability of about
/// e^−6.
///
/// **Timing.** The search for γ takes time that depends on the data.
///
/// ```
/// use dp_core::{Approx, Measurement};
/// use dp_mechanisms::rng::OsSeeded;
/// use dp_sensitivity::{Graph, Outcome, ProposeTestRelease, Triangles};
///
/// let ring = Graph::new(1000, (0..1000).map(|i| (i, (i + 1) % 1000)));
/// let release = ProposeTestRelease::new(Triangles::new(1000), 15.0, Approx::new(2.0, 1e-6)?)?;
/// assert_eq!(release.guarantee(), Approx::new(2.0, 1e-6)?);
/// assert_eq!(release.noise().scale().get(), 15.0); // instead of 998
/// assert_eq!(release.distance(&ring)?, 28); // for the owner of the data: not private
/// assert!(release.refusal_probability(28) < 1e-6);
/// let published = release.release(&ring, &mut OsSeeded::new()?)?;
/// assert!(matches!(published, Outcome::Released(_) | Outcome::Refused));
///
/// // A median, and what decides: 1001 incomes around 50,000, between 0 and a million.
/// use dp_core::Bounds;
/// use dp_sensitivity::{LocalSensitivity, Quantile};
///
/// let incomes: Vec<f64> = (0..1001).map(|i| 30_000.0 + 40.0 * f64::from(i)).collect();
/// let median = Quantile::median(Bounds::new(0.0, 1e6)?);
/// let target = Approx::new(2.0, 1e-6)?;
/// let timid = ProposeTestRelease::new(median, 300.0, target)?;
/// assert!(timid.refusal_probability(timid.distance(&incomes)?) > 0.99); // refused
/// // As if these were public data of the same kind.
/// let b = median.local_at_distance(&incomes, timid.threshold() + 6)?;
/// let bold = ProposeTestRelease::new(median, b, target)?;
/// // Released, with noise of scale b instead of a million.
/// assert!(b < 1000.0 && bold.refusal_probability(bold.distance(&incomes)?) < 0.01);
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
///
/// Checked as S16 by `cargo xtask verify`.
#[derive(Clone, Debug, PartialEq)]
pub struct ProposeTestRelease<Q> {
    query: Q,
    proposal: f64,
    test: DistanceTest,
    noise: Laplace,
    guarantee: Approx,
}

impl<Q: LocalSensitivity> ProposeTestRelease<Q> {
    /// Proposes a bound on the local sensitivity, and spends half of ε on the test and half on the
    /// release.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless proposal, ε and δ are above 0, and [`Error::Unreachable`] when
    /// the noise would not be finite or the threshold above 2⁵³.
    pub fn new(query: Q, proposal: f64, target: Approx) -> Result<Self, Error> {
        // Halving is exact but for the smallest floats, for which the noise is not finite. So the
        // halves add up to the target.
        let half = target.epsilon().get() / 2.0;
        Self::of_parts(query, proposal, half, half, target.delta())
    }

    /// Proposes a bound on the local sensitivity, and spends ε₁ on the test and ε₂ on the release.
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`Error::LargeDelta`] for a δ that [`Approx::new`] refuses.
    pub fn split(query: Q, proposal: f64, test: f64, release: f64, delta: f64) -> Result<Self, Error> {
        let split = Self::of_parts(query, proposal, test, release, Delta::new(delta)?)?;
        Approx::new(split.guarantee.epsilon().get(), delta)?;
        Ok(split)
    }

    fn of_parts(query: Q, proposal: f64, test: f64, release: f64, delta: Delta) -> Result<Self, Error> {
        positive("epsilon of the test", test)?;
        let (proposal, release) =
            (positive("proposal", proposal)?, positive("epsilon of the release", release)?);
        let noise = Laplace::with_scale(noise_scale(proposal, release)?);
        let tested = DistanceTest::new(test, delta.get())?;
        let epsilon = Pure::new(test)?.compose(&Pure::new(release)?).epsilon();
        let guarantee = Approx::from_parts(epsilon, delta);
        Ok(Self { query, proposal, test: tested, noise, guarantee })
    }

    /// The query.
    pub const fn query(&self) -> &Q {
        &self.query
    }

    /// The proposed bound b.
    pub const fn proposal(&self) -> f64 {
        self.proposal
    }

    /// The noise of a released answer.
    pub const fn noise(&self) -> &Laplace {
        &self.noise
    }

    /// The threshold T: data farther than this from sensitive ones pass more often than not.
    pub const fn threshold(&self) -> u64 {
        self.test.threshold()
    }

    /// An upper bound on the probability that data at this [`distance`](Self::distance) are
    /// refused.
    pub fn refusal_probability(&self, distance: u64) -> f64 {
        (Enclosure::ONE - self.test.passes_with(distance)).probability().hi()
    }

    /// γ: how many steps it takes to data whose local sensitivity, or its bound, is above the
    /// proposal. It is cut off at 3(T + 1), beyond which it makes no difference.
    ///
    /// Not private: for the owner of the data.
    ///
    /// # Errors
    /// When the data do not have the public shape that was declared.
    pub fn distance(&self, data: &Q::Data) -> Result<u64, Error> {
        let sensitive = |k: u64| Ok::<_, Error>(self.query.local_at_distance(data, k)? > self.proposal);
        let farthest = self.test.farthest();
        // `near` is too near to be sensitive; `far` is sensitive, or the end.
        if sensitive(0)? {
            return Ok(0);
        }
        let (mut near, mut far) = (0, 1.min(farthest));
        while far < farthest && !sensitive(far)? {
            (near, far) = (far, far.saturating_mul(2).min(farthest));
        }
        while far > near + 1 {
            let middle = near + (far - near) / 2;
            if sensitive(middle)? { far = middle } else { near = middle }
        }
        Ok(far)
    }
}

/// b/ε₂, rounded up.
fn noise_scale(sensitivity: f64, epsilon: f64) -> Result<Scale, Error> {
    Scale::new(div_up(sensitivity, epsilon)).map_err(|_| Error::Unreachable {
        request: "a finite scale of noise for this proposal and epsilon",
        instead: "allow a larger epsilon for the release, or propose less",
    })
}

impl<Q: LocalSensitivity> Measurement for ProposeTestRelease<Q> {
    type Data = Q::Data;
    type Output = Outcome<f64>;
    type Guarantee = Approx;
    type Adjacency = Q::Adjacency;

    fn guarantee(&self) -> Approx {
        self.guarantee
    }

    fn draw<R: Rng + ?Sized>(&self, data: &Q::Data, rng: &mut R) -> Result<Outcome<f64>, Error> {
        // Whatever can fail does so before anything is drawn.
        let (answer, distance) = (self.query.answer(data)?.get(), self.distance(data)?);
        if self.test.passes(distance, rng)? {
            Ok(Outcome::Released(self.noise.draw(&answer, rng)?))
        } else {
            Ok(Outcome::Refused)
        }
    }
}

/// Of what was released: but for the noise of the release, which is independent of the test, a
/// released value would always be covered. Nothing is known where nothing was released.
impl<Q> WithInterval for ProposeTestRelease<Q> {
    type Released = Outcome<f64>;
    type Interval = Outcome<ConfidenceInterval>;

    fn interval_at(
        &self,
        released: &Outcome<f64>,
        confidence: Confidence,
    ) -> Result<Outcome<ConfidenceInterval>, Error> {
        Ok(match released {
            Outcome::Released(value) => Outcome::Released(self.noise.interval_at(value, confidence)?),
            Outcome::Refused => Outcome::Refused,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graphs::every;
    use crate::testing::jump::Jump;
    use crate::{Graph, Mean, Quantile, Triangles, TrimmedMean};
    use dp_core::{Bounds, Epsilon, Query};
    use dp_mechanisms::rng::Insecure;

    fn target(epsilon: f64, delta: f64) -> Approx {
        Approx::from_parts(Epsilon::new(epsilon).unwrap(), Delta::new(delta).unwrap())
    }

    #[test]
    fn distances_are_those_of_the_definition_and_move_by_one() {
        let graphs = every::graphs(5);
        for proposal in [0.5, 1.0, 2.5, 3.0, 7.0] {
            let release = ProposeTestRelease::new(Triangles::new(5), proposal, target(1.0, 1e-3)).unwrap();
            let query = release.query();
            let distances: Vec<u64> = graphs.iter().map(|graph| release.distance(graph).unwrap()).collect();
            for (number, graph) in graphs.iter().enumerate() {
                let sensitive = |k: &u64| query.local_at_distance(graph, *k).unwrap() > proposal;
                let defined = (0..release.test.farthest()).find(sensitive).unwrap_or(release.test.farthest());
                assert_eq!(distances[number], defined);
                for bit in 0..10 {
                    let other = number ^ 1 << bit;
                    assert!(distances[number].abs_diff(distances[other]) <= 1);
                    let [here, there] = [number, other].map(|i| query.answer(&graphs[i]).unwrap().get());
                    assert!(distances[number] == 0 || (here - there).abs() <= proposal);
                }
            }
        }
    }

    #[test]
    fn long_ladders_are_searched_in_few_steps() {
        let jump = Jump::new(1 << 40);
        for ones in [0, 1 << 38, (1 << 39) - 1, 1 << 39, (1 << 39) + 12345, 1 << 40] {
            let release = ProposeTestRelease::split(jump, 1.0, 1e-9, 1.0, 1e-9).unwrap();
            let exact = jump.steps_to_the_edge(ones);
            assert_eq!(release.distance(&ones).unwrap(), exact.min(release.test.farthest()));
        }
    }

    #[test]
    fn far_data_are_released_and_sensitive_data_refused() {
        let release = ProposeTestRelease::new(Jump::new(1000), 1.0, target(2.0, 1e-6)).unwrap();
        let mut rng = Insecure::seeded(3);
        // At T = 13 and ε₁ = 1: far data fail with a probability below e^−29, sensitive ones pass
        // with one below 10⁻⁶.
        assert_eq!((release.threshold(), release.distance(&1000).unwrap()), (13, 42));
        let released: Vec<f64> =
            (0..200).filter_map(|_| release.draw(&1000, &mut rng).unwrap().released()).collect();
        assert_eq!(released.len(), 200);
        // Lap(1) noise: 30 is passed with probability e^−30.
        assert!(released.iter().all(|value| (value - Jump::HEIGHT).abs() < 30.0));
        assert!((0..200).all(|_| release.draw(&500, &mut rng).unwrap().is_refused()));
        assert!(release.refusal_probability(42) < 1e-11 && release.refusal_probability(0) > 0.999_999);
    }

    /// The oracles of quantiles and trimmed means: at least m − j steps lead from n records, all
    /// but j of which lie within w, to a sensitivity above w/(n−2m).
    #[test]
    fn concentrated_numbers_are_far_from_sensitive_ones() {
        let bounds = Bounds::new(-1000.0, 1000.0).unwrap();
        let (n, m, w) = (400, 100, 2.0);
        for outside in [0usize, 10, 60] {
            let inside = (0u32..).map(|i| f64::from(i % 101) / 50.0 - 1.0).take(n - outside);
            let data: Vec<f64> = inside.chain((0..outside).map(|_| 777.0)).collect();
            let mean = TrimmedMean::new(bounds, n, m).unwrap();
            let proposal = w / 200.0 * (1.0 + 1e-6); // the sensitivity includes some rounding
            let release = ProposeTestRelease::split(mean, proposal, 0.1, 1.0, 1e-3).unwrap();
            let distance = release.distance(&data).unwrap();
            assert!(distance >= (m - outside) as u64 && distance <= m as u64 + 1, "{outside}: {distance}");
            let median = ProposeTestRelease::split(Quantile::median(bounds), w, 0.1, 1.0, 1e-3).unwrap();
            assert!(median.distance(&data).unwrap() >= 150 - outside as u64);
        }
        let plain =
            ProposeTestRelease::split(Mean::new(bounds).under_replace_one(3).unwrap(), 600.0, 0.1, 1.0, 1e-3)
                .unwrap();
        assert!(plain.distance(&[0.0; 3]).unwrap() <= 1);
    }

    #[test]
    fn both_halves_are_spent_and_stated() {
        let halves = ProposeTestRelease::new(Jump::new(10), 3.0, target(0.5, 1e-5)).unwrap();
        assert_eq!(halves.guarantee(), target(0.5, 1e-5));
        assert_eq!((halves.noise().scale().get(), halves.proposal()), (12.0, 3.0));
        let split = ProposeTestRelease::split(Jump::new(10), 3.0, 0.1, 0.2, 1e-5).unwrap();
        assert!(split.guarantee().epsilon().get() >= 0.1 + 0.2 && split.threshold() > halves.threshold());
    }

    #[test]
    fn parameters_and_shapes_are_checked_before_anything_is_drawn() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(ProposeTestRelease::new(Jump::new(10), bad, target(1.0, 0.1)).is_err());
            assert!(ProposeTestRelease::split(Jump::new(10), 1.0, bad, 1.0, 0.1).is_err());
            assert!(ProposeTestRelease::split(Jump::new(10), 1.0, 1.0, bad, 0.1).is_err());
        }
        for (half, delta) in [(1e-6, 0.9), (1e-6, 1e-3), (1.0, 0.5)] {
            let swapped = ProposeTestRelease::split(Jump::new(10), 1.0, half, half, delta);
            assert_eq!(swapped.unwrap_err(), Error::LargeDelta { epsilon: 2.0 * half, delta });
        }
        assert!(ProposeTestRelease::new(Jump::new(10), 1.0, target(1.0, 0.0)).is_err());
        assert!(ProposeTestRelease::new(Jump::new(10), 1.0, target(f64::from_bits(3), 0.1)).is_err());
        let huge = ProposeTestRelease::new(Jump::new(10), f64::MAX, target(0.1, 0.1)).unwrap_err();
        assert!(huge.to_string().contains("propose less"));
        let release = ProposeTestRelease::new(Triangles::new(5), 1.0, target(1.0, 0.1)).unwrap();
        let (mut rng, mut untouched) = (Insecure::seeded(1), Insecure::seeded(1));
        assert!(release.draw(&Graph::new(4, []), &mut rng).is_err());
        assert_eq!(rng.next_u64(), untouched.next_u64());
    }
}
