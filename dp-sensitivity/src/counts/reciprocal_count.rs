//! One over a count.

use core::fmt;

use dp_core::rounding::{add_up, div_up, mul_up};
use dp_core::{AddRemove, Error, Finite, Query, Sensitivity, SensitivityIn, Subadditive};

use crate::local::smoothness::LEAST_BOUND;
use crate::{Count, LocalSensitivity, Smoothness};

/// 1/c for the number c of records that match, and 1 when there are none, under add/remove
/// neighbours.
///
/// **Theorem** (claim S14). The global sensitivity is ½. With c records that match,
///
/// > LS = 1/(c(c−1)) for c ≥ 3, ½ for c = 1 and 2, and 0 for c = 0; >
/// > A⁽ᵏ⁾ = 1/((c−k)(c−k−1)) while c − k ≥ 3, and ½ for larger k (for k ≥ 1 if c = 0); >
/// > S* = max(1/(c(c−1)), ½·e^(−β(c−2))) for c ≥ 2, ½ for c = 1, and ½·e^(−β) for c = 0.
///
/// *Proof.* 1/(c−1) − 1/c = 1/(c(c−1)) falls in c, and is more than what another record does. k
/// steps lead to every count from c − k to c + k, and the smallest one from 2 on counts. For S*,
/// βu − ln u − ln(u−1) is convex in u = c − k, so that the maximum is at one of the ends, u = c or
/// u = 2. ∎
///
/// For large counts the smooth bound is about 1/c², where the global sensitivity is ½. The computed
/// quotient is off by up to 2⁻⁵³ of it, which is in all of these for c ≥ 3; counts beyond 2⁵³ are
/// not distinguished.
///
/// ```
/// use dp_core::Query;
/// use dp_sensitivity::{LocalSensitivity, ReciprocalCount, Smoothness};
///
/// let reciprocal = ReciprocalCount::matching(|age: &f64| *age >= 65.0);
/// assert_eq!(reciprocal.answer(&[12.0, 70.0, 81.0])?.get(), 0.5);
/// let hundred = vec![70.0; 100];
/// assert!(reciprocal.smooth(&hundred, Smoothness::new(0.2)?)? < 1.02e-4);
/// # Ok::<(), dp_core::Error>(())
/// ```
///
/// Checked as S14 by `cargo xtask verify`.
#[derive(Clone)]
pub struct ReciprocalCount<T, P> {
    count: Count<T, P, AddRemove>,
}

impl<T> ReciprocalCount<T, fn(&T) -> bool> {
    /// One over the number of all records.
    #[must_use]
    pub fn all() -> Self {
        Self { count: Count::all() }
    }
}

impl<T, P: Fn(&T) -> bool> ReciprocalCount<T, P> {
    /// One over the number of records for which `holds`, a function of the record alone.
    #[must_use]
    pub const fn matching(holds: P) -> Self {
        Self { count: Count::matching(holds) }
    }
}

/// What one record does to 1/c at most, for a whole number c, rounded up: (1 + 2⁻⁵²·c)/(c(c−1)) for
/// c ≥ 3, with the errors 2⁻⁵⁴/c + 2⁻⁵⁴/(c−1) of both quotients. Falls in c from 1 on, since all
/// roundings are monotone.
fn local(count: f64) -> f64 {
    if count < 1.0 {
        return 0.0;
    }
    if count < 3.0 {
        return 0.5; // 1 − ½, without any rounding
    }
    let exact = div_up(div_up(1.0, count), count - 1.0);
    add_up(exact, mul_up(div_up(1.0, count - 1.0), f64::EPSILON))
}

impl<T, P: Fn(&T) -> bool> Query for ReciprocalCount<T, P> {
    type Data = [T];
    type Answer = Finite;
    type Adjacency = AddRemove;

    fn answer(&self, data: &[T]) -> Result<Finite, Error> {
        Ok(Finite::or_zero(1.0 / self.count.answer(data)?.get().max(1.0)))
    }
}

impl<T, P: Fn(&T) -> bool, N: Subadditive> SensitivityIn<N> for ReciprocalCount<T, P> {
    fn sensitivity(&self) -> Sensitivity<N, AddRemove> {
        Sensitivity::new(0.5).expect("a half is a sensitivity")
    }
}

/// The least ladder, up to rounding.
impl<T, P: Fn(&T) -> bool> LocalSensitivity for ReciprocalCount<T, P> {
    fn local_at_distance(&self, data: &[T], distance: u64) -> Result<f64, Error> {
        let count = self.count.answer(data)?.get();
        #[allow(clippy::cast_precision_loss)] // rounded, it is still beyond all counts
        let steps = distance as f64;
        // From no records one step leads to one.
        let least = if count == 0.0 { steps } else { (count - steps).max(1.0) };
        Ok(local(least.min(count.max(1.0))))
    }

    /// The closed form. With the term for rounding the logarithm is still convex: its second
    /// derivative 1/u² + 1/(u−1)² − ε²/(1+εu)² is positive.
    fn smooth(&self, data: &[T], beta: Smoothness) -> Result<f64, Error> {
        let count = self.count.answer(data)?.get();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a whole number up to 2⁵³
        let steps = if count == 0.0 { 1 } else { (count as u64).saturating_sub(2) };
        Ok(local(count).max(beta.weight(steps) * 0.5).max(LEAST_BOUND))
    }
}

impl<T, P> fmt::Debug for ReciprocalCount<T, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReciprocalCount")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::attack::{assert_contract, smoothness};
    use crate::testing::brute;
    use proptest::prelude::*;

    #[test]
    fn the_closed_form_agrees_with_the_definition() {
        let reciprocal = ReciprocalCount::<bool, _>::matching(|x| *x);
        // All that matters is the count.
        let neighbours =
            |c: &usize| [c.checked_sub(1), Some(c + 1), Some(*c)].into_iter().flatten().collect();
        let data = |c: &usize| [vec![true; *c], vec![false; 3]].concat();
        for count in 0..40 {
            let truth = brute::ladder(&count, 45, neighbours, |c| reciprocal.answer(&data(c)).unwrap().get());
            for (k, rung) in (0..).zip(&truth) {
                let found = reciprocal.local_at_distance(&data(&count), k).unwrap();
                assert!(found >= *rung && found <= rung * (1.0 + 1e-13), "{count} {k}: {found} {rung}");
            }
            for beta in [1e-6, 0.02, 0.1, 0.7, 1.098_612_288_668_109_8, 3.0] {
                let truth = brute::smooth(&truth, beta);
                let found = reciprocal.smooth(&data(&count), Smoothness::new(beta).unwrap()).unwrap();
                assert!(found >= truth && found <= truth * (1.0 + 1e-10), "{count} {beta}: {found} {truth}");
            }
        }
    }

    proptest! {
        #[test]
        fn neighbours_obey_the_contract(size in 0usize..3000, other in any::<bool>(), beta in smoothness()) {
            let reciprocal = ReciprocalCount::<bool, _>::matching(|x| *x);
            let (x, y) = (vec![true; size], [vec![true; size], vec![other]].concat());
            assert_contract(&reciprocal, &x[..], &y[..], beta)?;
        }

        /// Where the quotients differ by a few units only, the rounding counts.
        #[test]
        fn the_step_covers_what_is_computed(count in 3u64..1 << 53) {
            #[allow(clippy::cast_precision_loss)]
            let (here, below) = (count as f64, (count - 1) as f64);
            prop_assert!(local(here) >= 1.0 / below - 1.0 / here);
            prop_assert!(local(here) <= local(below));
        }
    }

    #[test]
    fn no_records_and_all_records() {
        let all = ReciprocalCount::<u8, _>::all();
        assert_eq!(
            (
                all.answer(&[]).unwrap().get(),
                all.answer(&[7]).unwrap().get(),
                all.answer(&[7, 8]).unwrap().get()
            ),
            (1.0, 1.0, 0.5)
        );
        assert_eq!(
            (all.local(&[]).unwrap(), all.local(&[7]).unwrap(), all.local_at_distance(&[], 1).unwrap()),
            (0.0, 0.5, 0.5)
        );
    }
}
