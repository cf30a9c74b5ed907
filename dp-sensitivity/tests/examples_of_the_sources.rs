//! The examples of the lecture notes (Ottawa, MAT 4376) on local and smooth sensitivity, in
//! numbers. Example 8 has a file of its own.

use dp_core::{Bounds, Error, L1, Measurement, Query, ReplaceOne, SensitivityIn};
use dp_mechanisms::rng::Insecure;
use dp_mechanisms::{BoundedLaplace, Laplace};
use dp_sensitivity::{LocalSensitivity, Mean, Quantile, Smoothness, StandardDeviation, Variance};

const LARGEST: f64 = 1000.0;

fn bounds() -> Result<Bounds, Error> {
    Bounds::new(0.0, LARGEST)
}

fn median(size: usize) -> Result<Quantile<ReplaceOne>, Error> {
    Quantile::median(bounds()?).under_replace_one(size)
}

/// `zeros` records of 0, and of 7 the rest of Λ.
fn torn(zeros: usize) -> Vec<f64> {
    (0..7).map(|i| if i < zeros { 0.0 } else { LARGEST }).collect()
}

fn close(found: f64, truth: f64) -> bool {
    (found - truth).abs() <= 1e-9 * truth.abs()
}

/// Example 12: two neighbours with the same median, one of which would get no noise.
#[test]
fn noise_by_the_local_sensitivity_tells_neighbours_apart() -> Result<(), Error> {
    let median = median(7)?;
    let [first, second] = [torn(4), torn(5)];
    assert_eq!([median.answer(&first)?.get(), median.answer(&second)?.get()], [0.0, 0.0]);
    assert_eq!([median.local(&first)?, median.local(&second)?], [LARGEST, 0.0]);
    Ok(())
}

/// Example 19, as its definition has it: the record that can be moved farthest counts, and one step
/// away every record can be moved all the way.
#[test]
fn the_mean_is_as_sensitive_as_its_farthest_record() -> Result<(), Error> {
    let (data, mean) = ([100.0, 350.0, 600.0, 840.0], Mean::new(bounds()?).under_replace_one(4)?);
    assert!(close(mean.local(&data)?, 900.0 / 4.0)); // the record 100 may become 1000
    for distance in 1..6 {
        assert!(close(mean.local_at_distance(&data, distance)?, LARGEST / 4.0));
    }
    let printed = 840.0 / 4.0; // "max |xᵢ|/n"
    assert!(mean.local(&data)? > printed);
    Ok(())
}

/// Example 20: formula (4), as it is printed.
#[test]
fn the_smooth_sensitivity_of_the_median_is_the_printed_maximum() -> Result<(), Error> {
    for (size, beta) in [(1i32, 0.3), (5, 0.01), (9, 0.5), (31, 0.1), (101, 0.05), (101, 2.0)] {
        let mut data: Vec<f64> = (0..size).map(|i| f64::from(i * i * 7919 % 1009) * 0.9).collect();
        data.sort_by(f64::total_cmp);
        // Ranks count from one; those that do not exist are the bounds.
        let at = |rank: i32| match usize::try_from(rank - 1) {
            Ok(place) => data.get(place).copied().unwrap_or(LARGEST),
            Err(_) => 0.0,
        };
        let (middle, mut printed) = ((size + 1) / 2, 0.0f64);
        for k in 0..=size {
            let widest = (0..=k + 1).map(|t| at(middle + t) - at(middle + t - k - 1)).fold(0.0, f64::max);
            printed = printed.max((-beta * f64::from(k)).exp() * widest);
        }
        let found = median(data.len())?.smooth(&data, Smoothness::new(beta)?)?;
        assert!(close(found, printed), "n = {size}, β = {beta}: {found} {printed}");
    }
    Ok(())
}

/// Example 21: the two neighbours of example 12 again. Neither gets no noise, and their scales
/// differ by a factor e^β.
#[test]
fn smooth_sensitivity_repairs_the_counterexample() -> Result<(), Error> {
    let beta = 0.25;
    let [first, second] = [torn(4), torn(5)].map(|data| median(7)?.smooth(&data, Smoothness::new(beta)?));
    let (first, second) = (first?, second?);
    assert!(close(first, LARGEST) && close(second, LARGEST * (-beta).exp()));
    assert!(first <= beta.exp() * second);
    Ok(())
}

/// Example 23: a variance with noise may be negative, and the noise that the notes give to a
/// standard deviation is too little.
#[test]
fn deviations_move_by_more_than_the_notes_say() -> Result<(), Error> {
    let size = 50;
    let noisy = Variance::new(bounds()?).under_replace_one(size)?.with(Laplace::epsilon(0.5)?)?;
    let equal = vec![500.0; size];
    let mut rng = Insecure::seeded(23);
    // Negative half of the time: all 60 draws are positive with probability 2⁻⁶⁰.
    assert!((0..60).any(|_| noisy.draw(&equal, &mut rng).is_ok_and(|variance| variance < 0.0)));
    let rooted = noisy.map(|variance| variance.max(0.0).sqrt());
    assert!((0..60).all(|_| rooted.draw(&equal, &mut rng).is_ok_and(|deviation| deviation >= 0.0)));

    let deviation = StandardDeviation::new(bounds()?).under_replace_one(size)?;
    let mut other = vec![0.0; size];
    let before = deviation.answer(&other)?.get();
    other[0] = LARGEST;
    let moved = deviation.answer(&other)?.get() - before;
    let claimed = LARGEST / 50.0;
    assert!(moved > 7.0 * claimed && moved <= SensitivityIn::<L1>::sensitivity(&deviation).value());
    Ok(())
}

/// Example 25: the smallest age, kept between 0 and 110 by bounded noise.
#[test]
fn bounded_noise_keeps_ages_possible() -> Result<(), Error> {
    let ages = [10.0, 35.0, 71.0];
    let youngest = Quantile::minimum(Bounds::new(0.0, 110.0)?).under_replace_one(3)?;
    assert_eq!(youngest.answer(&ages)?.get(), 10.0);
    let plain = youngest.with(Laplace::epsilon(1.0)?)?;
    let bounded = youngest.with(BoundedLaplace::epsilon(1.0, Bounds::new(0.0, 110.0)?)?)?;
    let mut rng = Insecure::seeded(25);
    // Lap(110) around 10 leaves [0, 110] more than half of the time: 60 draws stay with probability
    // below 2⁻⁶⁰.
    assert!((0..60).any(|_| plain.draw(&ages, &mut rng).is_ok_and(|age| !(0.0..=110.0).contains(&age))));
    assert!((0..200).all(|_| bounded.draw(&ages, &mut rng).is_ok_and(|age| (0.0..=110.0).contains(&age))));
    Ok(())
}
