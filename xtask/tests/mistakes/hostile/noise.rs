//! Notions, noise, selections and histograms.

use dp_core::pairs::{DiscreteGaussianPair, DiscreteLaplacePair, GaussianPair, RandomizedResponsePair};
use dp_core::{
    AddRemove, Alpha, Approx, Bounds, Calibrate, Delta, Epsilon, ErrorBound, Gdp, L1, L2, LInf, Mechanism,
    Points, Pure, ReplaceOne, Rho, Scale, Sensitivity, Zcdp,
};
use dp_mechanisms::local::{
    CountMeanSketch, HadamardResponse, KRandomizedResponse, RandomizedResponse, UnaryEncoding,
};
use dp_mechanisms::selection::{Exponential, LaplaceNoise, NoisyMax, PermuteAndFlip, TopK};
use dp_mechanisms::{
    AboveThreshold, BoundedLaplace, DiscreteGaussian, DiscreteLaplace, Formula, Gaussian, Hierarchy, Laplace,
    MixedNoise, ReusableHoldout, SparseHistogram, StabilityHistogram, SyntheticData, nearest_with_total,
    printed_transfer_bound, rng::Insecure, transfer_bound,
};

use super::{COUNTS, NUMBERS, pairs, short};

#[test]
fn numbers_and_notions() {
    for (x, y) in pairs(&NUMBERS) {
        let _ = (
            Epsilon::new(x),
            Delta::new(x),
            Rho::new(x),
            Alpha::new(x),
            Scale::new(x),
            Pure::new(x),
            Gdp::new(x),
            Zcdp::new(x),
        );
        let _ =
            (Approx::new(x, y), Bounds::new(x, y), RandomizedResponsePair::new(Epsilon::saturating(x), 2));
        let _ = (
            GaussianPair::with_noise_multiplier(x),
            Points::new(vec![
                (Alpha::saturating(x), Epsilon::saturating(y)),
                (Alpha::saturating(y), Epsilon::saturating(x)),
            ]),
        );
        for norm in [
            Sensitivity::<L1, AddRemove>::new(x).map(|s| s.value()),
            Sensitivity::<L2, ReplaceOne>::new(x).map(|s| s.value()),
        ] {
            assert!(norm.is_err() || x >= 0.0);
        }
        if let Ok(bounds) = Bounds::new(x, y) {
            assert!(bounds.clamp(f64::NAN).is_finite() && bounds.width() > 0.0);
        }
    }
    for count in COUNTS {
        let scale = Scale::saturating(1.0);
        let _ =
            (DiscreteLaplacePair::new(scale, short(count)), DiscreteGaussianPair::new(scale, short(count)));
    }
}

#[test]
fn noise_is_calibrated_to_anything_or_refused() {
    let mut rng = Insecure::seeded(1);
    for (x, y) in pairs(&NUMBERS) {
        let sensitivity = Sensitivity::<L1, AddRemove>::new(1.0).expect("one is a sensitivity");
        let other = Sensitivity::<L1, AddRemove>::new(y).ok();
        let euclidean = Sensitivity::<L2, AddRemove>::new(1.0).expect("one is a sensitivity");
        if let (Ok(target), Some(other)) = (Laplace::epsilon(x), other)
            && let Ok((noise, _)) = target.calibrate(other)
        {
            let _ =
                (noise.draw(&y, &mut rng), noise.error_bound(y), noise.on_grid(-1074), noise.on_grid(1023));
        }
        if let (Ok(target), Some(other)) = (DiscreteLaplace::epsilon(x), other) {
            let _ = target.calibrate(other).map(|(noise, _)| noise.draw(&i64::MAX, &mut rng));
        }
        for target in [Gaussian::epsilon_delta(x, y), Gaussian::epsilon_delta(y, 1e-6)].into_iter().flatten()
        {
            let _ = target.calibrate(euclidean).map(|(noise, _)| noise.draw(&x, &mut rng));
        }
        let _ = (
            Gaussian::printed(x, y, Formula::Classic).map(|t| t.calibrate(euclidean)),
            Gaussian::printed(x, y, Formula::Lecture).map(|t| t.calibrate(euclidean)),
        );
        let _ = (
            Gaussian::rho(x).map(|t| t.calibrate(euclidean)),
            Gaussian::mu(x).map(|t| t.calibrate(euclidean)),
        );
        let _ = (
            DiscreteGaussian::rho(x),
            DiscreteGaussian::epsilon_delta(x, y),
            MixedNoise::epsilon_delta(x, y),
            MixedNoise::least_error(x, y, 0.5),
        );
        if let Ok(bounds) = Bounds::new(-1.0, 2.0) {
            let _ = BoundedLaplace::epsilon(x, bounds)
                .map(|t| t.calibrate(sensitivity).map(|(noise, _)| noise.draw(&y, &mut rng)));
        }
    }
}

#[test]
fn selections_and_histograms() {
    let mut rng = Insecure::seeded(1);
    let one = Sensitivity::<LInf, AddRemove>::new(1.0).expect("one is a sensitivity");
    for (x, y) in pairs(&NUMBERS) {
        let scores = [x, y, 1.0];
        if let Ok(scale) = Scale::new(x) {
            let _ = (
                Exponential::with_scale(scale).draw(&scores, &mut rng),
                PermuteAndFlip::with_scale(scale).draw(&scores, &mut rng),
            );
            let _ = NoisyMax::<LaplaceNoise>::with_scale(scale).draw(&scores, &mut rng);
            let _ = (
                StabilityHistogram::<u8>::new(scale, u64::MAX),
                SparseHistogram::new(scale, u64::MAX, u64::MAX),
            );
        }
        let _ = (
            StabilityHistogram::<u8>::epsilon_delta(x, y),
            SparseHistogram::epsilon(x, u64::MAX, y),
            ReusableHoldout::epsilon(x, 10, y, 3),
        );
        let any = Approx::from_parts(Epsilon::saturating(x), Delta::saturating(y));
        let _ = (RandomizedResponse::epsilon(x), transfer_bound(&any), printed_transfer_bound(any));
        let _ = (
            SyntheticData::clamped(&scores),
            SyntheticData::with_total(&scores, 5),
            nearest_with_total(&scores, y),
        );
        if let Ok(target) = AboveThreshold::epsilon(x, y, 3) {
            let _ = target.calibrate(one).map(|(noise, _)| noise.draw(&[x, y], &mut rng));
        }
        for count in COUNTS {
            let _ = (
                TopK::epsilon(x, short(count)),
                TopK::rho(x, short(count)),
                ReusableHoldout::epsilon(x, count, y, short(count)),
            );
            let _ =
                (KRandomizedResponse::epsilon(x, short(count)), HadamardResponse::epsilon(x, short(count)));
            let _ = (UnaryEncoding::symmetric(x, short(count)), UnaryEncoding::epsilon(x, short(count)));
        }
    }
    for (a, b) in pairs(&COUNTS) {
        let _ = (Hierarchy::uniform(&[a, b]), CountMeanSketch::epsilon(1.0, short(a), 1, short(b), 7));
    }
}
