//! A count and a mean of ages, released under one budget: `cargo run -p dp-accounting --example release_statistics`.

use dp_accounting::{Budget, Error};
use dp_core::{Bounds, Measurement, Pure, Query, ReplaceOne};
use dp_mechanisms::{Laplace, rng::OsSeeded};
use dp_sensitivity::{Count, Mean};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The data, and what is publicly known of them: how many there are, and that ages lie between 0 and 110.
    let ages: Vec<f64> = (0..500).map(|i| 18.0 + f64::from(i * 37 % 70)).collect();
    let bounds = Bounds::new(0.0, 110.0)?;

    // What is asked, and with how much noise. The types say: pure ε, neighbours by replacing one record.
    let mean = Mean::new(bounds, ages.len())?.with(Laplace::epsilon(0.5)?)?;
    let seniors =
        Count::matching(|age: &f64| *age >= 65.0).under_replace_one().with(Laplace::epsilon(0.25)?)?;
    println!("mean of ages:    {}, Laplace noise of scale {}", mean.guarantee(), mean.mechanism().scale());
    println!(
        "count of 65+:    {}, Laplace noise of scale {}",
        seniors.guarantee(),
        seniors.mechanism().scale()
    );

    // One budget pays for both, and for no third.
    let mut rng = OsSeeded::new()?;
    let mut budget = Budget::<Pure, ReplaceOne>::new(Pure::new(1.0)?);
    println!("released mean:   {:.2}", budget.spend(&mean, &ages, &mut rng)?);
    println!("released count:  {:.1}", budget.spend(&seniors, &ages, &mut rng)?);
    println!("spent:           {} of {}", budget.spent(), budget.total());
    match budget.spend(&mean, &ages, &mut rng) {
        Err(refusal @ Error::Exhausted { .. }) => println!("asked once more: {refusal}"),
        other => return Err(format!("the budget should have refused, but answered {other:?}").into()),
    }
    Ok(())
}
