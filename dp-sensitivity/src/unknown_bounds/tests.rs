//! Bounds and a statistic in one release: price, answers, odd data.

use dp_core::interval::WithInterval;
use dp_core::{AddRemove, Bounds, Error, Guarantee, Measurement, Pure, ReplaceOne, Zcdp};
use dp_mechanisms::rng::Insecure;
use proptest::prelude::*;

use super::noise::NotionOfBounds;
use super::{Between, BoundsPrivately, StatisticBetween};
use crate::{Mean, Quantile, StandardDeviation, Sum, Variance};

fn crowd() -> Vec<f64> {
    (0..4000).map(|k| 20.0 + f64::from(k % 40) / 2.0).collect() // 20 to 39.5, mean 29.75
}

/// The relation, and that bounds and statistic together cost no more than was given.
fn costs<S: Between<G>, G: NotionOfBounds + PartialEq + core::fmt::Debug>(
    release: &StatisticBetween<S, G>,
    total: &G,
) where
    S::Measurement: Measurement<Guarantee = G>,
{
    assert_eq!(&release.guarantee(), total);
    let statistic = Bounds::new(-3.0, 5.0).and_then(|bounds| {
        let made = release.statistic_between(bounds)?;
        Ok(made.guarantee())
    });
    assert_eq!(&statistic.unwrap(), release.rest());
}

/// ε or ρ of bounds and statistic add up to at most the total, as reals, and hardly less.
fn adds_up(bounds: f64, rest: f64, total: f64) -> bool {
    let sum = dp_core::rounding::Enclosure::point(bounds) + dp_core::rounding::Enclosure::point(rest);
    sum.lo() <= total && sum.hi() >= total * (1.0 - 1e-12)
}

proptest! {
    #[test]
    fn shares_add_up_to_the_total(total in 1e-6..1e3f64, share in 1e-6..0.999_999f64) {
        let pure = Mean::bounds_privately(share).unwrap().epsilon(total).unwrap();
        let (first, rest) = (pure.bounds().guarantee().epsilon().get(), pure.rest().epsilon().get());
        prop_assert!(adds_up(first, rest, total) && (first / total / share - 1.0).abs() < 1e-12);
        let rho = Sum::bounds_privately(share).unwrap().rho(total).unwrap();
        prop_assert!(adds_up(rho.bounds().guarantee().rho().get(), rho.rest().rho().get(), total));
    }
}

#[test]
fn the_price_is_the_guarantee_that_is_given() {
    let (pure, rho) = (Pure::new(1.0).unwrap(), Zcdp::new(0.3).unwrap());
    macro_rules! each {
        ($($asked:expr),*) => { $(
            costs(&$asked.unwrap().epsilon(1.0).unwrap(), &pure);
            costs(&$asked.unwrap().rho(0.3).unwrap(), &rho);
        )* };
    }
    each!(
        Sum::bounds_privately(0.25),
        Sum::bounds_privately(0.25).unwrap().under_replace_one(4000),
        Mean::bounds_privately(0.25),
        Mean::bounds_privately(0.25).unwrap().under_replace_one(4000),
        Variance::bounds_privately(0.25),
        Variance::bounds_privately(0.25).unwrap().under_replace_one(4000),
        StandardDeviation::bounds_privately(0.25),
        Quantile::bounds_privately(0.5, 0.25),
        Quantile::bounds_privately(0.5, 0.25).unwrap().under_replace_one(4000)
    );
    fn add_remove<M: Measurement<Adjacency = AddRemove>>(_: &M) {}
    fn replace_one<M: Measurement<Adjacency = ReplaceOne>>(_: &M) {}
    add_remove(&Mean::bounds_privately(0.5).unwrap().epsilon(1.0).unwrap());
    let fixed = Mean::bounds_privately(0.5).unwrap().under_replace_one(3).unwrap().epsilon(1.0).unwrap();
    replace_one(&fixed);
    // A record that is replaced moves two counts.
    let free = Mean::bounds_privately(0.5).unwrap().epsilon(1.0).unwrap();
    assert!(fixed.bounds().threshold() >= 2 * free.bounds().threshold());
}

#[test]
fn statistics_are_those_of_the_records() {
    let (data, mut rng) = (crowd(), Insecure::seeded(3));
    let near = |found: f64, truth: f64, by: f64| assert!((found - truth).abs() < by, "{found} {truth}");
    // The bins are (16, 32] and (32, 64]. Noise has the scale 48/(4000·7.5) at most.
    for _ in 0..20 {
        let asked = || Mean::bounds_privately(0.25).unwrap().confidence(1.0 - 1e-9).unwrap();
        let (bounds, mean) = asked().epsilon(10.0).unwrap().draw(&data, &mut rng).unwrap();
        assert_eq!((bounds.lower(), bounds.upper()), (16.0, 64.0));
        near(mean.mean(), 29.75, 0.1);
        let fixed = asked().under_replace_one(4000).unwrap().rho(10.0).unwrap();
        near(fixed.draw(&data, &mut rng).unwrap().1, 29.75, 0.1);
        let sum = Sum::bounds_privately(0.25).unwrap().epsilon(10.0).unwrap().draw(&data, &mut rng).unwrap();
        near(sum.1, 4000.0 * 29.75, 400.0);
        let deviation = StandardDeviation::bounds_privately(0.25).unwrap().population().rho(10.0).unwrap();
        near(deviation.draw(&data, &mut rng).unwrap().1.standard_deviation(), 5.77, 0.3);
        let median = Quantile::bounds_privately(0.5, 0.25).unwrap().epsilon(10.0).unwrap();
        near(median.draw(&data, &mut rng).unwrap().1, 29.5, 0.6);
    }
}

/// 2000 intervals at 0.95 of the clamped records: fewer than 95 % − 5σ with probability below 10⁻⁶.
#[test]
fn intervals_cover_the_statistic_of_the_clamped_records() {
    let (data, mut rng) = (crowd(), Insecure::seeded(8));
    let release = Mean::bounds_privately(0.25).unwrap().epsilon(0.4).unwrap();
    let covered = (0..2000).filter(|_| {
        let released = release.draw(&data, &mut rng).unwrap();
        let clamped = data.iter().map(|x| released.0.clamp(*x)).sum::<f64>() / 4000.0;
        release.interval(&released, 0.95).unwrap().contains(clamped)
    });
    let covered = covered.count();
    assert!((1850..1945).contains(&covered), "{covered}");
}

#[test]
fn groups_have_one_pair_of_bounds() {
    let people: Vec<(u8, f64)> = (0u8..240).cycle().take(6000).map(|k| (k % 4, f64::from(k))).collect();
    let mut rng = Insecure::seeded(4);
    let asked =
        || Mean::bounds_privately(0.25).unwrap().by(|p: &(u8, f64)| p.1, |p| p.0, [0, 1, 77]).unwrap();
    let release = asked().epsilon(8.0).unwrap();
    assert_eq!((release.keys(), release.guarantee()), (&[0, 1, 77][..], Pure::new(8.0).unwrap()));
    let released = release.draw(&people, &mut rng).unwrap();
    assert_eq!((released.0.lower(), released.0.upper()), (0.0, 256.0));
    assert!((released.1[0].mean() - 118.0).abs() < 3.0 && (released.1[1].count() - 1500.0).abs() < 10.0);
    let intervals = release.interval(&released, 0.95).unwrap();
    assert!(intervals[0].contains(118.0) || intervals[1].contains(119.0));
    assert_eq!((intervals[2].lower(), intervals[2].upper()), (0.0, 256.0)); // nobody is in the last group
    // Records of other groups are not in the bounds.
    let far: Vec<(u8, f64)> = people.iter().map(|p| if p.0 < 2 { *p } else { (p.0, 1e9) }).collect();
    assert_eq!(release.draw(&far, &mut rng).unwrap().0.upper(), 256.0);
    let replaced = asked().under_replace_one().rho(3.0).unwrap();
    assert_eq!(replaced.guarantee(), Zcdp::new(3.0).unwrap());
    assert_eq!(replaced.draw(&people, &mut rng).unwrap().1.len(), 3);
    // Twice the noise for sums and bounds, at half of the scale each: the threshold doubles.
    let (free, fixed) = (asked().epsilon(1.0).unwrap(), asked().under_replace_one().epsilon(1.0).unwrap());
    assert!(fixed.bounds().threshold() >= 2 * free.bounds().threshold());
    let of = |key| Mean::bounds_privately(0.25).unwrap().by(|p: &(u8, f64)| p.1, |p| p.0, key);
    assert!(of(vec![]).is_err() && of(vec![1, 1]).is_err());
    assert!(format!("{release:?}").len() < 400);
}

#[test]
fn odd_data_fail_by_what_was_drawn_alone() {
    let mut rng = Insecure::seeded(5);
    let fails = |result: Result<f64, Error>| {
        let said = result.unwrap_err().to_string();
        assert!(said.contains("none stands out"), "{said}");
    };
    let sum = || Sum::bounds_privately(0.25).unwrap().confidence(1.0 - 1e-12).unwrap().epsilon(1.0).unwrap();
    for data in [vec![], vec![1.0], vec![f64::NAN; 1000], vec![1e300, -1e300]] {
        fails(sum().draw(&data, &mut rng).map(|released| released.1));
    }
    for value in [0.0, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, 5e-324] {
        assert!(sum().draw(&[value; 1000], &mut rng).unwrap().1.is_finite());
    }
    let fixed = Mean::bounds_privately(0.5).unwrap().under_replace_one(9).unwrap().epsilon(1.0).unwrap();
    assert!(fixed.draw(&[1.0; 4000], &mut rng).is_err());
}

#[test]
fn odd_groups_fail_by_what_was_drawn_alone() {
    let mut rng = Insecure::seeded(6);
    let release = |keys: Vec<String>| {
        let asked = Mean::bounds_privately(0.25).unwrap().confidence(1.0 - 1e-12).unwrap();
        asked.by(|p: &(String, f64)| p.1, |p| p.0.clone(), keys).unwrap().epsilon(1.0).unwrap()
    };
    let long = "x".repeat(1 << 20);
    let of = |key: &str, value: f64, times: usize| vec![(key.to_owned(), value); times];
    let two = release(vec![String::new(), long.clone()]);
    // Nobody; one record; nobody in a declared group; no numbers: too few for bounds.
    for data in [vec![], of("", 3.0, 1), of("other", 3.0, 1000), of("", f64::NAN, 1000)] {
        let said = two.draw(&data, &mut rng).unwrap_err().to_string();
        assert!(said.contains("none stands out"), "{said}");
    }
    let released = two.draw(&[of(&long, 3.0, 1000), of("", f64::NAN, 5)].concat(), &mut rng).unwrap();
    assert_eq!((released.0.lower(), released.0.upper()), (2.0, 4.0));
    assert!((released.1[1].mean() - 3.0).abs() < 0.2);
    let many = Mean::bounds_privately(0.25).unwrap();
    let many = many.by(|p: &(u32, f64)| p.1, |p| p.0, 0..1_000_000).unwrap().epsilon(1.0).unwrap();
    let released = many.draw(&vec![(7, 3.0); 1000], &mut rng).unwrap();
    assert_eq!(released.1.len(), 1_000_000);
}

#[test]
fn parameters_are_checked() {
    for bad in [0.0, 1.0, -0.5, f64::NAN, f64::INFINITY] {
        assert!(Sum::bounds_privately(bad).is_err() && Quantile::bounds_privately(0.5, bad).is_err());
    }
    assert!(Quantile::bounds_privately(1.5, 0.5).is_err());
    let asked = || Mean::bounds_privately(0.5).unwrap();
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(asked().epsilon(bad).is_err() && asked().rho(bad).is_err());
        assert!(asked().magnitudes(bad, 1.0).is_err() && asked().confidence(bad).is_err());
    }
    assert!(asked().epsilon(5e-324).is_err()); // a share of it is no positive float
    assert!(asked().under_replace_one(0).is_err());
    let _: BoundsPrivately<Variance<AddRemove>> = Variance::bounds_privately(0.5).unwrap().population();
    assert!(Pure::new(1.0).unwrap().is_at_most(&asked().epsilon(1.0).unwrap().guarantee()));
}
