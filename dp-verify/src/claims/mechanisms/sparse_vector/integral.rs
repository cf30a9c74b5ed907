//! Probabilities of the sparse vector technique and its variants, as exact integrals.

use dp_core::rounding::Enclosure;

/// The scales of Laplace noise on the threshold and on each answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noise {
    pub(super) threshold: f64,
    pub(super) answers: f64,
}

/// Encloses Pr(the threshold's noise is at most `limit`, and the answers get these replies), for a
/// threshold of 0.
///
/// With z the noise on the threshold, it is the integral over z ≤ limit of e^(−|z|/b₁)/2b₁ times Π
/// Pr(q + ν ≥ z) over the yes and Π Pr(q + ν < z) over the no. Between two of the points 0, q₁, q₂,
/// … each factor is ½e^(±(z−q)/b₂) or one minus that, so the product is a polynomial in e^(z/b₂)
/// and its inverse, which is integrated term by term.
pub(super) fn probability(noise: Noise, answers: &[f64], replies: &[bool], limit: f64) -> Enclosure {
    let mut points: Vec<f64> = answers.iter().copied().chain([0.0]).filter(|point| *point < limit).collect();
    points.sort_unstable_by(f64::total_cmp);
    points.dedup();
    let ends = |points: Vec<f64>| [vec![f64::NEG_INFINITY], points, vec![limit]].concat();
    let pieces = ends(points)
        .windows(2)
        .map(|ends| piece(noise, answers, replies, ends[0], ends[1]))
        .collect::<Vec<_>>();
    pieces.into_iter().fold(Enclosure::ZERO, |sum, piece| sum + piece).probability()
}

/// The part of the integral between two points, neither 0 nor an answer lying between them.
fn piece(noise: Noise, answers: &[f64], replies: &[bool], left: f64, right: f64) -> Enclosure {
    let [b1, b2] = [noise.threshold, noise.answers].map(Enclosure::point);
    // The coefficients of e^(kz/b₂) for k = −n, …, n.
    let n = answers.len();
    let mut product = vec![Enclosure::ZERO; 2 * n + 1];
    product[n] = Enclosure::ONE;
    for (answer, yes) in answers.iter().zip(replies) {
        // ½e^(±(z−q)/b₂), the sign such that it falls away from q.
        let before = right <= *answer;
        let shift = Enclosure::point(*answer) / b2;
        let tail = Enclosure::point(0.5) * (if before { -shift } else { shift }).exp();
        // Before q a no is in the tail, behind it a yes; the other reply is one minus the tail.
        let in_tail = before != *yes;
        let mut next = vec![Enclosure::ZERO; 2 * n + 1];
        for (k, coefficient) in product.iter().enumerate().filter(|(_, c)| **c != Enclosure::ZERO) {
            let moved = if before { k + 1 } else { k - 1 };
            let term = tail * *coefficient;
            next[moved] = next[moved] + if in_tail { term } else { -term };
            if !in_tail {
                next[k] = next[k] + *coefficient;
            }
        }
        product = next;
    }
    let slope = if right <= 0.0 { Enclosure::ONE / b1 } else { -(Enclosure::ONE / b1) };
    let power = |k: usize| (count(k) - count(n)) / b2 + slope;
    let terms = product.iter().enumerate().filter(|(_, c)| **c != Enclosure::ZERO);
    let sum = terms.fold(Enclosure::ZERO, |sum, (k, c)| sum + *c * exponential(power(k), left, right));
    (sum / (b1 + b1)).max(Enclosure::ZERO)
}

fn count(k: usize) -> Enclosure {
    Enclosure::point(f64::from(u32::try_from(k).expect("there are few answers")))
}

/// Encloses ∫ e^(sz) dz; where an end is infinite, s must have the sign for which that is finite.
fn exponential(s: Enclosure, left: f64, right: f64) -> Enclosure {
    if left.is_infinite() {
        return (s * Enclosure::point(right)).exp() / s;
    }
    let at_left = (s * Enclosure::point(left)).exp();
    if right.is_infinite() {
        return -(at_left / s);
    }
    let width = Enclosure::point(right) - Enclosure::point(left);
    // (eˣ − 1)/x rises, and is 1 at 0.
    let mean =
        |x: f64| if x == 0.0 { Enclosure::ONE } else { Enclosure::point(x).exp_m1() / Enclosure::point(x) };
    let x = s * width;
    at_left * width * Enclosure::new(mean(x.lo()).lo(), mean(x.hi()).hi())
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVERYWHERE: f64 = f64::INFINITY;

    #[test]
    fn probabilities_agree_with_a_sum_over_small_cells() {
        let noise = Noise { threshold: 1.5, answers: 2.0 };
        let tail = |t: f64| if t < 0.0 { t.exp() / 2.0 } else { 1.0 - (-t).exp() / 2.0 };
        let answers = [0.5, -1.0, 0.0, 2.0];
        for replies in [[false, false, false, true], [true, false, true, false], [false; 4], [true; 4]] {
            for limit in [0.0, 1.0, EVERYWHERE] {
                let step = 0.002;
                let sum: f64 = (-30_000..30_000)
                    .map(|cell| (f64::from(cell) + 0.5) * step)
                    .filter(|z| *z < limit)
                    .map(|z| {
                        let factors = answers.iter().zip(replies).map(|(q, yes)| {
                            let t = (z - q) / noise.answers;
                            tail(if yes { -t } else { t })
                        });
                        step * (-z.abs() / noise.threshold).exp() / (2.0 * noise.threshold)
                            * factors.product::<f64>()
                    })
                    .sum();
                let found = probability(noise, &answers, &replies, limit);
                assert!(
                    found.relative_width() < 1e-11 && (found.lo() / sum - 1.0).abs() < 1e-5,
                    "{found} {sum}"
                );
            }
        }
    }

    #[test]
    fn replies_add_up_to_one() {
        for noise in [Noise { threshold: 2.0, answers: 4.0 }, Noise { threshold: 1.0, answers: 0.3 }] {
            let sum = (0u8..8)
                .map(|mask| {
                    probability(noise, &[0.0, 1.0, -0.5], &[0, 1, 2].map(|i| mask >> i & 1 == 1), EVERYWHERE)
                })
                .fold(Enclosure::ZERO, |sum, p| sum + p);
            assert!(sum.contains(1.0) && sum.relative_width() < 1e-12, "{sum}");
        }
    }
}
