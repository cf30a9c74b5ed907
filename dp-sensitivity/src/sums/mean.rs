//! The mean of bounded records.

use dp_core::rounding::sub_up;
use dp_core::{Bounds, Error, Finite, Query, ReplaceOne, Sensitivity, SensitivityIn, Subadditive};

use crate::LocalSensitivity;
use crate::arguments::integer;
use crate::sums::average::Average;

/// The mean of n records, clamped to [a, b], under replace-one neighbours, for whom n is public.
///
/// Its records are floats. Collect them from other records first, for instance by
/// `people.iter().map(|person| f64::from(person.age))`.
///
/// Its sensitivity is (b − a)/n. The sum is exact in fixed point; the division and the conversion
/// to a float round three times, by at most 2⁻⁵³ of the largest mean each, and the sensitivity
/// includes that. `NaN` becomes the middle of the bounds.
///
/// **Theorem** (claim S4). LS(x) = max_j max(x_j − a, b − x_j)/n, and A⁽ᵏ⁾(x) = (b − a)/n for k ≥
/// 1: no ladder is lower.
///
/// *Proof.* Replacing x_j moves the mean by up to the larger of its distances to the bounds, over
/// n. One step from any data lies a record at a, which the next one can move to b. ∎
///
/// So the smooth sensitivity is never far from the global one, max(LS(x), e^(−β)·(b − a)/n), and
/// little is gained by it.
///
/// Checked as S4 by `cargo xtask verify`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Declared", into = "Declared"))]
pub struct Mean {
    average: Average,
    size: usize,
}

impl Mean {
    /// The mean of `size` ≥ 1 records that are declared to lie within `bounds`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when the size is zero.
    pub fn new(bounds: Bounds, size: usize) -> Result<Self, Error> {
        integer("size", "[1, ∞)", size, 1..)?;
        Ok(Self { average: Average::new(bounds, size, 1)?, size })
    }

    /// The declared bounds.
    #[must_use]
    pub const fn bounds(self) -> Bounds {
        self.average.bounds()
    }

    /// The declared number of records.
    #[must_use]
    pub const fn size(self) -> usize {
        self.size
    }
}

impl Query for Mean {
    type Data = [f64];
    type Answer = Finite;
    type Adjacency = ReplaceOne;

    fn answer(&self, data: &[f64]) -> Result<Finite, Error> {
        Ok(Finite::or_zero(self.average.of(self.average.total(data, self.size)?)))
    }
}

impl<N: Subadditive> SensitivityIn<N> for Mean {
    fn sensitivity(&self) -> Sensitivity<N, ReplaceOne> {
        Sensitivity::new(self.average.sensitivity()).expect("`new` has checked it")
    }
}

/// The least ladder, up to the rounding of the mean.
impl LocalSensitivity for Mean {
    fn local_at_distance(&self, data: &[f64], distance: u64) -> Result<f64, Error> {
        let units = self.average.units(data, self.size)?;
        let (least, most) = self.average.range();
        let farthest = units.iter().map(|&x| sub_up(x, least).max(sub_up(most, x))).fold(0.0, f64::max);
        Ok(self.average.moved(if distance == 0 { farthest } else { sub_up(most, least) }))
    }
}

#[cfg(feature = "serde")]
dp_core::on_disk! {
    Declared for mean: Mean { bounds: Bounds = mean.bounds(), size: usize = mean.size } => Self::new(bounds, size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::attack::{assert_agreement, assert_contract, bounds, entry, smoothness};
    use crate::testing::brute;
    use dp_core::L1;
    use proptest::prelude::*;

    fn delta(mean: &Mean) -> f64 {
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
            let Ok(mean) = Mean::new(bounds, data.len()) else { return Ok(()) };
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
            let mean = Mean::new(Bounds::new(-2.0, 6.0).unwrap(), size).unwrap();
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
            let Ok(mean) = Mean::new(bounds, data.len()) else { return Ok(()) };
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
            let mean = Mean::new(Bounds::new(0.0, 110.0).unwrap(), size).unwrap();
            assert!(delta(&mean) >= expected && delta(&mean) <= expected * (1.0 + 1e-8), "{size}");
        }
    }

    #[test]
    fn public_facts_are_checked() {
        let bounds = Bounds::new(0.0, 1.0).unwrap();
        assert!(Mean::new(bounds, 0).is_err());
        let mean = Mean::new(bounds, 3).unwrap();
        assert_eq!(mean.answer(&[1.0]), Err(Error::WrongSize { declared: 3, found: 1 }));
        assert_eq!(mean.answer(&[0.25, 0.5, 0.75]).unwrap().get(), 0.5);
    }

    #[cfg(feature = "serde")]
    #[test]
    fn declarations_survive_the_disk_and_are_checked() {
        let mean = Mean::new(Bounds::new(0.0, 2.0).unwrap(), 7).unwrap();
        let text = serde_json::to_string(&mean).unwrap();
        assert_eq!(text, r#"{"bounds":[0.0,2.0],"size":7}"#);
        assert_eq!(serde_json::from_str::<Mean>(&text).unwrap(), mean);
        assert!(serde_json::from_str::<Mean>(r#"{"bounds":[0.0,2.0],"size":0}"#).is_err());
        assert!(serde_json::from_str::<Mean>(r#"{"bounds":[3.0,2.0],"size":1}"#).is_err());
    }
}
