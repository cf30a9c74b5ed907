//! A part of L12: a tree of counts with discrete Gaussian noise.
//!
//! About [`dp_mechanisms::HierarchicalCounts`].

use crate::claim::{Finding, Slack};
use crate::figure::{Axis, Figure};
use dp_core::pairs::{DiscreteGaussianPair, DominatingPair};
use dp_core::rounding::Enclosure;
use dp_core::{AddRemove, Alpha, Calibrate, Error, L1, Mechanism, Sensitivity};

use dp_mechanisms::rng::Insecure;
use dp_mechanisms::{HierarchicalCounts, Hierarchy};

const RHO: f64 = 0.5;

/// Judges the noise of the library for ρ as if it promised `share`·ρ; and what is published.
pub(super) fn judge(share: f64) -> Result<Finding, Error> {
    Ok(Finding::together([noise_is_enough(share)?, counts_add_up()?, weights_are_best()?]))
}

fn country() -> Result<Hierarchy, Error> {
    Hierarchy::new(vec![vec![3], vec![2, 4, 1]])
}

/// A record more or less moves one node of each level by one: the divergences of the levels add up.
fn noise_is_enough(share: f64) -> Result<Finding, Error> {
    let tree = country()?;
    let levels = Enclosure::point(f64::from(u32::try_from(tree.levels()).expect("there are few levels")));
    let (census, _) =
        HierarchicalCounts::rho(RHO, tree)?.calibrate(Sensitivity::<L1, AddRemove>::new(1.0)?)?;
    let pair = DiscreteGaussianPair::new(census.scale(), 1)?;
    let mut ratios = Vec::new();
    for order in [1.01, 1.5, 2.0, 4.0, 16.0, 100.0] {
        let divergence = levels * pair.renyi(Alpha::new(order)?);
        let allowed = Enclosure::point(share * RHO) * Enclosure::point(order);
        if divergence.lo() > allowed.hi() * (1.0 + 1e-12) {
            return Ok(Finding::refuted(format!(
                "census: all levels have D_{order} = {divergence}, above {allowed}"
            )));
        }
        ratios.push(allowed.hi() / divergence.lo());
    }
    let slack = Slack::over("D_α", ratios);
    Ok(if slack.least < 1.0 + 1e-6 {
        Finding::holds(format!("census: the divergences of three levels stay below {RHO}·α and reach it"))
    } else {
        Finding::undecided(format!("census: ρ could be {} times smaller", slack.least))
    })
}

/// What is published adds up and is not negative, whatever was drawn.
fn counts_add_up() -> Result<Finding, Error> {
    let tree = country()?;
    let (census, _) =
        HierarchicalCounts::rho(RHO, tree.clone())?.calibrate(Sensitivity::<L1, AddRemove>::new(1.0)?)?;
    let mut rng = Insecure::seeded(12);
    for _ in 0..500 {
        let released = census.draw(&[0, 3, 1, 0, 0, 250, 2], &mut rng)?;
        let counts = tree.whole(&tree.consistent(&released)?)?;
        let regions =
            [&counts[2][..2], &counts[2][2..6], &counts[2][6..]].map(|towns| towns.iter().sum::<u64>());
        if counts[1] != regions || counts[0] != [regions.iter().sum::<u64>()] {
            return Ok(Finding::refuted(format!("census: {counts:?} does not add up")));
        }
    }
    Ok(Finding::holds("500 published trees add up"))
}

/// The estimates are linear: their weights, one released count after the other, give their bias and
/// variance. None has more variance than the released count.
fn weights_are_best() -> Result<Finding, Error> {
    let tree = Hierarchy::uniform(&[2, 2, 2, 2])?;
    let stated = tree.variances();
    let zero: Vec<Vec<i64>> = stated.iter().map(|level| vec![0; level.len()]).collect();
    let mut variance: Vec<f64> = vec![0.0; stated.len()]; // of the first node of each level
    for (level, nodes) in zero.iter().enumerate() {
        for node in 0..nodes.len() {
            let mut one = zero.clone();
            one[level][node] = 1;
            for (sum, weights) in variance.iter_mut().zip(tree.consistent(&one)?) {
                *sum += weights[0] * weights[0];
            }
        }
    }
    // No bias: exact counts stay.
    let exact = tree.add_up(&[5, 0, 7, 1, 30, 2, 2, 9, 0, 0, 4, 4, 8, 1, 6, 3])?;
    let kept = tree.consistent(&exact)?;
    #[allow(clippy::cast_precision_loss)] // small numbers
    let bias = exact.iter().flatten().zip(kept.iter().flatten()).map(|(a, b)| (*a as f64 - b).abs());
    let bias = bias.fold(0.0, f64::max);
    let agree = variance.iter().zip(&stated).all(|(found, stated)| (found - stated[0]).abs() < 1e-12);
    let better = variance.iter().all(|found| *found < 1.0);
    let detail = format!(
        "least squares on a tree of five levels: no bias, and {:.3} (root) to {:.3} (leaves) of the released variance",
        variance[0],
        variance[variance.len() - 1]
    );
    let points = |values: &[f64]| (0i32..).map(f64::from).zip(values.iter().copied()).collect::<Vec<_>>();
    let figure = Figure::new(
        "A binary tree of counts: the variance of each level, in units of that of the noise",
        Axis::linear("level"),
        Axis::linear("variance"),
    )
    .curve("as released", points(&vec![1.0; variance.len()]))
    .curve("made to add up", points(&variance));
    let finding =
        if agree && better && bias < 1e-9 { Finding::holds(detail) } else { Finding::refuted(detail) };
    Ok(finding.with_figure(figure))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;

    #[test]
    fn a_smaller_promise_is_refuted() {
        assert_eq!(judge(1.0).unwrap().verdict, Verdict::Holds);
        assert_eq!(judge(0.99).unwrap().verdict, Verdict::Refuted);
        assert_eq!(judge(1.5).unwrap().verdict, Verdict::Undecided);
    }
}
