//! The interval of a variance from noisy sums.

use super::{Confidence, ConfidenceInterval, NoisySum};
use crate::Error;
use crate::arguments::positive;
use crate::rounding::Enclosure;

/// The interval that covers the variance Σt²/n − (Σt/n)² of numbers t in [0, 1], from noisy sums of
/// Σ(1 − t)², λ·Σ2t(1 − t) and Σt². It lies within [0, ¼], as the variance does; a square root by
/// [`ConfidenceInterval::map_monotone`] makes it that of the standard deviation.
///
/// **Proof.** Let B₀, B₁, B₂ be the sums without λ. They add up to n, and Σt = ½B₁ + B₂, so the
/// variance is V = (B₀B₂ − ¼B₁²)/n². The intervals of the three sums hold together with the
/// confidence that is asked for, each at (1−β)^(1/3), and what is returned holds V on all of their
/// box. Where V ≥ 0, it falls in B₁: the numerator falls and the denominator rises. In B₀ it rises
/// up to B₁ + B₂ + B₁²/2B₂ and falls beyond, for its derivative has the sign of B₂(B₁ + B₂ − B₀) +
/// ½B₁²; the summit is B₂²/(2B₂ + B₁)². The same holds of B₂. So the least value on the box is at
/// one of the four corners with the largest B₁. The largest has the smallest B₁; it is at a corner,
/// at a summit of one of the four edges, or inside, where B₀ and B₂ are both at their summits; that
/// takes B₁ = 0 and B₀ = B₂, and then an edge reaches the same ¼. ∎
///
/// ```
/// use dp_core::interval::{Confidence, NoiseLaw, NoisySum, variance_interval};
/// use dp_core::Scale;
///
/// // A thousand zeros and a thousand ones.
/// let scale = Scale::new(2.0)?;
/// let sum = |released| NoisySum::new(NoiseLaw::Laplace, released, scale, 0.0);
/// let variance = variance_interval([sum(1003.0), sum(1.0), sum(999.0)], 1.0, Confidence::new(0.95)?)?;
/// assert!(variance.contains(0.25) && variance.lower() > 0.24);
/// # Ok::<(), dp_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::OutOfRange`] unless λ is positive and finite.
pub fn variance_interval(
    sums: [NoisySum; 3],
    lambda: f64,
    confidence: Confidence,
) -> Result<ConfidenceInterval, Error> {
    let lambda = Enclosure::point(positive("lambda", lambda)?);
    let each = confidence.independently(3);
    let [b0, b1, b2] = sums.map(|sum| sum.interval(each));
    let b1 = Enclosure::new(b1.lower(), b1.upper()) / lambda;
    let box_of = [(b0.lower(), b0.upper()), (b1.lo(), b1.hi()), (b2.lower(), b2.upper())];
    let box_of = box_of.map(|(low, high)| (low.max(0.0), high));
    let is_empty = box_of.iter().any(|(_, high)| *high < 0.0);
    if is_empty || box_of.iter().any(|(_, high)| high.is_infinite()) {
        return ConfidenceInterval::new(0.0, 0.25);
    }
    let [b0, b1, b2] = box_of;
    let corners = [(b0.0, b2.0), (b0.0, b2.1), (b0.1, b2.0), (b0.1, b2.1)];
    let least = corners.iter().map(|(x, y)| variance(*x, b1.1, *y).lo()).fold(0.25, f64::min);
    let highest = corners.iter().map(|(x, y)| variance(*x, b1.0, *y).hi()).fold(0.0, f64::max);
    let summits = [(b2.0, b0), (b2.1, b0), (b0.0, b2), (b0.1, b2)];
    let summits = summits.iter().filter_map(|(fixed, range)| summit(b1.0, *fixed, *range));
    ConfidenceInterval::new(least.clamp(0.0, 0.25), summits.fold(highest, f64::max).clamp(0.0, 0.25))
}

/// Encloses (B₀B₂ − ¼B₁²)/n²; somewhere in [0, ¼] for n = 0.
fn variance(b0: f64, b1: f64, b2: f64) -> Enclosure {
    let [b0, b1, b2] = [b0, b1, b2].map(Enclosure::point);
    let n = b0 + b1 + b2;
    if n.lo() <= 0.0 {
        return Enclosure::new(0.0, 0.25);
    }
    // In shares of n, which neither overflow nor underflow.
    let [p0, p1, p2] = [b0, b1, b2].map(|sum| sum / n);
    p0 * p2 - p1.square() * Enclosure::point(0.25)
}

/// The value at the summit for a fixed sum at one end, if the summit may lie in a range of the
/// other.
fn summit(b1: f64, fixed: f64, range: (f64, f64)) -> Option<f64> {
    if fixed == 0.0 {
        return None; // V is not positive
    }
    let (one, end) = (Enclosure::point(b1), Enclosure::point(fixed));
    let two = Enclosure::point(2.0);
    let place = one + end + one * (one / (two * end));
    let value = Enclosure::ONE / (two + one / end).square();
    (place.hi() >= range.0 && place.lo() <= range.1).then_some(value.hi())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scale;
    use crate::interval::NoiseLaw;
    use proptest::prelude::*;

    fn sums(released: [f64; 3], scale: f64) -> [NoisySum; 3] {
        released.map(|sum| NoisySum::new(NoiseLaw::Laplace, sum, Scale::new(scale).unwrap(), 0.0))
    }

    #[test]
    fn odd_sums_say_nothing() {
        let confidence = Confidence::new(0.9).unwrap();
        for odd in [[f64::NAN, 1.0, 1.0], [f64::INFINITY; 3], [-1e9; 3], [0.0; 3]] {
            let found = variance_interval(sums(odd, 1.0), 1.0, confidence).unwrap();
            assert_eq!((found.lower(), found.upper()), (0.0, 0.25), "{odd:?}");
        }
        assert!(variance_interval(sums([1.0; 3], 1.0), 0.0, confidence).is_err());
        let sharp = variance_interval(sums([0.0, 1e9, 0.0], 1e-3), 1.0, confidence).unwrap();
        assert!(sharp.contains(0.0) && sharp.upper() < 1e-9, "{sharp}"); // all at ½
    }

    proptest! {
        #[test]
        fn no_point_of_the_box_has_a_variance_outside_and_some_reach_the_ends(
            released in prop::array::uniform3(-3.0..40.0f64), scale in 0.01..3.0f64, lambda in 0.5..2.0f64,
        ) {
            let confidence = Confidence::new(0.8).unwrap();
            let all = sums(released, scale);
            let found = variance_interval(all, lambda, confidence).unwrap();
            let ends = all.map(|sum| sum.interval(confidence.independently(3)));
            let points = |k: usize| {
                let (low, high) = (ends[k].lower().max(0.0), ends[k].upper());
                (0..=60).map(move |i| low + (high - low) * f64::from(i) / 60.0)
            };
            let (mut least, mut most) = (0.25f64, 0.0f64);
            if ends.iter().all(|end| end.upper() > 0.0) {
                for b0 in points(0) {
                    for b2 in points(2) {
                        for b1 in points(1).map(|sum| sum / lambda) {
                            let n = b0 + b1 + b2;
                            let v = ((b0 * b2 - b1 * b1 / 4.0) / (n * n)).max(0.0);
                            if n > 0.0 {
                                (least, most) = (least.min(v), most.max(v));
                            }
                        }
                    }
                }
                prop_assert!(found.lower() <= least + 1e-12 && found.upper() >= most - 1e-12, "{} {} {}", found, least, most);
                prop_assert!(found.lower() >= least - 1e-9 || least == 0.25, "{} {}", found, least);
                prop_assert!(found.upper() <= most + 0.02, "{} {}", found, most);
            }
        }
    }
}
