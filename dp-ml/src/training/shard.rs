//! A block of parameters with its state.

use core::ops::Range;

use pulp::{Arch, Simd, WithSimd};
use rand_chacha::ChaCha20Rng;

use super::Settings;
use super::noise::Noise;
use super::optimiser::Moments;
use super::streams::Streams;

/// The number of coordinates of a shard: a constant, so that noise does not depend on the number of
/// threads.
pub(crate) const COORDINATES: usize = 4096;

/// A block of parameters, with its generator, moments and average. One thread owns it for the whole
/// training.
pub(crate) struct Shard {
    pub(crate) range: Range<usize>,
    pub(crate) rng: ChaCha20Rng,
    pub(crate) parameters: Vec<f32>,
    pub(crate) moments: Moments,
    pub(crate) average: Vec<f32>,
}

impl Shard {
    /// The shards of all parameters.
    pub(crate) fn all(parameters: &[f32], settings: &Settings, streams: &Streams) -> Vec<Self> {
        let shard = |(i, part): (usize, &[f32])| Self {
            range: i * COORDINATES..i * COORDINATES + part.len(),
            rng: streams.of_shard(i),
            parameters: part.to_vec(),
            moments: settings.optimiser.moments(part.len()),
            average: settings.average.sums(part.len()),
        };
        parameters.chunks(COORDINATES).enumerate().map(shard).collect()
    }

    /// Makes a step from the exact sum of a batch: noise, division by the expected batch size,
    /// weight decay, optimiser, average.
    pub(crate) fn step(&mut self, h: u64, gradient: &mut [f64], noise: Option<&Noise>, settings: &Settings) {
        if let Some(noise) = noise {
            noise.release(gradient, &mut self.rng);
        }
        Arch::new().dispatch(Moving { h, gradient, shard: self, settings });
    }
}

/// All but the noise, compiled for vectors of any width.
struct Moving<'a> {
    h: u64,
    gradient: &'a mut [f64],
    shard: &'a mut Shard,
    settings: &'a Settings,
}

impl WithSimd for Moving<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { h, gradient, shard, settings } = self;
        let (share, decay) = (1.0 / settings.batch, settings.weight_decay);
        for (g, p) in gradient.iter_mut().zip(&shard.parameters) {
            *g = *g * share + decay * f64::from(*p);
        }
        let rate = settings.learning_rate.at(h, settings.steps);
        settings.optimiser.step(h, rate, gradient, &mut shard.moments, &mut shard.parameters);
        settings.average.add(h, settings.steps, &shard.parameters, &mut shard.average);
    }
}
