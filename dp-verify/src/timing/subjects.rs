//! What is timed: every mechanism, on inputs that an attacker would choose.

use std::collections::BTreeMap;

use dp_core::{Bounds, Delta, Epsilon, Measurement, Mechanism, Scale};
use dp_mechanisms::local::{HadamardResponse, KRandomizedResponse, RandomizedResponse, UnaryEncoding};
use dp_mechanisms::rng::Insecure;
use dp_mechanisms::sample::{Law, PolyPlaceLaw, PolynomialTailLaw, Rounded, StudentTLaw};
use dp_mechanisms::selection::{
    Exponential, ExponentialNoise, GumbelNoise, LaplaceNoise, NoisyMax, PermuteAndFlip, TopK,
};
use dp_mechanisms::{
    AboveThreshold, BoundedLaplace, DiscreteGaussian, DiscreteLaplace, Gaussian, KeySelection, Laplace,
    SparseHistogram, StabilityHistogram, TruncatedHistogram,
};
use dp_sensitivity::smooth::{self, Smoothly};
use dp_sensitivity::{Quantile, Quantiles};

use super::{Expected, Test, by_input};

const POSSIBLE: &str = "the parameters are possible";

fn scale(b: f64) -> Scale {
    Scale::new(b).expect(POSSIBLE)
}

/// An ordinary answer first; then subnormal numbers, boundaries of a grid, both sides of powers of
/// two (in values and in steps of 2⁻³⁰), huge numbers, and none at all.
fn reals() -> Vec<(&'static str, f64)> {
    vec![
        ("5.3", 5.3),
        ("0", 0.0),
        ("1e-320", 1e-320),
        ("a boundary", 2f64.powi(-31)),
        ("a negative number", -5.3),
        ("2²² − a step", 2f64.powi(22) - 2f64.powi(-30)),
        ("2²²", 2f64.powi(22)),
        ("2³² − 1", 2f64.powi(32) - 1.0),
        ("2³²", 2f64.powi(32)),
        ("2⁶²", 2f64.powi(62)),
        ("1e300", 1e300),
        ("infinity", f64::INFINITY),
        ("NaN", f64::NAN),
    ]
}

fn integers() -> Vec<(&'static str, i64)> {
    vec![("5", 5), ("0", 0), ("-5", -5), ("2³²", 1 << 32), ("2⁶²", 1 << 62), ("the largest", i64::MAX)]
}

/// Some hundred scores: more than one block of them.
fn scores() -> Vec<(&'static str, Vec<f64>)> {
    let of = |score: &dyn Fn(u16) -> f64| (0..300).map(score).collect::<Vec<f64>>();
    vec![
        ("mixed scores", of(&|i| f64::from(i * 77 % 300) / 10.0)),
        ("ties", of(&|_| 0.0)),
        ("rising", of(&f64::from)),
        ("falling", of(&|i| f64::from(300 - i))),
        ("one far ahead", of(&|i| if i == 299 { 1e20 } else { 0.0 })),
        ("subnormal", of(&|i| f64::from(i) * 1e-322)),
        ("huge ties", of(&|_| 1e300)),
        ("no numbers", of(&|i| if i % 2 == 0 { f64::NAN } else { f64::INFINITY })),
        ("a tie for the tenth place", of(&|i| if i < 9 { 50.0 } else { 0.0 })),
    ]
}

fn even<I: 'static, T: 'static>(
    sampler: &'static str,
    batch: u32,
    inputs: Vec<(&'static str, I)>,
    draw: impl Fn(&I, &mut Insecure) -> T + 'static,
) -> Test {
    by_input(sampler, Expected::Even, batch, inputs, draw)
}

fn number<I: 'static, M>(
    sampler: &'static str,
    batch: u32,
    inputs: Vec<(&'static str, I)>,
    mechanism: M,
) -> Test
where
    M: Mechanism<Input = I> + 'static,
    M::Output: 'static,
{
    even(sampler, batch, inputs, move |answer, rng| mechanism.draw(answer, rng).ok())
}

fn selection<M>(sampler: &'static str, mechanism: M) -> Test
where
    M: Mechanism<Input = [f64]> + 'static,
    M::Output: 'static,
{
    even(sampler, 1, scores(), move |scores, rng| mechanism.draw(scores, rng).ok())
}

fn law<L: Law + 'static>(sampler: &'static str, law: L) -> Test {
    let noise = Rounded::new(law, scale(1.3));
    even(sampler, 8, reals(), move |answer, rng| noise.around(*answer, rng))
}

fn report<M>(sampler: &'static str, oracle: M) -> Test
where
    M: Measurement<Data = u32> + 'static,
    M::Output: 'static,
{
    let values = vec![("3", 3), ("0", 0), ("the last", 15), ("none", u32::MAX)];
    even(sampler, 4, values, move |value, rng| oracle.draw(value, rng).ok())
}

/// Lists of equal answers.
fn list(answers: Vec<(&'static str, f64)>) -> Vec<(&'static str, Vec<f64>)> {
    answers.into_iter().map(|(name, answer)| (name, vec![answer; 64])).collect()
}

/// Answers in the middle of a step of 8, on its ends, and next to them: noise of scale 1.3 seldom
/// leaves the step.
fn beside_steps() -> Vec<(&'static str, f64)> {
    vec![
        ("1.7", 1.7),
        ("0", 0.0),
        ("half a step", 4.0),
        ("just below half a step", 4f64.next_down()),
        ("1e-320", 1e-320),
        ("half a step below 2³²", 2f64.powi(32) - 4.0),
        ("2⁶² and half a step", 2f64.powi(62) + 4.0),
    ]
}

pub(super) fn all() -> Vec<Test> {
    let (laplace, gaussian) = (Laplace::with_scale(scale(1.3)), Gaussian::with_scale(scale(1.3)));
    let bounds = |l, u| Bounds::new(l, u).expect(POSSIBLE);
    let mut tests = vec![
        number("Laplace", 32, reals(), laplace),
        number("Gaussian", 32, reals(), gaussian),
        number("bounded Laplace", 16, reals(), BoundedLaplace::with_scale(scale(1.0), bounds(-1e300, 1e300))),
        number("discrete Laplace", 32, integers(), DiscreteLaplace::with_scale(scale(1.3))),
        number("discrete Gaussian", 32, integers(), DiscreteGaussian::with_scale(scale(1300.7))),
        law("PolyPlace noise", PolyPlaceLaw::new(3.0).expect(POSSIBLE)),
        law("Student t noise", StudentTLaw::new(3.0).expect(POSSIBLE)),
        law("polynomial-tail noise", PolynomialTailLaw::new(4.0).expect(POSSIBLE)),
        number("Laplace, steps of 8", 32, beside_steps(), laplace.on_grid(3).expect(POSSIBLE)),
        number("Gaussian, steps of 8", 32, beside_steps(), gaussian.on_grid(3).expect(POSSIBLE)),
    ];
    tests.push(near_the_bounds());
    tests.extend(lists());
    tests.push(smooth_median());
    tests.extend([released_median(), released_quartiles()]);
    tests.extend([
        selection("exponential mechanism", Exponential::with_scale(scale(2.0))),
        selection("noisy max, Gumbel", NoisyMax::<GumbelNoise>::with_scale(scale(2.0))),
        selection("noisy max, exponential", NoisyMax::<ExponentialNoise>::with_scale(scale(2.0))),
        selection("noisy max, Laplace", NoisyMax::<LaplaceNoise>::with_scale(scale(2.0))),
        selection("permute and flip", PermuteAndFlip::with_scale(scale(2.0))),
        selection("the ten best", TopK::with_scale(scale(2.0), 10).expect(POSSIBLE)),
    ]);
    tests.extend([
        sparse_vector("sparse vector", 10.0),
        sparse_vector("sparse vector, large threshold", 1e17),
    ]);
    tests.extend(histograms());
    let response = RandomizedResponse::epsilon(1.0).expect(POSSIBLE);
    tests.push(even("randomized response", 8, vec![("no", false), ("yes", true)], move |bit, rng| {
        Measurement::draw(&response, bit, rng).ok()
    }));
    tests.extend([
        report("k-ary response", KRandomizedResponse::epsilon(1.0, 16).expect(POSSIBLE)),
        report("unary encoding", UnaryEncoding::epsilon(1.0, 16).expect(POSSIBLE)),
        report("Hadamard response", HadamardResponse::epsilon(1.0, 16).expect(POSSIBLE)),
    ]);
    tests
}

fn near_the_bounds() -> Test {
    let noise = BoundedLaplace::with_scale(scale(1.0), Bounds::new(0.0, 2f64.powi(33)).expect(POSSIBLE));
    let answers = vec![
        ("the middle", 2f64.powi(32)),
        ("the lower bound", 0.0),
        ("a subnormal above it", 1e-320),
        ("half a scale above it", 0.5),
        ("the upper bound", 2f64.powi(33)),
        ("beyond", -1.0),
    ];
    number("bounded Laplace, near the bounds", 16, answers, noise)
}

fn lists() -> Vec<Test> {
    let (laplace, gaussian) = (Laplace::with_scale(scale(1.3)), Gaussian::with_scale(scale(1.3)));
    let coarse = gaussian.on_grid(-12).expect(POSSIBLE);
    let drawn = |name, gaussian: Gaussian| {
        even(name, 1, list(reals()), move |answers, rng| {
            let mut values = [0.0; 64];
            values.copy_from_slice(answers);
            gaussian.draw_into(&mut values, rng);
            values
        })
    };
    #[allow(clippy::cast_possible_truncation, reason = "to the nearest single, infinite or subnormal")]
    let singles = list(reals())
        .into_iter()
        .map(|(name, answers)| {
            (name, answers.into_iter().map(|answer| answer as f32 * 1e-2).collect::<Vec<f32>>())
        })
        .collect();
    vec![
        even("Laplace, a list", 1, list(reals()), move |answers: &Vec<f64>, rng| {
            let mut values = [0.0; 64];
            values.copy_from_slice(answers);
            laplace.draw_into(&mut values, rng);
            values
        }),
        drawn("Gaussian, a list", gaussian),
        drawn("Gaussian on a coarse grid, a list", coarse),
        even("Gaussian, a list of singles", 1, singles, move |answers: &Vec<f32>, rng| {
            let mut values = [0f32; 64];
            values.copy_from_slice(answers);
            coarse.draw_into(&mut values, rng);
            values
        }),
    ]
}

/// Equal records, so that the query has the same work to do for all of them.
fn smooth_median() -> Test {
    let query = Quantile::median(Bounds::new(-1e7, 1e7).expect(POSSIBLE));
    let median = query.smoothly(smooth::PolyPlace::epsilon(1.0).expect(POSSIBLE)).expect(POSSIBLE);
    let of = |name, value: f64| (name, vec![value; 11]);
    let data = vec![
        of("5.3", 5.3),
        of("0", 0.0),
        of("1e-320", 1e-320),
        of("below 2²²", 2f64.powi(22) - 1.0),
        of("2²²", 2f64.powi(22)),
        of("-5.3", -5.3),
    ];
    even("median with smooth noise", 4, data, move |records, rng| median.draw(records.as_slice(), rng).ok())
}

/// A median by the exponential mechanism, of as many records in order: heaps, and gaps of all
/// widths.
fn released_median() -> Test {
    const RECORDS: u32 = 501;
    let of = |name, record: &dyn Fn(u32) -> f64| (name, (0..RECORDS).map(record).collect::<Vec<f64>>());
    let data = vec![
        of("records far apart", &|i| 2e4 + 100.1 * f64::from(i)),
        of("a heap on a round number", &|_| 43_000.0),
        of("a heap on no round number", &|_| 43_000.123),
        of("a heap at 0", &|_| 0.0),
        of("a heap of subnormal records", &|_| 1e-320),
        of("a heap of infinities", &|_| f64::INFINITY),
        of("two heaps", &|i| if i < RECORDS / 2 { 0.0 } else { 2e5 }),
        of("steps of the candidates", &|i| 1e-9 * f64::from(i)),
    ];
    let query = Quantile::median(Bounds::new(0.0, 2e5).expect(POSSIBLE));
    let median = query.epsilon(1.0).expect(POSSIBLE);
    even("released median", 1, data, move |records, rng| median.draw(records.as_slice(), rng).ok())
}

/// Three quantiles: the first release looks at the ranks from 855 to 1145 or so, and a heap that
/// few records more bring there must not take more work.
fn released_quartiles() -> Test {
    let of = |name, heap: u32| {
        let record = |i: u32| if i < heap { 7.0 } else { 1e4 + 10.1 * f64::from(i) };
        (name, (0..2001).map(record).collect::<Vec<f64>>())
    };
    let data = vec![
        of("a heap of 840 records", 840),
        of("of 854", 854),
        of("of 856", 856),
        of("of 858", 858),
        of("of 870", 870),
    ];
    let bounds = Bounds::new(0.0, 2e5).expect(POSSIBLE);
    let all = Quantiles::new(bounds, &[0.25, 0.5, 0.75]).and_then(|all| all.epsilon(1.0)).expect(POSSIBLE);
    even("released quartiles", 1, data, move |records, rng| all.draw(records.as_slice(), rng).ok())
}

fn sparse_vector(sampler: &'static str, threshold: f64) -> Test {
    let mechanism = AboveThreshold::with_scales(threshold, 1, scale(2.0), scale(4.0)).expect(POSSIBLE);
    let mut answers = reals();
    answers.push(("the threshold", threshold));
    answers.push(("just above the threshold", threshold.next_up()));
    even(sampler, 4, answers, move |answer, rng| mechanism.draw(&[*answer], rng).ok())
}

/// The same cells with other counts. How many cells are occupied does show: it is not part of the
/// promise.
fn histograms() -> [Test; 4] {
    fn counts(count: u64) -> BTreeMap<u64, u64> {
        (0..8).map(|cell| (cell, count)).collect()
    }
    // All far above the threshold, so that all are published: the time to publish them is that of
    // the output.
    let lists = || {
        vec![
            ("10³", counts(1000)),
            ("2³²", counts(1 << 32)),
            ("2⁶²", counts(1 << 62)),
            ("2⁶⁴ − 1", counts(u64::MAX)),
        ]
    };
    let (stable, sparse) = (
        StabilityHistogram::<u64>::new(scale(2.0), 50).expect(POSSIBLE),
        SparseHistogram::new(scale(2.0), 1 << 20, 50).expect(POSSIBLE),
    );
    let step = (Epsilon::new(0.5).expect(POSSIBLE), Delta::new(1e-6).expect(POSSIBLE));
    let (keys, truncated) = (
        KeySelection::<u64>::new(step.0, step.1).expect(POSSIBLE),
        TruncatedHistogram::<u64>::new(scale(2.0), 50).expect(POSSIBLE),
    );
    [
        even("stability histogram", 4, lists(), move |counts, rng| stable.draw(counts, rng).ok()),
        even("key selection", 4, lists(), move |counts, rng| keys.draw(counts, rng).ok()),
        even("truncated histogram", 4, lists(), move |counts, rng| truncated.draw(counts, rng).ok()),
        even("sparse histogram", 4, lists(), move |counts, rng| sparse.draw(counts, rng).ok()),
    ]
}
