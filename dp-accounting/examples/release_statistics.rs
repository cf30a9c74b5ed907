//! A count, a mean, a median and a histogram of a CSV file, under one budget of ε = 1.

use std::{env, error::Error, fs};

use dp_accounting::Budget;
use dp_core::{Adjacency, Bounds, Measurement, Pure, Query, ReplaceOne};
use dp_mechanisms::{Laplace, Vector, rng::OsSeeded};
use dp_sensitivity::smooth::{PolyPlace, Smoothly};
use dp_sensitivity::{Count, Histogram, Mean, Quantile};

/// A column of comma-separated text, by its name in the first line: one number for each line below.
///
/// Each line is a person, an empty one, too, and each comma ends a cell: quoted cells are not understood.
/// What is not a number becomes NaN, and a cell that is missing, too. It must not be an error: whether there is one would tell of a record.
fn column(text: &str, name: &str) -> Result<Vec<f64>, String> {
    if !text.ends_with('\n') {
        // Without its end, a last line that is empty could not be told from none, and people would be counted by what they say.
        return Err("end each line of the file with a line break, the last one, too".into());
    }
    let mut lines = text.lines();
    let mut names = lines.next().unwrap_or_default().split(',');
    let at = names.position(|title| title.trim() == name).ok_or(format!("there is no column {name:?}"))?;
    let number = |line: &str| line.split(',').nth(at).and_then(|cell| cell.trim().parse().ok());
    Ok(lines.map(|line| number(line).unwrap_or(f64::NAN)).collect())
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args().nth(1).ok_or("pass the path of a CSV file with the columns age and income")?;
    let bytes = fs::read(&path).map_err(|error| format!("cannot read {path}: {error}"))?;
    let text = String::from_utf8_lossy(&bytes); // bytes that are no text are no error either
    let (ages, incomes) = (column(&text, "age")?, column(&text, "income")?);

    // Public facts: how many people there are, and bounds. The bounds are declared, not found in the data.
    let people = ages.len();
    let (age, income) = (Bounds::new(0.0, 110.0)?, Bounds::new(0.0, 500_000.0)?);
    let groups = [0.0, 20.0, 40.0, 60.0, 80.0, 110.0];

    // What is asked, and at which ε. Records are clamped to the bounds. NaN is the middle of the bounds in a mean
    // and a median, does not match in this count, and is in no bin of a histogram.
    let seniors = Count::matching(|age: &f64| *age >= 65.0);
    let seniors = seniors.under_replace_one().with(Laplace::epsilon(0.125)?)?;
    let mean = Mean::new(age, people)?.with(Laplace::epsilon(0.125)?)?;
    // Laplace noise would be for the worst median, smooth noise is for these data; clamping what is released is free.
    let median = Quantile::median(income).under_replace_one(people)?.smoothly(PolyPlace::new(0.5)?)?;
    let median = median.map(|value| value.clamp(income.lower(), income.upper()));
    let histogram = Histogram::between(groups)?.under_replace_one();
    let histogram = histogram.with(Vector::new(Laplace::epsilon(0.25)?))?;

    // One budget pays for all four. A release that does not fit is refused before anything is drawn. Sums are rounded
    // up, and 0.1 is no float: see the guide on budgets before you split a total into tenths.
    let mut budget = Budget::<Pure, ReplaceOne>::new(Pure::new(1.0)?);
    let mut rng = OsSeeded::new()?;
    println!("{people} people");
    println!("65 or older    {:>6.0}   {}", budget.spend(&seniors, &ages, &mut rng)?, seniors.guarantee());
    println!("mean age       {:>6.1}   {}", budget.spend(&mean, &ages, &mut rng)?, mean.guarantee());
    println!("median income  {:>6.0}   {}", budget.spend(&median, &incomes, &mut rng)?, median.guarantee());
    println!("ages                    {}, all groups together", histogram.guarantee());
    // Counts with noise may be negative. They may be clamped: what is made of a release costs nothing.
    for (group, count) in groups.windows(2).zip(budget.spend(&histogram, &ages, &mut rng)?) {
        println!("  {:>3} to {:<5} {count:>6.0}", group[0], group[1]);
    }
    let spent = budget.spent();
    println!("\nspent {spent} of {}, neighbours by {}", budget.total(), ReplaceOne::NAME);
    println!("If any one person's line were any other line, each outcome would be as probable as it");
    println!("was, up to a factor of e^{}. How many lines there are is not protected.", spent.epsilon());
    Ok(())
}
