//! The rows of selection, for criterion's history.

#![allow(missing_docs)] // criterion's macro writes an undocumented function

mod shared;

use criterion::{Criterion, criterion_group, criterion_main};
use dp_bench::Area;

fn selection(criterion: &mut Criterion) {
    shared::history(criterion, Area::Selection);
}

criterion_group!(benches, selection);
criterion_main!(benches);
