//! What is timed.

use dp_core::{Bounds, Mechanism, Scale};
use dp_mechanisms::local::RandomizedResponse;
use dp_mechanisms::rng::Insecure;
use dp_mechanisms::selection::{Exponential, PermuteAndFlip};
use dp_mechanisms::{BoundedLaplace, DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace};
use rand_core::Rng;

use super::{Test, by_magnitude, chosen, fractions};

const INPUTS: &str = "fixed versus random input";
const SCALES: &str = "scale 1.3 versus 1300.7";
/// What the sampler to compare with is called.
pub(super) const FRACTIONS: &str = "fractions of long integers, discrete Laplace";

fn scale(b: f64) -> Scale {
    Scale::new(b).expect("a positive constant")
}

/// The two scales that are compared: both are fractions with as many digits as a float has.
fn scales<M>(of: impl Fn(Scale) -> M) -> [M; 2] {
    [of(scale(1.3)), of(scale(1300.7))]
}

/// A fixed answer, or one anywhere in [−1000, 1000].
fn real(fixed: bool, rng: &mut Insecure) -> f64 {
    let random = f64::from(rng.next_u32()) / f64::from(u32::MAX) * 2000.0 - 1000.0;
    if fixed { 1.0 } else { random }
}

fn integer(fixed: bool, rng: &mut Insecure) -> i64 {
    let random = i64::from(rng.next_u32() % 2001) - 1000;
    if fixed { 1 } else { random }
}

/// Sixteen scores, the same ones or others each time.
fn scores(fixed: bool, rng: &mut Insecure) -> Vec<f64> {
    let random: Vec<f64> = (0..16).map(|_| f64::from(rng.next_u32() % 8)).collect();
    if fixed { (0..16).map(|i| f64::from(i % 8)).collect() } else { random }
}

/// The tests of a mechanism on one number: by its input, and by its scale.
fn pair<M, I>(
    name: &'static str,
    [small, large]: [M; 2],
    input: impl Fn(bool, &mut Insecure) -> I + Copy + 'static,
) -> [Test; 2]
where
    M: Mechanism<Input = I> + Clone + 'static,
    M::Output: 'static,
    I: 'static,
{
    let one = small.clone();
    [
        chosen(name, INPUTS, input, move |_, answer, rng| one.draw(answer, rng).ok()),
        chosen(
            name,
            SCALES,
            move |_, rng| input(true, rng),
            move |first, answer, rng| if first { &small } else { &large }.draw(answer, rng).ok(),
        ),
    ]
}

/// The tests of a selection.
fn selection<M>(name: &'static str, [small, large]: [M; 2]) -> [Test; 2]
where
    M: Mechanism<Input = [f64], Output = usize> + Clone + 'static,
{
    let one = small.clone();
    [
        chosen(name, INPUTS, scores, move |_, scores, rng| one.draw(scores, rng).ok()),
        chosen(
            name,
            SCALES,
            |_, rng| scores(true, rng),
            move |first, scores, rng| if first { &small } else { &large }.draw(scores, rng).ok(),
        ),
    ]
}

pub(super) fn all() -> Vec<Test> {
    let bounds = Bounds::new(-1000.0, 1000.0).expect("−1000 is below 1000");
    let mut tests = vec![];
    tests.extend(pair("Laplace", scales(Laplace::with_scale), real));
    tests.extend(pair("Gaussian", scales(Gaussian::with_scale), real));
    tests.extend(pair("discrete Laplace", scales(DiscreteLaplace::with_scale), integer));
    tests.extend(pair("discrete Gaussian", scales(DiscreteGaussian::with_scale), integer));
    tests.extend(pair("bounded Laplace", scales(|b| BoundedLaplace::with_scale(b, bounds)), real));
    tests.extend(selection("exponential mechanism", scales(Exponential::with_scale)));
    tests.extend(selection("permute and flip", scales(PermuteAndFlip::with_scale)));

    let response = RandomizedResponse::new(1.0).expect("1 is an epsilon");
    tests.push(chosen(
        "randomized response",
        INPUTS,
        |fixed, rng| !fixed && rng.next_u32() & 1 == 1,
        move |_, bit, rng| dp_core::Measurement::draw(&response, bit, rng).ok(),
    ));

    let wide = scale(1300.7);
    let (laplace, gaussian) = (Laplace::with_scale(wide), Gaussian::with_scale(wide));
    let distance = |value: Result<f64, _>| value.map_or(0.0, f64::abs);
    tests.push(by_magnitude("Laplace", move |rng| laplace.draw(&0.0, rng), distance));
    tests.push(by_magnitude("Gaussian", move |rng| gaussian.draw(&0.0, rng), distance));
    let discrete = DiscreteLaplace::with_scale(wide);
    tests.push(by_magnitude(
        "discrete Laplace",
        move |rng| discrete.draw(&0, rng),
        |value| value.map_or(0.0, steps_from_zero),
    ));

    let [small, large] = [1.3, 1300.7].map(fractions::DiscreteLaplace::new);
    tests.push(chosen(
        FRACTIONS,
        SCALES,
        |_, _| (),
        move |first, (), rng| if first { &small } else { &large }.draw(rng),
    ));
    let one = fractions::DiscreteLaplace::new(1300.7);
    tests.push(by_magnitude(
        FRACTIONS,
        move |rng| one.draw(rng),
        |value| i64::try_from(value).map_or(f64::INFINITY, steps_from_zero),
    ));
    tests
}

#[allow(clippy::cast_precision_loss, reason = "noise is far below 2⁵³")]
fn steps_from_zero(value: i64) -> f64 {
    value.unsigned_abs() as f64
}
