//! A count, a mean, a median and a histogram of a CSV file, under one budget of ε = 1.

use exactdp::prelude::*;

fn main() -> Result<(), exactdp::Error> {
    let path = std::env::args().nth(1).unwrap_or("exactdp/examples/people.csv".into());
    let table = Csv::open(path, OnBadCell::Missing)?; // a cell that is no number is NaN, and no error
    let (ages, incomes) = (table.numbers("age")?, table.numbers("income")?);
    // How many people there are is public, and so are the bounds: they are not found in the data.
    let people = table.len();
    let (age, income) = (Bounds::new(0.0, 110.0)?, Bounds::new(0.0, 500_000.0)?);

    // What is asked, and at which ε. Values are clamped to the bounds; NaN counts as their middle.
    let seniors = Count::matching(|age: &f64| *age >= 65.0);
    let seniors = seniors.under_replace_one().with(Laplace::epsilon(0.125)?)?;
    let mean = Mean::new(age, people)?.with(Laplace::epsilon(0.125)?)?;
    let median = Quantile::median(income).under_replace_one(people)?.epsilon(0.5)?;
    let groups = Histogram::between([0.0, 20.0, 40.0, 60.0, 80.0, 110.0])?.under_replace_one();
    let groups = groups.with(Vector::new(Laplace::epsilon(0.25)?))?;

    // One budget pays for all four. A release that does not fit is refused before it is drawn.
    let mut budget = Budget::<Pure, ReplaceOne>::new(Pure::new(1.0)?);
    let mut rng = OsSeeded::new()?;
    println!("65 or older    {:>6.0}", budget.spend(&seniors, &ages, &mut rng)?);
    println!("mean age       {:>6.1}", budget.spend(&mean, &ages, &mut rng)?);
    println!("median income  {:>6.0}", budget.spend(&median, &incomes, &mut rng)?);
    println!("by age         {:>6.0?}", budget.spend(&groups, &ages, &mut rng)?);
    println!("{} of {} is spent, {people} people", budget.spent(), budget.total());
    Ok(())
}
