//! M7: "mixed noise", which is Gaussian for small sensitivities.
//!
//! About [`dp_mechanisms::MixedNoise`].

use std::f64::consts::PI;

use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use crate::grid::in_ratios;
use dp_core::pairs::{DominatingPair, GaussianPair, LaplacePair};
use dp_core::rounding::{Enclosure, div_up};
use dp_core::{AddRemove, Calibrate, Epsilon, Error, L1, Mu, Sensitivity};

use dp_mechanisms::{Branch, MixedNoise, MixedTarget};

pub(super) const M7: Claim = Claim {
    id: "M7",
    source: "Ottawa Thm 10",
    statement: "with t₀ = √π·δε/2, noise N(0, 2(Δ/ε)²) for Δ ≤ t₀ and Lap(Δ/ε) for Δ > t₀ is (ε,δ)-DP",
    formula: "claimed: σ = √2·Δ/ε for Δ ≤ t₀ = √π·δε/2 is (ε,δ)-DP;  true: δ(ε) of N(0, 2(Δ/ε)²) depends on ε alone",
    meaning: "The theorem switches to Gaussian noise for small sensitivities, but scales that noise with the sensitivity, so that it is never larger in comparison: \
              what is at stake in telling two neighbours apart stays the same however small the sensitivity is. Its true δ therefore depends on ε alone, 0.0026 at ε \
              = 0.1 and 0.04 at ε = 1, and every smaller δ that one asks for is a counterexample. Four are certified. The library keeps the idea of taking whichever \
              noise costs less, and calibrates the Gaussian branch by the exact profile; its noise keeps all four promises.",
    kind: Kind::Refutation,
    expected: Verdict::Refuted,
    check: || judge(2.0).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

/// Each ε with a δ that the claim promises for it.
const PROMISES: [(f64, f64); 4] = [(0.1, 1e-3), (0.5, 1e-2), (1.0, 1e-2), (2.0, 1e-2)];

/// Judges the Gaussian branch with a variance of `factor`·(Δ/ε)², at a Δ below the threshold.
///
/// The claim is a statement for all ε, δ and Δ: one certified failure refutes it, and all are asked
/// to fail. Then the mixed noise of the library is asked to keep each promise.
fn judge(factor: f64) -> Result<Finding, Error> {
    let (mut details, mut ratios) = (Vec::new(), Vec::new());
    let (mut failures, mut kept) = (0, 0);
    for (epsilon, promised) in PROMISES {
        let branch = gaussian_branch(factor, epsilon, promised)?;
        // By variance Laplace noise is cheaper here; far out in the tails Gaussian noise is.
        let kept_by = |target| keeps(target, epsilon, promised, branch.sensitivity);
        let (by_variance, laplace) = kept_by(MixedNoise::epsilon_delta(epsilon, promised)?)?;
        let (by_error, gaussian) = kept_by(MixedNoise::least_error(epsilon, promised, 1e-30)?)?;
        let works = by_variance && by_error;
        failures += usize::from(branch.delta.lo() > promised && works);
        kept += usize::from(branch.delta.hi() <= promised);
        ratios.push(promised / branch.delta.hi());
        details.push(format!(
            "ε = {epsilon}, δ = {promised}, Δ = {:.3e}: the claimed σ = {:.3e} has δ ≥ {:.4e}; {laplace} and {gaussian} keep it",
            branch.sensitivity,
            branch.sigma.hi(),
            branch.delta.lo(),
        ));
    }
    let detail = details.join("; ");
    let finding = if failures == PROMISES.len() {
        Finding::refuted(detail)
    } else if kept == PROMISES.len() {
        Finding::holds(detail)
    } else {
        Finding::undecided(detail)
    };
    Ok(finding.with_figure(picture(factor)?).with_slack(Slack::over("δ", ratios)))
}

/// The promise of 10⁻³ over ε, and what the Gaussian branches of the lecture and of the library
/// have.
fn picture(factor: f64) -> Result<Figure, Error> {
    const PROMISED: f64 = 1e-3;
    let [mut promised, mut lecture, mut library] = [Vec::new(), Vec::new(), Vec::new()];
    for epsilon in in_ratios(0.02, 4.0, 33) {
        promised.push((epsilon, PROMISED));
        lecture.push((epsilon, gaussian_branch(factor, epsilon, PROMISED)?.delta.hi()));
        let by = Sensitivity::<L1, AddRemove>::new(1.0)?;
        if let Branch::Gaussian(noise) =
            MixedNoise::least_error(epsilon, PROMISED, 1e-30)?.calibrate(by)?.0.branch()
        {
            library.push((epsilon, delta_of(div_up(1.0 - 1e-12, noise.scale().get()), epsilon)?.hi()));
        }
    }
    Ok(Figure::new("The Gaussian branch for δ = 10⁻³", Axis::logarithmic("ε"), Axis::logarithmic("δ"))
        .curve("claimed", promised)
        .curve("true, with the lecture's noise", lecture)
        .curve("true, with the library's noise", library))
}

/// The Gaussian branch at half of the threshold.
struct Claimed {
    sensitivity: f64,
    sigma: Enclosure,
    /// Encloses the true δ at ε.
    delta: Enclosure,
}

fn gaussian_branch(factor: f64, epsilon: f64, delta: f64) -> Result<Claimed, Error> {
    let pi = Enclosure::new(PI.next_down(), PI.next_up());
    let threshold = pi.sqrt() * Enclosure::point(delta) * Enclosure::point(epsilon) * Enclosure::point(0.5);
    let sensitivity = threshold.lo() / 2.0;
    let sigma = Enclosure::point(factor).sqrt() * Enclosure::point(sensitivity) / Enclosure::point(epsilon);
    // μ = Δ/σ = ε/√factor, whatever Δ and δ: that is why the promise cannot be kept for all δ.
    let mu = Enclosure::point(sensitivity) / sigma;
    // More distance is easier to tell: δ rises with μ.
    let true_delta = Enclosure::new(delta_of(mu.lo(), epsilon)?.lo(), delta_of(mu.hi(), epsilon)?.hi());
    Ok(Claimed { sensitivity, sigma, delta: true_delta })
}

fn delta_of(mu: f64, epsilon: f64) -> Result<Enclosure, Error> {
    Ok(GaussianPair::new(Mu::new(mu)?).delta(epsilon))
}

/// Whether mixed noise keeps a promise for answers Δ apart, and what it is.
///
/// The exact profile is taken a part in 10¹² below Δ: there the rounding of Δ/scale upwards, which
/// is the check's and not the noise's, does not matter.
fn keeps(target: MixedTarget, epsilon: f64, delta: f64, sensitivity: f64) -> Result<(bool, String), Error> {
    let (noise, _) = target.calibrate(Sensitivity::<L1, AddRemove>::new(sensitivity)?)?;
    let distance = |scale: f64| div_up(sensitivity * (1.0 - 1e-12), scale);
    let (found, name) = match noise.branch() {
        Branch::Laplace(noise) => {
            let shift = Epsilon::new(distance(noise.scale().get()))?;
            (
                LaplacePair::new(shift).delta(epsilon),
                format!("Laplace noise of b = {:.3e}", noise.scale().get()),
            )
        }
        Branch::Gaussian(noise) => (
            delta_of(distance(noise.scale().get()), epsilon)?,
            format!("Gaussian noise of σ = {:.3e}", noise.scale().get()),
        ),
    };
    Ok((found.hi() <= delta, name))
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
    fn mixed_noise_for_another_promise_does_not_keep_this_one() {
        for (epsilon, delta) in [(1.0, 0.01), (0.2, 0.09)] {
            let target = |delta| MixedNoise::epsilon_delta(epsilon, delta).unwrap();
            assert!(keeps(target(delta), epsilon, delta, 1.0).unwrap().0);
            assert!(!keeps(target(delta * 1.001), epsilon, delta, 1.0).unwrap().0);
        }
        // One of each kind.
        assert!(
            keeps(MixedNoise::epsilon_delta(1.0, 0.01).unwrap(), 1.0, 0.01, 1.0)
                .unwrap()
                .1
                .starts_with("Laplace")
        );
        assert!(
            keeps(MixedNoise::epsilon_delta(0.2, 0.09).unwrap(), 0.2, 0.09, 1.0)
                .unwrap()
                .1
                .starts_with("Gaussian")
        );
    }
}
