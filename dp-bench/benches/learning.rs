//! Examples per second of trainings: private and not, on one thread and on two.
//!
//! Batches of 256 of 10,000 random records, clipping norm 1, noise multiplier 1.1. Times of one thread are those of the processor; two threads are compared with one by the clock on the wall, which means something on a
//! quiet machine only. A regression row has batches of one record, and counts steps.

use std::time::Instant;

use cpu_time::ThreadTime;
use dp_core::Measurement;
use dp_ml::model::{Activation, Convolutional, Linear, Model, Perceptron};
use dp_ml::training::{Privacy, Settings, Training};
use dp_ml::{Data, Matrix};
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

const RECORDS: usize = 10_000;
const BATCH: f64 = 256.0;
const PRIVACY: Privacy = Privacy::Noise { multiplier: 1.1, delta: 1e-5 };
/// Each time is the least of so many.
const ROUNDS: usize = 5;

fn main() {
    // `cargo bench -p dp-bench --bench learning -- MLP` measures the rows with that in their name.
    let only = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let wanted = |name: &str| name.contains(&only);
    println!("| model | examples/s, private | at least | not private | ratio | two threads |");
    println!("|---|---|---|---|---|---|");
    let networks = [
        ("softmax 784-10", &[][..], 600e3, 600),
        ("MLP 784-128-10", &[128], 120e3, 150),
        ("MLP 784-512-256-10", &[512, 256], 25e3, 40),
    ];
    for (name, hidden, at_least, steps) in networks.into_iter().filter(|row| wanted(row.0)) {
        let network = Perceptron::new(784, hidden, 10, Activation::Relu).expect("widths are positive");
        row(name, network, at_least, steps);
    }
    if wanted("convolutional") {
        row("convolutional", Convolutional::new(), 8e3, 20);
    }
    println!("\n| regression, batch 1 | private steps/s | at least |\n|---|---|---|");
    for (name, features, at_least) in [("p = 10", 10, 3.0e6), ("p = 100", 100, 0.55e6)] {
        if wanted(name) {
            regression(name, features, at_least);
        }
    }
}

/// Random features in [0, 1), random targets.
fn data<Y: Copy>(features: usize, target: impl Fn(u32) -> Y) -> Data<Y> {
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    #[allow(clippy::cast_precision_loss, reason = "24 bits")]
    let values = (0..RECORDS * features).map(|_| (rng.next_u32() >> 8) as f32 / 16_777_216.0).collect();
    let targets = (0..RECORDS).map(|_| target(rng.next_u32())).collect();
    Data::new(Matrix::new(RECORDS, features, values).expect("the size is right"), targets)
        .expect("one target each")
}

/// The least processor time and the least time on the clock of some runs.
fn time(mut run: impl FnMut()) -> (f64, f64) {
    let once = |_| {
        let (thread, clock) = (ThreadTime::now(), Instant::now());
        run();
        (thread.elapsed().as_secs_f64(), clock.elapsed().as_secs_f64())
    };
    (0..ROUNDS).map(once).fold((f64::INFINITY, f64::INFINITY), |a, b| (a.0.min(b.0), a.1.min(b.1)))
}

fn row<M: Model<Target = u32>>(name: &str, model: M, at_least: f64, steps: u32) {
    let data = data(model.features(), |random| random % 10);
    let settings = Settings::new(RECORDS, BATCH, PRIVACY).steps(steps.into()).threads(1);
    let one = Training::new(&model, settings.clone()).expect("the settings are good");
    let two = Training::new(&model, settings.threads(2)).expect("the settings are good");
    let mut rng = ChaCha20Rng::seed_from_u64(2);
    let private = time(|| drop(one.draw(&data, &mut rng)));
    let not_private = time(|| drop(one.without_privacy(&data, &mut rng)));
    let both = time(|| drop(two.draw(&data, &mut rng)));
    let examples = f64::from(steps) * BATCH;
    println!(
        "| {name} | {:.0} | {at_least:.0} | {:.0} | {:.2} | {:.2} × |",
        examples / private.0,
        examples / not_private.0,
        private.0 / not_private.0,
        private.1 / both.1
    );
}

fn regression(name: &str, features: usize, at_least: f64) {
    const STEPS: u32 = 100_000;
    let data = data(features, |random| if random % 2 == 0 { 1.0_f32 } else { -1.0 });
    let settings = Settings::new(RECORDS, 1.0, PRIVACY).steps(STEPS.into()).threads(1);
    let model = Linear::new(features).expect("there are features");
    let training = Training::new(model, settings).expect("the settings are good");
    let mut rng = ChaCha20Rng::seed_from_u64(2);
    let (private, _) = time(|| drop(training.draw(&data, &mut rng)));
    println!("| {name} | {:.0} | {at_least:.0} |", f64::from(STEPS) / private);
}
