//! The loop of a training, on one thread or several.
//!
//! A step has two parts, each followed by a barrier if there are several threads. First, threads
//! take groups of records until none is left, and each adds clipped gradients to a
//! [sum](super::sum) of its own; the first to finish draws the next batch while the others are at
//! work. Then each thread adds up all sums for the coordinates that it owns, adds noise, and
//! updates its parameters. Sums of groups are [exact](super::rounding), so it does not matter which
//! thread took which group. After the first steps nothing is allocated here; dense kernels allocate
//! scratch memory for a product and free it.

use std::panic::resume_unwind;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use rand_chacha::ChaCha20Rng;

use super::Settings;
use super::accounting::Accounting;
use super::noise::Noise;
use super::rounding::Rounding;
use super::shard::{COORDINATES, Shard};
use super::shared::{Sampler, Shared, lock, read, write};
use crate::Data;
use crate::model::{Batch, Model};

/// What all threads read.
pub(crate) struct Run<'a, M: Model> {
    pub(crate) model: &'a M,
    pub(crate) data: &'a Data<M::Target>,
    pub(crate) square_norms: &'a [f64],
    pub(crate) settings: &'a Settings,
    pub(crate) accounting: &'a Accounting,
    /// `None` for a training without privacy: neither clipping nor noise.
    pub(crate) noise: Option<Noise>,
}

/// Called by the first thread after each step, with the number of steps done, the generator of
/// batches, and a function that visits all shards. Returns whether to continue.
pub(crate) type AfterStep<'a> = dyn FnMut(u64, &ChaCha20Rng, &See<'_>) -> bool + 'a;

/// Calls a function with each shard in turn.
pub(crate) type See<'a> = dyn Fn(&mut dyn FnMut(&Shard)) + 'a;

/// The buffers of one thread.
struct Worker<M: Model> {
    number: usize,
    workspace: M::Workspace,
    norms: Vec<f64>,
    weights: Vec<f32>,
    /// The sum of all threads, for one shard.
    total: Vec<f64>,
}

impl<M: Model> Run<'_, M> {
    /// Makes the remaining steps, `done` being done, and returns the shards.
    pub(crate) fn steps(
        &self,
        done: u64,
        shards: Vec<Shard>,
        sampler: ChaCha20Rng,
        after: &mut AfterStep<'_>,
    ) -> Vec<Shard> {
        let parameters: Vec<f32> = shards.iter().flat_map(|shard| shard.parameters.iter().copied()).collect();
        let threads = self.settings.number_of_threads().min(shards.len().max(2)).max(1);
        let shared = Shared::new(parameters, threads, done, sampler);
        let owned = divide(shards, threads);
        self.draw_batch(done, &shared);
        std::thread::scope(|scope| {
            for number in 1..threads {
                let (shared, owned) = (&shared, &owned);
                scope.spawn(move || shared.survive(|| self.follow(done, number, shared, &owned[number])));
            }
            shared.survive(|| self.lead(done, &shared, &owned, after));
        });
        if let Some(payload) = shared.panic.into_inner().unwrap_or_else(PoisonError::into_inner) {
            resume_unwind(payload);
        }
        owned
            .into_iter()
            .flat_map(|shards| shards.into_inner().unwrap_or_else(PoisonError::into_inner))
            .collect()
    }

    fn worker(&self, number: usize) -> Worker<M> {
        let (rows, layers) = (self.accounting.sampling.capacity(), self.model.layers().len());
        Worker {
            number,
            workspace: self.model.workspace(rows),
            norms: vec![0.0; rows * layers],
            weights: vec![1.0; rows * layers],
            total: vec![0.0; COORDINATES],
        }
    }

    /// The first thread.
    fn lead(&self, done: u64, shared: &Shared, owned: &[Mutex<Vec<Shard>>], after: &mut AfterStep<'_>) {
        let mut worker = self.worker(0);
        let see = |f: &mut dyn FnMut(&Shard)| {
            for shards in owned {
                lock(shards).iter().for_each(&mut *f);
            }
        };
        for h in done..self.settings.steps {
            self.take_groups(h, &mut worker, shared);
            if !shared.barrier.wait() {
                return;
            }
            self.move_parameters(h, &mut worker, shared, &owned[0]);
            // No thread draws a batch in this part of a step.
            let sampler = lock(&shared.sampler).after(h + 1).clone();
            if !shared.barrier.wait() {
                return;
            }
            // Other threads may have begun the next step. They do not touch their shards before
            // this thread reaches the barrier.
            if !after(h + 1, &sampler, &see) {
                return shared.barrier.leave();
            }
        }
    }

    /// Any other thread.
    fn follow(&self, done: u64, number: usize, shared: &Shared, owned: &Mutex<Vec<Shard>>) {
        let mut worker = self.worker(number);
        for h in done..self.settings.steps {
            self.take_groups(h, &mut worker, shared);
            if !shared.barrier.wait() {
                return;
            }
            self.move_parameters(h, &mut worker, shared, owned);
            if !shared.barrier.wait() {
                return;
            }
        }
    }

    /// The first part of a step: clipped gradients, group by group. Then the next batch, unless
    /// another thread draws it.
    fn take_groups(&self, h: u64, worker: &mut Worker<M>, shared: &Shared) {
        self.sum_groups(h, worker, shared);
        if h + 1 < self.settings.steps {
            self.draw_batch(h + 1, shared);
        }
    }

    /// Draws the batch of a step, unless another thread does or did.
    fn draw_batch(&self, h: u64, shared: &Shared) {
        let Ok(mut sampler) = shared.sampler.try_lock() else { return };
        if sampler.next == h {
            let batch = shared.batch(h);
            let (steps, groups) = &mut *write(&batch.groups);
            let Sampler { rng, before, next } = &mut *sampler;
            before.clone_from(rng);
            *next += 1;
            *steps = *next;
            self.accounting.sampling.draw(self.data.len(), groups, rng);
            batch.next.store(0, Ordering::Relaxed);
        }
    }

    /// The second part: the sums of all threads in the coordinates that this one owns, noise, and
    /// the update.
    fn move_parameters(&self, h: u64, worker: &mut Worker<M>, shared: &Shared, owned: &Mutex<Vec<Shard>>) {
        let mut shards = lock(owned);
        for shard in shards.iter_mut() {
            let total = &mut worker.total[..shard.range.len()];
            total.fill(0.0);
            for sum in &shared.sums {
                read(sum).add_to(total, shard.range.clone());
            }
            shard.step(h, total, self.noise.as_ref(), self.settings);
            write(&shared.parameters)[shard.range.clone()].copy_from_slice(&shard.parameters);
        }
    }

    fn sum_groups(&self, h: u64, worker: &mut Worker<M>, shared: &Shared) {
        let batch = shared.batch(h);
        let (parameters, drawn) = (read(&shared.parameters), read(&batch.groups));
        let (steps, groups) = &*drawn;
        assert_eq!(
            *steps,
            h + 1,
            "each step has a batch of its own, or amplification by sampling would not hold"
        );
        let mut sum = write(&shared.sums[worker.number]);
        sum.clear(if self.noise.is_some() { self.accounting.rounding } else { Rounding::NONE });
        loop {
            let group = batch.next.fetch_add(1, Ordering::Relaxed);
            if group >= groups.len() {
                return;
            }
            let records = groups.get(group);
            if records.is_empty() {
                continue;
            }
            let batch = Batch::new(self.data, self.square_norms, records);
            let weights = if self.noise.is_some() {
                let layers = worker.norms.len() / self.accounting.sampling.capacity();
                let size = records.len() * layers;
                let (norms, weights) = (&mut worker.norms[..size], &mut worker.weights[..size]);
                self.model.backward(&parameters, batch, &mut worker.workspace, Some(&mut *norms));
                self.settings.clip.weigh(layers, norms, weights);
                &*weights
            } else {
                self.model.backward(&parameters, batch, &mut worker.workspace, None);
                &worker.weights
            };
            self.model.sum_gradients(weights, &mut worker.workspace, sum.next_group());
        }
    }
}

/// Divides shards among threads, in order and as evenly as possible.
fn divide(mut shards: Vec<Shard>, threads: usize) -> Vec<Mutex<Vec<Shard>>> {
    let mut owned = Vec::new();
    for left in (1..=threads).rev() {
        let rest = shards.split_off(shards.len().div_ceil(left));
        owned.push(Mutex::new(shards));
        shards = rest;
    }
    owned
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::{norms_of, random_data};
    use crate::model::uniform;
    use crate::model::{Activation, Perceptron};
    use crate::training::{Clip, Privacy};
    use crate::{Data, Matrix};
    use dp_mechanisms::rng::Insecure;
    use rand_core::SeedableRng;

    /// The computed sum of a full batch.
    fn sum(
        data: &Data<u32>,
        model: &Perceptron,
        parameters: &[f32],
        settings: &Settings,
        accounting: &Accounting,
    ) -> Vec<f64> {
        let square_norms = norms_of(data);
        let noise = Some(Noise::new(accounting.scale().unwrap()).unwrap());
        let run = Run { model, data, square_norms: &square_norms, settings, accounting, noise };
        let shared = Shared::new(parameters.to_vec(), 1, 0, ChaCha20Rng::seed_from_u64(1));
        run.draw_batch(0, &shared);
        run.sum_groups(0, &mut run.worker(0), &shared);
        let mut total = vec![0.0; parameters.len()];
        read(&shared.sums[0]).add_to(&mut total, 0..parameters.len());
        total
    }

    /// The last record of a data set chooses its group last, so the others choose as they would
    /// without it.
    #[test]
    fn one_record_moves_the_computed_sum_by_no_more_than_is_stated() {
        let model = Perceptron::new(20, &[15], 3, Activation::Tanh).unwrap();
        let settings = Settings::new(300, 300.0, Privacy::Noise { multiplier: 1.0, delta: 1e-5 })
            .clip(Clip::Flat { norm: 0.01 });
        let accounting = Accounting::new(&settings, model.parameters()).unwrap();
        let mut rng = Insecure::seeded(4);
        let parameters: Vec<f32> = (0..model.parameters()).map(|_| uniform(&mut rng)).collect();
        // More records than were declared: groups overflow in the second case.
        for records in [300, 900] {
            let with = random_data(20, records, |i| i % 3);
            let values = with.features().values()[..(records - 1) * 20].to_vec();
            let without = Matrix::new(records - 1, 20, values).unwrap();
            let without = Data::new(without, with.targets()[..records - 1].to_vec()).unwrap();
            let [a, b] = [&with, &without].map(|data| sum(data, &model, &parameters, &settings, &accounting));
            let distance = a.iter().zip(&b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
            assert!(distance <= accounting.rounding.sensitivity() && distance > 0.009_9, "{distance}");
        }
    }
}
