//! The loop of a training, on one thread or several.
//!
//! A step has three parts, with a barrier after each when there are several threads. The first thread draws the batch. All threads take groups of records until none is left, each adding
//! clipped gradients to a sum of its own. Then each thread adds the sums of all for the coordinates that it owns, adds noise, and moves its parameters. Sums of groups are
//! [exact](crate::rounding), so it does not matter who took which group. Threads wait without spinning, and nothing is allocated once the first steps are over.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex, MutexGuard, PoisonError, RwLock};

use rand_chacha::ChaCha20Rng;

use super::Settings;
use super::noise::Noise;
use super::price::Price;
use super::shard::{COORDINATES, Shard};
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
    groups: RwLock<Groups>,
    next_group: AtomicUsize,
    /// Of each thread.
    sums: Vec<Sums>,
    barrier: Barrier,
    stopped: AtomicBool,
    /// What a model panicked with.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// The sum of one thread, shard by shard, and whether it has one in this step.
struct Sums {
    any: AtomicBool,
    shards: Vec<Mutex<Vec<f64>>>,
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
    group_sum: Vec<f32>,
}

impl<M: Model> Run<'_, M> {
    /// Makes the steps from `done` on, and returns the shards.
    pub(crate) fn steps(
        &self,
        done: u64,
        shards: Vec<Shard>,
        sampler: &mut ChaCha20Rng,
        after: &mut AfterStep<'_>,
    ) -> Vec<Shard> {
        let parameters: Vec<f32> = shards.iter().flat_map(|shard| shard.parameters.iter().copied()).collect();
        let threads = self.settings.number_of_threads().min(shards.len().max(2)).max(1);
        let shared = Shared::new(parameters, threads);
        let owned = divide(shards, threads);
        std::thread::scope(|scope| {
            for number in 1..threads {
                let (shared, owned) = (&shared, &owned);
                scope.spawn(move || self.follow(done, number, shared, &owned[number]));
            }
            self.lead(done, &shared, &owned, sampler, after);
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
            group_sum: vec![0.0; self.model.parameters()],
        }
    }

    /// The first thread.
    fn lead(
        &self,
        done: u64,
        shared: &Shared,
        owned: &[Mutex<Vec<Shard>>],
        sampler: &mut ChaCha20Rng,
        after: &mut AfterStep<'_>,
    ) {
        let mut worker = self.worker(0);
        let see = |f: &mut dyn FnMut(&Shard)| {
            for shards in owned {
                lock(shards).iter().for_each(&mut *f);
            }
        };
        for h in done..self.settings.steps {
            let mut groups = shared.groups.write().unwrap_or_else(PoisonError::into_inner);
            self.price.sampling.draw(self.data.len(), &mut groups, sampler);
            drop(groups);
            shared.next_group.store(0, Ordering::Relaxed);
            shared.wait();
            self.step(h, &mut worker, shared, &owned[0]);
            let broken = lock(&shared.panic).is_some();
            if broken || !after(h + 1, sampler, &see) {
                // The others wait for the next step, if there is one, and find that there is none.
                shared.stopped.store(true, Ordering::Relaxed);
                if h + 1 < self.settings.steps {
                    shared.wait();
                }
                return;
            }
        }
    }

    /// Any other thread.
    fn follow(&self, done: u64, number: usize, shared: &Shared, owned: &Mutex<Vec<Shard>>) {
        let mut worker = self.worker(number);
        for h in done..self.settings.steps {
            shared.wait();
            if shared.stopped.load(Ordering::Relaxed) {
                return;
            }
            self.step(h, &mut worker, shared, owned);
        }
    }

    /// One step of one thread, after the batch is drawn.
    fn step(&self, h: u64, worker: &mut Worker<M>, shared: &Shared, owned: &Mutex<Vec<Shard>>) {
        // A model that panics must not leave the other threads waiting.
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| self.take_groups(worker, shared))) {
            *lock(&shared.panic) = Some(payload);
        }
        shared.wait();
        let mut shards = lock(owned);
        let (own, others) = (&shared.sums[worker.number], shared.sums.iter().enumerate());
        for shard in shards.iter_mut() {
            let place = shard.range.start / COORDINATES;
            // A shard has one owner, so nobody waits here for two of them.
            let mut total = lock(&own.shards[place]);
            if !own.any.load(Ordering::Relaxed) {
                total.fill(0.0);
            }
            for (_, other) in others.clone().filter(|(number, _)| *number != worker.number) {
                if other.any.load(Ordering::Relaxed) {
                    total.iter_mut().zip(&*lock(&other.shards[place])).for_each(|(total, x)| *total += x);
                }
            }
            shard.step(h, &mut total, self.noise.as_ref(), self.settings);
        }
        let mut parameters = shared.parameters.write().unwrap_or_else(PoisonError::into_inner);
        for shard in shards.iter() {
            parameters[shard.range.clone()].copy_from_slice(&shard.parameters);
        }
        drop((parameters, shards));
        shared.wait();
    }

    /// Sums clipped gradients, group by group, while there are groups.
    fn take_groups(&self, worker: &mut Worker<M>, shared: &Shared) {
        let (parameters, groups) = (
            shared.parameters.read().unwrap_or_else(PoisonError::into_inner),
            shared.groups.read().unwrap_or_else(PoisonError::into_inner),
        );
        let sums = &shared.sums[worker.number];
        let mut first = true;
        sums.any.store(false, Ordering::Relaxed);
        loop {
            let group = shared.next_group.fetch_add(1, Ordering::Relaxed);
            if group >= groups.len() {
                return;
            }
            let records = groups.get(group);
            if records.is_empty() {
                continue;
            }
            let batch = Batch::new(self.data, self.square_norms, records);
            let rounding = if self.noise.is_some() {
                let layers = worker.norms.len() / self.price.sampling.capacity();
                let size = records.len() * layers;
                let norms = &mut worker.norms[..size];
                self.model.backward(&parameters, batch, &mut worker.workspace, Some(&mut *norms));
                self.settings.clip.weigh(layers, norms, &mut worker.weights[..size]);
                self.model.sum_gradients(
                    &worker.weights[..size],
                    &mut worker.workspace,
                    &mut worker.group_sum,
                );
                self.price.rounding
            } else {
                self.model.backward(&parameters, batch, &mut worker.workspace, None);
                self.model.sum_gradients(&worker.weights, &mut worker.workspace, &mut worker.group_sum);
                Rounding::NONE
            };
            for (part, sum) in worker.group_sum.chunks(COORDINATES).zip(&sums.shards) {
                rounding.add(part, &mut lock(sum), first);
            }
            first = false;
            sums.any.store(true, Ordering::Relaxed);
        }
    }
}

impl Shared {
    fn new(parameters: Vec<f32>, threads: usize) -> Self {
        let shards =
            || parameters.chunks(COORDINATES).map(|part| Mutex::new(vec![0.0; part.len()])).collect();
        Self {
            sums: (0..threads).map(|_| Sums { any: AtomicBool::new(false), shards: shards() }).collect(),
            parameters: RwLock::new(parameters),
            groups: RwLock::default(),
            next_group: AtomicUsize::new(0),
            barrier: Barrier::new(threads),
            stopped: AtomicBool::new(false),
            panic: Mutex::new(None),
        }
    }

    fn wait(&self) {
        if self.sums.len() > 1 {
            self.barrier.wait();
        }
    }
}

/// What a thread that panicked left behind is as good as before: the panic ends the training.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
        let shared = Shared::new(parameters.to_vec(), 1);
        let mut groups = shared.groups.write().unwrap();
        price.sampling.draw(data.len(), &mut groups, &mut ChaCha20Rng::seed_from_u64(1));
        drop(groups);
        run.take_groups(&mut run.worker(0), &shared);
        shared.sums[0].shards.iter().flat_map(|part| part.lock().unwrap().clone()).collect()
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
