//! Tests of the theorems, on data so small that output distributions can be computed.
//!
//! The privacy loss of the [exact distributions](super::exact_law) is compared with the guarantee
//! of the same training.

use dp_core::{Bounds, Delta, Guarantee, Measurement};

use super::exact_law::*;
use super::*;
use crate::arguments::count;
use crate::training::LearningRate;

/// The largest loss of paths, by the largest loss of each of their ends.
fn path_loss(x: &[Vec<Vec<f64>>], y: &[Vec<Vec<f64>>]) -> f64 {
    let mut ends = at_origin()
        .iter()
        .map(|mass| if *mass > 0.0 { 0.0 } else { f64::NEG_INFINITY })
        .collect::<Vec<f64>>();
    for (x, y) in x.iter().zip(y) {
        let mut next = vec![f64::NEG_INFINITY; ends.len()];
        for ((end, p), q) in ends.iter().zip(x).zip(y).filter(|((end, _), _)| end.is_finite()) {
            for ((next, p), q) in next.iter_mut().zip(p).zip(q).filter(|((_, p), q)| **p > 1e-9 && **q > 1e-9)
            {
                *next = next.max(end + (p / q).ln());
            }
        }
        ends = next;
    }
    ends.into_iter().fold(0.0, f64::max)
}

/// The gradient of (x − β)², clipped to 1.
fn clipped(beta: f64, x: f64) -> f64 {
    (2.0 * (beta - x)).clamp(-1.0, 1.0)
}

fn singles(n: usize) -> Batches {
    (0..n).map(|i| (1.0 / count(n), vec![i])).collect()
}

fn loss_function() -> SquaredDistance {
    SquaredDistance::new(Bounds::new(-8.0, 8.0).unwrap())
}

/// Neighbours to try: one record replaced. The first pair pulls in opposite directions always.
fn neighbours(n: usize) -> Vec<(Vec<f64>, Vec<f64>)> {
    let others = [0.5, -1.0];
    let with = |first: f64| [&[first], &others[..n - 1]].concat();
    [(8.0, -8.0), (0.25, -0.25), (1.0, 0.0), (-8.0, 0.5)].map(|(x, y)| (with(x), with(y))).into()
}

fn schedule(rates: &[f64], noise: NoiseSchedule) -> Schedule {
    Schedule { learning_rate: LearningRate::Sequence(rates.to_vec()), steps: rates.len(), noise }
}

const RATES: [f64; 3] = [1.0, 0.5, 0.25];

#[test]
fn the_last_iterate_loses_what_the_theorem_says_and_no_more() {
    for (n, factors) in [
        (1, vec![1.0]),
        (1, vec![1.0, 1.5]),
        (1, vec![64.0, 1.0]),
        (1, vec![64.0, 64.0, 1.0]),
        (2, vec![1.0, 1.0, 1.0]),
        (3, vec![64.0, 1.0]),
    ] {
        let steps = factors.len();
        let noise =
            NoiseSchedule::Iterates { level: 0.8, factors: PrivacySchedule::Sequence(factors.clone()) };
        let schedule = schedule(&RATES[..steps], noise);
        let (sampler, clip) = (MultiPass::new(n, 1).unwrap(), Clipped::l1(1.0).unwrap());
        let sgd = ScheduledSgd::new(LastIterate, loss_function(), sampler, clip, &schedule, &[0.0]).unwrap();
        let theorem = &sgd.analyses()[0];
        assert_eq!(theorem.name, "L5");
        let stated = theorem.guarantee.epsilon().get();
        assert!((stated - 0.8 * factors[steps - 1]).abs() < 1e-5, "{stated}");
        let mut largest = 0.0f64;
        for (x, y) in neighbours(n) {
            let law = |data: &[f64]| {
                (0..steps).fold(at_origin(), |law, h| {
                    carried(&law, &transitions(data, &singles(n), &clipped, RATES[h], 1.0, sgd.scales()[h]))
                })
            };
            largest = largest.max(loss(&law(&x), &law(&y)));
        }
        assert!(largest <= stated + 1e-6, "n = {n}, a = {factors:?}: {largest} > {stated}");
        assert!(largest <= sgd.guarantee().epsilon().get() + 1e-6);
        // With one record and hardly any noise before, the bound is reached: less noise would not
        // do.
        let alone = n == 1 && factors[..steps - 1].iter().all(|factor| *factor == 64.0);
        assert!(!alone || largest > 0.99 * stated, "n = {n}, a = {factors:?}: {largest} of {stated}");
    }
}

#[test]
fn trajectories_lose_the_sum_of_amplified_steps() {
    for (n, theta) in [(1, 2.0), (2, 2.0), (3, 4.0)] {
        let clip = Clipped::l1(1.0).unwrap();
        let schedule = schedule(&RATES, NoiseSchedule::Constant(theta));
        let sgd = ScheduledSgd::new(
            Trajectory,
            loss_function(),
            MultiPass::new(n, 1).unwrap(),
            clip,
            &schedule,
            &[0.0],
        )
        .unwrap();
        let stated = sgd.guarantee().epsilon().get();
        let closed_form = 3.0 * (1.0 + ((2.0 / theta).exp() - 1.0) / count(n)).ln();
        assert!(
            stated >= closed_form - 1e-9 && stated < closed_form * (1.0 + 1e-6),
            "{stated}, {closed_form}"
        );
        let mut largest = 0.0f64;
        for (x, y) in neighbours(n) {
            let chain = |data: &[f64]| -> Vec<_> {
                (0..3)
                    .map(|h| transitions(data, &singles(n), &clipped, RATES[h], 1.0, sgd.scales()[h]))
                    .collect()
            };
            let (x, y) = (chain(&x), chain(&y));
            largest = largest.max(path_loss(&x, &y)).max(path_loss(&y, &x));
        }
        assert!(largest <= stated + 1e-6, "n = {n}: {largest} > {stated}");
        assert!(largest > 0.9 * stated, "n = {n}: {largest} of {stated}");
    }
}

#[test]
fn trajectories_have_the_profile_that_the_accountant_states() {
    let (n, theta) = (2, 2.0);
    let schedule = schedule(&RATES[..2], NoiseSchedule::Constant(theta));
    let clip = Clipped::l1(1.0).unwrap();
    let sgd = ScheduledSgd::new(
        Trajectory,
        loss_function(),
        MultiPass::new(n, 1).unwrap(),
        clip,
        &schedule,
        &[0.0],
    )
    .unwrap();
    let chain = |data: &[f64]| -> Vec<_> {
        (0..2).map(|h| transitions(data, &singles(n), &clipped, RATES[h], 1.0, sgd.scales()[h])).collect()
    };
    let (x, y) = (chain(&[8.0, -8.0]), chain(&[-8.0, -8.0]));
    let origin = usize::try_from(HALF).unwrap();
    for delta in [0.1, 0.03, 0.01] {
        let stated = sgd.analyses_at(Delta::new(delta).unwrap()).unwrap()[0].guarantee.epsilon().get();
        let profile: f64 = (0..x[0].len())
            .flat_map(|j| (0..x[0].len()).map(move |k| (j, k)))
            .map(|(j, k)| {
                let mass = |chain: &[Vec<Vec<f64>>]| chain[0][origin][j] * chain[1][j][k];
                (mass(&x) - stated.exp() * mass(&y)).max(0.0)
            })
            .sum();
        assert!(profile <= delta * (1.0 + 1e-6), "δ({stated}) = {profile} > {delta}");
        assert!(profile > 0.8 * delta, "δ({stated}) = {profile}, {delta} is stated");
    }
}

#[test]
fn one_pass_loses_the_worst_step() {
    let thetas = vec![4.0, 2.0, 3.0];
    let schedule = schedule(&RATES, NoiseSchedule::Sequence(thetas));
    let clip = Clipped::l1(1.0).unwrap();
    let training = |n: usize| OnePass::new(n, 1).unwrap();
    let sgd = ScheduledSgd::new(Trajectory, loss_function(), training(3), clip, &schedule, &[0.0]).unwrap();
    let stated = sgd.guarantee().epsilon().get();
    assert!((stated - 1.0).abs() < 1e-6, "{stated}"); // 2C/θ₂
    let mut largest = 0.0f64;
    for position in 0..3 {
        let chain = |record: f64| -> Vec<_> {
            let mut data = [0.5, -1.0, 0.25];
            data[position] = record;
            (0..3)
                .map(|h| transitions(&data, &vec![(1.0, vec![h])], &clipped, RATES[h], 1.0, sgd.scales()[h]))
                .collect()
        };
        let (x, y) = (chain(8.0), chain(-8.0));
        largest = largest.max(path_loss(&x, &y));
    }
    assert!(largest <= stated + 1e-6 && largest > 0.99 * stated, "{largest} of {stated}");

    // The last iterate: batch by batch, the smaller of the step's own loss and L5 from there on.
    let last = ScheduledSgd::new(LastIterate, loss_function(), training(3), clip, &schedule, &[0.0]).unwrap();
    let analyses = last.analyses();
    let names: Vec<_> = analyses.iter().map(|analysis| analysis.name).collect();
    assert_eq!(names, ["L5", "batch by batch", "function of the trajectory"]);
    let stated = last.guarantee().epsilon().get();
    assert!((stated - 2.0 / 3.0).abs() < 1.0 && stated <= analyses[1].guarantee.epsilon().get());
    for position in 0..3 {
        let law = |record: f64| {
            let mut data = [0.5, -1.0, 0.25];
            data[position] = record;
            (0..3).fold(at_origin(), |law, h| {
                carried(
                    &law,
                    &transitions(&data, &vec![(1.0, vec![h])], &clipped, RATES[h], 1.0, sgd.scales()[h]),
                )
            })
        };
        assert!(loss(&law(8.0), &law(-8.0)) <= stated + 1e-6);
    }
}

#[test]
fn poisson_trajectories_hold_for_a_record_more_or_less() {
    let (rate, theta) = (0.5, 1.0);
    let schedule = schedule(&RATES[..2], NoiseSchedule::Constant(theta));
    let sampler = PoissonBatches::new(rate, 1.0).unwrap();
    let sgd =
        ScheduledSgd::new(Trajectory, loss_function(), sampler, Clipped::l1(1.0).unwrap(), &schedule, &[0.0])
            .unwrap();
    let stated = sgd.guarantee().epsilon().get();
    let closed_form = 2.0 * (1.0 + (1.0f64.exp() - 1.0) * rate).ln();
    assert!((stated - closed_form).abs() < 1e-6, "{stated}, {closed_form}");
    let chain = |data: &[f64]| -> Vec<_> {
        let batches: Batches = (0..1usize << data.len())
            .map(|set| {
                let batch: Vec<usize> = (0..data.len()).filter(|i| set >> i & 1 == 1).collect();
                (0.5f64.powi(i32::try_from(data.len()).unwrap()), batch)
            })
            .collect();
        (0..2).map(|h| transitions(data, &batches, &clipped, RATES[h], 1.0, sgd.scales()[h])).collect()
    };
    let (with, without) = (chain(&[0.5, 8.0]), chain(&[0.5]));
    let largest = path_loss(&with, &without).max(path_loss(&without, &with));
    assert!(largest <= stated + 1e-6 && largest > 0.9 * stated, "{largest} of {stated}");
}

/// The density of the γ-weighted average of β⁽⁰⁾, β⁽¹⁾, β⁽²⁾ at some points.
fn average_density(data: &[f64], batches: &Batches, scales: &[f64]) -> Vec<f64> {
    let first = carried(&at_origin(), &transitions(data, batches, &clipped, RATES[0], 1.0, scales[0]));
    let total: f64 = RATES.iter().sum();
    let (w1, w2) = (RATES[1] / total, RATES[2] / total);
    let places = points().filter(|y| y.abs() < 6.0);
    places
        .map(|y| {
            let given = |(mass, beta): (&f64, f64)| -> f64 {
                let over = |(probability, batch): &(f64, Vec<usize>)| {
                    let sum: f64 = batch.iter().map(|&i| clipped(beta, data[i])).sum();
                    let centre = w1 * beta + w2 * (beta - RATES[1] * sum);
                    let scale = w2 * scales[1];
                    probability * (-((y - centre) / scale).abs()).exp() / (2.0 * scale)
                };
                mass * batches.iter().map(over).sum::<f64>()
            };
            first.iter().zip(points()).map(given).sum()
        })
        .collect()
}

#[test]
fn averages_lose_no_more_than_either_bound() {
    for n in [1, 2] {
        let schedule = schedule(&RATES, NoiseSchedule::Sequence(vec![2.0, 3.0, 1e3]));
        let clip = Clipped::l1(1.0).unwrap();
        let sgd = ScheduledSgd::new(
            AverageIterate,
            loss_function(),
            MultiPass::new(n, 1).unwrap(),
            clip,
            &schedule,
            &[0.0],
        )
        .unwrap();
        let analyses = sgd.analyses();
        // The last step comes after the average: its noise does not count. Steps: 2/2 and 2/3,
        // amplified.
        let steps: f64 = [1.0f64, 2.0 / 3.0].iter().map(|r| (1.0 + (r.exp() - 1.0) / count(n)).ln()).sum();
        assert!((analyses[0].guarantee.epsilon().get() - steps).abs() < 1e-5, "{} {steps}", analyses[0]);
        // Direct: (γ₁·2 + γ₂·3)/Σγ over γ₂/Σγ·1.5, where 2 and 3 are the distances of β⁽¹⁾ and
        // β⁽²⁾.
        let direct = (0.5 * 2.0 + 0.25 * 3.0) / (0.25 * 1.5);
        assert!((analyses[1].guarantee.epsilon().get() - direct).abs() < 1e-4, "{} {direct}", analyses[1]);
        let stated = sgd.guarantee().epsilon().get();
        for (x, y) in neighbours(n) {
            let found = loss(
                &average_density(&x, &singles(n), sgd.scales()),
                &average_density(&y, &singles(n), sgd.scales()),
            );
            assert!(found <= stated + 1e-6, "n = {n}: {found} > {stated}");
        }
    }
}

#[test]
fn convex_steps_do_not_move_iterates_apart() {
    // Unclipped steps at rate ≤ 2/smoothness = 1; records in [−1, 1], so that one record moves a
    // gradient by 4.
    let loss_function = SquaredDistance::new(Bounds::new(-1.0, 1.0).unwrap());
    let condition = ConvexSmooth::of(&loss_function).unwrap();
    let gradient = |beta: f64, x: f64| 2.0 * (beta - x);
    let noise = NoiseSchedule::Iterates { level: 1.0, factors: PrivacySchedule::Constant };
    let rates = [0.5, 0.25];
    let many = ScheduledSgd::new(
        LastIterate,
        loss_function,
        MultiPass::new(1, 1).unwrap(),
        condition,
        &schedule(&rates, noise.clone()),
        &[0.0],
    )
    .unwrap();
    assert!((many.scales()[1] - 3.0).abs() < 1e-6, "{:?}", many.scales()); // 4·(½ + ¼)
    let once = ScheduledSgd::new(
        LastIterate,
        loss_function,
        OnePass::new(2, 1).unwrap(),
        condition,
        &schedule(&rates, noise.clone()),
        &[0.0],
    )
    .unwrap();
    assert!((once.scales()[1] - 2.0).abs() < 1e-6, "{:?}", once.scales()); // 4·½: the record is in one step
    let law = |data: &[f64], batches: &dyn Fn(usize) -> Batches, scales: &[f64]| {
        (0..2).fold(at_origin(), |law, h| {
            carried(&law, &transitions(data, &batches(h), &gradient, rates[h], 1.0, scales[h]))
        })
    };
    let found =
        loss(&law(&[1.0], &|_| singles(1), many.scales()), &law(&[-1.0], &|_| singles(1), many.scales()));
    assert!(found <= many.guarantee().epsilon().get() + 1e-6, "{found}");
    let pass = |h: usize| vec![(1.0, vec![h])];
    for (x, y) in [([1.0, 0.5], [-1.0, 0.5]), ([0.5, 1.0], [0.5, -1.0])] {
        let found = loss(&law(&x, &pass, once.scales()), &law(&y, &pass, once.scales()));
        assert!(found <= once.guarantee().epsilon().get() + 1e-6, "{found}");
    }
    let fast = schedule(&[1.1], noise);
    let refused = ScheduledSgd::new(
        LastIterate,
        loss_function,
        MultiPass::new(1, 1).unwrap(),
        condition,
        &fast,
        &[0.0],
    );
    assert!(refused.unwrap_err().to_string().starts_with("the learning rate times the smoothness"));
}

#[test]
fn gaussian_noise_follows_the_same_argument() {
    let noise = NoiseSchedule::Iterates { level: 0.5, factors: PrivacySchedule::Power(1.0) };
    let loss = LeastSquares::<[f64; 3]>::new(2).unwrap();
    let training = ScheduledSgd::new(
        LastIterate,
        loss,
        MultiPass::new(10, 2).unwrap(),
        Clipped::l2(1.0).unwrap(),
        &schedule(&RATES, noise),
        &[0.0, 0.0],
    )
    .unwrap();
    // μ = 0.5·3, once the last noise covers 2C·(γ₀/2 + γ₁ + γ₂): the first step differs by one of
    // two records.
    let rho = training.analyses()[0].guarantee.rho().get();
    assert!((rho - 0.5 * 1.5 * 1.5).abs() < 1e-6, "{rho}");
    assert!((training.scales()[2] - 2.0 * (0.5 + 0.5 + 0.25) / 1.5).abs() < 1e-6, "{:?}", training.scales());
    let at = training.analyses_at(Delta::new(1e-6).unwrap()).unwrap();
    let gaussian = dp_core::Gdp::new(1.5).unwrap().delta_at(at[0].guarantee.epsilon());
    assert!((gaussian.get() - 1e-6).abs() < 1e-9);
    assert!(training.guarantee().rho().get() <= rho);
}
