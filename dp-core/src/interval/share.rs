//! The interval of a ratio of noisy sums.

use super::{Confidence, ConfidenceInterval, NoiseLaw, NoisySum};
use crate::Error;
use crate::rounding::{Enclosure, add_up, div_up};

/// The interval that covers B₁/(B₁ + B₀), from a noisy `part` B₁ and a noisy `rest` B₀ that are not
/// negative: a mean of numbers in [0, 1], where B₁ = Σt and B₀ = Σ(1 − t), and their number is not
/// known.
///
/// **Theorem** (after Fieller 1940). Let B̂ᵢ = Bᵢ + Zᵢ with independent noise of scales bᵢ, and τ
/// the share. Then (1−τ)·B̂₁ − τ·B̂₀ = (1−τ)·Z₁ − τ·Z₀, in which the sums themselves are gone. So
/// the set of all τ for which the left side is at most the quantile of the right one covers the
/// true share with the stated probability *exactly*, however small the sums are. Where both sums
/// are 0, and there is no share, it covers any number with that probability.
///
/// With w = (1−τ)b₁/((1−τ)b₁ + τb₀) and xᵢ = B̂ᵢ/bᵢ the condition reads
///
/// > |w·x₁ − (1−w)·x₀| ≤ k(w),  k(w) the quantile of |wX + (1−w)Y|, X and Y of scale 1.
///
/// The left side is linear in w, and k rises with |w − ½|
/// (`NoiseLaw::mixed_quantile` has the proof). So k is at most the larger one of its values at the
/// ends of an interval, and what is outside of the solution with that constant is outside of the
/// set. This narrows [0, 1] from both sides; what is left is halved until its ends are settled.
///
/// **What is returned** is the smallest interval found to hold the set, which may have a gap: for
/// sums that are no larger than their noise it may be all of [0, 1]. It is [0, 1], too, where the
/// set is empty, which happens in a part of the failures only. Rounding onto grids widens it.
///
/// ```
/// use dp_core::interval::{Confidence, NoiseLaw, NoisySum, share_interval};
/// use dp_core::Scale;
///
/// let scale = Scale::new(2.0)?;
/// let sum = |released| NoisySum::new(NoiseLaw::Laplace, released, scale, 0.0);
/// let confidence = Confidence::new(0.95)?;
/// let share = share_interval(sum(300.0), sum(700.0), confidence)?;
/// assert!(share.contains(0.3) && share.width() < 0.01);
/// let nobody_knows = share_interval(sum(1.0), sum(-2.0), confidence)?;
/// assert_eq!((nobody_knows.lower(), nobody_knows.upper()), (0.0, 1.0));
/// # Ok::<(), dp_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Unreachable`] for noise of two laws.
pub fn share_interval(
    part: NoisySum,
    rest: NoisySum,
    confidence: Confidence,
) -> Result<ConfidenceInterval, Error> {
    if part.law != rest.law {
        return Err(Error::Unreachable {
            request: "an interval of a share of sums with noise of two laws",
            instead: "release both with noise of one law, with two scales if you must",
        });
    }
    if !(part.released.is_finite() && rest.released.is_finite()) {
        return ConfidenceInterval::new(0.0, 1.0);
    }
    let Some((low, high)) = weights(part, rest, confidence.beta()) else {
        return ConfidenceInterval::new(0.0, 1.0);
    };
    // τ = (1−w)b₁/((1−w)b₁ + w·b₀) falls in w.
    let share = |w: f64| {
        let (of_part, of_rest) = (
            (Enclosure::ONE - Enclosure::point(w)) * Enclosure::point(part.scale),
            Enclosure::point(w) * Enclosure::point(rest.scale),
        );
        Enclosure::ONE / (Enclosure::ONE + of_rest / of_part)
    };
    let (lower, upper) = (if high == 1.0 { 0.0 } else { share(high).lo() }, share(low).hi());
    ConfidenceInterval::new(lower.clamp(0.0, 1.0), upper.clamp(0.0, 1.0))
}

/// The least and the largest w in [0, 1] that may satisfy the condition, rounded outwards.
fn weights(part: NoisySum, rest: NoisySum, beta: f64) -> Option<(f64, f64)> {
    const DEPTH: u8 = 8;
    let law: NoiseLaw = part.law;
    let [x1, x0] = [part, rest].map(|sum| Enclosure::point(sum.released) / Enclosure::point(sum.scale));
    let off = div_up(part.off, part.scale).max(div_up(rest.off, rest.scale));
    let line = Line { slope: x1 + x0, below: x0 };
    let most = |u: f64, v: f64| add_up(law.mixed_quantile(u, beta).max(law.mixed_quantile(v, beta)), off);

    let part_of = |u: f64, v: f64| line.within(most(u, v), u, v);
    let (u, v) = part_of(0.0, 1.0)?;
    let (low, high) = (first(&part_of, u, v, DEPTH)?, last(&part_of, u, v, DEPTH)?);
    (low <= high).then_some((low, high))
}

/// The least point of [u, v] that may be in the set, by halves.
fn first(part_of: &impl Fn(f64, f64) -> Option<(f64, f64)>, u: f64, v: f64, depth: u8) -> Option<f64> {
    let (u, v) = part_of(u, v)?;
    let middle = f64::midpoint(u, v);
    if depth == 0 || middle <= u || middle >= v {
        return Some(u);
    }
    first(part_of, u, middle, depth - 1).or_else(|| first(part_of, middle, v, depth - 1))
}

/// The largest one.
fn last(part_of: &impl Fn(f64, f64) -> Option<(f64, f64)>, u: f64, v: f64, depth: u8) -> Option<f64> {
    let (u, v) = part_of(u, v)?;
    let middle = f64::midpoint(u, v);
    if depth == 0 || middle <= u || middle >= v {
        return Some(v);
    }
    last(part_of, middle, v, depth - 1).or_else(|| last(part_of, u, middle, depth - 1))
}

/// w·x₁ − (1−w)·x₀ = w·(x₁ + x₀) − x₀.
struct Line {
    slope: Enclosure,
    below: Enclosure,
}

impl Line {
    /// The part of [u, v] in which the magnitude may be at most `most`, rounded outwards.
    fn within(&self, most: f64, u: f64, v: f64) -> Option<(f64, f64)> {
        let over = Enclosure::new(u, v) * self.slope - self.below;
        if over.lo() > most || over.hi() < -most {
            return None;
        }
        if self.slope.contains(0.0) {
            return Some((u, v));
        }
        let most = Enclosure::point(most);
        let (a, b) = ((self.below - most) / self.slope, (self.below + most) / self.slope);
        let (low, high) = (a.lo().min(b.lo()).max(u), a.hi().max(b.hi()).min(v));
        (low <= high).then_some((low, high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scale;
    use proptest::prelude::*;

    fn sum(law: NoiseLaw, released: f64, scale: f64) -> NoisySum {
        NoisySum::new(law, released, Scale::new(scale).unwrap(), 0.0)
    }

    /// The ends of the set, by a scan of τ.
    fn by_scan(law: NoiseLaw, part: (f64, f64), rest: (f64, f64), beta: f64) -> Option<(f64, f64)> {
        let inside = |tau: f64| {
            let (a, c) = ((1.0 - tau) * part.1, tau * rest.1);
            let distance = ((1.0 - tau) * part.0 - tau * rest.0).abs();
            let quantile = match law {
                NoiseLaw::Gaussian => law.quantile(beta) * (a * a + c * c).sqrt(),
                NoiseLaw::Laplace => {
                    // Bisection of the printed tail, for different scales.
                    let tail = |t: f64| {
                        if (a - c).abs() < 1e-6 * (a + c) {
                            let m = (a + c) / 2.0;
                            return (-t / m).exp() * (1.0 + t / (2.0 * m));
                        }
                        (a * a * (-t / a).exp() - c * c * (-t / c).exp()) / (a * a - c * c)
                    };
                    let (mut low, mut high) = (0.0, 60.0 * (a + c));
                    for _ in 0..80 {
                        let middle = f64::midpoint(low, high);
                        if tail(middle) > beta { low = middle } else { high = middle }
                    }
                    high
                }
            };
            distance <= quantile
        };
        let grid = (1..4000).map(|k| f64::from(k) / 4000.0).filter(|tau| inside(*tau));
        let found: Vec<f64> = grid.collect();
        Some((*found.first()?, *found.last()?))
    }

    #[test]
    fn the_interval_is_the_hull_of_the_set() {
        for law in [NoiseLaw::Laplace, NoiseLaw::Gaussian] {
            for beta in [0.3, 0.1, 0.01] {
                for (part, rest) in [
                    ((30.0, 2.0), (70.0, 2.0)),
                    ((30.0, 2.0), (70.0, 9.0)),
                    ((2.0, 1.0), (3.0, 1.0)),
                    ((8.0, 1.0), (0.5, 1.0)),
                    ((-1.0, 1.0), (9.0, 1.0)),
                    ((-3.0, 1.0), (-2.0, 1.0)),
                    ((6.0, 1.0), (-2.0, 1.0)),
                    ((0.1, 1.0), (0.1, 1.0)),
                    ((400.0, 1.0), (1.0, 30.0)),
                ] {
                    let found = share_interval(
                        sum(law, part.0, part.1),
                        sum(law, rest.0, rest.1),
                        Confidence::all_but(beta).unwrap(),
                    )
                    .unwrap();
                    let Some((low, high)) = by_scan(law, part, rest, beta) else {
                        continue;
                    };
                    let what = format!("{law:?} {beta} {part:?} {rest:?}: {found} but [{low}, {high}]");
                    assert!(found.lower() <= low && found.upper() >= high, "{what}");
                    assert!(found.lower() >= low - 3e-3 && found.upper() <= high + 3e-3, "{what}");
                }
            }
        }
    }

    #[test]
    fn noise_of_two_laws_is_refused_and_odd_numbers_say_nothing() {
        let confidence = Confidence::new(0.9).unwrap();
        let (a, b) = (sum(NoiseLaw::Laplace, 1.0, 1.0), sum(NoiseLaw::Gaussian, 1.0, 1.0));
        assert!(share_interval(a, b, confidence).unwrap_err().to_string().contains("one law"));
        for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let found = share_interval(sum(NoiseLaw::Laplace, odd, 1.0), a, confidence).unwrap();
            assert_eq!((found.lower(), found.upper()), (0.0, 1.0), "{odd}");
        }
        let far = share_interval(a.widened(f64::NAN), a, confidence).unwrap();
        assert_eq!((far.lower(), far.upper()), (0.0, 1.0));
        let sharp = share_interval(
            sum(NoiseLaw::Laplace, 3e300, 1e-300),
            sum(NoiseLaw::Laplace, 1e300, 1e-300),
            confidence,
        )
        .unwrap();
        assert!(sharp.contains(0.75));
        let large = share_interval(
            sum(NoiseLaw::Gaussian, 3e14, 1.0),
            sum(NoiseLaw::Gaussian, 1e14, 1.0),
            confidence,
        )
        .unwrap();
        assert!(large.contains(0.75) && large.width() < 1e-13, "{large}");
    }

    proptest! {
        #[test]
        fn roles_may_be_exchanged(
            part in -20.0..200.0f64, rest in -20.0..200.0f64, b1 in 0.1..9.0f64, b0 in 0.1..9.0f64,
            beta in 0.001..0.5f64, gaussian in any::<bool>(),
        ) {
            let law = if gaussian { NoiseLaw::Gaussian } else { NoiseLaw::Laplace };
            let confidence = Confidence::all_but(beta).unwrap();
            let (a, b) = (sum(law, part, b1), sum(law, rest, b0));
            let (here, there) = (share_interval(a, b, confidence).unwrap(), share_interval(b, a, confidence).unwrap());
            prop_assert!((here.lower() + there.upper() - 1.0).abs() < 2e-3, "{} {}", here, there);
            prop_assert!((here.upper() + there.lower() - 1.0).abs() < 2e-3, "{} {}", here, there);
        }
    }
}
