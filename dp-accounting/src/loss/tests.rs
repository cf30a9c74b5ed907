//! What every loss must satisfy.

use std::sync::Arc;

use dp_core::pairs::{
    BoundedRangePair, DiscreteGaussianPair, DiscreteLaplacePair, DominatingPair, FinitePair, GaussianPair,
    LaplacePair, RandomizedResponsePair,
};
use dp_core::{Alpha, Approx, Epsilon, Mu, Scale};

use super::discretised::{Bound, Discretised};
use super::*;
use crate::contour::Effort;
use crate::grid::Fineness;

const BOTH: [Direction; 2] = [Direction::Remove, Direction::Add];

/// One loss of each kind, and each of them subsampled.
fn all() -> Vec<Arc<dyn PrivacyLoss>> {
    let (epsilon, scale) = (Epsilon::new(0.7).unwrap(), Scale::new(1.5).unwrap());
    let wide = Scale::new(1200.0).unwrap();
    let finite = FinitePair::new(&[0.5, 0.25, 0.25], &[0.25, 0.125, 0.625]).unwrap();
    let bases: Vec<Arc<dyn PrivacyLoss>> = vec![
        Arc::new(GaussianPair::new(Mu::new(0.8).unwrap())),
        Arc::new(LaplacePair::new(epsilon)),
        Arc::new(BoundedRangePair::new(epsilon)),
        Arc::new(RandomizedResponsePair::binary(epsilon)),
        Arc::new(DiscreteLaplacePair::new(scale, 3).unwrap()),
        Arc::new(DiscreteGaussianPair::new(scale, 2).unwrap()),
        Arc::new(DiscreteGaussianPair::new(wide, 900).unwrap()),
        Arc::new(Approx::new(0.7, 1e-3).unwrap()),
        Arc::new(finite.clone()),
        Arc::new(EitherWay(finite)),
        Arc::new(Unknown::new(LaplacePair::new(epsilon))),
    ];
    let sampled = |of: &Arc<dyn PrivacyLoss>| -> [Arc<dyn PrivacyLoss>; 2] {
        let batch = WithoutReplacement::new(10, 3, of.clone());
        [Arc::new(Poisson::new(0.125, of.clone())), Arc::new(batch)]
    };
    let adapted: Vec<_> = bases.iter().flat_map(sampled).collect();
    bases.into_iter().chain(adapted).collect()
}

/// What is said of a form and of a finite law without making them is so.
#[test]
fn what_can_be_made_is_made() {
    for loss in all() {
        let has_form = BOTH.map(|direction| !matches!(loss.form(direction), Form::Unknown));
        assert_eq!([loss.has_form(); 2], has_form, "{loss:?}");
        assert_eq!(loss.has_finite_law(), loss.finite_law().is_some(), "{loss:?}");
    }
}

/// The form of a loss is the law of its pair: the same profile, and the same divergences.
#[test]
fn the_form_is_the_law_of_the_pair() {
    let mut closed = 0;
    for loss in all() {
        for direction in BOTH {
            let (form, pair) = (loss.form(direction), loss.view(direction));
            if matches!(form, Form::Unknown) {
                continue;
            }
            closed += 1;
            // One run of a subsampled Gaussian is nearly an atom: its bracket is wide without a
            // grid.
            let rough = matches!(&form, Form::Density { loss, .. } if loss.gains_from_grids());
            let mut side = Side::empty(&Effort::new(1e12));
            form.add_to(&mut side, 1);
            for epsilon in [0.0, 0.1, 0.5] {
                let (found, truth) = (side.delta(epsilon, 1e-3, 0.0), pair.delta(epsilon));
                let what = format!("{loss:?} {direction:?} at {epsilon}: {found:?} {truth:?}");
                assert!(found.lo() <= truth.hi() && truth.lo() <= found.hi(), "{what}");
                assert!(rough || found.hi() <= truth.hi() * 1.05 + 1e-3, "{what}");
            }
        }
    }
    assert!(closed > 35, "{closed} of {} are known in closed form", 2 * all().len());
}

/// Both discretisations bound the profile, whatever the form.
#[test]
fn discretisations_bound_every_loss() {
    let fineness = Fineness {
        count: 1.0,
        epsilon: 0.5,
        variance: 1e-4,
        negligible: 1e-12,
        most_points: 400.0,
        most_work: 1e12,
        gaussians_too: true,
    };
    for loss in all() {
        for direction in BOTH {
            // Where infinite losses matter no grid reaches far enough, and the bounds are rough.
            let (pair, discretised) = (loss.view(direction), Discretised::new(&*loss, direction));
            let rough = pair.delta(f64::INFINITY).hi() > fineness.negligible;
            assert!(discretised.least_work() > 0.0);
            // With the work that is needed, and with none.
            for effort in [1e12, 0.0] {
                let profile = |bound| {
                    let dots = discretised.bounded(bound, fineness, &Effort::new(effort));
                    move |epsilon: f64| {
                        let of = |(loss, mass): (&f64, &f64)| mass * (-(epsilon - loss).exp_m1()).max(0.0);
                        dots.losses.iter().zip(&dots.masses).map(of).sum::<f64>() + dots.infinite
                    }
                };
                let (above, below) = (profile(Bound::Above), profile(Bound::Below));
                for epsilon in [0.0, 0.2, 0.6, 1.5] {
                    let truth = pair.delta(epsilon);
                    let found = [below(epsilon), above(epsilon)];
                    let holds = found[0] <= truth.hi() + 1e-12 && truth.lo() <= found[1] + 1e-12;
                    assert!(holds, "{loss:?} {direction:?} at {epsilon}: {found:?} {truth:?}");
                    let narrow = rough || effort == 0.0 || found[1] - found[0] < 0.05;
                    assert!(narrow, "{loss:?} {direction:?} at {epsilon}: {found:?} {truth:?}");
                }
            }
        }
    }
}

#[test]
fn losses_are_equal_where_their_keys_are() {
    let (losses, again) = (all(), all());
    for (i, loss) in losses.iter().enumerate() {
        for (j, other) in again.iter().enumerate() {
            // A pair of which only the views are known is equal to itself alone.
            let known = core::iter::successors(Some(&**loss), |loss| loss.base()).all(|loss| {
                let any: &dyn Any = loss;
                !any.is::<Unknown>()
            });
            assert_eq!(key(&**loss) == key(&**other), i == j && known, "{loss:?} {other:?}");
        }
        assert_eq!(key(&**loss), key(&**loss));
    }
}

#[test]
fn symmetric_losses_have_one_profile() {
    for loss in all() {
        let [removed, added] = BOTH.map(|direction| loss.view(direction));
        let apart = [0.0, 0.3].into_iter().any(|epsilon| {
            let (a, b) = (removed.delta(epsilon), added.delta(epsilon));
            a.hi() < b.lo() || b.hi() < a.lo()
        });
        assert!(!(apart && loss.is_symmetric()), "{loss:?}");
        for order in [1.5, 4.0] {
            let order = Alpha::new(order).unwrap();
            let [usual, table] = [loss.view(Direction::Remove), loss.tabulated_view(Direction::Remove)];
            let (a, b) = (usual.renyi(order), table.renyi(order));
            assert!(a.lo() <= b.hi() && b.lo() <= a.hi(), "{loss:?}: {a:?} {b:?}");
        }
    }
}

/// What takes little is not below what takes long, and bounds are infinite where losses are.
#[test]
fn quick_divergences_are_not_too_small() {
    for loss in all() {
        for direction in BOTH {
            for order in [1.25, 2.0, 3.5, 20.0, 300.0] {
                let order = Alpha::new(order).unwrap();
                let (quick, truth) =
                    (loss.quick_divergence(direction, order), loss.view(direction).renyi(order));
                assert!(
                    quick >= truth.lo() * (1.0 - 1e-12),
                    "{loss:?} {direction:?} at {order:?}: {quick} {truth:?}"
                );
                assert!(loss.divergence_work(order) > 0.0);
            }
        }
    }
}
