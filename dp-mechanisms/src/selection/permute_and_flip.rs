//! Permute and flip.

use super::{ExponentialNoise, General, NoisyMax};

/// Goes through the candidates in a random order and takes each with probability
/// e^(−(best − uᵢ)/b); the first that is taken is selected.
///
/// **Theorem** (McKenna and Sheldon 2020; Ding and others 2021). It has the law of [`NoisyMax`]
/// with [`ExponentialNoise`] of scale b. So it is (2Δ/b)-private, and (Δ/b)-private for
/// [`Monotone`](super::Monotone) scores. It is never worse than the
/// [`Exponential`](super::Exponential) mechanism at the same ε, and does *not* have its bounded
/// range.
///
/// **Proof.** Let pᵢ = e^(−(best − uᵢ)/b). A random order comes about when candidates arrive at
/// independent uniform times. Candidate i, who arrives at time t, is selected if it is taken and
/// nobody was before: the others each came before t and would have been taken with probability
/// t·p_j. So
///
/// > Pr(i) = pᵢ·∫₀¹ ∏_(j≠i) (1 − t·p_j) dt.
///
/// Now add exponential noise, and count heights from the best score in units of b. The best
/// candidate ends above 0, so the winner does. Candidate i ends at z > 0 with density pᵢ·e^(−z),
/// and each other one below z with probability 1 − p_j·e^(−z). With t = e^(−z), dt = −e^(−z) dz,
/// this is the same integral. ∎
///
/// It is drawn by that theorem: flips go on until a good candidate is reached, so that their number
/// reveals something about the scores to whoever can time them, and exponential noise takes [the
/// same work](super#timing) for all scores. The law is the same, of the real numbers that the
/// scores and the scale denote.
///
/// ```
/// use dp_core::{AddRemove, ForGuarantee, LInf, Mechanism, Pure, Sensitivity};
/// use dp_mechanisms::{rng::OsSeeded, selection::PermuteAndFlip};
///
/// let unit = Sensitivity::<LInf, AddRemove>::new(1.0)?;
/// let best: PermuteAndFlip = PermuteAndFlip::for_guarantee(&Pure::new(0.5)?, unit)?;
/// assert_eq!(best.scale().get(), 4.0);
/// let winner = best.draw(&[10.0, 75.0, 12.0], &mut OsSeeded::new()?)?;
/// assert!(winner < 3);
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
pub type PermuteAndFlip<S = General> = NoisyMax<ExponentialNoise, S>;

#[cfg(test)]
mod tests {
    use super::super::laws;
    use super::*;
    use crate::rng::Insecure;
    use dp_core::rounding::Enclosure;
    use dp_core::{Mechanism, Scale};
    use proptest::prelude::*;

    fn scaled(b: f64) -> PermuteAndFlip {
        PermuteAndFlip::with_scale(Scale::new(b).unwrap())
    }

    proptest! {
        #[test]
        fn the_law_is_that_of_exponential_noise(scores in prop::collection::vec(-5.0..5f64, 1..7), b in 0.2..5f64) {
            let flipped = laws::permute_and_flip(&scores, b);
            let noisy = laws::exponential_noise(&scores, b);
            for (by_orders, by_integral) in flipped.into_iter().zip(noisy) {
                prop_assert!(by_orders.lo() <= by_integral.hi() && by_integral.lo() <= by_orders.hi());
                prop_assert!(by_orders.hi() - by_orders.lo() < 1e-10 && by_integral.hi() - by_integral.lo() < 1e-10);
            }
        }
    }

    #[test]
    fn draws_fit_the_law() {
        const DRAWS: u32 = 20_000;
        let scores = [0.0, 1.0, -0.5, 1.0, f64::NAN];
        let law = laws::permute_and_flip(&scores[..4], 1.5);
        let mut rng = Insecure::seeded(6);
        let mut counts = [0u32; 5];
        for _ in 0..DRAWS {
            counts[scaled(1.5).draw(&scores, &mut rng).unwrap()] += 1;
        }
        assert_eq!(counts[4], 0);
        // Hoeffding: each share strays by more than this with probability below 2·10⁻⁹.
        let slack = (1e9f64.ln() / (2.0 * f64::from(DRAWS))).sqrt();
        for (count, truth) in counts.into_iter().zip(law) {
            let share = f64::from(count) / f64::from(DRAWS);
            assert!(
                Enclosure::new(share - slack, share + slack).contains(truth.hi()),
                "{share}, but {truth}"
            );
        }
    }

    #[test]
    fn any_scores_are_taken_and_none_are_refused() {
        let mut rng = Insecure::seeded(8);
        assert!(scaled(1.0).draw(&[], &mut rng).is_err());
        for b in [f64::from_bits(1), 1.0, f64::MAX] {
            let odd =
                [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN, 0.0, f64::from_bits(1)];
            for _ in 0..20 {
                assert!(scaled(b).draw(&odd, &mut rng).unwrap() < odd.len());
            }
        }
        let only_best = scaled(f64::from_bits(1));
        assert_eq!(only_best.draw(&[0.0, 1.0, 0.5], &mut rng), Ok(1)); // but for e^(−10³²³)
    }
}
