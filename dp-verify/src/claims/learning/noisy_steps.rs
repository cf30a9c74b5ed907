//! L10: DP-SGD, as it is built.
//!
//! About [`dp_ml::training::Training`].

use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use crate::grid::{in_ratios, in_steps};
use dp_accounting::{Composition, Event};
use dp_core::pairs::GaussianPair;
use dp_core::{AddRemove, Approx, Delta, Error, Measurement};
use dp_mechanisms::rng::Insecure;

use super::sampled_law::Steps;
use dp_ml::model::MeanModel;
use dp_ml::training::{Clip, LearningRate, Privacy, Settings, Training};
use dp_ml::{Data, Matrix};

pub(super) const L10: Claim = Claim {
    id: "L10",
    source: "Cambridge, outline (Abadi et al. 2016)",
    statement: "DP-SGD, which sums gradients clipped to C over Poisson batches and adds N(0, σ²C²), is (ε,δ)-private with the ε and δ that the composition of its steps has",
    formula: "g̃ = Σ_{i∈B} g_i·min(1, C/‖g_i‖) + N(0, σ²C²), P(i ∈ B) = q;  δ(ε) = sup_S P^T(S) − e^ε·Q^T(S), P = (1 − q)·N(0, σ²) + q·N(1, σ²), Q = N(0, σ²)",
    meaning: "This is how neural networks are trained privately: no record may pull harder than C, batches are random, and noise covers the pull of any one record. Three things must be true, and each was looked at in the code as it is built. A record that is added moves the sum of a step by C at most, however \
              long its gradient is, as trainings with the same randomness with and without it show. The parameters have the law that the noise and the sampling should give them, which 120,000 trainings on no, one and two records were compared with. And for that law the ε and δ that the library states are an upper bound: the exact δ of all released sums was bracketed \
              without the accountant, and the stated one agrees with it to a percent. The last parameter alone tells less, which the guarantee does not use. The other pictures show how ε grows with the steps of a long training, and what privacy costs in accuracy.",
    kind: Kind::Exact,
    expected: Verdict::Holds,
    check: || judge(1.0, BUILT, BUILT).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

/// The training that is looked at.
const BUILT: Steps = Steps { rate: 0.5, multiplier: 1.0, steps: 3 };
/// Trainings on each data set.
const RUNS: u32 = 40_000;

/// Judges "a record moves the sum by `moved` times C", "the parameters have the law of `law`", and
/// "they are as private as `stated` is", for trainings as [`BUILT`].
fn judge(moved: f64, law: Steps, stated: Steps) -> Result<Finding, Error> {
    let pulls =
        [pull(&[0.3, 0.1, 0.2])?, pull(&[3.0, -4.0, 0.5])?, pull(&[1e20, 1e19, -1e20])?, pull(&[1e-9; 3])?];
    let farthest = pulls.iter().fold(0.0f64, |most, pull| most.max(*pull));
    // Parameters are rounded to single precision, and released sums to 2⁻¹² of their noise, which
    // is 10⁻⁴.
    if farthest > moved * (1.0 + 1e-4) {
        return Ok(Finding::refuted(format!(
            "a record moves the sum by {farthest:.4}·C, and {moved}·C is claimed"
        )));
    }
    if farthest < 0.999 {
        return Ok(Finding::undecided(format!("long gradients move the sum by {farthest:.4}·C only")));
    }
    let mut apart = 0.0f64;
    for records in [&[][..], &[FAR_AWAY], &[FAR_AWAY, -FAR_AWAY]] {
        apart = apart.max(distance_from(law, records)?);
    }
    // The largest of three distances of empirical laws from true ones exceeds this with probability
    // 6·e^(−2·40000·0.0184²) < 10⁻¹¹.
    if apart > 0.0184 {
        return Ok(Finding::refuted(format!(
            "the law of the last parameter is {apart:.3} away from the claimed one"
        )));
    }
    let (mut ratios, losses) = (vec![], BUILT.losses());
    for delta in [0.2, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-6] {
        let claimed = training(stated, delta)?.guarantee();
        let (lower, upper) = losses.delta(claimed.epsilon().get());
        if lower > delta {
            return Ok(Finding::refuted(format!(
                "{claimed} is claimed, and the true δ is at least {lower:.3e}"
            )));
        }
        // The bracket of the true δ is a few percent wide; a statement far above it would be
        // another training's.
        if upper < 0.9 * delta {
            return Ok(Finding::undecided(format!(
                "{claimed} is claimed, and the true δ is at most {upper:.3e}"
            )));
        }
        ratios.push(delta / (0.5 * (lower + upper)));
    }
    let slack = Slack::over("δ", ratios);
    let finding = Finding::holds(format!(
        "records with gradients up to 1.4·10²⁰ move a sum by {farthest:.5}·C; 3 × {RUNS} trainings are within {apart:.4} of the law of their last parameter; seven stated (ε,δ) of {} steps at q = {}, σ = {} are {:.3} to {:.3} times the true δ",
        BUILT.steps, BUILT.rate, BUILT.multiplier, slack.least, slack.most
    ));
    Ok(finding
        .with_figure(profile(stated)?)
        .with_figure(growth()?)
        .with_figure(accuracy()?)
        .with_slack(slack))
}

/// Records at this distance pull with all their might wherever the parameter is.
const FAR_AWAY: f32 = 1e4;

/// The training of a mean of one feature that has these steps, for four declared records.
fn training(steps: Steps, delta: f64) -> Result<Training<impl dp_ml::model::Model<Target = ()>>, Error> {
    let privacy = Privacy::Noise { multiplier: steps.multiplier, delta };
    let settings = Settings::new(4, 4.0 * steps.rate, privacy)
        .steps(steps.steps.into())
        .learning_rate(LearningRate::Constant(1.0))
        .threads(1);
    Training::new(MeanModel::new(1)?, settings)
}

/// How far the empirical law of the last parameter is from the law of such steps: the largest
/// difference of their distribution functions.
fn distance_from(law: Steps, records: &[f32]) -> Result<f64, Error> {
    let training = training(BUILT, 1e-3)?;
    let data = Data::new(Matrix::new(records.len(), 1, records.to_vec())?, vec![(); records.len()])?;
    let mut rng = Insecure::seeded(10);
    let mut last = vec![];
    for _ in 0..RUNS {
        // In units of the clipping norm over the expected batch.
        last.push(f64::from(training.draw(&data, &mut rng)?.parameters()[0]) * 4.0 * BUILT.rate);
    }
    last.sort_by(f64::total_cmp);
    let (up, down) = (u16::from(!records.is_empty()), u16::from(records.len() > 1));
    let distance = |(k, x): (u32, &f64)| {
        let truth = law.last_at_most(*x, up, down);
        let [before, after] = [k, k + 1].map(|k| f64::from(k) / f64::from(RUNS));
        (truth - before).abs().max((truth - after).abs())
    };
    // One place in sixteen: what is found there is at most the distance.
    Ok((0..RUNS).zip(&last).step_by(16).map(distance).fold(0.0, f64::max))
}

/// How far a record with this gradient moves the sum of one step on all records, in units of C: the
/// difference of two trainings with the same randomness.
fn pull(gradient: &[f32; 3]) -> Result<f64, Error> {
    let settings = Settings::new(3, 3.0, Privacy::Noise { multiplier: 1e-4, delta: 1e-3 })
        .steps(1)
        .learning_rate(LearningRate::Constant(3.0))
        .threads(1);
    let training = Training::new(MeanModel::new(3)?, settings)?;
    let others = [0.5, 0.0, -9.0, 2.0, 2.0, 2.0];
    let train = |values: Vec<f32>| {
        let rows = values.len() / 3;
        let data = Data::new(Matrix::new(rows, 3, values)?, vec![(); rows])?;
        training.draw(&data, &mut Insecure::seeded(3))
    };
    let (with, without) = (train([&others[..], gradient].concat())?, train(others.to_vec())?);
    let squares = with.parameters().iter().zip(without.parameters()).map(|(a, b)| f64::from(a - b).powi(2));
    Ok(squares.sum::<f64>().sqrt())
}

/// The stated and the true δ over ε.
fn profile(stated: Steps) -> Result<Figure, Error> {
    let step =
        Event::<AddRemove>::poisson(stated.rate, GaussianPair::with_noise_multiplier(stated.multiplier)?)?;
    let composition = Composition::new().with(step, stated.steps.into());
    let ([mut claimed, mut truth, mut last], losses) = ([vec![], vec![], vec![]], BUILT.losses());
    for epsilon in in_steps(0.0, 5.0, 21) {
        claimed.push((epsilon, composition.delta(dp_core::Epsilon::new(epsilon)?).hi()));
        let (lower, upper) = losses.delta(epsilon);
        truth.push((epsilon, 0.5 * (lower + upper)));
        last.push((epsilon, BUILT.delta_of_the_last(epsilon)));
    }
    let title = "Three steps of DP-SGD at q = ½ and σ = 1";
    Ok(Figure::new(title, Axis::linear("ε"), Axis::logarithmic("δ"))
        .curve("claimed", claimed)
        .curve("true, all released sums", truth)
        .curve("true, the last parameter alone", last))
}

/// ε over the number of steps, as it is stated and by older ways to add up.
fn growth() -> Result<Figure, Error> {
    let delta = Delta::new(1e-5)?;
    let gaussian = GaussianPair::with_noise_multiplier(1.0)?;
    let [mut exact, mut renyi, mut unsampled] = [vec![], vec![], vec![]];
    for count in in_ratios(10.0, 10_000.0, 7).map(libm::round) {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number up to 10⁴"
        )]
        let steps = count as u64;
        let sampled = Composition::<AddRemove>::new().with(Event::poisson(0.01, gaussian)?, steps);
        exact.push((count, sampled.at_delta(delta).epsilon().get()));
        renyi.push((count, sampled.renyi_epsilon(delta).get()));
        let all = Composition::<AddRemove>::new().with(gaussian, steps);
        unsampled.push((count, all.at_delta(delta).epsilon().get()));
    }
    let title = "DP-SGD with σ = 1 and one record in a hundred per step, at δ = 10⁻⁵";
    Ok(Figure::new(title, Axis::logarithmic("steps"), Axis::logarithmic("ε"))
        .curve("stated", exact)
        .curve("by Rényi moments, as in 2016", renyi)
        .curve("if batches were not random", unsampled))
}

/// The mean squared error of DP-SGD for the mean of 1000 exponential numbers, over the number of
/// steps, for two targets and without privacy.
fn accuracy() -> Result<Figure, Error> {
    let numbers = super::study::exponential(1000, 3);
    let mean = numbers.iter().sum::<f64>() / 1000.0;
    #[allow(clippy::cast_possible_truncation, reason = "features have single precision")]
    let features = numbers.iter().map(|x| *x as f32).collect();
    let data = Data::new(Matrix::new(1000, 1, features)?, vec![(); 1000])?;
    let mut figure = Figure::new(
        "DP-SGD for the mean of 1000 exponential numbers, batches of 100, means of ten runs",
        Axis::logarithmic("steps"),
        Axis::logarithmic("squared error"),
    );
    for (name, epsilon) in [("ε = 0.1", Some(0.1)), ("ε = 1", Some(1.0)), ("without privacy", None)] {
        let mut points = vec![];
        for steps in [4u16, 16, 64, 256] {
            let target = Approx::new(epsilon.unwrap_or(1.0), 1e-5)?;
            let settings = Settings::new(1000, 100.0, Privacy::Target(target))
                .steps(steps.into())
                .clip(Clip::Flat { norm: 4.0 })
                .learning_rate(LearningRate::Constant(0.1))
                .threads(1);
            let training = Training::new(MeanModel::new(1)?, settings)?;
            let mut error = 0.0;
            for seed in 0..10 {
                let mut rng = Insecure::seeded(seed);
                let found = match epsilon {
                    Some(_) => training.draw(&data, &mut rng)?.parameters()[0],
                    None => training.without_privacy(&data, &mut rng)?.for_the_owner()[0],
                };
                error += (f64::from(found) - mean).powi(2) / 10.0;
            }
            points.push((f64::from(steps), error));
        }
        figure = figure.curve(name, points);
    }
    Ok(figure)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(moved: f64, law: Steps, stated: Steps) -> Verdict {
        judge(moved, law, stated).unwrap().verdict
    }

    #[test]
    fn a_longer_pull_is_noticed() {
        assert_eq!(verdict(0.9, BUILT, BUILT), Verdict::Refuted);
    }

    #[test]
    fn another_law_is_noticed() {
        assert_eq!(verdict(1.0, Steps { multiplier: 1.1, ..BUILT }, BUILT), Verdict::Refuted);
        assert_eq!(verdict(1.0, Steps { rate: 0.45, ..BUILT }, BUILT), Verdict::Refuted);
    }

    #[test]
    fn a_price_of_other_steps_is_noticed() {
        for cheaper in
            [Steps { multiplier: 1.05, ..BUILT }, Steps { rate: 0.25, ..BUILT }, Steps { steps: 2, ..BUILT }]
        {
            assert_eq!(verdict(1.0, BUILT, cheaper), Verdict::Refuted, "{cheaper:?}");
        }
        assert_eq!(verdict(1.0, BUILT, Steps { steps: 6, ..BUILT }), Verdict::Undecided);
    }
}
