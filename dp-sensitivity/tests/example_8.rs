//! A release of several answers, worked through (Ottawa, Example 8; claim A3): the mean and the
//! variance of the first part of the data and the median of the rest.

use dp_core::measurement::SplitAt;
use dp_core::{Bounds, Error, Measurement, Pure, Query};
use dp_mechanisms::Laplace;
use dp_mechanisms::rng::Insecure;
use dp_sensitivity::{Mean, Quantile, Variance};

/// The cost of the three releases, and one draw.
fn release(epsilons: [f64; 3]) -> Result<(Pure, [f64; 3]), Error> {
    const FIRST: usize = 60;
    let data: Vec<f64> = (0..100u32).map(|i| f64::from(i * 37 % 101)).collect();
    let bounds = Bounds::new(0.0, 100.0)?;
    let mean = Mean::new(bounds).under_replace_one(FIRST)?.with(Laplace::epsilon(epsilons[0])?)?;
    let variance = Variance::new(bounds).under_replace_one(FIRST)?.with(Laplace::epsilon(epsilons[1])?)?;
    let median = Quantile::median(bounds)
        .under_replace_one(data.len() - FIRST)?
        .with(Laplace::epsilon(epsilons[2])?)?;
    let all = SplitAt::new(FIRST, mean.and(variance), median);
    let ((mean, variance), median) = all.draw(&data, &mut Insecure::seeded(8))?;
    Ok((all.guarantee(), [mean, variance, median]))
}

#[test]
fn the_cost_is_the_worse_of_both_parts() -> Result<(), Error> {
    for (epsilons, cost) in [([0.5, 0.25, 0.5], 0.75), ([0.5, 0.25, 2.0], 2.0), ([1.0, 1.0, 2.0], 2.0)] {
        let (guarantee, answers) = release(epsilons)?;
        assert_eq!(guarantee, Pure::new(cost)?);
        assert!(answers.iter().all(|answer| answer.is_finite()));
    }
    Ok(())
}
