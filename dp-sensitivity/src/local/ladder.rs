//! Smooth bounds from ladders that are cheap to climb.

use crate::local::smoothness::{LEAST_BOUND, LEAST_WEIGHT, Smoothness};

/// max_k w(k)·A(k) over k ≤ `last`, for a ladder A that rises up to `last` and is constant from
/// there on, just as [`LocalSensitivity::smooth`](crate::LocalSensitivity::smooth) computes it.
///
/// Weights fall and ladders rise, as floats too, so no k between `first` and `last` counts more
/// than w(first)·A(last): ranges for which that is no more than what was found are left out, the
/// others halved. About 1/√β rungs are asked for, not 1/β.
pub(crate) fn smooth(beta: Smoothness, global: f64, last: u64, ladder: impl Fn(u64) -> f64) -> f64 {
    let mut largest = LEAST_BOUND.max(LEAST_WEIGHT * global);
    let mut ranges = vec![(0, last)];
    while let Some((first, last)) = ranges.pop() {
        let top = ladder(last);
        if beta.weight(first) * top <= largest {
            continue;
        }
        largest = largest.max(beta.weight(last) * top);
        if first < last {
            let middle = first + (last - first) / 2;
            // The lower half is looked at first: it is where the weights are large.
            ranges.push((middle + 1, last));
            ranges.push((first, middle));
        }
    }
    largest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn leaving_out_ranges_loses_nothing(steps in prop::collection::vec(0u8..4, 1..200), beta in 1e-3..2f64) {
            let beta = Smoothness::new(beta).unwrap();
            let rungs: Vec<f64> = steps.iter().scan(0.0, |sum, step| { *sum += f64::from(*step); Some(*sum) }).collect();
            let last = rungs.len() - 1;
            let all = (0..=last).map(|k| beta.weight(k as u64) * rungs[k]).fold(LEAST_BOUND.max(LEAST_WEIGHT * rungs[last]), f64::max);
            let found = smooth(beta, rungs[last], last as u64, |k| rungs[usize::try_from(k).unwrap()]);
            prop_assert_eq!(found, all);
        }
    }

    #[test]
    fn few_rungs_are_asked_for() {
        let asked = core::cell::Cell::new(0u32);
        let ladder = |k: u64| {
            asked.set(asked.get() + 1);
            #[allow(clippy::cast_precision_loss)]
            (k as f64).min(4e9)
        };
        let found = smooth(Smoothness::new(1e-8).unwrap(), 4e9, 1 << 33, ladder);
        assert!(
            (found / 1e8 * 1f64.exp() - 1.0).abs() < 1e-3 && asked.get() < 200_000,
            "{found} {}",
            asked.get()
        );
    }
}
