//! Composition theorems against brute force and against each other.

#![allow(clippy::unwrap_used)] // a test may panic

use dp_accounting::theorems::{Optimal, advanced, advanced_printed, basic};
use dp_core::pairs::{DominatingPair, FinitePair};
use dp_core::{Alpha, Approx, Delta, Epsilon};
use proptest::prelude::*;

fn approx(epsilon: f64, delta: f64) -> Approx {
    Approx::from_parts(Epsilon::new(epsilon).unwrap(), Delta::new(delta).unwrap())
}

fn optimal(releases: &[(f64, f64, u64)]) -> Optimal {
    let releases: Vec<_> = releases.iter().map(|&(e, d, k)| (approx(e, d), k)).collect();
    Optimal::new(&releases).unwrap()
}

/// All outcomes of responses that tell all with probability δᵢ and are εᵢ-private otherwise.
fn listed(releases: &[(f64, f64, u64)]) -> FinitePair {
    let mut weights = vec![(1.0, 1.0)];
    for &(epsilon, delta, times) in releases {
        let truth = (1.0 - delta) * epsilon.exp() / (1.0 + epsilon.exp());
        let lie = (1.0 - delta) / (1.0 + epsilon.exp());
        for _ in 0..times {
            let outcomes = [(delta, 0.0), (truth, lie), (lie, truth), (0.0, delta)];
            weights = weights.iter().flat_map(|&(p, q)| outcomes.map(|(a, b)| (p * a, q * b))).collect();
        }
    }
    let (p, q): (Vec<f64>, Vec<f64>) = weights.into_iter().unzip();
    FinitePair::new(&p, &q).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn the_optimal_composition_is_that_of_all_outcomes(
        releases in prop::collection::vec((0.0..2.0f64, prop_oneof![Just(0.0), 0.0..0.2f64], 1u64..3), 1..4),
        at in -1.0..1.2f64,
    ) {
        prop_assume!(releases.iter().map(|r| r.2).sum::<u64>() <= 6);
        let (ours, theirs) = (optimal(&releases), listed(&releases));
        let total: f64 = releases.iter().map(|&(e, _, k)| e * f64::from(u32::try_from(k).unwrap())).sum();
        let epsilon = at * total;
        let (own, other) = (ours.delta(epsilon), theirs.delta(epsilon));
        prop_assert!(own.lo() <= other.hi() + 1e-13 && other.lo() <= own.hi() + 1e-13, "{:?} {:?}", own, other);
        prop_assert!(own.hi() - own.lo() < 1e-12);
        let (own, other) = (ours.tail(epsilon), theirs.tail(epsilon));
        prop_assert!(own.lo() <= other.hi() + 1e-13 && other.lo() <= own.hi() + 1e-13, "{:?} {:?}", own, other);
        if releases.iter().all(|r| r.1 == 0.0) {
            let order = Alpha::new(2.5).unwrap();
            prop_assert!((ours.renyi(order).hi() - theirs.renyi(order).hi()).abs() < 1e-10);
            prop_assert!((ours.max_loss() - total).abs() < 1e-12);
        } else {
            prop_assert!(ours.max_loss().is_infinite() && ours.renyi(Alpha::new(2.0).unwrap()).hi().is_infinite());
        }
    }
}

/// A loss is a float only up to rounding, and the upper bound of a tail counts it as far as that
/// may reach.
#[test]
fn tails_count_losses_that_may_be_larger() {
    for (epsilon, count) in [(0.1f64, 3), (0.7, 5)] {
        let pair = optimal(&[(epsilon, 0.0, count)]);
        let all_true = (epsilon.exp() / (1.0 + epsilon.exp())).powi(i32::try_from(count).unwrap());
        let just_below = pair.tail(pair.max_loss().next_down());
        assert!(just_below.hi() >= all_true * (1.0 - 1e-12), "{just_below} {all_true}");
        assert!(pair.tail(pair.max_loss()).hi() < 1e-200);
    }
}

/// Exact sums at 60 digits with mpmath.
#[test]
fn many_equal_releases() {
    for (epsilon, count, at, truth) in MANY {
        let delta = optimal(&[(epsilon, 0.0, count)]).delta(at);
        assert!(delta.relative_width() < 1e-7, "{epsilon} × {count} at {at}: {delta:?}");
        assert!(
            delta.lo() <= truth * (1.0 + 1e-12) && delta.hi() >= truth * (1.0 - 1e-12),
            "{epsilon} × {count} at {at}: {delta:?} {truth:e}"
        );
    }
}

#[allow(clippy::excessive_precision, clippy::unreadable_literal)] // as they were printed
const MANY: [(f64, u64, f64, f64); 10] = [
    (0.1, 100, 3.0, 0.0013613986948316388),
    (0.1, 100, 9.9, 9.8327467604638566e-30),
    (1.0, 30, 10.5, 0.69063672003447534),
    (0.01, 10000, 5.0, 5.7561757201844765e-7),
    (0.01, 1000000, 100.0, 1.8781317688387361e-7),
    (0.001, 1000000, 6.0, 2.787507519844573e-9),
    (0.001, 1000000, 12.0, 5.1990730120008315e-32),
    (0.001, 1000000, 0.0, 0.38292482719701207),
    (0.5, 1, 0.2, 0.16133011701416455),
    (0.01, 10000, -0.5, 0.53807235876763693),
];

#[test]
fn advanced_composition_is_what_is_printed() {
    for (epsilon, count, slack) in [(0.1f64, 100u32, 1e-6f64), (1.0, 3, 0.1), (0.01, 10_000, 1e-12)] {
        let k = f64::from(count);
        let spread = epsilon * (-2.0 * k * slack.ln()).sqrt();
        let each = (approx(epsilon, 1e-9), count.into(), Delta::new(slack).unwrap());
        for (found, drift) in [
            (advanced(each.0, each.1, each.2).unwrap(), 0.5 * k * epsilon * epsilon),
            (advanced_printed(each.0, each.1, each.2).unwrap(), k * epsilon * epsilon.exp_m1()),
        ] {
            assert!((found.epsilon().get() / (spread + drift) - 1.0).abs() < 1e-12, "{found}");
            assert!((found.delta().get() / (k * 1e-9 + slack) - 1.0).abs() < 1e-12, "{found}");
        }
    }
}

#[test]
fn weaker_theorems_give_more() {
    for epsilon in [1e-3, 0.1, 1.0] {
        for count in [1, 30, 1000] {
            for slack in [1e-9, 1e-3] {
                let (each, slack) = (approx(epsilon, 1e-10), Delta::new(slack).unwrap());
                let (printed, classic) =
                    (advanced(each, count, slack).unwrap(), advanced_printed(each, count, slack).unwrap());
                assert_eq!(printed.delta(), classic.delta());
                assert!(printed.epsilon() < classic.epsilon());
                let best = Optimal::new(&[(each, count)]).unwrap();
                assert!(best.delta(printed.epsilon().get()).hi() <= printed.delta().get());
                let sum = basic(&[(each, count)]);
                assert!(best.delta(sum.epsilon().get()).lo() <= sum.delta().get());
            }
        }
    }
}

#[test]
fn ends() {
    assert!(
        advanced(approx(1.0, 0.0), 3, Delta::ZERO).is_err()
            && advanced_printed(approx(1.0, 0.0), 3, Delta::ZERO).is_err()
    );
    let slack = Delta::new(1e-5).unwrap();
    assert_eq!(advanced(approx(1.0, 0.1), 0, slack).unwrap(), Approx::from_parts(Epsilon::ZERO, slack));
    assert!(
        advanced(Approx::from_parts(Epsilon::INFINITE, Delta::ZERO), 3, slack)
            .unwrap()
            .epsilon()
            .is_infinite()
    );
    assert!(advanced(approx(1.0, 0.0), u64::MAX, slack).unwrap().epsilon().get() > 9e18);
    assert_eq!(optimal(&[]).delta(0.0).hi(), 0.0);
    assert_eq!(optimal(&[(0.0, 0.0, 100)]).delta(0.0).hi(), 0.0);
    assert!((optimal(&[(0.0, 0.01, 2)]).delta(3.0).hi() - 0.0199).abs() < 1e-15);
    assert_eq!(optimal(&[(1.0, 1.0, 1)]).delta(9.0).lo(), 1.0);
    let infinite = Optimal::new(&[(Approx::from_parts(Epsilon::INFINITE, Delta::ZERO), 1)]).unwrap();
    assert_eq!(infinite.delta(1e9).lo(), 1.0);
    assert!(Optimal::new(&[(approx(0.1, 0.0), u64::MAX)]).is_err());
    let kinds: Vec<_> = (1..40).map(|k| (approx(0.01 * f64::from(k), 0.0), 5)).collect();
    assert!(Optimal::new(&kinds).is_err());
    assert_eq!(optimal(&[(1.0, 0.0, 5)]).epsilon(Delta::ZERO).get(), 5.0);
}
