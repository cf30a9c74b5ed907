//! What comes out of the Laplace mechanism, seen from outside.

use dp_core::{Mechanism, Scale};
use dp_mechanisms::Laplace;
use dp_mechanisms::rng::Insecure;
use proptest::prelude::*;

fn scaled(b: f64) -> Laplace {
    Laplace::with_scale(Scale::new(b).expect("tests pass valid scales"))
}

#[test]
fn no_answer_panics_and_every_release_is_finite() {
    let mut rng = Insecure::seeded(2);
    for noise in [scaled(1.0), scaled(f64::MAX), scaled(f64::from_bits(1)).on_grid(1023).unwrap()] {
        for answer in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN, 0.0, -0.0] {
            assert!(noise.draw(&answer, &mut rng).unwrap().is_finite());
        }
    }
    let draw = |answer| scaled(1.0).draw(&answer, &mut Insecure::seeded(4)).unwrap();
    assert_eq!(draw(f64::NAN), draw(0.0));
    assert_eq!(draw(f64::INFINITY), draw(f64::MAX));
    assert_eq!(draw(f64::NEG_INFINITY), draw(f64::MIN));
}

#[test]
fn draws_of_a_seed_do_not_change_from_version_to_version() {
    let mut rng = Insecure::seeded(1);
    let noise = scaled(1.0).on_grid(-20).unwrap();
    let first: [f64; 6] = std::array::from_fn(|_| noise.draw(&0.0, &mut rng).unwrap() * 1_048_576.0);
    assert_eq!(first, [-581_193.0, 683_855.0, 1_148_949.0, 316_180.0, -537_297.0, -89_135.0]);
}

#[test]
fn many_at_once_are_the_same_as_one_by_one() {
    let answers: Vec<f64> = (0..700).map(|i| f64::from(i) * 0.37 - 100.0).collect();
    let (mut one, mut many) = (Insecure::seeded(3), Insecure::seeded(3));
    let noise = scaled(2.5);
    let mut released = answers.clone();
    noise.draw_into(&mut released, &mut many);
    // The same words in the same order; none of these draws needs more than its first one.
    let singly: Vec<f64> = answers.iter().map(|answer| noise.draw(answer, &mut one).unwrap()).collect();
    assert_eq!(released, singly);
    released[..2].copy_from_slice(&[f64::NAN, f64::INFINITY]);
    noise.draw_into(&mut released[..2], &mut many);
    assert!(released.iter().all(|x| x.is_finite()));
}

proptest! {
    #[test]
    fn releases_lie_on_the_grid(
        answer in -1e3..1e3f64, b in 1e-2..1e2f64, exponent in -20i32..4, seed in any::<u64>(),
    ) {
        let released = scaled(b).on_grid(exponent).unwrap().draw(&answer, &mut Insecure::seeded(seed)).unwrap();
        prop_assert_eq!((released / 2f64.powi(exponent)).fract(), 0.0);
    }

    #[test]
    fn any_parameters_give_a_finite_release(
        answer in any::<f64>(), b in any::<f64>(), exponent in -1074i32..=1023, seed in any::<u64>(),
    ) {
        if let Ok(scale) = Scale::new(b.abs()) {
            let noise = Laplace::with_scale(scale);
            for noise in [Some(noise), noise.on_grid(exponent).ok()].into_iter().flatten() {
                prop_assert!(noise.draw(&answer, &mut Insecure::seeded(seed)).unwrap().is_finite());
            }
        }
    }
}
