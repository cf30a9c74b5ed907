//! An index, with probability in proportion to its weight.
//!
//! With weights w₀, …, sums Sᵢ = w₀ + … + wᵢ and U uniform on [0, 1), the number of sums (but for
//! the last) that are at most U·S is i with probability wᵢ/S. All sums are enclosed, in floats
//! first, and U is known [digit by digit](super::Uniform): an index is returned when it is the same
//! for all numbers in the enclosures. So the law is that of the real weights. U·S lies on a sum
//! with probability zero, so it ends.
//!
//! # Timing
//!
//! All weights are looked at, and all sums are compared, wherever U·S lies. It takes longer where
//! U·S lies so close to a sum that floats do not tell which is larger: about one draw in 2⁵⁰/k² for
//! k weights, where the enclosures are as wide as those of an exponential function.

use dp_core::rounding::Enclosure;
use rand_core::Rng;

use super::lazy::settle;
use super::{Bits, Interval, Lazy, Uniform};

/// Numbers that are not negative, of which any number of digits can be computed: what
/// [`weighted`] chooses among.
///
/// # Contract
/// Both enclosures hold the same number, and [`interval`](Self::interval) shrinks to it as the
/// precision grows. There is at least one weight, and at least one is positive.
pub trait Weights {
    /// How many weights there are.
    fn count(&self) -> usize;

    /// Encloses a weight between floats.
    fn enclosure(&self, index: usize) -> Enclosure;

    /// Encloses a weight to about `precision` binary digits.
    fn interval(&self, index: usize, precision: u32) -> Interval;
}

/// An index, each with probability in proportion to its weight, to the last digit of all weights.
///
/// ```
/// use dp_core::rounding::Enclosure;
/// use dp_mechanisms::{rng::OsSeeded, sample::{Interval, Weights, weighted}};
///
/// /// 1, 1/e, 1/e², …
/// struct Falling(u32);
///
/// impl Weights for Falling {
///     fn count(&self) -> usize {
///         self.0 as usize
///     }
///     fn enclosure(&self, index: usize) -> Enclosure {
///         (-Enclosure::integer(index)).exp()
///     }
///     fn interval(&self, index: usize, precision: u32) -> Interval {
///         Interval::exactly(-(index as f64)).exp(precision)
///     }
/// }
///
/// assert!(weighted(&Falling(5), &mut OsSeeded::new()?) < 5);
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
pub fn weighted<W: Weights + ?Sized, R: Rng + ?Sized>(weights: &W, rng: &mut R) -> usize {
    weighted_from(weights, &mut Bits::new(rng))
}

/// [`weighted`], from bits.
fn weighted_from<W: Weights + ?Sized, R: Rng + ?Sized>(weights: &W, bits: &mut Bits<'_, R>) -> usize {
    settle(
        &mut Uniform::start(bits),
        bits,
        |uniform| by_floats(weights, uniform.enclosure()),
        |uniform, precision, bits| uniform.extend_to(precision, bits),
        |uniform, precision, bits| {
            by_intervals(weights, &Lazy::interval(uniform, precision, bits), precision)
        },
    )
}

/// The index, if it is the same for all numbers in the enclosures.
///
/// The ends of the enclosures are added up in floats. A sum of k floats that are not negative takes
/// k − 1 additions, and each multiplies what it has added up by a number from 1 − 2⁻⁵³ to 1 + 2⁻⁵³
/// (sums of subnormal numbers are exact). So the exact sum is within a factor of 1 ± 2⁻⁵²·k of the
/// one in floats, for k < 2⁵⁰: (1 − 2⁻⁵³)⁻ᵏ ≤ 1 + 2⁻⁵²·k, and 1 − 2⁻⁵²·k ≤ (1 + 2⁻⁵³)⁻ᵏ. Both ends
/// of the comparison get that factor, for k the number of all weights.
fn by_floats<W: Weights + ?Sized>(weights: &W, uniform: Enclosure) -> Option<usize> {
    let sums: Vec<(f64, f64)> = (0..weights.count())
        .scan((0.0, 0.0), |(low, high), index| {
            let weight = weights.enclosure(index);
            *low += weight.lo();
            *high += weight.hi();
            Some((*low, *high))
        })
        .collect();
    let ((low, high), sums) = sums.split_last()?;
    if !high.is_finite() {
        return None;
    }
    let error = Enclosure::integer(weights.count()) * Enclosure::point(f64::EPSILON);
    let factor = Enclosure::new((Enclosure::ONE - error).lo(), (Enclosure::ONE + error).hi());
    // What the sums in floats are compared with: their factor is divided by.
    let target = uniform * Enclosure::new(*low, *high) * factor / factor;
    let certain = sums.iter().filter(|(_, high)| *high <= target.lo()).count();
    let possible = sums.iter().filter(|(low, _)| *low <= target.hi()).count();
    (certain == possible).then_some(certain)
}

/// The same by intervals of about `precision` digits.
#[cold]
fn by_intervals<W: Weights + ?Sized>(weights: &W, uniform: &Interval, precision: u32) -> Option<usize> {
    let sums: Vec<Interval> = (0..weights.count())
        .scan(Interval::exactly(0.0), |sum, index| {
            *sum = sum.plus(&weights.interval(index, precision), precision);
            Some(sum.clone())
        })
        .collect();
    let (total, sums) = sums.split_last()?;
    let target = uniform.times(total, precision);
    let certain = sums.iter().filter(|sum| sum.upper() <= target.lower()).count();
    let possible = sums.iter().filter(|sum| sum.lower() <= target.upper()).count();
    (certain == possible).then_some(certain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::replay::{Fed, Law};

    /// e^−x for each x, and 0 for `None`.
    struct Exponentials(Vec<Option<f64>>);

    impl Weights for Exponentials {
        fn count(&self) -> usize {
            self.0.len()
        }
        fn enclosure(&self, index: usize) -> Enclosure {
            self.0[index].map_or(Enclosure::ZERO, |x| Enclosure::point(-x).exp())
        }
        fn interval(&self, index: usize, precision: u32) -> Interval {
            self.0[index].map_or_else(|| Interval::exactly(0.0), |x| Interval::exactly(-x).exp(precision))
        }
    }

    #[test]
    fn the_law_is_that_of_the_weights() {
        for exponents in [
            vec![Some(0.0)],
            vec![Some(1.0), Some(0.0), Some(2.5)],
            vec![None, Some(3.0), None, None, Some(0.1), None],
            vec![Some(700.0), Some(701.0), Some(800.0)],
        ] {
            let weights = Exponentials(exponents);
            let law = Law::of(14, |bits| weighted_from(&weights, bits));
            let least = weights.0.iter().flatten().copied().fold(f64::INFINITY, f64::min);
            let relative = |x: &Option<f64>| x.map_or(Enclosure::ZERO, |x| Enclosure::point(least - x).exp());
            let total = weights.0.iter().map(relative).fold(Enclosure::ZERO, |sum, x| sum + x);
            assert!(law.open() < 0.01, "{}", law.open());
            for (index, x) in weights.0.iter().enumerate() {
                let (found, ideal) = (law.probability(&index), relative(x) / total);
                assert!(
                    found.lo() <= ideal.hi() && ideal.lo() <= found.hi(),
                    "{index}: {found}, but {ideal}"
                );
            }
        }
    }

    #[test]
    fn more_digits_are_drawn_where_floats_do_not_tell() {
        // Two equal weights: U·S lies on the first sum to 64 digits, and the 65th decides.
        let weights = Exponentials(vec![Some(1.0), Some(1.0)]);
        for (next, index) in [(0, 1), (1, 1), (u64::MAX, 1)] {
            let mut rng = Fed::with([1, next]); // the first bit of a word is its lowest
            assert_eq!(weighted_from(&weights, &mut Bits::new(&mut rng)), index, "{next}");
        }
        let mut rng = Fed::with([!1, u64::MAX, !0, 5]); // 0.0111…
        assert_eq!(weighted_from(&weights, &mut Bits::new(&mut rng)), 0);
    }

    #[test]
    fn floats_and_intervals_agree() {
        let weights = Exponentials((0..40).map(|i| (i % 7 > 0).then_some(0.3 * f64::from(i))).collect());
        for k in 0..500 {
            let point = (f64::from(k) + 0.5) / 500.0;
            let by_floats = by_floats(&weights, Enclosure::point(point));
            assert_eq!(by_floats, by_intervals(&weights, &Interval::exactly(point), 128));
            assert!(by_floats.is_some());
        }
    }
}
