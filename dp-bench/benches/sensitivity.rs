//! Prints what smooth sensitivities cost beside sorting the same data, and those of triangles, with their limits.
//!
//! Times are those of one thread's processor, in milliseconds. Each case and its floor take turns, so that a busy minute falls on both; the medians of the rounds count.
//!
//! `cargo bench -p dp-bench --bench sensitivity -- median` runs only the cases with that in their names.

use std::hint::black_box;

use cpu_time::ThreadTime;
use dp_core::{Bounds, Error};
use dp_sensitivity::{
    Graph, LocalSensitivity, Quantile, Smoothness, StandardDeviation, Triangles, TrimmedMean, Variance,
    WinsorisedMean,
};

/// Odd, so that there is a median.
const ROUNDS: usize = 7;
/// How many times longer than sorting a case may take.
const LIMIT: f64 = 3.0;
const SIZE: usize = 1_000_000;
/// In milliseconds, for 10⁴ nodes and 10⁵ edges.
const LIMIT_OF_TRIANGLES: f64 = 5000.0;
const NODES: u32 = 10_000;
const EDGES: u32 = 100_000;

fn main() -> Result<(), Error> {
    // `cargo test --benches` runs this too, and wants to know no more than that it builds.
    if !std::env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    println!("| {:48} | {:>12} | {:>8} | {:>8} | {:>6} | met |", "case", "smooth", "ms", "sort, ms", "ratio");
    println!("|{}", "---|".repeat(6));
    for case in numbers()?.iter().filter(|case| case.name.contains(&wanted)) {
        let (mut times, mut floors) = (Vec::new(), Vec::new());
        let answer = (case.smooth)(&case.data)?; // warms up, too
        for _ in 0..ROUNDS {
            let start = ThreadTime::now();
            black_box((case.smooth)(black_box(&case.data))?);
            times.push(milliseconds(start));
            let mut copy = case.data.clone();
            let start = ThreadTime::now();
            copy.sort_unstable_by(f64::total_cmp);
            floors.push(milliseconds(start));
            black_box(copy);
        }
        let (time, floor) = (median(times), median(floors));
        let met = if time <= LIMIT * floor { "yes" } else { "NO" };
        println!(
            "| {:48} | {answer:12.3e} | {time:8.1} | {floor:8.1} | {:6.2} | {met:3} |",
            case.name,
            time / floor
        );
    }
    for (name, graph) in graphs().iter().filter(|(name, _)| name.contains(&wanted)) {
        for beta in [0.1, 1e-3, 1e-9] {
            let mut times = Vec::new();
            let mut smooth = 0.0;
            for _ in 0..ROUNDS {
                let start = ThreadTime::now();
                smooth = Triangles::new(NODES).smooth(black_box(graph), Smoothness::new(beta)?)?;
                times.push(milliseconds(start));
            }
            let time = median(times);
            let met = if time <= LIMIT_OF_TRIANGLES { "yes" } else { "NO" };
            let name = format!("{name}, {} edges, β = {beta:e}", graph.edges());
            println!("| {name:48} | {smooth:12.3e} | {time:8.1} | {:>8} | {:>6} | {met:3} |", "", "");
        }
    }
    Ok(())
}

/// Graphs without and with hubs, and one in which a node knows all others.
fn graphs() -> [(&'static str, Graph); 3] {
    let scattered = |i: u32, by: f64| (f64::from(i) * by).fract();
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // below the number of nodes
    let node = |u: f64| (u * f64::from(NODES)) as u32;
    let even = (0..EDGES).map(move |i| {
        (node(scattered(i, 0.618_033_988_749_894_8)), node(scattered(i, 0.754_877_666_246_692_7)))
    });
    // The density of nodes is like 1/√node.
    let hubs = (0..EDGES).map(move |i| {
        (
            node(scattered(i, 0.618_033_988_749_894_8).powi(2)),
            node(scattered(i, 0.754_877_666_246_692_7).powi(2)),
        )
    });
    let wheel =
        (1..NODES).flat_map(|i| (0..10).map(move |j| if j == 0 { (0, i) } else { (i, (i + j) % NODES) }));
    [
        ("triangles, even", Graph::new(NODES, even)),
        ("triangles, hubs", Graph::new(NODES, hubs)),
        ("triangles, wheel", Graph::new(NODES, wheel)),
    ]
}

type Smooth = Box<dyn Fn(&[f64]) -> Result<f64, Error>>;

/// A smooth sensitivity of a list of numbers.
struct Case {
    name: String,
    data: Vec<f64>,
    smooth: Smooth,
}

/// The median, the trimmed and winsorised means, the variance and the standard deviation of a million numbers, for rates at which few and at which all windows count.
fn numbers() -> Result<Vec<Case>, Error> {
    let bounds = Bounds::new(-1000.0, 1000.0)?;
    let mut cases = Vec::new();
    for (law, data) in [("spread", spread()), ("clustered", clustered())] {
        for beta in [0.1, 1e-3, 1e-5, 1e-7] {
            let rate = Smoothness::new(beta)?;
            let median = Quantile::median(bounds);
            let fixed = median.under_replace_one(SIZE)?;
            let quantile = Quantile::new(bounds, 0.9)?;
            let (trimmed, winsorised) =
                (TrimmedMean::new(bounds, SIZE, SIZE / 10)?, WinsorisedMean::new(bounds, SIZE, SIZE / 10)?);
            let (variance, deviation) = (Variance::new(bounds, SIZE)?, StandardDeviation::new(bounds, SIZE)?);
            let mut case = |query: &str, smooth: Smooth| {
                let name = format!("{query}, {law} data, β = {beta:e}");
                cases.push(Case { name, data: data.clone(), smooth });
            };
            case("median", Box::new(move |data| fixed.smooth(data, rate)));
            case("median, add/remove", Box::new(move |data| median.smooth(data, rate)));
            case("0.9-quantile, add/remove", Box::new(move |data| quantile.smooth(data, rate)));
            case("trimmed mean (10 %)", Box::new(move |data| trimmed.smooth(data, rate)));
            case("winsorised mean (10 %)", Box::new(move |data| winsorised.smooth(data, rate)));
            case("variance", Box::new(move |data| variance.smooth(data, rate)));
            case("standard deviation", Box::new(move |data| deviation.smooth(data, rate)));
        }
    }
    Ok(cases)
}

/// Numbers in the unit interval, in no order: multiples of the golden ratio.
fn uniform() -> impl Iterator<Item = f64> {
    (0u32..).map(|i| (f64::from(i) * 0.618_033_988_749_894_8).fract()).take(SIZE)
}

/// Evenly over the bounds.
fn spread() -> Vec<f64> {
    uniform().map(|u| 2000.0 * (u - 0.5)).collect()
}

/// Around zero with heavy tails, so that windows of all lengths matter.
fn clustered() -> Vec<f64> {
    uniform().map(|u| (u - 0.5).powi(3) / (1e-4 + u * (1.0 - u))).collect()
}

fn milliseconds(start: ThreadTime) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
