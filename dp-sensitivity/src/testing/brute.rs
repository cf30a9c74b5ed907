//! Local and smooth sensitivities from their definitions, by listing: the oracle of every fast
//! formula.
//!
//! A data set is any value that can be ordered, and the neighbour relation is the function that
//! lists the neighbours, so this serves numbers and graphs alike.

use std::collections::BTreeSet;

/// A⁽⁰⁾(x), …, A⁽ᵏ⁾(x) for k = `steps`: the largest |f(y) − f(z)| over all neighbours y, z of which
/// y is at most that many steps away from x.
#[must_use]
pub fn ladder<S: Ord + Clone>(
    start: &S,
    steps: usize,
    neighbours: impl Fn(&S) -> Vec<S>,
    answer: impl Fn(&S) -> f64,
) -> Vec<f64> {
    let local =
        |here: &S| neighbours(here).iter().map(|y| (answer(here) - answer(y)).abs()).fold(0.0, f64::max);
    let (mut seen, mut shell) = (BTreeSet::from([start.clone()]), vec![start.clone()]);
    let mut ladder: Vec<f64> = vec![local(start)];
    for step in 0..steps {
        let next: BTreeSet<S> = shell.iter().flat_map(&neighbours).filter(|y| !seen.contains(y)).collect();
        ladder.push(next.iter().map(local).fold(ladder[step], f64::max));
        seen.extend(next.iter().cloned());
        shell = next.into_iter().collect();
    }
    ladder
}

/// The largest |f(y) − f(z)| over all neighbours y, z of which y has all but a given number of its
/// records in common with the data, for records between 0 and `width`. Nothing is known of f.
///
/// For each choice of records to be replaced, all values of a grid are tried in all of their
/// places, and in each place of y for z. From the best of these on, single values and all of them
/// together are moved by steps that get smaller and smaller, while that helps.
#[cfg(test)]
pub(crate) fn farthest(
    data: &[f64],
    replaced: usize,
    grid: usize,
    width: f64,
    answer: impl Fn(&[f64]) -> f64,
) -> f64 {
    #[allow(clippy::cast_precision_loss)]
    let values: Vec<f64> = (0..grid).map(|i| width * i as f64 / (grid - 1) as f64).collect();
    let moved = |y: &[f64], place: usize, value: f64| {
        let mut z = y.to_vec();
        z[place] = value;
        (answer(y) - answer(&z)).abs()
    };
    let mut largest: f64 = 0.0;
    for chosen in subsets(data.len(), replaced) {
        let (mut best, mut at) = (-1.0, (data.to_vec(), 0, 0.0));
        for list in multisets(grid, replaced) {
            let mut y = data.to_vec();
            chosen.iter().zip(&list).for_each(|(&place, &value)| y[place] = values[value]);
            for place in 0..data.len() {
                for &value in &values {
                    let here = moved(&y, place, value);
                    if here > best {
                        (best, at) = (here, (y.clone(), place, value));
                    }
                }
            }
        }
        let mut step = values[1];
        while step > 1e-9 * width {
            let mut trials = Vec::new();
            let (y, place, value) = &at;
            for by in [-step, step] {
                let other = |x: f64| (x + by).clamp(0.0, width);
                trials.push((y.clone(), *place, other(*value)));
                for &only in &chosen {
                    let mut y = y.clone();
                    y[only] = other(y[only]);
                    trials.push((y, *place, *value));
                }
                let mut y = y.clone();
                chosen.iter().for_each(|&place| y[place] = other(y[place]));
                trials.push((y.clone(), *place, *value));
                trials.push((y, *place, other(*value)));
            }
            let scored = trials.into_iter().map(|trial| (moved(&trial.0, trial.1, trial.2), trial));
            match scored.max_by(|a, b| a.0.total_cmp(&b.0)) {
                Some((score, trial)) if score > best => (best, at) = (score, trial),
                _ => step /= 2.0,
            }
        }
        largest = largest.max(best);
    }
    largest
}

/// All choices of a given number of the first numbers.
#[cfg(test)]
pub(crate) fn subsets(of: usize, size: usize) -> Vec<Vec<usize>> {
    multisets(of, size).into_iter().filter(|list| list.windows(2).all(|pair| pair[0] < pair[1])).collect()
}

/// max_k e^(−βk)·A⁽ᵏ⁾.
#[must_use]
pub fn smooth(ladder: &[f64], beta: f64) -> f64 {
    ladder.iter().zip(0u32..).map(|(rung, k)| rung * (-beta * f64::from(k)).exp()).fold(0.0, f64::max)
}

/// The neighbours of a sorted list of positions in a domain of `values` under replace-one. Queries
/// here do not look at the order.
#[must_use]
pub fn replaced(list: &[usize], values: usize) -> Vec<Vec<usize>> {
    let all = (0..list.len()).flat_map(|at| {
        (0..values).map(move |value| {
            let mut other = list.to_vec();
            other[at] = value;
            other.sort_unstable();
            other
        })
    });
    all.collect()
}

/// The neighbours under add/remove.
#[cfg(test)]
pub(crate) fn added_or_removed(list: &[usize], values: usize) -> Vec<Vec<usize>> {
    let removed = (0..list.len()).map(|at| [&list[..at], &list[at + 1..]].concat());
    let added = (0..values).map(|value| {
        let mut other = [list, &[value]].concat();
        other.sort_unstable();
        other
    });
    removed.chain(added).collect()
}

/// All sorted lists of `length` positions in a domain of `values`.
#[must_use]
pub fn multisets(values: usize, length: usize) -> Vec<Vec<usize>> {
    let mut lists = vec![vec![]];
    for _ in 0..length {
        lists = lists
            .into_iter()
            .flat_map(|list: Vec<usize>| {
                (list.last().copied().unwrap_or(0)..values).map(move |v| [list.as_slice(), &[v]].concat())
            })
            .collect();
    }
    lists
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_and_lists_are_complete() {
        assert_eq!(multisets(2, 2), [[0, 0], [0, 1], [1, 1]]);
        assert_eq!(replaced(&[0, 1], 2), [[0, 1], [1, 1], [0, 0], [0, 1]]);
        assert_eq!(added_or_removed(&[1], 2), [vec![], vec![0, 1], vec![1, 1]]);
    }

    #[test]
    fn the_ladder_of_a_square_is_known() {
        // On the line of whole numbers from 0 to 9 the square moves most at the upper end.
        let neighbours = |&x: &i32| (x - 1..=x + 1).filter(|y| (0..10).contains(y)).collect();
        let ladder = ladder(&3, 8, neighbours, |&x| f64::from(x * x));
        assert_eq!(ladder, [7.0, 9.0, 11.0, 13.0, 15.0, 17.0, 17.0, 17.0, 17.0]);
        assert_eq!(smooth(&ladder, 0.0), 17.0);
        assert_eq!(smooth(&ladder, 10.0), 7.0);
    }
}
