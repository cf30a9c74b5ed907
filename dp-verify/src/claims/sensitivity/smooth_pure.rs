//! S8, S10: noise in proportion to a smooth bound with pure guarantees.
//!
//! About [`dp_sensitivity::smooth::PolynomialTail`] and [`dp_sensitivity::smooth::SmoothStudentT`].

use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use dp_core::rounding::Enclosure;
use dp_mechanisms::sample::PolynomialTailLaw;

use super::spaced;
use dp_sensitivity::internals::smooth::loses_at_most;
use dp_sensitivity::smooth::{self, SmoothNoise};

pub(super) const S8: Claim = Claim {
    id: "S8",
    source: "Ottawa, smooth sensitivity",
    statement: "noise of density 1/(1 + |z|^γ), γ > 1, times 2(γ+1)·S/ε is ε-private for β ≤ ε/(2(γ+1))",
    formula: "sup ln p/q ≤ ε for density ∝ 1/(1 + |z|^γ), β = ε/(2(γ+1)), scale 2(γ+1)S/ε",
    meaning: "Noise whose tails fall like a power hides both a shift and a change of its own scale, without any δ. \
         The largest loss was bounded from above with the full shift and both ends of the ratios, and bounded from below on a grid of outcomes. The theorem holds and is loose: for γ = 2 a quarter of ε is really lost, for γ = 10 seven tenths. \
         The library offers the printed calibration and, by default, the least multiple that the exact loss allows.",
    kind: Kind::Exact,
    expected: Verdict::Holds,
    check: || powers(1.0),
};

pub(super) const S10: Claim = Claim {
    id: "S10",
    source: "Wang, admissible noise",
    statement: "Student's t noise with d degrees of freedom, of scale S/s, is ε-private for ε = β(d+1) + s(d+1)/(2√d)",
    formula: "sup ln p/q ≤ β(d+1) + s(d+1)/(2√d) for Student’s t of scale S/s",
    meaning: "Student's t has tails like a power, so it can carry noise in proportion to a smooth bound under pure privacy; with one degree of freedom it is Cauchy noise. \
         Its largest loss has a closed form, which was evaluated with rigorous rounding for degrees from one to ten and all ratios of scales. It stays below the claim, by less the larger the shift is. \
         The library uses the closed form to find the least noise, and keeps the printed theorem beside it.",
    kind: Kind::Exact,
    expected: Verdict::Holds,
    check: || student(1.0),
};

/// How far below the claim the true losses lie.
#[derive(Clone, Copy)]
struct Shares {
    least: f64,
    most: f64,
}

impl Shares {
    const NONE: Self = Self { least: f64::INFINITY, most: 0.0 };

    fn with(self, share: f64) -> Self {
        Self { least: self.least.min(share), most: self.most.max(share) }
    }

    fn slack(self, gain: Option<f64>) -> Slack {
        Slack { quantity: "ε", least: 1.0 / self.most, most: 1.0 / self.least, gain }
    }
}

/// Judges "`factor`·ε" for the density 1/(1 + |z|^γ).
fn powers(factor: f64) -> Finding {
    let (mut lines, mut all) = (Vec::new(), Shares::NONE);
    for gamma in [1.5, 2.0, 4.0, 10.0] {
        let Ok(law) = PolynomialTailLaw::new(gamma) else { return Finding::undecided("no such law") };
        let mut shares = Shares::NONE;
        for epsilon in [0.1, 1.0, 4.0] {
            let both = Enclosure::point(epsilon) / Enclosure::point(2.0 * (gamma + 1.0)); // β, and the shift in units of the scale
            let claimed = Enclosure::point(epsilon * factor);
            if ![-both, both].into_iter().all(|lambda| loses_at_most(&law, claimed, both, lambda, 1000)) {
                let reached = largest_seen(gamma, both);
                let detail = format!(
                    "γ = {gamma}, ε = {epsilon}: a loss of {reached:.4} is reached, {:.4} is claimed",
                    claimed.lo()
                );
                return if reached > claimed.hi() {
                    Finding::refuted(detail)
                } else {
                    Finding::undecided(detail)
                };
            }
            let share = largest_seen(gamma, both) / epsilon;
            (shares, all) = (shares.with(share), all.with(share));
        }
        lines.push(format!("γ = {gamma}: {:.2} to {:.2}", shares.least, shares.most));
    }
    Finding::holds(format!(
        "the full shift and both ends of the ratios lose at most ε; as shares of ε they reach, for {}",
        lines.join(", ")
    ))
    .with_figure(over_powers(factor))
    .with_slack(all.slack(smooth::PolynomialTail::with_gamma(1.0, 4.0).map(|noise| noise.gain()).ok()))
}

/// The loss that is reached at ε = 1, for all γ.
fn over_powers(factor: f64) -> Figure {
    let gammas: Vec<f64> = spaced(1.1, 30.0, 21).collect();
    let reached = |gamma: f64| largest_seen(gamma, Enclosure::ONE / Enclosure::point(2.0 * (gamma + 1.0)));
    let title = "The loss of noise of density 1/(1 + |z|^γ) at ε = 1, for the worst neighbours";
    Figure::new(title, Axis::logarithmic("γ"), Axis::linear("ε"))
        .curve("claimed", gammas.iter().map(|gamma| (*gamma, factor)))
        .curve("reached", gammas.iter().map(|gamma| (*gamma, reached(*gamma))))
}

/// The largest loss that is surely reached on a grid of outcomes, with the full shift and either
/// end of the ratios.
fn largest_seen(gamma: f64, both: Enclosure) -> f64 {
    let phi = |z: Enclosure| (Enclosure::point(gamma) * z.max(-z).ln()).exp().ln_1p();
    let mut most = 0.0f64;
    for lambda in [-both, both] {
        let shift = both * lambda.min(Enclosure::ZERO).exp(); // at most the smaller of both bounds
        for j in -400..400i32 {
            let z = Enclosure::point((f64::from(j) * 0.02 + 0.005).sinh());
            most = most.max((lambda + phi((z - shift) * (-lambda).exp()) - phi(z)).lo());
        }
    }
    most
}

/// Judges "`factor`·ε" for Student's t.
fn student(factor: f64) -> Finding {
    let mut shares = Shares::NONE;
    let mut pairs = 0;
    for degrees in [1.0, 2.0, 3.0, 10.0] {
        for beta in [0.01, 0.1, 0.5] {
            for shift in [0.01, 0.1, 1.0] {
                let claimed = Enclosure::point(factor) * printed_loss(degrees, beta, shift);
                for k in -4..=4i32 {
                    let loss = student_loss(degrees, beta * f64::from(k) / 4.0, shift);
                    pairs += 1;
                    if loss.lo() > claimed.hi() {
                        return Finding::refuted(format!(
                            "d = {degrees}, β = {beta}, s = {shift}: the loss is {:.4}, above {:.4}",
                            loss.lo(),
                            claimed.hi()
                        ));
                    }
                    if loss.hi() > claimed.lo() {
                        return Finding::undecided(format!(
                            "d = {degrees}, β = {beta}, s = {shift}: the loss is within rounding of the claim"
                        ));
                    }
                    if k == -4 {
                        shares = shares.with(loss.hi() / claimed.lo());
                    }
                }
            }
        }
    }
    let shifts: Vec<f64> = spaced(0.01, 3.0, 31).collect();
    let title = "The loss of Student's t with 3 degrees of freedom at β = 0.1, at the ratio e^−β";
    let figure = Figure::new(title, Axis::logarithmic("s"), Axis::logarithmic("ε"))
        .curve("claimed", shifts.iter().map(|s| (*s, factor * printed_loss(3.0, 0.1, *s).hi())))
        .curve("true", shifts.iter().map(|s| (*s, student_loss(3.0, -0.1, *s).hi())));
    Finding::holds(format!(
        "on {pairs} pairs of neighbours; at the ratio e^−β the loss is {:.2} to {:.2} of the claim",
        shares.least, shares.most
    ))
    .with_figure(figure)
    .with_slack(shares.slack(smooth::SmoothStudentT::epsilon(1.0).map(|noise| noise.gain()).ok()))
}

/// β(d+1) + s(d+1)/(2√d).
fn printed_loss(degrees: f64, beta: f64, shift: f64) -> Enclosure {
    let (d, one, two) = (Enclosure::point(degrees), Enclosure::ONE, Enclosure::point(2.0));
    (d + one) * Enclosure::point(beta) + Enclosure::point(shift) * (d + one) / (two * d.sqrt())
}

/// The largest loss at the ratio e^λ is (d+1)/2·arcosh(cosh λ + e^−λ·s²/2d) − (d−1)/2·λ, see
/// `smooth::SmoothStudentT`.
fn student_loss(degrees: f64, lambda: f64, shift: f64) -> Enclosure {
    let (d, one, two) = (Enclosure::point(degrees), Enclosure::ONE, Enclosure::point(2.0));
    let lambda = Enclosure::point(lambda);
    let s = Enclosure::point(shift) * lambda.min(Enclosure::ZERO).exp(); // at most the smaller of both bounds
    let half_exp = |x: Enclosure| x.exp() / two;
    let u = half_exp(lambda) + half_exp(-lambda) + (-lambda).exp() * s.square() / (two * d);
    let arcosh = (u + (u.square() - one).sqrt()).ln();
    (d + one) / two * arcosh - (d - one) / two * lambda
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_claims_is_refuted() {
        assert_eq!(powers(0.5).verdict, Verdict::Refuted);
        assert_eq!(student(0.5).verdict, Verdict::Refuted);
    }
}
