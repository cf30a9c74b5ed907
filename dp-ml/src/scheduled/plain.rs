//! Gradient descent without privacy, as a baseline.

use dp_core::Error;
use dp_sensitivity::Exploratory;
use rand_core::Rng;

use super::loss::Loss;
use super::sampler::Sampler;
use crate::training::LearningRate;

/// The iterates β⁽¹⁾, …, β⁽ᴺ⁾ of gradient descent without noise and clipping, for the owner of the
/// data alone.
///
/// With [`FullBatch`](super::FullBatch) it is gradient descent, with other samplers stochastic
/// gradient descent. There is no guarantee, so the result is [`Exploratory`]; the private
/// counterpart is [`ScheduledSgd`](super::ScheduledSgd).
///
/// ```
/// use dp_core::Bounds;
/// use dp_mechanisms::rng::Insecure;
/// use dp_ml::scheduled::{FullBatch, SquaredDistance, descend};
/// use dp_ml::training::LearningRate;
///
/// let loss = SquaredDistance::new(Bounds::new(0.0, 10.0)?);
/// let rates = LearningRate::Constant(0.1);
/// let (sampler, data, mut rng) = (FullBatch::new(3)?, [1.0, 2.0, 6.0], Insecure::seeded(1));
/// let run = descend(&loss, &sampler, &rates, 30, &[0.0], &data, &mut rng)?;
/// assert!((run.for_the_owner()[29][0] - 3.0).abs() < 0.01);
/// # Ok::<(), dp_core::Error>(())
/// ```
///
/// # Errors
/// When the data are not of the sampler's size, the start is not of the loss's dimension, or a rate
/// is not positive and finite.
pub fn descend<L: Loss, S: Sampler, R: Rng + ?Sized>(
    loss: &L,
    sampler: &S,
    learning_rate: &LearningRate,
    steps: usize,
    initial: &[f64],
    data: &[L::Record],
    rng: &mut R,
) -> Result<Exploratory<Vec<Vec<f64>>>, Error> {
    sampler.check(steps)?;
    sampler.check_records(data.len())?;
    if initial.len() != loss.dimension() {
        let lengths = (loss.dimension(), initial.len());
        return Err(Error::LengthMismatch { arguments: "the parameters and the initial point", lengths });
    }
    let rates = learning_rate.positive(steps)?;
    let mut order: Vec<usize> = (0..data.len()).collect();
    let (mut gradient, mut sum) = (vec![0.0; initial.len()], vec![0.0; initial.len()]);
    let mut beta = initial.to_vec();
    let mut iterates = Vec::with_capacity(steps);
    for (h, rate) in rates.iter().enumerate() {
        let weight = rate / sampler.divisor();
        sum.fill(0.0);
        for &index in sampler.choose(h, data.len(), &mut order, rng) {
            loss.gradient(&beta, &data[index], &mut gradient);
            sum.iter_mut().zip(&gradient).for_each(|(sum, g)| *sum += g);
        }
        beta.iter_mut().zip(&sum).for_each(|(beta, sum)| *beta -= weight * sum);
        iterates.push(beta.clone());
    }
    Ok(Exploratory::new(iterates))
}
