//! Trainings whose guarantee is that of something else.

use dp_core::{
    AddRemove, Approx, Bounds, Error, ForGuarantee, L2, Measurement, Mechanism, Norm, Scale, Sensitivity,
};
use dp_mechanisms::rng::Insecure;
use dp_mechanisms::sample::Bernoulli;
use dp_mechanisms::{Gaussian, Laplace};
use dp_ml::scheduled::{
    AverageIterate, Clipped, FullBatch, LastIterate, Loss, MultiPass, NoiseSchedule, PoissonBatches,
    PrivacySchedule, Schedule, ScheduledSgd, SquaredDistance, Trajectory,
};
use dp_ml::training::LearningRate;
use dp_ml::{Data, LogisticLoss, Matrix, PureObjectivePerturbation, SphericalLaplace};

use super::trial::{Trial, cell, pure};
use super::{Caught, Effort, Mutant};

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "the average under the theorem of the last iterate",
        mistake: "the average of the iterates is released at the price that theorem L5 puts on the last one, though it holds earlier ones with less noise",
        right: "what is released is a type, and the average has bounds of its own",
        check: |effort| average(effort, [64.0, 1.0]),
    },
    Mutant {
        name: "clipping after averaging",
        mistake: "the average gradient is clipped, and the noise is for one of n gradients that were clipped each",
        right: "every gradient is clipped before it is added",
        check: |effort| clipping(effort, false),
    },
    Mutant {
        name: "clipping layer by layer",
        mistake: "the gradient of each of nine layers is clipped to C, and the noise is for one norm of C; together they have 3C",
        right: "the norm of all layers together is clipped",
        check: |effort| layers(effort, 1.0),
    },
    Mutant {
        name: "a Poisson batch divided by its own size",
        mistake: "the sum of a random batch is divided by the number of records that came, and the noise is for the number that was expected",
        right: "the divisor is the expected size, which is public",
        check: |effort| divisor(effort, false),
    },
    Mutant {
        name: "a vector of noise with the length of one number",
        mistake: "noise on three coordinates gets a random direction and the length of one Laplace number",
        right: "its density falls with its length, which is then a Gamma(3) number",
        check: |effort| length(effort, false),
    },
    Mutant {
        name: "objective perturbation that forgets to bend",
        mistake: "the noise inside of an objective with hardly any ridge pays for the gradient of a record, and not for its second derivative",
        right: "the ridge is large enough for the second derivative to be free, or the noise pays for it",
        check: |effort| bending(effort, 0.01),
    },
    Mutant {
        name: "standard errors that read the records",
        mistake: "the standard errors of private coefficients are computed from the exact second derivative of the loss, as statistics programs print them",
        right: "the second derivative gets noise, and is paid for",
        check: |effort| exact_errors(effort, true),
    },
];

fn loss() -> Result<SquaredDistance, Error> {
    Ok(SquaredDistance::new(Bounds::new(-1000.0, 1000.0)?))
}

fn schedule(rates: &[f64], noise: NoiseSchedule) -> Schedule {
    Schedule { learning_rate: LearningRate::Sequence(rates.to_vec()), steps: rates.len(), noise }
}

/// Where the first parameter is, in steps of a tenth.
fn place(parameters: &[f64]) -> u64 {
    cell(parameters[0], 0.1)
}

/// Trains on one record with the lecture's noise for these a_h, and releases the average instead of
/// the last iterate.
fn average(effort: Effort, factors: [f64; 2]) -> Result<Caught, Error> {
    let noise = NoiseSchedule::Iterates { level: 0.8, factors: PrivacySchedule::Sequence(factors.to_vec()) };
    let (schedule, one, clip) = (schedule(&[1.0, 0.5], noise), MultiPass::new(1, 1)?, Clipped::l1(1.0)?);
    let broken = ScheduledSgd::new(AverageIterate, loss()?, one, clip, &schedule, &[0.0])?;
    let library = ScheduledSgd::new(LastIterate, loss()?, one, clip, &schedule, &[0.0])?;
    let promised = library.analyses()[0].guarantee.epsilon().get();
    let trial = Trial {
        promise: pure(promised)?,
        neighbours: [&[8.0][..], &[-8.0][..]],
        looking_at: "the parameter that two steps on one record lead to",
        label: |parameters: &Vec<f64>| place(parameters),
    };
    trial.audit(effort, |data, rng| broken.draw(data, rng), |data, rng| library.draw(data, rng))
}

/// The gradient of a record at the origin.
fn gradient(record: f64) -> Result<f64, Error> {
    let mut gradient = [0.0];
    loss()?.gradient(&[0.0], &record, &mut gradient);
    Ok(gradient[0])
}

/// The sum of gradients, each held within a limit.
fn sum_within(data: &[f64], limit: f64) -> Result<f64, Error> {
    data.iter().map(|record| Ok(gradient(*record)?.clamp(-limit, limit))).sum()
}

/// One step on ten records. Clips their average gradient, or each `first`.
fn clipping(effort: Effort, first: bool) -> Result<Caught, Error> {
    let schedule = schedule(&[1.0], NoiseSchedule::Constant(0.2)); // 2C/n over ε = 1
    let library =
        ScheduledSgd::new(Trajectory, loss()?, FullBatch::new(10)?, Clipped::l1(1.0)?, &schedule, &[0.0])?;
    let noise = Laplace::with_scale(Scale::new(library.scales()[0])?);
    let (quiet, mut loud) = ([0.0; 10], [0.0; 10]);
    loud[0] = 1000.0;
    let trial = Trial {
        promise: pure(library.guarantee().epsilon().get())?,
        neighbours: [&quiet[..], &loud[..]],
        looking_at: "the parameter after one step on ten records, one of which may be large",
        label: |parameters: &Vec<f64>| place(parameters),
    };
    let broken = |data: &[f64], rng: &mut Insecure| {
        let average = sum_within(data, if first { 1.0 } else { f64::INFINITY })? / 10.0;
        Ok(vec![noise.draw(&-average.clamp(-1.0, 1.0), rng)?])
    };
    trial.audit(effort, broken, |data, rng| Ok(library.draw(data, rng)?.concat()))
}

/// The noisy gradient of nine layers of one parameter each, every one clipped to 1, with noise for
/// `norm`.
fn layers(effort: Effort, norm: f64) -> Result<Caught, Error> {
    let promise = Approx::new(1.0, 1e-3)?;
    let noise = |norm: f64| Gaussian::for_guarantee(&promise, Sensitivity::<L2, AddRemove>::new(norm)?);
    let (broken, right) = (noise(norm)?, noise(1.0)?);
    let noisy = |noise: &Gaussian, mut gradient: Vec<f64>, rng: &mut Insecure| {
        noise.draw_into(&mut gradient, rng);
        gradient
    };
    let trial = Trial {
        promise,
        neighbours: [&[0.0; 9], &[1000.0; 9]],
        looking_at: "the sum of a noisy gradient, without and with a record that is large in all layers",
        label: |gradient: &Vec<f64>| cell(gradient.iter().sum(), 2.0),
    };
    trial.audit(
        effort,
        |gradient, rng| {
            Ok(noisy(&broken, gradient.iter().map(|part: &f64| part.clamp(-1.0, 1.0)).collect(), rng))
        },
        |gradient, rng| {
            let norm = L2::of(gradient).max(1.0);
            Ok(noisy(&right, gradient.iter().map(|part| part / norm).collect(), rng))
        },
    )
}

/// One step on a batch to which every record comes with probability ½, and of which ten records are
/// expected. Divides by the size that came, or by the one that was `expected`.
fn divisor(effort: Effort, expected: bool) -> Result<Caught, Error> {
    let schedule = schedule(&[1.0], NoiseSchedule::Constant(0.1)); // C/10 over ε = 1
    let sampler = PoissonBatches::new(0.5, 10.0)?;
    let library = ScheduledSgd::new(Trajectory, loss()?, sampler, Clipped::l1(1.0)?, &schedule, &[0.0])?;
    let (coin, noise) = (Bernoulli::new(0.5)?, Laplace::with_scale(Scale::new(library.scales()[0])?));
    let trial = Trial {
        promise: pure(library.guarantee().epsilon().get())?,
        neighbours: [&[][..], &[8.0][..]],
        looking_at: "the parameter after one step on no record or one",
        label: |parameters: &Vec<f64>| place(parameters),
    };
    let broken = |data: &[f64], rng: &mut Insecure| {
        let batch: Vec<f64> = data.iter().copied().filter(|_| coin.draw(rng)).collect();
        #[allow(clippy::cast_precision_loss, reason = "none or one")]
        let size = if expected { 10.0 } else { batch.len().max(1) as f64 };
        Ok(vec![noise.draw(&(-sum_within(&batch, 1.0)? / size), rng)?])
    };
    trial.audit(effort, broken, |data, rng| Ok(library.draw(data, rng)?.concat()))
}

/// Three coordinates with noise, looking at whether they are very close to one of the answers. The
/// length of the noise is exponential, or that of the library.
fn length(effort: Effort, gamma: bool) -> Result<Caught, Error> {
    let (noise, one) =
        (SphericalLaplace::with_scale(Scale::new(1.0)?), Laplace::with_scale(Scale::new(1.0)?));
    let trial = Trial {
        promise: pure(1.0)?,
        neighbours: [&[0.0; 3][..], &[1.0, 0.0, 0.0][..]],
        looking_at: "how close three coordinates are to the first answer",
        label: |released: &Vec<f64>| cell(L2::of(released).min(1.0), 0.125),
    };
    let broken = |answer: &[f64], rng: &mut Insecure| {
        let direction = noise.draw(&[0.0; 3], rng)?;
        let length = if gamma { 1.0 } else { one.draw(&0.0, rng)?.abs() / L2::of(&direction) };
        Ok(answer.iter().zip(direction).map(|(x, part)| x + length * part).collect())
    };
    trial.audit(effort, broken, |answer, rng| noise.draw(answer, rng))
}

/// The minimiser of the logistic loss of one record with noise for its gradient inside and a given
/// ridge, found by halving.
fn bending(effort: Effort, ridge: f64) -> Result<Caught, Error> {
    let library = PureObjectivePerturbation::epsilon(1.0, LogisticLoss, 1, 1, 1.0)?;
    let noise = SphericalLaplace::with_scale(Scale::new(2.0)?);
    let one = |x: f32| Data::new(Matrix::new(1, 1, vec![x])?, vec![1]);
    let trial = Trial {
        promise: pure(1.0)?,
        neighbours: [&one(1.0)?, &one(0.0)?],
        looking_at: "the coefficient of a logistic regression on one record",
        label: |coefficient: &f64| cell(coefficient.clamp(-20.0, 20.0), 4.0),
    };
    let broken = |data: &Data<u32>, rng: &mut Insecure| {
        let (x, b) = (f64::from(data.features().row(0)[0]), noise.draw(&[0.0], rng)?[0]);
        let slope = |w: f64| ridge * w + b - x / (1.0 + (x * w).exp());
        let (mut low, mut high) = (-(b.abs() + 1.0) / ridge, (b.abs() + 1.0) / ridge);
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            if slope(middle) < 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        Ok(low)
    };
    trial.audit(effort, broken, |data, rng| Ok(library.draw(data, rng)?.coefficients()[0]))
}

/// The standard error by noise of a logistic regression on one record, from its exact second
/// derivative or from that of the library.
fn exact_errors(effort: Effort, exactly: bool) -> Result<Caught, Error> {
    let coefficients = PureObjectivePerturbation::epsilon(0.5, LogisticLoss, 1, 1, 1.0)?;
    let (ridge, deviation) = (coefficients.lambda(), coefficients.noise().standard_deviation(1));
    let library = coefficients.and_errors(0.5)?;
    let one = |x: f32| Data::new(Matrix::new(1, 1, vec![x])?, vec![1]);
    let trial = Trial {
        promise: pure(1.0)?,
        neighbours: [&one(1.0)?, &one(0.0)?],
        looking_at: "whether the standard error is that of a record without features",
        label: |error: &f64| u64::from(*error >= deviation / ridge),
    };
    let errors = |data: &Data<u32>, rng: &mut Insecure| Ok(library.draw(data, rng)?.noise_errors()[0]);
    let broken = |data: &Data<u32>, rng: &mut Insecure| {
        if !exactly {
            return errors(data, rng);
        }
        let w = coefficients.draw(data, rng)?.coefficients()[0];
        let x = f64::from(data.features().row(0)[0]);
        let p = 1.0 / (1.0 + libm::exp(-x * w));
        Ok(deviation / (p * (1.0 - p) * x * x + ridge))
    };
    trial.audit(effort, broken, errors)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{EFFORT, assert_caught};
    use super::*;

    #[test]
    fn every_mutant_is_caught() {
        assert_caught(MUTANTS);
    }

    /// Each mutant without its mistake; for the first, noise so large in the first step that the
    /// average is as private as the last iterate. False alarms: 10⁻⁹ each.
    #[test]
    fn what_is_right_is_not_caught() {
        assert!(!average(EFFORT, [0.2, 1.0]).unwrap().caught);
        assert!(!clipping(EFFORT, true).unwrap().caught);
        assert!(!layers(EFFORT, 3.0).unwrap().caught);
        assert!(!divisor(EFFORT, true).unwrap().caught);
        assert!(!length(EFFORT, true).unwrap().caught);
        assert!(!bending(EFFORT, 2.1).unwrap().caught);
        assert!(!exact_errors(EFFORT, false).unwrap().caught);
    }
}
