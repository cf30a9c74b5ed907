//! What the tests attack sensitivities with.

use dp_core::rounding::{Enclosure, sub_up};
use dp_core::{Bounds, Error};
use proptest::prelude::*;

use super::brute;
use crate::{LocalSensitivity, Smoothness};

/// Records that have broken implementations before.
pub(crate) const EXTREMES: [f64; 9] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
    f64::MIN,
    f64::from_bits(1),
    -f64::from_bits(1),
    0.0,
    -0.0,
];

/// Bounds of all kinds: around zero, far from it, and with any ends that floats have.
pub(crate) fn bounds() -> impl Strategy<Value = Bounds> {
    prop_oneof![
        (-10.0..0.0f64, 0.0..10.0f64),
        (1e8..1e8 + 1.0, 1e8 + 1.0..1e8 + 2.0),
        (any::<f64>(), any::<f64>()),
        (0.0..1e-307f64, 1e-308..1e-306f64),
    ]
    .prop_filter_map("not an interval", |(lower, upper)| Bounds::new(lower.min(upper), lower.max(upper)).ok())
}

/// Records of all kinds: ordinary, any, and extreme.
pub(crate) fn entry() -> impl Strategy<Value = f64> {
    prop_oneof![-3.0..3.0f64, any::<f64>(), prop::sample::select(EXTREMES.to_vec())]
}

/// Rates of all sizes.
pub(crate) fn smoothness() -> impl Strategy<Value = Smoothness> {
    (-9.0..2.0f64).prop_map(|log| Smoothness::new(10f64.powf(log).clamp(1e-9, 100.0)).unwrap())
}

/// The contract of [`LocalSensitivity`] on two neighbours, to the last bit.
pub(crate) fn assert_contract<D: ?Sized, Q: LocalSensitivity<Data = D>>(
    query: &Q,
    x: &D,
    y: &D,
    beta: Smoothness,
) -> Result<(), TestCaseError> {
    let global = query.sensitivity().value();
    let answers = [query.answer(x).unwrap().get(), query.answer(y).unwrap().get()];
    // The least float that is no less than the distance.
    let moved = sub_up(answers[0].max(answers[1]), answers[0].min(answers[1]));
    for (here, there) in [(x, y), (y, x)] {
        prop_assert!(query.local(here).unwrap() >= moved, "{} {moved}", query.local(here).unwrap());
        let mut before = 0.0;
        // Some ladders change their formula after 64 or 256 steps.
        for k in [0, 1, 2, 3, 10, 50, 64, 256, u64::MAX - 1] {
            let rung = query.local_at_distance(here, k).unwrap();
            let higher = query.local_at_distance(there, k + 1).unwrap();
            prop_assert!(
                before <= rung && rung <= higher && rung <= global,
                "{k}: {before} {rung} {higher} {global}"
            );
            before = rung;
        }
        let (s, t) = (query.smooth(here, beta).unwrap(), query.smooth(there, beta).unwrap());
        prop_assert!(s >= query.local(here).unwrap());
        let allowed = Enclosure::point(beta.get()).exp() * Enclosure::point(t);
        prop_assert!(s <= allowed.lo(), "{s} {t}");
    }
    Ok(())
}

/// Compares the ladder and the smooth bound with their definitions, on data whose records are the
/// values at these positions. `slack` is how much higher the ladder and the smooth bound may be,
/// relatively and up to a rounding absolutely; the steps must lead everywhere.
pub(crate) fn assert_agreement<Q: LocalSensitivity<Data = [f64]>>(
    query: &Q,
    values: &[f64],
    data: &[usize],
    neighbours: impl Fn(&[usize]) -> Vec<Vec<usize>>,
    (steps, slack): (usize, f64),
) -> Result<(), Error> {
    let numbers = |list: &[usize]| list.iter().map(|&at| values[at]).collect::<Vec<_>>();
    let answer = |list: &Vec<usize>| query.answer(&numbers(list)).unwrap().get();
    let truth = brute::ladder(&data.to_vec(), steps, |list| neighbours(list), answer);
    let data = numbers(data);
    for (k, rung) in (0..).zip(&truth) {
        let found = query.local_at_distance(&data, k)?;
        assert!(
            found >= *rung && found <= rung * (1.0 + slack) + slack.min(1e-12),
            "{data:?} at {k}: {found} {rung}"
        );
    }
    for beta in [0.02, 0.3, 1.0, 5.0] {
        let (found, truth) = (query.smooth(&data, Smoothness::new(beta)?)?, brute::smooth(&truth, beta));
        let most = truth * (1.0 + slack + 1e-10) + slack.min(1e-12);
        assert!(found >= truth && found <= most, "{data:?} at β = {beta}: {found} {truth}");
    }
    Ok(())
}

/// Few records between 0 and 8: spread, close together, in groups, at the bounds, skewed.
pub(crate) const SMALL: [&[f64]; 12] = [
    &[1.0, 6.0],
    &[8.0, 8.0],
    &[0.0, 0.0, 8.0],
    &[3.5, 3.75, 4.0],
    &[1.0, 2.5, 7.0],
    &[7.5, 7.75, 8.0],
    &[0.5, 4.25, 4.5, 4.75],
    &[3.0, 3.25, 3.5, 7.25],
    &[0.0, 0.0, 8.0, 8.0],
    &[1.0, 1.0, 1.0, 1.0],
    &[2.0, 3.5, 4.0, 6.5],
    &[0.25, 2.0, 2.25, 5.0, 7.5],
];

/// Compares the ladder with what is [found](brute::farthest) without knowing anything of the query,
/// which is reached by data and so never larger than the least ladder: to a relative 10⁻⁷. The
/// smooth bound is that of this ladder.
pub(crate) fn assert_least<Q: LocalSensitivity<Data = [f64]>>(
    query: &Q,
    data: &[f64],
    width: f64,
) -> Result<(), Error> {
    let mut truth = vec![];
    for k in 0..=data.len() {
        let found = query.local_at_distance(data, k as u64)?;
        // Listing takes too long beyond this, and all data are within reach of n steps.
        let Some(grid) = [65, 33, 17, 13].get(k) else {
            truth.push(found);
            continue;
        };
        let reached = brute::farthest(data, k, *grid, width, |y| query.answer(y).unwrap().get());
        assert!(found >= reached && found <= reached * (1.0 + 1e-7), "{data:?} at {k}: {found} {reached}");
        truth.push(reached);
    }
    for beta in [0.3, 1.0, 5.0] {
        let (found, truth) = (query.smooth(data, Smoothness::new(beta)?)?, brute::smooth(&truth, beta));
        assert!(found >= truth && found <= truth * (1.0 + 1e-6), "{data:?} at β = {beta}: {found} {truth}");
    }
    Ok(())
}
