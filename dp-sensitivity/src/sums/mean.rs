//! The mean of bounded records.

use core::marker::PhantomData;

use dp_core::rounding::sub_up;
use dp_core::{AddRemove, Bounds, Error, Finite, Query, ReplaceOne, Sensitivity, SensitivityIn, Subadditive};

use crate::LocalSensitivity;
use crate::arguments::integer;
use crate::sums::average::Average;

/// The mean of records that are clamped to [a, b].
///
/// Under add/remove nobody needs to know how many there are: `Mean::new(bounds).with(noise)`
/// releases a noisy sum and a noisy count for the price of one count, and their ratio. See
/// [`Estimator`] for what can be asked, and [`ReleasedMean`] for what is released.
///
/// ```
/// use dp_core::{Bounds, Measurement, Pure, WithInterval};
/// use dp_mechanisms::{Laplace, rng::OsSeeded};
/// use dp_sensitivity::{Estimator, Mean};
///
/// struct Person { is_nurse: bool, hours: f64 }
///
/// let people: Vec<Person> =
///     (0..900).map(|i| Person { is_nurse: i % 3 == 0, hours: f64::from(30 + i % 20) }).collect();
/// let hours = Mean::new(Bounds::new(0.0, 80.0)?).of(|p: &Person| p.hours).only(|p| p.is_nurse);
/// let release = hours.with(Laplace::epsilon(0.5)?)?;
/// assert_eq!(release.guarantee(), Pure::new(0.5)?);
/// let released = release.release(&people, &mut OsSeeded::new()?)?;
/// println!("{released:.1} hours of about {:.0} nurses", released.count());
/// println!("at 95 % within {}", release.interval(&released, 0.95)?);
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
///
/// Under replace-one, where the number n of records is public and declared, it is a query of one
/// number with sensitivity (b − a)/n:
///
/// ```
/// use dp_core::{Bounds, L1, Query, SensitivityIn};
/// use dp_sensitivity::Mean;
///
/// let mean = Mean::new(Bounds::new(0.0, 100.0)?).under_replace_one(4)?;
/// assert_eq!(mean.answer(&[10.0, 20.0, 1e9, f64::NAN])?.get(), 45.0); // 10, 20, 100 and 50
/// assert!(SensitivityIn::<L1>::sensitivity(&mean).value() < 25.000_001);
/// # Ok::<(), dp_core::Error>(())
/// ```
///
/// The number of a group of private records, such as all nurses in a list of people, is private: it
/// must not be declared. Filter by [`only`](dp_core::Of::only) under add/remove.
///
/// Its records are floats, and `NaN` becomes the middle of the bounds. Sums are exact in fixed
/// point. Under replace-one the division and the conversion to a float round three times, by at
/// most 2⁻⁵³ of the largest mean each, and the sensitivity includes that.
///
/// **Theorem** (claim S4). Under replace-one LS(x) = max_j max(x_j − a, b − x_j)/n, and A⁽ᵏ⁾(x) =
/// (b − a)/n for k ≥ 1: no ladder is lower.
///
/// *Proof.* Replacing x_j moves the mean by up to the larger of its distances to the bounds, over
/// n. One step from any data lies a record at a, which the next one can move to b. ∎
///
/// So the smooth sensitivity is never far from the global one, max(LS(x), e^(−β)·(b − a)/n), and
/// little is gained by it.
///
/// Checked as S4 and S30 by `cargo xtask verify`.
///
/// [`Estimator`]: crate::Estimator
/// [`ReleasedMean`]: crate::ReleasedMean
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(
        try_from = "Declared",
        into = "Declared",
        bound(deserialize = "Self: TryFrom<Declared, Error = Error>", serialize = "A: Clone")
    )
)]
pub struct Mean<A> {
    bounds: Bounds,
    /// The number of records and what follows from it; none under add/remove.
    declared: Option<Average>,
    kind: PhantomData<A>,
}

impl Mean<AddRemove> {
    /// The mean of any number of records that are declared to lie within `bounds`, under add/remove
    /// neighbours.
    #[must_use]
    pub const fn new(bounds: Bounds) -> Self {
        Self { bounds, declared: None, kind: PhantomData }
    }

    /// The mean of exactly `size` ≥ 1 records, under replace-one neighbours.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when the size is zero.
    pub fn under_replace_one(self, size: usize) -> Result<Mean<ReplaceOne>, Error> {
        integer("size", "[1, ∞)", size, 1..)?;
        let declared = Some(Average::new(self.bounds, size, 1)?);
        Ok(Mean { bounds: self.bounds, declared, kind: PhantomData })
    }
}

impl<A> Mean<A> {
    /// The declared bounds.
    #[must_use]
    pub const fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// The declared number of records, under replace-one.
    #[must_use]
    pub fn size(&self) -> Option<usize> {
        self.declared.map(Average::divisor)
    }
}

impl Mean<ReplaceOne> {
    fn average(&self) -> Average {
        self.declared.expect("`under_replace_one` declares it")
    }

    fn declared_size(&self) -> usize {
        self.average().divisor()
    }
}

impl Query for Mean<ReplaceOne> {
    type Data = [f64];
    type Answer = Finite;
    type Adjacency = ReplaceOne;

    fn answer(&self, data: &[f64]) -> Result<Finite, Error> {
        Ok(Finite::or_zero(self.average().of(self.average().total(data, self.declared_size())?)))
    }
}

impl<N: Subadditive> SensitivityIn<N> for Mean<ReplaceOne> {
    fn sensitivity(&self) -> Sensitivity<N, ReplaceOne> {
        Sensitivity::new(self.average().sensitivity()).expect("`new` has checked it")
    }
}

/// The least ladder under replace-one, up to the rounding of the mean.
impl LocalSensitivity for Mean<ReplaceOne> {
    fn local_at_distance(&self, data: &[f64], distance: u64) -> Result<f64, Error> {
        let units = self.average().units(data, self.declared_size())?;
        let (least, most) = self.average().range();
        let farthest = units.iter().map(|&x| sub_up(x, least).max(sub_up(most, x))).fold(0.0, f64::max);
        Ok(self.average().moved(if distance == 0 { farthest } else { sub_up(most, least) }))
    }
}

/// What is written to disk.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Declared {
    bounds: Bounds,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    size: Option<usize>,
}

#[cfg(feature = "serde")]
impl TryFrom<Declared> for Mean<AddRemove> {
    type Error = Error;
    fn try_from(declared: Declared) -> Result<Self, Error> {
        match declared.size {
            None => Ok(Self::new(declared.bounds)),
            Some(found) => Err(Error::WrongSize { declared: 0, found }),
        }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Declared> for Mean<ReplaceOne> {
    type Error = Error;
    fn try_from(declared: Declared) -> Result<Self, Error> {
        Mean::new(declared.bounds).under_replace_one(declared.size.unwrap_or(0))
    }
}

#[cfg(feature = "serde")]
impl<A> From<Mean<A>> for Declared {
    fn from(mean: Mean<A>) -> Self {
        Self { bounds: mean.bounds, size: mean.size() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::attack::{assert_agreement, assert_contract, bounds, entry, smoothness};
    use crate::testing::brute;
    use dp_core::L1;
    use proptest::prelude::*;

    fn delta(mean: &Mean<ReplaceOne>) -> f64 {
        SensitivityIn::<L1>::sensitivity(mean).value()
    }

    proptest! {
        /// Random and extremal neighbours never exceed the sensitivity, and the extremal ones reach
        /// it.
        #[test]
        fn neighbours_stay_within_the_sensitivity(
            bounds in prop_oneof![(-10.0..0.0f64, 0.0..10.0f64), (1e8..1e8 + 1.0, 1e8 + 1.0..1e8 + 2.0), (any::<f64>(), any::<f64>())],
            data in prop::collection::vec(any::<f64>(), 1..30), at in 0usize..30, other in any::<f64>(),
        ) {
            let Ok(bounds) = Bounds::new(bounds.0, bounds.1) else { return Ok(()) };
            let Ok(mean) = Mean::new(bounds).under_replace_one(data.len()) else { return Ok(()) };
            let at = at % data.len();
            let answer = |value: f64| {
                let mut changed = data.clone();
                changed[at] = value;
                mean.answer(&changed).unwrap().get()
            };
            let here = mean.answer(&data).unwrap().get();
            prop_assert!(here.is_finite());
            for value in [other, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, bounds.lower(), bounds.upper()] {
                prop_assert!((answer(value) - here).abs() <= delta(&mean));
            }
            let reached = (answer(f64::INFINITY) - answer(f64::NEG_INFINITY)).abs();
            prop_assert!(reached >= 0.9 * delta(&mean) || bounds.width() < bounds.magnitude() * 1e-10);
        }
    }

    #[test]
    fn the_ladder_is_the_least() {
        const VALUES: [f64; 4] = [-2.0, -1.0, 2.5, 6.0];
        for size in 1..5 {
            let mean = Mean::new(Bounds::new(-2.0, 6.0).unwrap()).under_replace_one(size).unwrap();
            for data in brute::multisets(4, size) {
                let neighbours = |list: &[usize]| brute::replaced(list, 4);
                assert_agreement(&mean, &VALUES, &data, neighbours, (size, 1e-12)).unwrap();
            }
        }
    }

    proptest! {
        #[test]
        fn neighbours_obey_the_contract(
            bounds in bounds(), data in prop::collection::vec(entry(), 1..20), at in 0usize..20, other in entry(), beta in smoothness(),
        ) {
            let Ok(mean) = Mean::new(bounds).under_replace_one(data.len()) else { return Ok(()) };
            let mut changed = data.clone();
            changed[at % data.len()] = other;
            assert_contract(&mean, &data[..], &changed[..], beta)?;
        }
    }

    #[test]
    fn the_sensitivity_is_the_width_over_the_size() {
        for size in [1, 3, 1000, 1_000_000] {
            #[allow(clippy::cast_precision_loss)]
            let expected = 110.0 / size as f64;
            let mean = Mean::new(Bounds::new(0.0, 110.0).unwrap()).under_replace_one(size).unwrap();
            assert!(delta(&mean) >= expected && delta(&mean) <= expected * (1.0 + 1e-8), "{size}");
        }
    }

    #[test]
    fn public_facts_are_checked() {
        let bounds = Bounds::new(0.0, 1.0).unwrap();
        assert!(Mean::new(bounds).under_replace_one(0).is_err());
        let mean = Mean::new(bounds).under_replace_one(3).unwrap();
        assert_eq!(mean.answer(&[1.0]), Err(Error::WrongSize { declared: 3, found: 1 }));
        assert_eq!(mean.answer(&[0.25, 0.5, 0.75]).unwrap().get(), 0.5);
    }

    #[cfg(feature = "serde")]
    #[test]
    fn declarations_survive_the_disk_and_are_checked() {
        let mean = Mean::new(Bounds::new(0.0, 2.0).unwrap()).under_replace_one(7).unwrap();
        let text = serde_json::to_string(&mean).unwrap();
        assert_eq!(text, r#"{"bounds":[0.0,2.0],"size":7}"#);
        assert_eq!(serde_json::from_str::<Mean<ReplaceOne>>(&text).unwrap(), mean);
        assert!(serde_json::from_str::<Mean<ReplaceOne>>(r#"{"bounds":[0.0,2.0],"size":0}"#).is_err());
        assert!(serde_json::from_str::<Mean<ReplaceOne>>(r#"{"bounds":[3.0,2.0],"size":1}"#).is_err());
    }
}
