//! How many random words a draw takes is a matter of the words, not of the private input: answers
//! and scores that an attacker would choose, on the same words.
//!
//! It is a test of the way and not of the clock, so nothing else that runs on the machine disturbs
//! it. A draw near a boundary of the grid takes more words, and boundaries lie elsewhere for other
//! answers: a few draws may differ.

use std::convert::Infallible;

use dp_core::{Bounds, Measurement, Mechanism, Scale};
use dp_mechanisms::local::{HadamardResponse, KRandomizedResponse, RandomizedResponse, UnaryEncoding};
use dp_mechanisms::rng::Insecure;
use dp_mechanisms::sample::{CauchyLaw, Law, NormalLaw, PolyPlaceLaw, Rounded, StudentTLaw};
use dp_mechanisms::selection::{Exponential, ExponentialNoise, LaplaceNoise, NoisyMax, PermuteAndFlip, TopK};
use dp_mechanisms::{AboveThreshold, BoundedLaplace, DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace};
use rand_core::TryRng;

/// A generator that counts what is asked of it, in bytes.
struct Counting {
    rng: Insecure,
    bytes: usize,
}

impl TryRng for Counting {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.bytes += 4;
        self.rng.try_next_u32()
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.bytes += 8;
        self.rng.try_next_u64()
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.bytes += bytes.len();
        self.rng.try_fill_bytes(bytes)
    }
}

const DRAWS: u64 = 1000;

/// How many bytes each of many draws takes, each from words of its own.
fn taken<I: ?Sized>(draw: &impl Fn(&I, &mut Counting), input: &I) -> Vec<usize> {
    let bytes = |seed| {
        let mut rng = Counting { rng: Insecure::seeded(seed), bytes: 0 };
        draw(input, &mut rng);
        rng.bytes
    };
    (0..DRAWS).map(bytes).collect()
}

/// At most `most` of the draws take another number of bytes on any of the inputs than on the first.
fn assert_words_are_those_of_the_noise<I: ?Sized + std::fmt::Debug>(
    name: &str,
    most: usize,
    inputs: &[&I],
    draw: impl Fn(&I, &mut Counting),
) {
    let first = taken(&draw, inputs[0]);
    for input in inputs {
        let differ = taken(&draw, input).iter().zip(&first).filter(|(a, b)| a != b).count();
        assert!(differ <= most, "{name}: {differ} of {DRAWS} draws take other words for {input:?}");
    }
}

/// Subnormal numbers, boundaries of grids, both sides of powers of two, huge numbers, and none at
/// all.
fn answers() -> Vec<f64> {
    let boundary = 2f64.powi(-31);
    let powers = [22, 31, 32, 33, 62].map(|power| 2f64.powi(power));
    let around = |value: f64| [value, value - 1.0, value.next_down(), value + boundary];
    let others = [1.0, 0.0, 1e-320, f64::MIN_POSITIVE, boundary, 3.0 * boundary, 0.1, -7.3, 1e300, f64::MAX];
    let infinite = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    others
        .into_iter()
        .chain(powers.into_iter().flat_map(around))
        .flat_map(|x| [x, -x])
        .chain(infinite)
        .collect()
}

fn assert_numbers<M: Mechanism<Input = f64>>(name: &str, mechanism: &M) {
    let answers = answers();
    let inputs: Vec<&f64> = answers.iter().collect();
    // Each draw differs with a probability below 1/400; more than 25 of 1000 do with one below
    // 10⁻¹⁶ (Poisson).
    assert_words_are_those_of_the_noise(name, 25, &inputs, |answer, rng| {
        mechanism.draw(answer, rng).expect("a draw is total");
    });
}

fn scale(b: f64) -> Scale {
    Scale::new(b).expect("a positive constant")
}

#[test]
fn noise_on_real_numbers() {
    assert_numbers("Laplace", &Laplace::with_scale(scale(1.3)));
    assert_numbers("Gaussian", &Gaussian::with_scale(scale(1.3)));
    for (b, l, u) in [(1.0, -1e300, 1e300), (1.0, 0.0, 2f64.powi(33)), (3.0, -8.0, 8.0), (1.0, -0.01, 0.02)] {
        assert_numbers("bounded Laplace", &BoundedLaplace::with_scale(scale(b), Bounds::new(l, u).unwrap()));
    }
}

#[test]
fn lists_of_real_numbers() {
    for exponent in [-30, -12] {
        let gaussian = Gaussian::with_scale(scale(1.3)).on_grid(exponent).unwrap();
        let lists: Vec<Vec<f64>> = answers().into_iter().map(|answer| vec![answer; 40]).collect();
        let inputs: Vec<&[f64]> = lists.iter().map(Vec::as_slice).collect();
        // A list of forty differs with a probability below 1/10; more than 300 of 1000 do with one
        // below e^−80 (Hoeffding).
        assert_words_are_those_of_the_noise("list", 300, &inputs, |answers, rng| {
            gaussian.draw_into(&mut answers.to_vec(), rng);
        });
    }
}

#[test]
fn laws_on_a_grid() {
    fn check<L: Law>(name: &str, law: L) {
        let noise = Rounded::new(law, scale(1.0));
        let answers = answers();
        let inputs: Vec<&f64> = answers.iter().collect();
        assert_words_are_those_of_the_noise(name, 25, &inputs, |answer, rng| {
            noise.around(*answer, rng);
        });
    }
    check("PolyPlace", PolyPlaceLaw::new(3.0).unwrap());
    check("Student t", StudentTLaw::new(3.0).unwrap());
    check("Cauchy", CauchyLaw);
    check("normal", NormalLaw);
}

#[test]
fn noise_on_integers() {
    let answers = [0, 1, -1, 1 << 22, 1 << 32, -(1 << 53), 1 << 62, i64::MAX, i64::MIN];
    let inputs: Vec<&i64> = answers.iter().collect();
    let (laplace, gaussian) =
        (DiscreteLaplace::with_scale(scale(3.3)), DiscreteGaussian::with_scale(scale(300.3)));
    // Integers are added to noise that is an integer: nothing differs.
    assert_words_are_those_of_the_noise("discrete Laplace", 0, &inputs, |answer, rng| {
        laplace.draw(answer, rng).unwrap();
    });
    assert_words_are_those_of_the_noise("discrete Gaussian", 0, &inputs, |answer, rng| {
        gaussian.draw(answer, rng).unwrap();
    });
}

#[test]
fn selections() {
    fn check<M: Mechanism<Input = [f64]>>(name: &str, mechanism: &M) {
        let n = 300u16;
        let lists: Vec<Vec<f64>> = vec![
            vec![0.0; n.into()],
            (0..n).map(f64::from).collect(),
            (0..n).rev().map(f64::from).collect(),
            (0..n).map(|i| if i == 7 { 1e20 } else { 0.0 }).collect(),
            (0..n).map(|i| if i == 299 { f64::MAX } else { f64::MIN }).collect(),
            vec![1e300; n.into()],
            vec![1e-320; n.into()],
            (0..n).map(|i| f64::from(i) * 1e-322).collect(),
            (0..n).map(|i| if i % 2 == 0 { f64::NAN } else { f64::INFINITY }).collect(),
        ];
        let inputs: Vec<&[f64]> = lists.iter().map(Vec::as_slice).collect();
        // Words of the candidates, and of a near tie with a probability below 1/1000. More than 25
        // of 1000 with one below 10⁻²⁰ (Poisson).
        assert_words_are_those_of_the_noise(name, 25, &inputs, |scores, rng| {
            mechanism.draw(scores, rng).map(drop).unwrap();
        });
    }
    check("exponential mechanism", &Exponential::with_scale(scale(2.0)));
    check("permute and flip", &PermuteAndFlip::with_scale(scale(2.0)));
    check("noisy max", &NoisyMax::<ExponentialNoise>::with_scale(scale(2.0)));
    check("noisy max", &NoisyMax::<LaplaceNoise>::with_scale(scale(2.0)));
}

#[test]
fn the_first_of_many() {
    // Winners are put into a random order, by rejection: only how many they are may show. A tie at
    // the bar is one more.
    let mechanism = TopK::with_scale(scale(2.0), 10).unwrap();
    let lists: Vec<Vec<f64>> = vec![
        vec![0.0; 300],
        (0..300u16).map(f64::from).collect(),
        (0..300u16).rev().map(f64::from).collect(),
        (0..300u16).map(|i| if i == 7 { 1e20 } else { 0.0 }).collect(),
        vec![1e300; 300],
        vec![1e-320; 300],
        // All but one are equal to twenty digits, and the one is far below them.
        (0..300u16)
            .map(|i| 2f64.powi(60) + if i == 0 { 0.0 } else { 2f64.powi(39) + 256.0 * f64::from(i) })
            .collect(),
    ];
    for scores in lists {
        let mean = taken(&|scores: &[f64], rng: &mut Counting| drop(mechanism.draw(scores, rng)), &scores);
        let mean = mean.iter().sum::<usize>() / mean.len();
        // 300 words, and one or two for the order of ten.
        assert!((2400..2440).contains(&mean), "{mean} bytes for {scores:?}");
    }
}

#[test]
fn comparisons_with_a_threshold() {
    for threshold in [0.0, 10.0, 1e17, -1e300] {
        let mechanism = AboveThreshold::with_scales(threshold, 1, scale(2.0), scale(4.0)).unwrap();
        let mut lists: Vec<[f64; 1]> = answers().into_iter().map(|answer| [answer]).collect();
        lists.extend([[threshold], [threshold.next_up()], [threshold.next_down()]]);
        let inputs: Vec<&[f64]> = lists.iter().map(<[f64; 1]>::as_slice).collect();
        assert_words_are_those_of_the_noise("sparse vector", 25, &inputs, |answers, rng| {
            mechanism.draw(answers, rng).unwrap();
        });
    }
}

#[test]
fn reports_of_people() {
    fn check<M: Measurement<Data = u32>>(name: &str, oracle: &M) {
        assert_words_are_those_of_the_noise(name, 0, &[&0, &1, &7, &15, &u32::MAX], |value, rng| {
            oracle.draw(value, rng).map(drop).unwrap();
        });
    }
    let response = RandomizedResponse::epsilon(1.0).unwrap();
    assert_words_are_those_of_the_noise("randomized response", 0, &[&false, &true], |bit, rng| {
        response.draw(bit, rng).unwrap();
    });
    check("k-ary response", &KRandomizedResponse::epsilon(1.0, 16).unwrap());
    check("unary encoding", &UnaryEncoding::symmetric(1.0, 16).unwrap());
    check("optimized unary encoding", &UnaryEncoding::epsilon(1.0, 16).unwrap());
    check("Hadamard response", &HadamardResponse::epsilon(1.0, 16).unwrap());
}
