//! The rows of samplers, for criterion's history.

#![allow(missing_docs)] // criterion's macro writes an undocumented function

mod shared;

use criterion::{Criterion, criterion_group, criterion_main};
use dp_bench::Area;

fn samplers(criterion: &mut Criterion) {
    shared::history(criterion, Area::Samplers);
}

criterion_group!(benches, samplers);
criterion_main!(benches);
