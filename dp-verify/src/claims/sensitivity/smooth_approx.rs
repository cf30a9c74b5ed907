//! S7, S9: Laplace and Gaussian noise in proportion to a smooth bound.
//!
//! About [`dp_sensitivity::smooth::SmoothLaplace`] and [`dp_sensitivity::smooth::SmoothGaussian`].

use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use dp_core::rounding::Enclosure;

use super::spaced;
use dp_sensitivity::internals::smooth::{gaussian_profile, laplace_profile, profile_holds};
use dp_sensitivity::smooth::{SmoothGaussian, SmoothLaplace, SmoothNoise};

pub(super) const S7: Claim = Claim {
    id: "S7",
    source: "Ottawa Prop 16, Cor 17",
    statement: "Lap(2S/ε) is (ε, δ'(e^(ε/2) + 1)/2)-private for β ≤ ε/(2·ln(2/δ'))",
    formula: "δ(ε) ≤ δ′(e^(ε/2) + 1)/2 for β = ε/(2·ln(2/δ′)), noise Lap(2S/ε)",
    meaning: "Laplace noise in proportion to a smooth bound is private, although its scale tells something of the data: between neighbours the scale changes by a small factor, and a small δ pays for it. \
         The exact divergence was enclosed for all shifts and all ratios of scales that neighbours can have. The theorem holds, with hundreds to thousands of times less δ than it claims. \
         The library offers the printed calibration, and by default the least noise that the exact divergence allows.",
    kind: Kind::Exact,
    expected: Verdict::Holds,
    check: || laplace(1.0),
};

pub(super) const S9: Claim = Claim {
    id: "S9",
    source: "Ottawa, smooth sensitivity",
    statement: "N(0, 1) times 5√(2·ln(2/δ))·S/ε is (ε,δ)-private for β = ε/(2·ln(2/δ)) and any ε > 0",
    formula: "δ(ε) ≤ δ for β = ε/(2·ln(2/δ)), σ = 5√(2·ln(2/δ))·S/ε, any ε  (claimed)",
    meaning: "The lecture prints a rate of smoothness twice as fast as the original theorem has, and allows any ε. For ε up to four nothing happens, because the constants are generous. \
         Beyond that it fails: take neighbours whose answers differ by the whole bound and whose bounds differ by the whole allowed factor. At ε = 8 the true δ is up to nine times the claimed one, at 16 hundreds of times. \
         The rate of the original theorem holds on the same grid, but it is a theorem about ε ≤ 1, and at ε = 60 it fails, too. \
         The library's printed calibration uses the original constants with ε cut at one; its default finds the least noise from the exact divergence.",
    kind: Kind::Refutation,
    expected: Verdict::Refuted,
    check: || gaussian(5.0),
};

/// β, what is claimed, and what is true of the pair with the full shift and the ratio e^−β.
struct OfLaplace {
    beta: f64,
    claimed: f64,
    truth: Enclosure,
}

impl OfLaplace {
    fn new(epsilon: f64, inner: f64, factor: f64) -> Self {
        let (e, two) = (Enclosure::point(epsilon), Enclosure::point(2.0));
        let beta = (e / (two * (two / Enclosure::point(inner)).ln())).hi();
        let claimed = (Enclosure::point(factor * inner) * ((e / two).exp() + Enclosure::ONE) / two).lo();
        // A bound that is e^−β times as large at y allows a shift that is smaller by as much.
        let truth = laplace_profile(e, e / two * Enclosure::point(-beta).exp(), -beta);
        Self { beta, claimed, truth }
    }
}

/// Judges the claim with `factor` times its δ, over all shifts and ratios.
fn laplace(factor: f64) -> Finding {
    let (mut least, mut most) = (f64::INFINITY, 0.0f64);
    for epsilon in [0.1, 1.0, 4.0] {
        for inner in [1e-2, 1e-5, 1e-8] {
            let OfLaplace { beta, claimed, truth } = OfLaplace::new(epsilon, inner, factor);
            if truth.lo() > claimed {
                return Finding::refuted(format!(
                    "ε = {epsilon}, δ' = {inner:e}: the true δ is at least {:e}, above {claimed:e}",
                    truth.lo()
                ));
            }
            let shift = Enclosure::point(epsilon) / Enclosure::point(2.0);
            if !profile_holds(laplace_profile, epsilon, claimed, beta, shift, 32) {
                return Finding::undecided(format!(
                    "ε = {epsilon}, δ' = {inner:e}: the bound does not suffice"
                ));
            }
            least = least.min(claimed / truth.hi());
            most = most.max(claimed / truth.hi());
        }
    }
    let gain =
        [1e-2, 1e-5].map(|delta| SmoothLaplace::epsilon_delta(1.0, delta).map_or(0.0, |noise| noise.gain()));
    let points: Vec<_> = spaced(0.05, 8.0, 25).map(|e| (e, OfLaplace::new(e, 1e-6, factor))).collect();
    let figure = Figure::new(
        "δ of Laplace noise on a smooth bound, δ′ = 1e-6",
        Axis::logarithmic("ε"),
        Axis::logarithmic("δ"),
    )
    .curve("claimed", points.iter().map(|(e, of)| (*e, of.claimed)))
    .curve("true, for the worst neighbours", points.iter().map(|(e, of)| (*e, of.truth.hi())));
    Finding::holds(format!(
        "over all shifts and ratios; the claimed δ is {least:.0} to {most:.0} times the true one"
    ))
    .with_figure(figure)
    .with_slack(Slack { quantity: "δ", least, most, gain: Some(gain[0].max(gain[1])) })
}

/// The shift of the lecture's noise, its β, and that of Nissim, Raskhodnikova and Smith.
struct OfGaussian {
    epsilon: Enclosure,
    shift: Enclosure,
    lecture: Enclosure,
    original: Enclosure,
}

impl OfGaussian {
    fn new(epsilon: f64, delta: f64, five: f64) -> Self {
        let (e, two) = (Enclosure::point(epsilon), Enclosure::point(2.0));
        let logarithm = (two / Enclosure::point(delta)).ln();
        Self {
            epsilon: e,
            shift: e / (Enclosure::point(five) * (two * logarithm).sqrt()),
            lecture: e / (two * logarithm),
            original: e / (Enclosure::point(4.0) * (Enclosure::ONE + logarithm)),
        }
    }

    /// δ of the pair with the full shift and the ratio e^−β: a bound that is e^−β times as large at
    /// y allows a shift that is smaller by as much.
    fn truth(&self, beta: Enclosure) -> Enclosure {
        gaussian_profile(self.epsilon, self.shift * Enclosure::point(-beta.lo()).exp(), -beta.lo())
    }
}

/// Judges the lecture's β and the multiple `five`·√(2·ln(2/δ))/ε, and then the β of Nissim,
/// Raskhodnikova and Smith.
fn gaussian(five: f64) -> Finding {
    let mut seen = Vec::new();
    let (mut least, mut most) = (f64::INFINITY, 0.0f64);
    for epsilon in [0.1, 1.0, 2.0, 8.0, 16.0] {
        for delta in [1e-2, 1e-5, 1e-8] {
            let of = OfGaussian::new(epsilon, delta, five);
            if !profile_holds(gaussian_profile, epsilon, delta, of.original.hi(), of.shift, 1) {
                return Finding::undecided(format!(
                    "ε = {epsilon}, δ = {delta:e}: not even β = ε/(4(1 + ln(2/δ))) is shown to hold"
                ));
            }
            let truth = of.truth(of.lecture);
            (least, most) = (least.min(delta / truth.lo()), most.max(delta / truth.hi()));
            if truth.lo() > delta {
                seen.push(format!("{:.1} at ({epsilon}, {delta:e})", truth.lo() / delta));
            }
        }
    }
    let far = OfGaussian::new(60.0, 1e-6, five);
    let detail = format!(
        "with the full shift and the ratio e^−β the true δ is this many times the claimed one: {}; with β = ε/(4(1 + ln(2/δ))) the claim holds on the same grid, but at (60, 1e-6) the true δ is {:.0} times the claimed one, too: the theorem is about ε ≤ 1",
        seen.join(", "),
        far.truth(far.original).lo() / 1e-6
    );
    let points: Vec<_> = spaced(0.3, 60.0, 40).map(|e| (e, OfGaussian::new(e, 1e-6, five))).collect();
    let figure =
        Figure::new("δ of Gaussian noise on a smooth bound", Axis::logarithmic("ε"), Axis::logarithmic("δ"))
            .curve("claimed", points.iter().map(|(e, _)| (*e, 1e-6)))
            .curve("true, the lecture's β", points.iter().map(|(e, of)| (*e, of.truth(of.lecture).hi())))
            .curve("true, the original β", points.iter().map(|(e, of)| (*e, of.truth(of.original).hi())));
    let gain = SmoothGaussian::epsilon_delta(1.0, 1e-6).map(|noise| noise.gain()).ok();
    let finding = if seen.is_empty() { Finding::holds(detail) } else { Finding::refuted(detail) };
    finding.with_figure(figure).with_slack(Slack { quantity: "δ", least, most, gain })
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
