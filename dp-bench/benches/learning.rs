//! The rows of learning, for criterion's history.

#![allow(missing_docs)] // criterion's macro writes an undocumented function

mod shared;

use criterion::{Criterion, criterion_group, criterion_main};
use dp_bench::Area;

fn learning(criterion: &mut Criterion) {
    shared::history(criterion, Area::Learning);
}

criterion_group!(benches, learning);
criterion_main!(benches);
