//! The loop of a training, on one thread or several.
//!
//! A step has three parts, with a barrier after each when there are several threads. The first thread draws the batch. All threads take groups of records until none is left, each adding
//! clipped gradients to a sum of its own. Then each thread adds the sums of all for the coordinates that it owns, adds noise, and moves its parameters. Sums of groups are
//! [exact](crate::rounding), so it does not matter who took which group. Threads wait without spinning, and nothing is allocated once the first steps are over.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex, PoisonError, RwLock};

use rand_chacha::ChaCha20Rng;

use super::Settings;
use super::noise::Noise;
use super::price::Price;
use super::shard::{COORDINATES, Shard};
use crate::Data;
use crate::model::{Batch, Model};
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
    /// The sum of each thread, and whether it has one in this step.
    sums: Vec<RwLock<(bool, Vec<f64>)>>,
    barrier: Barrier,
    stopped: AtomicBool,
    /// What a model panicked with.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
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
    total: Vec<f64>,
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
        let count = parameters.len();
        let shared = Shared {
            sums: (0..threads).map(|_| RwLock::new((false, vec![0.0; count]))).collect(),
            parameters: RwLock::new(parameters),
            groups: RwLock::default(),
            next_group: AtomicUsize::new(0),
            barrier: Barrier::new(threads),
            stopped: AtomicBool::new(false),
            panic: Mutex::new(None),
        };
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
            total: vec![0.0; COORDINATES],
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
                shards.lock().unwrap_or_else(PoisonError::into_inner).iter().for_each(&mut *f);
            }
        };
        for h in done..self.settings.steps {
            let mut groups = shared.groups.write().unwrap_or_else(PoisonError::into_inner);
            self.price.sampling.draw(self.data.len(), &mut groups, sampler);
            drop(groups);
            shared.next_group.store(0, Ordering::Relaxed);
            shared.wait();
            self.step(h, &mut worker, shared, &owned[0]);
            let broken = shared.panic.lock().unwrap_or_else(PoisonError::into_inner).is_some();
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
            *shared.panic.lock().unwrap_or_else(PoisonError::into_inner) = Some(payload);
        }
        shared.wait();
        let mut shards = owned.lock().unwrap_or_else(PoisonError::into_inner);
        for shard in shards.iter_mut() {
            let size = shard.range.len();
            let total = &mut worker.total[..size];
            let mut first = true;
            for sum in &shared.sums {
                let sum = sum.read().unwrap_or_else(PoisonError::into_inner);
                let part = &sum.1[shard.range.clone()];
                match (sum.0, first) {
                    (false, _) => continue,
                    (true, true) => total.copy_from_slice(part),
                    (true, false) => total.iter_mut().zip(part).for_each(|(total, x)| *total += x),
                }
                first = false;
            }
            if first {
                total.fill(0.0);
            }
            shard.step(h, total, self.noise.as_ref(), self.settings);
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
        let mut sum = shared.sums[worker.number].write().unwrap_or_else(PoisonError::into_inner);
        sum.0 = false;
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
            let first = !sum.0;
            if self.noise.is_some() {
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
                self.price.rounding.add(&worker.group_sum, &mut sum.1, first);
            } else {
                self.model.backward(&parameters, batch, &mut worker.workspace, None);
                self.model.sum_gradients(&worker.weights, &mut worker.workspace, &mut worker.group_sum);
                for (sum, x) in sum.1.iter_mut().zip(&worker.group_sum) {
                    *sum = if first { 0.0 } else { *sum } + f64::from(*x);
                }
            }
            sum.0 = true;
        }
    }
}

impl Shared {
    fn wait(&self) {
        if self.sums.len() > 1 {
            self.barrier.wait();
        }
    }
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
        let shared = Shared {
            parameters: RwLock::new(parameters.to_vec()),
            groups: RwLock::default(),
            next_group: AtomicUsize::new(0),
            sums: vec![RwLock::new((false, vec![0.0; parameters.len()]))],
            barrier: Barrier::new(1),
            stopped: AtomicBool::new(false),
            panic: Mutex::new(None),
        };
        let mut groups = shared.groups.write().unwrap();
        price.sampling.draw(data.len(), &mut groups, &mut ChaCha20Rng::seed_from_u64(1));
        drop(groups);
        run.take_groups(&mut run.worker(0), &shared);
        shared.sums.into_iter().next().unwrap().into_inner().unwrap().1
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
