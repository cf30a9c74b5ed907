//! What every pair must satisfy, and sampled mechanisms with few outcomes, listed.

use dp_core::pairs::{
    BoundedRangePair, DominatingPair, FinitePair, GaussianPair, LaplacePair, RandomizedResponsePair,
};
use dp_core::rounding::Enclosure;
use dp_core::{Alpha, Epsilon, Mu};

use super::{Direction, Poisson, TwoSided, WithoutReplacement};

const DIRECTIONS: [Direction; 2] = [Direction::Remove, Direction::Add];
const ORDERS: [f64; 8] = [1.01, 1.5, 2.0, 2.5, 3.7, 16.0, 200.0, 5000.0];

/// The profile falls, keeps its limits and is convex in e^ε; it lies between the Riemann sums of
/// the tail, and below the bounds of the tail, of each divergence and of the reversed pair;
/// divergences rise.
fn assert_laws(pair: &impl DominatingPair, reversed: &impl DominatingPair, scale: f64) {
    let divergences = ORDERS.map(|order| (order, pair.renyi(Alpha::new(order).unwrap())));
    for window in divergences.windows(2) {
        assert!(window[0].1.lo() <= window[1].1.hi(), "{window:?}");
    }
    let mut previous = Enclosure::ONE;
    for k in -20..=40 {
        let epsilon = f64::from(k) * scale / 10.0;
        let delta = pair.delta(epsilon);
        assert!((0.0..=1.0).contains(&delta.lo()) && delta.hi() <= 1.0, "δ({epsilon}) = {delta:?}");
        assert!(delta.lo() <= previous.hi(), "δ rises at {epsilon}");
        assert!(
            delta.lo() <= pair.tail(epsilon).hi(),
            "δ({epsilon}) = {delta:?} above the tail {:?}",
            pair.tail(epsilon)
        );
        // δ(−ε) = 1 − e^−ε + e^−ε·δ'(ε)
        let mirrored =
            -Enclosure::point(-epsilon).exp_m1() + Enclosure::point(-epsilon).exp() * reversed.delta(epsilon);
        let mine = pair.delta(-epsilon);
        assert!(
            mine.lo() <= mirrored.hi() && mirrored.lo() <= mine.hi(),
            "ε {epsilon}: {mine:?} {mirrored:?}"
        );
        for (order, divergence) in divergences {
            assert!(
                divergence.lo() >= 0.0 && divergence.lo() <= pair.max_loss(),
                "D_{order} = {divergence:?}"
            );
            let bound = ((order - 1.0) * (divergence.hi() - epsilon)).exp() * (1.0 - 1.0 / order).powf(order)
                / (order - 1.0);
            assert!(
                delta.lo() <= bound * (1.0 + 1e-9),
                "δ({epsilon}) = {delta:?} above {bound:e} of order {order}"
            );
        }
        let (left, right) = (epsilon - 0.1 * scale, epsilon + 0.1 * scale);
        let [l, m, r] = [left, epsilon, right].map(f64::exp);
        let chord = (pair.delta(left).hi() * (r - m) + pair.delta(right).hi() * (m - l)) / (r - l);
        assert!(delta.lo() <= chord * (1.0 + 1e-9), "not convex at {epsilon}");
        previous = delta;
    }
    for (start, end) in [(-1.5 * scale, 2.0 * scale), (0.3 * scale, 3.0 * scale)] {
        let pieces = 200;
        let width = (end - start) / f64::from(pieces);
        let (mut below, mut above) = (0.0, 0.0);
        for k in 0..pieces {
            let (left, right) = (start + width * f64::from(k), start + width * f64::from(k + 1));
            let weight = (start - left).exp() - (start - right).exp();
            below += weight * pair.tail(right).lo();
            above += weight * pair.tail(left).hi();
        }
        let rest = (start - end).exp() * pair.delta(end).hi();
        let delta = pair.delta(start);
        assert!(delta.hi() >= below * (1.0 - 1e-9), "δ({start}) = {delta:?} below {below:e}");
        assert!(delta.lo() <= (above + rest) * (1.0 + 1e-9), "δ({start}) = {delta:?} above {above:e}");
        assert!(above - below <= 0.5 * above + 1e-12, "the tail is loose: {below:e} {above:e}");
    }
}

fn assert_sampled_laws<P: TwoSided>(base: &P, scale: f64) {
    for rate in [0.003, 0.2, 0.9] {
        for direction in DIRECTIONS {
            let pair = Poisson::new(base.clone(), rate, direction).unwrap();
            assert_laws(&pair, &pair.reversed(), scale * rate.max(0.1));
        }
    }
    for batch in [1, 30, 95] {
        let pair = WithoutReplacement::new(base.clone(), 100, batch).unwrap();
        assert_laws(&pair, &pair, scale * 0.3);
    }
}

#[test]
fn laws_of_sampled_gaussians() {
    for mu in [0.1, 2.0] {
        assert_sampled_laws(&GaussianPair::new(Mu::new(mu).unwrap()), mu);
    }
}

#[test]
fn laws_of_sampled_laplace() {
    for shift in [0.1, 3.0] {
        assert_sampled_laws(&LaplacePair::new(Epsilon::new(shift).unwrap()), shift);
        assert_sampled_laws(&BoundedRangePair::new(Epsilon::new(shift).unwrap()), shift);
    }
}

#[test]
fn laws_of_sampled_answers() {
    for epsilon in [0.1, 2.0] {
        assert_sampled_laws(
            &RandomizedResponsePair::new(Epsilon::new(epsilon).unwrap(), 3).unwrap(),
            epsilon,
        );
    }
}

/// Two lists of weights, and the weights of (1−q)Q + qP.
fn listed(p: &[f64], q: &[f64], rate: f64) -> [FinitePair; 2] {
    let total = |weights: &[f64]| weights.iter().sum::<f64>();
    let mixed: Vec<f64> =
        p.iter().zip(q).map(|(a, b)| rate * a / total(p) + (1.0 - rate) * b / total(q)).collect();
    let pair = FinitePair::new(&mixed, q).unwrap();
    [pair.clone(), pair.reversed()]
}

fn assert_close(ours: Enclosure, theirs: Enclosure, tolerance: f64, what: &str) {
    let slack = 1e-13 + 1e-11 * theirs.hi().abs();
    assert!(
        ours.lo() <= theirs.hi() + slack && theirs.lo() <= ours.hi() + slack,
        "{what}: {ours:?} {theirs:?}"
    );
    assert!(ours.hi() - ours.lo() <= tolerance * (ours.hi().abs() + 1e-3), "{what}: {ours:?} is wide");
}

#[test]
fn poisson_agrees_with_the_listed_mixture() {
    // Also an outcome that only one side has.
    for (p, q) in [
        (vec![3.0, 1.0, 2.0], vec![1.0, 3.0, 2.0]),
        (vec![5.0, 1.0, 0.5, 9.0], vec![1.0, 0.25, 4.0, 2.0]),
        (vec![1.0, 2.0, 0.0], vec![0.0, 2.0, 1.0]),
    ] {
        let base = FinitePair::new(&p, &q).unwrap();
        for rate in [1e-3, 0.25, 0.75, 1.0] {
            let explicit = listed(&p, &q, rate);
            for (direction, explicit) in DIRECTIONS.into_iter().zip(explicit) {
                let pair = Poisson::new(base.clone(), rate, direction).unwrap();
                let what = format!("{p:?} {q:?} {rate} {direction:?}");
                for epsilon in [-8.3, -1.0, -0.29, -0.1, -1e-3, 1e-7, 1e-4, 0.013, 0.2, 0.77, 1.3, 9.0] {
                    assert_close(
                        pair.delta(epsilon),
                        explicit.delta(epsilon),
                        1e-9,
                        &format!("{what} δ({epsilon})"),
                    );
                    // Off the atoms of the loss.
                    assert_close(
                        pair.tail(epsilon),
                        explicit.tail(epsilon),
                        1e-9,
                        &format!("{what} tail({epsilon})"),
                    );
                }
                let (ours, theirs) = (pair.max_loss(), explicit.max_loss());
                assert!(
                    ours == theirs || (ours - theirs).abs() < 1e-10 || rate == 1.0,
                    "{what}: {ours} {theirs}"
                );
                for order in [1.2, 2.0, 2.5, 3.0, 7.0, 40.0] {
                    let (ours, theirs) =
                        (pair.renyi(Alpha::new(order).unwrap()), explicit.renyi(Alpha::new(order).unwrap()));
                    assert!(
                        ours.hi() >= theirs.lo() && ours.lo() <= theirs.hi() * (1.0 + 1e-10),
                        "{what} D_{order}: {ours:?} {theirs:?}"
                    );
                    if direction == Direction::Remove && order >= 2.0 && order.fract() == 0.0 {
                        assert!(
                            ours.hi() <= theirs.hi() * (1.0 + 1e-9),
                            "{what} D_{order}: {ours:?} {theirs:?}"
                        );
                    }
                }
            }
        }
    }
}

/// All data sets of four bits, samples of two of them, "is there a one?" answered by randomised
/// response: listed, and compared with the pair.
#[test]
fn without_replacement_bounds_a_listed_mechanism() {
    let (size, epsilon) = (4u32, 1.2f64);
    let truth = epsilon.exp() / (1.0 + epsilon.exp());
    for batch in 1..=4u32 {
        let base = RandomizedResponsePair::binary(Epsilon::new(epsilon).unwrap());
        let pair = WithoutReplacement::new(base, size.into(), batch.into()).unwrap();
        let answers = |data: u32| {
            let samples: Vec<u32> = (0..1u32 << size).filter(|sample| sample.count_ones() == batch).collect();
            let ones = samples.iter().filter(|&&sample| sample & data != 0).count();
            let share =
                f64::from(u32::try_from(ones).unwrap()) / f64::from(u32::try_from(samples.len()).unwrap());
            [share * truth + (1.0 - share) * (1.0 - truth), (1.0 - share) * truth + share * (1.0 - truth)]
        };
        let mut met = 0;
        for data in 0..1u32 << size {
            for record in 0..size {
                let explicit = FinitePair::new(&answers(data), &answers(data ^ (1 << record))).unwrap();
                for t in [-0.9, -0.3, -0.01, 0.0, 0.05, 0.3, 0.6, 1.1] {
                    let (ours, theirs) = (pair.delta(t), explicit.delta(t));
                    assert!(
                        ours.hi() >= theirs.lo(),
                        "batch {batch}, {data:b}, record {record}, ε {t}: {ours:?} {theirs:?}"
                    );
                    // No ones: the pair is met from 0 on.
                    if t >= 0.0 && data ^ (1 << record) == 0 {
                        assert!(ours.lo() <= theirs.hi() * (1.0 + 1e-12) + 1e-15, "{ours:?} {theirs:?}");
                        met += 1;
                    }
                }
                for order in [1.5, 2.0, 5.0] {
                    let order = Alpha::new(order).unwrap();
                    assert!(pair.renyi(order).hi() >= explicit.renyi(order).lo() * (1.0 - 1e-12));
                }
            }
        }
        assert_eq!(met, 4 * 5);
    }
}

#[test]
fn rates_at_their_ends() {
    let base = GaussianPair::new(Mu::new(1.0).unwrap());
    let order = Alpha::new(2.5).unwrap();
    for direction in DIRECTIONS {
        let pair = |rate| Poisson::new(base, rate, direction).unwrap();
        assert_eq!(pair(0.0).delta(0.0), Enclosure::ZERO);
        assert_eq!(
            (pair(0.0).max_loss(), pair(0.0).tail(0.0), pair(0.0).renyi(order)),
            (0.0, Enclosure::ZERO, Enclosure::ZERO)
        );
        assert_eq!((pair(1.0).delta(0.7), pair(1.0).tail(0.7)), (base.delta(0.7), base.tail(0.7)));
        assert_eq!(pair(1.0).renyi(order), base.renyi(order));
        for rate in [0.0, 5e-324, 1e-310, 1e-20, 0.5, 1.0f64.next_down(), 1.0] {
            let pair = pair(rate);
            assert_eq!(pair.delta(f64::NEG_INFINITY), Enclosure::ONE, "{rate}");
            assert_eq!(pair.delta(f64::INFINITY).hi(), 0.0, "{rate}");
            assert_eq!(pair.tail(f64::INFINITY).lo(), 0.0, "{rate}");
            assert_eq!(pair.tail(f64::NEG_INFINITY).hi(), 1.0, "{rate}");
            assert!(pair.delta(0.0).hi() <= rate * 0.4 + 1e-323, "{rate} {:?}", pair.delta(0.0));
            for epsilon in [-1e300, -800.0, -1.0, -1e-300, 0.0, 5e-324, 1e-10, 1.0, 800.0, 1e300] {
                let (delta, tail) = (pair.delta(epsilon), pair.tail(epsilon));
                assert!(
                    delta.lo() >= 0.0 && delta.hi() <= 1.0 && delta.lo() <= tail.hi(),
                    "{rate} {epsilon}: {delta:?} {tail:?}"
                );
                assert!(epsilon > -700.0 || delta.lo() >= 1.0 - 1e-15);
                assert!(epsilon < 700.0 || delta.hi() <= 1e-300, "{rate} {direction:?} {epsilon} {delta:?}");
            }
            let divergence = pair.renyi(order);
            assert!(
                divergence.lo() >= 0.0 && divergence.hi() <= base.renyi(order).hi(),
                "{rate} {divergence:?}"
            );
        }
    }
    for rate in [-1e-300, 1.0f64.next_up(), f64::NAN, f64::INFINITY] {
        assert!(Poisson::new(base, rate, Direction::Add).is_err());
    }
    assert!(WithoutReplacement::new(base, 0, 0).is_err() && WithoutReplacement::new(base, 5, 6).is_err());
    let none = WithoutReplacement::new(base, 5, 0).unwrap();
    assert_eq!(
        (none.delta(0.0), none.max_loss(), none.renyi(order)),
        (Enclosure::ZERO, 0.0, Enclosure::ZERO)
    );
    let all = WithoutReplacement::new(base, 7, 7).unwrap();
    for epsilon in [-2.0, 0.3, 4.0] {
        let (ours, theirs) = (all.delta(epsilon), base.delta(epsilon));
        assert!(ours.lo() <= theirs.hi() && theirs.lo() <= ours.hi());
    }
    assert_eq!(all.renyi(order), base.renyi(order));
    let huge = WithoutReplacement::new(base, u64::MAX, u64::MAX - 1).unwrap();
    assert!(huge.delta(1.0).lo() <= base.delta(1.0).hi() && huge.share().hi() >= 1.0);
}

/// 40 digits of mpmath; see the formulas at [`Poisson`].
#[test]
fn profiles_are_relatively_accurate() {
    let pair = |direction| Poisson::new(GaussianPair::new(Mu::new(1.0).unwrap()), 0.01, direction).unwrap();
    for (direction, epsilon, truth) in FAR {
        let delta = pair(direction).delta(epsilon);
        // Near the largest loss, 0.010 050 3…, the profile itself is that steep.
        let allowed = if epsilon == 0.010_05 { 1e-9 } else { 1e-11 };
        assert!(
            delta.relative_width() < allowed && (delta.hi() / truth - 1.0).abs() < allowed,
            "{direction:?} {epsilon}: {delta:?} {truth:e}"
        );
    }
}

const FAR: [(Direction, f64, f64); 17] = [
    (Direction::Remove, 1e-06, 0.003_828_940_705_389_671),
    (Direction::Remove, 0.001, 0.003_537_335_580_466_762),
    (Direction::Remove, 0.1, 7.290_037_695_761_226e-5),
    (Direction::Remove, 2.0, 1.724_842_120_013_822_5e-12),
    (Direction::Remove, 8.0, 3.754_118_494_862_475_7e-37),
    (Direction::Remove, 30.0, 8.791_779_511_320_991e-259),
    (Direction::Remove, -0.005, 0.005_945_861_440_210_206),
    (Direction::Remove, -0.02, 0.019_801_326_693_244_7),
    (Direction::Add, 1e-06, 0.003_828_561_609_528_543_4),
    (Direction::Add, 0.001, 0.003_159_797_073_185_801),
    (Direction::Add, 0.005, 0.000_963_144_335_305_304_8),
    (Direction::Add, 0.009, 1.199_408_717_067_773_4e-5),
    (Direction::Add, 0.010_04, 1.158_064_956_129_937e-16),
    (Direction::Add, 0.010_05, 1.534_036_730_124_338_5e-30),
    (Direction::Add, -0.005, 0.007_609_528_783_542_531),
    (Direction::Add, -0.02, 0.020_867_357_435_104_68),
    (Direction::Add, -1.0, 0.632_120_559_833_607_7),
];
