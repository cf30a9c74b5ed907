//! How times grow.

use core::hint::black_box;

use dp_core::Delta;
use dp_sensitivity::{LocalSensitivity, Quantile, Smoothness};
use serde::Serialize;

use crate::measure::{Effort, time};
use crate::rows::{bounds, gumbel_max, softmax_step, spread, training};
use crate::{Scores, Work};

const FINE: &str = "the arguments are good";

/// Times of one kind of work at several sizes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Growth {
    /// The work.
    pub name: &'static str,
    /// What its size is.
    pub size: &'static str,
    /// Sizes, and nanoseconds for the whole work.
    pub points: Vec<(f64, f64)>,
}

/// A kind of work that has a size.
struct Series {
    name: &'static str,
    size: &'static str,
    sizes: &'static [u32],
    work: fn(u32) -> Work,
}

/// Measures all kinds of work whose name contains a text.
#[must_use]
pub fn measure_all(only: &str, effort: Effort) -> Vec<Growth> {
    let wanted = series().into_iter().filter(|series| series.name.contains(only));
    wanted
        .map(|Series { name, size, sizes, work }| {
            let point = |n: &u32| {
                let work = work(*n);
                let values = f64::from(work.values());
                (f64::from(*n), time(work, effort) * values)
            };
            Growth { name, size, points: sizes.iter().map(point).collect() }
        })
        .collect()
}

fn series() -> [Series; 4] {
    const DECADES: &[u32] = &[1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000];
    [
        Series {
            name: "smooth sensitivity of a median",
            size: "n, records",
            sizes: DECADES,
            work: |n| {
                let (data, rate) = (spread(n), Smoothness::new(1e-3).expect(FINE));
                let median = Quantile::median(bounds()).under_replace_one(n as usize).expect(FINE);
                Work::answer(move || median.smooth(black_box(&data), rate).expect(FINE))
            },
        },
        Series {
            name: "noisy max",
            size: "candidates",
            sizes: DECADES,
            work: |candidates| gumbel_max(Scores::Spread, candidates),
        },
        Series {
            name: "ε of a training",
            size: "k, steps",
            sizes: &[1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000],
            work: |steps| {
                let delta = Delta::new(1e-6).expect(FINE);
                Work::answer(move || training(steps.into()).expect(FINE).epsilon(delta))
            },
        },
        Series {
            name: "private step of softmax regression",
            size: "p, features",
            sizes: &[50, 100, 200, 400, 800, 1_600],
            work: |features| softmax_step(features),
        },
    ]
}
