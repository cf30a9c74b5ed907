//! What is asked of every smooth noise: the divergence on a grid of neighbours, by float arithmetic
//! that shares nothing with the calibrations.

use dp_core::rounding::Enclosure;
use dp_core::{
    AddRemove, Approx, Bounds, Error, Finite, L1, Measurement, Pure, Query, Sensitivity, SensitivityIn, Zcdp,
};
use dp_mechanisms::rng::Insecure;

use super::hockey_stick::Profile;
use super::{
    ArsinhNormal, LaplaceLogNormal, PolyPlace, PolynomialTail, SmoothGaussian, SmoothLaplace, SmoothNoise,
    SmoothStudentT, Smoothly, UniformLogNormal,
};
use super::{gaussian, laplace};
use crate::LocalSensitivity;

/// A query whose answer, bounds and global sensitivity are what the data say: the first two records
/// are the answer and the bound.
#[derive(Clone, Copy, Debug)]
struct Told(f64);

impl Query for Told {
    type Data = [f64];
    type Answer = Finite;
    type Adjacency = AddRemove;
    fn answer(&self, data: &[f64]) -> Result<Finite, Error> {
        Ok(Finite::or_zero(data[0]))
    }
}

impl SensitivityIn<L1> for Told {
    fn sensitivity(&self) -> Sensitivity<L1, AddRemove> {
        Sensitivity::new(self.0).unwrap()
    }
}

impl LocalSensitivity for Told {
    fn local_at_distance(&self, data: &[f64], _: u64) -> Result<f64, Error> {
        Ok(data[1])
    }
    fn smooth(&self, data: &[f64], _: crate::Smoothness) -> Result<f64, Error> {
        Ok(data[1])
    }
}

/// The largest loss over a grid of neighbours: ratios e^±μ with μ ≤ β, the full shift that each
/// allows, and z from far left to far right.
fn largest_loss(phi: impl Fn(f64) -> f64, multiple: f64, beta: f64) -> f64 {
    let mut worst = 0.0f64;
    for k in -8..=8i32 {
        let lambda = beta * f64::from(k) / 8.0;
        for share in [0.3, 1.0] {
            let shift = share * lambda.exp().min(1.0) / multiple;
            for j in -800..=800i32 {
                for z in [(f64::from(j) * 0.02).sinh(), shift + (f64::from(j) * 0.02).sinh()] {
                    worst = worst.max(lambda + phi((z - shift) * (-lambda).exp()) - phi(z));
                }
            }
        }
    }
    worst
}

/// Within the claim, and for tight noise close to it.
fn assert_pure<N: SmoothNoise<Guarantee = Pure>>(noise: &N, phi: impl Fn(f64) -> f64, slack: f64) {
    let (epsilon, beta) = (noise.guarantee().epsilon().get(), noise.smoothness().get());
    let found = largest_loss(&phi, noise.multiple().get(), beta);
    assert!(found <= epsilon * (1.0 + 1e-9), "{found} above {epsilon}");
    assert!(found >= epsilon * (1.0 - slack), "{found} far below {epsilon}");
    // A smaller multiple, and a larger β, would be seen.
    assert!(largest_loss(&phi, noise.multiple().get() * (1.0 - 2.0 * slack), beta) > epsilon || slack > 0.1);
    assert!(slack > 0.01 || largest_loss(&phi, noise.multiple().get(), beta * 1.04) > epsilon);
}

const EPSILONS: [f64; 4] = [0.05, 0.5, 2.0, 8.0];

#[test]
fn student_noise_is_private_and_tight() {
    for epsilon in EPSILONS {
        for degrees in [0.5, 1.0, 3.0, 10.0] {
            let phi = |z: f64| (degrees + 1.0) / 2.0 * (z * z / degrees).ln_1p();
            let noise = SmoothStudentT::with_degrees(epsilon, degrees).unwrap();
            assert_pure(&noise, phi, 0.01);
            let printed = SmoothStudentT::printed(epsilon, degrees).unwrap();
            assert_pure(&printed, phi, 1.0);
            assert!(noise.gain() > 1.1 && printed.gain() == 1.0, "{epsilon} {degrees} {}", noise.gain());
            let beta = printed.smoothness().get();
            let same = SmoothStudentT::with_beta(epsilon, degrees, beta).unwrap();
            assert!(same.multiple().get() < printed.multiple().get() * 0.99, "{epsilon} {degrees}");
        }
    }
}

#[test]
fn polynomial_tails_are_private_and_tight() {
    for (epsilon, gamma) in [(0.05, 3.0), (0.5, 1.5), (1.0, 2.0), (2.0, 4.0), (8.0, 10.0)] {
        let phi = |z: f64| z.abs().powf(gamma).ln_1p();
        let noise = PolynomialTail::with_gamma(epsilon, gamma).unwrap();
        assert_pure(&noise, phi, 0.04);
        let printed = PolynomialTail::printed(epsilon, gamma).unwrap();
        assert_pure(&printed, phi, 1.0);
        assert!(noise.gain() > 1.5 && printed.gain() == 1.0, "{epsilon} {gamma} {}", noise.gain());
    }
}

#[test]
fn poly_place_is_private_and_tight() {
    for epsilon in EPSILONS {
        for gamma in [1.3f64, 2.0, 4.0, 10.0] {
            let phi = |z: f64| if z.abs() < gamma { z.abs() } else { gamma + gamma * (z.abs() / gamma).ln() };
            let noise = PolyPlace::with_gamma(epsilon, gamma).unwrap();
            assert_pure(&noise, phi, 0.01);
            let halves = PolyPlace::printed(epsilon, gamma).unwrap();
            assert_pure(&halves, phi, 1.0);
            assert!(noise.gain() > 1.0 && halves.gain() == 1.0, "{epsilon} {gamma} {}", noise.gain());
        }
    }
}

/// δ(ε) over a grid of neighbours, by the midpoint rule on ∫ (p − e^ε·q)₊, for densities e^−φ up to
/// a common constant.
fn largest_delta(phi: impl Fn(f64) -> f64, multiple: f64, beta: f64, epsilon: f64) -> f64 {
    let (mut worst, norm) = (0.0f64, integral(|z| (-phi(z)).exp()));
    for k in [-4, -2, 0, 2, 4] {
        let lambda = beta * f64::from(k) / 4.0;
        let shift = lambda.exp().min(1.0) / multiple;
        let excess = |z: f64| {
            ((-phi(z)).exp() - (epsilon - lambda - phi((z - shift) * (-lambda).exp())).exp()).max(0.0)
        };
        worst = worst.max(integral(excess) / norm);
    }
    worst
}

fn integral(f: impl Fn(f64) -> f64) -> f64 {
    (-24_000..24_000i32).map(|j| f((f64::from(j) + 0.5) / 400.0) / 400.0).sum()
}

fn assert_approx<N: SmoothNoise<Guarantee = Approx>>(noise: &N, phi: impl Fn(f64) -> f64, least: f64) {
    let (epsilon, delta) = (noise.guarantee().epsilon().get(), noise.guarantee().delta().get());
    let beta = noise.smoothness().get();
    let found = largest_delta(&phi, noise.multiple().get(), beta, epsilon);
    assert!(found <= delta * (1.0 + 1e-3), "{found} above {delta}");
    assert!(found >= delta * least, "{found} far below {delta}");
    let less = largest_delta(&phi, noise.multiple().get() * 0.9, beta, epsilon);
    assert!(least == 0.0 || less > delta, "{less}");
}

#[test]
fn profiles_are_those_of_a_plain_integral() {
    type Phi = fn(f64) -> f64;
    let profiles: [Profile; 2] = [laplace::profile, gaussian::profile];
    let phis: [Phi; 2] = [f64::abs, |z| z * z / 2.0];
    for (profile, phi) in profiles.into_iter().zip(phis) {
        let norm = integral(|z| (-phi(z)).exp());
        for lambda in [-0.7f64, -0.1, 0.0, 0.1, 0.7] {
            for (shift, epsilon) in [0.2, 1.0, 4.0]
                .into_iter()
                .flat_map(|shift| [0.6, 1.0, 2.0, 5.0].map(|epsilon| (shift, epsilon)))
            {
                let excess = |z: f64| {
                    ((-phi(z)).exp() - (epsilon - lambda - phi((z - shift) * (-lambda).exp())).exp()).max(0.0)
                };
                let truth = integral(excess) / norm;
                let found = profile(Enclosure::point(epsilon), Enclosure::point(shift), lambda);
                // The midpoint rule has steps of 1/400.
                assert!(
                    (found.lo() - truth).abs() < 1e-5 && (found.hi() - truth).abs() < 1e-5,
                    "λ = {lambda}, s = {shift}, ε = {epsilon}: {found}, but {truth}"
                );
            }
        }
    }
}

#[test]
fn laplace_and_gaussian_noise_are_private_and_tight() {
    for (epsilon, delta) in [(0.1, 1e-6), (1.0, 1e-2), (1.0, 1e-8), (4.0, 1e-5), (16.0, 1e-5)] {
        let laplace = SmoothLaplace::epsilon_delta(epsilon, delta).unwrap();
        assert_approx(&laplace, f64::abs, 0.5);
        assert_approx(&SmoothLaplace::printed(epsilon, delta).unwrap(), f64::abs, 0.0);
        let gaussian = SmoothGaussian::epsilon_delta(epsilon, delta).unwrap();
        assert_approx(&gaussian, |z| z * z / 2.0, 0.5);
        assert_approx(&SmoothGaussian::printed(epsilon, delta).unwrap(), |z| z * z / 2.0, 0.0);
        assert!(laplace.gain() > 1.1 && gaussian.gain() > 2.0);
    }
}

#[test]
fn releases_are_total_and_their_grid_is_public() {
    let mut rng = Insecure::seeded(3);
    let noise = SmoothStudentT::epsilon(1.0).unwrap();
    for global in [f64::from_bits(1), 1e-300, 1.0, 1e300] {
        let release = Told(global).smoothly(noise).unwrap();
        for answer in [0.0, 1.5, -1e300, f64::NAN, f64::INFINITY, f64::MIN] {
            for bound in
                [0.0, f64::from_bits(1), 1e-200 * global, global, 2.0 * global, f64::NAN, f64::INFINITY, -1.0]
            {
                let released = release.draw(&[answer, bound], &mut rng).unwrap();
                // Dividing by a power of two is exact, unless it overflows; then every float is a
                // multiple.
                let step = 2f64.powi(release.grid_exponent().max(-1022));
                assert!(
                    released.is_finite()
                        && ((released / step).is_infinite() || (released / step).fract() == 0.0),
                    "{answer} {bound} {global}"
                );
            }
        }
    }
    assert!(
        Told(0.0).smoothly(noise).is_err()
            && Told(f64::MAX).smoothly(SmoothStudentT::epsilon(0.1).unwrap()).is_err()
    );
    let release = Told(1.0).smoothly(noise).unwrap();
    assert_eq!(release.on_grid(0).unwrap().draw(&[41.3, 1e-9], &mut rng), Ok(41.0));
    assert!(release.on_grid(-120).is_err() && release.on_grid(2000).is_err());
}

#[test]
fn noise_below_all_bounds_is_released() {
    let tiny = crate::Quantile::median(Bounds::new(0.0, 1e-308).unwrap());
    let mut rng = Insecure::seeded(3);
    for epsilon in [1.0, 60.0, 300.0] {
        assert!(tiny.smoothly(PolyPlace::epsilon(epsilon).unwrap()).unwrap().draw(&[1.0], &mut rng).is_ok());
        assert!(
            tiny.smoothly(SmoothStudentT::epsilon(epsilon).unwrap()).unwrap().draw(&[1.0], &mut rng).is_ok()
        );
    }
}

#[test]
fn printed_noise_is_what_is_printed() {
    let assert_is = |(beta, multiple): (f64, f64), noise: (f64, f64)| {
        assert!(noise.0 <= beta * (1.0 + 1e-15) && noise.0 >= beta * (1.0 - 1e-9), "β {beta}, {}", noise.0);
        assert!(noise.1 >= multiple * (1.0 - 1e-15) && noise.1 <= multiple * (1.0 + 1e-9), "c {multiple}");
    };
    for (epsilon, delta) in [(0.1f64, 1e-6f64), (1.0, 1e-2), (1.0, 0.1), (0.5, 1e-9)] {
        let gaussian = SmoothGaussian::printed(epsilon, delta).unwrap();
        let log = (2.0 / delta).ln();
        assert_is(
            (epsilon / (4.0 * (1.0 + log)), 5.0 * (2.0 * log).sqrt() / epsilon),
            (gaussian.smoothness().get(), gaussian.multiple().get()),
        );
        let laplace = SmoothLaplace::printed(epsilon, delta).unwrap();
        let log = (((epsilon / 2.0).exp() + 1.0) / delta).ln();
        assert_is(
            (epsilon / (2.0 * log), 2.0 / epsilon),
            (laplace.smoothness().get(), laplace.multiple().get()),
        );
        // s = 2√d·(ε/(d+1) − β) for half of the largest β.
        let student = SmoothStudentT::printed(epsilon, 3.0).unwrap();
        assert_is(
            (epsilon / 8.0, 1.0 / (2.0 * 3f64.sqrt() * (epsilon / 4.0 - epsilon / 8.0))),
            (student.smoothness().get(), student.multiple().get()),
        );
    }
}

#[test]
fn printed_theorems_hold_for_large_epsilon_too() {
    // With the constants for ε itself, Gaussian noise would have 160 times the δ here.
    let noise = SmoothGaussian::printed(60.0, 1e-6).unwrap();
    assert_eq!(noise.multiple(), SmoothGaussian::printed(1.0, 1e-6).unwrap().multiple());
    assert!(SmoothGaussian::epsilon_delta(60.0, 1e-6).unwrap().gain() > 1.0);
    for (epsilon, delta) in [(60.0, 1e-300), (1e4, 1e-6)] {
        assert!(SmoothLaplace::printed(epsilon, delta).is_ok());
        assert!(SmoothLaplace::epsilon_delta(epsilon, delta).unwrap().gain() >= 1.0, "{epsilon} {delta}");
    }
}

#[test]
fn parameters_are_checked() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-12] {
        assert!(
            SmoothStudentT::epsilon(bad).is_err()
                && PolynomialTail::epsilon(bad).is_err()
                && PolyPlace::epsilon(bad).is_err(),
            "{bad}"
        );
    }
    assert!(
        SmoothStudentT::with_beta(1.0, 3.0, 0.34).is_err()
            && SmoothStudentT::with_beta(1.0, 3.0, 0.33).is_ok()
    );
    assert!(
        PolynomialTail::with_beta(1.0, 3.0, 0.5).is_err()
            && PolynomialTail::with_beta(1.0, 3.0, 0.45).is_ok()
    );
    assert!(PolyPlace::with_beta(1.0, 3.0, 0.5).is_err() && PolyPlace::with_beta(1.0, 3.0, 0.49).is_ok());
    for bad in [1.0, f64::NAN, f64::INFINITY] {
        assert!(PolynomialTail::with_gamma(1.0, bad).is_err() && PolyPlace::with_gamma(1.0, bad).is_err());
    }
    assert!(SmoothStudentT::with_degrees(1.0, 0.0).is_err());
}
/// The largest D_α/α over a grid of neighbours and orders, by the midpoint rule in arsinh z.
fn largest_slope(phi: impl Fn(f64) -> f64, multiple: f64, beta: f64, rho: f64) -> f64 {
    let nodes: Vec<(f64, f64, f64)> = (-1200..1200i32)
        .map(|j| {
            let u = (f64::from(j) + 0.5) / 100.0;
            (u.sinh(), phi(u.sinh()), (-phi(u.sinh())).exp() * u.cosh())
        })
        .collect();
    let total: f64 = nodes.iter().map(|node| node.2).sum();
    let mut worst = 0.0f64;
    for k in [-4, -2, 0, 4] {
        let lambda = beta * f64::from(k) / 4.0;
        let losses: Vec<(f64, f64)> = nodes
            .iter()
            .map(|(z, here, mass)| {
                let shift = lambda.min(0.0).exp() / multiple; // the smaller of both bounds
                (mass / total, lambda + phi((z - shift) * (-lambda).exp()) - here)
            })
            .collect();
        for alpha in [1.001, 1.3, 2.0, 3.0, 5.0, 10.0, 20.0, 40.0, 80.0] {
            let order: f64 = alpha - 1.0;
            if rho * alpha * order > 60.0 {
                continue; // more than floats hold
            }
            let excess: f64 = losses
                .iter()
                .map(|(mass, loss)| mass * ((order * loss).exp_m1() + order * (-loss).exp_m1()))
                .sum();
            worst = worst.max(excess.ln_1p() / order / alpha);
        }
    }
    worst
}

fn assert_concentrated<N: SmoothNoise<Guarantee = Zcdp>>(noise: &N, phi: impl Fn(f64) -> f64, least: f64) {
    let (rho, beta) = (noise.guarantee().rho().get(), noise.smoothness().get());
    let found = largest_slope(&phi, noise.multiple().get(), beta, rho);
    assert!(found <= rho * (1.0 + 1e-6), "{found} above {rho}");
    assert!(found >= rho * least, "{found} far below {rho}");
    let less = largest_slope(&phi, noise.multiple().get() * 0.9, beta, rho);
    assert!(least == 0.0 || less > rho, "{less}");
}

fn laplace_log_normal(sigma: f64) -> impl Fn(f64) -> f64 {
    let nodes: Vec<(f64, f64)> = (-250..250i32)
        .map(|j| f64::from(j) / 10.0)
        .map(|y| ((-y * y / 2.0 - sigma * y).exp(), (-sigma * y).exp()))
        .collect();
    move |z: f64| -nodes.iter().map(|(weight, x)| weight * (-z.abs() * x).exp()).sum::<f64>().ln()
}

fn uniform_log_normal(sigma: f64) -> impl Fn(f64) -> f64 {
    move |z: f64| -libm::erfc((z.abs().ln() / sigma + sigma) / 2f64.sqrt()).ln()
}

fn arsinh_normal(sigma: f64) -> impl Fn(f64) -> f64 {
    move |z: f64| ((sigma * z).asinh() / sigma).powi(2) / 2.0 + (sigma * z).powi(2).ln_1p() / 2.0
}

#[test]
fn arsinh_normal_noise_is_concentrated_and_tight() {
    for rho in [0.005, 0.5, 2.0] {
        let noise = ArsinhNormal::rho(rho).unwrap();
        assert_concentrated(&noise, arsinh_normal(noise.sigma()), 0.89);
        assert_concentrated(&ArsinhNormal::printed(rho, 0.7).unwrap(), arsinh_normal(0.7), 0.0);
        assert!(noise.gain() > 3.0, "{}", noise.gain());
    }
}

#[test]
fn uniform_log_normal_noise_is_concentrated_and_tight() {
    for rho in [0.005, 0.5] {
        let noise = UniformLogNormal::rho(rho).unwrap();
        assert_concentrated(&noise, uniform_log_normal(noise.sigma()), 0.89);
        assert_concentrated(&UniformLogNormal::printed(rho, 1.5).unwrap(), uniform_log_normal(1.5), 0.0);
        assert!(noise.gain() > 5.0, "{}", noise.gain());
    }
}

#[test]
fn laplace_log_normal_noise_is_concentrated_and_tight() {
    for rho in [0.005, 0.5] {
        let noise = LaplaceLogNormal::rho(rho).unwrap();
        assert_concentrated(&noise, laplace_log_normal(noise.sigma()), 0.92);
        assert_concentrated(&LaplaceLogNormal::printed(rho, 0.5).unwrap(), laplace_log_normal(0.5), 0.0);
        assert!(noise.gain() > 3.0, "{}", noise.gain());
    }
}

/// At the β of the printed theorem, too.
#[test]
fn tight_noise_is_less_than_printed_noise() {
    fn assert_less<N: SmoothNoise>(printed: &N, tight: impl Fn(f64) -> Result<N, Error>, share: f64) {
        let tight = tight(printed.smoothness().get()).unwrap();
        let found = tight.multiple().get() / printed.multiple().get();
        assert!(found < share, "{found}");
    }
    for epsilon in [0.1, 1.0, 4.0] {
        let rho = 0.5 * epsilon * epsilon;
        assert_less(
            &SmoothStudentT::printed(epsilon, 3.0).unwrap(),
            |beta| SmoothStudentT::with_beta(epsilon, 3.0, beta),
            0.8,
        );
        assert_less(
            &PolynomialTail::printed(epsilon, 3.0).unwrap(),
            |beta| PolynomialTail::with_beta(epsilon, 3.0, beta),
            0.5,
        );
        assert_less(
            &PolyPlace::printed(epsilon, 3.0).unwrap(),
            |beta| PolyPlace::with_beta(epsilon, 3.0, beta),
            0.99,
        );
        assert_less(
            &SmoothLaplace::printed(epsilon, 1e-6).unwrap(),
            |beta| SmoothLaplace::with_beta(epsilon, 1e-6, beta),
            0.8,
        );
        assert_less(
            &SmoothGaussian::printed(epsilon, 1e-6).unwrap(),
            |beta| SmoothGaussian::with_beta(epsilon, 1e-6, beta),
            0.5,
        );
        if epsilon != 1.0 {
            continue; // the others take their time
        }
        assert_less(
            &LaplaceLogNormal::printed(rho, 0.6).unwrap(),
            |beta| LaplaceLogNormal::with_beta(rho, 0.6, beta),
            0.8,
        );
        assert_less(
            &ArsinhNormal::printed(rho, 1.0).unwrap(),
            |beta| ArsinhNormal::with_beta(rho, 1.0, beta),
            0.8,
        );
    }
}

#[test]
fn every_noise_can_be_released() {
    fn assert_released<N: SmoothNoise>(noise: N) {
        let mut rng = Insecure::seeded(11);
        let release = Told(2.0).smoothly(noise).unwrap();
        let draws: Vec<f64> = (0..50).map(|_| release.draw(&[100.0, 1e-3], &mut rng).unwrap()).collect();
        // Fifty draws beyond thousands of scales of 10⁻³·c on one side happen with probability 2⁻⁵⁰
        // and less.
        let below = draws.iter().filter(|draw| **draw < 100.0).count();
        assert!((1..50).contains(&below) && draws.iter().all(|draw| draw.is_finite()));
    }
    assert_released(SmoothStudentT::cauchy(1.0).unwrap());
    assert_released(PolynomialTail::epsilon(1.0).unwrap());
    assert_released(PolyPlace::epsilon(1.0).unwrap());
    assert_released(SmoothLaplace::epsilon_delta(1.0, 1e-6).unwrap());
    assert_released(SmoothGaussian::epsilon_delta(1.0, 1e-6).unwrap());
    assert_released(LaplaceLogNormal::rho(0.5).unwrap());
    assert_released(UniformLogNormal::rho(0.5).unwrap());
    assert_released(ArsinhNormal::rho(0.5).unwrap());
}

#[test]
fn calibrations_refuse_what_no_noise_reaches() {
    assert!(
        SmoothLaplace::epsilon_delta(1.0, 0.0).is_err()
            && SmoothLaplace::epsilon_delta(1.0, 1.0).is_err()
            && SmoothLaplace::epsilon_delta(f64::NAN, 0.1).is_err()
    );
    assert!(
        SmoothGaussian::epsilon_delta(0.0, 1e-6).is_err()
            && SmoothGaussian::epsilon_delta(1.0, f64::NAN).is_err()
    );
    assert!(
        SmoothLaplace::with_beta(1.0, 1e-6, 0.5).is_err()
            && SmoothGaussian::with_beta(1.0, 1e-6, 0.5).is_err()
    );
    assert!(
        ArsinhNormal::with_beta(0.5, 1.0, 1.1).is_err()
            && UniformLogNormal::with_beta(0.5, 0.75, 0.8).is_err()
    );
    assert!(LaplaceLogNormal::with_beta(0.5, 0.6, 0.61).is_err());
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(
            ArsinhNormal::rho(bad).is_err()
                && UniformLogNormal::rho(bad).is_err()
                && LaplaceLogNormal::rho(bad).is_err()
        );
    }
    assert!(UniformLogNormal::printed(0.5, 1.0).is_err());
    assert!(ArsinhNormal::rho(1e-7).is_err() && ArsinhNormal::rho(3.0).is_err());
    assert!(PolynomialTail::epsilon(1e-6).is_ok());
}

#[test]
fn noise_is_found_at_the_ends_of_the_range() {
    assert!(ArsinhNormal::rho(1e-5).unwrap().gain() > 10.0);
    assert!(UniformLogNormal::rho(2.0).unwrap().gain() > 1.0);
    assert!(LaplaceLogNormal::rho(2.0).unwrap().gain() > 1.0);
}
