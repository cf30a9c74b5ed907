//! What the threads of a training share.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicUsize;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use rand_chacha::ChaCha20Rng;

use super::barrier::Barrier;
use super::sampling::Groups;
use super::sum::Sum;

/// The state that threads share.
pub(super) struct Shared {
    pub(super) parameters: RwLock<Vec<f32>>,
    /// The batches of this step and the next, alternating.
    pub(super) batches: [Drawn; 2],
    pub(super) sampler: Mutex<Sampler>,
    /// One for each thread, which writes it in the first part of a step; all read it in the second.
    pub(super) sums: Vec<RwLock<Sum>>,
    pub(super) barrier: Barrier,
    /// The payload of a thread's panic.
    pub(super) panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// A batch with the number of its step, and its next group that no thread has taken.
#[derive(Default)]
pub(super) struct Drawn {
    pub(super) groups: RwLock<(u64, Groups)>,
    pub(super) next: AtomicUsize,
}

/// The generator of batches, one step ahead.
pub(super) struct Sampler {
    pub(super) rng: ChaCha20Rng,
    /// The generator before the last batch.
    pub(super) before: ChaCha20Rng,
    /// The step whose batch comes next.
    pub(super) next: u64,
}

impl Shared {
    pub(super) fn new(parameters: Vec<f32>, threads: usize, done: u64, sampler: ChaCha20Rng) -> Self {
        Self {
            sums: (0..threads).map(|_| RwLock::new(Sum::new(parameters.len()))).collect(),
            parameters: RwLock::new(parameters),
            batches: Default::default(),
            sampler: Mutex::new(Sampler { before: sampler.clone(), rng: sampler, next: done }),
            barrier: Barrier::new(threads),
            panic: Mutex::new(None),
        }
    }

    /// Runs a thread's work. When a model, a learning rate or an observer panics, the other threads
    /// stop.
    pub(super) fn survive(&self, work: impl FnOnce()) {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(work)) {
            lock(&self.panic).get_or_insert(payload);
            self.barrier.leave();
        }
    }

    /// The batch of a step.
    pub(super) fn batch(&self, h: u64) -> &Drawn {
        &self.batches[usize::from(!h.is_multiple_of(2))]
    }
}

impl Sampler {
    /// The generator after the batches of this number of steps: of all that were drawn, or all but
    /// one.
    pub(super) fn after(&self, steps: u64) -> &ChaCha20Rng {
        if self.next > steps { &self.before } else { &self.rng }
    }
}

/// Locks are taken even if poisoned: a panic ends the training anyway.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}
