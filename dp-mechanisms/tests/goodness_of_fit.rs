//! Draws of every sampler against the exact probabilities of its law.
//!
//! The probabilities were computed to 40 digits by `fixtures/laws.py`, which knows nothing of the
//! samplers. By default there are 10⁵ draws of each;
//! `cargo test --release -p dp-mechanisms --test goodness_of_fit -- --ignored` makes it 10⁷. A
//! right sampler fails one of the two tests, Pearson's χ² and the relative entropy, with
//! probability 2·10⁻⁶ at most. The seed is fixed, so what passes once passes always.
//!
//! Releases on a grid are compared with the law before rounding where the grid is fine: a cell then
//! ends on a point of the grid instead of halfway between two, which moves its probability by a
//! density times half a step. With steps of 2⁻³⁰ that is 10⁵ times less than 10⁷ draws can see,
//! with 2⁻¹⁹ a hundred times.

#![allow(clippy::unwrap_used)] // a panic is how a test says no

mod multinomial;

use dp_core::{Bounds, Mechanism, Scale};
use dp_mechanisms::rng::Insecure;
use dp_mechanisms::sample::{
    ArsinhNormalLaw, Binomial, CauchyLaw, ExponentialLaw, FlatLaw, Geometric, GumbelLaw, LaplaceLogNormalLaw,
    Law, NormalLaw, PolyPlaceLaw, PolynomialTailLaw, Rounded, StudentTLaw, UniformLogNormalLaw,
};
use dp_mechanisms::{BoundedLaplace, DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace};
use multinomial::p_value;

const LAWS: &str = include_str!("fixtures/laws.txt");
const FALSE_ALARM: f64 = 1e-6;

/// Every law that has a sampler, and the sampler: one line each. All scales are multiplied by a
/// factor, which is one for the laws themselves and another number for samplers that must be
/// caught.
fn samplers(factor: f64) -> Vec<Sampler> {
    let scaled = move |scale: f64| Scale::new(scale * factor).unwrap();
    let laplace = move |b: f64| Laplace::with_scale(scaled(b));
    let gaussian = move |sigma: f64| Gaussian::with_scale(scaled(sigma));
    let unit_interval = Bounds::new(0.0, 1.0).unwrap();
    let on_quarters = |sigma: f64| gaussian(sigma).on_grid(-2).unwrap();
    vec![
        noise("laplace scale 1", laplace(1.0), 0.0),
        noise("laplace scale 1.7 at 0.3", laplace(1.7), 0.3),
        noise("laplace scale 1.7 at 0.3 grid -2", laplace(1.7).on_grid(-2).unwrap(), 0.3),
        many("laplace scale 1.7 at 0.3", move |released, rng| {
            released.fill(0.3);
            laplace(1.7).draw_into(released, rng);
        }),
        noise("gaussian scale 1", gaussian(1.0), 0.0),
        noise("gaussian scale 1.7 at 0.3", gaussian(1.7), 0.3),
        noise("gaussian scale 0.3 grid -2", on_quarters(0.3), 0.0),
        noise("gaussian scale 1 grid -2", on_quarters(1.0), 0.0),
        noise("gaussian scale 10 grid -2", on_quarters(10.0), 0.0),
        many("gaussian scale 1.7 at 0.3", move |released, rng| {
            released.fill(0.3);
            gaussian(1.7).draw_into(released, rng);
        }),
        singles("gaussian scale 1.7 at 0.3", gaussian(1.7).on_grid(-19).unwrap(), 0.3),
        singles("gaussian scale 0.3 grid -2", on_quarters(0.3), 0.0),
        singles("gaussian scale 1 grid -2", on_quarters(1.0), 0.0),
        singles("gaussian scale 10 grid -2", on_quarters(10.0), 0.0),
        integers("discrete laplace scale 0.3", DiscreteLaplace::with_scale(scaled(0.3))),
        integers("discrete laplace scale 1", DiscreteLaplace::with_scale(scaled(1.0))),
        integers("discrete laplace scale 10", DiscreteLaplace::with_scale(scaled(10.0))),
        integers("discrete laplace scale 1e6", DiscreteLaplace::with_scale(scaled(1e6))),
        integers("discrete gaussian scale 0.3", DiscreteGaussian::with_scale(scaled(0.3))),
        integers("discrete gaussian scale 1", DiscreteGaussian::with_scale(scaled(1.0))),
        integers("discrete gaussian scale 10", DiscreteGaussian::with_scale(scaled(10.0))),
        integers("discrete gaussian scale 1e6", DiscreteGaussian::with_scale(scaled(1e6))),
        binomial("binomial 20 0.3", 20, 0.3 * factor),
        binomial("binomial 1000 0.5", 1000, 0.5 * factor),
        rounded("gumbel", GumbelLaw, scaled(1.0)),
        rounded("exponential", ExponentialLaw, scaled(1.0)),
        each("uniform", move |rng| Rounded::new(FlatLaw, scaled(0.5)).around(0.5, rng)),
        rounded("uniform about 0", FlatLaw, scaled(1.0)),
        noise(
            "bounded laplace scale 0.3 at 0.2",
            BoundedLaplace::with_scale(scaled(0.3), unit_interval),
            0.2,
        ),
        rounded("student 1", CauchyLaw, scaled(1.0)),
        rounded("student 1", StudentTLaw::new(1.0).unwrap(), scaled(1.0)),
        rounded("student 2.5", StudentTLaw::new(2.5).unwrap(), scaled(1.0)),
        rounded("student 3", StudentTLaw::new(3.0).unwrap(), scaled(1.0)),
        rounded("gaussian scale 1", NormalLaw, scaled(1.0)),
        rounded("polynomial tail 2", PolynomialTailLaw::new(2.0).unwrap(), scaled(1.0)),
        rounded("polynomial tail 4", PolynomialTailLaw::new(4.0).unwrap(), scaled(1.0)),
        rounded("poly place 2.5", PolyPlaceLaw::new(2.5).unwrap(), scaled(1.0)),
        rounded("laplace log-normal 0.5", LaplaceLogNormalLaw::new(0.5).unwrap(), scaled(1.0)),
        rounded("uniform log-normal 0.5", UniformLogNormalLaw::new(0.5).unwrap(), scaled(1.0)),
        rounded("arsinh-normal 0.7", ArsinhNormalLaw::new(0.7).unwrap(), scaled(1.0)),
        geometric("geometric scale 1", Geometric::new(scaled(1.0))),
        geometric("geometric scale 10", Geometric::new(scaled(10.0))),
    ]
}

#[test]
fn a_hundred_thousand_draws_fit() {
    assert_all_fit(100_000);
}

#[test]
#[ignore = "takes minutes without optimisation"]
fn ten_million_draws_fit() {
    assert_all_fit(10_000_000);
}

/// With this many draws an error of this size in the scale must be seen, in either direction.
fn assert_all_are_caught(error: f64, draws: usize) {
    for factor in [1.0 - error, 1.0 + error] {
        for mut sampler in samplers(factor) {
            let p = sampler.p_value(draws);
            assert!(p < FALSE_ALARM, "{}, times {factor}: p = {p:e}", sampler.law);
        }
    }
}

#[test]
fn a_scale_that_is_a_tenth_off_is_seen() {
    assert_all_are_caught(0.1, 100_000);
}

#[test]
#[ignore = "takes minutes without optimisation"]
fn a_scale_that_is_a_hundredth_off_is_seen() {
    assert_all_are_caught(0.01, 10_000_000);
}

#[test]
fn every_law_has_a_sampler() {
    let sampled: Vec<&str> = samplers(1.0).iter().map(|sampler| sampler.law).collect();
    for name in LAWS.lines().filter_map(|line| line.strip_prefix("law ")) {
        assert!(sampled.contains(&name), "{name}");
    }
}

#[test]
fn laws_are_probabilities_in_rising_cells() {
    for name in LAWS.lines().filter_map(|line| line.strip_prefix("law ")) {
        let law = Cells::read(name);
        assert!(law.ends.is_sorted() && law.ends.last() == Some(&f64::INFINITY), "{name}");
        assert!((law.probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-14, "{name}");
        assert!(law.probabilities.iter().all(|p| *p > 1.8e-4), "{name}");
    }
}

/// Draws are made in portions of this size.
const PORTION: usize = 1000;

type Fill = Box<dyn FnMut(&mut [f64], &mut Insecure)>;

struct Sampler {
    law: &'static str,
    fill: Fill,
}

/// A sampler of many values at once.
fn many(law: &'static str, fill: impl FnMut(&mut [f64], &mut Insecure) + 'static) -> Sampler {
    Sampler { law, fill: Box::new(fill) }
}

/// A sampler of one value.
fn each(law: &'static str, mut draw: impl FnMut(&mut Insecure) -> f64 + 'static) -> Sampler {
    many(law, move |released, rng| released.fill_with(|| draw(rng)))
}

/// A mechanism that adds noise to a float, at an answer.
fn noise(
    law: &'static str,
    mechanism: impl Mechanism<Input = f64, Output = f64> + 'static,
    answer: f64,
) -> Sampler {
    each(law, move |rng| mechanism.draw(&answer, rng).unwrap())
}

/// Gaussian noise on many numbers of single precision, at an answer.
fn singles(law: &'static str, noise: Gaussian, answer: f32) -> Sampler {
    many(law, move |released, rng| {
        let mut singles = [answer; PORTION];
        noise.draw_into(&mut singles, rng);
        for (released, single) in released.iter_mut().zip(singles) {
            *released = single.into();
        }
    })
}

/// A mechanism that adds noise to an integer, at 0.
fn integers(law: &'static str, mechanism: impl Mechanism<Input = i64, Output = i64> + 'static) -> Sampler {
    #[allow(clippy::cast_precision_loss)] // far below 2⁵³
    each(law, move |rng| mechanism.draw(&0, rng).unwrap() as f64)
}

fn rounded(law: &'static str, ideal: impl Law + 'static, scale: Scale) -> Sampler {
    let rounded = Rounded::new(ideal, scale);
    many(law, move |values, rng| rounded.draw_into(values, rng))
}

fn binomial(law: &'static str, trials: u64, p: f64) -> Sampler {
    let binomial = Binomial::new(trials, p).unwrap();
    #[allow(clippy::cast_precision_loss)] // far below 2⁵³
    each(law, move |rng| binomial.draw(rng) as f64)
}

fn geometric(law: &'static str, geometric: Geometric) -> Sampler {
    #[allow(clippy::cast_precision_loss)] // far below 2⁵³
    each(law, move |rng| geometric.draw(rng) as f64)
}

impl Sampler {
    fn p_value(&mut self, draws: usize) -> f64 {
        let (counts, law) = self.counts(draws);
        p_value(&counts, &law.probabilities)
    }

    /// How many draws fall into each cell of the law.
    fn counts(&mut self, draws: usize) -> (Vec<u64>, Cells) {
        let law = Cells::read(self.law);
        let mut rng = Insecure::seeded(20_240_611);
        let mut counts = vec![0; law.ends.len()];
        let mut released = [0.0; PORTION];
        for _ in 0..draws / PORTION {
            (self.fill)(&mut released, &mut rng);
            for value in released {
                counts[law.ends.partition_point(|end| *end < value)] += 1;
            }
        }
        (counts, law)
    }
}

fn assert_all_fit(draws: usize) {
    for mut sampler in samplers(1.0) {
        let (counts, law) = sampler.counts(draws);
        let (statistic, limit) = chi_square(&counts, &law.probabilities, FALSE_ALARM);
        println!("{:40} χ² = {statistic:6.1}, {} cells, limit {limit:.1}", sampler.law, counts.len());
        assert!(statistic < limit, "{}: χ² = {statistic}", sampler.law);
        let p = p_value(&counts, &law.probabilities);
        assert!(p > FALSE_ALARM, "{}: p = {p:e}", sampler.law);
    }
}

/// Pearson's χ² of the counts, and what it stays below but for a `false_alarm`, if it has the χ²
/// law of one degree of freedom less than cells: with d degrees χ² passes d + 2√(dx) + 2x with
/// probability e^−x at most (Laurent and Massart 2000).
fn chi_square(counts: &[u64], probabilities: &[f64], false_alarm: f64) -> (f64, f64) {
    #[allow(clippy::cast_precision_loss)] // far fewer than 2⁵³ draws
    let (counts, d): (Vec<f64>, f64) =
        (counts.iter().map(|count| *count as f64).collect(), counts.len() as f64 - 1.0);
    let draws: f64 = counts.iter().sum();
    let terms = counts.iter().zip(probabilities).map(|(count, p)| (count - draws * p).powi(2) / (draws * p));
    let x = -false_alarm.ln();
    (terms.sum(), d + 2.0 * (d * x).sqrt() + 2.0 * x)
}

/// Cells of the line: each reaches from the end before it to its own, which belongs to it.
struct Cells {
    ends: Vec<f64>,
    probabilities: Vec<f64>,
}

impl Cells {
    fn read(name: &str) -> Self {
        let cells = LAWS.lines().skip_while(|line| line.strip_prefix("law ") != Some(name)).skip(1);
        let cells = cells.take_while(|line| !line.is_empty()).filter(|line| !line.starts_with('#'));
        let (ends, probabilities): (Vec<_>, Vec<_>) = cells
            .map(|line| {
                let (end, p) = line.split_once(' ').expect("a cell is an end and a probability");
                (end.parse::<f64>().expect("an end"), p.parse::<f64>().expect("a probability"))
            })
            .unzip();
        assert!(!ends.is_empty(), "fixtures/laws.txt has no law called {name:?}");
        Self { ends, probabilities }
    }
}
