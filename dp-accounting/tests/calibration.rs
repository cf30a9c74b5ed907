//! Calibrated parameters against reference values of independent origin (`oracles/README.md`) and
//! against closed forms.

#![allow(clippy::unwrap_used)] // a failed construction is a failed test

use std::cell::Cell;

use dp_accounting::calibration::{self, Calibrated, MOST_STEPS, SMALLEST};
use dp_accounting::{Composition, Event};
use dp_core::pairs::{DiscreteGaussianPair, GaussianPair, LaplacePair};
use dp_core::rounding::div_up;
use dp_core::{AddRemove, Approx, Delta, Epsilon, Error, Mu, Pure, Scale};
use serde_json::Value;

fn gaussian(sigma: f64) -> GaussianPair {
    GaussianPair::new(Mu::saturating(div_up(1.0, sigma)))
}

fn laplace(scale: f64) -> LaplacePair {
    LaplacePair::new(Epsilon::saturating(div_up(1.0, scale)))
}

fn of(event: impl Into<Event<AddRemove>>, count: u64) -> Composition<AddRemove> {
    Composition::new().with(event, count)
}

fn target(epsilon: f64, delta: f64) -> Approx {
    Approx::from_parts(Epsilon::new(epsilon).unwrap(), Delta::new(delta).unwrap())
}

/// The two sides of the boundary, looked at again.
fn assert_proven(found: Calibrated<f64>, make: impl Fn(f64) -> Composition<AddRemove>, target: Approx) {
    let at = |value: f64| make(value).delta_within(target.epsilon(), 1e-9);
    let fails = found.fails.unwrap_or_else(|| panic!("{found:?}"));
    assert!(at(found.value).lo() <= target.delta().get(), "{found:?}");
    assert!(found.delta.hi() <= target.delta().get(), "{found:?}");
    assert!(at(fails).hi() > target.delta().get(), "{found:?}");
    assert!((fails - found.value).abs() <= 1e-6 * found.value, "{found:?}");
}

#[test]
fn noise_of_dp_sgd() {
    let entries: Vec<Value> = serde_json::from_str(include_str!("oracles/calibration.json")).unwrap();
    assert_eq!(entries.len(), 22);
    for entry in &entries {
        let number = |value: &Value| value.as_f64().unwrap();
        let (spec, part) = (&entry["spec"], &entry["spec"]["compose"][0]);
        let (rate, count) = (number(&part["rate"]), part["count"].as_u64().unwrap());
        let target = target(number(&spec["epsilon"]), number(&spec["delta"]));
        let make = |sigma: f64| Ok(of(Event::poisson(rate, gaussian(sigma))?, count));
        let found = calibration::least(make, target).unwrap();
        let (truth, slack) = (number(&entry["truth"]), number(&entry["truth_abs_err"]));
        assert!(found.value >= truth - slack && found.value <= truth * (1.0 + 1e-6), "{found:?}, {truth}");
        let fails = found.fails.unwrap();
        assert!(fails <= truth + slack && fails >= found.value * (1.0 - 1e-6), "{found:?}, {truth}");
    }
}

#[test]
fn gaussian_noise_has_a_closed_form() {
    for (epsilon, delta, count) in
        [(1.0, 1e-6, 1), (0.1, 1e-9, 10_000), (20.0, 1e-30, 7), (1e-3, 0.3, 1), (0.0, 0.01, 1_000_000_000)]
    {
        let target = target(epsilon, delta);
        let found = calibration::least(|sigma| Ok(of(gaussian(sigma), count)), target).unwrap();
        #[allow(clippy::cast_precision_loss)]
        let truth = (count as f64).sqrt() / GaussianPair::largest_mu(target.epsilon(), target.delta()).get();
        assert!(
            found.value >= truth * (1.0 - 1e-13) && found.value <= truth * (1.0 + 1e-6),
            "{found:?}, {truth}"
        );
        assert_proven(found, |sigma| of(gaussian(sigma), count), target);
    }
}

#[test]
fn discrete_gaussian_noise_agrees_with_its_own_calibration() {
    let target = target(0.5, 1e-7);
    let event = |sigma: f64| DiscreteGaussianPair::new(Scale::new(sigma)?, 1);
    let found = calibration::least(|sigma| Ok(of(event(sigma)?, 1)), target).unwrap();
    let truth = DiscreteGaussianPair::least_sigma(target.epsilon(), target.delta(), 1).unwrap();
    assert!((found.value / truth - 1.0).abs() < 1e-6, "{found:?}, {truth}");
}

/// A search that guesses badly is right all the same, but slow: bisection takes 20 evaluations from
/// a factor of two down to a millionth. The limits are what it takes; more is a step back.
#[test]
fn few_evaluations_are_enough() {
    let asked = Cell::new(0u32);
    let counted = |composition: Composition<AddRemove>| {
        asked.set(asked.get() + 1);
        Ok(composition)
    };
    for (epsilon, delta, limits) in
        [(1.0, 1e-6, (14, 14)), (0.1, 1e-9, (16, 12)), (20.0, 1e-30, (11, 16)), (1e-3, 0.3, (10, 12))]
    {
        let target = target(epsilon, delta);
        calibration::least(|sigma| counted(of(gaussian(sigma), 100)), target).unwrap();
        let scale = asked.take();
        calibration::largest_count(|count| counted(of(gaussian(1e4), count)), target).unwrap();
        let count = asked.take();
        assert!(scale <= limits.0 && count <= limits.1, "{epsilon} {delta}: {scale} {count}");
    }
}

/// Whatever else is released counts too; several kinds at once.
#[test]
fn one_parameter_among_others() {
    let target = target(2.0, 1e-6);
    let make = |scale: f64| {
        of(laplace(scale), 10)
            .with(gaussian(20.0), 20)
            .with(Event::poisson(0.02, gaussian(1.5)).unwrap(), 100)
    };
    let found = calibration::least(|scale| Ok(make(scale)), target).unwrap();
    assert_proven(found, make, target);
    let alone = calibration::least(|scale| Ok(of(laplace(scale), 10)), target).unwrap();
    assert_proven(alone, |scale| of(laplace(scale), 10), target);
    assert!(alone.value < found.value, "{alone:?} {found:?}");
}

#[test]
fn the_largest_rate_meets_the_target_and_the_next_does_not() {
    let make = |rate: f64| of(Event::poisson(rate, gaussian(2.0)).unwrap(), 1000);
    let target = target(1.0, 1e-5);
    let found = calibration::largest(|rate| Ok(make(rate)), 1.0, target).unwrap();
    assert_proven(found, make, target);
    // The noise that this rate needs is the noise that it has.
    let back = |sigma: f64| Ok(of(Event::poisson(found.value, gaussian(sigma))?, 1000));
    let sigma = calibration::least(back, target).unwrap().value;
    assert!((sigma - 2.0).abs() < 5e-6, "{sigma}");
}

#[test]
fn a_rate_of_one_is_enough_where_sampling_is_not_needed() {
    let make = |rate: f64| Ok(of(Event::poisson(rate, gaussian(100.0))?, 10));
    let found = calibration::largest(make, 1.0, target(1.0, 1e-5)).unwrap();
    assert_eq!((found.value, found.fails), (1.0, None));
}

#[test]
fn counts_are_exact_where_floats_can_tell() {
    let target = target(1.0, 1e-6);
    let mu = GaussianPair::largest_mu(target.epsilon(), target.delta()).get();
    for sigma in [3.0, 10.0, 100.0, 1000.0] {
        let found = calibration::largest_count(|count| Ok(of(gaussian(sigma), count)), target).unwrap();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let truth = (mu * sigma).powi(2) as u64;
        assert!(found.value.abs_diff(truth) <= truth / 1_000_000, "{found:?}, {truth}");
        let fails = found.fails.unwrap();
        assert!(fails > found.value && fails - found.value <= (found.value / 1_000_000).max(1), "{found:?}");
    }
    let steps = |count: u64| of(Event::poisson(0.01, gaussian(1.0)).unwrap(), count);
    let found =
        calibration::largest_count(|count| Ok(steps(count)), Approx::new(6.907_384_495, 1e-6).unwrap())
            .unwrap();
    assert!((9_999..=10_000).contains(&found.value), "{found:?}");
}

#[test]
fn counts_at_the_ends() {
    let of_noise = |sigma: f64| {
        calibration::largest_count(move |count| Ok(of(gaussian(sigma), count)), target(1.0, 1e-6)).unwrap()
    };
    let (none, all) = (of_noise(1.0), of_noise(1e9));
    assert_eq!((none.value, none.fails), (0, Some(1)));
    assert_eq!((all.value, all.fails), (MOST_STEPS, None));
}

#[test]
fn a_count_that_cannot_be_judged_is_not_taken() {
    for count in [1, 2, 3, 7] {
        // Within the enclosure of what this count costs: neither met nor missed for sure.
        let at_count = of(gaussian(5.0), count).delta_within(Epsilon::new(1.0).unwrap(), 1e-9);
        assert!(at_count.lo() < at_count.hi());
        let target = target(1.0, at_count.lo());
        let found = calibration::largest_count(|count| Ok(of(gaussian(5.0), count)), target).unwrap();
        assert_eq!(found.value, count - 1);
        // The next count is missed for sure; it is found where the search came past it.
        assert!(found.fails == Some(count + 1) || (count <= 2 && found.fails.is_none()), "{found:?}");
    }
}

#[test]
fn a_delta_of_zero_is_for_bounded_losses() {
    // 3/b ≤ 1.5: the target is met from b = 2 on.
    let make = |scale: f64| of(laplace(scale), 3);
    let found = calibration::least(|scale| Ok(make(scale)), target(1.5, 0.0)).unwrap();
    assert!(found.value >= 2.0 && found.value <= 2.0 * (1.0 + 1e-6), "{found:?}");
    let refused = calibration::least(|sigma| Ok(of(gaussian(sigma), 1)), target(1.5, 0.0));
    assert!(matches!(refused, Err(Error::Unreachable { .. })), "{refused:?}");
}

#[test]
fn targets_that_everything_or_nothing_meets() {
    let fixed = |epsilon: f64| of(Pure::new(epsilon).unwrap(), 1);
    let all = calibration::least(|_| Ok(fixed(0.5)), target(1.0, 0.0)).unwrap();
    assert_eq!((all.value, all.fails), (SMALLEST, None));
    for refused in [
        calibration::least(|_| Ok(fixed(2.0)), target(1.0, 1e-6)).err(),
        calibration::largest(|_| Ok(fixed(2.0)), 1.0, target(1.0, 1e-6)).err(),
        calibration::largest_count(|_| Ok(fixed(2.0)), target(1.0, 1e-6)).err(),
    ] {
        assert!(matches!(refused, Some(Error::Unreachable { .. })), "{refused:?}");
    }
    // δ = 1 asks for nothing; so does an ε beyond every loss.
    assert_eq!(calibration::least(|sigma| Ok(of(gaussian(sigma), 1)), target(0.0, 1.0)).unwrap().fails, None);
    assert_eq!(
        calibration::largest(|rate| Ok(of(Event::poisson(rate, laplace(1.0))?, 5)), 1.0, target(5.5, 0.0))
            .unwrap()
            .value,
        1.0
    );
}

#[test]
fn errors_of_the_composition_are_passed_on() {
    let refuses = |_: f64| Err::<Composition<AddRemove>, _>(Error::Empty { argument: "this" });
    assert_eq!(calibration::least(refuses, target(1.0, 0.1)).err(), Some(Error::Empty { argument: "this" }));
    for most in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = calibration::largest(
            |rate| Ok(of(Event::poisson(rate, gaussian(1.0))?, 1)),
            most,
            target(1.0, 0.1),
        );
        assert!(matches!(refused, Err(Error::OutOfRange { .. })), "{refused:?}");
    }
}

/// Not monotone: the answer is still one that was checked.
#[test]
fn a_search_that_is_led_astray_is_sound() {
    let target = target(1.0, 1e-3);
    let make = |x: f64| of(gaussian(x * (2.0 + (37.0 * x.ln()).sin())), 1);
    let found = calibration::least(|x| Ok(make(x)), target).unwrap();
    assert!(make(found.value).delta(target.epsilon()).lo() <= 1e-3 && found.delta.hi() <= 1e-3, "{found:?}");
    assert!(make(found.fails.unwrap()).delta(target.epsilon()).hi() > 1e-3);
}

/// As many runs as take seconds to look at: the search ends all the same, with a value that was
/// seen.
#[test]
fn ten_million_runs() {
    let target = target(0.05, 1e-10);
    let make = |sigma: f64| Ok(of(Event::poisson(1e-6, gaussian(sigma))?, 10_000_001));
    let found = calibration::least(make, target).unwrap();
    assert!(found.delta.hi() <= 1e-10 && found.value < 0.75, "{found:?}");
    assert!(found.fails.is_some_and(|fails| fails > 0.6 && fails < found.value), "{found:?}");
}
