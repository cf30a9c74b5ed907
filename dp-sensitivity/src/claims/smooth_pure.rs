//! S8, S10: noise in proportion to a smooth bound with pure guarantees.

use dp_core::claims::{Claim, Finding, Kind, Verdict};
use dp_core::rounding::Enclosure;
use dp_mechanisms::sample::PolynomialTail;

use crate::smooth::inspect::loses_at_most;

pub(super) const S8: Claim = Claim {
    id: "S8",
    source: "Ottawa, smooth sensitivity",
    statement: "noise of density 1/(1 + |z|^γ), γ > 1, times 2(γ+1)·S/ε is ε-private for β ≤ ε/(2(γ+1))",
    kind: Kind::Exact,
    expected: Verdict::Holds,
    check: || powers(1.0),
};

pub(super) const S10: Claim = Claim {
    id: "S10",
    source: "Wang, admissible noise",
    statement: "Student's t noise with d degrees of freedom, of scale S/s, is ε-private for ε = β(d+1) + s(d+1)/(2√d)",
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
}

/// Judges "`factor`·ε" for the density 1/(1 + |z|^γ).
fn powers(factor: f64) -> Finding {
    let mut lines = Vec::new();
    for gamma in [1.5, 2.0, 4.0, 10.0] {
        let Ok(law) = PolynomialTail::new(gamma) else { return Finding::undecided("no such law") };
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
            shares = shares.with(largest_seen(gamma, both) / epsilon);
        }
        lines.push(format!("γ = {gamma}: {:.2} to {:.2}", shares.least, shares.most));
    }
    Finding::holds(format!(
        "the full shift and both ends of the ratios lose at most ε; as shares of ε they reach, for {}",
        lines.join(", ")
    ))
}

/// The largest loss that is surely reached on a grid of outcomes, with the full shift and either end of the ratios.
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

/// Judges "`factor`·ε" for Student's t: the largest loss is (d+1)/2·arcosh(cosh λ + e^−λ·s²/2d) − (d−1)/2·λ, see `smooth::StudentT`.
fn student(factor: f64) -> Finding {
    let mut shares = Shares::NONE;
    let mut pairs = 0;
    for degrees in [1.0, 2.0, 3.0, 10.0] {
        for beta in [0.01, 0.1, 0.5] {
            for shift in [0.01, 0.1, 1.0] {
                let (d, one, two) = (Enclosure::point(degrees), Enclosure::ONE, Enclosure::point(2.0));
                let s = Enclosure::point(shift);
                let claimed = Enclosure::point(factor)
                    * ((d + one) * Enclosure::point(beta) + s * (d + one) / (two * d.sqrt()));
                for k in -4..=4i32 {
                    let lambda = Enclosure::point(beta * f64::from(k) / 4.0);
                    let s = s * lambda.min(Enclosure::ZERO).exp(); // at most the smaller of both bounds
                    let half_exp = |x: Enclosure| x.exp() / two;
                    let u = half_exp(lambda) + half_exp(-lambda) + (-lambda).exp() * s.square() / (two * d);
                    let arcosh = (u + (u.square() - one).sqrt()).ln();
                    let loss = (d + one) / two * arcosh - (d - one) / two * lambda;
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
    Finding::holds(format!(
        "on {pairs} pairs of neighbours; at the ratio e^−β the loss is {:.2} to {:.2} of the claim",
        shares.least, shares.most
    ))
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
