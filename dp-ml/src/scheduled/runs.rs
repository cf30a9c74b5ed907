//! Tests of runs.

use dp_core::{Bounds, Error, L1, Measurement, ReplaceOne, Sensitivity};
use dp_mechanisms::rng::Insecure;
use proptest::prelude::*;

use super::*;
use crate::training::LearningRate;

fn regression() -> LeastSquares<[f64; 4]> {
    LeastSquares::new(3).unwrap()
}

fn schedule(steps: usize, noise: NoiseSchedule) -> Schedule {
    Schedule { learning_rate: LearningRate::Power { initial: 0.5, rho: 0.5 }, steps, noise }
}

fn by_theorem(level: f64) -> NoiseSchedule {
    NoiseSchedule::Iterates { level, factors: PrivacySchedule::Constant }
}

/// Hostile records: huge, tiny, no numbers.
fn record() -> impl Strategy<Value = [f64; 4]> {
    let value = prop_oneof![
        -2.0..2.0f64,
        Just(0.0),
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(1e308),
        Just(-1e160),
        Just(1e-300)
    ];
    prop::array::uniform4(value)
}

fn distance<N: dp_core::Norm>(a: &[f64], b: &[f64]) -> f64 {
    N::of(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>())
}

proptest! {
    /// The heart of L5: with the same batches and the same noise, neighbours stay within the reach,
    /// to the last bit.
    #[test]
    fn neighbours_with_the_same_noise_stay_within_reach(
        mut data in prop::collection::vec(record(), 6), other in record(), seed: u64, batch in 1usize..4, l2: bool
    ) {
        let mut runs = vec![];
        for change in [false, true] {
            if change {
                data[2] = other;
            }
            // One seed for both: a draw that needs more random bits for one neighbour is rare, and
            // would fail the test, not the code.
            let mut rng = Insecure::seeded(seed);
            let sampler = MultiPass::new(6, batch).unwrap();
            let plan = schedule(8, by_theorem(2.0));
            runs.push(if l2 {
                let sgd = ScheduledSgd::new(Trajectory, regression(), sampler, Clipped::l2(1.0).unwrap(), &plan, &[0.0; 3]).unwrap();
                (sgd.draw(&data, &mut rng).unwrap(), sgd.scales().to_vec())
            } else {
                let sgd = ScheduledSgd::new(Trajectory, regression(), sampler, Clipped::l1(1.0).unwrap(), &plan, &[0.0; 3]).unwrap();
                (sgd.draw(&data, &mut rng).unwrap(), sgd.scales().to_vec())
            });
        }
        for (h, (x, y)) in runs[0].0.iter().zip(&runs[1].0).enumerate() {
            prop_assert!(x.iter().chain(y).all(|value| value.is_finite()));
            let apart = if l2 { distance::<dp_core::L2>(x, y) } else { distance::<L1>(x, y) };
            let reach = 2.0 * runs[0].1[h]; // the scale is reach/level
            prop_assert!(apart <= reach * (1.0 + 1e-12), "step {h}: {apart} > {reach}");
        }
    }
}

#[test]
fn the_reach_is_reached() {
    let (plan, sampler) = (schedule(20, by_theorem(1.0)), MultiPass::new(1, 1).unwrap());
    let sgd =
        ScheduledSgd::new(LastIterate, regression(), sampler, Clipped::l1(1.0).unwrap(), &plan, &[0.0; 3])
            .unwrap();
    let run = |record: [f64; 4]| sgd.draw(&[record], &mut Insecure::seeded(5)).unwrap();
    let apart = distance::<L1>(&run([1.0, 0.0, 0.0, 1e9]), &run([1.0, 0.0, 0.0, -1e9]));
    let reach = sgd.scales()[19];
    assert!(apart > reach * (1.0 - 1e-6) && apart <= reach, "{apart} of {reach}");
}

#[test]
fn averages_are_averages_of_the_trajectory() {
    let data = [[1.0, 0.5, -0.5, 2.0], [1.0, -0.5, 1.5, 0.0], [1.0, 1.0, 1.0, 1.0]];
    let (plan, sampler) = (schedule(6, NoiseSchedule::Constant(0.3)), MultiPass::new(3, 1).unwrap());
    let clip = Clipped::l1(1.0).unwrap();
    let start = [0.25, 0.0, -0.5];
    let trajectory = ScheduledSgd::new(Trajectory, regression(), sampler, clip, &plan, &start).unwrap();
    let iterates = trajectory.draw(&data, &mut Insecure::seeded(11)).unwrap();
    let average = ScheduledSgd::new(AverageIterate, regression(), sampler, clip, &plan, &start).unwrap();
    let found = average.draw(&data, &mut Insecure::seeded(11)).unwrap();
    let last = ScheduledSgd::new(LastIterate, regression(), sampler, clip, &plan, &start).unwrap();
    assert_eq!(last.draw(&data, &mut Insecure::seeded(11)).unwrap(), iterates[5]);
    let rates = plan.learning_rate.positive(6).unwrap();
    for i in 0..3 {
        let before = std::iter::once(start[i]).chain(iterates.iter().map(|iterate| iterate[i]));
        let sum: f64 = rates.iter().zip(before).map(|(rate, value)| rate * value).sum();
        let expected = sum / rates.iter().sum::<f64>();
        assert!((found[i] - expected).abs() < 1e-7, "{} and {expected}", found[i]);
    }
}

#[test]
fn a_huge_budget_finds_the_minimum() {
    let data: Vec<f64> = (0..100).map(|i| f64::from(i % 10)).collect();
    let loss = SquaredDistance::new(Bounds::new(0.0, 10.0).unwrap());
    let plan = Schedule { learning_rate: LearningRate::Constant(0.25), steps: 60, noise: by_theorem(1e9) };
    let (sampler, condition) = (FullBatch::new(100).unwrap(), ConvexSmooth::of(&loss).unwrap());
    let sgd = ScheduledSgd::new(LastIterate, loss, sampler, condition, &plan, &[0.0]).unwrap();
    let found = sgd.draw(&data, &mut Insecure::seeded(2)).unwrap();
    assert!((found[0] - 4.5).abs() < 1e-6, "{found:?}");
    let clipped =
        ScheduledSgd::new(LastIterate, loss, sampler, Clipped::l1(100.0).unwrap(), &plan, &[0.0]).unwrap();
    assert!((clipped.draw(&data, &mut Insecure::seeded(2)).unwrap()[0] - 4.5).abs() < 1e-5);
}

#[test]
fn empty_batches_are_steps_of_noise() {
    let sampler = PoissonBatches::new(0.01, 1.0).unwrap();
    let plan = schedule(5, NoiseSchedule::Constant(1.0));
    let sgd =
        ScheduledSgd::new(Trajectory, regression(), sampler, Clipped::l1(1.0).unwrap(), &plan, &[0.0; 3])
            .unwrap();
    let iterates = sgd.draw(&[], &mut Insecure::seeded(1)).unwrap();
    assert!(iterates.windows(2).all(|pair| pair[0] != pair[1]));
}

#[test]
fn an_assertion_carries_its_name() {
    let asserted = Asserted::<L1>::new("features within 1, residuals clamped", 2.0).unwrap();
    let plan = schedule(5, by_theorem(1.0));
    let sgd = ScheduledSgd::new(
        LastIterate,
        regression(),
        MultiPass::new(9, 3).unwrap(),
        asserted,
        &plan,
        &[0.0; 3],
    )
    .unwrap();
    for analysis in sgd.analyses() {
        assert!(
            analysis.to_string().contains("asserted by the user: \"features within 1, residuals clamped\"")
        );
    }
}

#[test]
fn bad_input_is_refused_before_anything_is_drawn() {
    let clip = || Clipped::l1(1.0).unwrap();
    let make = |sampler: MultiPass, plan: &Schedule, start: &[f64]| {
        ScheduledSgd::new(LastIterate, regression(), sampler, clip(), plan, start).map(|_| ())
    };
    let ten = MultiPass::new(10, 1).unwrap();
    let good = schedule(3, by_theorem(1.0));
    assert!(make(ten, &good, &[0.0; 3]).is_ok());
    assert_eq!(
        make(ten, &schedule(0, by_theorem(1.0)), &[0.0; 3]),
        Err(Error::Empty { argument: "the steps of the schedule" })
    );
    assert!(make(ten, &good, &[0.0; 2]).is_err() && make(ten, &good, &[f64::NAN, 0.0, 0.0]).is_err());
    for noise in [
        by_theorem(0.0),
        by_theorem(f64::NAN),
        NoiseSchedule::Constant(0.0),
        NoiseSchedule::Sequence(vec![1.0, 1.0]),
        NoiseSchedule::Constant(f64::INFINITY),
        NoiseSchedule::Iterates { level: 1.0, factors: PrivacySchedule::Sequence(vec![1.0, 0.0, 1.0]) },
    ] {
        assert!(make(ten, &schedule(3, noise.clone()), &[0.0; 3]).is_err(), "{noise:?}");
    }
    let fast = |rate: f64| Schedule { learning_rate: LearningRate::Constant(rate), ..good.clone() };
    assert!(make(ten, &fast(1e300), &[0.0; 3]).is_err() && make(ten, &fast(f64::MAX), &[0.0; 3]).is_err());
    assert!(MultiPass::new(10, 11).is_err() && MultiPass::new(0, 0).is_err() && OnePass::new(3, 0).is_err());
    assert!(
        FullBatch::new(0).is_err() && PoissonBatches::new(0.0, 1.0).is_err() && Clipped::l2(0.0).is_err()
    );
    let pass = OnePass::new(10, 4).unwrap();
    assert!(ScheduledSgd::new(LastIterate, regression(), pass, clip(), &good, &[0.0; 3]).is_err()); // two steps only
    let poisson = PoissonBatches::new(0.5, 1.0).unwrap();
    assert!(ScheduledSgd::new(Trajectory, regression(), poisson, clip(), &good, &[0.0; 3]).is_err()); // L5 needs fixed batches
    let same = SameIterate::new(Sensitivity::<L1, ReplaceOne>::new(2.0).unwrap()).unwrap();
    let constant = schedule(3, NoiseSchedule::Constant(1.0));
    assert!(ScheduledSgd::new(Trajectory, regression(), ten, same, &constant, &[0.0; 3]).is_ok());
    assert!(ScheduledSgd::new(Trajectory, regression(), poisson, same, &constant, &[0.0; 3]).is_err());
    let sgd = ScheduledSgd::new(LastIterate, regression(), ten, clip(), &good, &[0.0; 3]).unwrap();
    let wrong = sgd.draw(&[[0.0; 4]; 9], &mut Insecure::seeded(1));
    assert_eq!(wrong, Err(Error::WrongSize { declared: 10, found: 9 }));
}

/// Results for a seed stay what they are, to the last bit.
#[test]
fn results_for_a_seed_are_pinned() {
    let data: Vec<[f64; 4]> =
        (0..40).map(|i| f64::from(i) / 40.0).map(|x| [1.0, x, x * x, 0.3 - x]).collect();
    let bits = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
    let (plan, start) = (schedule(7, by_theorem(4.0)), [0.25, 0.0, -0.5]);

    let (sampler, clip) = (MultiPass::new(40, 7).unwrap(), Clipped::l1(1.0).unwrap());
    let last = ScheduledSgd::new(LastIterate, regression(), sampler, clip, &plan, &start).unwrap();
    let found = bits(&last.draw(&data, &mut Insecure::seeded(1)).unwrap());
    assert_eq!(found, [0xbff2_4506_7280_0000, 0x4009_eac8_c690_0000, 0xbf84_b702_c000_0000]);

    let (sampler, clip) = (OnePass::new(40, 5).unwrap(), Clipped::l2(1.0).unwrap());
    let average = ScheduledSgd::new(AverageIterate, regression(), sampler, clip, &plan, &start).unwrap();
    let found = bits(&average.draw(&data, &mut Insecure::seeded(2)).unwrap());
    assert_eq!(found, [0x3fce_b30b_3c00_0000, 0xbfbd_7165_d400_0000, 0xbfef_21ca_be00_0000]);

    let (plan, clip) = (schedule(7, NoiseSchedule::Constant(0.5)), Clipped::l1(1.0).unwrap());
    let sampler = PoissonBatches::new(0.25, 10.0).unwrap();
    let all = ScheduledSgd::new(Trajectory, regression(), sampler, clip, &plan, &start).unwrap();
    let found = bits(&all.draw(&data, &mut Insecure::seeded(3)).unwrap()[6]);
    assert_eq!(found, [0xbfc8_2a93_6800_0000, 0x3fe8_5bb7_2080_0000, 0xbff0_509e_ae00_0000]);
}
