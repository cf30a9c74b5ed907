//! Claims about queries, their sensitivities, and releases that look first, as `dp_sensitivity` has
//! them.
//!
//! | id | what it says | what is found |
//! |---|---|---|
//! | M9 | the sample variance has sensitivity Λ²/n | holds, and is reached; the population variance has Λ²(n−1)/n² |
//! | M10 | the standard deviation has sensitivity Λ/n | refuted: it is Λ/√n, or Λ√(n−1)/n for the population |
//! | M15 | Lap(2/ε) on every bin is ε-private under replace-one, Lap(1/ε) under add/remove | holds, and is tight; unknown bins take a threshold and a δ |
//! | M17 | the mean has 2b/n, Σx² has b², and noise can make XᵀX indefinite | holds; the first entry of XᵀX is n |
//! | S1 | noise by the local sensitivity is not private | holds: an infinite loss on two medians |
//! | S2, S3 | S* is the least β-smooth bound, and max_k e^(−βk)·A⁽ᵏ⁾ | hold |
//! | S4 | the local sensitivities of the mean | refuted as printed; the library has those of the definition |
//! | S5, S13 | the smooth sensitivity of medians and trimmed means | hold |
//! | S6 | smooth sensitivity repairs S1 | holds |
//! | S7 | Laplace noise on smooth bounds | holds; the true δ is hundreds to thousands of times smaller |
//! | S8, S10 | 1/(1 + \|z\|^γ) and Student's t noise on smooth bounds | hold |
//! | S9 | Gaussian noise on smooth bounds, with the lecture's β | refuted for large ε; the original β holds |
//! | S11, S12 | log-normal and arsinh-normal noise on smooth bounds | hold, with slack |
//! | S14 | 1/max(c, 1) in closed form | holds |
//! | S15 | a stable value, released exactly if its distance to instability passes a test, is (ε,δ)-private | holds |
//! | S16 | propose-test-release is (2ε,δ)-private | holds |
//! | S17 | a private bound on the local sensitivity, then noise for it, is (2ε,δ)-private | holds |
//! | S18 | an edge moves the number of triangles by n−2, by the largest degree, by the common neighbours of a pair | holds, and the local sensitivity at distance s is exact |
//! | S19 | smooth noise is more than global noise | depends on the data |
//! | S23 | an exponential-mechanism quantile has ε-bounded range | holds, and is tight |
//! | S24 | m of them at once take ⌊log₂ m⌋ + 1 times as much, heaps included | holds |
//! | S30, S31 | means and variances of an unknown number of records cost what a count costs | hold, and are tight |
//! | S32 | one answer for each group | holds, and is tight |
//! | S33 | bounds from noisy counts of magnitudes are ε-private | holds |
//! | S34 | bounds that leave a few records out at each end, by the sparse vector technique | holds |
//! | S35 | how far a record moves the scores of listed candidates for a quantile | holds, and is tight |
//!
//! Neighbours of small data sets are listed, all of them. Draws have a fixed seed.

mod deviation;
mod estimates;
mod histograms;
mod ladders;
mod listed_quantiles;
mod many_quantiles;
mod moments;
mod passing;
mod private_bounds;
mod proposals;
mod quantiles;
mod reciprocal;
mod routes;
mod smooth_approx;
mod smooth_bounds;
mod smooth_compared;
mod smooth_concentrated;
mod smooth_pure;
mod stability;
mod tail_bounds;
mod triangles;
mod trimmed;
mod two_medians;
mod unknown_bounds;
mod variance;

use crate::claim::Claim;

/// The claims about queries, in the order of their names.
pub(super) fn all() -> Vec<Claim> {
    vec![
        variance::M9,
        deviation::M10,
        histograms::M15,
        moments::M17,
        two_medians::S1,
        smooth_bounds::S2,
        smooth_bounds::S3,
        ladders::S4,
        ladders::S5,
        two_medians::S6,
        smooth_approx::S7,
        smooth_pure::S8,
        smooth_approx::S9,
        smooth_pure::S10,
        smooth_concentrated::S11,
        smooth_concentrated::S12,
        trimmed::S13,
        reciprocal::S14,
        stability::S15,
        proposals::S16,
        private_bounds::S17,
        triangles::S18,
        smooth_compared::S19,
        quantiles::S23,
        many_quantiles::S24,
        estimates::S30,
        estimates::S31,
        estimates::S32,
        unknown_bounds::S33,
        tail_bounds::S34,
        listed_quantiles::S35,
    ]
}

/// Numbers from one to another, in equal ratios.
fn spaced(from: f64, to: f64, points: u8) -> impl Iterator<Item = f64> {
    let ratio = libm::log(to / from);
    (0..points).map(move |k| from * libm::exp(ratio * f64::from(k) / f64::from(points - 1)))
}

/// All lists of `length` values.
fn lists<T: Copy>(values: &[T], length: usize) -> Vec<Vec<T>> {
    let mut lists = vec![vec![]];
    for _ in 0..length {
        lists = lists
            .into_iter()
            .flat_map(|list| values.iter().map(move |value| [list.as_slice(), &[*value]].concat()))
            .collect();
    }
    lists
}

/// A list, and what it becomes when its first record is replaced by each of the values. Queries do
/// not look at the order, so the first stands for all.
fn replaced<T: Copy>(list: &[T], values: &[T]) -> impl Iterator<Item = Vec<T>> {
    values.iter().map(move |value| [&[*value], &list[1..]].concat())
}

#[cfg(test)]
mod tests {
    use crate::claim::Verdict;

    use super::*;
    use crate::claims::tests::as_expected;

    #[test]
    fn every_claim_finds_what_is_expected() {
        let claims = all();
        for (finding, claim) in as_expected(&claims).into_iter().zip(claims) {
            for curve in finding.figures.iter().flat_map(|figure| &figure.curves) {
                let numbers = curve.points.iter().all(|(x, y)| x.is_finite() && y.is_finite());
                assert!(numbers && curve.points.len() > 1, "{}: {}", claim.id, curve.name);
            }
            if let Some(slack) = finding.slack {
                assert!(
                    slack.least <= slack.most && (slack.least < 1.0) == (claim.expected == Verdict::Refuted),
                    "{}: {slack:?}",
                    claim.id
                );
            }
        }
    }

    #[test]
    fn spaces_are_equal() {
        let found: Vec<f64> = spaced(1.0, 8.0, 4).collect();
        assert!(
            found.iter().zip([1.0, 2.0, 4.0, 8.0]).all(|(a, b)| (a / b - 1.0f64).abs() < 1e-12),
            "{found:?}"
        );
    }

    #[test]
    fn lists_are_complete() {
        assert_eq!(lists(&[0, 1], 2), [[0, 0], [0, 1], [1, 0], [1, 1]]);
        assert!(replaced(&[7, 8], &[1, 2]).eq([vec![1, 8], vec![2, 8]]));
    }
}
