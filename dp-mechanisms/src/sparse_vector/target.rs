//! The least noise for an ε.

use core::marker::PhantomData;

use dp_core::rounding::{Enclosure, div_down, div_up, mul_up, sub_down};
use dp_core::{Calibrate, Epsilon, Error, MeasuredIn, Pure, Scale};

use super::{AboveThreshold, steps};
use crate::selection::{General, Monotone, Scores};

/// A threshold, a number of positives and an ε: becomes an [`AboveThreshold`] when the sensitivity
/// is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AboveThresholdTarget<S = General> {
    pub(super) threshold: f64,
    pub(super) positives: u32,
    pub(super) epsilon: Epsilon,
    pub(super) kind: PhantomData<S>,
}

impl AboveThresholdTarget {
    /// The same target for [`Monotone`] answers: less noise.
    #[must_use]
    pub const fn monotone(self) -> AboveThresholdTarget<Monotone> {
        let Self { threshold, positives, epsilon, .. } = self;
        AboveThresholdTarget { threshold, positives, epsilon, kind: PhantomData }
    }
}

impl<S: Scores> Calibrate for AboveThresholdTarget<S> {
    type Mechanism = AboveThreshold<S>;
    type Guarantee = Pure;

    /// With m = 2c (or c for monotone answers): ε₁ = ε/(1 + m^⅔) for the threshold and ε₂ = ε − ε₁
    /// for the answers, which makes the variance of the difference of the two noises,
    /// 2(Δ/ε₁)² + 2(mΔ/ε₂)², the least. Any other split would be as private.
    fn calibrate(self, sensitivity: impl MeasuredIn<S::Norm>) -> Result<(AboveThreshold<S>, Pure), Error> {
        let (epsilon, by) = (self.epsilon.get(), sensitivity.value());
        if by == 0.0 {
            return Err(Error::Unreachable {
                request: "a scale of noise for a sensitivity of 0",
                instead: "the answers are the same on all neighbours and need no noise; compare them as they are, \
                          or state their true sensitivity",
            });
        }
        let steps = steps::<S>(self.positives);
        let two_thirds = Enclosure::point(2.0) / Enclosure::point(3.0);
        let weight = (Enclosure::ONE + (two_thirds * Enclosure::point(steps).ln()).exp()).hi();
        let first = div_down(epsilon, weight);
        let second = sub_down(epsilon, first);
        let scales = (first > 0.0 && second > 0.0)
            .then(|| (div_up(by, first), div_up(mul_up(steps, by), second)))
            .filter(|(b1, b2)| b1.is_finite() && b2.is_finite());
        let Some((b1, b2)) = scales else {
            return Err(Error::Unreachable {
                request: "the sensitivity divided by epsilon, the scale of the noise,",
                instead: "no finite scale is that large; allow a larger epsilon or bound the records more tightly",
            });
        };
        let mechanism =
            AboveThreshold::scaled(self.threshold, self.positives, Scale::new(b1)?, Scale::new(b2)?)?;
        Ok((mechanism, self.epsilon.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_core::{AddRemove, LInf, Sensitivity};

    #[test]
    fn no_other_split_has_less_variance() {
        let by = Sensitivity::<LInf, AddRemove>::new(3.0).unwrap();
        for positives in [1u8, 3, 20] {
            let steps = 2.0 * f64::from(positives);
            let target = AboveThreshold::epsilon(0.5, 0.0, positives.into()).unwrap();
            let (mechanism, _) = target.calibrate(by).unwrap();
            let chosen = mechanism.threshold_scale().get().hypot(mechanism.answer_scale().get());
            let others = (1..1000u16).map(|k| 0.5 * f64::from(k) / 1000.0);
            let least = others.map(|first| (3.0 / first).hypot(steps * 3.0 / (0.5 - first)));
            let least = least.fold(f64::INFINITY, f64::min);
            assert!((chosen / least - 1.0).abs() < 1e-4, "{positives}: {chosen}, but {least}");
        }
    }
}
