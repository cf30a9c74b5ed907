//! The rows of mechanisms, for criterion's history.

#![allow(missing_docs)] // criterion's macro writes an undocumented function

mod shared;

use criterion::{Criterion, criterion_group, criterion_main};
use dp_bench::Area;

fn mechanisms(criterion: &mut Criterion) {
    shared::history(criterion, Area::Mechanisms);
}

criterion_group!(benches, mechanisms);
criterion_main!(benches);
