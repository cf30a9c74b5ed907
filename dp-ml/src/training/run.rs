//! The loop of a training, on one thread or several.
//!
//! A step has two parts, with a barrier after each when there are several threads. First, threads take groups of records until none is left, each adding clipped gradients to a [sum](super::sum) of its own; the
//! first that finds none draws the next batch while the others are still at work. Then each thread adds the sums of all for the coordinates that it owns, adds noise, and moves its parameters. Sums of groups
//! are [exact](crate::rounding), so it does not matter who took which group. Once the first steps are over
//! nothing is allocated here; dense kernels take scratch memory for a product and give it back.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use rand_chacha::ChaCha20Rng;

use super::Settings;
use super::barrier::Barrier;
use super::noise::Noise;
use super::price::Price;
use super::shard::{COORDINATES, Shard};
use super::sum::Sum;
use crate::Data;
use crate::model::{Batch, Model};
use crate::rounding::Rounding;
use crate::sampling::Groups;

/// What all threads see.
pub(crate) struct Run<'a, M: Model> {
    pub(crate) model: &'a M,
    pub(crate) data: &'a Data<M::Target>,
    pub(crate) square_norms: &'a [f64],
    pub(crate) settings: &'a Settings,
    pub(crate) price: &'a Price,
    /// `None` for a training that is not private: neither clipping nor noise.
    pub(crate) noise: Option<Noise>,
}

/// What changes.
struct Shared {
    parameters: RwLock<Vec<f32>>,
    /// The batch of this step and that of the next one, in turns.
    batches: [Drawn; 2],
    sampler: Mutex<Sampler>,
    /// Of each thread. It writes while it takes groups; all read afterwards.
    sums: Vec<RwLock<Sum>>,
    barrier: Barrier,
    /// What a thread panicked with.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// A batch, the number of steps with it, and its first group that nobody has taken.
#[derive(Default)]
struct Drawn {
    groups: RwLock<(u64, Groups)>,
    next: AtomicUsize,
}

/// What draws batches, one step ahead of the others.
struct Sampler {
    rng: ChaCha20Rng,
    /// The generator before the last batch.
    before: ChaCha20Rng,
    /// The step whose batch comes next.
    next: u64,
}

/// What the first thread tells after each step: how many were made, the sampler, and a way to see all shards. The answer is whether to go on.
pub(crate) type AfterStep<'a> = dyn FnMut(u64, &ChaCha20Rng, &See<'_>) -> bool + 'a;

/// Calls a function with each shard in turn.
pub(crate) type See<'a> = dyn Fn(&mut dyn FnMut(&Shard)) + 'a;

/// One thread's own things.
struct Worker<M: Model> {
    number: usize,
    workspace: M::Workspace,
    norms: Vec<f64>,
    weights: Vec<f32>,
    /// The sum of all threads, for one shard.
    total: Vec<f64>,
}

impl<M: Model> Run<'_, M> {
    /// Makes the steps from `done` on, and returns the shards.
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
        let (rows, layers) = (self.price.sampling.capacity(), self.model.layers().len());
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
            // Nobody draws a batch in this part of a step.
            let sampler = lock(&shared.sampler).after(h + 1).clone();
            if !shared.barrier.wait() {
                return;
            }
            // The others may have begun the next step. They do not touch their shards before this thread waits with them.
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

    /// The first part of a step: clipped gradients, group by group, while there are groups. Then, if nobody else does, the next batch.
    fn take_groups(&self, h: u64, worker: &mut Worker<M>, shared: &Shared) {
        self.sum_groups(h, worker, shared);
        if h + 1 < self.settings.steps {
            self.draw_batch(h + 1, shared);
        }
    }

    /// Draws the batch of a step, unless that was done or is being done.
    fn draw_batch(&self, h: u64, shared: &Shared) {
        let Ok(mut sampler) = shared.sampler.try_lock() else { return };
        if sampler.next == h {
            let batch = shared.batch(h);
            let (steps, groups) = &mut *write(&batch.groups);
            let Sampler { rng, before, next } = &mut *sampler;
            before.clone_from(rng);
            *next += 1;
            *steps = *next;
            self.price.sampling.draw(self.data.len(), groups, rng);
            batch.next.store(0, Ordering::Relaxed);
        }
    }

    /// The second part: the sums of all threads for the coordinates of this one, noise, and a step.
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
        sum.clear(if self.noise.is_some() { self.price.rounding } else { Rounding::NONE });
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
                let layers = worker.norms.len() / self.price.sampling.capacity();
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

impl Shared {
    fn new(parameters: Vec<f32>, threads: usize, done: u64, sampler: ChaCha20Rng) -> Self {
        Self {
            sums: (0..threads).map(|_| RwLock::new(Sum::new(parameters.len()))).collect(),
            parameters: RwLock::new(parameters),
            batches: Default::default(),
            sampler: Mutex::new(Sampler { before: sampler.clone(), rng: sampler, next: done }),
            barrier: Barrier::new(threads),
            panic: Mutex::new(None),
        }
    }

    /// Does a thread's work. Where a model, a rate or an observer panics, the others must not wait for ever.
    fn survive(&self, work: impl FnOnce()) {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(work)) {
            lock(&self.panic).get_or_insert(payload);
            self.barrier.leave();
        }
    }

    /// The place of a step's batch.
    fn batch(&self, h: u64) -> &Drawn {
        &self.batches[usize::from(!h.is_multiple_of(2))]
    }
}

impl Sampler {
    /// The generator as it was after the batches of so many steps, which may be all that were drawn, or all but one.
    fn after(&self, steps: u64) -> &ChaCha20Rng {
        if self.next > steps { &self.before } else { &self.rng }
    }
}

/// What a thread that panicked left behind is as good as before: the panic ends the training.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

/// Shards for each thread, as equal as can be, in order.
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
    use crate::Clip;
    use crate::model::testing::{norms_of, random_data, uniform};
    use crate::model::{Activation, Perceptron};
    use crate::training::Privacy;
    use crate::{Data, Matrix};
    use dp_mechanisms::rng::Insecure;
    use rand_core::SeedableRng;

    /// The sum of a full batch, as it is computed.
    fn sum(
        data: &Data<u32>,
        model: &Perceptron,
        parameters: &[f32],
        settings: &Settings,
        price: &Price,
    ) -> Vec<f64> {
        let square_norms = norms_of(data);
        let noise = Some(Noise::new(price.scale().unwrap()).unwrap());
        let run = Run { model, data, square_norms: &square_norms, settings, price, noise };
        let shared = Shared::new(parameters.to_vec(), 1, 0, ChaCha20Rng::seed_from_u64(1));
        run.draw_batch(0, &shared);
        run.sum_groups(0, &mut run.worker(0), &shared);
        let mut total = vec![0.0; parameters.len()];
        read(&shared.sums[0]).add_to(&mut total, 0..parameters.len());
        total
    }

    /// The last record of a data set chooses its group last, so the others choose as they would without it.
    #[test]
    fn one_record_moves_the_computed_sum_by_no_more_than_is_stated() {
        let model = Perceptron::new(20, &[15], 3, Activation::Tanh).unwrap();
        let settings = Settings::new(300, 300.0, Privacy::Noise { multiplier: 1.0, delta: 1e-5 })
            .clip(Clip::Flat { norm: 0.01 });
        let price = Price::new(&settings, model.parameters()).unwrap();
        let mut rng = Insecure::seeded(4);
        let parameters: Vec<f32> = (0..model.parameters()).map(|_| uniform(&mut rng)).collect();
        // More records than were declared: groups overflow in the second case.
        for records in [300, 900] {
            let with = random_data(20, records, |i| i % 3);
            let values = with.features().values()[..(records - 1) * 20].to_vec();
            let without = Matrix::new(records - 1, 20, values).unwrap();
            let without = Data::new(without, with.targets()[..records - 1].to_vec()).unwrap();
            let [a, b] = [&with, &without].map(|data| sum(data, &model, &parameters, &settings, &price));
            let distance = a.iter().zip(&b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
            assert!(distance <= price.rounding.sensitivity() && distance > 0.009_9, "{distance}");
        }
    }
}
