use super::*;
use dp_core::pairs::{
    DiscreteGaussianPair, DiscreteLaplacePair, FinitePair, GaussianPair, LaplacePair, RandomizedResponsePair,
};
use dp_core::{Alpha, Delta, Epsilon, Mu, Scale};

fn gaussian(mu: f64) -> GaussianPair {
    GaussianPair::new(Mu::new(mu).unwrap())
}

fn laplace(epsilon: f64) -> LaplacePair {
    LaplacePair::new(Epsilon::new(epsilon).unwrap())
}

fn response(epsilon: f64) -> RandomizedResponsePair {
    RandomizedResponsePair::binary(Epsilon::new(epsilon).unwrap())
}

/// The answer encloses the truth, which is known up to an error, and is as narrow as asked for.
fn check(name: &str, found: Enclosure, truth: f64, error: f64, width: f64) {
    assert!(
        found.lo() <= truth + error && truth - error <= found.hi(),
        "{name}: {found:?} does not hold {truth}"
    );
    assert!(found.relative_width() <= width, "{name}: {found:?} is {:e} wide", found.relative_width());
}

#[test]
fn gaussian_compositions_are_gaussian() {
    let (one, all) = (gaussian(0.5), gaussian(1.5));
    for delta in [0.3, 1e-3, 1e-12, 1e-30] {
        let truth = all.epsilon(Delta::new(delta).unwrap()).get();
        check("ε of 9 Gaussians", epsilon(&[(&one, 9)], delta, 1e-4, None), truth, 1e-11, 1e-4);
    }
    for argument in [-2.0, 0.0, 1.0, 8.0, 18.0] {
        let truth = all.delta(argument);
        let found = super::delta(&[(&one, 9)], argument, 1e-4, None);
        check("δ of 9 Gaussians", found, truth.hi(), truth.hi() * 1e-12, 1e-4);
    }
}

#[test]
fn on_request_a_millionth() {
    let truth = gaussian(1.5).epsilon(Delta::new(1e-6).unwrap()).get();
    check("9 Gaussians", epsilon(&[(&gaussian(0.5), 9)], 1e-6, 1e-6, None), truth, 1e-11, 1e-6);
}

/// δ of k-fold randomised response: Σ C(k,j) p^j (1−p)^(k−j) (1 − e^(ε − (2j−k)ε₀))₊.
fn binomial_profile(limit: f64, count: u32, epsilon: f64) -> f64 {
    let (ln_own, ln_other) = (-(-limit).exp().ln_1p(), -limit - (-limit).exp().ln_1p());
    let mut ln_choose = 0.0;
    let mut sum = 0.0;
    for j in (0..=count).rev() {
        let missing = count - j;
        let loss = (f64::from(j) - f64::from(missing)) * limit;
        if loss > epsilon {
            let mass = (ln_choose + f64::from(j) * ln_own + f64::from(missing) * ln_other).exp();
            sum -= mass * (epsilon - loss).exp_m1();
        }
        ln_choose += (f64::from(j) / f64::from(missing + 1)).ln();
    }
    sum
}

#[test]
fn randomised_response_is_exact() {
    for (limit, count) in [(0.2, 10), (1.0, 100), (0.01, 5000), (3.0, 60)] {
        let pair = response(limit);
        let top = limit * f64::from(count);
        for share in [0.01, 0.1, 0.3, 0.8, 0.9999] {
            let truth = binomial_profile(limit, count, top * share);
            if truth > 1e-280 {
                let found = super::delta(&[(&pair, count.into())], top * share, 1e-4, None);
                check("response", found, truth, truth * 1e-9, if truth > 1e-50 { 1e-8 } else { 1e-4 });
            }
        }
    }
}

/// Values of the reference files `laplace.json`, `randomized-response.json`,
/// `discrete-laplace.json` and `discrete-gaussian.json`: exact residue sums, binomial sums and
/// lattice convolutions.
#[test]
fn reference_values_are_enclosed() {
    for (scale, count, delta, truth) in [
        (10.0, 1000, 1e-5, 17.423_651_987_537_447),
        (10.0, 100, 1e-8, 5.500_155_144_308_774),
        (0.5, 100, 1e-12, 183.993_364_329_942_2),
        (1.0, 10, 1e-8, 9.999_989_760_209_708),
        (50.0, 1000, 1e-12, 4.390_105_798_593_472),
        (1.0, 10, 1e-12, 9.999_999_998_976),
    ] {
        let found = epsilon(&[(&laplace(1.0 / scale), count)], delta, 1e-4, None);
        check("Laplace", found, truth, truth * 1e-13, 1e-4);
    }
    for (limit, count, delta, truth, error) in [
        (2.944_438_979_166_440_3, 100, 1e-5, 294.442_207_450_413_7, 3e-10),
        (0.200_670_695_462_151_24, 10, 1e-8, 2.006_703_006_650_434_3, 3e-12),
        (1.098_612_288_668_109_8, 1000, 1e-5, 673.537_191_331_595_6, 7e-10),
        (2.944_438_979_166_440_3, 1000, 1e-8, 2_848.271_103_939_812_3, 3e-9),
        (2.944_438_979_166_440_3, 1, 1e-5, 2.944_428_452_795_248_7, 3e-12),
    ] {
        check("response", epsilon(&[(&response(limit), count)], delta, 1e-4, None), truth, error, 1e-9);
    }
    for (scale, count, truth, error) in [
        (1.0, 1000, 577.833_206_709_373_9, 6e-10),
        (2.0, 100, 31.172_863_499_683_6, 4e-11),
        (10.0, 10, 0.993_691_176_759_335_9, 2e-12),
    ] {
        let pair = DiscreteLaplacePair::new(Scale::new(scale).unwrap(), 1).unwrap();
        check("discrete Laplace", epsilon(&[(&pair, count)], 1e-5, 1e-4, None), truth, error, 1e-9);
    }
    for (sigma, count, delta, truth) in [
        (20.0f64, 1000, 1e-5, 7.511_276_840_266_815),
        (2.0, 1, 1e-5, 2.011_339_821_347_705),
        (5.0, 1000, 1e-5, 46.211_255_858_252_79),
        (1.0, 10, 1e-8, 21.988_907_388_868_615),
    ] {
        let pair = DiscreteGaussianPair::new(Scale::new(sigma).unwrap(), 1).unwrap();
        let spacing = Spacing { step: 1.0 / (sigma * sigma), offset: 0.5 / (sigma * sigma) };
        let found = epsilon(&[(&pair, count)], delta, 1e-4, Some(spacing));
        check("discrete Gaussian", found, truth, truth * 1e-12, 1e-7);
    }
}

/// A Poisson sample of a pair with Q in common: P' = (1−q)Q + qP, whose profile is
/// q·δ(ln(1 + (e^ε − 1)/q)).
struct Sampled<T> {
    rate: f64,
    pair: T,
}

impl<T: DominatingPair> Sampled<T> {
    fn inner(&self, epsilon: f64) -> Enclosure {
        (Enclosure::point(epsilon).exp_m1() / Enclosure::point(self.rate)).ln_1p()
    }
}

impl<T: DominatingPair> DominatingPair for Sampled<T> {
    fn delta(&self, epsilon: f64) -> Enclosure {
        let (inner, rate) = (self.inner(epsilon), Enclosure::point(self.rate));
        let computed =
            rate * Enclosure::new(self.pair.delta(inner.hi()).lo(), self.pair.delta(inner.lo()).hi());
        computed.max((-Enclosure::point(epsilon).exp_m1()).max(Enclosure::ZERO)).probability()
    }

    fn tail(&self, loss: f64) -> Enclosure {
        let (inner, rate) = (self.inner(loss), Enclosure::point(self.rate));
        if inner.hi() == f64::NEG_INFINITY {
            return Enclosure::ONE; // no loss is below ln(1 − q)
        }
        let at = |t: f64| {
            let (tail, delta) = (self.pair.tail(t), self.pair.delta(t));
            let neighbour = ((tail - delta) * (-Enclosure::point(t)).exp()).probability();
            (Enclosure::ONE - rate) * neighbour + rate * tail
        };
        let highest = if inner.lo() == f64::NEG_INFINITY { 1.0 } else { at(inner.lo()).hi() };
        Enclosure::new(at(inner.hi()).lo(), highest).probability()
    }

    fn renyi(&self, _: Alpha) -> Enclosure {
        Enclosure::new(0.0, f64::INFINITY)
    }

    fn max_loss(&self) -> f64 {
        f64::INFINITY
    }
}

/// Values of `poisson-gaussian.json` and `heterogeneous.json`: contour integrals on two contours.
#[test]
fn sampled_and_mixed_references_are_enclosed() {
    let sampled = |rate, sigma: f64| Sampled { rate, pair: gaussian(1.0 / sigma) };
    for (rate, sigma, count, delta, truth) in
        [(0.1, 2.0, 100, 1e-10, 3.829_149_303_163_210_2), (0.01, 2.0, 10_000, 1e-5, 2.162_704_590_679_273_7)]
    {
        let found = epsilon(&[(&sampled(rate, sigma), count)], delta, 1e-4, None);
        check("sampled Gaussian", found, truth, 1e-11 + 1e-9 * truth, 1e-4);
    }
    let parts: &Parts = &[(&gaussian(1.0), 1), (&laplace(0.05), 100)];
    check("mixed", epsilon(parts, 1e-5, 1e-4, None), 4.970_275_173_999_925, 1e-12, 1e-4);
}

#[test]
fn many_steps_stay_sound() {
    // δ of √k·μ = 1, for k = 10⁸: the lattice is too coarse for 1e-4, and says so.
    let truth = gaussian(1.0).epsilon(Delta::new(1e-6).unwrap()).get();
    let found = epsilon(&[(&gaussian(1e-4), 100_000_000)], 1e-6, 1e-1, None);
    assert!(found.lo() <= truth && truth <= found.hi(), "{found:?}");
    let response = response(1e-4);
    let found = epsilon(&[(&response, 100_000_000)], 1e-6, 1e-4, None);
    assert!(
        found.lo() <= truth && found.relative_width() < 1e-4 && (found.hi() - truth).abs() < 1e-3,
        "{found:?}"
    );
}

#[test]
fn profiles_enclose_every_view() {
    let (one, all) = (gaussian(0.5), gaussian(1.0));
    let profile = profile(&[(&one, 4)], 1e-3);
    for argument in [-5.0, -1.0, -0.01, 0.0, 0.5, 3.0, 7.0, 11.0] {
        check("δ", profile.delta(argument), all.delta(argument).hi(), 1e-40, 0.1);
    }
    for delta in [0.3, 1e-2, 1e-9, 1e-20, 1e-30] {
        check("ε", profile.epsilon(delta), all.epsilon(Delta::new(delta).unwrap()).get(), 1e-11, 3e-3);
    }
    // f(α) = Φ(Φ⁻¹(1−α) − μ): Φ(0.644853626951472…) at α = 1/20, and ½ where Φ⁻¹(1−α) = μ.
    check("f(0.05)", profile.trade_off(0.05), 0.740_488_989_695_906, 1e-10, 1e-3);
    check("f(Φ̄(1))", profile.trade_off(0.158_655_253_931_457_05), 0.5, 1e-12, 1e-3);
    check("f(0)", profile.trade_off(0.0), 1.0, 0.0, 1e-3);
    check("f(1)", profile.trade_off(1.0), 0.0, 0.0, 0.0);
    check("advantage", profile.advantage(), 0.382_924_922_548_026_2, 1e-14, 1e-3);
}

#[test]
fn what_is_infinite_or_nothing_is_said_to_be() {
    let nothing: &Parts = &[];
    assert_eq!(epsilon(nothing, 1e-6, 1e-4, None), Enclosure::ZERO);
    assert_eq!(super::delta(nothing, 0.0, 1e-4, None), Enclosure::ZERO);
    assert!(super::delta(nothing, -1.0, 1e-4, None).contains(1.0 - (-1f64).exp()));
    let infinite = LaplacePair::new(Epsilon::INFINITE);
    assert_eq!(epsilon(&[(&infinite, 1)], 1e-6, 1e-4, None), Enclosure::point(f64::INFINITY));
    assert_eq!(epsilon(&[(&infinite, 0)], 1e-6, 1e-4, None), Enclosure::ZERO);
    // A thousandth of the loss is infinite: no ε below δ = 1 − 0.999², and some above it.
    let leak = FinitePair::new(&[0.5, 0.499, 0.001], &[0.499, 0.501, 0.0]).unwrap();
    assert_eq!(epsilon(&[(&leak, 2)], 1e-3, 1e-4, None), Enclosure::point(f64::INFINITY));
    check("leak", super::delta(&[(&leak, 2)], 5.0, 1e-4, None), 1.0 - 0.999 * 0.999, 1e-15, 1e-9);
    assert!(epsilon(&[(&leak, 2)], 3e-3, 1e-4, None).hi() < 0.1);
    // No δ at all: the sum of the largest losses.
    let none = epsilon(&[(&laplace(0.5), 3)], 0.0, 1e-4, None);
    assert!(none.hi() == 1.5 && none.lo() > 1.49, "{none:?}");
    assert_eq!(epsilon(&[(&gaussian(1.0), 1)], 1.0, 1e-4, None), Enclosure::ZERO);
    assert_eq!(super::delta(&[(&gaussian(1.0), 1)], f64::NAN, 1e-4, None), Enclosure::new(0.0, 1.0));
    assert_eq!(super::delta(&[(&gaussian(1.0), 1)], f64::INFINITY, 1e-4, None).lo(), 0.0);
}

#[test]
fn transforms_err_far_less_than_their_bound() {
    // Against sums in the definition, for masses that fall by a factor and masses that jump.
    for (length, base) in [(64usize, 0.9f64), (1024, 0.999)] {
        let masses: Vec<f64> =
            (0..length).map(|s| base.powi(i32::try_from(s * 7 % length).unwrap())).collect();
        let total: f64 = masses.iter().sum();
        let plan = realfft::RealFftPlanner::<f64>::new().plan_fft_forward(length);
        let (mut input, mut output) = (masses.clone(), plan.make_output_vec());
        plan.process(&mut input, &mut output).unwrap();
        for (f, value) in output.iter().enumerate() {
            let (mut re, mut im) = (0.0, 0.0);
            for (s, mass) in masses.iter().enumerate() {
                let angle = -2.0 * core::f64::consts::PI * float(s * f % length) / float(length);
                re += mass * angle.cos();
                im += mass * angle.sin();
            }
            let error = (value.re - re).hypot(value.im - im);
            assert!(error <= 0.2 * dp_accounting::internals::transform_error(length) * total, "{error:e}");
        }
    }
}

#[test]
fn a_window_that_is_too_short_widens_the_bounds() {
    // 4,000 answers spread over 63 places around their mean: 128 places cut off a third, which
    // wraps around.
    let (pair, step) = (response(0.1), 0.1);
    let parts: &Parts = &[(&pair, 4000)];
    let saddle = Cumulants::new(parts).find(Query::Delta(20.0));
    let part = Part { pair: &pair, count: 4000, range: Range::of(&pair, 1e-12, 1e-12) };
    let mut transforms = None;
    let short = |side, transforms: &mut _| compose(&[part], step, saddle, side, 128, transforms);
    let (upper, lower) = (short(Side::Above, &mut transforms), short(Side::Below, &mut transforms));
    assert!(upper.len() == 128 && lower.len() == 128);
    for epsilon in [15.0, 20.0, 22.0, 26.0, 28.0, 33.0, 60.0] {
        let truth = binomial_profile(0.1, 4000, epsilon);
        let (high, low) = (upper.delta(epsilon), lower.delta(epsilon));
        assert!(low <= truth && truth <= high, "{epsilon}: {low:e} {truth:e} {high:e}");
    }
}
