//! What the steps of a training ask the allocator for, once the first ones are over: nothing of
//! their own. Dense kernels take scratch memory for each product and give it back, and the exact
//! ways of samplers, which about one draw in ten thousand goes, work in long integers of some
//! hundred bytes.

#![allow(unsafe_code, reason = "an allocator that counts must implement an unsafe trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

use dp_core::Measurement;
use dp_mechanisms::rng::Insecure;
use dp_ml::model::{Activation, Linear, Model, Perceptron};
use dp_ml::training::{Average, Optimiser, Privacy, Settings, Training};
use dp_ml::{Data, Matrix};

/// The allocator of the system, and how often it was asked for more than a long integer takes.
struct Counting;

static ASKED: AtomicU64 = AtomicU64::new(0);
const LONGEST_INTEGER: usize = 512;

// SAFETY: everything is passed on to the allocator of the system, whose contract is the same.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ASKED.fetch_add(u64::from(layout.size() > LONGEST_INTEGER), Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise; the pointer comes from the allocator of the system.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How often a private training of so many steps asks for memory. Its batches come in two groups.
fn asked<M: Model>(model: M, data: &Data<M::Target>, threads: usize, steps: u64) -> u64 {
    let settings = Settings::new(data.len(), 150.0, Privacy::Noise { multiplier: 1.0, delta: 1e-5 })
        .steps(steps)
        .threads(threads)
        .optimiser(Optimiser::adam())
        .average(Average::Exponential { decay: 0.9 });
    let training = Training::new(model, settings).expect("the settings are good");
    let before = ASKED.load(Ordering::Relaxed);
    training.draw(data, &mut Insecure::seeded(7)).expect("the data fit the model");
    ASKED.load(Ordering::Relaxed) - before
}

fn data<Y: Copy>(features: usize, target: Y) -> Data<Y> {
    let values = (0..=250_u8).cycle().take(300 * features).map(|i| f32::from(i) / 251.0).collect();
    let features = Matrix::new(300, features, values).expect("300 rows");
    Data::new(features, vec![target; 300]).expect("300 records")
}

/// One test alone in its program: others would be counted, too.
#[test]
fn steps_ask_for_no_memory_of_their_own() {
    let (numbers, images) = (data(20, 0.5_f32), data(784, 3_u32));
    for threads in [1, 2] {
        let linear = |steps| asked(Linear::new(20).unwrap(), &numbers, threads, steps);
        assert_eq!(linear(160), linear(40), "{threads} threads");

        let perceptron = |steps| {
            let network = Perceptron::new(784, &[40], 10, Activation::Relu).unwrap();
            asked(network, &images, threads, steps)
        };
        perceptron(40); // kernels keep some memory from their first product on
        // For each group: from 784 features forward (in two blocks), from 40 forward, back to 40,
        // and two layers of gradients.
        let products = 2 * 6;
        assert!(perceptron(160) <= perceptron(40) + 120 * products, "{threads} threads");
    }
}
