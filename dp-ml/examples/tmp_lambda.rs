use dp_core::Measurement;
use dp_mechanisms::rng::Insecure;
use dp_ml::{LogisticLoss, PureObjectivePerturbation};
#[path = "shared/scores.rs"]
mod scores;
#[path = "shared/tables.rs"]
mod tables;
use scores::{Failure, accuracy, classes, parts};
fn main() -> Result<(), Failure> {
    let folder = std::env::args().nth(1);
    let seeds: u64 = if folder.is_some() { 3 } else { 200 };
    let data = match &folder {
        Some(f) => tables::census(f)?,
        None => tables::bounded(tables::breast_cancer(1.0)?)?,
    };
    for epsilon in [0.5, 1.0, 2.0, 4.0, 8.0] {
        print!("{epsilon}:");
        for factor in [0.0, 30.0, 60.0, 100.0, 150.0, 200.0, 300.0, 500.0] {
            let mut found = vec![];
            let mut nl = 0.0;
            for seed in 0..seeds {
                let (training, test) = parts(&data, seed)?;
                let (n, p) = (training.len() as f64, training.features().columns() as f64);
                let least = 33.0 / 32.0 * 2.0 / epsilon;
                nl = least * (1.0 + factor * p / (n * epsilon));
                let r = PureObjectivePerturbation::with_lambda(
                    epsilon,
                    LogisticLoss,
                    training.len(),
                    training.features().columns(),
                    1.0,
                    nl / n,
                )?;
                found.push(accuracy(
                    &classes(&r.draw(&training, &mut Insecure::seeded(seed + 1000))?, &test),
                    &test,
                ));
            }
            let m = found.iter().sum::<f64>() / found.len() as f64;
            let sd = (found.iter().map(|x| (x - m).powi(2)).sum::<f64>() / found.len() as f64).sqrt()
                / (found.len() as f64).sqrt();
            print!(" {factor}: {:.2}±{:.2}", 100.0*m, 100.0*sd);
        }
        println!();
    }
    Ok(())
}
