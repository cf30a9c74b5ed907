//! Corners in which the accountant said nothing, too much, or took too long: each has a truth or a
//! bound of its own.
//!
//! How long an answer takes is not asserted in seconds: what work it may do is counted, and where
//! the count runs out the bracket is wide. So the widths are the assertion.

#![allow(clippy::unwrap_used)] // a failed construction is a failed test

use dp_accounting::{Composition, DEFAULT_ACCURACY, Event, Limit};
use dp_core::pairs::{
    BoundedRangePair, DiscreteGaussianPair, DiscreteLaplacePair, DominatingPair, FinitePair, GaussianPair,
    LaplacePair,
};
use dp_core::rounding::Enclosure;
use dp_core::{AddRemove, Approx, Delta, Epsilon, Mu, Pure, ReplaceOne, Scale, Zcdp};

fn gaussian(sigma: f64) -> GaussianPair {
    GaussianPair::with_noise_multiplier(sigma).unwrap()
}

fn laplace(scale: f64) -> LaplacePair {
    LaplacePair::new(Epsilon::new(1.0 / scale).unwrap())
}

fn discrete_gaussian(sigma: f64, shift: u32) -> DiscreteGaussianPair {
    DiscreteGaussianPair::new(Scale::new(sigma).unwrap(), shift).unwrap()
}

fn sampled(rate: f64, of: impl Into<Event<AddRemove>>) -> Event<AddRemove> {
    Event::poisson(rate, of).unwrap()
}

fn batch(records: u64, batch: u64, of: impl Into<Event<ReplaceOne>>) -> Event<ReplaceOne> {
    Event::without_replacement(records, batch, of).unwrap()
}

fn composed(event: impl Into<Event<AddRemove>>, count: u64) -> Composition<AddRemove> {
    Composition::new().with(event, count)
}

fn epsilon(composition: &Composition<AddRemove>, delta: f64) -> Enclosure {
    composition.epsilon(Delta::new(delta).unwrap())
}

fn delta(composition: &Composition<AddRemove>, epsilon: f64) -> Enclosure {
    composition.delta(Epsilon::new(epsilon).unwrap())
}

#[track_caller]
fn assert_narrow(found: Enclosure, width: f64) {
    assert!(found.relative_width() <= width, "{found:?} is {:e} wide", found.relative_width());
}

/// At δ = 0 the answer is the largest loss, to the rounding of a few operations.
#[test]
fn the_largest_loss_is_enclosed() {
    // 2·ln(1 + q(e^1.5 − 1)), by mpmath.
    for (rate, truth) in [(1e-18, 6.963_378_140_676_13e-18), (1e-9, 6.963_378_128_553_971e-9)] {
        let found = epsilon(&composed(sampled(rate, Pure::new(1.5).unwrap()), 2), 0.0);
        assert!(
            found.lo() <= truth * (1.0 + 1e-15) && truth * (1.0 - 1e-15) <= found.hi(),
            "{found:?} {truth:e}"
        );
        assert_narrow(found, 1e-14);
    }
    // 2,000 different guarantees, dyadic and so exact as a sum.
    let many = (0..2000u32).fold(Composition::<AddRemove>::new(), |sum, k| {
        sum.with(Pure::new(f64::from(1024 + k) / 1_048_576.0).unwrap(), 1)
    });
    let truth = (0..2000).map(|k| f64::from(1024 + k)).sum::<f64>() / 1_048_576.0;
    let found = epsilon(&many, 0.0);
    assert!(found.contains(truth), "{found:?} {truth}");
}

/// The largest loss of pairs of finitely many outcomes, of which some are rare.
#[test]
fn the_largest_loss_of_a_finite_pair_is_enclosed() {
    for exponent in [0, 10, 40, 300, 1000, 1050] {
        let rare = 2f64.powi(-exponent);
        // Weights that sum to one exactly, or nearly: the loss of the first outcome is
        // ln(4·(1+rare)/(1+4·rare))…
        let pair = FinitePair::new(&[rare, 0.25, 0.75], &[0.5, 0.25, 0.25]).unwrap();
        let outcomes = pair.outcomes().to_vec();
        let truth = outcomes
            .iter()
            .filter(|(p, _)| p.lo() > 0.0)
            .map(|(p, q)| (*p / *q).ln())
            .fold(Enclosure::ZERO, Enclosure::max);
        let back = outcomes.iter().map(|(p, q)| (*q / *p).ln()).fold(Enclosure::ZERO, Enclosure::max);
        let found = epsilon(&composed(pair, 3), 0.0);
        let worst = truth.max(back) * Enclosure::point(3.0);
        assert!(found.lo() <= worst.hi() && worst.lo() <= found.hi(), "{exponent}: {found:?} {worst:?}");
    }
}

/// Losses are bounded and δ is tiny: next to the largest loss, and not nothing.
#[test]
fn tiny_deltas_of_bounded_losses() {
    // All losses are largest with probability p = Π pᵢ, so ε ≥ Σεᵢ + ln(1 − δ/p).
    let cases: [(Composition<AddRemove>, f64, f64); 5] = [
        (composed(laplace(8.153_398_056_153_076), 11), 7.7e-25, 11.0 / 8.153_398_056_153_076),
        (composed(Pure::new(0.969).unwrap(), 4), 1.7e-30, 4.0 * 0.969),
        (composed(DiscreteLaplacePair::new(Scale::new(3.0).unwrap(), 2).unwrap(), 2), 1.5e-16, 4.0 / 3.0),
        (composed(laplace(0.232), 9), 1e-25, 9.0 / 0.232),
        (composed(Pure::new(0.5).unwrap(), 1).with(Pure::new(0.5).unwrap(), 1), 1e-15, 1.0),
    ];
    for (composition, delta, limit) in cases {
        let found = epsilon(&composition, delta);
        assert!(found.lo() <= limit && found.hi() >= limit * (1.0 - 1e-10), "{found:?} {limit}");
        assert_narrow(found, 1e-10);
    }
}

/// δ is next to one, because losses are huge or runs are many.
#[test]
fn deltas_near_one() {
    let huge = composed(sampled(2e-5, gaussian(0.0021)), 19_000_000);
    assert!(delta(&huge, 1e6).lo() > 1.0 - 1e-12);
    let many = composed(sampled(0.99985, laplace(1.0)), 500_000_000);
    assert!(delta(&many, 0.0).lo() > 0.99);
    assert!(delta(&composed(laplace(0.0232), 9), 1.0).lo() > 0.999);
    assert_narrow(epsilon(&composed(laplace(0.232), 9), 0.999), 1e-4);
}

/// As many runs as nobody makes: a lower end that is a good part of the upper one.
#[test]
fn a_hundred_million_million_runs() {
    let (billion, most) = (1_000_000_000_000, 100_000_000_000_000);
    for (composition, part) in [
        (composed(laplace(1e6), billion), 0.99),
        (composed(sampled(1e-4, gaussian(1.0)), billion), 0.99),
        (composed(laplace(1e7), most), 0.2),
        (composed(sampled(1e-6, gaussian(1.0)), most), 0.2),
        (composed(discrete_gaussian(1000.0, 1), most), 0.2),
    ] {
        let found = epsilon(&composition, 1e-6);
        assert!(found.lo() >= part * found.hi(), "{composition:?}: {found:?}");
        if found.relative_width() > DEFAULT_ACCURACY {
            assert_eq!(composition.limit(found, DEFAULT_ACCURACY), Some(Limit::Rounding));
        }
    }
    // The sum of that many Laplace losses is Gaussian: k·ε₀² in variance, and ε from the normal
    // law.
    let found = epsilon(&composed(laplace(1e6), billion), 1e-6);
    let near = GaussianPair::new(Mu::new(1.0).unwrap()).epsilon(Delta::new(1e-6).unwrap()).get();
    assert!(found.lo() <= near * (1.0 + 1e-5) && near * (1.0 - 1e-5) <= found.hi(), "{found:?} {near}");
}

/// No cliff from ten million runs on, nor from 33 different events on.
#[test]
fn no_cliffs() {
    let runs = |count: u64| epsilon(&composed(sampled(1e-6, gaussian(0.9)), count), 1e-10);
    let (before, after) = (runs(10_000_000), runs(10_000_001));
    assert_narrow(before, 1e-3);
    assert_narrow(after, 1e-3);
    assert!(after.hi() >= before.lo() && before.hi() >= after.lo() * (1.0 - 1e-6));
    let events = |count: u32| {
        epsilon(
            &(0..count).fold(Composition::new(), |sum, k| {
                sum.with(sampled(1e-4, gaussian(1.0 + f64::from(k) / 100.0)), 1)
            }),
            1e-6,
        )
    };
    // 0.002546… to 0.002558 with ten times the work.
    let (few, more) = (events(32), events(33));
    assert!(few.contains(0.002_55) && few.lo() > 0.0024 && few.hi() < 0.0035, "{few:?}");
    assert!(more.lo() > 0.0024 && more.hi() < 0.0035, "{more:?}");
}

/// Wide discrete Gaussians are nearly continuous ones.
#[test]
fn discrete_gaussians_of_any_scale() {
    for (sigma, shift, count) in
        [(999.0, 200, 10), (1000.0, 200, 10), (5000.0, 1000, 10), (1e7, 3, 1_000_000)]
    {
        let found = epsilon(&composed(discrete_gaussian(sigma, shift), count), 1e-6);
        #[allow(clippy::cast_precision_loss)]
        let mu = f64::from(shift) / sigma * (count as f64).sqrt();
        let continuous = GaussianPair::new(Mu::new(mu).unwrap()).epsilon(Delta::new(1e-6).unwrap()).get();
        assert_narrow(found, 1e-4);
        assert!((found.hi() / continuous - 1.0).abs() < 1e-3, "σ {sigma}: {found:?} {continuous}");
    }
    let nothing =
        composed(discrete_gaussian(4.27e162, 1), 3).with(sampled(0.1, discrete_gaussian(4.27e162, 1)), 3);
    assert!(epsilon(&nothing, 1e-6).hi() < 1e-100);
}

/// Samples of discrete Gaussians, whose integers are many.
#[test]
fn sampled_discrete_gaussians() {
    for (rate, sigma, shift, count, at) in [
        (0.01, 101.0, 100, 100, 1e-6),
        (0.01, 500.0, 1, 2, 1e-6),
        (0.01, 1000.0, 1, 2, 1e-6),
        (0.999_999_99, 611.0, 2, 2, 6e-16),
    ] {
        let found = epsilon(&composed(sampled(rate, discrete_gaussian(sigma, shift)), count), at);
        assert_narrow(found, 1e-2);
        let continuous = epsilon(&composed(sampled(rate, gaussian(sigma / f64::from(shift))), count), at);
        assert!((found.hi() / continuous.hi() - 1.0).abs() < 1e-2, "σ {sigma}: {found:?} {continuous:?}");
    }
    for (sigma, shift, n, size, count) in [(150.0, 1, 1000, 10, 10), (611.0, 2, 5371, 2729, 2)] {
        let at = Delta::new(1e-10).unwrap();
        let of = |event| Composition::<ReplaceOne>::new().with(event, count).epsilon(at);
        let found = of(batch(n, size, discrete_gaussian(sigma, shift)));
        let continuous = of(batch(n, size, gaussian(sigma / f64::from(shift))));
        assert_narrow(found, 1e-3);
        assert!((found.hi() / continuous.hi() - 1.0).abs() < 1e-2, "σ {sigma}: {found:?} {continuous:?}");
    }
    // Far apart: nearly all of the loss is infinite.
    let far = Composition::<ReplaceOne>::new().with(batch(1000, 10, discrete_gaussian(9.86, 724_032)), 10);
    let found = far.epsilon(Delta::new(1e-6).unwrap());
    assert!(found.lo() > 100.0 && found.hi() < 1e11, "{found:?}");
}

/// However wide they are: sums over millions of integers are integrals, on both sides of the
/// middle.
#[test]
fn samples_of_very_wide_discrete_gaussians() {
    for (rate, sigma, shift, count, at, width) in [
        (0.01, 1e6, 1000, 1000, 1e-6, 1e-3),
        (0.01, 1e6, 1000, 1_000_000, 1e-9, 1e-3),
        (0.5, 2e4, 70_000, 3, 1e-5, 1e-3),
        (0.001, 1e9, 1_000_000_000, 10, 1e-7, 1e-2),
    ] {
        let found = epsilon(&composed(sampled(rate, discrete_gaussian(sigma, shift)), count), at);
        assert_narrow(found, width);
        let continuous = epsilon(&composed(sampled(rate, gaussian(sigma / f64::from(shift))), count), at);
        assert!(
            (found.hi() / continuous.hi() - 1.0).abs() < 2.0 * width,
            "σ {sigma}: {found:?} {continuous:?}"
        );
    }
}

/// Samples that are rare and reveal everything are a coin: the others decide.
#[test]
fn noise_next_to_nothing_beside_others() {
    let others = || {
        composed(sampled(0.01, gaussian(1.0)), 1000)
            .with(sampled(0.1, laplace(1.0)), 10)
            .with(sampled(0.1, discrete_gaussian(5.0, 1)), 3)
    };
    let found = epsilon(&others().with(sampled(1e-7, gaussian(1e-6)), 2), 1e-6);
    let [less, more] = [1e-6, 8e-7].map(|delta| epsilon(&others(), delta));
    assert!(less.lo() <= found.lo() && found.hi() <= more.hi() * 1.002, "{found:?} {less:?} {more:?}");
    // Somebody is sampled four times, on average, from whom nothing is hidden.
    let finite = FinitePair::new(&[0.5, 0.5, 0.0], &[0.001, 0.499, 0.5]).unwrap();
    let batches = Composition::<ReplaceOne>::new().with(batch(700_000, 1, finite), 2_800_000);
    let found = batches.delta(Epsilon::new(1e-3).unwrap());
    assert!(found.lo() > 0.8, "{found:?}");
    let rare = delta(&composed(sampled(1e-3, gaussian(0.004)), 4), 100.0);
    assert!(rare.lo() > 0.0039 && rare.hi() < 0.004_01, "{rare:?}");
}

/// So many runs that rounding hides all of them: fewer have an answer.
#[test]
fn the_lower_end_is_not_nothing() {
    let runs = (0..7u32).fold(Composition::new(), |sum, k| {
        sum.with(sampled(6e-9, gaussian(1.0 + f64::from(k) / 50.0)), 400_000_000_000)
    });
    let found = epsilon(&runs, 6e-7);
    assert!(found.lo() > 1e-3 && found.hi() < 0.5, "{found:?}");
    // Grids are for a few of the runs: the others are in the way of none.
    let few = composed(laplace(1e5), 1_000_000_000_000).with(sampled(0.1, discrete_gaussian(1000.0, 2)), 5);
    let found = epsilon(&few, 1e-6);
    assert!(found.lo() > 50.0 && found.hi() < 200.0, "{found:?}");
}

/// Where a loss is infinite with more probability than δ, no ε will do: that is the answer at both
/// ends.
#[test]
fn infinite_answers_are_known_to_be() {
    let approx = |delta| Approx::new(1.0, delta).unwrap();
    let at = Delta::new(1e-9).unwrap();
    let with = |event: Event<ReplaceOne>| {
        Composition::<ReplaceOne>::new().with(gaussian(1.0), 10_000_000_000_000).with(event, 3)
    };
    let finite = FinitePair::new(&[0.5, 0.5, 0.0], &[0.4, 0.5, 0.1]).unwrap();
    for composition in [
        Composition::<ReplaceOne>::new().with(approx(1e-8), 1),
        with(approx(1e-8).into()),
        with(finite.clone().into()),
        with(batch(1000, 1, finite)),
        with(batch(1000, 1, approx(1e-5))).with(Zcdp::new(1.0).unwrap(), 1),
    ] {
        assert_eq!(composition.epsilon(at), Enclosure::point(f64::INFINITY), "{composition:?}");
    }
    let coins = with(approx(1e-5).into()).delta(Epsilon::new(1e30).unwrap());
    assert_narrow(coins, 1e-12);
    assert!((coins.hi() / 2.999_970_000_1e-5 - 1.0).abs() < 1e-12, "{coins:?}");
    // One part in 10⁷ of the coins is left.
    let nearly = composed(approx(1e-8), 1);
    assert!(epsilon(&nearly, 1e-8 * (1.0 + 1e-7)).hi() < 1.01);
}

/// Equal events are one event, however they are listed.
#[test]
fn equal_events_are_counted() {
    let once = composed(sampled(0.01, gaussian(1.0)), 1000);
    let listed = (0..1000).fold(Composition::new(), |sum, _| sum.with(sampled(0.01, gaussian(1.0)), 1));
    assert_eq!(epsilon(&once, 1e-6), epsilon(&listed, 1e-6));
    assert_eq!(format!("{once:?}"), format!("{listed:?}"));
    // Each of these differs from the others in one parameter.
    let approx = |epsilon, delta| Approx::new(epsilon, delta).unwrap();
    let different = Composition::<ReplaceOne>::new()
        .with(gaussian(1.0), 1)
        .with(gaussian(2.0), 1)
        .with(laplace(1.0), 1)
        .with(discrete_gaussian(1.0, 1), 1)
        .with(discrete_gaussian(1.0, 2), 1)
        .with(batch(10, 1, gaussian(1.0)), 1)
        .with(batch(10, 2, gaussian(1.0)), 1)
        .with(batch(11, 1, gaussian(1.0)), 1)
        .with(batch(10, 1, gaussian(2.0)), 1)
        .with(approx(0.1, 1e-6), 1)
        .with(approx(0.1, 1e-7), 1)
        .with(Pure::new(0.1).unwrap(), 1)
        .with(Pure::new(0.2).unwrap(), 1);
    assert_eq!(format!("{different:?}").matches(", 1)").count(), 13, "{different:?}");
}

/// A number too small for a float is said to be, at once.
#[test]
fn what_underflows_is_said_to() {
    let tiny = composed(sampled(0.008, gaussian(14.5)), 27702);
    let found = delta(&tiny, 8.29);
    assert!(found.hi() < 1e-300, "{found:?}");
    assert_eq!(tiny.limit(found, DEFAULT_ACCURACY), Some(Limit::Underflow));
}

/// 2.17483615294838799e-20 by quadrature of one run's profile (mpmath, 30 digits).
#[test]
fn two_runs_at_a_small_rate() {
    let found = delta(&composed(sampled(8.5e-6, gaussian(0.68)), 2), 1.1);
    assert!(found.contains(2.174_836_152_9e-20), "{found:?}");
    assert_narrow(found, 0.1);
}

/// A concentrated guarantee: below what one order proves, and not below the ε of Gaussian noise,
/// which has it.
#[test]
fn concentrated_guarantees_have_a_true_lower_end() {
    for (rho, delta) in [(0.01, 0.05), (0.5, 1e-6), (1e-4, 1e-9)] {
        let at = Delta::new(delta).unwrap();
        let releases = composed(Zcdp::new(rho).unwrap(), 1);
        let noise = composed(GaussianPair::new(Mu::new((2.0 * rho).sqrt()).unwrap()), 1);
        let (found, truth) = (releases.epsilon(at), noise.epsilon(at));
        assert!(
            found.lo() <= truth.hi() && truth.lo() <= found.lo() * (1.0 + 1e-9) && truth.hi() <= found.hi()
        );
        assert_eq!(releases.limit(found, DEFAULT_ACCURACY), Some(Limit::Guarantee));
    }
}

/// Two releases through one asymmetric channel, of a bit and of its opposite: neighbours go one way
/// in the first and the other way in the second.
#[test]
fn asymmetric_pairs_count_in_their_worse_direction() {
    let (p, q) = ([0.654, 0.346], [0.0119, 0.9881]);
    let pair = FinitePair::new(&p, &q).unwrap();
    for epsilon in [0.0, 0.5, 2.97, 4.0] {
        let at = Epsilon::new(epsilon).unwrap();
        let truth: f64 = (0..2)
            .flat_map(|i| (0..2).map(move |j| (i, j)))
            .map(|(i, j)| (p[i] * q[j] - epsilon.exp() * q[i] * p[j]).max(0.0))
            .sum();
        let twice = Composition::<ReplaceOne>::new().with(pair.clone(), 2).delta(at);
        let both = Composition::<ReplaceOne>::new().with(pair.clone(), 1).with(pair.reversed(), 1).delta(at);
        assert!(twice.hi() >= truth * (1.0 - 1e-12), "{epsilon}: {twice:?} {truth}");
        assert!(both.hi() >= truth * (1.0 - 1e-12), "{epsilon}: {both:?} {truth}");
        // One release is as bad as its worse direction, and not worse.
        let once = Composition::<ReplaceOne>::new().with(pair.clone(), 1).delta(at);
        let worse = pair.delta(epsilon).max(pair.reversed().delta(epsilon));
        assert!((once.hi() - worse.hi()).abs() < 1e-9, "{epsilon}: {once:?} {worse:?}");
    }
}

/// Bounds that need no privacy loss: total variation adds up, no sum of losses is larger than the
/// largest ones together, and divergences are finite.
#[test]
fn upper_ends_are_no_worse_than_simple_bounds() {
    // δ(0) ≤ kq, which is below the δ that is asked for.
    let rare = composed(sampled(3.289_372_288_240_881e-15, gaussian(0.011_523_873_431_938_251)), 3928);
    assert_eq!(epsilon(&rare, 5.24e-6).hi(), 0.0);
    let nothing = Approx::new(0.0, 3.596_565_221_083_686_6e-20).unwrap();
    assert_eq!(epsilon(&composed(sampled(0.999_999_69, nothing), 2), 1.78e-12).hi(), 0.0);
    // 1000·ln(½ + ½e^800)
    let large = epsilon(&composed(sampled(0.5, Pure::new(800.0).unwrap()), 1000), 1e-6);
    assert!(large.hi() < 799_308.0, "{large:?}");
    let tiny = epsilon(&composed(sampled(0.5, discrete_gaussian(5.0, 1)), 10), 1e-200);
    assert!(tiny.lo() > 5.0 && tiny.hi() < 20.0, "{tiny:?}");
    // More grids than there is effort for: the others still count.
    let many = (0..20u32).fold(Composition::new(), |sum, k| {
        sum.with(sampled(0.1, discrete_gaussian(1000.0 + 10.0 * f64::from(k), 2)), 1)
    });
    let found = epsilon(&many, 1e-6);
    assert!(found.lo() > 1e-3 && found.hi() < 0.2, "{found:?}");
    let listed = (0..300u32).fold(Composition::new(), |sum, k| {
        sum.with(sampled(0.01, laplace(1.0 + f64::from(k) / 1000.0)), 100)
    });
    let found = epsilon(&listed, 1e-6);
    assert!(found.lo() > 1.0 && found.hi() < 10.0, "{found:?}");
}

/// Hundreds of different events lie between a few that they dominate and a few that dominate them.
#[test]
fn many_different_events_are_put_into_buckets() {
    let sampled_gaussians = (0..200u32)
        .fold(Composition::new(), |sum, k| sum.with(sampled(1e-4, gaussian(1.0 + f64::from(k) / 100.0)), 1));
    let sampled_laplace = (0..1000u32)
        .fold(Composition::new(), |sum, k| sum.with(sampled(0.01, laplace(1.0 + f64::from(k) / 1000.0)), 1));
    let found = epsilon(&sampled_gaussians, 1e-6);
    assert!(found.lo() > 0.3 * found.hi(), "{found:?}");
    let found = epsilon(&sampled_laplace, 1e-6);
    assert_narrow(found, 0.3);
}

/// Noise of one part is absurdly small beside that of others: its own largest losses are the
/// answer.
#[test]
fn one_part_may_outweigh_all_others() {
    let mixed = composed(sampled(0.01, gaussian(1e-6)), 1)
        .with(sampled(0.01, laplace(3.0)), 1)
        .with(Pure::new(0.1).unwrap(), 1)
        .with(sampled(0.2, discrete_gaussian(5.0, 1)), 4);
    // With probability 0.01 the loss is that of N(0,1) against N(10⁶,1): 5·10¹¹ and some 10⁶.
    let found = epsilon(&mixed, 1e-6);
    assert!(found.lo() > 4.99e11 && found.hi() < 5.01e11, "{found:?}");
    // Four of ten batches hold the record with probability 2·10⁻⁶, five with 2.4·10⁻⁸.
    let told = Composition::<ReplaceOne>::new().with(batch(1000, 10, discrete_gaussian(9.86, 724_032)), 10);
    let found = told.epsilon(Delta::new(1e-6).unwrap());
    assert!(found.lo() > 0.8 * found.hi(), "{found:?}");
}

/// Mechanisms of bounded range lose less than the pair that stands for them: what their divergences
/// prove counts, beside grids, too.
#[test]
fn bounded_range_beside_grids() {
    let range = BoundedRangePair::new(Epsilon::new(0.5).unwrap());
    let mixed = composed(range, 40).with(sampled(0.01, laplace(5.0)), 3);
    for at in [1e-3, 1e-6, 1e-12] {
        let (found, alone) = (epsilon(&mixed, at), epsilon(&composed(range, 40), at));
        assert!(found.lo() <= found.hi() && found.hi() >= 0.5 * alone.lo(), "{found:?} {alone:?}");
    }
}

/// Many kinds of events that all differ, one by one within the effort.
#[test]
fn two_hundred_events_of_five_kinds() {
    let mut mixed = Composition::<AddRemove>::new();
    for i in 0..40u32 {
        let k = f64::from(i);
        mixed = mixed
            .with(sampled(0.01 / f64::from(1 + i % 5), gaussian(1.0 + k / 50.0)), 1 + u64::from(i))
            .with(laplace(20.0 + k), 1)
            .with(Pure::new(0.01 + k / 5000.0).unwrap(), 2)
            .with(DiscreteLaplacePair::new(Scale::new(20.0 + k).unwrap(), 1).unwrap(), 1)
            .with(sampled(0.1, laplace(5.0 + k / 10.0)), 2);
    }
    // With more effort: [1.472132036, 1.472132603].
    let found = epsilon(&mixed, 1e-6);
    assert!(found.contains(1.472_132_3), "{found:?}");
    assert_narrow(found, 0.02);
}

/// The tilt of few runs is that of the losses that matter, whatever was known of δ at first.
#[test]
fn small_deltas_of_rare_losses() {
    let runs = composed(sampled(1e-6, gaussian(0.9)), 10_000_000);
    let found = delta(&runs, 0.05);
    assert_narrow(found, 1e-4);
    assert!(found.contains(2.832_2e-20), "{found:?}");
    assert_narrow(delta(&composed(sampled(8.5e-6, gaussian(0.68)), 2), 1.1), 1e-4);
    assert_narrow(epsilon(&composed(sampled(1e-4, gaussian(1.1)), 100_000), 1e-10), 1e-4);
}
