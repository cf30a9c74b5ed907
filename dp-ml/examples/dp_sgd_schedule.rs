//! Gradient descent that is private by a schedule: what is released selects the theorem.
//! `cargo run --release -p dp-ml --example dp_sgd_schedule`.

use dp_accounting::Budget;
use dp_core::{Measurement, Pure};
use dp_mechanisms::rng::OsSeeded;
use dp_ml::scheduled::{
    AverageIterate, Clipped, LastIterate, LeastSquares, MultiPass, NoiseSchedule, PrivacySchedule, Schedule,
    ScheduledSgd, Trajectory,
};
use dp_ml::training::LearningRate;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // y = 0.7·x, with a little of something else.
    let data: Vec<[f64; 2]> = (0..5000)
        .map(|i| f64::from(i % 100) / 100.0)
        .map(|x| [x, 0.7 * x + 0.05 * (37.0 * x).sin()])
        .collect();
    // Rates 0.5·(1 + h)^−½. The lecture's noise grows with the steps, so that its theorem gives
    // every iterate ε = 0.5; here one record of 5000 is seen in a step, and the same noise in all
    // of them does, too.
    let learning_rate = LearningRate::Power { initial: 0.5, rho: 0.5 };
    let with = |noise| Schedule { learning_rate: learning_rate.clone(), steps: 600, noise };
    let lecture = with(NoiseSchedule::Iterates { level: 0.5, factors: PrivacySchedule::Constant });
    let schedule = with(NoiseSchedule::Constant(1.0));
    let loss = LeastSquares::<[f64; 2]>::new(1)?;
    let (sampler, clip) = (MultiPass::new(data.len(), 1)?, Clipped::l1(1.0)?);

    // The same steps, three things to publish, three guarantees. The theorem of the lecture covers
    // the first one only.
    let last = ScheduledSgd::new(LastIterate, loss, sampler, clip, &schedule, &[0.0])?;
    let average = ScheduledSgd::new(AverageIterate, loss, sampler, clip, &schedule, &[0.0])?;
    let all = ScheduledSgd::new(Trajectory, loss, sampler, clip, &schedule, &[0.0])?;
    println!(
        "the last iterate:  {}\nthe average:       {}\nall iterates:      {}\n",
        last.guarantee(),
        average.guarantee(),
        all.guarantee()
    );
    for analysis in average.analyses() {
        println!("  of the average: {analysis}");
    }

    let mut budget = Budget::new(Pure::new(1.0)?);
    let mut rng = OsSeeded::new()?;
    let slope = budget.spend(&average, &data, &mut rng)?;
    println!("\nslope {:.2}, spent {} of {}", slope[0], budget.spent(), budget.total());
    let last = ScheduledSgd::new(LastIterate, loss, sampler, clip, &lecture, &[0.0])?;
    println!(
        "with the lecture's noise: slope {:.0}, for {}",
        budget.spend(&last, &data, &mut rng)?[0],
        last.guarantee()
    );
    Ok(())
}
