//! Ladders of standard deviations by brute force, for up to eight records: nothing is taken from
//! the theorem of `root_ladder`, and what was found is judged in whole numbers.
//!
//! *From below and above.* [`reached`] tries every choice of records that stay, free records in any
//! places (not all in one), and every record of those in the place of the one that moves. Whatever
//! it finds is reached by a pair of neighbours, so a ladder must not be lower. The ladder that is
//! claimed to be the least must not be higher by more than 10⁻⁹ either.
//!
//! *On all data.* For a few hostile floats every data set is a node of a graph. The ladder must be
//! one between all neighbours, and at each distance cover all pairs within reach.

use dashu_int::IBig;
use dp_core::rounding::sub_up;
use dp_core::{Bounds, L1, Query, SensitivityIn};

use crate::spread::deviations::Deviations;
use crate::spread::root_ladder;
use crate::testing::brute::{multisets, replaced, subsets};
use crate::{LocalSensitivity, StandardDeviation};

/// n times the sum of squared deviations.
fn scaled(records: &[i128]) -> i128 {
    let n = i128::try_from(records.len()).unwrap();
    let (sum, squares) = records.iter().fold((0, 0), |(sum, squares), k| (sum + k, squares + k * k));
    n * squares - sum * sum
}

/// Whether bound·√by ≥ √a − √b, exactly. The bound is a float of at least 2⁻¹⁰⁰ or zero.
fn covers(bound: f64, by: i128, a: i128, b: i128) -> bool {
    const DIGITS: usize = 160;
    assert!(bound == 0.0 || bound >= 2f64.powi(-100), "{bound}");
    let bits = bound.to_bits();
    let exponent = usize::try_from(bits >> 52).unwrap();
    let mantissa = IBig::from(bits & ((1 << 52) - 1) | (1 << 52));
    // bound = mantissa·2^(exponent − 1075)
    let whole = if bound == 0.0 { IBig::ZERO } else { mantissa << (exponent + DIGITS - 1075) };
    let square = &whole * &whole * IBig::from(by);
    let [a, b] = [a, b].map(|n| IBig::from(n) << (2 * DIGITS));
    // √square + √b ≥ √a if and only if 2·√(square·b) ≥ a − b − square.
    let missing = a - &b - &square;
    missing <= IBig::ZERO || IBig::from(4) * square * b >= &missing * &missing
}

/// √a − √b without cancellation.
#[allow(clippy::cast_precision_loss)]
fn apart(a: i128, b: i128) -> f64 {
    if a == b { 0.0 } else { (a - b).abs() as f64 / ((a as f64).sqrt() + (b as f64).sqrt()) }
}

/// Two neighbours: a list, and the place and the value of the record that is another one in the
/// other list.
#[derive(Clone, Debug)]
struct Pair {
    list: Vec<i128>,
    place: usize,
    value: i128,
}

impl Pair {
    fn ends(&self) -> (i128, i128) {
        let mut other = self.list.clone();
        other[self.place] = self.value;
        let (a, b) = (scaled(&self.list), scaled(&other));
        (a.max(b), a.min(b))
    }

    fn apart(&self) -> f64 {
        let (a, b) = self.ends();
        apart(a, b)
    }

    /// Moved in all ways by so much: one free record, all of them, the value, and all with the
    /// value.
    fn moved(&self, free: &[usize], by: i128, width: i128) -> Vec<Self> {
        let to = |x: i128| (x + by).clamp(0, width);
        let mut trials: Vec<Self> = free.iter().map(|&only| self.with(&[only], to)).collect();
        let all = self.with(free, to);
        trials.push(Self { value: to(self.value), ..self.clone() });
        trials.push(Self { value: to(self.value), ..all.clone() });
        trials.push(all);
        trials
    }

    fn with(&self, places: &[usize], to: impl Fn(i128) -> i128) -> Self {
        let mut moved = self.clone();
        places.iter().for_each(|&place| moved.list[place] = to(moved.list[place]));
        moved
    }
}

/// The pair of neighbours that was found to be farthest apart, of which one has all but a given
/// number of its records in common with the data.
fn reached(data: &[i128], distance: usize, width: i128) -> Pair {
    let n = i128::try_from(data.len()).unwrap();
    let mean = data.iter().sum::<i128>() / n;
    let starts = [0, mean / 2, mean, width - (width - mean) / 2, width];
    let mut best = Pair { list: data.to_vec(), place: 0, value: data[0] };
    for free in subsets(data.len(), distance) {
        let mut here = best.clone();
        let mut farthest = -1.0;
        for list in multisets(starts.len(), distance) {
            let mut pair = Pair { list: data.to_vec(), place: 0, value: 0 };
            free.iter().zip(&list).for_each(|(&place, &start)| pair.list[place] = starts[start]);
            for place in 0..data.len() {
                for value in starts {
                    let pair = Pair { place, value, ..pair.clone() };
                    if pair.apart() > farthest {
                        (farthest, here) = (pair.apart(), pair);
                    }
                }
            }
        }
        let mut step = width / 2;
        while step > 0 {
            let trials = [-step, step].into_iter().flat_map(|by| here.moved(&free, by, width));
            match trials.map(|pair| (pair.apart(), pair)).max_by(|a, b| a.0.total_cmp(&b.0)) {
                Some((apart, pair)) if apart > farthest => (farthest, here) = (apart, pair),
                _ => step /= 2,
            }
        }
        if farthest > best.apart() {
            best = here;
        }
    }
    best
}

/// The width in steps of the places that are tried is at least this: what is reached there is off
/// by the square of its reciprocal.
const STEPS: i128 = 1 << 40;

fn assert_least(records: &[i64], width: i64, farthest: usize) {
    let deviations = Deviations::new(records.to_vec(), width.into());
    let n = i128::try_from(records.len()).unwrap();
    // A power of two, so that dividing by it is exact.
    let finer = (STEPS / i128::from(width) + 1).unsigned_abs().next_power_of_two().cast_signed();
    let fine: Vec<i128> = records.iter().map(|&k| i128::from(k) * finer).collect();
    for distance in 1..records.len().min(farthest + 1) {
        let found = root_ladder::at_distance(&deviations, &deviations.ends(distance), distance);
        let pair = reached(&fine, distance, i128::from(width) * finer);
        // What is found is √(nN)·(√Q − √Q̃), and `scaled` is n·Q.
        let (a, b) = pair.ends();
        assert!(
            covers(found, finer * finer, (n - 1) * a, (n - 1) * b),
            "{records:?} at {distance}: {found}, {pair:?}"
        );
        #[allow(clippy::cast_precision_loss)]
        let truth = apart((n - 1) * a, (n - 1) * b) / finer as f64;
        assert!(found <= truth * (1.0 + 1e-9), "{records:?} at {distance}: {found} {truth} {pair:?}");
    }
}

/// Records that are hard: ties, at the bounds, next to each other, far from all others, in two
/// groups.
fn hard(width: i64) -> Vec<Vec<i64>> {
    let (half, third) = (width / 2, width / 3);
    vec![
        vec![0, 0],
        vec![0, width],
        vec![half, half + 1, width],
        vec![0, 0, width, width],
        vec![third, third, third + 1, width - 1],
        vec![1, third, half, width - third, width - 1],
        vec![0, 1, 2, 3, width],
        vec![half; 6],
        vec![0, 0, third, third, width, width],
        vec![1, 2, third, half, half + 1, width - 2, width],
        vec![0, third / 2, third, third + 7, half, width - third, width, width],
    ]
}

#[test]
fn the_ladder_is_the_least_one_in_whole_numbers() {
    for width in [1 << 30, (1 << 31) - 1, 1001] {
        for records in hard(width) {
            assert_least(&records, width, 3);
        }
    }
}

#[test]
#[ignore = "ten seconds: all distances of all lists"]
fn the_ladder_is_the_least_one_at_all_distances() {
    for width in [1 << 30, (1 << 31) - 1, 1001, 16] {
        for records in hard(width) {
            assert_least(&records, width, 8);
        }
    }
}

/// Bounds and records that floats have trouble with.
fn hostile() -> Vec<(Bounds, Vec<f64>)> {
    let least = f64::from_bits(1);
    let ulp = f64::EPSILON;
    [
        (0.0, 1.0, vec![f64::NEG_INFINITY, least, 1.0 / 3.0, f64::NAN, 1.0 - ulp]),
        (0.0, least, vec![0.0, f64::NAN, least]),
        (-least, 7.0 * least, vec![-least, 0.0, 2.0 * least, 7.0 * least]),
        (-1e150, 1e150, vec![f64::MIN, -3e149, 1e-300, f64::MAX]),
        (1.0, 1.0 + ulp, vec![1.0, f64::NAN, 1.0 + ulp]),
        (1e8, 1e8 + 2.0, vec![0.0, 1e8 + 2f64.powi(-25), 1e8 + 1.0, f64::INFINITY]),
        (-3e-308, 1e-308, vec![-0.0, -3e-308, -1e-308, f64::MIN_POSITIVE]),
    ]
    .into_iter()
    .map(|(lower, upper, values)| (Bounds::new(lower, upper).unwrap(), values))
    .collect()
}

/// Every data set with these records: the contract between all neighbours, and the ladder at least
/// that by listing.
fn assert_ladder_on_all_data(
    deviation: &StandardDeviation<dp_core::ReplaceOne>,
    values: &[f64],
    size: usize,
) {
    let nodes = multisets(values.len(), size);
    let at = |list: &Vec<usize>| nodes.binary_search(list).unwrap();
    let numbers = |list: &[usize]| list.iter().map(|&k| values[k]).collect::<Vec<_>>();
    let answers: Vec<f64> =
        nodes.iter().map(|list| deviation.answer(&numbers(list)).unwrap().get()).collect();
    let global = SensitivityIn::<L1>::sensitivity(deviation).value();
    let rungs: Vec<Vec<f64>> = nodes
        .iter()
        .map(|list| {
            let data = numbers(list);
            (0..=size as u64 + 1).map(|k| deviation.local_at_distance(&data, k).unwrap()).collect()
        })
        .collect();
    let neighbours: Vec<Vec<usize>> =
        nodes.iter().map(|list| replaced(list, values.len()).iter().map(at).collect()).collect();
    let local = |x: usize| {
        let apart =
            neighbours[x].iter().map(|&y| sub_up(answers[x].max(answers[y]), answers[x].min(answers[y])));
        apart.fold(0.0, f64::max)
    };
    // A⁽ᵏ⁾ is the largest A⁽ᵏ⁻¹⁾ of a neighbour.
    let mut listed: Vec<f64> = (0..nodes.len()).map(local).collect();
    for k in 0..=size {
        for x in 0..nodes.len() {
            let rung = rungs[x][k];
            assert!(rung >= listed[x] && rung <= global, "{:?} at {k}: {rung} {}", nodes[x], listed[x]);
            assert!(rung <= rungs[x][k + 1]);
            for &y in &neighbours[x] {
                assert!(rung <= rungs[y][k + 1], "{:?} {:?} at {k}", nodes[x], nodes[y]);
            }
        }
        listed = neighbours.iter().map(|near| near.iter().map(|&y| listed[y]).fold(0.0, f64::max)).collect();
    }
}

#[test]
fn ladders_hold_between_all_data_of_hostile_floats() {
    for (bounds, values) in hostile() {
        for size in [2, 3, 5] {
            assert_ladder_on_all_data(
                &StandardDeviation::new(bounds).under_replace_one(size).unwrap(),
                &values,
                size,
            );
        }
        assert_ladder_on_all_data(
            &StandardDeviation::population(bounds).under_replace_one(4).unwrap(),
            &values,
            4,
        );
    }
}

#[test]
#[ignore = "ten seconds: up to eight records"]
fn ladders_hold_between_all_data_of_eight_hostile_floats() {
    for (bounds, values) in hostile() {
        for size in [6, 7, 8] {
            assert_ladder_on_all_data(
                &StandardDeviation::new(bounds).under_replace_one(size).unwrap(),
                &values,
                size,
            );
            assert_ladder_on_all_data(
                &StandardDeviation::population(bounds).under_replace_one(size).unwrap(),
                &values,
                size,
            );
        }
    }
}

#[test]
fn the_judge_is_exact() {
    // √18 − √8 = √2, which no float is.
    let root = 2f64.sqrt(); // rounded up
    assert!(covers(root, 1, 18, 8) && !covers(root.next_down(), 1, 18, 8));
    assert!(covers(1.0, 2, 18, 8) && !covers(1f64.next_down(), 2, 18, 8));
    assert!(covers(0.0, 1, 5, 5) && !covers(0.0, 1, 6, 5));
}
