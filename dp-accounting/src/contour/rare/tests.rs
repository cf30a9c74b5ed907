use dp_core::pairs::GaussianPair;
use dp_core::{Alpha, Mu};

use super::*;
use crate::contour::tests::{AddLosses, sampled};
use crate::sampling::Poisson;
use dp_core::pairs::DominatingPair;

fn law(rate: f64, mu: f64) -> SampledGaussian {
    SampledGaussian { rate, mu, direction: Direction::Remove }
}

/// The bulk and the rare part of a law, cut at a loss; nothing is trimmed that could be seen.
fn halves(law: SampledGaussian, loss: f64) -> [Windowed; 2] {
    let (step, far) = (cut(law, loss), Step { at: 60.0, steepness: 4.0 });
    [Windowed { law, from: None, to: step }, Windowed { law, from: Some(step), to: far }]
}

#[test]
fn both_halves_have_the_moments_of_the_whole() {
    for (rate, mu) in [(1e-4, 1.5), (0.01, 1.0), (0.3, 0.25)] {
        let pair = GaussianPair::new(Mu::new(mu).unwrap());
        let pair = Poisson::new(pair, rate, Direction::Remove).unwrap();
        for (loss, c) in [(0.5, 0.5), (0.01, 3.75), (0.1, 17.0)] {
            let truth = (Enclosure::point(c) * pair.renyi(Alpha::new(c + 1.0).unwrap())).exp();
            for accuracy in [20.0, 37.0] {
                let [bulk, rare] = halves(law(rate, mu), loss);
                let found = bulk.moments(c, accuracy, &Effort::new(1e12)).unwrap().log_moment.exp()
                    + rare.moments(c, accuracy, &Effort::new(1e12)).unwrap().log_moment.exp();
                let what = format!("{rate} {mu} {loss} {c}: {found:?} {truth:?}");
                assert!(found.lo() <= truth.hi() && truth.lo() <= found.hi(), "{what}");
                assert!(found.relative_width() < 10.0 * libm::exp(-accuracy) + 1e-10, "{what}");
            }
        }
    }
}

/// M₁(c+iy) of a rare half by a plain sum of 2⁻¹² in x.
fn plainly(half: &Windowed, c: f64, y: f64) -> (f64, f64) {
    let (mut re, mut im, width) = (0.0, 0.0, 1.0 / 4096.0);
    let step = half.from.unwrap();
    for i in -4096 * 9..4096 * 30 {
        let x = f64::from(i) * width;
        let u = half.law.mu * x - half.law.mu * half.law.mu / 2.0;
        let loss = libm::log1p(half.law.rate * libm::expm1(u));
        let above = -libm::expm1(-libm::exp(step.steepness * (x - step.at)));
        let below = libm::exp(-libm::exp(half.to.steepness * (x - half.to.at)));
        let height = libm::exp((1.0 + c) * loss - x * x / 2.0) * above * below * width
            / libm::sqrt(core::f64::consts::TAU);
        let (sine, cosine) = libm::sincos(y * loss);
        (re, im) = (re + height * cosine, im + height * sine);
    }
    (re, im)
}

#[test]
fn values_are_those_of_a_plain_sum_and_never_exceed_the_bound_for_all_that_follow() {
    for (rate, mu, loss, c) in [(0.01, 1.0, 0.1, 6.0), (1e-3, 0.5, 0.005, 40.0), (0.3, 1.5, 0.4, 2.0)] {
        let step = cut(law(rate, mu), loss);
        let half =
            Windowed { law: law(rate, mu), from: Some(step), to: Step { at: step.at + 5.0, steepness: 8.0 } };
        let shifted = Shifted::new(&half, c, 0.0, &Effort::new(1e12)).unwrap();
        let mut reach = 1.0;
        while shifted.log_decay(reach)
            > half.moments(c, 37.0, &Effort::new(1e12)).unwrap().log_moment.lo() - 25.0
        {
            reach *= 1.3;
            assert!(reach < 1e7, "{rate} {mu}: no decay");
        }
        let cloud = half.tilt(c, reach, &Effort::new(1e12)).unwrap();
        let (size, count) = (libm::exp(cloud.moments(c).log_moment.hi()), 40usize);
        let step = reach / float(count);
        let mut seen = Vec::new();
        cloud.along(step, count, |j, re, im, error| seen.push((step * float(j), re, im, error)));
        for (j, &(y, re, im, error)) in seen.iter().enumerate() {
            let bound = shifted.log_decay(y);
            for &(later, re, im, error) in &seen[j..] {
                let modulus = size * (libm::hypot(re, im) - error);
                assert!(modulus <= libm::exp(bound), "{rate} {mu} at {y}, {later}: {modulus} {bound}");
            }
            if j % 13 == 0 {
                let plain = plainly(&half, c, y);
                let off = libm::hypot(size * re - plain.0, size * im - plain.1);
                assert!(off <= size * (error + 1e-11) && error < 1e-10, "{rate} {mu} {y}: {off} {error}");
            }
        }
    }
}

/// What counts as infinite loss is at least what the last step removes, by a plain sum under P.
#[test]
fn what_is_trimmed_counts_as_infinite() {
    for (rate, mu, negligible) in [(1e-3, 1.0, 1e-6), (0.5, 2.0, 1e-3), (0.1, 0.5, 1e-12)] {
        let trimmed = Windowed::trimmed(law(rate, mu), negligible);
        let mut removed = 0.0;
        for i in -20_000..40_000 {
            let x = f64::from(i) / 2048.0;
            let density =
                (1.0 - rate) * libm::exp(-x * x / 2.0) + rate * libm::exp(-(x - mu) * (x - mu) / 2.0);
            removed +=
                density * -libm::expm1(-trimmed.to.power(x)) / 2048.0 / libm::sqrt(core::f64::consts::TAU);
        }
        let infinite = trimmed.infinite();
        assert!(
            removed <= infinite && infinite <= 1.01 * negligible && removed > 1e-3 * infinite,
            "{removed} {infinite}"
        );
    }
}

/// δ(ε) of two runs, or of one run beside another mechanism, by an integral over one of them of the
/// other's profile, which is a formula (30 digits).
#[test]
fn profiles_of_two_releases_are_those_of_a_single_integral() {
    let check = |side: &Side, epsilon: f64, truth: f64| {
        let found = side.rare_delta(epsilon, 1e-6, Enclosure::new(0.0, 1e3 * truth));
        assert!(found.lo() <= truth && truth <= found.hi(), "{epsilon}: {found:?} {truth}");
        assert!(found.relative_width() < 1e-6, "{epsilon}: {found:?} {truth}");
        let back = side.rare_epsilon(truth, 1e-6, Enclosure::new(0.0, 3.0 * epsilon));
        assert!(
            back.lo() <= epsilon * (1.0 + 1e-15) && epsilon <= back.hi() * (1.0 + 1e-15),
            "{epsilon}: {back:?}"
        );
        assert!(back.relative_width() < 1e-6, "{epsilon}: {back:?}");
    };
    for (rate, mu, epsilon, truth) in [
        (0.1, 1.0, 1.5, 6.113_049_352_428_241e-5),
        (0.5, 0.25, 0.75, 8.825_784_450_010_166e-6),
        (0.000_976_562_5, 1.0, 0.0625, 4.046_309_230_911_394_6e-8),
        (0.000_122_070_312_5, 1.25, 0.031_25, 3.617_585_958_849_499_6e-9),
    ] {
        check(&sampled(rate, 1.0 / mu, 2, Direction::Remove), epsilon, truth);
    }
    let beside = |rate: f64, mu: f64, add: &dyn Fn(&mut Side)| {
        let mut side = sampled(rate, 1.0 / mu, 1, Direction::Remove);
        add(&mut side);
        side
    };
    let gaussian = beside(0.000_976_562_5, 1.5, &|side| side.add_gaussian(0.031_25, 1));
    check(&gaussian, 0.25, 3.817_626_628_138_251e-7);
    // Here the Gaussian alone reaches ε, and is not negligible: nothing is split.
    let gaussian = beside(0.031_25, 1.0, &|side| side.add_gaussian(0.25, 1));
    let known = Enclosure::new(0.0, 1e-6);
    assert_eq!(gaussian.rare_delta(1.75, 1e-6, known), known);
    let laplace = beside(0.000_976_562_5, 1.5, &|side| side.add_laplace(0.031_25, 1));
    check(&laplace, 0.25, 3.798_681_569_330_091e-7);
    let laplace = beside(0.031_25, 1.0, &|side| side.add_laplace(0.25, 1));
    check(&laplace, 1.5, 1.645_808_582_193_29e-7);
    let another = beside(0.000_976_562_5, 1.5, &|side| {
        side.add_sampled_gaussian(0.007_812_5, 0.75, Direction::Remove, 1);
    });
    check(&another, 0.25, 3.595_235_466_253_101e-7);
}

/// With the cut too high the bulk reaches ε: its bound says so, and the answer stays true.
#[test]
fn a_bulk_that_reaches_epsilon_is_counted() {
    let (side, epsilon) = (sampled(0.05, 1.0, 20, Direction::Remove), 1.0);
    let truth = side.rare_delta(epsilon, 1e-6, Enclosure::new(0.0, 0.1));
    assert!(truth.relative_width() < 1e-6, "{truth:?}");
    let trimmed = Rare::trimmed(&side, 1e-14);
    let mut seen = false;
    for negligible in [0.1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-8] {
        let rare = Rare::new(&trimmed, epsilon, negligible).unwrap();
        let (saddle, _) = rare.saddle_for_epsilon(epsilon, Start::anew(0.0, 0.05)).unwrap();
        let bare = Line::new(Plan::new(&rare, saddle, epsilon, 0.0, None).unwrap());
        let without = bare.enclose(epsilon, &bare.sums(epsilon)) + trimmed.infinite();
        let line = bare.above(rare.beneath);
        let found = line.enclose(epsilon, &line.sums(epsilon)) + trimmed.infinite();
        assert!(found.lo() <= truth.hi() && truth.lo() <= found.hi(), "{negligible}: {found:?} {truth:?}");
        assert!(found.hi() - found.lo() <= 2.0 * negligible, "{negligible}: {found:?}");
        seen |= without.hi() < truth.lo();
    }
    assert!(seen, "the bulk never mattered");
}

#[test]
fn splits_and_dithers_agree() {
    for (rate, sigma, count, epsilon) in [(0.01, 1.0, 10, 0.5), (1e-3, 1.0, 300, 0.1), (0.3, 3.0, 5, 1.0)] {
        let side = sampled(rate, sigma, count, Direction::Remove);
        let split = side.rare_delta(epsilon, 1e-6, Enclosure::new(0.0, 0.01));
        assert!(split.relative_width() < 1e-6, "{rate} {count}: {split:?}");
        let (saddle, _) = side.saddle_for_epsilon(epsilon, Start::anew(1e-5, 0.02)).unwrap();
        let line = Line::new(Plan::new(&side, saddle, epsilon, 1e-5, None).unwrap());
        let dithered = line.enclose(epsilon, &line.sums(epsilon));
        assert!(split.lo() <= dithered.hi() && dithered.lo() <= split.hi(), "{split:?} {dithered:?}");
        assert!(dithered.relative_width() < 0.1, "{dithered:?}");
    }
}

/// Slices are positive measures that add up to what was sliced, and are sliced again.
#[test]
fn slices_add_up() {
    let side = sampled(1e-4, 1.0, 10_000, Direction::Remove);
    let whole = Rare::new(&Rare::trimmed(&side, 1e-17), 0.08, 1e-17).unwrap();
    let (below, above) = whole.sliced(50.0).unwrap();
    let (lowest, middle) = below.sliced(150.0).unwrap();
    let moment = |rare: &Rare, c: f64| rare.moments(c, 0.0).unwrap().log_moment.exp();
    for c in [0.25, 2.0, 8.0, 40.0] {
        for (sum, parts) in [(&whole, [&below, &above]), (&below, [&lowest, &middle])] {
            let (all, sum_of_parts) = (moment(sum, c), moment(parts[0], c) + moment(parts[1], c));
            assert!(
                all.lo() <= sum_of_parts.hi() && sum_of_parts.lo() <= all.hi(),
                "{all:?} {sum_of_parts:?}"
            );
            assert!(all.relative_width() < 1e-5, "{all:?}");
        }
    }
}

/// 10,000 runs at rate 10⁻⁴ with σ = 1: at c near 50 losses of 0.2 and more outweigh those that
/// make up δ(0.0798). One line reaches four digits, three lines reach eight.
#[test]
fn slices_see_what_one_line_does_not() {
    let side = sampled(1e-4, 1.0, 10_000, Direction::Remove);
    let found = side.rare_epsilon(1e-10, 1e-6, Enclosure::new(0.07, 0.09));
    assert!(found.relative_width() < 1e-7 && found.contains(0.079_820_098), "{found:?}");
    let profile = side.rare_delta(0.079_820_098, 1e-6, Enclosure::new(0.0, 1e-8));
    assert!(profile.relative_width() < 1e-6 && profile.contains(1e-10), "{profile:?}");
}

/// Laws without a sampled Gaussian, and the other direction, are not split.
#[test]
fn nothing_rare_is_no_split() {
    let all = Enclosure::new(0.0, 10.0);
    let mut side = sampled(0.01, 1.0, 10, Direction::Add);
    side.add_laplace(0.5, 3);
    assert_eq!(side.rare_epsilon(1e-6, 1e-6, all), all);
    assert_eq!(side.rare_delta(0.5, 1e-6, Enclosure::new(0.0, 1.0)), Enclosure::new(0.0, 1.0));
}
