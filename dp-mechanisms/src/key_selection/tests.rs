//! Keys against reference values, listed laws and brute force.

use super::*;
use crate::arguments::approx;
use crate::rng::Insecure;
use dp_core::{AddRemove, Sensitivity};
use proptest::prelude::*;

type Words = KeySelection<&'static str>;

fn apart(by: f64) -> Sensitivity<L1, AddRemove> {
    Sensitivity::new(by).unwrap()
}

fn per_step(epsilon: f64, delta: f64) -> Words {
    Words::new(Epsilon::new(epsilon).unwrap(), Delta::new(delta).unwrap()).unwrap()
}

/// Values of the tests of Google's differential privacy library, in Go and in C++.
#[test]
fn reference_values() {
    type Case = (f64, f64, &'static [(u64, f64)]);
    let cases: [Case; 5] = [
        (2f64.ln(), 0.1, &[(0, 0.0), (1, 0.1), (2, 0.3), (3, 0.7), (4, 0.9), (5, 1.0), (u64::MAX, 1.0)]),
        (
            1.5f64.ln(),
            0.1,
            &[
                (1, 0.1),
                (2, 0.25),
                (3, 0.475),
                (4, 43.0 / 60.0),
                (5, 79.0 / 90.0),
                (6, 133.0 / 135.0),
                (7, 1.0),
            ],
        ),
        (0.5, 0.02, &[(6, 0.588_404_844_58), (8, 0.868_070_806_25), (15, 1.0)]),
        (1e-20, 0.02, &[(6, 0.12), (40, 0.8)]),
        (1e-20, 0.15, &[(3, 0.45)]),
    ];
    for (epsilon, delta, values) in cases {
        let keys = per_step(epsilon, delta);
        for (people, expected) in values {
            let found = keys.probability(*people);
            assert!((found.hi() - expected).abs() < 1e-10 && (found.lo() - expected).abs() < 1e-10);
        }
    }
    // Seven digits are printed of these.
    let tiny = per_step(50.0, 1e-200);
    for (people, expected) in [
        (1, 1e-200),
        (2, 5.184_706e-179),
        (3, 2.688_117e-157),
        (4, 1.393_710e-135),
        (5, 7.225_974e-114),
        (6, 3.746_455e-92),
        (7, 1.942_426e-70),
        (8, 1.007_091e-48),
        (9, 5.221_470e-27),
        (10, 2.707_178e-5),
        (11, 1.0),
    ] {
        let found = tiny.probability(people);
        assert!((found.hi() / expected - 1.0).abs() < 1e-6, "{people}: {found}");
        assert!(found.relative_width() < 1e-11);
    }
    let largest = per_step(f64::MAX, 1e-200);
    assert_eq!((largest.probability(1).hi(), largest.probability(2).hi()), (1e-200, 1.0));
}

/// A Laplace threshold for the same guarantee needs 133 people.
#[test]
fn fewer_people_than_a_threshold_takes() {
    assert_eq!(per_step(0.1, 1e-6).people_for(0.5), 109);
    let histogram = crate::StabilityHistogram::<u8>::for_guarantee(&approx(0.1, 1e-6), apart(1.0)).unwrap();
    assert_eq!(histogram.threshold(), 133);
    let keys = per_step(1.0, 1e-6);
    assert_eq!((keys.people_for(0.0), keys.people_for(1e-6), keys.people_for(1.5)), (0, 1, u64::MAX));
    assert_eq!(keys.probability(keys.people_for(1.0)), Enclosure::ONE);
    assert!(keys.probability(keys.people_for(1.0) - 1).hi() < 1.0);
}

#[test]
fn a_minimum_shifts_the_probabilities() {
    let (plain, shifted) = (per_step(0.7, 1e-3), per_step(0.7, 1e-3).with_minimum(10).unwrap());
    assert!((0..10).all(|people| shifted.probability(people) == Enclosure::ZERO));
    assert!((10..60).all(|people| shifted.probability(people) == plain.probability(people - 9)));
    assert_eq!(shifted.people_for(0.5), plain.people_for(0.5) + 9);
    assert_eq!((shifted.minimum(), plain.minimum(), shifted == plain), (10, 1, false));
    let never = per_step(0.7, 1e-3).with_minimum(u64::MAX).unwrap();
    assert_eq!((never.probability(u64::MAX - 1).hi(), never.probability(u64::MAX).hi()), (0.0, 1e-3));
    assert!(per_step(1.0, 0.1).with_minimum(0).is_err());
    assert!(Words::epsilon_delta(1.0, 0.1).unwrap().with_minimum(0).is_err());
}

/// Σ (P − e^ε Q)₊ for the numbers of people of two keys.
fn profile(keys: &Words, x: [u64; 2], y: [u64; 2], epsilon: f64) -> f64 {
    let [p, q] = [x, y].map(|people| people.map(|n| keys.probability(n).hi()));
    let law = |p: [f64; 2], outcome: u8| {
        let of = |p: f64, kept: bool| if kept { p } else { 1.0 - p };
        of(p[0], outcome & 1 == 1) * of(p[1], outcome & 2 == 2)
    };
    (0..4).map(|outcome| (law(p, outcome) - epsilon.exp() * law(q, outcome)).max(0.0)).sum()
}

#[test]
fn listed_outcomes_never_pass_delta_and_reach_it() {
    for (epsilon, delta, by, minimum) in
        [(1.0, 1e-3, 1u8, 1), (0.5, 1e-2, 1, 4), (1.0, 1e-2, 2, 1), (2.0, 1e-3, 2, 3), (3.0, 1e-2, 3, 1)]
    {
        let target = Words::epsilon_delta(epsilon, delta).unwrap().with_minimum(minimum).unwrap();
        let (keys, stated) = target.calibrate(apart(by.into())).unwrap();
        assert_eq!(stated, approx(epsilon, delta));
        let map = keys.guarantee(apart(by.into()));
        assert!(map.is_at_most(&stated) && map.delta().get() > delta * (1.0 - 1e-12), "{map}");
        let last = keys.people_for(1.0) + u64::from(by);
        let pairs = || (0..=last).flat_map(|a| (0..=last).map(move |b| [a, b]));
        let mut worst = 0.0f64;
        for x in pairs() {
            for y in pairs().filter(|y| x[0].abs_diff(y[0]) + x[1].abs_diff(y[1]) <= by.into()) {
                worst = worst.max(profile(&keys, x, y, epsilon));
            }
        }
        assert!(worst <= delta * (1.0 + 1e-9), "ε = {epsilon}, Δ = {by}: {worst} > {delta}");
        // One key of s more people than nobody reaches the bound of a group of s.
        assert!(worst >= delta * (1.0 - 1e-6), "ε = {epsilon}, Δ = {by}: {worst} < {delta}");
    }
}

#[test]
fn steps_are_whole_and_groups_pay() {
    let keys = per_step(0.5, 1e-6);
    assert_eq!(keys.guarantee(apart(0.9)), Approx::perfect());
    assert_eq!(keys.guarantee(apart(1.9)), approx(0.5, 1e-6));
    assert_eq!(keys.guarantee(apart(2.0)), approx(0.5, 1e-6).for_group(2));
    assert_eq!(keys.guarantee(apart(1e10)).delta(), Delta::ONE);
    let all = Words::for_guarantee(&approx(1.0, 1.0), apart(1.0)).unwrap();
    assert!(all.probability(1).lo() > 0.999);
}

#[test]
fn bad_requests_are_refused() {
    for (epsilon, delta) in
        [(0.0, 0.1), (f64::NAN, 0.1), (f64::INFINITY, 0.1), (1.0, 1.5), (1.0, f64::NAN), (1e-3, 0.01)]
    {
        assert!(Words::epsilon_delta(epsilon, delta).is_err(), "{epsilon} {delta}");
    }
    let said = Words::epsilon_delta(1.0, 0.0).unwrap_err().to_string();
    assert!(said.contains("such as 1e-6") && said.contains("declare the keys"), "{said}");
    for (epsilon, delta) in [(1e-9, 1e-12), (1.0, 0.0), (1.0, 1.0), (f64::INFINITY, 0.1), (0.0, 0.1)] {
        let made = Words::new(Epsilon::saturating(epsilon), Delta::new(delta).unwrap());
        assert!(made.is_err(), "{epsilon} {delta}");
    }
    let reach = |by: f64| Words::for_guarantee(&approx(1.0, 1e-6), apart(by));
    assert!(reach(0.5).is_err() && reach(0.0).is_err() && reach(1e17).is_err());
}

#[test]
fn draws_show_frequent_keys_and_never_absent_ones() {
    const DRAWS: u32 = 20_000;
    let keys = per_step(0.5, 0.02);
    let people = BTreeMap::from([("absent", 0), ("some", 6), ("all", u64::MAX), ("one", 1)]);
    let mut rng = Insecure::seeded(5);
    let (mut some, mut one) = (0, 0);
    for _ in 0..DRAWS {
        let kept = keys.draw(&people, &mut rng).unwrap();
        assert!(!kept.contains("absent") && kept.contains("all"));
        some += u32::from(kept.contains("some"));
        one += u32::from(kept.contains("one"));
    }
    // Each within √(ln(2·10⁹)/2n) but for a probability of 10⁻⁹ (Hoeffding).
    let slack = (2e9f64.ln() / (2.0 * f64::from(DRAWS))).sqrt();
    for (shown, share) in [(some, 0.588_404_844_58), (one, 0.02)] {
        assert!((f64::from(shown) / f64::from(DRAWS) - share).abs() < slack, "{shown} {share}");
    }
}

/// Of the same number of keys, whatever their counts, a draw takes the same words.
#[test]
fn counts_do_not_decide_how_many_words_are_drawn() {
    let keys = KeySelection::<u64>::new(Epsilon::new(0.5).unwrap(), Delta::new(0.02).unwrap()).unwrap();
    let next = |people: u64| {
        let mut rng = Insecure::seeded(9);
        keys.draw(&(0..50).map(|key| (key, people)).collect(), &mut rng).unwrap();
        rng.next_u64()
    };
    assert!([1, 2, 7, 8, 1000, u64::MAX].iter().all(|people| next(*people) == next(3)));
}

#[cfg(feature = "serde")]
#[test]
fn reading_validates_as_the_constructor_does() {
    let keys = per_step(0.5, 0.25).with_minimum(7).unwrap();
    let written = serde_json::to_string(&keys).unwrap();
    assert_eq!(written, r#"{"epsilon":0.5,"delta":0.25,"minimum":7}"#);
    let read = |text: &str| serde_json::from_str::<KeySelection<u8>>(text);
    assert_eq!(read(&written).unwrap().per_step(), keys.per_step());
    assert!(read(r#"{"epsilon":0.5,"delta":0.25,"minimum":0}"#).is_err());
    assert!(read(r#"{"epsilon":0.5,"delta":0,"minimum":1}"#).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn calibrated_selections_meet_their_target(epsilon in 0.05..20.0f64, log_delta in -40.0..-2.5f64, by in 1u32..50) {
        let target = approx(epsilon, log_delta.exp());
        let Ok(keys) = Words::for_guarantee(&target, apart(by.into())) else { return Ok(()) };
        let stated = keys.guarantee(apart(by.into()));
        prop_assert!(stated.is_at_most(&target));
        prop_assert!(stated.epsilon().get() >= epsilon * (1.0 - 1e-14) && stated.delta().get() >= log_delta.exp() * (1.0 - 1e-12));
    }
}
