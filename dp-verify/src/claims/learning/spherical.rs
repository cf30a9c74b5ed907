//! L13: noise that looks the same from all sides.
//!
//! About [`dp_ml::SphericalLaplace`].

use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use dp_core::{AddRemove, Error, ForGuarantee, L2, Mechanism, Pure, Scale, Sensitivity};
use dp_mechanisms::rng::Insecure;
use dp_ml::SphericalLaplace;

use super::count;

pub(super) const L13: Claim = Claim {
    id: "L13",
    source: "literature (Chaudhuri, Monteleoni and Sarwate 2011)",
    statement: "noise on a vector with a density in proportion to e^(−‖v‖/b) is (Δ₂/b)-private; it is √T·Z for d normals Z and a χ² T with d + 1 degrees of freedom, and its length is Gamma(d)",
    formula: "f(v) ∝ e^(−‖v‖/b), E‖V‖ = d·b;  V = b·√T·Z, T ~ χ²(d+1)",
    meaning: "Laplace noise on each coordinate pays for the sum of the distances, this noise for the straight distance, which may be √d times as small. A sampler needs the right length: a random direction with the length of one Laplace number is not private at all, for it piles up around the answer. \
              The density of √T·Z was integrated for up to eight coordinates: it falls by e for each unit of length, with d + 1 degrees of freedom and with no others. Lengths that the library draws are d on average. The picture compares the errors of both noises where each record moves one coordinate in d by as much as it likes.",
    kind: Kind::Algebraic,
    expected: Verdict::Holds,
    check: || {
        judge(|coordinates| coordinates + 1).unwrap_or_else(|error| Finding::undecided(error.to_string()))
    },
};

/// Judges a number of degrees of freedom.
fn judge(degrees: fn(usize) -> usize) -> Result<Finding, Error> {
    let mut largest = 0.0f64;
    for coordinates in 1..=8 {
        let density = |length| mixture(coordinates, degrees(coordinates), length).ln();
        for length in [0.2, 0.5, 1.0, 2.0, 5.0, 12.0] {
            let slope = (density(length + 0.5) - density(length)) / 0.5;
            largest = largest.max((slope + 1.0).abs());
            if largest > 1e-6 {
                return Ok(Finding::refuted(format!(
                    "with {coordinates} coordinates the density falls by e^{slope:.4} for a unit of length at {length}"
                )));
            }
        }
    }
    let (moved, mut ratios) = (Sensitivity::<L2, AddRemove>::new(3.0)?, vec![]);
    let noise = SphericalLaplace::for_guarantee(&Pure::new(0.5)?, moved)?;
    if noise.guarantee(moved).epsilon().get() != 0.5 || noise.scale().get() != 6.0 {
        return Ok(Finding::undecided(format!("the library's noise for ε = 0.5 is {noise:?}")));
    }
    let (mut rng, draws) = (Insecure::seeded(13), 4000);
    let noise = SphericalLaplace::with_scale(Scale::new(1.0)?);
    for coordinates in [1, 2, 5, 40] {
        let mut sum = 0.0;
        for _ in 0..draws {
            sum += noise.draw(&vec![0.0; coordinates], &mut rng)?.iter().map(|x| x * x).sum::<f64>().sqrt();
        }
        let (mean, ideal) = (sum / count(draws), count(coordinates));
        // Six standard deviations: a false alarm on one seed in 10⁸.
        if (mean - ideal).abs() > 6.0 * (ideal / count(draws)).sqrt() {
            return Ok(Finding::undecided(format!("{coordinates} coordinates have a mean length of {mean}")));
        }
        ratios.push((2.0 * count(coordinates) * ideal).sqrt() / (count(coordinates) + 1.0).sqrt());
    }
    let gain = ratios.iter().fold(0.0f64, |most, ratio| most.max(*ratio));
    let detail = format!(
        "densities up to 8 coordinates fall by e for each unit, up to {largest:.0e}; lengths of {draws} draws are d on average"
    );
    Ok(Finding::holds(detail).with_figure(picture()).with_slack(Slack::over("ε", [1.0]).with_gain(gain)))
}

/// The density of √T·Z at a length, T having a χ² law: ∫ (2πt)^(−d/2)·e^(−r²/2t) dχ²(t), up to the
/// factors that the length does not change, by the trapezoidal rule in ln t.
fn mixture(coordinates: usize, degrees: usize, length: f64) -> f64 {
    let (half, other) = (0.5 * count(coordinates), 0.5 * count(degrees));
    let term = |k: i32| {
        let t = (f64::from(k) * 0.02).exp();
        (-length * length / (2.0 * t) - 0.5 * t).exp() * t.powf(other - half)
    };
    (-1000..400).map(term).sum()
}

/// Standard deviations for a Euclidean distance of 1 at ε = 1, where the ℓ1 distance is √d.
fn picture() -> Figure {
    let dimensions = || (1..=64).map(f64::from);
    Figure::new(
        "Noise on a vector that a record moves by 1 in Euclidean distance, ε = 1",
        Axis::linear("coordinates"),
        Axis::linear("standard deviation of one"),
    )
    .curve("Laplace noise on each", dimensions().map(|d| (d, (2.0 * d).sqrt())))
    .curve("spherical", dimensions().map(|d| (d, (d + 1.0).sqrt())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_lengths_are_noticed() {
        assert_eq!(judge(|d| d + 1).unwrap().verdict, Verdict::Holds);
        assert_eq!(judge(|d| d).unwrap().verdict, Verdict::Refuted);
        assert_eq!(judge(|_| 2).unwrap().verdict, Verdict::Refuted);
    }
}
