//! A bound that moves by one step, and noise for that, is taken as one that moves by a thousand: the first type is a subtype of the second.
// error: mismatched types
// note: one type is more general than the other

use dp_core::{Error, Finite, Query};
use dp_ml::ObjectivePerturbation;
use dp_ml::scheduled::{Clipped, LastIterate, MultiPass, ScheduledSgd};
use dp_ml::training::Training;
use dp_sensitivity::{PrivateSensitivityBound, SensitivityBound, Triangles};
use dp_core::L1;

struct Of<F>(F);

type Any = Of<for<'a> fn(&'a u8)>;
type Static = Of<fn(&'static u8)>;

impl SensitivityBound<Triangles> for Any {
    fn statistic(&self, query: &Triangles, graph: &<Triangles as Query>::Data) -> Result<f64, Error> {
        query.answer(graph).map(|_| 0.0)
    }
    fn step(&self) -> f64 {
        1.0
    }
    fn bound(&self, _: &Triangles, _: f64) -> f64 {
        f64::INFINITY
    }
}

impl SensitivityBound<Triangles> for Static {
    fn statistic(&self, query: &Triangles, graph: &<Triangles as Query>::Data) -> Result<f64, Error> {
        query.answer(graph).map(Finite::get)
    }
    fn step(&self) -> f64 {
        1000.0
    }
    fn bound(&self, _: &Triangles, _: f64) -> f64 {
        f64::INFINITY
    }
}

fn bound(release: PrivateSensitivityBound<Triangles, Any>) -> PrivateSensitivityBound<Triangles, Static> {
    release // the mistake
}

fn loss(release: ObjectivePerturbation<Any>) -> ObjectivePerturbation<Static> {
    release // the mistake
}

fn model(training: Training<Any>) -> Training<Static> {
    training // the mistake
}

type Sgd<L> = ScheduledSgd<LastIterate, L, MultiPass, Clipped<L1>>;

fn step(training: Sgd<Any>) -> Sgd<Static> {
    training // the mistake
}

fn main() {
    let _ = (bound, loss, model, step);
}
