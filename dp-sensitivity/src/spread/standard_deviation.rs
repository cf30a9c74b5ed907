//! The standard deviation of bounded records.

use dp_core::rounding::Enclosure;
use dp_core::{AddRemove, Bounds, Error, Finite, Query, ReplaceOne, Sensitivity, SensitivityIn, Subadditive};

use crate::local::ladder;
use crate::local::smoothness::Smoothness;
use crate::spread::deviations::{Deviations, Ends};
use crate::spread::root_ladder;
use crate::sums::fixed_point::power_of_two;
use crate::{LocalSensitivity, Variance};

/// The standard deviation of records that are clamped to [a, b]. `NaN` becomes the middle of the
/// bounds.
///
/// Under add/remove nobody needs to know how many there are: `StandardDeviation::new(bounds)
/// .with(noise)` releases three noisy sums for the price of one count. See
/// [`Estimator`](crate::Estimator) for what can be asked, and
/// [`ReleasedDeviation`](crate::ReleasedDeviation) for what is released.
///
/// Under replace-one, where the number n of records is public and declared, it is a query of one
/// number:
///
/// **Theorem.** With Λ = b − a, the root of the sample variance has sensitivity Λ/√n, and that of
/// the population variance Λ√(n−1)/n. Both are reached.
///
/// *Proof.* Let Q' be the sum of squared deviations of the n − 1 records that stay, and d the
/// distance of the other one from their mean. Then Q = Q' + d²(n−1)/n, and √Q moves by at most
/// √(Q' + Λ²(n−1)/n) − √Q' ≤ Λ√((n−1)/n). When all the others are equal to a and the record goes
/// from a to b, it moves that far. ∎
///
/// It is *not* Λ/n (claim M10), which is what the sensitivity Λ²/n of the variance may suggest: at
/// n = 50 that is seven times too little, see below.
///
/// # On these data
/// The local sensitivity is mostly far below: about Λ²/(2n·SD). Up to distance 64 the ladder is the
/// least one, up to rounding: two neighbours within k steps of x differ most when the records that
/// are not of x are in one place and the others are neighbours in the order, which leaves a search
/// in one dimension for each of a few windows. The source has the theorem and its proof
/// (`root_ladder`), and a ladder by brute force beside it.
///
/// Beyond, it is an upper ladder. Two neighbours of which one is within k ≥ 1 steps of x share n −
/// 1 records, of which at least n − 1 − k are records of x. So their Q' is at least R⁽ᵏ⁾(x), the
/// least sum of squared deviations of n − 1 − k records of x, and their mean is at most d⁽ᵏ⁾(x)
/// from the farther bound, if the other k of the n − 1 are at the bounds. Hence they differ by at
/// most
///
/// > U⁽ᵏ⁾(x) = (√(R + d²(n−1)/n) − √R)/√(n−1), or √(…)/√n for the population.
///
/// U is a ladder: n − 1 − k records of x include n − 2 − k of any neighbour y, so R⁽ᵏ⁺¹⁾(y) ≤
/// R⁽ᵏ⁾(x) and d⁽ᵏ⁺¹⁾(y) ≥ d⁽ᵏ⁾(x), and U rises with d and falls with R. The smaller of two ladders
/// is a ladder, and so is one that goes over to U. So the smooth bound is the smallest there is for
/// up to 64 records, and wherever distances up to 64 decide it, which they do for any number of
/// records for β of 0.3 or more. It takes O(n log n), and from distance 2¹⁴ on the global
/// sensitivity, which counts for β below 0.001 or so.
///
/// The other way is the root of a noisy variance, which is post-processing:
/// `.map(|v| v.max(0.0).sqrt())`. Its error is about that of the variance over 2·SD.
///
/// ```
/// use dp_core::{Bounds, L1, Measurement, Query, SensitivityIn};
/// use dp_mechanisms::Laplace;
/// use dp_sensitivity::{LocalSensitivity, Smoothness, StandardDeviation, Variance};
///
/// let bounds = Bounds::new(0.0, 100.0)?;
/// let deviation = StandardDeviation::new(bounds).under_replace_one(50)?;
/// let (mut equal, mut data) = (vec![0.0; 50], Vec::new());
/// equal[7] = 100.0;
/// let moved = deviation.answer(&equal)?.get() - deviation.answer(&vec![0.0; 50])?.get();
/// assert!((moved - 100.0 / 50f64.sqrt()).abs() < 1e-9); // 14.1, and not 100/50 = 2
/// assert!(SensitivityIn::<L1>::sensitivity(&deviation).value() >= moved);
///
/// data.extend((0..50).map(|i| f64::from(2 * i)));
/// assert!(deviation.local(&data)? < 1.9);
/// assert!(deviation.smooth(&data, Smoothness::new(0.1)?)? < 2.3);
///
/// let variance = Variance::new(bounds).under_replace_one(50)?.with(Laplace::epsilon(1.0)?)?;
/// let processed = variance.map(|v| v.max(0.0).sqrt());
/// # let _ = processed;
/// # Ok::<(), dp_core::Error>(())
/// ```
///
/// Checked as M10 by `cargo xtask verify`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(
        from = "Variance<A>",
        into = "Variance<A>",
        bound(
            deserialize = "Self: From<Variance<A>>, Variance<A>: serde::Deserialize<'de>",
            serialize = "A: Copy, Variance<A>: serde::Serialize"
        )
    )
)]
pub struct StandardDeviation<A> {
    variance: Variance<A>,
    /// That of the query of one number; infinite under add/remove, where it is none.
    sensitivity: f64,
}

impl StandardDeviation<AddRemove> {
    /// The root of the sample variance, divided by n − 1, of any number of records that are
    /// declared to lie within `bounds`, under add/remove neighbours.
    #[must_use]
    pub const fn new(bounds: Bounds) -> Self {
        Self { variance: Variance::new(bounds), sensitivity: f64::INFINITY }
    }

    /// The root of the population variance, divided by n.
    #[must_use]
    pub const fn population(bounds: Bounds) -> Self {
        Self { variance: Variance::population(bounds), sensitivity: f64::INFINITY }
    }

    /// The standard deviation of exactly `size` records, under replace-one neighbours.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 2 ≤ size ≤ 2³² and the square of the width of the bounds is
    /// finite.
    pub fn under_replace_one(self, size: usize) -> Result<StandardDeviation<ReplaceOne>, Error> {
        self.variance.under_replace_one(size).map(StandardDeviation::from)
    }
}

impl<A: Copy> StandardDeviation<A> {
    /// The declared bounds.
    #[must_use]
    pub const fn bounds(self) -> Bounds {
        self.variance.bounds()
    }

    /// The declared number of records, under replace-one.
    #[must_use]
    pub const fn size(self) -> Option<usize> {
        self.variance.size()
    }

    pub(crate) const fn variance(self) -> Variance<A> {
        self.variance
    }
}

impl StandardDeviation<ReplaceOne> {
    /// √(left + step) − √left without cancellation, step/(√(left + step) + √left): right to a
    /// relative 2⁻⁴⁹, since all terms are positive.
    fn step(left: Enclosure, step: Enclosure) -> Enclosure {
        if step == Enclosure::ZERO { step } else { step / ((left + step).sqrt() + left.sqrt()) }
    }

    /// How far the computed deviation moves, in the units of the data, when the root of n(n−1)·Q
    /// moves by so much; rounded up. Rises with its argument.
    ///
    /// *Rounding.* Records become whole numbers first, each by itself, and n·Q is exact. An answer
    /// is then rounded three times as a variance (n·Q, the divisor and their quotient become
    /// floats), which the root halves, and once as a root: by 2.5·2⁻⁵³ of itself, and it is at most
    /// W/√2 units. So it is off by less than 2⁻⁵² of the width, and two answers by less than 2⁻⁵¹;
    /// 2⁻⁵⁰ is added. Units are powers of two: the last product is exact, unless it underflows,
    /// where either answer is off by half of the smallest float; four of these are added.
    fn moved_by(self, root: Enclosure) -> f64 {
        let n = self.variance.count();
        let moved =
            root / (Enclosure::integer(n * (n - 1)) * Enclosure::integer(self.variance.divisor())).sqrt();
        let rounding = Enclosure::integer(self.variance.width()) * Enclosure::point(power_of_two(-50));
        ((moved + rounding) * Enclosure::point(self.variance.unit()) + Enclosure::point(f64::from_bits(4)))
            .hi()
    }

    /// The same, with a margin for the errors of a rung, so that a ladder that is known to 2⁻⁴²
    /// relatively from above is one exactly: if t ≤ r ≤ (1 + 2⁻⁴²)·t for the true rung t and the
    /// computed r, then t(x, k) ≤ t(y, k+1) gives r(x, k)·(1 + k·2⁻⁴⁰) ≤ t(y, k+1)·(1 + 2⁻⁴²)·(1 +
    /// k·2⁻⁴⁰) ≤ r(y, k+1)·(1 + (k+1)·2⁻⁴⁰). Rounding this product and what follows adds 2⁻⁵⁰ or
    /// so, of which 2⁻⁴⁰ − 2⁻⁴² leaves plenty.
    fn at(self, root: Enclosure, distance: usize) -> f64 {
        #[allow(clippy::cast_precision_loss)] // below 2³²
        let room = Enclosure::ONE + Enclosure::point(distance as f64) * Enclosure::point(power_of_two(-40));
        self.moved_by(Enclosure::point((root * room).hi())).min(self.sensitivity)
    }

    /// A⁽⁰⁾, and the upper ladder U from distance 1 on. For data at hand √Q rises most where Q
    /// does; and where Q falls most, it falls to the least Q'.
    fn upper(self, deviations: &Deviations, ends: &Ends, distance: usize) -> f64 {
        let n = self.variance.count();
        if distance == 0 {
            let local = deviations.local();
            let here = Enclosure::integer(deviations.sums().scaled()) * Enclosure::integer(n - 1);
            let left = Enclosure::integer(local.left) * Enclosure::integer(n);
            let [rise, fall] = [(here, local.rise), (left, local.fall)]
                .map(|(from, step)| self.at(Self::step(from, Enclosure::integer(step.max(0))), 0));
            return rise.max(fall);
        }
        let Some(least) = ends.least(distance) else { return self.sensitivity };
        let left = Enclosure::integer(least.scaled()) / Enclosure::integer(least.count)
            * Enclosure::integer(n * (n - 1));
        self.at(Self::step(left, Enclosure::integer(ends.farthest(distance).pow(2))), distance)
    }

    /// The least ladder up to [`NEAR`], the upper one beyond. The smaller of two ladders is one,
    /// and so is one that goes over to a higher one.
    fn rung(self, deviations: &Deviations, ends: &Ends, distance: usize) -> f64 {
        let upper = self.upper(deviations, ends, distance);
        if (1..deviations.size().min(NEAR + 1)).contains(&distance) {
            let least = root_ladder::at_distance(deviations, ends, distance);
            self.at(Enclosure::point(least), distance).min(upper)
        } else {
            upper
        }
    }
}

/// How far the ladder is the least one.
const NEAR: usize = 64;

/// From here on the smooth bound takes the global sensitivity: windows are tried one by one, so
/// that all distances up to this one together take its square in steps.
const FARTHEST: usize = 1 << 14;

impl From<Variance<ReplaceOne>> for StandardDeviation<ReplaceOne> {
    fn from(variance: Variance<ReplaceOne>) -> Self {
        let deviation = Self { variance, sensitivity: 0.0 };
        let farthest = (variance.count() - 1) * variance.width();
        Self { sensitivity: deviation.moved_by(Enclosure::integer(farthest)), ..deviation }
    }
}

impl From<Variance<AddRemove>> for StandardDeviation<AddRemove> {
    fn from(variance: Variance<AddRemove>) -> Self {
        Self { variance, sensitivity: f64::INFINITY }
    }
}

impl<A> From<StandardDeviation<A>> for Variance<A> {
    fn from(deviation: StandardDeviation<A>) -> Self {
        deviation.variance
    }
}

impl Query for StandardDeviation<ReplaceOne> {
    type Data = [f64];
    type Answer = Finite;
    type Adjacency = ReplaceOne;

    fn answer(&self, data: &[f64]) -> Result<Finite, Error> {
        Ok(Finite::or_zero(self.variance.in_square_units(data)?.sqrt() * self.variance.unit()))
    }
}

impl<N: Subadditive> SensitivityIn<N> for StandardDeviation<ReplaceOne> {
    fn sensitivity(&self) -> Sensitivity<N, ReplaceOne> {
        Sensitivity::new(self.sensitivity).expect("no more than the width, whose square is finite")
    }
}

/// The least ladder up to rounding and to distance 64, an upper one beyond.
impl LocalSensitivity for StandardDeviation<ReplaceOne> {
    fn local_at_distance(&self, data: &[f64], distance: u64) -> Result<f64, Error> {
        let deviations = self.variance.deviations(data)?;
        let distance = usize::try_from(distance).unwrap_or(usize::MAX);
        Ok(self.rung(&deviations, &deviations.ends(distance.min(data.len())), distance))
    }

    fn smooth(&self, data: &[f64], beta: Smoothness) -> Result<f64, Error> {
        let deviations = self.variance.deviations(data)?;
        let ends = deviations.ends(FARTHEST);
        // With n records replaced every data set is within reach.
        let last = deviations.size().min(FARTHEST);
        let rung = |distance| match usize::try_from(distance) {
            Ok(distance) if distance < last => self.rung(&deviations, &ends, distance),
            _ => self.sensitivity,
        };
        Ok(ladder::smooth(beta, self.sensitivity, last as u64, rung))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::attack::{SMALL, assert_contract, assert_least, bounds, entry, smoothness};
    use crate::testing::brute;
    use dp_core::L1;
    use proptest::prelude::*;

    fn both(bounds: Bounds, size: usize) -> impl Iterator<Item = StandardDeviation<ReplaceOne>> {
        [
            StandardDeviation::new(bounds).under_replace_one(size),
            StandardDeviation::population(bounds).under_replace_one(size),
        ]
        .into_iter()
        .flatten()
    }

    #[test]
    fn the_ladder_is_the_least() {
        for data in SMALL {
            for deviation in both(Bounds::new(0.0, 8.0).unwrap(), data.len()) {
                assert_least(&deviation, data, 8.0).unwrap();
            }
        }
    }

    #[test]
    fn local_sensitivities_are_exact() {
        // Denser records than the grid of values cannot be missed by much: the mean of the others
        // is one of them, or near.
        let values: Vec<f64> = (0..=960).map(|i| f64::from(i) / 120.0).collect();
        for data in [
            vec![0, 0, 960],
            vec![120, 240, 240, 720],
            vec![0, 960],
            vec![480, 480, 480],
            vec![0, 100, 200, 300, 960],
        ] {
            for deviation in both(Bounds::new(0.0, 8.0).unwrap(), data.len()) {
                let numbers = |list: &[usize]| list.iter().map(|&at| values[at]).collect::<Vec<_>>();
                let answer = |list: &Vec<usize>| deviation.answer(&numbers(list)).unwrap().get();
                let truth = brute::ladder(&data, 0, |list| brute::replaced(list, values.len()), answer)[0];
                let found = deviation.local(&numbers(&data)).unwrap();
                assert!(found >= truth && found <= truth * (1.0 + 1e-4), "{data:?}: {found} {truth}");
            }
        }
    }

    proptest! {
        #[test]
        fn neighbours_obey_the_contract(
            bounds in bounds(), data in prop::collection::vec(entry(), 2..20), at in 0usize..20, other in entry(), beta in smoothness(),
        ) {
            let at = at % data.len();
            for deviation in both(bounds, data.len()) {
                let mut changed = data.clone();
                changed[at] = other;
                assert_contract(&deviation, &data[..], &changed[..], beta)?;
            }
        }

    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]
        #[test]
        fn close_neighbours_obey_the_contract(
            data in prop::collection::vec(0.0..1.0f64, 30..120), at in 0usize..30, other in 0.0..1.0f64, beta in smoothness(),
        ) {
            let mut changed = data.clone();
            changed[at] = other;
            for deviation in both(Bounds::new(0.0, 1.0).unwrap(), data.len()) {
                assert_contract(&deviation, &data[..], &changed[..], beta)?;
            }
        }
    }

    #[test]
    fn sensitivities_are_those_of_the_theorem() {
        for size in [2usize, 3, 50, 1_000_000] {
            #[allow(clippy::cast_precision_loss)]
            let n = size as f64;
            let truths = [10.0 / n.sqrt(), 10.0 * (n - 1.0).sqrt() / n];
            for (deviation, truth) in both(Bounds::new(-3.0, 7.0).unwrap(), size).zip(truths) {
                let delta = SensitivityIn::<L1>::sensitivity(&deviation).value();
                assert!(delta >= truth && delta <= truth * (1.0 + 1e-8), "{size}: {delta} {truth}");
                if size < 100 {
                    let mut data = vec![-3.0; size];
                    let before = deviation.answer(&data).unwrap().get();
                    data[0] = 7.0;
                    assert!((deviation.answer(&data).unwrap().get() - before - truth).abs() < 1e-8);
                }
            }
        }
    }

    #[test]
    fn public_facts_are_checked() {
        let bounds = Bounds::new(0.0, 1.0).unwrap();
        assert!(
            StandardDeviation::new(bounds).under_replace_one(1).is_err()
                && StandardDeviation::population(bounds).under_replace_one(0).is_err()
        );
        let deviation = StandardDeviation::population(bounds).under_replace_one(2).unwrap();
        assert_eq!(deviation.answer(&[1.0]), Err(Error::WrongSize { declared: 2, found: 1 }));
        assert_eq!(deviation.local(&[1.0]), Err(Error::WrongSize { declared: 2, found: 1 }));
        assert_eq!(deviation.answer(&[0.0, 1.0]).unwrap().get(), 0.5);
    }

    #[cfg(feature = "serde")]
    #[test]
    fn declarations_survive_the_disk_and_are_checked() {
        let deviation = StandardDeviation::new(Bounds::new(0.0, 2.0).unwrap()).under_replace_one(7).unwrap();
        let text = serde_json::to_string(&deviation).unwrap();
        assert_eq!(text, r#"{"bounds":[0.0,2.0],"size":7,"divisor":"sample"}"#);
        assert_eq!(serde_json::from_str::<StandardDeviation<ReplaceOne>>(&text).unwrap(), deviation);
        assert!(
            serde_json::from_str::<StandardDeviation<ReplaceOne>>(
                r#"{"bounds":[0,2],"size":1,"divisor":"sample"}"#
            )
            .is_err()
        );
    }
}
