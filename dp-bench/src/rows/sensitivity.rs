//! Smooth sensitivities beside sorting the same data, and those of triangles.

use core::hint::black_box;
use std::collections::HashMap;

use dp_core::{Bounds, Error, Measurement, Query};
use dp_mechanisms::Laplace;
use dp_sensitivity::{
    Additive, Estimator, Graph, LocalSensitivity, Quantile, Quantiles, Smoothness, StandardDeviation, Sum,
    Triangles, TrimmedMean, Variance, WinsorisedMean,
};

use crate::{Area, Row, Work, floors, generator};

const SIZE: u32 = 1_000_000;
const RECORDS: usize = SIZE as usize;
const SORT: &str = "sorting the data";
const NODES: u32 = 10_000;
const EDGES: u32 = 100_000;
const FINE: &str = "the query is good";

type Smooth = fn(&[f64], Smoothness) -> Result<f64, Error>;

pub(super) fn rows() -> Vec<Row> {
    let queries: [(&str, Smooth, Option<f64>); 5] = [
        (
            "median",
            |data, rate| Quantile::median(bounds()).under_replace_one(RECORDS)?.smooth(data, rate),
            Some(3.0),
        ),
        (
            "trimmed mean (10 %)",
            |data, rate| TrimmedMean::new(bounds(), RECORDS, RECORDS / 10)?.smooth(data, rate),
            Some(3.0),
        ),
        (
            "winsorised mean (10 %)",
            |data, rate| WinsorisedMean::new(bounds(), RECORDS, RECORDS / 10)?.smooth(data, rate),
            None,
        ),
        (
            "variance",
            |data, rate| Variance::new(bounds()).under_replace_one(RECORDS)?.smooth(data, rate),
            None,
        ),
        (
            "standard deviation",
            |data, rate| StandardDeviation::new(bounds()).under_replace_one(RECORDS)?.smooth(data, rate),
            None,
        ),
    ];
    let mut rows = Vec::new();
    for (law, data) in [("spread data", spread as fn(u32) -> Vec<f64>), ("clustered data", clustered)] {
        for (name, query, limit) in queries {
            for beta in [0.1, 1e-5] {
                let row = Row::new(
                    Area::Sensitivity,
                    format!("{name} of 10⁶, {law}, β = {beta:e}"),
                    "answer",
                    move || {
                        let (data, rate) = (data(SIZE), Smoothness::new(beta).expect(FINE));
                        Work::answer(move || query(black_box(&data), rate).expect(FINE))
                    },
                );
                let row = row.floor(SORT, move || floors::sort(data(SIZE)));
                rows.push(if let Some(limit) = limit { row.at_most(limit) } else { row });
            }
        }
    }
    rows.extend(exponential());
    rows.push(groups());
    for (name, graph) in [("even", even as fn() -> Graph), ("with hubs", hubs), ("a wheel", wheel)] {
        let name = format!("triangles, 10⁴ nodes, 10⁵ edges, {name}");
        let row = Row::new(Area::Sensitivity, name, "answer", move || {
            let (graph, rate) = (graph(), Smoothness::new(1e-3).expect(FINE));
            Work::answer(move || Triangles::new(NODES).smooth(black_box(&graph), rate).expect(FINE))
        });
        rows.push(row.within_ns(5e9));
    }
    rows
}

/// Quantiles by the exponential mechanism.
fn exponential() -> [Row; 3] {
    let one = |in_order: bool| {
        let mut data = spread(SIZE);
        if in_order {
            data.sort_by(f64::total_cmp);
        }
        let (median, mut rng) = (Quantile::median(bounds()).epsilon(1.0).expect(FINE), generator());
        Work::answer(move || median.draw(black_box(&data), &mut rng).expect(FINE))
    };
    let many = || {
        let levels: Vec<f64> = (1..=100).map(|k| f64::from(k) / 101.0).collect();
        let quantiles = Quantiles::new(bounds(), &levels).expect(FINE).epsilon(1.0).expect(FINE);
        let (data, mut rng) = (spread(SIZE), generator());
        Work::answer(move || quantiles.draw(black_box(&data), &mut rng).expect(FINE))
    };
    [
        Row::new(Area::Sensitivity, "private median of 10⁶", "answer", move || one(false))
            .floor(SORT, || floors::sort(spread(SIZE)))
            .at_most(1.5),
        Row::new(Area::Sensitivity, "private median of 10⁶ in order", "answer", move || one(true))
            .floor("a pass over the data", || floors::pass(spread(SIZE)))
            .at_most(2.0),
        Row::new(Area::Sensitivity, "100 private quantiles of 10⁶", "answer", many)
            .floor("one of them", move || one(false))
            .at_most(3.0),
    ]
}

/// The group of a record, scattered anew, so that it says nothing of its number.
fn group(u: f64) -> u32 {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below 2³²")]
    let whole = (u * 4_294_967_296.0) as u32;
    whole.wrapping_mul(2_654_435_769) % GROUPS
}

const GROUPS: u32 = 10_000;

/// Sums of 10⁷ records in 10⁴ groups, beside the same loop in floats.
fn groups() -> Row {
    const PEOPLE: u32 = 10_000_000;
    let people = || -> Vec<(u32, f64)> {
        uniform(PEOPLE).map(|u| 2000.0 * (u - 0.5)).zip(uniform(PEOPLE)).map(|(x, u)| (group(u), x)).collect()
    };
    let private = move || {
        let (data, mut rng) = (people(), generator());
        let sums = Sum::new(bounds()).of(|p: &(u32, f64)| p.1).by(|p| p.0, 0..GROUPS).expect(FINE);
        let sums = sums.with(Laplace::epsilon(1.0).expect(FINE)).expect(FINE);
        Work::answer(move || sums.draw(black_box(&data), &mut rng).expect(FINE)[7])
    };
    let plain = move || {
        let data = people();
        let places: HashMap<u32, usize> = (0..GROUPS).zip(0..).collect();
        Work::answer(move || {
            let mut sums = vec![0.0; places.len()];
            for (key, number) in black_box(&data) {
                if let Some(place) = places.get(key) {
                    sums[*place] += number.clamp(-1000.0, 1000.0);
                }
            }
            sums[7]
        })
    };
    Row::new(Area::Sensitivity, "private sums of 10⁷ in 10⁴ groups", "answer", private)
        .floor("the same grouping without privacy", plain)
        .at_most(1.5)
}

pub(crate) fn bounds() -> Bounds {
    Bounds::new(-1000.0, 1000.0).expect(FINE)
}

/// Numbers in the unit interval, in no order: multiples of the golden ratio.
fn uniform(count: u32) -> impl Iterator<Item = f64> {
    (0..count).map(|i| scattered(i, GOLDEN))
}

/// Evenly over the bounds.
pub(crate) fn spread(count: u32) -> Vec<f64> {
    uniform(count).map(|u| 2000.0 * (u - 0.5)).collect()
}

/// Around zero with heavy tails, so that windows of all lengths matter.
fn clustered(count: u32) -> Vec<f64> {
    uniform(count).map(|u| (u - 0.5).powi(3) / (1e-4 + u * (1.0 - u))).collect()
}

const GOLDEN: f64 = 0.618_033_988_749_894_8;
const PLASTIC: f64 = 0.754_877_666_246_692_7;

fn scattered(i: u32, by: f64) -> f64 {
    (f64::from(i) * by).fract()
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below the number of nodes")]
fn node(u: f64) -> u32 {
    (u * f64::from(NODES)) as u32
}

fn even() -> Graph {
    Graph::new(NODES, (0..EDGES).map(|i| (node(scattered(i, GOLDEN)), node(scattered(i, PLASTIC)))))
}

/// The density of nodes is like 1/√node.
fn hubs() -> Graph {
    let end = |i: u32, by: f64| node(scattered(i, by).powi(2));
    Graph::new(NODES, (0..EDGES).map(|i| (end(i, GOLDEN), end(i, PLASTIC))))
}

/// One node knows all others.
fn wheel() -> Graph {
    let spokes = |i: u32| (0..10).map(move |j| if j == 0 { (0, i) } else { (i, (i + j) % NODES) });
    Graph::new(NODES, (1..NODES).flat_map(spokes))
}
