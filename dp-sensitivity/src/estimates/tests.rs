//! Neighbours of all kinds do not move the answers by more than their sensitivity, estimates are
//! what they estimate, and intervals cover.

use dp_core::{
    AddRemove, Bounds, Error, L1, L2, Measurement, Norm, Pure, Query, ReplaceOne, Scale, SensitivityIn,
    WithInterval,
};
use dp_mechanisms::rng::Insecure;
use dp_mechanisms::{Gaussian, Laplace};
use proptest::prelude::*;

use super::estimator::{Reads, Sums};
use crate::testing::attack::{bounds, entry};
use crate::{Additive, By, Count, Estimator, Mean, StandardDeviation, Sum, Variance};

type Person = (u8, f64);

fn apart<N: Norm>(x: &[f64], y: &[f64]) -> f64 {
    N::of(&x.iter().zip(y).map(|(a, b)| a - b).collect::<Vec<_>>())
}

/// Whether two neighbours are as close as the query says, and how close to the limit in ℓ1 they
/// come.
fn check<E: Reads>(statistic: &E, x: &[E::Record], y: &[E::Record]) -> Result<f64, TestCaseError> {
    let (here, there) = (statistic.answers(x).into_vec(), statistic.answers(y).into_vec());
    let moves = statistic.moves();
    let (l1, l2) = (apart::<L1>(&here, &there), apart::<L2>(&here, &there));
    prop_assert!(l1 <= moves.l1, "{} > {}", l1, moves.l1);
    prop_assert!(l2 <= moves.l2 * (1.0 + 1e-15), "{} > {}", l2, moves.l2); // `of` rounds up, too
    Ok(l1 / moves.l1)
}

fn by_group<S: Additive<Record = Person>>(statistic: S) -> By<S, impl Fn(&Person) -> u8, u8> {
    statistic.by(|person: &Person| person.0, [0, 1, 2]).unwrap()
}

/// A record is removed, and replaced within its group, by another group and by none.
fn attack<S: Additive<Record = Person> + Clone>(
    statistic: &S,
    data: &[Person],
    at: usize,
    other: Person,
) -> Result<(), TestCaseError> {
    let added = by_group(statistic.clone());
    let mut fewer = data.to_vec();
    fewer.remove(at);
    check(&added, data, &fewer)?;
    if let Ok(replaced) = by_group(statistic.clone()).under_replace_one() {
        let mut changed = data.to_vec();
        changed[at] = other;
        check(&replaced, data, &changed)?;
    }
    let one = statistic.clone().by(|person: &Person| person.0, [0]).unwrap();
    check(&one, data, &fewer)?;
    if let Ok(one) = one.under_replace_one() {
        let mut changed = data.to_vec();
        changed[at] = other;
        check(&one, data, &changed)?;
    }
    Ok(())
}

fn number(person: &Person) -> f64 {
    person.1
}

proptest! {
    #[test]
    fn neighbours_stay_within_the_sensitivity(
        bounds in bounds(), data in prop::collection::vec((0u8..4, entry()), 1..20), at in 0usize..20,
        other in (0u8..4, entry()),
    ) {
        let at = at % data.len();
        attack(&Count::matching(|person: &Person| person.1 > 0.0), &data, at, other)?;
        attack(&Mean::new(bounds).of(number), &data, at, other)?;
        attack(&Variance::new(bounds).of(number), &data, at, other)?;
        attack(&StandardDeviation::population(bounds).of(number), &data, at, other)?;
        attack(&Mean::new(bounds).of(number).only(|person| person.1 < 1.0), &data, at, other)?;
        if bounds.magnitude() < 1e290 {
            attack(&Sum::new(bounds).of(number), &data, at, other)?;
            attack(&Sum::new(bounds).of(number).only(|person| person.1 < 1.0), &data, at, other)?;
        }
        let numbers: Vec<f64> = data.iter().map(number).collect();
        let mut fewer = numbers.clone();
        fewer.remove(at);
        prop_assert!(check(&Mean::new(bounds), &numbers, &fewer)? == 1.0);
        check(&Variance::new(bounds), &numbers, &fewer)?;
    }

    /// Without noise the estimates are those of a textbook.
    #[test]
    fn estimates_are_what_they_estimate(data in prop::collection::vec(-4.0..12.0f64, 2..30)) {
        let bounds = Bounds::new(-4.0, 12.0).unwrap();
        #[allow(clippy::cast_precision_loss)]
        let n = data.len() as f64;
        let mean = data.iter().sum::<f64>() / n;
        let squares = data.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
        let (of_mean, of_variance) = (Mean::new(bounds), Variance::new(bounds));
        let released = Reads::estimate(&of_mean, &of_mean.sums_of(&data));
        prop_assert!((released.mean() - mean).abs() < 1e-4 && (released.count() - n).abs() < 1e-12);
        prop_assert!((released.sum() - n * mean).abs() < 1e-4);
        let released = Reads::estimate(&of_variance, &of_variance.sums_of(&data));
        prop_assert!((released.variance() - squares / (n - 1.0)).abs() < 2e-3, "{} {}", released, squares / (n - 1.0));
        prop_assert!((released.mean() - mean).abs() < 1e-4 && (released.count() - n).abs() < 1e-4);
        let population = Variance::population(bounds);
        let released = Reads::estimate(&population, &population.sums_of(&data));
        prop_assert!((released.variance() - squares / n).abs() < 1e-3);
        let deviation = StandardDeviation::new(bounds);
        let root = Reads::estimate(&deviation, &deviation.sums_of(&data)).standard_deviation();
        prop_assert!((root * root - squares / (n - 1.0)).abs() < 2e-3);
    }
}

/// The exact sums as floats.
trait SumsOf {
    fn sums_of(&self, data: &[f64]) -> Vec<f64>;
}

impl<E: Reads<Record = f64>> SumsOf for E {
    fn sums_of(&self, data: &[f64]) -> Vec<f64> {
        self.answers(data).into_vec()
    }
}

/// No sensitivity is larger than it must be: the limit is reached, under both relations.
#[test]
fn no_smaller_sensitivity_would_do() {
    let bounds = Bounds::new(0.0, 8.0).unwrap();
    let reached = |x: &[Person], y: &[Person], replaced: bool| {
        let (mean, sum) = (by_group(Mean::new(bounds).of(number)), by_group(Sum::new(bounds).of(number)));
        if replaced {
            let (mean, sum) = (mean.under_replace_one().unwrap(), sum.under_replace_one().unwrap());
            (check(&mean, x, y).unwrap(), check(&sum, x, y).unwrap())
        } else {
            (check(&mean, x, y).unwrap(), check(&sum, x, y).unwrap())
        }
    };
    assert_eq!(reached(&[(0, 8.0)], &[], false), (1.0, 1.0));
    assert_eq!(reached(&[(0, 8.0)], &[(1, 8.0)], true), (1.0, 1.0));
    assert_eq!(reached(&[(0, 0.0)], &[(0, 8.0)], true), (1.0, 0.5));
    let [one, two] = [Stated::of(1), Stated::of(2)];
    assert_eq!(
        (one, two),
        (Stated { l1: 1.0, l2: 1.0 }, Stated { l1: 2.0, l2: dp_core::rounding::sqrt_up(2.0) })
    );
}

/// The sensitivities of counts under replace-one by this many groups.
#[derive(Debug, PartialEq)]
struct Stated {
    l1: f64,
    l2: f64,
}

impl Stated {
    fn of(groups: u8) -> Self {
        let counts = Count::all().by(|x: &u8| *x, 0..groups).unwrap().under_replace_one().unwrap();
        let moves = counts.moves();
        Self { l1: moves.l1, l2: moves.l2 }
    }
}

/// 1 in ℓ1 for the variance is missed by two steps at most.
#[test]
fn the_parts_of_a_variance_add_up_to_one() {
    let variance = Variance::new(Bounds::new(0.0, 1.0).unwrap());
    let mut most = 0.0f64;
    for i in 0..=1000 {
        let sums = variance.sums_of(&[f64::from(i) / 1000.0]);
        let total: f64 = sums.iter().sum();
        assert!(sums.iter().all(|sum| *sum >= 0.0), "{sums:?}");
        most = most.max((total - 1.0).abs());
    }
    assert!(most <= 2f64.powi(-19) && most > 0.0, "{most}");
}

#[test]
fn guarantees_are_those_of_one_count() {
    let bounds = Bounds::new(0.0, 80.0).unwrap();
    let mean = Mean::new(bounds).with(Laplace::epsilon(0.5).unwrap()).unwrap();
    assert_eq!(mean.guarantee(), Pure::new(0.5).unwrap());
    assert_eq!(mean.noise().scale().get(), 2.0);
    let groups = Mean::new(bounds).by(|x: &f64| *x > 40.0, [false, true]).unwrap();
    let replaced = groups.clone().under_replace_one().unwrap();
    assert_eq!(groups.with(Laplace::epsilon(0.5).unwrap()).unwrap().noise().scale().get(), 2.0);
    assert_eq!(replaced.with(Laplace::epsilon(0.5).unwrap()).unwrap().noise().scale().get(), 4.0);
    let zcdp = Mean::new(bounds).with(Gaussian::rho(0.5).unwrap()).unwrap();
    assert!((zcdp.noise().scale().get() - 1.0).abs() < 1e-9);
    let given = Mean::new(bounds).with(Laplace::with_scale(Scale::new(4.0).unwrap())).unwrap();
    assert_eq!(given.guarantee(), Pure::new(0.25).unwrap());
}

#[test]
fn odd_data_have_answers() {
    let bounds = Bounds::new(-1.0, 3.0).unwrap();
    let mut rng = Insecure::seeded(4);
    let release = Mean::new(bounds).with(Laplace::epsilon(0.1).unwrap()).unwrap();
    let spread = StandardDeviation::new(bounds).with(Laplace::epsilon(0.1).unwrap()).unwrap();
    for data in [vec![], vec![f64::NAN; 50], vec![f64::INFINITY], vec![f64::NEG_INFINITY, f64::INFINITY]] {
        for _ in 0..200 {
            let released = release.draw(&data, &mut rng).unwrap();
            assert!((-1.0..=3.0).contains(&released.mean()) && released.count() >= 0.0);
            let interval = release.interval(&released, 0.9).unwrap();
            assert!(interval.lower() >= -1.0 && interval.upper() <= 3.0, "{interval}");
            let released = spread.draw(&data, &mut rng).unwrap();
            assert!((0.0..=4.0).contains(&released.standard_deviation()));
            assert!((-1.0..=3.0).contains(&released.squared().mean()));
            assert!(spread.interval(&released, 0.9).unwrap().lower() >= 0.0);
        }
    }
    let mean = Mean::new(bounds);
    assert_eq!(Reads::estimate(&mean, &mean.sums_of(&[f64::NAN; 50])).mean(), 1.0);
    assert_eq!(Reads::estimate(&mean, &[-3.0, -1.0]).mean(), 1.0);
    assert_eq!(Reads::estimate(&Variance::new(bounds), &[-3.0, -1.0, -7.0]).variance(), 0.0);
}

#[test]
fn keys_are_declared() {
    let count = || Count::<&str, _, _>::all();
    let key = |x: &&'static str| *x;
    assert_eq!(count().by(key, []).unwrap_err(), Error::Empty { argument: "the list of keys" });
    assert!(count().by(key, ["a", "b", "a"]).unwrap_err().to_string().contains("two answers for one key"));
    let long: &'static str = Box::leak("x".repeat(1 << 20).into_boxed_str());
    let counts = count().by(key, ["a", "nobody", long]).unwrap();
    assert_eq!(counts.keys().len(), 3);
    assert_eq!(counts.answers(&["a", "b", long, "a", ""]).into_vec(), [2.0, 0.0, 1.0]);
    assert_eq!(format!("{counts:?}"), "By(Count(add-remove), 3 groups, add-remove)");
    let many = Count::<u32, _, _>::all().by(|x| *x, 0..1_000_000).unwrap();
    let mut rng = Insecure::seeded(9);
    let release = many.with(Laplace::epsilon(1.0).unwrap()).unwrap();
    let released = release.draw(&[7, 7, 999_999, 1_000_000], &mut rng).unwrap();
    assert_eq!(released.len(), 1_000_000);
    let intervals = release.interval(&released, 0.95).unwrap();
    assert!(intervals[7].contains(2.0) && intervals[0].contains(0.0));
    assert!(release.interval(&released[1..].to_vec(), 0.95).is_err());
}

#[test]
fn sums_by_group_are_the_sums_of_the_groups() {
    let bounds = Bounds::new(0.0, 60.0).unwrap();
    let people: Vec<Person> = (0u8..200).map(|i| (i % 4, f64::from(i) / 3.0)).collect();
    let sums = by_group(Sum::new(bounds).of(number)).answers(&people).into_vec();
    for (group, sum) in (0..3).zip(sums) {
        let alone = Sum::new(bounds).of(number).only(|person: &Person| person.0 == group);
        assert_eq!(alone.answer(&people).unwrap().get(), sum);
        assert_eq!(SensitivityIn::<L1>::sensitivity(&alone).value(), 60.0);
    }
}

/// 2000 releases of three groups each: fewer than 95 % − 5σ, and more than 97 %, with probability
/// below 10⁻⁶ each if the intervals are exact.
#[test]
fn intervals_cover_all_groups_together() {
    let bounds = Bounds::new(10.0, 50.0).unwrap();
    let people: Vec<Person> = (0u8..240).map(|i| (i % 4, f64::from(i % 40) + 10.0)).collect();
    let means: Vec<f64> = (0..3)
        .map(|group| {
            let of: Vec<f64> = people.iter().filter(|p| p.0 == group).map(number).collect();
            of.iter().sum::<f64>() / 60.0
        })
        .collect();
    let mut rng = Insecure::seeded(77);
    let covered = |release: &dyn Fn(&mut Insecure) -> bool, rng: &mut Insecure| {
        (0..2000).filter(|_| release(rng)).count()
    };
    let laplace = by_group(Mean::new(bounds).of(number)).with(Laplace::epsilon(0.2).unwrap()).unwrap();
    let all = covered(
        &|rng| {
            let intervals = laplace.interval(&laplace.draw(&people, rng).unwrap(), 0.95).unwrap();
            intervals.iter().zip(&means).all(|(interval, mean)| interval.contains(*mean))
        },
        &mut rng,
    );
    assert!((1850..1945).contains(&all), "{all}");
    let gaussian = by_group(Mean::new(bounds).of(number)).under_replace_one().unwrap();
    let gaussian = gaussian.with(Gaussian::rho(0.05).unwrap()).unwrap();
    let all = covered(
        &|rng| {
            let intervals = gaussian.interval(&gaussian.draw(&people, rng).unwrap(), 0.95).unwrap();
            intervals.iter().zip(&means).all(|(interval, mean)| interval.contains(*mean))
        },
        &mut rng,
    );
    assert!((1850..1945).contains(&all), "{all}");
    let spread = StandardDeviation::new(bounds).of(number).with(Laplace::epsilon(0.5).unwrap()).unwrap();
    let n = 240.0;
    let mean = people.iter().map(number).sum::<f64>() / n;
    let truth = (people.iter().map(|p| (p.1 - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    let all = covered(
        &|rng| spread.interval(&spread.draw(&people, rng).unwrap(), 0.95).unwrap().contains(truth),
        &mut rng,
    );
    assert!(all >= 1850, "{all}");
}

proptest! {
    /// Whatever the records and the noise on their sums, an estimate is as near as said.
    #[test]
    fn estimates_are_as_near_as_planned(
        records in prop::collection::vec(-1.0..3.0f64, 3..200),
        noise in prop::array::uniform3(-1.0..1.0f64), size in 0.0..20.0f64,
    ) {
        let bounds = Bounds::new(-1.0, 3.0).unwrap();
        let noisy = |answers: Vec<f64>| -> Vec<f64> { answers.iter().zip(noise).map(|(x, z)| x + size * z).collect() };
        let n = records.len();
        let of_n = f64::from(u16::try_from(n).unwrap());
        let mean = records.iter().sum::<f64>() / of_n;
        let variance = records.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / of_n;
        let found = Reads::estimate(&Mean::new(bounds), &noisy(Mean::new(bounds).answers(&records).into_vec())).mean();
        prop_assert!((found - mean).abs() <= Reads::off(&Mean::new(bounds), n, size) + 1e-9);
        let of_sample = variance * of_n / (of_n - 1.0);
        let both = [(Variance::population(bounds), variance), (Variance::new(bounds), of_sample)];
        for (statistic, truth) in both {
            let found = Reads::estimate(&statistic, &noisy(statistic.answers(&records).into_vec())).variance();
            prop_assert!((found - truth).abs() <= Reads::off(&statistic, n, size) + 1e-9, "{found} {truth}");
        }
        let deviation = StandardDeviation::new(bounds);
        let found = Reads::estimate(&deviation, &noisy(deviation.answers(&records).into_vec())).standard_deviation();
        prop_assert!((found - (variance * of_n / (of_n - 1.0)).sqrt()).abs() <= Reads::off(&deviation, n, size) + 1e-6);
    }
}

#[test]
fn a_plan_holds_and_noise_keeps_within_an_error() {
    let bounds = Bounds::new(0.0, 10.0).unwrap();
    let mut rng = Insecure::seeded(21);
    let people: Vec<Person> = (0u8..250).cycle().take(2000).map(|i| (i % 2, f64::from(i % 11))).collect();
    let means = Mean::new(bounds).of(number).by(|person: &Person| person.0, [0, 1]).unwrap();
    let noise: Laplace = means.within(0.2, 1000, 0.95).unwrap();
    let release = means.with(noise).unwrap();
    let plan = release.plan_of(1000, 0.95).unwrap();
    assert!(plan.error() <= 0.2 && plan.error() > 0.199, "{plan}");
    assert_eq!(plan.price(), &release.guarantee());
    assert!(plan.to_string().contains("on each sum of 1000 records"), "{plan}");
    let truth = |key| {
        let of: Vec<f64> = people.iter().filter(|p| p.0 == key).map(number).collect();
        of.iter().sum::<f64>() / 1000.0
    };
    let truths = [truth(0), truth(1)];
    let far = (0..2000).filter(|_| {
        let released = release.draw(&people, &mut rng).unwrap();
        released.iter().zip(truths).any(|(found, truth)| (found.mean() - truth).abs() > 0.2)
    });
    // More than 150 of 2000 at 95 % have a probability below 10⁻⁶.
    assert!(far.count() <= 150);
    let spread: Gaussian = StandardDeviation::new(bounds).within(0.5, 5000, 0.9).unwrap();
    let spread = StandardDeviation::new(bounds).with(spread).unwrap();
    assert!(spread.plan_of(5000, 0.9).unwrap().error() <= 0.5);
    assert_eq!(spread.plan_of(3, 0.9).unwrap().error(), 10.0 * 0.5f64.sqrt());
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(Mean::new(bounds).within::<Laplace>(bad, 10, 0.9).is_err());
        assert!(Mean::new(bounds).within::<Laplace>(1.0, 10, bad).is_err());
    }
    assert!(Mean::new(bounds).within::<Laplace>(1e-12, 10, 0.9).is_err()); // the rounding of sums
}

/// The relation is in the type.
#[test]
fn relations_are_those_of_the_types() {
    fn add_remove<M: Measurement<Adjacency = AddRemove>>(_: &M) {}
    fn replace_one<M: Measurement<Adjacency = ReplaceOne>>(_: &M) {}
    let bounds = Bounds::new(0.0, 1.0).unwrap();
    let noise = || Laplace::epsilon(1.0).unwrap();
    add_remove(&Mean::new(bounds).with(noise()).unwrap());
    replace_one(&Mean::new(bounds).under_replace_one(3).unwrap().with(noise()).unwrap());
    let groups = Mean::new(bounds).by(|x: &f64| *x > 0.5, [true]).unwrap();
    add_remove(&groups.clone().with(noise()).unwrap());
    replace_one(&groups.under_replace_one().unwrap().with(noise()).unwrap());
    let _: fn(&Sums<Mean<AddRemove>>) -> dp_core::Sensitivity<L2, AddRemove> =
        SensitivityIn::<L2>::sensitivity;
}
