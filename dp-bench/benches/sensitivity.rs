//! The rows of sensitivity, for criterion's history.

#![allow(missing_docs)] // criterion's macro writes an undocumented function

mod shared;

use criterion::{Criterion, criterion_group, criterion_main};
use dp_bench::Area;

fn sensitivity(criterion: &mut Criterion) {
    shared::history(criterion, Area::Sensitivity);
}

criterion_group!(benches, sensitivity);
criterion_main!(benches);
