//! The rows of the table one by one, for criterion's history.

#![allow(missing_docs)] // criterion's macro writes an undocumented function

use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dp_bench::rows::rows;

fn noise(criterion: &mut Criterion) {
    for mut row in rows() {
        let mut group = criterion.benchmark_group(&row.name);
        group
            .sample_size(20)
            .warm_up_time(Duration::from_millis(300))
            .measurement_time(Duration::from_secs(1));
        for (name, work) in [("ours", &mut row.ours), ("floor", &mut row.floor)] {
            group.throughput(Throughput::Elements(work.values().into()));
            group.bench_function(name, |bencher| bencher.iter(|| work.run()));
        }
        group.finish();
    }
}

criterion_group!(benches, noise);
criterion_main!(benches);
