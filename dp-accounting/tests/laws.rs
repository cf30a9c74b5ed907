//! Laws that every composition obeys, whatever it is made of.

#![allow(clippy::unwrap_used)] // a failed construction is a failed test

use dp_accounting::theorems::Optimal;
use dp_accounting::{Composition, Event, Method};
use dp_core::pairs::{
    BoundedRangePair, DiscreteGaussianPair, DiscreteLaplacePair, DominatingPair, FinitePair, GaussianPair,
    LaplacePair, RandomizedResponsePair,
};
use dp_core::rounding::Enclosure;
use dp_core::{AddRemove, Approx, Delta, Epsilon, Mu, ReplaceOne, Scale, Zcdp};
use proptest::prelude::*;

type Whole = Composition<AddRemove>;

fn epsilon(value: f64) -> Epsilon {
    Epsilon::new(value).unwrap()
}

fn delta(value: f64) -> Delta {
    Delta::new(value).unwrap()
}

fn gaussian(mu: f64) -> GaussianPair {
    GaussianPair::new(Mu::new(mu).unwrap())
}

fn laplace(limit: f64) -> LaplacePair {
    LaplacePair::new(epsilon(limit))
}

fn response(limit: f64) -> RandomizedResponsePair {
    RandomizedResponsePair::binary(epsilon(limit))
}

fn meet(a: Enclosure, b: Enclosure) -> bool {
    a.lo() <= b.hi() && b.lo() <= a.hi()
}

/// A kind of release: its loss grows with `strength` in (0, 1].
#[derive(Clone, Copy, Debug)]
enum Family {
    Gaussian,
    Laplace,
    Response,
    BoundedRange,
    DiscreteGaussian,
    DiscreteLaplace,
    Approx,
    SampledResponse,
    /// The rate grows.
    RateOfGaussian,
    /// The noise shrinks.
    SampledGaussian,
}

impl Family {
    fn event(self, strength: f64) -> Event<AddRemove> {
        match self {
            Self::Gaussian => gaussian(strength).into(),
            Self::Laplace => laplace(strength).into(),
            Self::Response => response(strength).into(),
            Self::BoundedRange => BoundedRangePair::new(epsilon(strength)).into(),
            Self::DiscreteGaussian => {
                DiscreteGaussianPair::new(Scale::new(1.0 / strength).unwrap(), 1).unwrap().into()
            }
            Self::DiscreteLaplace => {
                DiscreteLaplacePair::new(Scale::new(1.0 / strength).unwrap(), 1).unwrap().into()
            }
            Self::Approx => Approx::new(strength, 1e-10 * strength).unwrap().into(),
            Self::SampledResponse => Event::poisson(0.5 * strength, response(1.0)).unwrap(),
            Self::RateOfGaussian => Event::poisson(0.005 + 0.02 * strength, gaussian(1.0)).unwrap(),
            Self::SampledGaussian => Event::poisson(0.01, gaussian(0.5 + 0.6 * strength)).unwrap(),
        }
    }

    /// A count that suits the family: runs of sampled Gaussians are many.
    fn times(self, count: u64) -> u64 {
        match self {
            Self::RateOfGaussian | Self::SampledGaussian => 300 + 20 * count,
            _ => count,
        }
    }
}

fn family() -> impl Strategy<Value = Family> {
    prop::sample::select(vec![
        Family::Gaussian,
        Family::Laplace,
        Family::Response,
        Family::BoundedRange,
        Family::DiscreteGaussian,
        Family::DiscreteLaplace,
        Family::Approx,
        Family::SampledResponse,
        Family::RateOfGaussian,
        Family::SampledGaussian,
    ])
}

type Part = (Family, f64, u64);

fn part() -> impl Strategy<Value = Part> {
    (family(), 0.05..1.0f64, 1..40u64)
}

fn parts() -> impl Strategy<Value = Vec<Part>> {
    prop::collection::vec(part(), 1..3)
}

fn small_delta() -> impl Strategy<Value = f64> {
    (3.0..8.0f64).prop_map(|digits| 10f64.powf(-digits))
}

fn whole(parts: &[Part]) -> Whole {
    parts.iter().fold(Whole::new(), |sum, &(family, strength, count)| {
        sum.with(family.event(strength), family.times(count))
    })
}

/// Narrow enough that the laws below say something.
fn narrow(found: Enclosure) -> bool {
    found.relative_width() <= 1e-4 || found.hi() == 0.0
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn one_event_more_never_costs_less(parts in parts(), more in part(), at in small_delta()) {
        let small = whole(&parts).epsilon(delta(at));
        let mut all = parts;
        all.push(more);
        let big = whole(&all).epsilon(delta(at));
        prop_assert!(big.hi() >= small.lo(), "{small:?} {big:?}");
        prop_assert!(narrow(small) && narrow(big), "{small:?} {big:?}");
    }

    #[test]
    fn more_noise_and_smaller_rates_never_cost_more(
        family in family(), strength in 0.05..1.0f64, less in 0.3..0.999f64, count in 2..40u64, rest in part(), at in small_delta(),
    ) {
        let of = |strength: f64| whole(&[(family, strength, count), rest]).epsilon(delta(at));
        let (small, big) = (of(strength * less), of(strength));
        prop_assert!(big.hi() >= small.lo(), "{small:?} {big:?}");
        prop_assert!(narrow(small) && narrow(big), "{small:?} {big:?}");
    }

    #[test]
    fn fewer_runs_never_cost_more(one in part(), rest in part(), fewer in 0..3u64, at in 0.0..2.0f64) {
        let (family, strength, count) = one;
        let of = |count: u64| whole(&[(family, strength, count), rest]).delta(epsilon(at));
        let (small, big) = (of(count.saturating_sub(fewer)), of(count));
        prop_assert!(big.hi() >= small.lo(), "{small:?} {big:?}");
    }

    #[test]
    fn gaussians_add_up_in_squares(mus in prop::collection::vec((0.01..2.0f64, 1..100u32), 1..5), at in small_delta()) {
        let composition = mus.iter().fold(Whole::new(), |sum, &(mu, count)| sum.with(gaussian(mu), count.into()));
        let square: f64 = mus.iter().map(|&(mu, count)| mu * mu * f64::from(count)).sum();
        let [below, above] = [1.0 - 1e-13, 1.0 + 1e-13].map(|f| gaussian(square.sqrt() * f).epsilon(delta(at)).get());
        let found = composition.epsilon(delta(at));
        prop_assert!(found.lo() <= above && below <= found.hi() && narrow(found), "{found:?} {below} {above}");
        prop_assert!(composition.method() == Method::ClosedForm);
        // By the line integral: a release of almost no loss keeps it from the closed form.
        let by_line = composition.with(laplace(1e-9), 1).epsilon(delta(at));
        prop_assert!(by_line.lo() <= above + 1e-9 && below <= by_line.hi() && narrow(by_line), "{by_line:?} {below} {above}");
    }

    #[test]
    fn responses_are_composed_optimally(limit in 0.01..2.0f64, count in 2..200u64, infinite in 0.0..1e-6f64, at in small_delta()) {
        let worst = Approx::new(limit, infinite).unwrap();
        let optimal = Optimal::new(&[(worst, count)]).unwrap();
        let composition = Whole::new().with(worst, count);
        let found = composition.epsilon(delta(at));
        prop_assert!(found.hi().is_infinite() || optimal.delta(found.hi()).lo() <= at, "{found:?}");
        prop_assert!(found.lo() <= optimal.epsilon(delta(at)).get(), "{found:?}");
        prop_assert!(narrow(found) || found.lo().is_infinite(), "{found:?}");
        let there = found.hi().min(1e3);
        prop_assert!(meet(composition.delta(epsilon(there)), optimal.delta(there)));
    }

    #[test]
    fn one_laplace_release_is_known_in_closed_form(limit in 0.01..5.0f64, at in small_delta()) {
        // δ(ε) = 1 − e^((ε−ε₀)/2).
        let truth = (limit + 2.0 * (-at).ln_1p()).max(0.0);
        let one = Whole::new().with(laplace(limit), 1);
        // Nothing beside it, but the closed form is not seen.
        let by_line = one.clone().with(gaussian(0.0), 1);
        prop_assert!(one.method() == Method::ClosedForm && by_line.method() == Method::PrivacyLoss);
        for found in [one.epsilon(delta(at)), by_line.epsilon(delta(at))] {
            prop_assert!(found.lo() <= truth * (1.0 + 1e-12) + 1e-15 && truth * (1.0 - 1e-12) <= found.hi(), "{found:?} {truth}");
            prop_assert!(narrow(found), "{found:?} {truth}");
        }
    }

    #[test]
    fn divergences_prove_less_than_the_loss(parts in parts(), at in small_delta()) {
        // Mechanisms of bounded range have smaller divergences than any one pair that dominates
        // them all.
        prop_assume!(!parts.iter().any(|(family, ..)| matches!(family, Family::BoundedRange)));
        let composition = whole(&parts);
        let (loss, renyi) = (composition.epsilon(delta(at)), composition.renyi_epsilon(delta(at)).get());
        prop_assert!(loss.hi() <= renyi * (1.0 + 1e-4), "{loss:?} {renyi}");
        let there = epsilon(loss.hi());
        let (loss, renyi) = (composition.delta(there), composition.renyi_delta(there).get());
        prop_assert!(loss.lo() <= renyi, "{loss:?} {renyi}");
    }

    #[test]
    fn epsilon_and_delta_are_inverse(parts in parts(), at in small_delta()) {
        let composition = whole(&parts);
        let found = composition.epsilon(delta(at));
        let above = composition.delta(epsilon(found.hi()));
        prop_assert!(above.lo() <= at, "{found:?} {above:?}");
        if found.lo() > 0.0 {
            let below = composition.delta(epsilon(found.lo()));
            prop_assert!(below.hi() >= at, "{found:?} {below:?}");
        }
    }

    #[test]
    fn few_outcomes_are_composed_as_if_all_were_listed(
        p in prop::collection::vec(0..5u8, 3), q in prop::collection::vec(0..5u8, 3), rate in 0.01..1.0f64, at in 0.0..2.0f64,
    ) {
        prop_assume!(p.iter().sum::<u8>() > 0 && q.iter().sum::<u8>() > 0);
        let law = |weights: &[u8]| {
            let total = f64::from(weights.iter().sum::<u8>());
            weights.iter().map(|&weight| f64::from(weight) / total).collect::<Vec<f64>>()
        };
        let (p, q) = (law(&p), law(&q));
        let mixture: Vec<f64> = p.iter().zip(&q).map(|(p, q)| rate * p + (1.0 - rate) * q).collect();
        let pair = FinitePair::new(&p, &q).unwrap();
        let sampled = Event::poisson(rate, pair.clone()).unwrap();
        for (event, p) in [(pair.into(), p), (sampled, mixture)] {
            let thrice = |law: &[f64]| {
                let pairs: Vec<f64> = law.iter().flat_map(|a| law.iter().map(move |b| a * b)).collect();
                pairs.iter().flat_map(|a| law.iter().map(move |b| a * b)).collect::<Vec<f64>>()
            };
            let listed = FinitePair::new(&thrice(&p), &thrice(&q)).unwrap();
            let truth = listed.delta(at).max(listed.reversed().delta(at));
            let found = Whole::new().with(event, 3).delta(epsilon(at));
            prop_assert!(found.lo() <= truth.hi() + 1e-13 && truth.lo() - 1e-13 <= found.hi(), "{found:?} {truth:?}");
            prop_assert!(found.hi() - found.lo() < 1e-3, "{found:?} {truth:?}");
        }
    }
}

#[test]
fn nothing_costs_nothing() {
    for nothing in [
        Whole::new(),
        Whole::default(),
        Whole::new().with(gaussian(1.0), 0),
        Whole::new().with(gaussian(0.0), 5).with(laplace(0.0), u64::MAX).with(response(0.0), 7),
        Whole::new().with(Event::poisson(0.0, gaussian(1.0)).unwrap(), 1000),
        Whole::new().with(Event::poisson(0.0, laplace(1.0)).unwrap(), 1),
        Whole::new().with(Event::poisson(0.5, gaussian(0.0)).unwrap(), 3),
    ] {
        for at in [0.0, 1e-300, 1e-6, 0.5, 1.0] {
            assert_eq!(nothing.epsilon(delta(at)).hi(), 0.0, "{nothing:?} at {at}");
        }
        for at in [Epsilon::ZERO, epsilon(1e-300), epsilon(1.0), Epsilon::INFINITE] {
            assert_eq!(nothing.delta(at).hi(), 0.0, "{nothing:?} at {at:?}");
        }
        assert_eq!(nothing.advantage().hi(), 0.0);
    }
}

#[test]
fn without_delta_the_largest_loss_counts() {
    for (composition, sum) in [
        (Whole::new().with(laplace(0.3), 1), 0.3),
        (Whole::new().with(laplace(0.25), 8), 2.0),
        (Whole::new().with(laplace(0.25), 8).with(response(0.5), 4), 4.0),
        (Whole::new().with(BoundedRangePair::new(epsilon(0.5)), 6), 3.0),
        (Whole::new().with(DiscreteLaplacePair::new(Scale::new(2.0).unwrap(), 1).unwrap(), 6), 3.0),
        (Whole::new().with(gaussian(0.1), 1), f64::INFINITY),
        (Whole::new().with(gaussian(0.1), 3).with(laplace(1.0), 1), f64::INFINITY),
        (Whole::new().with(Event::poisson(0.01, gaussian(1.0)).unwrap(), 300), f64::INFINITY),
        (Whole::new().with(Approx::new(0.1, 1e-9).unwrap(), 3), f64::INFINITY),
    ] {
        let found = composition.epsilon(Delta::ZERO);
        assert!(found.hi() >= sum && found.lo() <= sum, "{composition:?}: {found:?}");
        assert!(found.hi().is_infinite() == sum.is_infinite(), "{composition:?}: {found:?}");
        assert!(sum.is_infinite() || found.relative_width() < 1e-9, "{composition:?}: {found:?}");
        assert_eq!(composition.epsilon(delta(1.0)).hi(), 0.0, "{composition:?}");
    }
}

#[test]
fn a_release_that_tells_all_is_never_hidden() {
    let infinite = || {
        let all = Mu::saturating(f64::INFINITY);
        let out: [Event<AddRemove>; 6] = [
            GaussianPair::new(all).into(),
            LaplacePair::new(Epsilon::INFINITE).into(),
            RandomizedResponsePair::binary(Epsilon::INFINITE).into(),
            BoundedRangePair::new(Epsilon::INFINITE).into(),
            Approx::from_parts(Epsilon::INFINITE, delta(1e-9)).into(),
            Zcdp::new(f64::MAX).unwrap().into(),
        ];
        out
    };
    for event in infinite() {
        for composition in [
            Whole::new().with(event.clone(), 1),
            Whole::new().with(event.clone(), 3),
            Whole::new().with(laplace(0.5), 4).with(event.clone(), 1),
            Whole::new().with(gaussian(0.5), 4).with(event.clone(), u64::MAX),
        ] {
            let found = composition.epsilon(delta(0.9));
            assert!(found.hi() > 1e100, "{composition:?}: {found:?}");
            assert!(composition.delta(epsilon(5.0)).hi() > 0.999_999, "{composition:?}");
        }
    }
    // Sampled at rate ½, three times: the loss is infinite but for one time in eight.
    for event in infinite().into_iter().take(5) {
        let composition = Whole::new().with(Event::poisson(0.5, event).unwrap(), 3);
        assert!(composition.epsilon(delta(0.87)).hi().is_infinite(), "{composition:?}");
        assert!(composition.delta(epsilon(50.0)).hi() >= 0.875, "{composition:?}");
    }
}

#[test]
fn enormous_counts_and_parameters_have_upper_bounds_too() {
    let many = u64::MAX;
    for composition in [
        Whole::new().with(gaussian(1.0), many),
        Whole::new().with(laplace(1.0), 1 << 40),
        Whole::new().with(response(700.0), 5),
        Whole::new().with(laplace(1e300), 5),
        Whole::new().with(gaussian(1e150), 5),
        Whole::new().with(gaussian(1e-160), many),
        Whole::new().with(laplace(1e-300), 1000),
        Whole::new().with(BoundedRangePair::new(epsilon(1e4)), 3),
        Whole::new().with(DiscreteGaussianPair::new(Scale::new(1e-3).unwrap(), 1).unwrap(), 3),
        Whole::new().with(Event::poisson(1e-300, gaussian(1.0)).unwrap(), 1000),
        Whole::new().with(Event::poisson(0.5, laplace(300.0)).unwrap(), 3),
        Whole::new().with(Event::poisson(0.5, gaussian(8.0)).unwrap(), 30),
    ] {
        let found = composition.epsilon(delta(1e-6));
        assert!(found.lo() >= 0.0 && found.lo() <= found.hi(), "{composition:?}: {found:?}");
        let at = Epsilon::saturating(found.hi());
        assert!(composition.delta(at).lo() <= 1e-6, "{composition:?}");
        let smaller = Epsilon::saturating(found.lo() / 2.0);
        assert!(found.lo() == 0.0 || composition.delta(smaller).hi() > 1e-6, "{composition:?}");
    }
}

#[test]
fn what_is_told_outright_stays_at_every_epsilon() {
    let composition = Whole::new().with(Approx::new(0.2, 1e-4).unwrap(), 20).with(laplace(0.5), 3);
    let infinite = -(20.0 * (-1e-4f64).ln_1p()).exp_m1();
    for at in [epsilon(5.5), epsilon(1e6), Epsilon::INFINITE] {
        let found = composition.delta(at);
        assert!(
            found.lo() <= infinite * (1.0 + 1e-13) && infinite * (1.0 - 1e-13) <= found.hi(),
            "{found:?} {infinite}"
        );
        assert!(found.relative_width() < 1e-9);
    }
    assert_eq!(composition.epsilon(delta(1e-3)), Enclosure::point(f64::INFINITY));
    assert!(composition.epsilon(delta(3e-3)).hi() < 5.5);
}

#[test]
fn all_records_are_no_sample() {
    let events: [Event<AddRemove>; 4] = [
        gaussian(1.0).into(),
        laplace(0.5).into(),
        response(0.5).into(),
        FinitePair::new(&[0.5, 0.3, 0.2], &[0.2, 0.3, 0.5]).unwrap().into(),
    ];
    for event in events {
        for count in [1, 5] {
            let plain = Whole::new().with(event.clone(), count).epsilon(delta(1e-5));
            let sampled = Whole::new().with(Event::poisson(1.0, event.clone()).unwrap(), count);
            let found = sampled.epsilon(delta(1e-5));
            assert!(meet(plain, found) && narrow(plain) && narrow(found), "{event:?}: {plain:?} {found:?}");
        }
    }
    let events: [Event<ReplaceOne>; 3] = [gaussian(1.0).into(), laplace(0.5).into(), response(0.5).into()];
    for event in events {
        for count in [1, 5] {
            let of = |event| Composition::<ReplaceOne>::new().with(event, count).epsilon(delta(1e-5));
            let plain = of(event.clone());
            let found = of(Event::without_replacement(1000, 1000, event.clone()).unwrap());
            assert!(meet(plain, found) && narrow(plain) && narrow(found), "{event:?}: {plain:?} {found:?}");
            let part = of(Event::without_replacement(1000, 500, event.clone()).unwrap());
            assert!(part.hi() < plain.lo(), "{event:?}: {part:?} {plain:?}");
        }
    }
}

#[test]
fn samples_that_make_no_sense_are_refused() {
    for rate in [-0.1, 1.0 + f64::EPSILON, f64::NAN, f64::INFINITY] {
        assert!(Event::<AddRemove>::poisson(rate, gaussian(1.0)).is_err(), "{rate}");
    }
    for (records, batch) in [(0, 0), (10, 0), (10, 11)] {
        assert!(Event::<ReplaceOne>::without_replacement(records, batch, gaussian(1.0)).is_err());
    }
    let sampled = Event::<AddRemove>::poisson(0.5, gaussian(1.0)).unwrap();
    assert!(Event::poisson(0.5, sampled).is_err());
    assert!(Event::<AddRemove>::poisson(0.5, Zcdp::new(0.1).unwrap()).is_err());
}

/// Replacing a record may exchange P and Q, whatever part of the records is looked at.
#[test]
fn a_batch_of_all_records_still_has_two_directions() {
    let pair = FinitePair::new(&[0.5, 0.5, 0.0], &[0.5, 0.3, 0.2]).unwrap();
    let worse = Composition::<ReplaceOne>::new().with(pair.clone(), 2).delta(Epsilon::new(1.0).unwrap());
    let event = Event::without_replacement(7, 7, pair).unwrap();
    let all = Composition::<ReplaceOne>::new().with(event, 2).delta(Epsilon::new(1.0).unwrap());
    // The third outcome has an infinite loss: 1 − 0.8² of the runs.
    assert!(worse.contains(0.36) && all.hi() >= 0.36, "{worse:?} {all:?}");
}

/// Two discrete Gaussians that do not meet in floats, sampled at rate q: the loss is infinite
/// unless no run looks at the record.
#[test]
fn laws_that_do_not_meet_tell_what_they_look_at() {
    for (sigma, shift) in [(0.1, 10), (1.0, 12)] {
        let pair = DiscreteGaussianPair::new(Scale::new(sigma).unwrap(), shift).unwrap();
        let event = Event::poisson(0.1, pair).unwrap();
        let delta = Composition::<AddRemove>::new().with(event, 2).delta(Epsilon::new(1.0).unwrap());
        assert!(delta.hi() >= 0.19 - 1e-6, "σ {sigma}, Δ {shift}: {delta:?}");
    }
}
