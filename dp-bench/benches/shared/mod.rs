//! Rows for criterion.

use std::time::Duration;

use criterion::Criterion;
use dp_bench::{Area, rows};

/// Measures all rows of an area, ours and its floor each by itself.
pub(crate) fn history(criterion: &mut Criterion, area: Area) {
    for row in rows::of(area) {
        let mut group = criterion.benchmark_group(&row.name);
        group
            .sample_size(10)
            .warm_up_time(Duration::from_millis(300))
            .measurement_time(Duration::from_secs(1));
        for (name, make) in [("ours", Some(row.ours)), ("floor", row.floor.map(|(_, make)| make))] {
            if let Some(make) = make {
                // Works are made when criterion wants them, and not for names that it passes over.
                let mut work = None;
                group.bench_function(name, |bencher| {
                    let work = work.get_or_insert_with(&make);
                    bencher.iter(|| work.run());
                });
            }
        }
        group.finish();
    }
}
