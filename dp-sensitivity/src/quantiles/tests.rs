//! The laws of releases against their definition, and hostile data.

use dp_core::{Bounds, Measurement, Pure, Zcdp};
use dp_mechanisms::rng::Insecure;
use proptest::prelude::*;
use rand_core::TryRng;

use crate::{ExponentialQuantile, Quantile, Quantiles};

fn bounds(lower: f64, upper: f64) -> Bounds {
    Bounds::new(lower, upper).unwrap()
}

/// The law of a release from its definition: each candidate with w·e^(θu) over the sum of all.
#[allow(clippy::cast_precision_loss)]
fn law<A: dp_core::Adjacency, G: dp_core::Guarantee>(
    of: &ExponentialQuantile<A, G>,
    data: &[f64],
) -> Vec<(f64, f64)> {
    let candidates = of.candidates();
    let nearest = |record: f64| {
        let record = of.bounds().clamp(record);
        candidates
            .iter()
            .map(|(v, _)| *v)
            .min_by(|a, b| (a - record).abs().total_cmp(&(b - record).abs()))
            .unwrap()
    };
    let records: Vec<f64> = data.iter().map(|record| nearest(*record)).collect();
    let target = of.quantile().level() * records.len() as f64;
    let weight = |(v, w): &(f64, u64)| {
        let below = records.iter().filter(|x| *x < v).count() as f64;
        let reached = records.iter().filter(|x| *x <= v).count() as f64;
        let distance = (below - target).max(target - reached).max(0.0);
        (*v, *w as f64 * (-of.steepness() * distance).exp())
    };
    let weights: Vec<(f64, f64)> = candidates.iter().map(weight).collect();
    let total: f64 = weights.iter().map(|(_, w)| w).sum();
    weights.into_iter().map(|(v, w)| (v, w / total)).collect()
}

/// Counts the random words that are drawn.
pub(super) struct Counting {
    rng: Insecure,
    pub(super) words: u64,
}

impl Counting {
    pub(super) fn seeded(seed: u64) -> Self {
        Self { rng: Insecure::seeded(seed), words: 0 }
    }
}

impl TryRng for Counting {
    type Error = core::convert::Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        self.words += 1;
        self.rng.try_next_u32()
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        self.words += 1;
        self.rng.try_next_u64()
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        self.words += bytes.len().div_ceil(8) as u64;
        self.rng.try_fill_bytes(bytes)
    }
}

/// One word chooses a piece and two a place in it, for each quantile, whether pieces are as long as
/// a power of two or a little longer.
#[test]
fn records_decide_no_number_of_words() {
    let median = Quantile::median(bounds(0.0, 2e5)).epsilon(1.0).unwrap();
    let thirds = Quantiles::new(bounds(0.0, 2e5), &[0.3, 0.6]).unwrap().epsilon(1.0).unwrap();
    let steps = |step: f64| (0..400).map(|i| step * f64::from(i)).collect::<Vec<f64>>();
    for data in
        [vec![0.0; 400], vec![43_000.123; 400], vec![f64::NAN; 400], steps(1e-9), steps(3e-9), steps(77.7)]
    {
        for seed in 0..100 {
            let mut rng = Counting::seeded(seed);
            median.draw(&data, &mut rng).unwrap();
            assert_eq!(rng.words, 3, "{data:?}");
            let mut rng = Counting::seeded(seed);
            thirds.draw(&data, &mut rng).unwrap();
            assert_eq!(rng.words, 2 * 3, "{data:?}");
        }
    }
}

#[test]
fn releases_have_their_law_whatever_is_looked_at() {
    const DRAWS: u32 = 5_000;
    let data = [1.0, 2.0, 2.0, 2.0, 6.0, 6.0, 9.0, -4.0, f64::NAN, 100.0, 9.0];
    let mut rng = Insecure::seeded(20);
    for (level, reach) in [(0.5, 100), (0.5, 0), (0.25, 1), (0.9, 2), (0.0, 0), (1.0, 0), (1.0, 9)] {
        let release = Quantile::new(bounds(0.0, 10.0), level)
            .unwrap()
            .epsilon(0.6)
            .unwrap()
            .on_multiples_of(0.5)
            .unwrap();
        for records in [&data[..], &[], &[7.0], &[3.0; 9]] {
            let law = law(&release, records);
            let mut counts = vec![0u32; law.len()];
            for _ in 0..DRAWS {
                let drawn = release.draw_within(records, reach, &mut rng);
                counts[law.iter().position(|(v, _)| *v == drawn).unwrap()] += 1;
            }
            // Bernstein: of 588 shares one strays by more with probability 2·588·e^−26 < 10⁻⁸.
            for ((value, share), count) in law.iter().zip(&counts) {
                let n = f64::from(DRAWS);
                let slack = (52.0 * share * n).sqrt() + 26.0 * 2.0 / 3.0;
                let off = (f64::from(*count) - share * n).abs();
                assert!(off <= slack, "{level} {reach} {value}: {count} of {n}, but {share}");
            }
        }
    }
}

/// The lengths of the intervals of losses between two data sets.
fn span(law: &[(f64, f64)], other: &[(f64, f64)]) -> (f64, f64) {
    let losses = law.iter().zip(other).map(|((_, p), (_, q))| (p / q).ln());
    losses.fold((0.0f64, 0.0f64), |(low, high), loss| (low.min(loss), high.max(loss)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]
    #[test]
    fn losses_span_no_more_than_epsilon(
        mut data in prop::collection::vec((0i32..9).prop_map(f64::from), 1..9), new in (0i32..9).prop_map(f64::from),
        level in prop_oneof![Just(0.0), Just(0.5), Just(1.0), 0.0..1.0f64], round in any::<bool>(),
    ) {
        let epsilon = 1.3;
        let quantile = Quantile::new(bounds(0.0, 8.0), level).unwrap();
        let (low, high) = if round {
            let release = quantile.under_replace_one(data.len()).unwrap().epsilon(epsilon).unwrap().on_multiples_of(1.0).unwrap();
            let before = law(&release, &data);
            data[0] = new;
            span(&before, &law(&release, &data))
        } else {
            let release = quantile.epsilon(epsilon).unwrap().on_multiples_of(1.0).unwrap();
            let before = law(&release, &data);
            data.push(new);
            span(&before, &law(&release, &data))
        };
        prop_assert!(high - low <= epsilon * (1.0 + 1e-12), "[{}, {}]", low, high);
    }
}

#[test]
fn the_span_is_reached() {
    // A record more, far to the right of a median, and one that passes it.
    let median = Quantile::median(bounds(0.0, 8.0));
    let data = [1.0, 2.0, 3.0, 4.0, 4.0, 5.0, 6.0, 7.0];
    let release = median.epsilon(1.0).unwrap().on_multiples_of(1.0).unwrap();
    let more: Vec<f64> = data.iter().copied().chain([8.0]).collect();
    let (low, high) = span(&law(&release, &data), &law(&release, &more));
    assert!(high - low > 1.0 - 1e-9, "[{low}, {high}]");
    let release = median.under_replace_one(8).unwrap().epsilon(1.0).unwrap().on_multiples_of(1.0).unwrap();
    let (low, high) = span(&law(&release, &data), &law(&release, &[8.0, 2.0, 3.0, 4.0, 4.0, 5.0, 6.0, 7.0]));
    assert!(high - low > 1.0 - 1e-9, "[{low}, {high}]");
}

#[test]
fn whatever_the_records_hold_there_is_an_answer() {
    let hostile = [
        vec![],
        vec![f64::NAN],
        vec![f64::NAN, 1.0],
        vec![f64::INFINITY; 3],
        vec![f64::NEG_INFINITY, f64::INFINITY, f64::NAN],
        vec![f64::from_bits(1), f64::from_bits(2), -f64::from_bits(1), 0.0, -0.0],
        vec![0.3; 1000],
        (0..1000).map(|i| 1.0 + f64::EPSILON * f64::from(i)).collect(),
        vec![f64::MAX, f64::MIN],
    ];
    let all = [
        (0.0, 1.0),
        (-1e308, 7e307),
        (0.0, f64::MAX),
        (0.0, f64::from_bits(1)),
        (f64::from_bits(1), 1e-300),
        (1.0, 1.0f64.next_up()),
        (1e9, 1e9 + 1.0),
        (-3e-305, 2e-305),
    ];
    let mut rng = Insecure::seeded(3);
    for (lower, upper) in all {
        for data in &hostile {
            for epsilon in [1e-300, 1e-3, 1.0, 1e300] {
                let within = |x: f64| lower <= x && x <= upper;
                for level in [0.0, 0.3, 1.0] {
                    let quantile = Quantile::new(bounds(lower, upper), level).unwrap();
                    assert!(within(quantile.epsilon(epsilon).unwrap().draw(data, &mut rng).unwrap()));
                }
                let many = Quantiles::new(bounds(lower, upper), &[0.0, 0.1, 0.5, 1.0])
                    .unwrap()
                    .epsilon(epsilon)
                    .unwrap();
                let drawn = many.draw(data, &mut rng).unwrap();
                assert!(drawn.is_sorted() && drawn.iter().all(|x| within(*x)), "{drawn:?}");
            }
        }
    }
}

#[test]
fn many_quantiles_of_heaps_are_on_the_heaps() {
    // A third of the records each at 20, 40 and 60, and a budget that leaves little to chance.
    let data: Vec<f64> = (0..3000).map(|i| f64::from(20 * (1 + i % 3))).collect();
    let levels: Vec<f64> = (1..12).map(|k| f64::from(k) / 12.0).collect();
    let release = Quantiles::new(bounds(0.0, 100.0), &levels).unwrap().epsilon(8.0).unwrap();
    let mut rng = Insecure::seeded(11);
    for _ in 0..20 {
        let drawn = release.draw(&data, &mut rng).unwrap();
        for (level, value) in levels.iter().zip(&drawn) {
            // θ ≥ 1: within a heap each of four releases is off by 30 ranks with probability e^−29.
            let ranks = |x: f64| data.iter().filter(|record| **record < x).count();
            #[allow(clippy::cast_precision_loss)]
            let (below, reached) = (ranks(*value) as f64 / 3000.0, ranks(value.next_up()) as f64 / 3000.0);
            assert!(
                below <= level + 0.04 && level - 0.04 <= reached,
                "{level}: {value}, {below} to {reached}"
            );
        }
    }
}

#[test]
fn one_of_many_is_one() {
    // The same law as that of a single release, if records are far apart.
    const DRAWS: u32 = 20_000;
    let single = Quantile::median(bounds(0.0, 10.0)).epsilon(0.6).unwrap().on_multiples_of(0.5).unwrap();
    let many = Quantiles::new(bounds(0.0, 10.0), &[0.5])
        .unwrap()
        .epsilon(0.6)
        .unwrap()
        .on_multiples_of(0.5)
        .unwrap();
    let law = law(&single, &[]);
    let mut rng = Insecure::seeded(5);
    let mut counts = vec![0u32; law.len()];
    for _ in 0..DRAWS {
        let drawn = many.draw(&[], &mut rng).unwrap()[0];
        counts[law.iter().position(|(v, _)| *v == drawn).unwrap()] += 1;
    }
    // Hoeffding and a union: 42·e^(−2·20000·0.0225²) < 10⁻⁷.
    assert!(
        law.iter()
            .zip(&counts)
            .all(|((_, share), count)| { (f64::from(*count) / f64::from(DRAWS) - share).abs() < 0.0225 })
    );
}

#[test]
fn prices_are_those_that_were_asked_for() {
    let quantile = Quantile::new(bounds(0.0, 1.0), 0.9).unwrap();
    let release = quantile.epsilon(0.9).unwrap();
    assert_eq!((release.guarantee(), release.steepness()), (Pure::new(0.9).unwrap(), 0.5));
    assert_eq!(quantile.under_replace_one(7).unwrap().epsilon(0.9).unwrap().steepness(), 0.45);
    assert_eq!(Quantile::maximum(bounds(0.0, 1.0)).epsilon(0.9).unwrap().steepness(), 0.9);
    let release = Quantile::median(bounds(0.0, 1.0)).rho(0.5).unwrap();
    assert_eq!((release.guarantee(), release.steepness()), (Zcdp::new(0.5).unwrap(), 2.0));
    let many = Quantiles::new(bounds(0.0, 1.0), &[0.1, 0.2]).unwrap().rho(0.5).unwrap();
    assert_eq!(many.guarantee(), Zcdp::new(0.5).unwrap());
    assert!(quantile.epsilon(0.0).is_err() && quantile.rho(f64::INFINITY).is_err());
    assert!(
        quantile
            .under_replace_one(7)
            .unwrap()
            .epsilon(1.0)
            .unwrap()
            .draw(&[1.0], &mut Insecure::seeded(1))
            .is_err()
    );
    for bad in [&[][..], &[0.2, 0.2], &[0.3, 0.2], &[-0.1], &[0.5, 1.5], &[f64::NAN], &[0.1, f64::NAN]] {
        assert!(Quantiles::new(bounds(0.0, 1.0), bad).is_err(), "{bad:?}");
    }
    assert!(Quantile::median(bounds(0.0, 1.0)).epsilon(1.0).unwrap().rank_error_bound(0.05).unwrap() < 45.0);
}

#[test]
fn order_does_not_matter() {
    // The same bits lead to the same release from data in any order.
    let data: Vec<f64> = (0..3000).map(|i| f64::from(i * 7919 % 3000)).collect();
    let mut sorted = data.clone();
    sorted.sort_by(f64::total_cmp);
    for level in [0.0, 0.01, 0.5, 0.77, 1.0] {
        let release = Quantile::new(bounds(0.0, 5000.0), level).unwrap().epsilon(1.0).unwrap();
        for seed in 0..50 {
            let [a, b] =
                [&data, &sorted].map(|data| release.draw(data, &mut Insecure::seeded(seed)).unwrap());
            assert_eq!(a, b);
        }
    }
    let many = Quantiles::new(bounds(0.0, 5000.0), &[0.1, 0.3, 0.31, 0.9]).unwrap().epsilon(1.0).unwrap();
    for seed in 0..50 {
        let [a, b] = [&data, &sorted].map(|data| many.draw(data, &mut Insecure::seeded(seed)).unwrap());
        assert_eq!(a, b);
    }
}
