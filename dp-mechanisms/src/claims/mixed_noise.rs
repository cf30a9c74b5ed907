//! M7: "mixed noise", which is Gaussian for small sensitivities.

use std::f64::consts::PI;

use dp_core::claims::{Claim, Finding, Kind, Verdict};
use dp_core::pairs::{DominatingPair, GaussianPair};
use dp_core::rounding::Enclosure;
use dp_core::{Error, Mu};

pub(super) const M7: Claim = Claim {
    id: "M7",
    source: "Ottawa Thm 10",
    statement: "with t₀ = √π·δε/2, noise N(0, 2(Δ/ε)²) for Δ ≤ t₀ and Lap(Δ/ε) for Δ > t₀ is (ε,δ)-DP",
    kind: Kind::Refutation,
    expected: Verdict::Refuted,
    check: || judge(2.0).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

/// Each ε with a δ that the claim promises for it.
const PROMISES: [(f64, f64); 4] = [(0.1, 1e-3), (0.5, 1e-2), (1.0, 1e-2), (2.0, 1e-2)];

/// Judges the Gaussian branch with a variance of `factor`·(Δ/ε)², at a Δ below the threshold.
///
/// The claim is a statement for all ε, δ and Δ: one certified failure refutes it, and all are asked to fail.
/// Then the least noise that does keep each promise is searched for.
fn judge(factor: f64) -> Result<Finding, Error> {
    let mut details = Vec::new();
    let (mut failures, mut kept) = (0, 0);
    for (epsilon, promised) in PROMISES {
        let branch = gaussian_branch(factor, epsilon, promised)?;
        let mu = largest_sufficient_mu(epsilon, promised)?;
        let enough = Enclosure::point(branch.sensitivity) / Enclosure::point(mu);
        let works = mu > 0.0 && delta_of(mu, epsilon)?.hi() <= promised;
        failures += usize::from(branch.delta.lo() > promised && works);
        kept += usize::from(branch.delta.hi() <= promised);
        details.push(format!(
            "ε = {epsilon}, δ = {promised}, Δ = {:.3e}: the claimed σ = {:.3e} has δ ≥ {:.4e}; σ = {:.3e} keeps δ",
            branch.sensitivity,
            branch.sigma.hi(),
            branch.delta.lo(),
            enough.hi(),
        ));
    }
    let detail = details.join("; ");
    Ok(if failures == PROMISES.len() {
        Finding::refuted(detail)
    } else if kept == PROMISES.len() {
        Finding::holds(detail)
    } else {
        Finding::undecided(detail)
    })
}

/// The Gaussian branch at half of the threshold.
struct Branch {
    sensitivity: f64,
    sigma: Enclosure,
    /// Encloses the true δ at ε.
    delta: Enclosure,
}

fn gaussian_branch(factor: f64, epsilon: f64, delta: f64) -> Result<Branch, Error> {
    let pi = Enclosure::new(PI.next_down(), PI.next_up());
    let threshold = pi.sqrt() * Enclosure::point(delta) * Enclosure::point(epsilon) * Enclosure::point(0.5);
    let sensitivity = threshold.lo() / 2.0;
    let sigma = Enclosure::point(factor).sqrt() * Enclosure::point(sensitivity) / Enclosure::point(epsilon);
    // μ = Δ/σ = ε/√factor, whatever Δ and δ: that is why the promise cannot be kept for all δ.
    let mu = Enclosure::point(sensitivity) / sigma;
    // More distance is easier to tell: δ rises with μ.
    let true_delta = Enclosure::new(delta_of(mu.lo(), epsilon)?.lo(), delta_of(mu.hi(), epsilon)?.hi());
    Ok(Branch { sensitivity, sigma, delta: true_delta })
}

fn delta_of(mu: f64, epsilon: f64) -> Result<Enclosure, Error> {
    Ok(GaussianPair::new(Mu::new(mu)?).delta(epsilon))
}

/// The largest μ = Δ/σ, to a relative 2⁻⁵⁰, whose δ at ε is certainly at most `delta`, by bisection.
fn largest_sufficient_mu(epsilon: f64, delta: f64) -> Result<f64, Error> {
    let (mut enough, mut too_much) = (0.0, 16.0);
    for _ in 0..60 {
        let middle = f64::midpoint(enough, too_much);
        if delta_of(middle, epsilon)?.hi() <= delta {
            enough = middle;
        } else {
            too_much = middle;
        }
    }
    Ok(enough)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_true_delta_does_not_depend_on_the_promise() {
        for (epsilon, truth) in [(0.1, 2.64e-3), (0.5, 1.60e-2), (1.0, 3.96e-2), (2.0, 0.1145)] {
            for promised in [1e-2, 1e-6, 1e-12] {
                let delta = gaussian_branch(2.0, epsilon, promised).unwrap().delta;
                assert!(
                    delta.relative_width() < 1e-9 && (delta.lo() / truth - 1.0).abs() < 5e-3,
                    "{epsilon}: {delta}"
                );
            }
        }
        assert!(gaussian_branch(2.0, 1.0, 0.01).unwrap().delta.lo() > 0.0395);
    }

    #[test]
    fn enough_noise_is_not_refuted() {
        assert_eq!(judge(100.0).unwrap().verdict, Verdict::Holds);
        assert_eq!(judge(2.0).unwrap().verdict, Verdict::Refuted);
        assert_eq!(judge(4.0).unwrap().verdict, Verdict::Undecided); // keeps some promises
    }

    #[test]
    fn the_noise_that_is_found_is_the_least() {
        let mu = largest_sufficient_mu(1.0, 0.01).unwrap();
        assert!(delta_of(mu, 1.0).unwrap().hi() <= 0.01);
        assert!(delta_of(mu * (1.0 + 1e-9), 1.0).unwrap().lo() > 0.01);
    }
}
