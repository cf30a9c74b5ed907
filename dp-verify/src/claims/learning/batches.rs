//! L4: which records the steps see.
//!
//! About [`dp_ml::scheduled::OnePass`] and [`dp_ml::scheduled::MultiPass`].

use std::collections::BTreeMap;

use crate::claim::{Claim, Finding, Kind, Verdict};
use crate::figure::{Axis, Figure};
use dp_mechanisms::rng::Insecure;

use dp_ml::scheduled::{MultiPass, OnePass, PoissonBatches, Sampler};

pub(super) const L4: Claim = Claim {
    id: "L4",
    source: "Ottawa, one-pass and multi-pass SGD",
    statement: "one pass sees each record once; multi-pass steps see b of n records, each set being as likely as any other; Poisson steps see each record independently",
    formula: "one pass: i = bh + 1, …, bh + b;  many passes: P(B) = 1/C(n, b);  Poisson: P(B) = q^|B|·(1 − q)^(n−|B|)",
    meaning: "A step of stochastic gradient descent looks at a few records only, and which ones decides what it costs: a record that is seen once is safer than one that is seen in each step, and a random batch hides who was in it. Theorems on privacy assume batches \
              of an exact law, so the samplers as they are built were held against it: one pass saw each of 12 records once, and 60,000 random batches of each other kind filled all possible sets evenly, within six standard deviations. A sampler of other batches is noticed.",
    kind: Kind::Audit,
    expected: Verdict::Holds,
    check: || judge(3, 2),
};

const DRAWS: u32 = 60_000;

/// Judges the samplers; sets of `batch` of 4 records are counted as sets of `assumed`.
fn judge(assumed: usize, batch: usize) -> Finding {
    let mut rng = Insecure::seeded(4);
    let one = OnePass::new(12, 4).expect("valid");
    let mut seen: Vec<usize> = vec![];
    let mut order: Vec<usize> = (0..12).collect();
    for step in 0..one.most_steps() {
        seen.extend_from_slice(one.choose(step, 12, &mut order, &mut rng));
    }
    if !seen.iter().copied().eq(0..12) {
        return Finding::refuted(format!("one pass of 12 records sees {seen:?}"));
    }
    let multi = MultiPass::new(4, batch).expect("valid");
    let mut order: Vec<usize> = (0..4).collect();
    let counts = tally(|| multi.choose(0, 4, &mut order, &mut rng).to_vec());
    let poisson = PoissonBatches::new(0.5, 2.0).expect("valid");
    let subsets = tally(|| poisson.choose(0, assumed, &mut order, &mut rng).to_vec());
    // A fair count leaves its mean by six standard deviations with probability below 2·10⁻⁹.
    for (counts, cells) in [(&counts, 6u32), (&subsets, 8)] {
        let mean = f64::from(DRAWS) / f64::from(cells);
        let fair = counts.values().all(|count| (f64::from(*count) - mean).abs() < 6.0 * mean.sqrt());
        if counts.len() != cells as usize || !fair {
            return Finding::refuted(format!("{counts:?} of {DRAWS} draws"));
        }
    }
    let detail = format!(
        "one pass sees 12 records once; {DRAWS} batches of 2 of 4 records and as many Poisson batches of 3 fill their 6 and 8 sets evenly"
    );
    Finding::holds(detail)
        .with_figure(picture("Batches of 2 of 4 records", &counts))
        .with_figure(picture("Poisson batches of 3 records at rate ½", &subsets))
}

/// How often each set came, beside what is claimed.
fn picture(title: &str, counts: &BTreeMap<Vec<usize>, u32>) -> Figure {
    let sets = || (1u32..).map(f64::from);
    let even = 1.0 / counts.values().map(|_| 1.0).sum::<f64>();
    let shares = counts.values().map(|count| f64::from(*count) / f64::from(DRAWS));
    Figure::new(title, Axis::linear("number of the set"), Axis::linear("share of the draws"))
        .curve("claimed", sets().zip(counts.values().map(|_| even)))
        .curve("drawn", sets().zip(shares))
}

fn tally(mut draw: impl FnMut() -> Vec<usize>) -> BTreeMap<Vec<usize>, u32> {
    let mut counts = BTreeMap::new();
    for _ in 0..DRAWS {
        let mut set = draw();
        set.sort_unstable();
        *counts.entry(set).or_default() += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_batches_are_noticed() {
        assert_eq!(judge(3, 1).verdict, Verdict::Refuted); // 4 sets
        assert_eq!(judge(2, 2).verdict, Verdict::Refuted); // 4 subsets
    }
}
