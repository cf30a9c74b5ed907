use super::*;
use crate::testing::attack::{EXTREMES, assert_agreement, assert_contract, bounds, entry, smoothness};
use crate::testing::brute;
use proptest::prelude::*;

const VALUES: [f64; 5] = [-2.0, -1.0, 1.0, 2.5, 6.0];
/// Among them the two floats above ½, of which the first has the ranks of ½.
const LEVELS: [f64; 11] =
    [0.0, 0.1, 0.25, 0.4, 0.5, 0.500_000_000_000_000_1, 0.500_000_000_000_000_2, 0.6, 0.75, 0.9, 1.0];

fn numbers(list: &[usize]) -> Vec<f64> {
    list.iter().map(|&at| VALUES[at]).collect()
}

fn small_bounds() -> Bounds {
    Bounds::new(VALUES[0], VALUES[4]).unwrap()
}

#[test]
fn ladders_are_the_least_under_replace_one() {
    for size in 1..=5 {
        for level in LEVELS {
            let query = Quantile::new(small_bounds(), level).unwrap().under_replace_one(size).unwrap();
            for data in brute::multisets(VALUES.len(), size) {
                assert_agreement(&query, &VALUES, &data, |list| brute::replaced(list, 5), (size, 0.0))
                    .unwrap();
            }
        }
    }
}

#[test]
fn ladders_are_the_least_under_add_remove() {
    for size in 0..=3 {
        for level in LEVELS {
            let query = Quantile::new(small_bounds(), level).unwrap();
            for data in brute::multisets(VALUES.len(), size) {
                assert_agreement(
                    &query,
                    &VALUES,
                    &data,
                    |list| brute::added_or_removed(list, 5),
                    (size + 1, 0.0),
                )
                .unwrap();
            }
        }
    }
}

#[test]
fn longer_data_agree_too() {
    // Two values are enough to see every gap, and make long data cheap.
    let bounds = Bounds::new(VALUES[0], VALUES[1]).unwrap();
    for size in [7, 8, 11] {
        for level in LEVELS {
            let query = Quantile::new(bounds, level).unwrap();
            for data in brute::multisets(2, size) {
                let answer = |list: &Vec<usize>| query.answer(&numbers(list)).unwrap().get();
                let truth = brute::ladder(&data, size, |list| brute::added_or_removed(list, 2), answer);
                for (k, rung) in truth.iter().enumerate() {
                    assert_eq!(query.local_at_distance(&numbers(&data), k as u64).unwrap(), *rung);
                }
            }
        }
    }
}

/// The maximum over all windows, one by one, under replace-one.
fn slowly(query: &Quantile<ReplaceOne>, data: &[f64], beta: Smoothness) -> f64 {
    let windows = query.windows(data, data.len()).unwrap();
    let rungs = (0..=data.len()).map(|k| beta.weight(k as u64) * windows.at_distance(k));
    rungs.fold(crate::local::smoothness::LEAST_BOUND, f64::max)
}

proptest! {
    #[test]
    fn dividing_finds_the_largest_window(
        data in prop::collection::vec(prop_oneof![-5.0..5.0f64, Just(1.0), -1e-12..1e-12f64], 1..300),
        level in 0.0..1.0f64, beta in smoothness(),
    ) {
        let query = Quantile::new(Bounds::new(-5.0, 5.0).unwrap(), level).unwrap();
        let fixed = query.under_replace_one(data.len()).unwrap();
        let (found, truth) = (fixed.smooth(&data, beta).unwrap(), slowly(&fixed, &data, beta));
        prop_assert!((found / truth - 1.0).abs() < 1e-12, "{found} {truth}");
        // Under add/remove the ladder itself is the oracle, rung by rung.
        let staircase = query.staircase(&data, usize::MAX).unwrap();
        let rungs = (0..=data.len() + 1).map(|k| beta.weight(k as u64) * staircase.at_distance(k)).fold(0.0, f64::max);
        let found = query.smooth(&data, beta).unwrap();
        prop_assert!((found / rungs - 1.0).abs() < 1e-12, "{found} {rungs}");
    }

    /// The contract of `LocalSensitivity`, with whatever floats there are.
    #[test]
    fn neighbours_obey_the_contract(
        bounds in bounds(), data in prop::collection::vec(entry(), 1..25), at in 0usize..25, other in entry(),
        level in prop::sample::select(LEVELS.to_vec()), beta in smoothness(),
    ) {
        let at = at % data.len();
        let query = Quantile::new(bounds, level).unwrap();
        let mut removed = data.clone();
        removed.remove(at);
        assert_contract(&query, &data[..], &removed[..], beta)?;
        let fixed = query.under_replace_one(data.len()).unwrap();
        for value in [EXTREMES.as_slice(), &[other, bounds.lower(), bounds.upper()]].concat() {
            let mut changed = data.clone();
            changed[at] = value;
            assert_contract(&fixed, &data[..], &changed[..], beta)?;
        }
    }
}

#[test]
fn neighbours_reach_the_global_sensitivity() {
    let bounds = Bounds::new(-1.0, 3.0).unwrap();
    for level in LEVELS {
        let query = Quantile::new(bounds, level).unwrap();
        let rank = query.rank(9);
        let mut data = vec![-1.0; 9];
        data[rank..].fill(3.0);
        let mut other = data.clone();
        other[0] = 3.0;
        let fixed = query.under_replace_one(9).unwrap();
        assert_eq!(fixed.answer(&other).unwrap().get() - fixed.answer(&data).unwrap().get(), 4.0);
    }
}

#[test]
fn ranks_are_what_one_expects() {
    for (level, size, expected) in [
        (0.5, 1, 1),
        (0.5, 4, 2),
        (0.5, 5, 3),
        (0.9, 10, 9),
        (0.1, 10, 1),
        (0.1, 11, 2),
        (0.3, 10, 3),
        (0.7, 10, 7),
        (1.0, 7, 7),
        (0.0, 7, 1),
        (0.25, 8, 2),
        (f64::from_bits(1), 100, 1),
        (f64::from_bits(2), 100, 1),
        (1.0, 1 << 50, 1 << 50),
        (0.5, 1 << 50, 1 << 49),
    ] {
        assert_eq!(rank(level, size), expected, "{level} of {size}");
    }
    let query = Quantile::new(Bounds::new(0.0, 10.0).unwrap(), 0.25).unwrap();
    assert_eq!(query.answer(&[7.0, 3.0, 1e9, f64::NAN]).unwrap().get(), 3.0);
    assert_eq!(query.answer(&[]).unwrap().get(), 5.0);
    assert_eq!(query.local(&[]).unwrap(), 5.0);
}

#[test]
fn public_facts_are_checked() {
    let bounds = Bounds::new(0.0, 1.0).unwrap();
    for bad in [-0.1, 1.1, f64::NAN] {
        assert!(Quantile::new(bounds, bad).is_err());
    }
    assert_eq!([Quantile::median(bounds), Quantile::maximum(bounds)].map(|query| query.level()), [0.5, 1.0]);
    assert!(Quantile::median(bounds).under_replace_one(0).is_err());
    let two = Quantile::maximum(bounds).under_replace_one(2).unwrap();
    let wrong = Err(Error::WrongSize { declared: 2, found: 1 });
    assert_eq!((two.answer(&[1.0]).map(Finite::get), two.local(&[1.0])), (wrong.clone(), wrong.clone()));
    assert_eq!(two.smooth(&[1.0], Smoothness::new(1.0).unwrap()), wrong);
}

#[cfg(feature = "serde")]
#[test]
fn declarations_survive_the_disk_and_are_checked() {
    let query = Quantile::median(Bounds::new(0.0, 2.0).unwrap());
    let text = serde_json::to_string(&query).unwrap();
    assert_eq!(text, r#"{"bounds":[0.0,2.0],"level":0.5}"#);
    assert_eq!(serde_json::from_str::<Quantile<AddRemove>>(&text).unwrap(), query);
    assert!(serde_json::from_str::<Quantile<ReplaceOne>>(&text).is_err());
    let seven = query.under_replace_one(7).unwrap();
    let text = serde_json::to_string(&seven).unwrap();
    assert_eq!(serde_json::from_str::<Quantile<ReplaceOne>>(&text).unwrap(), seven);
    assert!(serde_json::from_str::<Quantile<AddRemove>>(&text).is_err());
    assert!(serde_json::from_str::<Quantile<AddRemove>>(r#"{"bounds":[0,2],"level":1.5}"#).is_err());
}
