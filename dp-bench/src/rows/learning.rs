//! Training steps: private beside not private, beside their matrix products alone, and two threads
//! beside one.
//!
//! Batches of 256 of 10,000 random records, clipping norm 1, noise multiplier 1.1. A work is some
//! steps of a training; what a training does before its first step is part of it, so there are
//! enough for that to matter little, as in trainings of thousands of steps.

use dp_core::Measurement;
use dp_ml::model::{Activation, Convolutional, Linear, Model, Perceptron};
use dp_ml::training::{Privacy, Settings, Training};
use dp_ml::{Data, Matrix};
use rand_core::Rng;

use crate::{Area, Row, Work, floors, generator};

const RECORDS: usize = 10_000;
const BATCH: u32 = 256;
const PRIVACY: Privacy = Privacy::Noise { multiplier: 1.1, delta: 1e-5 };
const FINE: &str = "the settings are good";

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for (name, widths, per_second, opacus, steps) in [
        ("softmax 784-10", &[784, 10][..], 600e3, 5.0, 300),
        ("MLP 784-128-10", &[784, 128, 10], 120e3, 4.0, 160),
        ("MLP 784-512-256-10", &[784, 512, 256, 10], 25e3, 4.0, 60),
    ] {
        let model = move || perceptron(widths);
        let row = row(name, move || training(model(), steps, Kind::Private, 1));
        let row = row.floor("the same step, not private", move || training(model(), steps, Kind::Plain, 1));
        rows.push(row.at_most(1.5).within_ns(1e9 / per_second).times_faster(opacus));
        let products = self::row(&format!("{name}, beside its products"), move || {
            training(model(), steps, Kind::Private, 1)
        });
        rows.push(products.floor("its matrix products", move || floors::products::perceptron(widths, BATCH)));
        rows.push(two_threads(name, model, steps));
    }
    let row = row("convolutional", || training(Convolutional::new(), 20, Kind::Private, 1));
    // Kernels' gradients are kept for each record here, too, which a network that is never private
    // would not do.
    let row = row.floor("the same step, neither clipping nor noise", || {
        training(Convolutional::new(), 20, Kind::Plain, 1)
    });
    rows.push(row.within_ns(1e9 / 8e3).times_faster(3.0));
    rows.push(two_threads("convolutional", Convolutional::new, 20));
    for (name, features, per_second) in
        [("batch-1 regression, p = 10", 10, 3.0e6), ("batch-1 regression, p = 100", 100, 0.55e6)]
    {
        let row = Row::new(Area::Learning, name, "step", move || regression(features));
        rows.push(row.within_ns(1e9 / per_second));
    }
    rows
}

fn row(name: &str, ours: impl Fn() -> Work + 'static) -> Row {
    Row::new(Area::Learning, name, "example", ours)
}

fn two_threads<M: Model<Target = u32> + 'static>(
    name: &str,
    model: impl Fn() -> M + Copy + 'static,
    steps: u32,
) -> Row {
    let row = row(&format!("{name}, two threads"), move || {
        training(model(), steps, Kind::Private, 2).by_the_wall()
    });
    row.floor("one thread", move || training(model(), steps, Kind::Private, 1).by_the_wall())
        .at_most(1.0 / 1.6)
}

fn perceptron(widths: &[usize]) -> Perceptron {
    let (features, hidden, classes) = (widths[0], &widths[1..widths.len() - 1], widths[widths.len() - 1]);
    Perceptron::new(features, hidden, classes, Activation::Relu).expect(FINE)
}

/// A private step of softmax regression with this number of features.
pub(crate) fn softmax_step(features: u32) -> Work {
    let step = training(perceptron(&[features as usize, 10]), 50, Kind::Private, 1);
    // One value for each step instead of each example.
    let mut step = step;
    Work::new(50, move || step.run())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Private,
    Plain,
}

fn training<M: Model<Target = u32> + 'static>(model: M, steps: u32, kind: Kind, threads: usize) -> Work {
    let data = data(model.features(), |random| random % 10);
    let settings = Settings::new(RECORDS, BATCH.into(), PRIVACY).steps(steps.into()).threads(threads);
    let training = Training::new(model, settings).expect(FINE);
    let mut rng = generator();
    Work::new(steps * BATCH, move || match kind {
        Kind::Private => drop(training.draw(&data, &mut rng).expect(FINE)),
        Kind::Plain => drop(training.without_privacy(&data, &mut rng).expect(FINE)),
    })
}

/// Batches of one record.
fn regression(features: usize) -> Work {
    const STEPS: u32 = 50_000;
    let data = data(features, |random| if random % 2 == 0 { 1.0_f32 } else { -1.0 });
    let settings = Settings::new(RECORDS, 1.0, PRIVACY).steps(STEPS.into()).threads(1);
    let training = Training::new(Linear::new(features).expect(FINE), settings).expect(FINE);
    let mut rng = generator();
    Work::new(STEPS, move || drop(training.draw(&data, &mut rng).expect(FINE)))
}

/// Random features in [0, 1), random targets.
fn data<Y: Copy>(features: usize, target: impl Fn(u32) -> Y) -> Data<Y> {
    let mut rng = generator();
    #[allow(clippy::cast_precision_loss, reason = "24 bits")]
    let values = (0..RECORDS * features).map(|_| (rng.next_u32() >> 8) as f32 / 16_777_216.0).collect();
    let targets = (0..RECORDS).map(|_| target(rng.next_u32())).collect();
    Data::new(Matrix::new(RECORDS, features, values).expect(FINE), targets).expect(FINE)
}
