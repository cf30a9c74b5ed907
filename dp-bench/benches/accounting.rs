//! The rows of accounting, for criterion's history.

#![allow(missing_docs)] // criterion's macro writes an undocumented function

mod shared;

use criterion::{Criterion, criterion_group, criterion_main};
use dp_bench::Area;

fn accounting(criterion: &mut Criterion) {
    shared::history(criterion, Area::Accounting);
}

criterion_group!(benches, accounting);
criterion_main!(benches);
