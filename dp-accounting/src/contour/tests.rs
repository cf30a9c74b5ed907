use dp_core::pairs::{
    BoundedRangePair, DiscreteGaussianPair, DiscreteLaplacePair, DominatingPair, GaussianPair, LaplacePair,
    RandomizedResponsePair,
};
use dp_core::{Alpha, Approx, Delta, Epsilon, Mu, Scale};

use std::sync::Arc;

use super::*;
use crate::dots::Dots;
use crate::finite_law::FiniteLaw;
use crate::loss::{self, Form, PrivacyLoss};
use crate::sampling::{Direction, Poisson, TwoSided};
use crate::theorems::Optimal;

const BOTH: [Direction; 2] = [Direction::Remove, Direction::Add];
const TILTS: [f64; 5] = [0.5, 1.0, 3.75, 17.0, 63.5];

/// The losses of one mechanism, by its parameters.
pub(super) trait AddLosses {
    fn add_loss(&mut self, loss: &dyn PrivacyLoss, direction: Direction, count: u64);

    fn add_laplace(&mut self, limit: f64, count: u64) {
        self.add_loss(&LaplacePair::new(epsilon(limit)), Direction::Remove, count);
    }

    fn add_bounded_range(&mut self, range: f64, count: u64) {
        self.add_loss(&BoundedRangePair::new(epsilon(range)), Direction::Remove, count);
    }

    fn add_discrete_gaussian(&mut self, sigma: f64, shift: u32, count: u64) {
        let pair = DiscreteGaussianPair::new(Scale::new(sigma).unwrap(), shift).unwrap();
        self.add_loss(&pair, Direction::Remove, count);
    }

    fn add_sampled_gaussian(&mut self, rate: f64, mu: f64, direction: Direction, count: u64) {
        self.add_loss(&loss::Poisson::new(rate, Arc::new(gaussian(mu))), direction, count);
    }
}

impl AddLosses for Side {
    fn add_loss(&mut self, loss: &dyn PrivacyLoss, direction: Direction, count: u64) {
        loss.form(direction).add_to(self, count);
    }
}

pub(super) fn sampled(rate: f64, sigma: f64, count: u64, direction: Direction) -> Side {
    let mut side = Side::empty(&Effort::new(1e12));
    side.add_sampled_gaussian(rate, 1.0 / sigma, direction, count);
    side
}

fn epsilon(value: f64) -> Epsilon {
    Epsilon::new(value).unwrap()
}

fn gaussian(mu: f64) -> GaussianPair {
    GaussianPair::new(Mu::new(mu).unwrap())
}

/// The moment function of a loss.
fn law_of(loss: &impl PrivacyLoss) -> Loss {
    match loss.form(Direction::Remove) {
        Form::Density { loss, .. } => loss,
        _ => panic!("{loss:?} has no density"),
    }
}

/// A side with one thing added.
fn made(add: impl FnOnce(&mut Side)) -> Side {
    let mut side = Side::empty(&Effort::new(1e12));
    add(&mut side);
    side
}

/// Numbers in [0, 1) that repeat on every run.
fn noise() -> impl FnMut() -> f64 {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f64::from(u32::try_from(state >> 32).unwrap()) / 4_294_967_296.0
    }
}

/// Whether two enclosures of one number meet, and the first is narrow.
fn assert_agrees(found: Enclosure, truth: Enclosure, what: &str) {
    assert!(found.lo() <= truth.hi() && truth.lo() <= found.hi(), "{what}: {found:?} {truth:?}");
    assert!(found.hi() - found.lo() <= 1e-12 * (1.0 + found.hi().abs()), "{what}: {found:?}");
}

/// ln M(c) is c·D of the order c + 1.
fn assert_moments(side: &Side, divergence: impl Fn(Alpha) -> Enclosure, what: &str) {
    for c in TILTS {
        let found = side.tilt(c, 0.0, 0.0).expect("few points").moments;
        let truth = Enclosure::point(c) * divergence(Alpha::new(c + 1.0).unwrap());
        assert_agrees(found.log_moment, truth, &format!("{what} at c = {c}"));
        // The same from fewer points: not so narrow, but true.
        let quick = side.moments(c, 0.0).expect("few points");
        let (lo, hi) = (quick.log_moment.lo(), quick.log_moment.hi());
        assert!(
            lo <= truth.hi() && truth.lo() <= hi && hi - lo < 1e-6 * (1.0 + hi.abs()),
            "{what} at c = {c}: {quick:?} {truth:?}"
        );
        for (quick, found) in [(quick.mean, found.mean), (quick.variance, found.variance)] {
            assert!(
                (quick - found).abs() <= 1e-5 * found.abs().max(1e-3),
                "{what} at c = {c}: {quick} {found}"
            );
        }
    }
}

#[test]
fn ten_thousand_sampled_steps_are_known_to_ten_digits() {
    // 6.907384495 by an independent contour integral; the peers' best is 6.9074.
    let epsilon = sampled(0.01, 1.0, 10_000, Direction::Remove).epsilon(1e-6, 1e-4, 0.0);
    assert!(epsilon.contains(6.907_384_495) && epsilon.relative_width() < 1e-9, "{epsilon:?}");
}

#[test]
fn moments_of_sampled_gaussians_are_their_renyi_divergences() {
    for direction in BOTH {
        for rate in [1e-4, 0.01, 0.3, 0.95] {
            for mu in [0.1, 0.5, 1.0, 1.75] {
                let side = made(|side| side.add_sampled_gaussian(rate, mu, direction, 1));
                let pair = Poisson::new(gaussian(mu), rate, direction).unwrap();
                assert_moments(&side, |order| pair.renyi(order), &format!("{direction:?} {rate} {mu}"));
            }
        }
    }
}

#[test]
fn moments_of_all_other_laws_are_their_renyi_divergences() {
    for limit in [0.01, 0.3, 1.0, 4.0] {
        let pair = LaplacePair::new(epsilon(limit));
        let side = made(|side| side.add_laplace(limit, 1));
        assert_moments(&side, |order| pair.renyi(order), &format!("Laplace {limit}"));

        let pair = BoundedRangePair::new(epsilon(limit));
        let side = made(|side| side.add_bounded_range(limit, 1));
        assert_moments(&side, |order| pair.divergence(order), &format!("bounded range {limit}"));

        for answers in [2, 7] {
            let pair = RandomizedResponsePair::new(epsilon(limit), answers).unwrap();
            let side = made(|side| side.add_law(&FiniteLaw::new(pair.losses()), 1));
            assert_moments(&side, |order| pair.renyi(order), &format!("{answers} answers {limit}"));
        }
    }
    for (scale, shift) in [(0.7, 1), (1.0, 3), (5.0, 1), (20.0, 7)] {
        let scale_of_noise = Scale::new(scale).unwrap();
        let pair = DiscreteLaplacePair::new(scale_of_noise, shift).unwrap();
        let side = made(|side| side.add_law(&FiniteLaw::new(pair.losses()), 1));
        assert_moments(&side, |order| pair.renyi(order), &format!("discrete Laplace {scale} {shift}"));

        let pair = DiscreteGaussianPair::new(scale_of_noise, shift).unwrap();
        let side = made(|side| side.add_discrete_gaussian(scale, shift, 1));
        assert_moments(&side, |order| pair.renyi(order), &format!("discrete Gaussian {scale} {shift}"));
    }
}

#[test]
fn counts_and_gaussians_add_up() {
    let one = made(|side| side.add_laplace(0.3, 1)).moments(3.75, 0.0).unwrap().log_moment;
    let side = made(|side| {
        side.add_laplace(0.3, 7);
        side.add_gaussian(0.5, 4);
    });
    let all = side.moments(3.75, 0.25).unwrap().log_moment;
    // Σμ² = 1, and a dither of ¼.
    let gaussian = Enclosure::point(1.25 * 0.5 * 3.75 * 4.75);
    assert_agrees(all, Enclosure::point(7.0) * one + gaussian, "a sum");
}

/// The bound holds at every y from `reach` on at which there is a value, also with components made
/// for a shorter reach.
fn assert_decay(loss: &Loss, c: f64, furthest: f64, expected: f64) {
    let fine = loss.tilt(c, furthest, &Effort::new(1e12)).expect("few nodes");
    let count = 2000usize;
    let step = furthest / 2000.0;
    let mut logs = Vec::new();
    fine.along(step, count, |_, re, im, error| logs.push(libm::log((libm::hypot(re, im) - error).max(0.0))));
    let mut highest = f64::NEG_INFINITY;
    let later: Vec<f64> = logs
        .iter()
        .rev()
        .map(|log| {
            highest = highest.max(*log);
            highest
        })
        .collect();
    let later: Vec<f64> = later.into_iter().rev().collect();
    for coarse in [furthest / 50.0, furthest / 6.0, furthest] {
        let tilted = loss.tilt(c, coarse, &Effort::new(1e12)).expect("few nodes");
        for j in (1..count).step_by(7) {
            let reach = step * f64::from(u32::try_from(j).unwrap());
            let bound = tilted.log_decay(reach);
            assert!(bound <= 0.0 && bound >= later[j], "{loss:?} c {c} y {reach}: {bound} {}", later[j]);
        }
    }
    let bound = fine.log_decay(furthest);
    assert!(bound < expected, "{loss:?} c {c}: only {bound}");
}

#[test]
fn no_moment_exceeds_the_decay_bound() {
    for c in [0.3, 2.0, 15.0] {
        for direction in BOTH {
            for (rate, mu) in [(0.01, 1.0), (0.3, 0.5), (0.9, 1.5)] {
                // So far that a Gaussian of that spread would be down to a few percent.
                let law = Loss::SampledGaussian(SampledGaussian { rate, mu, direction });
                let spread = (law.moments(c, 30.0, &Effort::new(1e12)).unwrap().variance).sqrt();
                assert_decay(&law, c, 4.0 / spread, -0.02);
            }
        }
        for limit in [0.05, 0.5, 3.0] {
            let furthest = 20.0 * (c + 1.0 + 1.0 / limit);
            assert_decay(&law_of(&LaplacePair::new(epsilon(limit))), c, furthest, -1e-3);
            assert_decay(&law_of(&BoundedRangePair::new(epsilon(limit))), c, furthest, -1.0);
        }
    }
}

#[test]
fn laws_with_atoms_alone_have_no_decay() {
    let response = RandomizedResponsePair::binary(epsilon(1.0));
    let side = made(|side| side.add_law(&FiniteLaw::new(response.losses()), 1));
    assert_eq!(side.parts[0].0.tilt(1.0, 100.0, &Effort::new(1e12)).unwrap().log_decay(100.0), 0.0);
    let discrete = law_of(&DiscreteGaussianPair::new(Scale::new(2.0).unwrap(), 1).unwrap());
    assert_eq!(discrete.tilt(1.0, 100.0, &Effort::new(1e12)).unwrap().log_decay(100.0), 0.0);
}

#[test]
fn transforms_give_the_sums_that_they_stand_for() {
    for (points, step, count, size) in [(50, 0.01, 300, 20.0), (400, 0.3, 200, 3.0), (7, 2.5, 1000, 0.01)] {
        let mut noise = noise();
        let losses: Vec<f64> = (0..points).map(|_| size * (2.0 * noise() - 1.0)).collect();
        let weights: Vec<f64> = (0..points).map(|_| noise()).collect();
        let total: f64 = weights.iter().sum();
        let (sums, error) = fourier::sums(&losses, &weights, step, count);
        assert!(sums.len() == count && error < 1e-12);
        for (j, (re, im)) in sums.into_iter().enumerate() {
            let y = step * f64::from(u32::try_from(j).unwrap());
            let direct = losses.iter().zip(&weights).fold((0.0, 0.0), |sum, (loss, weight)| {
                let (sine, cosine) = libm::sincos(y * loss);
                (sum.0 + weight * cosine, sum.1 + weight * sine)
            });
            // Phases of both are rounded; the direct sum is, too.
            let phases = 8.0 * UNIT * y * size + f64::from(points) * UNIT;
            let off = libm::hypot(re - direct.0, im - direct.1);
            assert!(off <= (error + phases) * total, "{points} {j}: {off} {}", (error + phases) * total);
        }
    }
}

#[test]
fn a_cloud_has_the_same_values_by_turns_and_by_transforms() {
    let mut noise = noise();
    let points: Vec<Point> = (0..701)
        .map(|_| Point {
            loss: 6.0 * noise() - 2.0,
            loss_error: 0.0,
            log_mass: -10.0 * noise() + 300.0,
            log_mass_error: 0.0,
        })
        .collect();
    let cloud = Cloud::new(&points, 0.0);
    let values = |count: usize| {
        let mut values = Vec::new();
        cloud.along(0.05, count, |j, re, im, error| {
            assert_eq!(j, values.len());
            values.push((re, im, error));
        });
        values
    };
    // The first is short enough to be turned point by point.
    let (turned, transformed) = (values(700), values(701));
    assert!(turned.len() == 700 && transformed.len() == 701);
    let mut different = false;
    for (a, b) in turned.iter().zip(&transformed) {
        let off = libm::hypot(a.0 - b.0, a.1 - b.1);
        assert!(off <= a.2 + b.2 && a.2 < 1e-12 && b.2 < 1e-12, "{a:?} {b:?}");
        different |= off > 0.0;
    }
    assert!(different, "only one way was taken");
    assert!((turned[0].0 - 1.0).abs() <= turned[0].2 && turned[0].1.abs() <= turned[0].2);
}

/// What a line with a dither says of a Gaussian of distance μ, with or without a Laplace release of
/// almost no effect beside it.
fn assert_dithered(mu: f64, at: f64, dither: f64, beside: f64) -> Enclosure {
    let side = made(|side| {
        side.add_gaussian(mu / 2.0, 4);
        if beside > 0.0 {
            side.add_laplace(beside, 1);
        }
    });
    let (saddle, _) = side.saddle_for_epsilon(at, Start::anew(dither, 0.02)).unwrap();
    let line = Line::new(Plan::new(&side, saddle, at, dither, None).unwrap());
    let found = line.enclose(at, &line.sums(at));
    // A loss of at most `beside` more shifts the profile by at most that.
    let (least, most) = (gaussian(mu).delta(at), gaussian(mu).delta(at - beside));
    assert!(found.lo() <= most.hi() && found.hi() >= least.lo(), "{mu} {at} {dither}: {found:?} {least:?}");
    found
}

#[test]
fn a_dither_never_hides_the_truth() {
    for beside in [0.0, 1e-9] {
        for mu in [0.1, 1.0, 4.0] {
            for at in [0.0, 0.5 * mu, mu * mu / 2.0 + 3.0 * mu] {
                let mut width = f64::INFINITY;
                for part in [0.3, 0.01, 1e-4] {
                    let found = assert_dithered(mu, at, part * mu * mu, beside);
                    let narrower = found.relative_width();
                    assert!(narrower < width || narrower < 1e-8, "{mu} {at} {part}: {found:?}");
                    width = narrower;
                }
                assert!(width < 1e-2, "{mu} {at}: {width}");
            }
        }
    }
    // A dither beyond one has a lower end of its own.
    let wide = assert_dithered(40.0, 820.0, 4.0, 1e-9);
    assert!(wide.lo() > 0.1, "{wide:?}");
}

#[test]
fn infinite_losses_are_counted() {
    let guarantee = Approx::new(0.1, 1e-3).unwrap();
    let side = made(|side| {
        side.add_law(&FiniteLaw::approx(&guarantee), 50);
        side.add_gaussian(1.0, 1);
    });
    let expected = -libm::expm1(50.0 * libm::log1p(-1e-3));
    let infinite = side.infinite();
    assert!(
        infinite.lo() <= expected * (1.0 + 1e-14) && infinite.hi() >= expected * (1.0 - 1e-14),
        "{infinite:?}"
    );
    assert!(infinite.relative_width() < 1e-12);
    assert_eq!(side.epsilon(0.04, 1e-4, 0.0), Enclosure::point(f64::INFINITY));
    assert_eq!(side.epsilon(0.0, 1e-4, 0.0), Enclosure::point(f64::INFINITY));
    let epsilon = side.epsilon(0.06, 1e-4, 0.0);
    assert!(epsilon.hi().is_finite() && epsilon.relative_width() < 1e-4, "{epsilon:?}");
    assert!(
        side.delta(epsilon.hi(), 1e-4, 0.0).lo() <= 0.06 && side.delta(epsilon.lo(), 1e-4, 0.0).hi() >= 0.06
    );

    // Without the Gaussian the answer is that of optimal composition.
    let side = made(|side| side.add_law(&FiniteLaw::approx(&guarantee), 50));
    let optimal = Optimal::new(&[(guarantee, 50)]).unwrap();
    for at in [0.0, 0.7, 1.3, 4.99, 5.0, 6.0] {
        let (found, truth) = (side.delta(at, 1e-4, 0.0), optimal.delta(at));
        assert!(found.lo() <= truth.hi() && truth.lo() <= found.hi(), "{at}: {found:?} {truth:?}");
        assert!(found.relative_width() < 1e-3, "{at}: {found:?}");
    }
    let found = side.epsilon(0.06, 1e-4, 0.0);
    assert!(found.lo() <= optimal.epsilon(Delta::new(0.06).unwrap()).get());
    assert!(optimal.delta(found.hi()).lo() <= 0.06);
}

#[test]
fn infinite_losses_are_enclosed_when_masses_are_not_one() {
    for (masses, infinite, count) in [([0.6, 0.3], 0.3, 3), ([0.5, 0.25], 0.125, 5), ([0.6, 0.5], 0.0, 2)] {
        let dots = Dots { losses: vec![-1.0, 2.0], masses: masses.to_vec(), infinite };
        let side = made(|side| side.add_dots(&dots, count));
        let finite: f64 = masses.iter().sum();
        let power = |mass: f64| mass.powi(i32::try_from(count).unwrap());
        let truth = (power(finite + infinite) - power(finite)).min(1.0);
        let found = side.infinite();
        assert!(found.lo() <= truth + 1e-12 && truth - 1e-12 <= found.hi(), "{found:?} {truth}");
        assert!((side.log_total.exp().hi() - power(finite + infinite)).abs() < 1e-12);
    }
}

/// Bounds from a few moments lie below the truth, and are not nothing.
#[test]
fn outer_bounds_lie_below_the_profile() {
    let build = |add: &dyn Fn(&mut Side)| {
        let mut side = Side::empty(&Effort::new(1e12));
        add(&mut side);
        side
    };
    let pair = DiscreteLaplacePair::new(Scale::new(3.0).unwrap(), 4).unwrap();
    let guarantee = Approx::new(0.3, 1e-3).unwrap();
    let sides = [
        build(&|side| side.add_laplace(0.3, 40)),
        build(&|side| side.add_laplace(5.0, 6)),
        build(&|side| side.add_bounded_range(0.7, 25)),
        build(&|side| side.add_gaussian(0.4, 12)),
        build(&|side| side.add_discrete_gaussian(3.0, 1, 30)),
        build(&|side| side.add_discrete_gaussian(2000.0, 900, 30)),
        build(&|side| side.add_sampled_gaussian(0.05, 1.0, Direction::Remove, 2000)),
        build(&|side| side.add_sampled_gaussian(0.05, 1.0, Direction::Add, 2000)),
        build(&|side| side.add_law(&FiniteLaw::new(pair.losses()), 7)),
        build(&|side| side.add_law(&FiniteLaw::approx(&guarantee), 20)),
        build(&|side| {
            side.add_laplace(0.3, 10);
            side.add_gaussian(0.4, 3);
            side.add_law(&FiniteLaw::approx(&guarantee), 3);
        }),
    ];
    for (k, side) in sides.iter().enumerate() {
        for delta in [0.99, 0.5, 1e-2, 1e-5, 1e-9] {
            let (truth, least) = (side.epsilon(delta, 1e-4, 0.0), side.least_epsilon(delta));
            assert!(least <= truth.hi(), "side {k} at δ = {delta}: {least} {truth:?}");
            let useful = delta >= 1e-2 || truth.lo().is_infinite() || least > 0.33 * truth.lo();
            assert!(useful, "side {k} at δ = {delta}: {least} {truth:?}");
        }
        for epsilon in [0.0, 0.3, 2.0, 6.0] {
            let (truth, least) = (side.delta(epsilon, 1e-4, 0.0), side.least_delta(epsilon));
            assert!(least <= truth.hi(), "side {k} at ε = {epsilon}: {least} {truth:?}");
            assert!(least > 0.0 || truth.lo() < 1e-5, "side {k} at ε = {epsilon}: {least} {truth:?}");
        }
    }
}
