//! β: how fast a smooth bound may change from one neighbour to the next.

use dp_core::Error;
use dp_core::rounding::{exp_up, ln_down, mul_down};

use crate::arguments::within;

/// The β of a smooth bound: S(x) ≤ e^β·S(y) for all neighbours x, y (Nissim, Raskhodnikova and
/// Smith 2007).
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "f64", into = "f64"))]
pub struct Smoothness(f64);

/// Every smooth bound is at least this much, so that no product underflows on the way. A constant
/// is smooth, and so is the larger of two smooth bounds.
pub(crate) const LEAST_BOUND: f64 = f64::MIN_POSITIVE * 4.611_686_018_427_388e18; // 2^−960

/// No weight falls below this: from there on the weights are constant, which is smooth, too.
pub(crate) const LEAST_WEIGHT: f64 = 1e-270;

impl Smoothness {
    /// Checks that β lies in a range in which rounding does not matter.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 10⁻⁹ ≤ β ≤ 100.
    pub fn new(beta: f64) -> Result<Self, Error> {
        within("β", "[1e-9, 100]", beta, (1e-9..=100.0).contains(&beta)).map(Self)
    }

    /// β itself.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }

    /// The weight of a change at distance k: a float w(k) with w(0) = 1 and w(k) ≥ e^(−βk), falling
    /// in k, and with
    ///
    /// w(k) ≤ e^β·(1 − 2⁻⁴¹)·w(k+1).
    ///
    /// The last condition covers the rounding of one product, so that max w(k)·A(k) is β-smooth *as
    /// floats compute it*; see [`LocalSensitivity`](crate::LocalSensitivity).
    #[must_use]
    pub fn weight(self, distance: u64) -> f64 {
        // With β' = β − 2⁻⁴⁰ the exponent is at most 625 where it counts, so it is rounded by at
        // most 2⁻⁴⁴, and w(k) lies within a factor 1 + 2⁻⁴³ above e^(−β'k).
        let slower = self.0 - ROOM;
        #[allow(clippy::cast_precision_loss)] // beyond 2⁵³ the exponent is beyond 625
        let exponent = mul_down(slower, distance as f64);
        if distance == 0 { 1.0 } else { exp_up(-exponent).clamp(LEAST_WEIGHT, 1.0) }
    }
}

/// The weights W(k) = e^(−β'k) for β' = β − 2⁻⁴⁰, to within −3 and +9 units of 2⁻⁵² relatively,
/// where they are at least [`LEAST_WEIGHT`].
///
/// Unlike [`Smoothness::weight`] these are close to an exponential function, which makes the best
/// column of a row monotone; see `order_statistics::windows`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weights {
    slower: f64,
}

impl Weights {
    pub(crate) fn new(beta: Smoothness) -> Self {
        Self { slower: beta.0 - ROOM }
    }

    /// W(k), at most 1.
    ///
    /// The exponent is a sum of two floats without error (a fused product), so that e^(−high)·(1 −
    /// low) has only the error of the exponential, 0 to 3 units, and of two roundings; the square
    /// of `low` ≤ 2⁻⁴⁴ is nothing. In [a list](Self::list) there are two such factors and one more
    /// product.
    pub(crate) fn at(self, distance: usize) -> f64 {
        #[allow(clippy::cast_precision_loss)] // no list of floats is longer than 2⁵³
        let k = distance as f64;
        let high = self.slower * k;
        let low = self.slower.mul_add(k, -high);
        (exp_up(-high) * (1.0 - low)).min(1.0)
    }

    /// W(0), …, W(length − 1).
    pub(crate) fn list(self, length: usize) -> Vec<f64> {
        const BLOCK: usize = 256;
        let fine: Vec<f64> = (0..BLOCK.min(length)).map(|k| self.at(k)).collect();
        let blocks = (0..length.div_ceil(BLOCK)).map(|block| self.at(block * BLOCK));
        let mut list: Vec<f64> = blocks.flat_map(|coarse| fine.iter().map(move |w| coarse * w)).collect();
        list.truncate(length);
        list
    }

    /// A k with W(k) ≤ `ratio`, not much larger than the least one, for a ratio that is at least
    /// [`LEAST_WEIGHT`].
    pub(crate) fn reach(self, ratio: f64) -> usize {
        let distance = (1e-3 - ln_down(ratio.max(LEAST_WEIGHT))) / self.slower;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // positive, and saturating
        let whole = distance.max(0.0) as usize;
        whole.saturating_add(1)
    }
}

/// How much slower than e^(−βk) the weights fall.
const ROOM: f64 = 9.094_947_017_729_282e-13; // 2⁻⁴⁰

#[cfg(feature = "serde")]
impl TryFrom<f64> for Smoothness {
    type Error = Error;
    fn try_from(beta: f64) -> Result<Self, Error> {
        Self::new(beta)
    }
}

#[cfg(feature = "serde")]
impl From<Smoothness> for f64 {
    fn from(smoothness: Smoothness) -> Self {
        smoothness.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_core::rounding::Enclosure;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn weights_fall_slowly_enough(log in -9.0..2.0f64, distance in prop_oneof![0u64..1000, 0..u64::MAX - 1]) {
            let beta = Smoothness::new(10f64.powf(log).clamp(1e-9, 100.0)).unwrap();
            let (here, there) = (beta.weight(distance), beta.weight(distance + 1));
            let allowed = Enclosure::point(beta.get()).exp() * Enclosure::point(there) * Enclosure::point(1.0 - 2f64.powi(-41));
            prop_assert!(there <= here && here <= allowed.lo(), "{here} {there}");
            #[allow(clippy::cast_precision_loss)]
            let exponential = (-(Enclosure::point(beta.get()) * Enclosure::point(distance as f64))).exp();
            prop_assert!(here >= exponential.lo());
            prop_assert!(here <= exponential.hi().max(LEAST_WEIGHT) * (1.0 + 1e-9) || beta.get() < 1e-3);
        }
    }

    #[test]
    fn lists_of_weights_are_exponentials() {
        // To within a hundred units, which the enclosure allows itself for the product of a large
        // exponent.
        for beta in [1e-9, 3e-5, 0.01, 0.7, 13.0, 100.0] {
            let weights = Weights::new(Smoothness::new(beta).unwrap());
            let list = weights.list(2000);
            assert_eq!((list.len(), list[0]), (2000, 1.0));
            for (k, w) in (0u32..).zip(&list).filter(|(_, w)| **w > LEAST_WEIGHT) {
                let exponent = Enclosure::point(weights.slower) * Enclosure::point(f64::from(k));
                let exact = (-exponent).exp();
                assert!(
                    *w >= exact.lo() * (1.0 - 3.0 * f64::EPSILON)
                        && *w <= exact.hi() * (1.0 + 9.0 * f64::EPSILON)
                );
                assert!(*w <= 1.0);
            }
            let reach = weights.reach(1e-9);
            assert!(weights.at(reach) <= 1e-9 && (weights.at(reach / 2) > 1e-9 || reach < 4));
            assert!(weights.at(weights.reach(0.0)) <= LEAST_WEIGHT);
        }
    }

    #[test]
    fn only_sensible_rates_are_taken() {
        for bad in [0.0, -1.0, 1e-10, 101.0, f64::NAN, f64::INFINITY] {
            assert!(Smoothness::new(bad).is_err());
        }
        assert_eq!(Smoothness::new(0.3).unwrap().weight(0), 1.0);
    }
}
