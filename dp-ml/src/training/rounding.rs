//! The sensitivity of the sum of clipped gradients *as it is computed*.
//!
//! Noise is added to sums of floats, which round. What follows bounds the ℓ2 distance between the
//! computed sums of two data sets, one of which has one record more.
//!
//! **What is computed.** The batch comes in groups of up to t records
//! ([`sampling`](super::sampling)). The sum of a group is computed in single precision: in each
//! coordinate, a product of two floats for each record, and a tree of additions, in whatever order,
//! fused or not. The real products of record i form a vector fᵢ with ‖fᵢ‖ ≤ C
//! ([`Clip`](super::Clip) and the contract of [`Model`](crate::model::Model)), which is a function
//! of the parameters and that record alone. Each coordinate is then rounded to a multiple of the
//! *quantum*, the power of two 2⁻²⁰·2^⌊log₂ C⌋, and the groups' multiples are added in double
//! precision. That is exact: fewer than 2³⁰ records sum to fewer than 2⁵² quanta.
//!
//! **One group.** With u = 2⁻²⁴ and γ_k = ku/(1 − ku), a sum of k products by any tree is off by at
//! most γ_k times the sum of the magnitudes, and by 2⁻¹⁴⁹ for each product that underflows (Higham,
//! *Accuracy and Stability*, chapter 3: each term passes at most k roundings). By the triangle
//! inequality the ℓ2 norm of the vector of Σᵢ|fᵢ| is at most tC. Rounding to quanta moves each of p
//! coordinates by half a quantum at most. So the computed vector of a group of k ≤ t records is off
//! by at most
//!
//! > η(k) = γ_{k+1}·k·C + √p·(quantum/2 + 2k·2⁻¹⁴⁹).
//!
//! **One record more.** Let the record r be added, all random numbers of the others being as
//! before. It goes to one group; all other groups have the same records in the same order and hence
//! the same computed sums. If its group is not full, the sum changes by f_r and two errors. If r
//! takes the place of a record x that then is a group of its own, it changes by f_r − f_x, two
//! errors, and the computed sum of x alone. If r is a group of its own, by f_r and one error. In
//! all cases by at most
//!
//! > Δ = C + 2η(t) + η(1).
//!
//! The groups are random, but which record goes where does not depend on r. So the mechanism is a
//! mixture, over choices made beforehand, of Gaussian mechanisms of sensitivity Δ, and hockey-stick
//! divergences are jointly convex: the dominating pair of one is that of the mixture. This holds
//! for every batch, which is what amplification by sampling asks for.

use dp_core::rounding::Enclosure;
use pulp::{Arch, Simd, WithSimd};

use crate::power_of_two::power_of_two_below;

/// How sums of gradients are rounded, and the sensitivity that this leaves them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rounding {
    quantum: f64,
    sensitivity: f64,
}

impl Rounding {
    /// No rounding and no bound, for trainings without privacy.
    pub(crate) const NONE: Self = Self { quantum: 0.0, sensitivity: f64::INFINITY };

    /// For gradients clipped to `norm`, groups of up to `group` records, and `parameters`
    /// coordinates.
    #[allow(clippy::cast_precision_loss, reason = "sizes are far below 2⁵³")]
    pub(crate) fn new(norm: f64, group: usize, parameters: usize) -> Self {
        let quantum = power_of_two_below(norm) / QUANTA_PER_NORM;
        let c = Enclosure::point(norm);
        let root = Enclosure::point(parameters as f64).sqrt();
        let error = |k: usize| {
            let (k, ku) = (Enclosure::point(k as f64), Enclosure::point((k + 1) as f64 * UNIT));
            let each = Enclosure::point(quantum / 2.0) + k * Enclosure::point(2.0 * SMALLEST);
            ku / (Enclosure::ONE - ku) * k * c + root * each
        };
        let sensitivity = c + Enclosure::point(2.0) * error(group) + error(1);
        Self { quantum, sensitivity: sensitivity.hi() }
    }

    /// Δ: how far one record moves the computed sum, at most.
    pub(crate) fn sensitivity(&self) -> f64 {
        self.sensitivity
    }

    /// Adds the computed sum of a group to that of others.
    pub(crate) fn add(&self, group: &[f32], sum: &mut [f64]) {
        Arch::new().dispatch(Adding { group, sum, shift: self.shift(), first: false });
    }

    /// Writes the computed sum of the first group, to which others will be added.
    pub(crate) fn put(&self, group: &[f32], sum: &mut [f64]) {
        Arch::new().dispatch(Adding { group, sum, shift: self.shift(), first: true });
    }

    /// Adding and subtracting 1.5·2⁵² quanta rounds to a whole number of them: the result of the
    /// addition has a last place of one quantum.
    fn shift(&self) -> f64 {
        1.5 * TWO_TO_52 * self.quantum
    }
}

/// The loop of [`Rounding::add`] and [`Rounding::put`], for vectors of any width.
struct Adding<'a> {
    group: &'a [f32],
    sum: &'a mut [f64],
    shift: f64,
    first: bool,
}

impl WithSimd for Adding<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { group, sum, shift, first } = self;
        let rounded = |x: &f32| (f64::from(*x) + shift) - shift;
        if first {
            sum.iter_mut().zip(group).for_each(|(sum, x)| *sum = rounded(x));
        } else {
            sum.iter_mut().zip(group).for_each(|(sum, x)| *sum += rounded(x));
        }
    }
}

const QUANTA_PER_NORM: f64 = 1_048_576.0;
const UNIT: f64 = 1.0 / 16_777_216.0;
const TWO_TO_52: f64 = 4_503_599_627_370_496.0;
/// 2⁻¹⁴⁹.
const SMALLEST: f64 = f64::from_bits((1023 - 149) << 52);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::uniform;
    use dp_mechanisms::rng::Insecure;

    #[test]
    fn the_factor_is_that_of_the_formula() {
        // mpmath: 1 + 2·(γ₁₉₄·193 + ½·2⁻²⁰·√7850) + γ₂ + ½·2⁻²⁰·√7850.
        let found = Rounding::new(1.0, 193, 7850).sensitivity();
        assert!((found - 1.004_590_348_68).abs() < 1e-10, "{found}");
        assert!(Rounding::new(3.0, 193, 7850).sensitivity() < 3.0 * found * 1.000_1);
    }

    #[test]
    fn quanta_are_added_exactly() {
        let (rounding, mut rng) = (Rounding::new(0.7, 100, 1000), Insecure::seeded(1));
        assert_eq!(rounding.quantum, 0.5 / 1_048_576.0);
        let groups: Vec<Vec<f32>> =
            (0..50).map(|_| (0..100).map(|_| 60.0 * uniform(&mut rng)).collect()).collect();
        let (mut forward, mut backward) = (vec![9.0; 100], vec![9.0; 100]);
        rounding.put(&groups[0], &mut forward);
        groups[1..].iter().for_each(|group| rounding.add(group, &mut forward));
        rounding.put(&groups[49], &mut backward);
        groups[..49].iter().rev().for_each(|group| rounding.add(group, &mut backward));
        assert_eq!(forward, backward);
        for (j, sum) in forward.iter().enumerate() {
            let exact: f64 = groups.iter().map(|group| f64::from(group[j])).sum();
            assert!(
                (sum - exact).abs() <= 25.0 * rounding.quantum && (sum / rounding.quantum).fract() == 0.0
            );
        }
        let mut single = [0.0];
        rounding.put(&[0.3], &mut single);
        assert!(
            (single[0] - f64::from(0.3_f32)).abs() <= rounding.quantum / 2.0
                && single[0] != f64::from(0.3_f32)
        );
    }
}
