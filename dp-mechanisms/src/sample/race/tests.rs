//! The race: its listed laws, its two ways side by side, and its ends.

use std::cmp::Ordering;
use std::convert::Infallible;

use dp_core::rounding::Enclosure;
use proptest::prelude::*;
use rand_core::{TryRng, utils};

use super::noise::Noise;
use super::*;
use crate::rng::Insecure;
use crate::sample::replay::Law as Listed;
use crate::selection::laws;

/// A generator of these words, and then of others.
struct Feed<'w> {
    words: std::slice::Iter<'w, u64>,
    rest: Insecure,
}

impl<'w> Feed<'w> {
    fn new(words: &'w [u64]) -> Self {
        Self { words: words.iter(), rest: Insecure::seeded(words.len() as u64) }
    }
}

impl TryRng for Feed<'_> {
    type Error = Infallible;

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.words.next().map_or_else(|| self.rest.try_next_u64(), |word| Ok(*word))
    }

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unreachable!("bits come in words of 64")
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        utils::fill_bytes_via_next_word(bytes, || self.try_next_u64())
    }
}

fn scale(value: f64) -> Scale {
    Scale::new(value).unwrap()
}

fn agree(found: Enclosure, truth: Enclosure) -> bool {
    found.lo() <= truth.hi() && truth.lo() <= found.hi()
}

/// Pr(Laplace − Laplace > t) for t ≥ 0: (2 + t)/4·e^(−t).
fn laplace_difference(t: f64) -> Enclosure {
    Enclosure::point(2.0 + t) * Enclosure::point(0.25) * Enclosure::point(-t).exp()
}

#[test]
fn enumerated_masses_bracket_the_ideal_laws() {
    let b = scale(2.0);
    for scores in [&[0.0, 1.0][..], &[2.5, -0.5], &[0.0, 0.5, 1.0]] {
        let (length, most_open) = if scores.len() == 2 { (16, 0.05) } else { (15, 0.5) };
        let gumbel = Listed::of(length, |bits| listed::winner::<GumbelNoise, _>(scores, b, bits));
        let exponential = Listed::of(length, |bits| listed::winner::<ExponentialNoise, _>(scores, b, bits));
        assert!(
            gumbel.open().max(exponential.open()) < most_open,
            "{} {}",
            gumbel.open(),
            exponential.open()
        );
        for (i, (soft, flipped)) in
            laws::exponential(scores, 2.0).into_iter().zip(laws::exponential_noise(scores, 2.0)).enumerate()
        {
            assert!(agree(gumbel.probability(&i), soft), "{scores:?}: {} {soft}", gumbel.probability(&i));
            assert!(agree(exponential.probability(&i), flipped), "{scores:?}: {flipped}");
        }
        if let [first, second] = *scores {
            let laplace = Listed::of(length, |bits| listed::winner::<LaplaceNoise, _>(scores, b, bits));
            let (loser, truth) =
                (usize::from(first >= second), laplace_difference((first - second).abs() / 2.0));
            assert!(
                laplace.open() < most_open && agree(laplace.probability(&loser), truth),
                "{scores:?} {}",
                laplace.open()
            );
        }
    }
}

#[test]
fn enumerated_rankings_are_those_of_peeling() {
    let scores = [0.0, 1.0, 0.5];
    let law = Listed::of(15, |bits| listed::ranking::<GumbelNoise, _>(&scores, scale(1.5), bits));
    assert!(law.open() < 0.6, "{}", law.open());
    for ranking in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let truth = laws::peeling(&scores, 1.5, &ranking);
        assert!(agree(law.probability(&ranking.to_vec()), truth), "{ranking:?}: {truth}");
    }
}

/// The exact order of candidates with these words, the further digits from a generator.
fn exactly<L: NoiseLaw>(scores: &[f64], scale: Scale, words: &[u64], seed: u64) -> Vec<usize> {
    let runners = (0..scores.len())
        .map(|index| Runner::<L>::known(index, scores[index], words[index]).exactly())
        .collect();
    ranking(runners, scale, &mut Bits::new(&mut Insecure::seeded(seed)))
}

/// Whatever digits follow, floats drop none of the first, and say nothing of two candidates that
/// the integers do not say too.
fn assert_fast_is_right<L: NoiseLaw>(scores: &[f64], scale: Scale, words: &[u64], count: usize) {
    let mut ways = vec![(count, contenders_for::<L, _>(scores, scale, count, &mut Feed::new(words)))];
    ways.push((1, contenders::<L, _>(scores, scale, &mut Feed::new(words))));
    for (count, left) in ways {
        for seed in [1, 2] {
            let ranking = exactly::<L>(scores, scale, words, seed);
            let place = |contender: &Runner<L>| ranking.iter().position(|i| *i == contender.index);
            for first in &ranking[..count] {
                assert!(
                    left.iter().any(|contender| contender.index == *first),
                    "{scores:?} {scale} {words:x?}"
                );
            }
            for (a, b) in left.iter().flat_map(|a| left.iter().map(move |b| (a, b))) {
                let order = runner::clearly(a, b, scale);
                assert!(
                    order.is_none_or(|order| order == place(b).cmp(&place(a))),
                    "{scores:?} {scale} {words:x?}"
                );
            }
        }
        let found = winners::<L, _>(scores, scale, count, &mut Feed::new(words));
        assert!(found.len() == count && found.iter().all(|i| left.iter().any(|c| c.index == *i)));
    }
}

fn words() -> impl Strategy<Value = u64> {
    (any::<u64>(), 0u32..64, any::<bool>(), any::<bool>()).prop_map(|(word, shift, rare, ones)| {
        let small = if rare { word >> shift } else { word };
        if ones { !small } else { small }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn floats_and_integers_agree_on_any_words(
        candidates in prop::collection::vec((prop_oneof![-20.0..20f64, any::<f64>()], words()), 1..8),
        b in prop_oneof![0.5..2f64, any::<f64>()],
        count in 1usize..4,
    ) {
        let (scores, words): (Vec<f64>, Vec<u64>) = candidates.into_iter().unzip();
        if let Ok(scale) = Scale::new(b.abs()) {
            let count = count.min(scores.len());
            assert_fast_is_right::<GumbelNoise>(&scores, scale, &words, count);
            assert_fast_is_right::<ExponentialNoise>(&scores, scale, &words, count);
            assert_fast_is_right::<LaplaceNoise>(&scores, scale, &words, count);
        }
    }

    #[test]
    fn floats_and_integers_agree_on_near_ties(
        words in (words(), words()), b in 0.5..2f64, score in -10.0..10f64, nudge in -40i32..-10, up in any::<bool>(),
    ) {
        fn check<L: NoiseLaw>(words: [u64; 2], b: f64, score: f64, nudge: f64) {
            // The second score makes up for the difference of the noises, but for the nudge.
            let [first, second] = words.map(|word| Noise::<L>::known(word).enclosure().lo());
            let other = score + b * (first - second) + nudge;
            if other.is_finite() {
                assert_fast_is_right::<L>(&[score, other], scale(b), &words, 1);
            }
        }
        let nudge = if up { 2f64.powi(nudge) } else { -2f64.powi(nudge) };
        check::<GumbelNoise>([words.0, words.1], b, score, nudge);
        check::<ExponentialNoise>([words.0, words.1], b, score, nudge);
        check::<LaplaceNoise>([words.0, words.1], b, score, nudge);
    }
}

#[test]
fn ties_of_all_known_digits_are_broken_by_those_that_follow() {
    fn compare<L: NoiseLaw>(further: &[u64]) -> Ordering {
        let [mut a, mut b] = [0, 1].map(|index| Runner::<L>::known(index, 0.3, 0x9e37_79b9_7f4a_7c14));
        runner::compare(&mut a, &mut b, scale(1.0), &mut Bits::new(&mut Feed::new(further)))
    }
    // One or two further digits of the first, then as many of the second, the lowest bit first. A
    // larger U has larger Gumbel noise and a smaller exponential.
    for (further, order) in [(0b0001, Ordering::Greater), (0b1110, Ordering::Less)] {
        assert_eq!(compare::<GumbelNoise>(&[further]), order);
        assert_eq!(compare::<ExponentialNoise>(&[further]), order.reverse());
        assert_eq!(compare::<LaplaceNoise>(&[further]), order.reverse());
    }
    // Equal for hundreds of digits, and then not.
    assert_ne!(compare::<GumbelNoise>(&[0; 12]), Ordering::Equal);
    // The same words in a selection: both win, by what follows.
    let wins = |more: u64| {
        winner::<GumbelNoise, _>(&[0.3, 0.3], scale(1.0), &mut Feed::new(&[9 << 60, 9 << 60, more]))
    };
    assert_eq!([wins(0b0001), wins(0b1110)], [0, 1]);
}

#[test]
fn a_lead_that_the_noise_makes_up_for_is_settled_by_the_digits_that_follow() {
    // U = ½ with a lead of one scale ties with U = 1/2e = (3393088950634442637 + 0.365)/2⁶⁴ (by
    // mpmath).
    let compare = |further: u64| {
        let mut a = Runner::<ExponentialNoise>::known(0, 2.0, 1 << 63);
        let mut b = Runner::<ExponentialNoise>::known(1, 0.0, 3_393_088_950_634_442_637);
        runner::compare(&mut a, &mut b, scale(2.0), &mut Bits::new(&mut Feed::new(&[further])))
    };
    // One further digit 0 of the first, then three of the second.
    assert_eq!([compare(0b0000), compare(0b1110)], [Ordering::Less, Ordering::Greater]);
}

#[test]
fn a_clear_winner_is_found_wherever_it_stands() {
    for n in [1, 2, 255, 256, 257, 700] {
        for best in (0..n).step_by(37).chain([n - 1]) {
            let mut scores = vec![0.0; n];
            scores[best] = 100.0;
            let mut rng = Insecure::seeded(3);
            // A rival wins with probability at most n·e^(−100).
            assert_eq!(winner::<GumbelNoise, _>(&scores, scale(1.0), &mut rng), best);
            assert_eq!(winner::<ExponentialNoise, _>(&scores, scale(1.0), &mut rng), best);
            assert_eq!(winner::<LaplaceNoise, _>(&scores, scale(1.0), &mut rng), best);
        }
    }
}

#[test]
fn many_winners_come_in_their_order() {
    // Steps of 200 scales: two of 600 candidates swap with probability below 600·e^(−200).
    for order in [1usize, 7, 599] {
        let scores: Vec<f64> =
            (0..600usize).map(|i| f64::from(u16::try_from(i * order % 600).unwrap()) * 200.0).collect();
        let mut rank: Vec<usize> = (0..600).collect();
        rank.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        for count in [1, 2, 10, 256, 599, 600] {
            let found = winners::<GumbelNoise, _>(&scores, scale(1.0), count, &mut Insecure::seeded(9));
            assert_eq!(found, rank[..count], "{order} {count}");
        }
    }
}

#[test]
fn extreme_scores_and_scales_keep_their_law() {
    const DRAWS: u32 = 4000;
    // Hoeffding: each share strays by more than this with probability below 2·10⁻⁹.
    let slack = (1e9f64.ln() / (2.0 * f64::from(DRAWS))).sqrt();
    let least = f64::from_bits(1);
    for (scores, b, gap) in [
        ([0.0, -1.0], 1.0, 1.0f64),
        ([f64::MAX, f64::MIN], f64::MAX, 2.0),
        ([least, 0.0], least, 1.0),
        ([1e300f64.next_up(), 1e300], 1e300f64.next_up() - 1e300, 1.0),
        ([f64::MAX, 0.0], f64::MAX, 1.0),
        ([0.0, -3.0 * least], 2.0 * least, 1.5),
        ([1e-240, 0.0], 1e-240, 1.0),
    ] {
        let mut rng = Insecure::seeded(21);
        let mut share = |draw: &mut dyn FnMut(&mut Insecure) -> usize| {
            let wins: u32 = (0..DRAWS).map(|_| u32::from(draw(&mut rng) == 0)).sum();
            f64::from(wins) / f64::from(DRAWS)
        };
        let gumbel = share(&mut |rng| winner::<GumbelNoise, _>(&scores, scale(b), rng));
        let exponential = share(&mut |rng| winner::<ExponentialNoise, _>(&scores, scale(b), rng));
        let laplace = share(&mut |rng| winner::<LaplaceNoise, _>(&scores, scale(b), rng));
        let truth =
            [1.0 / (1.0 + (-gap).exp()), 1.0 - (-gap).exp() / 2.0, 1.0 - laplace_difference(gap).hi()];
        for (found, truth) in [gumbel, exponential, laplace].into_iter().zip(truth) {
            assert!((found - truth).abs() < slack, "{scores:?}, scale {b}: {found}, but {truth}");
        }
    }
}

#[test]
fn long_ways_are_rare() {
    let scores = vec![0.0; 1 << 14];
    let mut rng = Insecure::seeded(31);
    let left: usize =
        (0..16).map(|_| contenders::<GumbelNoise, _>(&scores, scale(1.0), &mut rng).len()).sum();
    // One winner each; another one with probability below 2⁻⁹ each.
    assert!(left <= 18, "{left}");
    let left: usize =
        (0..16).map(|_| contenders::<ExponentialNoise, _>(&scores, scale(1.0), &mut rng).len()).sum();
    // One of 2¹⁵ has a U below 2⁻¹⁵: 8 of all, more than 50 with probability below 10⁻²⁰.
    assert!(left <= 16 + 50, "{left}");
}

/// Scores that an attacker would choose, seen from which the k-th must be found to the last digit:
/// all but one lie within 2⁻²⁰ of each other and far from the one.
fn ties_to_twenty_digits(n: u32) -> Vec<f64> {
    let far = 2f64.powi(60);
    (0..n).map(|i| if i == 0 { far } else { far + 2f64.powi(39) + 256.0 * f64::from(i) }).collect()
}

#[test]
fn ties_to_twenty_digits_leave_no_more_candidates_than_others() {
    let (count, draws) = (10, 40);
    for sign in [1.0, -1.0] {
        let scores: Vec<f64> = ties_to_twenty_digits(300).into_iter().map(|score| sign * score).collect();
        let huge: Vec<f64> = scores.iter().map(|score| score * 1e200).collect();
        for scores in [scores, huge, vec![sign * 1e300; 300], vec![0.0; 300]] {
            let mut rng = Insecure::seeded(17);
            let left: usize = (0..draws)
                .map(|_| contenders_for::<GumbelNoise, _>(&scores, scale(2.0), count, &mut rng).len())
                .sum();
            // Ten winners each; another one with probability below 2⁻¹⁰ each.
            assert!(left <= count * draws + 2, "{left} for {} and the like", scores[1]);
        }
    }
}

#[test]
fn a_leader_whose_noise_is_far_down_leaves_nobody_else() {
    fn check<L: NoiseLaw>(word: u64) {
        let scores: Vec<f64> = (0..300).map(|i| if i == 0 { 1e20 } else { 0.0 }).collect();
        let left = contenders::<L, _>(&scores, scale(2.0), &mut Feed::new(&[word]));
        assert_eq!(left.len(), 1, "{word:#x}");
        let two: Vec<f64> = (0..300).map(|i| if i < 2 { 1e20 } else { 0.0 }).collect();
        let left = contenders_for::<L, _>(&two, scale(2.0), 2, &mut Feed::new(&[word, 9 << 60]));
        assert_eq!(left.len(), 2, "{word:#x}");
    }
    // U below 2⁻¹⁵, which floats do not place, and a negative sign.
    for word in [(1 << 49) - 1, 1 << 30 | 1, 3] {
        check::<GumbelNoise>(word);
        check::<LaplaceNoise>(word);
    }
}

#[test]
fn at_the_smallest_scales_all_candidates_take_the_long_way() {
    let n = 20u8;
    let lists: [Vec<f64>; 5] = [
        vec![0.0; n.into()],
        (0..n).map(|i| f64::from(i) * 1e-322).collect(),
        (0..n).map(|i| f64::from(i) * 1e-300).collect(),
        (0..n).map(f64::from).collect(),
        (0..n).map(|i| if i == 3 { f64::MAX } else { f64::NAN }).collect(),
    ];
    for b in [f64::from_bits(1), 1e-310, 1e-260, 9e-251] {
        let mut taken = vec![];
        for scores in &lists {
            let mut rng = Insecure::seeded(3);
            assert_eq!(contenders::<GumbelNoise, _>(scores, scale(b), &mut rng).len(), usize::from(n), "{b}");
            assert_eq!(
                contenders_for::<LaplaceNoise, _>(scores, scale(b), 2, &mut rng).len(),
                usize::from(n)
            );
            // None of them is settled by floats, so all take the same words.
            let mut rng = Counted(Insecure::seeded(4), 0);
            let _ = winner::<ExponentialNoise, _>(scores, scale(b), &mut rng);
            taken.push(rng.1);
        }
        assert!(taken.iter().all(|words| *words == taken[0]), "{b}: {taken:?}");
    }
}

/// A generator that counts its words.
struct Counted(Insecure, usize);

impl TryRng for Counted {
    type Error = Infallible;

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.1 += 1;
        self.0.try_next_u64()
    }

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unreachable!("bits come in words of 64")
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        utils::fill_bytes_via_next_word(bytes, || self.try_next_u64())
    }
}
