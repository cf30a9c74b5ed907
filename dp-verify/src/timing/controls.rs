//! Samplers that draw as this library once did: their inputs must show.

use std::num::NonZero;

use dp_core::{Mechanism, Scale};
use dp_mechanisms::Laplace;
use dp_mechanisms::rng::Insecure;
use dp_mechanisms::sample::{Bernoulli, below};

use super::{Expected, Test, by_input, fractions};

pub(super) fn all() -> Vec<Test> {
    vec![gives_up_on_large_answers(), flips_until_one_is_taken(), takes_a_third_longer()]
}

/// Floats settle draws around small answers, and long integers those around large ones.
fn gives_up_on_large_answers() -> Test {
    let scale = Scale::new(1.3).expect("a positive constant");
    let (fast, slow) = (Laplace::with_scale(scale), fractions::DiscreteLaplace::new(1.3));
    let inputs = vec![("2³² − 1", 2f64.powi(32) - 1.0), ("2³²", 2f64.powi(32))];
    by_input("control: gives up on large answers", Expected::Shows, 8, inputs, move |answer, rng| {
        if *answer < 2f64.powi(32) { fast.draw(answer, rng).ok() } else { f64::try_from(slow.draw(rng)).ok() }
    })
}

/// Permute and flip by flips: their number tells how many good candidates there are.
fn flips_until_one_is_taken() -> Test {
    let draw = |scores: &Vec<f64>, rng: &mut Insecure| {
        let best = scores.iter().copied().fold(f64::MIN, f64::max);
        let mut left = scores.clone();
        while let Some(count) = NonZero::new(left.len() as u64) {
            let next = left.swap_remove(usize::try_from(below(count, rng)).unwrap_or(0));
            if Bernoulli::exp_neg((best - next) / 2.0).is_ok_and(|flip| flip.draw(rng)) {
                return next;
            }
        }
        best
    };
    let one: Vec<f64> = (0..64).map(|i| if i == 63 { 100.0 } else { 0.0 }).collect();
    by_input(
        "control: flips until one is taken",
        Expected::Shows,
        2,
        vec![("ties", vec![0.0; 64]), ("one leader", one)],
        draw,
    )
}

/// A difference of a third, which is about the smallest that must be seen.
fn takes_a_third_longer() -> Test {
    let noise = Laplace::with_scale(Scale::new(1.3).expect("a positive constant"));
    let inputs = vec![("1", 1.0), ("2, with a draw in three more", 2.0)];
    by_input("control: takes a third longer", Expected::Shows, 8, inputs, move |answer, rng| {
        (0..if *answer < 2.0 { 3 } else { 4 }).filter_map(|_| noise.draw(answer, rng).ok()).sum::<f64>()
    })
}
