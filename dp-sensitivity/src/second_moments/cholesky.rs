//! Which matrices are positive definite, and quadratic forms of their inverses, in intervals of
//! long integers.
//!
//! **Lemma.** Let M be a symmetric matrix of d columns whose least eigenvalue is at least e > 0,
//! let T be the largest entry of its diagonal, and κ = T/e ≥ 1. In intervals of p digits, 2ᵖ ≥
//! 20·(14κ²)ᵈ, all pivots are found to be positive.
//!
//! *Proof.* No entry of the intermediate matrices, which are Schur complements of M, exceeds T, and
//! no pivot is below e. As long as all intervals are narrower than e/4, a step m − m'·m''/pivot
//! makes intervals of width W into ones of at most 14κ²·W + 56κT·2⁻ᵖ: the quotient is at most 3κ
//! and of width 5κW/e + 6κ·2⁻ᵖ, the other factor at most 2T. The entries of M are points. So after
//! d steps intervals are at most 5e·(14κ²)ᵈ·2⁻ᵖ ≤ e/4 wide, and those around pivots lie above 3e/4.
//! ∎

use dp_mechanisms::sample::Interval;

/// How many digits each column takes if κ < 2⁶⁴, by the lemma: 2·64 + log₂ 14, with a margin
/// for the few digits that an interval may lose beyond its precision. Sixteen more are for the 20.
pub(crate) const DIGITS_PER_COLUMN: u32 = 136;

/// z·M⁻¹·z = Σ yᵢ²/dᵢ for M = L·D·Lᵀ and L·y = z, in intervals of this many digits; `None` unless
/// all pivots are surely positive, which they are for positive definite matrices only.
pub(crate) fn decompose(
    mut matrix: Vec<Vec<Interval>>,
    mut point: Vec<Interval>,
    digits: u32,
) -> Option<Interval> {
    let mut sum = exactly(0);
    for k in 0..point.len() {
        let pivot = matrix[k][k].clone();
        if exactly(0).is_below(&pivot) != Some(true) {
            return None;
        }
        let column: Vec<Interval> =
            matrix.iter().map(|row| row.get(k).cloned().unwrap_or_else(|| exactly(0))).collect();
        let here = point[k].clone();
        sum = sum.plus(&here.times(&here, digits).over(&pivot, digits)?, digits);
        for i in k + 1..point.len() {
            let factor = column[i].over(&pivot, digits)?;
            for j in k + 1..=i {
                matrix[i][j] = matrix[i][j].plus(&-factor.times(&column[j], digits), digits);
            }
            point[i] = point[i].plus(&-factor.times(&here, digits), digits);
        }
    }
    Some(sum)
}

/// The entries on and below the diagonal.
pub(crate) fn lower_triangle(size: usize, entry: impl Fn(usize, usize) -> Interval) -> Vec<Vec<Interval>> {
    (0..size).map(|i| (0..=i).map(|j| entry(i, j)).collect()).collect()
}

/// An integer as a point: three parts of 48 bits or less, times powers of two.
pub(crate) fn exactly(integer: i128) -> Interval {
    const PART: i128 = 1 << 48;
    const POWER: f64 = 281_474_976_710_656.0; // 2⁴⁸
    #[allow(clippy::cast_precision_loss)] // below 2⁴⁸ in magnitude
    let part = |x: i128, power: f64| Interval::exactly((x % PART) as f64 * power);
    let (low, middle) = (part(integer, 1.0), part(integer / PART, POWER));
    &(&low + &middle) + &part(integer / PART / PART, POWER * POWER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_core::rounding::Enclosure;

    #[test]
    fn integers_are_exact() {
        for x in [0, 1, -1, i128::MAX / 3, i128::MIN / 5, (1 << 96) + 7] {
            let near = exactly(x).enclosure();
            assert!(near.lo() <= Enclosure::integer(x).hi() && near.hi() >= Enclosure::integer(x).lo());
            assert!((&exactly(x) - &exactly(x - 1)).enclosure() == Enclosure::ONE);
        }
    }

    /// x² + y² + z² with all products 2a: positive definite for −½ < a < 1.
    #[test]
    fn positive_definite_matrices_are_found() {
        let decomposed = |diagonal: i128, other: i128| {
            let matrix = lower_triangle(3, |i, j| exactly(if i == j { diagonal } else { other }));
            decompose(matrix, vec![exactly(1); 3], DIGITS_PER_COLUMN * 3 + 16)
        };
        let large = 1 << 62;
        assert!(decomposed(large, large - 1).is_some() && decomposed(large, large).is_none());
        assert!(decomposed(large, -large / 2 + 1).is_some() && decomposed(large, -large / 2).is_none());
        // (1, 1, 1) is an eigenvector of the eigenvalue 4 + 2·(−1): the form of the inverse is 3/2.
        let form = decomposed(4, -1).unwrap().enclosure();
        assert!(form.contains(1.5) && form.relative_width() < 1e-15);
    }
}
