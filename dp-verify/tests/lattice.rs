//! The accountant of `dp-accounting` integrates along a line, the one of the verifier convolves on
//! a lattice: what both enclose is the same number.

#![allow(clippy::unwrap_used)] // a failed construction is a failed test

use dp_accounting::Composition;
use dp_core::pairs::{DominatingPair, GaussianPair, LaplacePair, RandomizedResponsePair};
use dp_core::rounding::Enclosure;
use dp_core::{AddRemove, Delta, Epsilon, Mu};
use dp_verify::lattice::profile;
use proptest::prelude::*;

fn epsilon(value: f64) -> Epsilon {
    Epsilon::new(value).unwrap()
}

fn meet(a: Enclosure, b: Enclosure) -> bool {
    a.lo() <= b.hi() && b.lo() <= a.hi()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn lattice_and_line_agree(
        limit in 0.1..1.0f64, other in 0.1..1.0f64, mu in 0.05..0.5f64, count in 2..8u64, digits in 3.0..8.0f64,
    ) {
        let at = 10f64.powf(-digits);
        let (laplace, response) =
            (LaplacePair::new(epsilon(limit)), RandomizedResponsePair::binary(epsilon(other)));
        let gaussian = GaussianPair::new(Mu::new(mu).unwrap());
        let mixed: [Vec<(&dyn DominatingPair, u64)>; 4] = [
            vec![(&laplace, count)],
            vec![(&response, count)],
            vec![(&laplace, count), (&response, 2)],
            vec![(&gaussian, count), (&laplace, 1)],
        ];
        let compositions = [
            Composition::<AddRemove>::new().with(laplace, count),
            Composition::new().with(response, count),
            Composition::new().with(laplace, count).with(response, 2),
            Composition::new().with(gaussian, count).with(laplace, 1),
        ];
        for (parts, composition) in mixed.iter().zip(compositions) {
            let curve = profile(parts, 1e-4);
            let (a, b) = (curve.epsilon(at), composition.epsilon(Delta::new(at).unwrap()));
            prop_assert!(meet(a, b) && b.relative_width() < 1e-4 && a.relative_width() < 0.01, "{a:?} {b:?}");
            let middle = 0.5 * b.hi();
            let (a, b) = (curve.delta(middle), composition.delta(epsilon(middle)));
            prop_assert!(meet(a, b), "{a:?} {b:?}");
        }
    }
}
