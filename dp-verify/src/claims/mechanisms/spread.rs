//! M2: how far Laplace noise spreads.
//!
//! About [`dp_mechanisms::Laplace`].

use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use crate::grid::in_steps;
use dp_core::rounding::Enclosure;
use dp_core::{Error, Mechanism, Scale};

use super::deviation;
use dp_mechanisms::Laplace;
use dp_mechanisms::rng::Insecure;

pub(super) const M2: Claim = Claim {
    id: "M2",
    source: "Kearns",
    statement: "the standard deviation of Laplace noise of scale b is at most b",
    formula: "claimed: √(E v²) ≤ b for v ~ Lap(b);  true: E|v| = b and √(E v²) = √2·b",
    meaning: "The note takes the mean magnitude of the noise, which is b, for its standard deviation, which is √2 times as large. A partition of the line with \
              certified sums encloses both moments, and 200 000 draws of the real sampler put the second moment above what the note allows, with a stated \
              false-alarm probability. The library's reports of utility use √2·b.",
    kind: Kind::Refutation,
    expected: Verdict::Refuted,
    check: || judge(1.0).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

/// Judges "the standard deviation is at most `claimed` times the scale".
fn judge(claimed: f64) -> Result<Finding, Error> {
    let [mean, square] = [1, 2].map(absolute_moment);
    let noise = Laplace::with_scale(Scale::new(1.0)?);
    let mut rng = Insecure::seeded(2);
    let seen = second_moment_at_least(|| noise.draw(&0.0, &mut rng))?;
    let stated = noise.standard_deviation();
    let detail = format!(
        "at b = 1 a partition shows E|v| ∈ [{:.4}, {:.4}] and E v² ∈ [{:.4}, {:.4}], as for a mean magnitude of b \
         and a standard deviation of √2·b (the library states {stated:.6}); {DRAWS} draws show E v² ≥ {seen:.3} \
         (false alarm {FALSE_ALARM:e})",
        mean.lo(),
        mean.hi(),
        square.lo(),
        square.hi(),
    );
    let limit = claimed * claimed;
    let library_agrees = square.sqrt().contains(stated) && stated * stated >= 2.0;
    let mut library = Vec::new();
    for b in in_steps(0.25, 4.0, 16) {
        library.push((b, Laplace::with_scale(Scale::new(b)?).standard_deviation()));
    }
    let figure =
        Figure::new("Laplace noise of scale b", Axis::linear("b"), Axis::linear("standard deviation"))
            .curve("claimed", in_steps(0.25, 4.0, 16).map(|b| (b, claimed * b)))
            .curve("true: √2·b", library);
    let finding = if square.lo() > limit && seen > limit && library_agrees {
        Finding::refuted(detail)
    } else if square.hi() <= limit {
        Finding::holds(detail)
    } else {
        Finding::undecided(detail)
    };
    Ok(finding.with_figure(figure).with_slack(Slack::over("standard deviation", [claimed / stated])))
}

/// Encloses E|v|^power at b = 1, for a power of one or two; |v| has density e^−t.
///
/// Up to T = 64 the truth lies between the sums over the cells of a partition that take the lower
/// and the upper end of each. Beyond it, ∫ t² e^−t dt = (T² + 2T + 2)·e^−T, and t ≤ t² there.
fn absolute_moment(power: u8) -> Enclosure {
    const CELLS_PER_UNIT: u16 = 64;
    const END: u16 = 64;
    let at = |index: u16| Enclosure::point(f64::from(index) / f64::from(CELLS_PER_UNIT));
    let (mut below, mut above) = (Enclosure::ZERO, Enclosure::ZERO);
    for index in 0..END * CELLS_PER_UNIT {
        let (left, right) = (at(index), at(index + 1));
        let mass = (-left).exp() - (-right).exp();
        let raised = |t: Enclosure| if power == 1 { t } else { t.square() };
        below = below + mass * raised(left);
        above = above + mass * raised(right);
    }
    let end = Enclosure::point(END.into());
    let rest = (end.square() + end + end + Enclosure::point(2.0)) * (-end).exp();
    Enclosure::new(below.lo(), (above + rest).hi())
}

const DRAWS: u32 = 200_000;
const FALSE_ALARM: f64 = 1e-10;

/// A lower confidence bound on E v², from the mean of min(v², 36)/36, which lies in [0, 1].
fn second_moment_at_least(mut draw: impl FnMut() -> Result<f64, Error>) -> Result<f64, Error> {
    const CAP: f64 = 36.0;
    let mut sum = 0.0;
    for _ in 0..DRAWS {
        let v = draw()?;
        sum += (v * v).min(CAP) / CAP;
    }
    Ok(CAP * (sum / f64::from(DRAWS) - deviation(DRAWS, FALSE_ALARM)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_can_say_no() {
        assert_eq!(judge(1.5).unwrap().verdict, Verdict::Holds);
        // The truth itself is out of reach of a partition.
        assert_eq!(judge(2f64.sqrt()).unwrap().verdict, Verdict::Undecided);
        assert_eq!(judge(1.2).unwrap().verdict, Verdict::Refuted);
    }

    #[test]
    fn moments_enclose_the_truth_and_simulation_stays_below_it() {
        assert!(absolute_moment(1).contains(1.0) && absolute_moment(2).contains(2.0));
        assert!(absolute_moment(2).relative_width() < 0.05);
        let narrow = Laplace::with_scale(Scale::new(2f64.sqrt().recip()).unwrap());
        let mut rng = Insecure::seeded(2);
        assert!(second_moment_at_least(|| narrow.draw(&0.0, &mut rng)).unwrap() < 1.0);
    }
}
