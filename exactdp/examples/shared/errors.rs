//! Lines of a table of errors.

use exactdp::prelude::OsSeeded;

pub(crate) type Failure = Box<dyn std::error::Error>;

const EPSILONS: [f64; 3] = [0.1, 0.5, 1.0];

/// A line of the table: the mean distance of what `at` makes for each ε.
pub(crate) fn line(
    name: &str,
    runs: u32,
    at: impl Fn(f64, &mut OsSeeded) -> Result<f64, Failure>,
) -> Result<(), Failure> {
    let mut rng = OsSeeded::new()?;
    print!("| {name} |");
    for epsilon in EPSILONS {
        let errors = (0..runs).map(|_| at(epsilon, &mut rng)).collect::<Result<Vec<_>, _>>()?;
        print!(" {:.3e} |", errors.iter().sum::<f64>() / f64::from(runs));
    }
    println!();
    Ok(())
}

/// The mean of some numbers.
pub(crate) fn average(numbers: impl Iterator<Item = f64> + Clone) -> f64 {
    numbers.clone().sum::<f64>() / numbers.fold(0.0, |n, _| n + 1.0)
}
