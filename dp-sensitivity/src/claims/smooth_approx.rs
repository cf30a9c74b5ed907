//! S7, S9: Laplace and Gaussian noise in proportion to a smooth bound.

use dp_core::claims::{Claim, Finding, Kind, Verdict};
use dp_core::rounding::Enclosure;

use crate::smooth::inspect::{gaussian_profile, laplace_profile, profile_holds};

pub(super) const S7: Claim = Claim {
    id: "S7",
    source: "Ottawa Prop 16, Cor 17",
    statement: "Lap(2S/ε) is (ε, δ'(e^(ε/2) + 1)/2)-private for β ≤ ε/(2·ln(2/δ'))",
    kind: Kind::Exact,
    expected: Verdict::Holds,
    check: || laplace(1.0),
};

pub(super) const S9: Claim = Claim {
    id: "S9",
    source: "Ottawa, smooth sensitivity",
    statement: "N(0, 1) times 5√(2·ln(2/δ))·S/ε is (ε,δ)-private for β = ε/(2·ln(2/δ)) and any ε > 0",
    kind: Kind::Refutation,
    expected: Verdict::Refuted,
    check: || gaussian(5.0),
};

/// Judges the claim with `factor` times its δ, over all shifts and ratios.
fn laplace(factor: f64) -> Finding {
    let (mut least, mut most) = (f64::INFINITY, 0.0f64);
    for epsilon in [0.1, 1.0, 4.0] {
        for inner in [1e-2, 1e-5, 1e-8] {
            let (e, two) = (Enclosure::point(epsilon), Enclosure::point(2.0));
            let beta = (e / (two * (two / Enclosure::point(inner)).ln())).hi();
            let claimed = (Enclosure::point(factor * inner) * ((e / two).exp() + Enclosure::ONE) / two).lo();
            let shift = e / two;
            // A bound that is e^−β times as large at y allows a shift that is smaller by as much.
            let worst = laplace_profile(e, shift * Enclosure::point(-beta).exp(), -beta);
            if worst.lo() > claimed {
                return Finding::refuted(format!(
                    "ε = {epsilon}, δ' = {inner:e}: the true δ is at least {:e}, above {claimed:e}",
                    worst.lo()
                ));
            }
            if !profile_holds(laplace_profile, epsilon, claimed, beta, shift, 32) {
                return Finding::undecided(format!(
                    "ε = {epsilon}, δ' = {inner:e}: the bound does not suffice"
                ));
            }
            least = least.min(claimed / worst.hi());
            most = most.max(claimed / worst.hi());
        }
    }
    Finding::holds(format!(
        "over all shifts and ratios; the claimed δ is {least:.0} to {most:.0} times the true one"
    ))
}

/// Judges the lecture's β and the multiple `five`·√(2·ln(2/δ))/ε, and then the β of Nissim, Raskhodnikova and Smith.
fn gaussian(five: f64) -> Finding {
    let (one, two) = (Enclosure::ONE, Enclosure::point(2.0));
    let mut seen = Vec::new();
    for epsilon in [0.1, 1.0, 2.0, 8.0, 16.0] {
        for delta in [1e-2, 1e-5, 1e-8] {
            let (e, logarithm) = (Enclosure::point(epsilon), (two / Enclosure::point(delta)).ln());
            let shift = e / (Enclosure::point(five) * (two * logarithm).sqrt());
            let theirs = (e / (Enclosure::point(4.0) * (one + logarithm))).hi();
            if !profile_holds(gaussian_profile, epsilon, delta, theirs, shift, 1) {
                return Finding::undecided(format!(
                    "ε = {epsilon}, δ = {delta:e}: not even β = ε/(4(1 + ln(2/δ))) is shown to hold"
                ));
            }
            let beta = (e / (two * logarithm)).lo();
            // A bound that is e^−β times as large at y allows a shift that is smaller by as much.
            let truth = gaussian_profile(e, shift * Enclosure::point(-beta).exp(), -beta);
            if truth.lo() > delta {
                seen.push(format!("{:.1} at ({epsilon}, {delta:e})", truth.lo() / delta));
            }
        }
    }
    let [epsilon, delta] = [60.0, 1e-6];
    let (e, logarithm) = (Enclosure::point(epsilon), (two / Enclosure::point(delta)).ln());
    let theirs = (e / (Enclosure::point(4.0) * (one + logarithm))).lo();
    let shift = e / (Enclosure::point(five) * (two * logarithm).sqrt());
    let truth = gaussian_profile(e, shift * Enclosure::point(-theirs).exp(), -theirs).lo();
    let detail = format!(
        "with the full shift and the ratio e^−β the true δ is this many times the claimed one: {}; with β = ε/(4(1 + ln(2/δ))) the claim holds on the same grid, but at ({epsilon}, {delta:e}) the true δ is {:.0} times the claimed one, too: the theorem is about ε ≤ 1",
        seen.join(", "),
        truth / delta
    );
    if seen.is_empty() { Finding::holds(detail) } else { Finding::refuted(detail) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ten_thousandth_of_delta_is_refuted() {
        assert_eq!(laplace(1e-4).verdict, Verdict::Refuted);
    }

    #[test]
    fn more_noise_does_not_repair_it_and_less_is_not_shown_to_hold() {
        assert_eq!(gaussian(20.0).verdict, Verdict::Refuted); // the ratio alone is too much for large ε
        assert_eq!(gaussian(1.0).verdict, Verdict::Undecided); // and with too little noise nothing holds
    }
}
