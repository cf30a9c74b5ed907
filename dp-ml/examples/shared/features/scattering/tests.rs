#![allow(clippy::cast_precision_loss)] // pixels

use super::*;
use dp_mechanisms::rng::Insecure;
use dp_ml::Matrix;
use rand_core::Rng;

/// A blob and a stroke, moved to the right by `shift` pixels, far from the edges.
fn scene(side: usize, shift: usize) -> Vec<f32> {
    let mut image = vec![0.0; side * side];
    for i in 0..8 {
        image[(side / 2 + i / 2) * side + side / 2 - 6 + i + shift] = 1.0;
        image[(side / 2 - 4 + i) * side + side / 2 - 4 + shift] += 0.5;
    }
    image
}

fn noise(side: usize, seed: u64) -> Vec<f32> {
    let mut rng = Insecure::seeded(seed);
    (0..side * side).map(|_| (rng.next_u32() >> 8) as f32 / 8_388_608.0 - 1.0).collect()
}

/// All averages of an image, before they are scaled.
fn averages(side: usize, image: &[f32]) -> Vec<f32> {
    let scattering = Scattering::new(side).unwrap();
    let mut out = vec![0.0; scattering.features()];
    scattering.scatter(image, &mut Scratch::new(&scattering), &mut out);
    out
}

fn features(side: usize, images: &[Vec<f32>]) -> Data<u32> {
    let count = images.len();
    let matrix = Matrix::new(count, side * side, images.concat()).unwrap();
    Scattering::new(side).unwrap().apply(&Data::new(matrix, vec![0; count]).unwrap()).unwrap()
}

/// What the Fourier transforms compute, pixel by pixel: wavelets as sums of waves over the periodic
/// image, moduli, and Gaussian sums.
#[test]
fn it_is_what_convolution_makes() {
    let side = 8;
    let padded = side + 2 * MARGIN;
    let image = noise(side, 3);
    let scattering = Scattering::new(side).unwrap();
    let mut pixels = vec![0.0; padded * padded];
    scattering.pad(&image, &mut pixels);
    assert_eq!((pixels[0], pixels[MARGIN * padded + MARGIN]), (image[3 * side + 3], image[0]));
    assert_eq!(pixels[padded * padded - 1], image[(side - 4) * side + side - 4]);
    let turn = |k: usize| libm::sincos(2.0 * PI * k as f64 / padded as f64);
    // The wavelet in space, from its frequencies.
    let in_space = |wavelet: &[f32]| -> Vec<(f64, f64)> {
        let at = |i: usize| {
            let (y, x) = (i / padded, i % padded);
            let waves = wavelet.iter().enumerate().map(|(k, w)| {
                let (sin, cos) = turn(((k / padded) * x + (k % padded) * y) % padded);
                (f64::from(*w) * cos, f64::from(*w) * sin)
            });
            let sum = waves.fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
            (sum.0 / (padded * padded) as f64, sum.1 / (padded * padded) as f64)
        };
        (0..padded * padded).map(at).collect()
    };
    let modulus = |image: &[f64], wavelet: &[f32]| -> Vec<f64> {
        let wavelet = in_space(wavelet);
        let at = |i: usize| {
            let mut sum = (0.0, 0.0);
            for (j, x) in image.iter().enumerate() {
                let (dy, dx) = (
                    (padded + i / padded - j / padded) % padded,
                    (padded + i % padded - j % padded) % padded,
                );
                let w = wavelet[dy * padded + dx];
                sum = (sum.0 + w.0 * x, sum.1 + w.1 * x);
            }
            sum.0.hypot(sum.1)
        };
        (0..padded * padded).map(at).collect()
    };
    // The average around the first window, over every `stride`th pixel.
    let average = |image: &[f64], stride: usize| {
        let weight = |i: usize| {
            let distance = (i as f64 - 5.5) / WIDTH;
            if i.is_multiple_of(stride) && distance.abs() <= 3.5 {
                libm::exp(-0.5 * distance * distance)
            } else {
                0.0
            }
        };
        let total: f64 = (0..padded).map(weight).sum();
        let weighted = image.iter().enumerate().map(|(i, x)| weight(i / padded) * weight(i % padded) * x);
        weighted.sum::<f64>() / (total * total)
    };
    let found = averages(side, &image);
    let first = |channel: usize| f64::from(found[channel * scattering.windows()]);
    let exact: Vec<f64> = pixels.iter().map(|x| f64::from(*x)).collect();
    let fine = modulus(&exact, &scattering.wavelets[0][3]);
    let coarse = modulus(&exact, &scattering.wavelets[1][5]);
    let second = modulus(&fine, &scattering.wavelets[1][2]);
    for (channel, expected) in [
        (0, average(&exact, 1)),
        (1 + 3, average(&fine, 1)),
        (1 + ANGLES + 5, average(&coarse, 2)),
        (1 + 2 * ANGLES + 3 * ANGLES + 2, average(&second, 2)),
    ] {
        assert!((first(channel) - expected).abs() < 2e-6, "{channel}: {} {expected}", first(channel));
    }
}

/// The sum of |ψ̂|² over all wavelets and both directions is little more than 1 at each frequency,
/// and wavelets do not see constants: moduli have no more energy than the image.
#[test]
fn wavelets_keep_energy_within_bounds() {
    let scattering = Scattering::new(28).unwrap();
    let padded = 36;
    let opposite = |i: usize| (padded - i / padded) % padded * padded + (padded - i % padded) % padded;
    let wavelets = || scattering.wavelets.iter().flatten();
    let sums: Vec<f32> = (0..padded * padded)
        .map(|i| wavelets().map(|w| 0.5 * (w[i] * w[i] + w[opposite(i)] * w[opposite(i)])).sum())
        .collect();
    let most = sums.iter().copied().fold(0.0, f32::max);
    assert!(most < 1.5 && most > 0.5, "{most}");
    assert!(wavelets().all(|wavelet| wavelet[0].abs() < 1e-6));
    let image = noise(28, 5);
    let energy = |x: &[f32]| x.iter().map(|x| x * x).sum::<f32>();
    assert!(energy(&averages(28, &image)) < most * most * energy(&image));
}

/// What moves by one window moves in the features by one place; what moves by a pixel changes them
/// by less than the image.
#[test]
fn features_follow_the_image() {
    let side = 40;
    let (here, there) = (averages(side, &scene(side, 0)), averages(side, &scene(side, 4)));
    for (a, b) in here.chunks_exact(10).zip(there.chunks_exact(10)) {
        for i in 1..9 {
            assert!((a[i - 1] - b[i]).abs() < 2e-4, "{} {}", a[i - 1], b[i]);
        }
    }
    let apart = |a: &[f32], b: &[f32]| {
        let square = |x: &[f32]| x.iter().map(|x| x * x).sum::<f32>();
        square(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>()) / square(a)
    };
    let (image, moved) = (scene(side, 0), scene(side, 1));
    assert!(apart(&here, &averages(side, &moved)) < 0.2 * apart(&image, &moved));
}

#[test]
fn rows_are_of_one_length_and_know_nothing_of_each_other() {
    let images = || (0..5).map(|seed| noise(8, seed));
    let all = features(8, &images().collect::<Vec<_>>());
    for (row, image) in images().enumerate() {
        let alone = features(8, std::slice::from_ref(&image));
        assert_eq!(alone.features().row(0), all.features().row(row));
        let length: f64 = alone.features().values().iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
        assert!((length - Plan::ROW_LENGTH).abs() < 1e-3, "{length}");
        // Contrast and brightness are normalised away.
        let brighter = features(8, &[image.iter().map(|x| 3.0 * x + 1.0).collect()]);
        for (a, b) in alone.features().values().iter().zip(brighter.features().values()) {
            assert!((a - b).abs() < 1e-3, "{a} {b}");
        }
    }
}

#[test]
fn any_pixel_will_do() {
    let hostile = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN_POSITIVE, 0.0, 1.0, -1.0];
    let images = [hostile.repeat(8), vec![0.0; 64], vec![0.7; 64], vec![f32::NAN; 64], vec![f32::MAX; 64]];
    let features = features(8, &images);
    assert!(features.features().values().iter().all(|x| x.is_finite()));
    for constant in 1..5 {
        assert!(features.features().row(constant).iter().all(|x| *x == 0.0));
    }
    assert_eq!(
        Scattering::new(8)
            .unwrap()
            .apply(&Data::<u32>::new(Matrix::zeros(0, 64), vec![]).unwrap())
            .unwrap()
            .len(),
        0
    );
    for side in [0, 4, 10, 30, 2048] {
        let message = Scattering::new(side).err().unwrap().to_string();
        assert!(message.contains("the multiples of 4 from 8 to 1024"), "{message}");
    }
    let strips = Data::new(Matrix::zeros(1, 60), vec![0_u32]).unwrap();
    let message = Scattering::new(8).unwrap().apply(&strips).unwrap_err().to_string();
    assert!(message.contains("have 60 and 64 entries"), "{message}");
}
