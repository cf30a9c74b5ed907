//! The variance of bounded records.

use core::marker::PhantomData;

use dp_core::rounding::Enclosure;
use dp_core::{AddRemove, Bounds, Error, Finite, Query, ReplaceOne, Sensitivity, SensitivityIn, Subadditive};

use crate::LocalSensitivity;
use crate::arguments::integer;
use crate::local::ladder;
use crate::local::smoothness::Smoothness;
use crate::spread::deviations::{Deviations, Sums};
use crate::sums::fixed_point::{power_of_two, unit_for};

/// The variance of records that are clamped to [a, b].
///
/// Under add/remove nobody needs to know how many there are: `Variance::new(bounds).with(noise)`
/// releases three noisy sums for the price of one count, and what follows from them. See
/// [`Estimator`](crate::Estimator) for what can be asked, and
/// [`ReleasedVariance`](crate::ReleasedVariance) for what is released.
///
/// Under replace-one, where the number n of records is public and declared, it is a query of one
/// number:
///
/// **Theorem** (claim M9). With Λ = b − a, the sample variance Σ(xᵢ − x̄)²/(n−1) has sensitivity
/// Λ²/n, and the population variance Σ(xᵢ − x̄)²/n has Λ²(n−1)/n². Both are reached.
///
/// **Proof.** Σ(xᵢ − x̄)² = Σ_{i<j}(xᵢ − xⱼ)²/n. Only the n − 1 terms with the replaced record
/// change, each by at most Λ², so the sum of squares moves by at most (n−1)Λ²/n. When all the
/// others are equal to a and the record goes from a to b, all of them move that far. ∎
///
/// Records become integers in units of a power of two of at most 2⁻³⁰ of Λ, counted from a, and
/// n·Σk² − (Σk)² is computed exactly. The division and the conversion to a float round three times,
/// by at most 2⁻⁵³ of the largest variance each, and the sensitivity includes that.
///
/// The standard deviation does *not* have the sensitivity Λ/n (claim M10). Its square root is
/// post-processing: `.map(|v| v.max(0.0).sqrt())`.
///
/// ```
/// use dp_core::{Bounds, L1, Query, SensitivityIn};
/// use dp_sensitivity::Variance;
///
/// let variance = Variance::new(Bounds::new(0.0, 10.0)?).under_replace_one(4)?;
/// assert_eq!(variance.answer(&[2.0, 4.0, 4.0, 6.0])?.get(), 8.0 / 3.0);
/// let sensitivity = SensitivityIn::<L1>::sensitivity(&variance);
/// assert!(sensitivity.value() >= 25.0 && sensitivity.value() < 25.000_001);
/// # Ok::<(), dp_core::Error>(())
/// ```
///
/// Checked as M9 and S31 by `cargo xtask verify`.
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
pub struct Variance<A> {
    bounds: Bounds,
    /// The declared number of records; none under add/remove.
    size: Option<usize>,
    divisor: Divisor,
    /// That of the query of one number; infinite under add/remove, where it is none.
    sensitivity: f64,
    kind: PhantomData<A>,
}

/// What the sum of squared deviations is divided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
enum Divisor {
    /// n − 1, which makes the variance of a sample unbiased.
    Sample,
    /// n.
    Population,
}

impl Variance<AddRemove> {
    /// The sample variance, divided by n − 1, of any number of records that are declared to lie
    /// within `bounds`, under add/remove neighbours.
    #[must_use]
    pub const fn new(bounds: Bounds) -> Self {
        Self { bounds, size: None, divisor: Divisor::Sample, sensitivity: f64::INFINITY, kind: PhantomData }
    }

    /// The population variance, divided by n.
    #[must_use]
    pub const fn population(bounds: Bounds) -> Self {
        Self { divisor: Divisor::Population, ..Self::new(bounds) }
    }

    /// The variance of exactly `size` records, under replace-one neighbours.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 2 ≤ size ≤ 2³² and the square of the width of the bounds is
    /// finite.
    pub fn under_replace_one(self, size: usize) -> Result<Variance<ReplaceOne>, Error> {
        // With integers up to 2³¹ and 2³² of them, n·Σk² and (Σk)² are at most 2¹²⁶.
        integer("size", "[2, 2^32]", size as u128, 2..=1 << 32)?;
        let Self { bounds, divisor, sensitivity, .. } = self;
        let variance = Variance { bounds, size: Some(size), divisor, sensitivity, kind: PhantomData };
        let sensitivity = variance.bound();
        // No variance exceeds the square of the width, so no answer is infinite, if that is finite.
        let width = Enclosure::point(variance.unit()) * Enclosure::point(f64::from_bits((1023 + 31) << 52));
        for finite in [sensitivity, width.square().hi()] {
            Sensitivity::<dp_core::L1, ReplaceOne>::new(finite)?;
        }
        Ok(Variance { sensitivity, ..variance })
    }
}

impl<A: Copy> Variance<A> {
    /// The declared bounds.
    #[must_use]
    pub const fn bounds(self) -> Bounds {
        self.bounds
    }

    /// The declared number of records, under replace-one.
    #[must_use]
    pub const fn size(self) -> Option<usize> {
        self.size
    }

    /// Whether the sum of squares is divided by n − 1.
    pub(crate) fn is_of_a_sample(self) -> bool {
        self.divisor == Divisor::Sample
    }

    pub(crate) fn unit(self) -> f64 {
        unit_for(self.bounds.width(), 31)
    }

    /// The clamped record in units above the lower bound, from 0 to 2³¹. Rises with the record.
    pub(crate) fn integer(self, record: f64) -> i64 {
        let above = self.bounds.clamp(record) - self.bounds.lower();
        #[allow(clippy::cast_possible_truncation)] // at most 2³¹
        let integer = (above / self.unit()).round() as i64;
        integer
    }

    /// The width of the bounds in units.
    pub(crate) fn width(self) -> i128 {
        self.integer(f64::INFINITY).into()
    }
}

impl Variance<ReplaceOne> {
    fn declared(self) -> usize {
        self.size.expect("`under_replace_one` declares it")
    }

    /// The records in units, in the order in which they came.
    fn integers(self, data: &[f64]) -> Result<impl Iterator<Item = i64>, Error> {
        let declared = self.declared();
        if data.len() != declared {
            return Err(Error::WrongSize { declared, found: data.len() });
        }
        Ok(data.iter().map(move |&record| self.integer(record)))
    }

    pub(crate) fn deviations(self, data: &[f64]) -> Result<Deviations, Error> {
        Ok(Deviations::new(self.integers(data)?.collect(), self.width()))
    }

    pub(crate) fn count(self) -> i128 {
        i128::try_from(self.declared()).expect("at most 2³²")
    }

    /// n − 1 or n.
    pub(crate) fn divisor(self) -> i128 {
        match self.divisor {
            Divisor::Sample => self.count() - 1,
            Divisor::Population => self.count(),
        }
    }

    /// The variance in square units: rounded three times, by at most 2⁻⁵³ each.
    pub(crate) fn in_square_units(self, data: &[f64]) -> Result<f64, Error> {
        #[allow(clippy::cast_precision_loss)] // each to the nearest float: counted in the sensitivity
        Ok(Sums::of(self.integers(data)?).scaled() as f64 / (self.count() * self.divisor()) as f64)
    }

    /// All roundings are monotone, so that this is a ladder as the exact one is.
    fn rung(self, deviations: &Deviations, distance: usize) -> f64 {
        self.moved_by(Enclosure::integer(deviations.at_distance(distance))).min(self.sensitivity)
    }

    /// Λ²(n−1)/(n·divisor), and what rounding adds.
    fn bound(self) -> f64 {
        let farthest = Enclosure::integer(((self.count() - 1) * self.width()).pow(2));
        self.moved_by(farthest)
    }

    /// How far a variance moves, at most, when n(n−1) times the sum of squared deviations does by
    /// so much, and what rounding adds: n·Σk² − (Σk)² ≤ n²W²/4, so no variance passes
    /// n·W²/(4·divisor) ≤ W²/2. It is off by 3·2⁻⁵³ of that, with a margin for the products 2⁻⁵¹,
    /// on both sides; and by less than two of the smallest floats where it underflows.
    fn moved_by(self, scaled: Enclosure) -> f64 {
        let (width, unit) = (Enclosure::integer(self.width()), Enclosure::point(self.unit()));
        let moved = scaled
            / Enclosure::integer(self.count() * (self.count() - 1))
            / Enclosure::integer(self.divisor());
        let rounding = width.square() * Enclosure::point(power_of_two(-50));
        ((moved + rounding) * unit * unit + Enclosure::point(f64::from_bits(4))).hi()
    }
}

impl Query for Variance<ReplaceOne> {
    type Data = [f64];
    type Answer = Finite;
    type Adjacency = ReplaceOne;

    fn answer(&self, data: &[f64]) -> Result<Finite, Error> {
        Ok(Finite::or_zero(self.in_square_units(data)? * self.unit() * self.unit()))
    }
}

impl<N: Subadditive> SensitivityIn<N> for Variance<ReplaceOne> {
    fn sensitivity(&self) -> Sensitivity<N, ReplaceOne> {
        Sensitivity::new(self.sensitivity).expect("the constructors have checked it")
    }
}

/// The least ladder for records that may be any real numbers between the bounds, up to the rounding
/// of the variance: the source of `deviations` has the theorem. The smooth bound takes O(n log n).
impl LocalSensitivity for Variance<ReplaceOne> {
    fn local_at_distance(&self, data: &[f64], distance: u64) -> Result<f64, Error> {
        let distance = usize::try_from(distance).unwrap_or(usize::MAX);
        Ok(self.rung(&self.deviations(data)?, distance))
    }

    fn smooth(&self, data: &[f64], beta: Smoothness) -> Result<f64, Error> {
        let deviations = self.deviations(data)?;
        let rung = |distance| self.rung(&deviations, usize::try_from(distance).unwrap_or(usize::MAX));
        // With n records replaced every data set is within reach.
        Ok(ladder::smooth(beta, self.sensitivity, self.declared() as u64, rung))
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
    divisor: Divisor,
}

#[cfg(feature = "serde")]
impl TryFrom<Declared> for Variance<AddRemove> {
    type Error = Error;
    fn try_from(declared: Declared) -> Result<Self, Error> {
        match declared.size {
            None => Ok(Self { divisor: declared.divisor, ..Self::new(declared.bounds) }),
            Some(found) => Err(Error::WrongSize { declared: 0, found }),
        }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Declared> for Variance<ReplaceOne> {
    type Error = Error;
    fn try_from(declared: Declared) -> Result<Self, Error> {
        let any = Variance { divisor: declared.divisor, ..Variance::new(declared.bounds) };
        any.under_replace_one(declared.size.unwrap_or(0))
    }
}

#[cfg(feature = "serde")]
impl<A> From<Variance<A>> for Declared {
    fn from(variance: Variance<A>) -> Self {
        let Variance { bounds, size, divisor, .. } = variance;
        Self { bounds, size, divisor }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::attack::{EXTREMES, SMALL, assert_contract, assert_least, bounds, entry, smoothness};
    use dp_core::L1;
    use proptest::prelude::*;

    fn delta(variance: &Variance<ReplaceOne>) -> f64 {
        SensitivityIn::<L1>::sensitivity(variance).value()
    }

    #[test]
    fn variances_that_underflow_are_covered() {
        for exponent in -545..-530 {
            for width in [1.0, 1.25, 1.75].map(|x| x * 2f64.powi(exponent)) {
                let variance = Variance::new(Bounds::new(0.0, width).unwrap()).under_replace_one(2).unwrap();
                let moved = variance.answer(&[0.0, width]).unwrap().get()
                    - variance.answer(&[0.0, 0.0]).unwrap().get();
                assert!(delta(&variance) >= moved, "{width:e}: {:e} < {moved:e}", delta(&variance));
            }
        }
    }

    #[test]
    fn widths_whose_square_is_infinite_are_refused() {
        // Λ²/n is finite here, but the variance of some records would not be.
        let bounds = Bounds::new(0.0, 2f64.powf(513.2)).unwrap();
        assert!(
            Variance::new(bounds).under_replace_one(8).is_err()
                && Variance::population(bounds).under_replace_one(8).is_err()
        );
        let bounds = Bounds::new(0.0, 2f64.powi(510)).unwrap();
        let variance = Variance::new(bounds).under_replace_one(2).unwrap();
        assert!(variance.answer(&[0.0, f64::MAX]).unwrap().get().is_finite());
    }

    proptest! {
        #[test]
        fn neighbours_stay_within_the_sensitivity(
            bounds in bounds(), data in prop::collection::vec(any::<f64>(), 2..30), at in 0usize..30, other in any::<f64>(),
        ) {
            let at = at % data.len();
            for variance in [Variance::new(bounds).under_replace_one(data.len()), Variance::population(bounds).under_replace_one(data.len())] {
                let Ok(variance) = variance else { continue };
                let answer = |value: f64, data: &[f64]| {
                    let mut changed = data.to_vec();
                    changed[at] = value;
                    variance.answer(&changed).unwrap().get()
                };
                let here = variance.answer(&data).unwrap().get();
                prop_assert!(here.is_finite() && here >= 0.0);
                for value in [EXTREMES.as_slice(), &[other, bounds.lower(), bounds.upper()]].concat() {
                    prop_assert!((answer(value, &data) - here).abs() <= delta(&variance));
                }
                // All equal but one.
                let equal = vec![f64::NEG_INFINITY; data.len()];
                let reached = answer(f64::INFINITY, &equal) - answer(f64::NEG_INFINITY, &equal);
                prop_assert!(reached <= delta(&variance) && (reached >= 0.999 * delta(&variance) || bounds.width() < 1e-150));
            }
        }
    }

    proptest! {
        #[test]
        fn neighbours_obey_the_contract(
            bounds in bounds(), data in prop::collection::vec(entry(), 2..20), at in 0usize..20, other in entry(), beta in smoothness(),
        ) {
            let mut changed = data.clone();
            changed[at % data.len()] = other;
            for variance in [Variance::new(bounds).under_replace_one(data.len()), Variance::population(bounds).under_replace_one(data.len())].into_iter().flatten() {
                assert_contract(&variance, &data[..], &changed[..], beta)?;
            }
        }
    }

    #[test]
    fn the_ladder_is_the_least() {
        for data in SMALL {
            for variance in [Variance::new, Variance::population] {
                let variance =
                    variance(Bounds::new(0.0, 8.0).unwrap()).under_replace_one(data.len()).unwrap();
                assert_least(&variance, data, 8.0).unwrap();
            }
        }
    }

    #[test]
    fn sensitivities_are_those_of_the_theorem() {
        let bounds = Bounds::new(-3.0, 7.0).unwrap();
        for size in [2usize, 3, 50, 1_000_000] {
            #[allow(clippy::cast_precision_loss)]
            let n = size as f64;
            for (variance, truth) in [
                (Variance::new(bounds).under_replace_one(size), 100.0 / n),
                (Variance::population(bounds).under_replace_one(size), 100.0 * (n - 1.0) / (n * n)),
            ] {
                let delta = delta(&variance.unwrap());
                assert!(delta >= truth && delta <= truth * (1.0 + 1e-8), "{size}: {delta} {truth}");
            }
        }
    }

    #[test]
    fn far_from_zero_the_width_counts() {
        let variance = Variance::new(Bounds::new(1e8, 1e8 + 2.0).unwrap()).under_replace_one(3).unwrap();
        assert_eq!(variance.answer(&[1e8, 1e8 + 1.0, 1e8 + 2.0]).unwrap().get(), 1.0);
        assert!(delta(&variance) < 1.34);
    }

    #[test]
    fn public_facts_are_checked() {
        let bounds = Bounds::new(0.0, 1.0).unwrap();
        for size in [0, 1, usize::MAX] {
            assert!(
                Variance::new(bounds).under_replace_one(size).is_err()
                    && Variance::population(bounds).under_replace_one(size).is_err()
            );
        }
        assert!(Variance::new(bounds).under_replace_one(1 << 32).is_ok());
        assert_eq!(Variance::new(bounds).under_replace_one(7).unwrap().size(), Some(7));
        assert!(Variance::new(Bounds::new(0.0, 1e200).unwrap()).under_replace_one(5).is_err());
        let variance = Variance::population(bounds).under_replace_one(2).unwrap();
        assert_eq!(variance.answer(&[1.0]), Err(Error::WrongSize { declared: 2, found: 1 }));
        assert_eq!(variance.answer(&[0.0, 1.0]).unwrap().get(), 0.25);
    }

    #[cfg(feature = "serde")]
    #[test]
    fn declarations_survive_the_disk_and_are_checked() {
        let variance = Variance::new(Bounds::new(0.0, 2.0).unwrap()).under_replace_one(7).unwrap();
        let text = serde_json::to_string(&variance).unwrap();
        assert_eq!(text, r#"{"bounds":[0.0,2.0],"size":7,"divisor":"sample"}"#);
        assert_eq!(serde_json::from_str::<Variance<ReplaceOne>>(&text).unwrap(), variance);
        assert!(
            serde_json::from_str::<Variance<ReplaceOne>>(r#"{"bounds":[0,2],"size":1,"divisor":"sample"}"#)
                .is_err()
        );
    }
}
