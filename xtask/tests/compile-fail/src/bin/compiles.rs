//! The control: what the other programs do, done right.

use dp_accounting::{Account, Budget};
use dp_core::{
    AddRemove, AllAnswers, Bounds, Calibrate, Delta, Gdp, Interactive, L1, L2, LInf, LInfMonotone, Measurement, Mechanism, Pure, Query, Scale,
    Sensitivity, SensitivityIn, Zcdp,
};
use dp_mechanisms::rng::{Insecure, OsSeeded};
use dp_mechanisms::selection::Exponential;
use dp_mechanisms::{AboveThreshold, Gaussian, Laplace, MixedNoise, ReusableHoldout, Watch};
use dp_ml::scheduled::{
    Clipped, LastIterate, LeastSquares, MultiPass, NoiseSchedule, SameIterate, Schedule, ScheduledSgd, Trajectory,
};
use dp_ml::training::LearningRate;
use dp_sensitivity::{Additive, Count, Estimator, Histogram, Mean, Quantile, Sum};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ages = [23.0, 35.0, 61.0, 47.0];
    let mut rng = OsSeeded::new()?;

    let _ = Laplace::with_scale(Scale::new(2.0)?).guarantee(Sensitivity::<L1, AddRemove>::new(1.0)?);
    let mean = Mean::new(Bounds::new(0.0, 110.0)?).under_replace_one(ages.len())?.with(Laplace::epsilon(0.5)?)?;
    let seniors = Count::matching(|age: &f64| *age >= 65.0).with(Laplace::epsilon(0.25)?)?;

    let bounds = Bounds::new(0.0, 80.0)?;
    let _ = Sum::new(bounds).of(|person: &(bool, f64)| person.1).only(|person| person.0).with(Laplace::epsilon(0.5)?)?;
    let _ = Mean::new(bounds).of(|person: &(bool, f64)| person.1).only(|person| person.0).with(Laplace::epsilon(0.5)?)?;
    let _ = Quantile::median(bounds).epsilon(1.0)?.of(|person: &(bool, f64)| person.1).only(|person| person.0);
    let groups = Mean::new(bounds).of(|person: &(bool, f64)| person.1).by(|person| person.0, [true, false])?;
    let _ = groups.under_replace_one()?.with(Gaussian::mu(0.5)?)?;

    let both = (&mean).and((&seniors).replace_one_as_two_steps());
    let mut budget = Budget::new(Pure::new(1.0)?);
    budget.spend(&both, &ages, &mut rng)?;

    let gaussian = Count::matching(|age: &f64| *age >= 65.0).with(Gaussian::mu(0.5)?)?;
    Budget::<Gdp, AddRemove>::new(Gdp::new(1.0)?).spend(&gaussian, &ages, &mut rng)?;

    let weaker = (&mean).relax::<Zcdp>().and((&mean).relax::<Zcdp>()).at_delta(Delta::new(1e-6)?);
    weaker.release(&ages, &mut rng)?;
    weaker.draw(&ages, &mut Insecure::seeded(1))?;

    let votes = || Histogram::new(3, |vote: &usize| *vote);
    votes()?.with(Exponential::monotone_epsilon(1.0)?)?.release(&[0, 2, 2], &mut rng)?;
    votes()?.under_replace_one().with(Exponential::epsilon(1.0)?)?.release(&[0, 2, 2], &mut rng)?;
    let one_way = Sensitivity::<LInfMonotone, AddRemove>::new(1.0)?;
    AboveThreshold::epsilon(1.0, 50.0, 3)?.monotone().calibrate(one_way)?;
    AboveThreshold::epsilon(1.0, 50.0, 3)?.calibrate(Sensitivity::<LInf, _>::from(one_way).under_replace_one()?)?;

    let in_a: Sensitivity<LInf, AddRemove> = Count::matching(|record: &char| *record == 'a').sensitivity();
    let watch = Watch::new(AboveThreshold::epsilon(0.5, 10.0, 1)?, AllAnswers::asserting(in_a))?;
    let monotone = AllAnswers::monotone_coordinates_of(&votes()?);
    let votes = Watch::new(AboveThreshold::epsilon(0.5, 10.0, 1)?.monotone(), monotone)?;
    let mut budget = Budget::new(Pure::new(1.0)?);
    let mut interaction = budget.open(&watch, OsSeeded::new()?)?;
    interaction.ask(7.0)?;
    budget.open(&votes, &mut rng)?.ask(7.0)?;
    votes.simulate(Insecure::seeded(1)).ask(7.0)?;
    let holdout = ReusableHoldout::epsilon(1.0, 4, 0.1, 1)?;
    Budget::new(Pure::new(1.0)?).open(&holdout.over(&ages)?, &mut rng)?.ask(0.5, |age| age / 110.0)?;
    let (l1, l2) = (Sensitivity::<L1, AddRemove>::new(1.0)?, Sensitivity::<L2, AddRemove>::new(1.0)?);
    MixedNoise::epsilon_delta(1.0, 1e-6)?.for_sensitivities(l1, l2)?;

    let schedule = Schedule { learning_rate: LearningRate::Constant(0.1), steps: 3, noise: NoiseSchedule::Constant(1.0) };
    let (loss, sampler) = (LeastSquares::<[f64; 2]>::new(1)?, MultiPass::new(100, 1)?);
    let _ = ScheduledSgd::new(LastIterate, loss, sampler, Clipped::l1(1.0)?, &schedule, &[0.0])?;
    let same = SameIterate::new(Sensitivity::<L1, _>::new(1.0)?)?;
    let _ = ScheduledSgd::new(Trajectory, loss, sampler, same, &schedule, &[0.0])?;
    Ok(())
}
