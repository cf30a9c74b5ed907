//! M3, M4 and M5: the noise that textbooks give for an (ε,δ) target, against the exact profile.
//!
//! About [`dp_mechanisms::PrintedGaussian`] and [`dp_mechanisms::Gaussian`].

use crate::approx;
use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use crate::grid::in_ratios;
use dp_core::pairs::{DominatingPair, GaussianPair};
use dp_core::rounding::Enclosure;
use dp_core::{AddRemove, Approx, Calibrate, Error, ForGuarantee, L2, Mu, Sensitivity};

use dp_mechanisms::{Formula, Gaussian, PrintedGaussian};

pub(super) const M3: Claim = Claim {
    id: "M3",
    source: "Ottawa Thm 5; Cambridge v1; Harvard 4.1",
    statement: "for ε < 1, f + N(0, σ²) with σ = Δ₂√(2 ln(1.25/δ))/ε is (ε,δ)-DP",
    formula: "σ = Δ₂·√(2 ln(1.25/δ))/ε for 0 < ε < 1",
    meaning: "This is the formula of most textbooks for Gaussian noise with (ε,δ)-privacy. On a grid of 36 targets with ε below one the exact profile of the noise \
              shows that it holds, but wastes: the true δ is far below the promised one, so the same promise can be kept with less noise, much less where δ is large beside ε. The condition ε < 1 is \
              needed, because from about ε = 7 on the formula gives too little noise, and two failures are certified. The library refuses the formula for ε of one \
              and more, and by default takes the least noise that the exact profile allows.",
    kind: Kind::Exact,
    expected: Verdict::Holds,
    check: || or_undecided(judge_classic(1.0)),
};

pub(super) const M4: Claim = Claim {
    id: "M4",
    source: "Cambridge v2",
    statement: "for any ε > 0 and δ < ½, f + N(0, σ²) with c² = 2 ln(2/(√(16δ+1)−1)) and σ = Δ₂(c + √(c²+ε))/(ε√2) is (ε,δ)-DP",
    formula: "c² = 2 ln(2/(√(16δ + 1) − 1)), σ = Δ₂·(c + √(c² + ε))/(ε√2) for ε > 0, δ < ½",
    meaning: "This closed formula works for every ε. On 56 targets from ε = 0.001 to 10 000 the exact profile shows that it holds everywhere, with noise to spare; \
              it would hold even without the factor two in front of the logarithm. The library offers it as a textbook formula, and its own exact calibration needs \
              less noise by the factor that the slack shows as gain.",
    kind: Kind::Exact,
    expected: Verdict::Holds,
    check: || or_undecided(judge_v2(2.0)),
};

pub(super) const M5: Claim = Claim {
    id: "M5",
    source: "Ottawa, Issue 1",
    statement: "σ² > 2Δ ln(1.25/δ)/ε is enough for (ε,δ)-DP",
    formula: "printed: σ² > 2Δ·ln(1.25/δ)/ε;  right: σ² ≥ 2Δ²·ln(1.25/δ)/ε²",
    meaning: "On this slide the sensitivity and ε have lost their squares. The variance is then too small whenever the sensitivity exceeds ε, which is nearly \
              always: for four targets the exact profile of the noise exceeds the promised δ, by factors from two hundred to a million. With the squares all four targets \
              are met. The library has the right formula only.",
    kind: Kind::Refutation,
    expected: Verdict::Refuted,
    check: || or_undecided(judge_powers(1)),
};

fn or_undecided(finding: Result<Finding, Error>) -> Finding {
    finding.unwrap_or_else(|error| Finding::undecided(error.to_string()))
}

const DELTAS: [f64; 6] = [1e-12, 1e-9, 1e-6, 1e-4, 1e-2, 0.3];

/// Encloses the true δ at ε of Gaussian noise whose σ is enclosed, for answers Δ apart. It rises
/// with μ = Δ/σ.
fn true_delta(epsilon: f64, sensitivity: f64, sigma: Enclosure) -> Result<Enclosure, Error> {
    let mu = Enclosure::point(sensitivity) / sigma;
    let at = |mu: f64| Ok(GaussianPair::new(Mu::new(mu)?).delta(epsilon));
    Ok(Enclosure::new(at(mu.lo())?.lo(), at(mu.hi())?.hi()))
}

/// How a formula does on a grid of targets.
struct Survey {
    /// A target that is certainly missed, with the true δ.
    missed: Option<(Approx, Enclosure)>,
    /// Whether every target is certainly met.
    met: bool,
    /// The promised δ over the true one, for each target.
    room: Vec<f64>,
    /// The smallest and the largest factor by which σ exceeds the least one.
    excess: (f64, f64),
    targets: usize,
}

/// Tries a formula for σ at Δ = 1 on all its targets.
fn survey(
    targets: impl IntoIterator<Item = (f64, f64)>,
    formula: impl Fn(f64, f64) -> Enclosure,
) -> Result<Survey, Error> {
    let mut survey =
        Survey { missed: None, met: true, room: Vec::new(), excess: (f64::INFINITY, 0.0), targets: 0 };
    for (epsilon, delta) in targets {
        let target = approx(epsilon, delta)?;
        let (sigma, least) =
            (formula(epsilon, delta), Gaussian::for_guarantee(&target, unit()?)?.scale().get());
        let truth = true_delta(epsilon, 1.0, sigma)?;
        if truth.lo() > delta {
            survey.missed = Some((target, truth));
        }
        survey.met &= truth.hi() <= delta;
        survey.room.push(delta / truth.hi());
        let excess = sigma.hi() / least;
        survey.excess = (survey.excess.0.min(excess), survey.excess.1.max(excess));
        survey.targets += 1;
    }
    Ok(survey)
}

impl Survey {
    /// The room over all targets, and what the exact calibration saves.
    fn slack(&self) -> Slack {
        Slack::over("δ", self.room.iter().copied()).with_gain(self.excess.1)
    }

    /// The largest share of δ that is used.
    fn used(&self) -> f64 {
        1.0 / self.slack().least
    }
}

/// The promised and the true δ of one or more formulas at Δ = 1, over ε.
fn picture(
    (first, last): (f64, f64),
    delta: f64,
    formulas: &[(&str, &dyn Fn(f64) -> Enclosure)],
) -> Result<Figure, Error> {
    let along = || in_ratios(first, last, 41);
    let title = format!("Gaussian noise for δ = {delta:e} at Δ = 1");
    let mut figure = Figure::new(title, Axis::logarithmic("ε"), Axis::logarithmic("δ"))
        .curve("claimed", along().map(|epsilon| (epsilon, delta)));
    for (name, sigma) in formulas {
        let mut points = Vec::new();
        for epsilon in along() {
            points.push((epsilon, true_delta(epsilon, 1.0, sigma(epsilon))?.hi()));
        }
        figure = figure.curve(*name, points);
    }
    Ok(figure)
}

fn unit() -> Result<Sensitivity<L2, AddRemove>, Error> {
    Sensitivity::new(1.0)
}

/// What a survey says of "all targets are met", if the library uses the same formula.
fn verdict(survey: &Survey, library_agrees: bool, remark: &str) -> Finding {
    let (Survey { excess: (fewest, most), targets, .. }, used) = (survey, survey.used());
    let detail = match survey.missed {
        Some((target, truth)) => format!("{target} is missed: the true δ is at least {:e}", truth.lo()),
        None => format!(
            "{targets} targets (ε,δ): the true δ is at most {used:.3} of the promised one, and σ is {fewest:.2} to {most:.0} times the least; {remark}"
        ),
    };
    let finding = if survey.missed.is_some() {
        Finding::refuted(detail)
    } else if survey.met && library_agrees {
        Finding::holds(detail)
    } else {
        Finding::undecided(detail)
    };
    finding.with_slack(survey.slack())
}

/// Whether a calibration of the library has the σ of a formula, to a part in 10¹², and not less.
fn agrees(calibration: Result<PrintedGaussian, Error>, formula: Enclosure) -> Result<bool, Error> {
    let sigma = calibration?.calibrate(unit()?)?.0.scale().get();
    Ok(formula.lo() <= sigma && sigma <= formula.hi() * (1.0 + 1e-12))
}

fn classic(epsilon: f64, delta: f64, power: i32) -> impl Fn(f64) -> Enclosure {
    move |sensitivity| {
        let ratio = Enclosure::point(sensitivity) / Enclosure::point(epsilon);
        let ratio = if power == 1 { ratio } else { ratio.square() };
        let log = (Enclosure::point(1.25) / Enclosure::point(delta)).ln();
        (Enclosure::point(2.0) * ratio * log).sqrt()
    }
}

/// Judges the classic formula with σ multiplied by `share`.
fn judge_classic(share: f64) -> Result<Finding, Error> {
    const EPSILONS: [f64; 6] = [1e-3, 0.01, 0.1, 0.5, 0.9, 0.999];
    let formula = |epsilon: f64, delta: f64| classic(epsilon, delta, 2)(1.0) * Enclosure::point(share);
    let survey = survey(grid(&EPSILONS), formula)?;
    // Beyond ε = 1 the formula fails, and the library refuses it.
    let beyond = [(8.0, 1e-3), (10.0, 1e-5)];
    let (mut certified, mut refused) = (true, true);
    let mut failures = Vec::new();
    for (epsilon, delta) in beyond {
        let truth = true_delta(epsilon, 1.0, formula(epsilon, delta))?;
        certified &= truth.lo() > delta;
        refused &= Gaussian::printed(epsilon, delta, Formula::Classic).is_err();
        failures.push(format!("{:.2e} instead of {delta:e} at ε = {epsilon}", truth.lo()));
    }
    let agree = agrees(Gaussian::printed(0.5, 1e-6, Formula::Classic), formula(0.5, 1e-6))?;
    let remark = format!("beyond ε = 1, where it is refused, the true δ is {}", failures.join(" and "));
    let figure =
        picture((0.01, 30.0), 1e-5, &[("true, with the classic σ", &|epsilon| formula(epsilon, 1e-5))])?;
    Ok(verdict(&survey, agree && certified && refused, &remark).with_figure(figure))
}

/// Judges the second formula with c² = `factor`·ln(2/(√(16δ+1)−1)).
fn judge_v2(factor: f64) -> Result<Finding, Error> {
    const EPSILONS: [f64; 8] = [1e-3, 0.1, 0.5, 1.0, 3.0, 10.0, 100.0, 1e4];
    let formula = |factor: f64| {
        move |epsilon: f64, delta: f64| {
            let [epsilon, delta] = [epsilon, delta].map(Enclosure::point);
            let root = (Enclosure::point(16.0) * delta + Enclosure::ONE).sqrt();
            let square = Enclosure::point(factor) * (Enclosure::point(2.0) / (root - Enclosure::ONE)).ln();
            (square.sqrt() + (square + epsilon).sqrt()) / (epsilon * Enclosure::point(2.0).sqrt())
        }
    };
    let deltas = || grid(&EPSILONS).chain(EPSILONS.map(|epsilon| (epsilon, 0.499)));
    let (printed, sharper) = (survey(deltas(), formula(factor))?, survey(deltas(), formula(1.0))?);
    let agree = agrees(Gaussian::printed(0.5, 1e-6, Formula::Lecture), formula(2.0)(0.5, 1e-6))?;
    let remark = format!(
        "without the 2 in c² it holds too, at {:.3} of δ and from {:.2} times the least σ on",
        sharper.used(),
        sharper.excess.0
    );
    let figure = picture(
        (1e-3, 100.0),
        1e-5,
        &[
            ("true, with the printed σ", &|epsilon| formula(factor)(epsilon, 1e-5)),
            ("true, without the 2 in c²", &|epsilon| formula(1.0)(epsilon, 1e-5)),
        ],
    )?;
    Ok(verdict(&printed, agree && sharper.met, &remark).with_figure(figure))
}

fn grid(epsilons: &[f64]) -> impl Iterator<Item = (f64, f64)> {
    epsilons.iter().flat_map(|epsilon| DELTAS.map(|delta| (*epsilon, delta)))
}

/// Judges σ² = 2(Δ/ε)^power·ln(1.25/δ). The squares are what M3 has.
fn judge_powers(power: i32) -> Result<Finding, Error> {
    const TARGETS: [(f64, f64, f64); 4] =
        [(0.1, 1e-5, 1.0), (0.5, 1e-6, 10.0), (0.9, 1e-3, 100.0), (0.01, 1e-9, 0.5)];
    let (mut failures, mut kept, mut corrected) = (0, 0, true);
    let (mut details, mut ratios) = (Vec::new(), Vec::new());
    for (epsilon, delta, sensitivity) in TARGETS {
        let truth = true_delta(epsilon, sensitivity, classic(epsilon, delta, power)(sensitivity))?;
        let squared = true_delta(epsilon, sensitivity, classic(epsilon, delta, 2)(sensitivity))?;
        failures += usize::from(truth.lo() > delta);
        kept += usize::from(truth.hi() <= delta);
        corrected &= squared.hi() <= delta;
        ratios.push(delta / truth.hi());
        details.push(format!(
            "ε = {epsilon}, δ = {delta:e}, Δ = {sensitivity}: the true δ is {:.2e}, and {:.2e} with Δ² and ε²",
            truth.lo(),
            squared.hi()
        ));
    }
    let detail = details.join("; ");
    let figure = picture(
        (0.01, 1.0),
        1e-5,
        &[
            ("true, as printed", &|epsilon| classic(epsilon, 1e-5, power)(1.0)),
            ("true, with the squares", &|epsilon| classic(epsilon, 1e-5, 2)(1.0)),
        ],
    )?;
    let finding = if failures == TARGETS.len() && corrected {
        Finding::refuted(detail)
    } else if kept == TARGETS.len() {
        Finding::holds(detail)
    } else {
        Finding::undecided(detail)
    };
    Ok(finding.with_figure(figure).with_slack(Slack::over("δ", ratios)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_little_noise_is_refuted() {
        assert_eq!(judge_classic(0.5).unwrap().verdict, Verdict::Refuted);
        assert_eq!(judge_v2(0.3).unwrap().verdict, Verdict::Refuted);
        assert_eq!(judge_powers(2).unwrap().verdict, Verdict::Holds);
    }

    #[test]
    fn a_library_with_another_formula_is_noticed() {
        let other = |share: f64| {
            let formula = classic(0.5, 1e-6, 2)(1.0) * Enclosure::point(share);
            agrees(Gaussian::printed(0.5, 1e-6, Formula::Classic), formula).unwrap()
        };
        assert!(other(1.0) && !other(1.01) && !other(0.99));
    }
}
