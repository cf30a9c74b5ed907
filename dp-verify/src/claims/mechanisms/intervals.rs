//! I1: intervals cover the exact answer.
//!
//! About [`dp_core::WithInterval`].

use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use crate::grid::in_steps;
use dp_core::interval::{Confidence, ConfidenceInterval};
use dp_core::normal::upper_tail;
use dp_core::rounding::Enclosure;
use dp_core::{Error, ErrorBound, Scale, WithInterval};

use dp_mechanisms::{Gaussian, Laplace};

pub(super) const I1: Claim = Claim {
    id: "I1",
    source: "this library",
    statement: "the interval of a release covers the exact answer with the stated confidence, rounding included, and hardly more often",
    formula: "1 − β ≤ Pr(a ∈ I(round(a + Z))) ≤ 1 − β + 0.02, the upper bound on the default grid",
    meaning: "A release is the point of a grid that is nearest to answer + noise, so an interval must make room for half a step beside the noise. For Laplace and \
              Gaussian noise, on fine and coarse grids and for answers anywhere between two points, the probability that the interval covers the answer was \
              computed exactly: it is a difference of two values of the distribution function. It is never below the confidence, and on the default grid it is \
              that confidence to a millionth.",
    kind: Kind::Exact,
    expected: Verdict::Holds,
    check: || judge(1.0).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

/// Noise with an enclosed tail.
pub(crate) trait Known:
    ErrorBound + WithInterval<Released = f64, Interval = ConfidenceInterval>
{
    /// Encloses Pr(Z > z).
    fn above(&self, z: f64) -> Enclosure;
}

impl Known for Laplace {
    fn above(&self, z: f64) -> Enclosure {
        let half = Enclosure::point(0.5);
        let tail = half * (-(Enclosure::point(z.abs()) / Enclosure::point(self.scale().get()))).exp();
        if z >= 0.0 { tail } else { Enclosure::ONE - tail }
    }
}

impl Known for Gaussian {
    fn above(&self, z: f64) -> Enclosure {
        upper_tail(Enclosure::point(z) / Enclosure::point(self.scale().get()))
    }
}

/// Encloses the probability that the released point of a grid of this step is farther than `reach`
/// from the answer.
///
/// A point j·s is released for a + Z between (j ± ½)·s. So the answer is covered for Z between
/// (j₀ − ½)s − a and (j₁ + ½)s − a, j₀·s and j₁·s being the outermost points within reach. (For the
/// powers of two and answers here these numbers are floats, or off by their last digit.)
pub(crate) fn misses(noise: &impl Known, answer: f64, step: f64, reach: f64) -> Enclosure {
    let (first, last) = (((answer - reach) / step).ceil(), ((answer + reach) / step).floor());
    if first > last {
        return Enclosure::ONE;
    }
    let (low, high) = ((first - 0.5) * step - answer, (last + 0.5) * step - answer);
    (noise.above(high) + (Enclosure::ONE - noise.above(low))).probability()
}

/// Judges the intervals of the library with `share` of their half width.
fn judge(share: f64) -> Result<Finding, Error> {
    let one = Scale::new(1.0)?;
    let (mut least, mut most) = (f64::INFINITY, 0.0f64);
    let mut coverage = vec![];
    for confidence in [0.5, 0.9, 0.95, 0.999] {
        let beta = Confidence::new(confidence)?.beta();
        for exponent in [-20, -3, 0, 2] {
            let step = 2f64.powi(exponent);
            let (laplace, gaussian) =
                (Laplace::with_scale(one).on_grid(exponent)?, Gaussian::with_scale(one).on_grid(exponent)?);
            for place in in_steps(0.0, 1.0, 33) {
                let answer = 1024.0 + place * step;
                let found = [
                    covering(&laplace, answer, step, share, confidence)?,
                    covering(&gaussian, answer, step, share, confidence)?,
                ];
                for missed in found {
                    if missed.lo() > beta {
                        return Ok(Finding::refuted(format!(
                            "at the confidence {confidence}, steps of {step} and the answer {answer} the interval misses \
                             with probability {:.6}",
                            missed.lo()
                        )));
                    }
                    least = least.min(beta / missed.hi());
                    if exponent == -20 {
                        most = most.max(beta - missed.lo());
                    }
                }
                if exponent == 2 && confidence == 0.95 {
                    coverage.push((place, 1.0 - found[0].hi()));
                }
            }
        }
    }
    let figure = Figure::new(
        "The interval of Laplace noise of scale 1 on multiples of 4, at a confidence of 95 %",
        Axis::linear("place of the answer between two points"),
        Axis::linear("coverage"),
    )
    .curve("coverage", coverage);
    let detail = format!(
        "no coverage is below its confidence; on a fine grid none is above it by more than {most:.1e}"
    );
    let finding = if most <= 0.02 { Finding::holds(detail) } else { Finding::undecided(detail) };
    Ok(finding.with_figure(figure).with_slack(Slack::over("β", [least])))
}

/// The probability that the answer is missed, if the interval had a share of its width.
fn covering(
    noise: &impl Known,
    answer: f64,
    step: f64,
    share: f64,
    confidence: f64,
) -> Result<Enclosure, Error> {
    let interval = noise.interval(&answer, confidence)?;
    Ok(misses(noise, answer, step, share * (interval.upper() - answer)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrower_intervals_are_refuted() {
        assert_eq!(judge(1.0).unwrap().verdict, Verdict::Holds);
        assert_eq!(judge(0.999).unwrap().verdict, Verdict::Refuted);
        assert_eq!(judge(1.5).unwrap().verdict, Verdict::Undecided);
    }
}
