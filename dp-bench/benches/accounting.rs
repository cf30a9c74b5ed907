//! Prints what the accountant's answers cost, with their limits.
//!
//! Times are those of one thread's processor, in milliseconds, and the limits are absolute: a slow machine misses some that a fast one meets. All cases take turns,
//! so that a busy minute falls on all of them; the median of the rounds counts. Building the composition is part of the time.
//!
//! `cargo bench -p dp-bench --bench accounting -- Rényi` runs only the cases with that in their names.

use std::fmt::{self, Display};
use std::hint::black_box;

use cpu_time::ThreadTime;
use dp_accounting::{Composition, DEFAULT_ACCURACY, Event, calibration};
use dp_core::pairs::{GaussianPair, LaplacePair};
use dp_core::rounding::{Enclosure, div_up};
use dp_core::{AddRemove, Approx, Delta, Epsilon, Error, Mu, Pure};

/// Odd, so that there is a median.
const ROUNDS: usize = 7;
/// In MB.
const MEMORY_LIMIT: f64 = 200.0;

type Releases = Composition<AddRemove>;
type Answer = Result<Enclosure, Error>;

fn main() -> Result<(), Error> {
    // `cargo test --benches` runs this too, and wants to know no more than that it builds.
    if !std::env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let mut cases = cases();
    cases.retain(|case| case.name.contains(&wanted));
    let mut times = vec![Vec::new(); cases.len()];
    let mut answers = Vec::new();
    for case in &cases {
        answers.push((case.answer)()?); // warms up, too
    }
    for _ in 0..ROUNDS {
        for (case, times) in cases.iter().zip(&mut times) {
            let start = ThreadTime::now();
            black_box((case.answer)()?);
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
    }
    println!("| {:52} | {:>36} | {:>7} | {:>9} | {:>5} | met |", "case", "answer", "width", "ms", "limit");
    println!("|{}", "---|".repeat(6));
    for ((case, times), answer) in cases.iter().zip(times).zip(answers) {
        println!("{}", Line { name: case.name, answer, time: median(times), limit: case.limit });
    }
    if let Some(peak) = peak_memory() {
        let verdict = if peak <= MEMORY_LIMIT { "met" } else { "NOT met" };
        println!("peak memory of the process: {peak:.1} MB, limit {MEMORY_LIMIT} MB: {verdict}");
    }
    Ok(())
}

/// A question, and the milliseconds that it may take.
struct Case {
    name: &'static str,
    limit: Option<f64>,
    answer: Box<dyn Fn() -> Answer>,
}

impl Case {
    fn new(name: &'static str, limit: impl Into<Option<f64>>, answer: impl Fn() -> Answer + 'static) -> Self {
        Self { name, limit: limit.into(), answer: Box::new(answer) }
    }

    /// The ε of releases at δ = 1e-6.
    fn epsilon(
        name: &'static str,
        limit: impl Into<Option<f64>>,
        accuracy: f64,
        releases: impl Fn() -> Result<Releases, Error> + 'static,
    ) -> Self {
        Self::new(name, limit, move || Ok(releases()?.epsilon_within(Delta::new(1e-6)?, accuracy)))
    }
}

fn cases() -> Vec<Case> {
    const THOUSAND: f64 = 200.0;
    let default = DEFAULT_ACCURACY;
    vec![
        Case::epsilon("ε, 10,000 steps (q = 0.01, σ = 1, δ = 1e-6)", 5.0, default, || training(10_000)),
        Case::epsilon("ε, the same, to 1e-6", None, 1e-6, || training(10_000)),
        Case::epsilon("ε, 10⁹ steps of the same", 5.0, default, || training(1_000_000_000)),
        Case::epsilon("ε, 10 steps of the same", None, default, || training(10)),
        Case::epsilon("ε, 1000 distinct sampled Gaussians, 10 of each", THOUSAND, default, || sampled(10)),
        Case::epsilon("ε, 1000 distinct sampled Gaussians, one of each", THOUSAND, default, || sampled(1)),
        Case::epsilon("ε, 1000 distinct mechanisms of four kinds", THOUSAND, default, mixed),
        Case::epsilon("ε, 1000 × Laplace (0.1)", None, default, || {
            Ok(Releases::new().with(laplace(0.1)?, 1000))
        }),
        Case::epsilon("ε, 1000 × randomised response (0.1)", None, default, || {
            Ok(Releases::new().with(Pure::new(0.1)?, 1000))
        }),
        Case::new("σ for (2, 1e-5): rate 256/60,000, 3516 steps", 50.0, noise),
        Case::new("Rényi ε, 10,000 steps (q = 0.01, σ = 1, δ = 1e-6)", 1.0, || {
            let epsilon = training(10_000)?.renyi_epsilon(Delta::new(1e-6)?);
            Ok(Enclosure::point(epsilon.get()))
        }),
    ]
}

/// A Gaussian mechanism with noise σ in units of its sensitivity, on a sample.
fn step(rate: f64, sigma: f64) -> Result<Event<AddRemove>, Error> {
    Event::poisson(rate, gaussian(sigma))
}

fn gaussian(sigma: f64) -> GaussianPair {
    GaussianPair::new(Mu::saturating(div_up(1.0, sigma)))
}

fn laplace(epsilon: f64) -> Result<LaplacePair, Error> {
    Ok(LaplacePair::new(Epsilon::new(epsilon)?))
}

fn training(steps: u64) -> Result<Releases, Error> {
    Ok(Releases::new().with(step(0.01, 1.0)?, steps))
}

/// A thousand distinct sampled Gaussians, `count` of each.
fn sampled(count: u64) -> Result<Releases, Error> {
    (0..1000)
        .map(f64::from)
        .try_fold(Releases::new(), |sum, i| Ok(sum.with(step(0.005 + 1e-5 * i, 0.8 + 1e-3 * i)?, count)))
}

/// A thousand distinct mechanisms: pure, Laplace, sampled Gaussian and Gaussian in turns.
fn mixed() -> Result<Releases, Error> {
    (0..1000u32).try_fold(Releases::new(), |sum, i| {
        let x = f64::from(i);
        Ok(match i % 4 {
            0 => sum.with(Pure::new(0.01 + 1e-5 * x)?, 1),
            1 => sum.with(laplace(0.01 + 1e-5 * x)?, 1),
            2 => sum.with(step(0.005 + 1e-5 * x, 0.8 + 1e-3 * x)?, 1),
            _ => sum.with(gaussian(50.0 + 0.1 * x), 1),
        })
    })
}

/// The noise for 15 epochs of batches of 256 from 60,000 records; the true one lies between what fails and what meets the target.
fn noise() -> Answer {
    let training = |sigma: f64| Ok(Releases::new().with(step(0.004_266_666_666_666_667, sigma)?, 3516));
    let found = calibration::least(training, Approx::new(2.0, 1e-5)?)?;
    Ok(Enclosure::new(found.fails.unwrap_or(0.0), found.value))
}

/// A case that was measured.
struct Line {
    name: &'static str,
    answer: Enclosure,
    time: f64,
    limit: Option<f64>,
}

impl Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (answer, width) = (self.answer, self.answer.relative_width());
        let ends = format!("[{:.10}, {:.10}]", answer.lo(), answer.hi());
        write!(f, "| {:52} | {ends:>36} | {width:7.1e} | {:9.3} |", self.name, self.time)?;
        match self.limit {
            Some(limit) => write!(f, " {limit:5} | {:3} |", if self.time <= limit { "yes" } else { "NO" }),
            None => write!(f, " {:>5} | {:>3} |", "–", "–"),
        }
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The most memory that the process ever had, in MB, where the system says so.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok().map(|kib| kib * 1024.0 / 1e6)
}
