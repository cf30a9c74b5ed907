//! S11, S12: noise in proportion to a smooth bound for zCDP.
//!
//! About [`dp_sensitivity::smooth::LaplaceLogNormal`], [`dp_sensitivity::smooth::UniformLogNormal`]
//! and [`dp_sensitivity::smooth::ArsinhNormal`].

use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use dp_core::rounding::Enclosure;

use super::spaced;
use dp_mechanisms::sample;
use dp_sensitivity::internals::smooth::is_concentrated;

pub(super) const S11: Claim = Claim {
    id: "S11",
    source: "Wang Prop 3, Lemmas 19–20",
    statement: "f + S/s·X·e^(σY), X Laplace and Y normal, is ½ε²-zCDP for ε = β/σ + e^(3σ²/2)·s",
    formula: "D_α ≤ ½ε²α for all α > 1, ε = β/σ + e^(3σ²/2)·s",
    meaning: "Laplace noise times a log-normal factor has tails light enough for concentrated privacy and heavy enough to hide a change of its scale. \
         The Rényi divergences were bounded for all orders at once, over all neighbours with a given shift and ratio. The theorem holds; up to thirty times less ρ can be shown. \
         The library offers the printed calibration, and by default searches for the least noise that this bound allows.",
    kind: Kind::Exact,
    expected: Verdict::Holds,
    check: || laplace_log_normal(1.0),
};

pub(super) const S12: Claim = Claim {
    id: "S12",
    source: "Wang (named); Bun and Steinke 2019",
    statement: "½ε²-zCDP: X·e^(σY), X uniform, σ ≥ √2, for ε = β/σ + e^(3σ²/2)·√(2/πσ²)·s; sinh(σY)/σ for ε = √(β(β/σ² + 1/σ + 2)) + s(4 + 3σ²)/(6σ)",
    formula: "D_α ≤ ½ε²α: ε = β/σ + e^(3σ²/2)·√(2/πσ²)·s;  ε = √(β(β/σ² + 1/σ + 2)) + s(4+3σ²)/(6σ)",
    meaning: "Two more laws for concentrated privacy with smooth bounds: a uniform variable times a log-normal factor, and the hyperbolic sine of a normal variable. The lecture names them; the formulas are from the paper behind it. \
         The Rényi divergences were bounded for all orders at once on a grid of shapes, shifts and ratios. Both theorems hold, and several times less ρ can be shown. \
         The library has both with their printed calibration and with its own. The second has the lightest tails of all and is what the library recommends for concentrated privacy.",
    kind: Kind::Exact,
    expected: Verdict::Holds,
    check: || uniform_and_arsinh(1.0),
};

/// One of the laws.
struct Law {
    name: &'static str,
    /// Whether these σ, ρ, β and multiple are surely concentrated, for all orders.
    concentrated: fn(sigma: f64, rho: f64, beta: f64, multiple: f64) -> bool,
    /// ε by the theorem, from σ, β and s.
    epsilon: fn(sigma: Enclosure, beta: Enclosure, s: Enclosure) -> Enclosure,
}

const LAPLACE: Law = Law {
    name: "Laplace log-normal",
    concentrated: is_concentrated::<sample::LaplaceLogNormalLaw>,
    epsilon: |sigma, beta, s| beta / sigma + (Enclosure::point(1.5) * sigma.square()).exp() * s,
};

const UNIFORM: Law = Law {
    name: "uniform log-normal",
    concentrated: is_concentrated::<sample::UniformLogNormalLaw>,
    epsilon: |sigma, beta, s| {
        let pi = Enclosure::new(core::f64::consts::PI, core::f64::consts::PI.next_up());
        let steepest = (Enclosure::point(1.5) * sigma.square()).exp()
            * (Enclosure::point(2.0) / (pi * sigma.square())).sqrt();
        beta / sigma + steepest * s
    },
};

const ARSINH: Law = Law {
    name: "arsinh-normal",
    concentrated: is_concentrated::<sample::ArsinhNormalLaw>,
    epsilon: |sigma, beta, s| {
        let ratio = (beta * (beta / sigma.square() + Enclosure::ONE / sigma + Enclosure::point(2.0))).sqrt();
        let steepest = (Enclosure::point(4.0) + Enclosure::point(3.0) * sigma.square())
            / (Enclosure::point(6.0) * sigma);
        ratio + steepest * s
    },
};

impl Law {
    /// Judges `factor`·½ε² for a list of (σ, β, s); says by how much the ρ that is shown to hold is
    /// smaller. The cases with the last σ and β are drawn.
    fn judge(&self, cases: &[(f64, f64, f64)], factor: f64) -> Finding {
        let (mut least, mut most, mut points) = (f64::INFINITY, 0.0f64, vec![]);
        for &(sigma, beta, s) in cases {
            let [width, rate, shift] = [sigma, beta, s].map(Enclosure::point);
            let epsilon = (self.epsilon)(width, rate, shift);
            let claimed = (Enclosure::point(0.5 * factor) * epsilon.square()).lo();
            let holds = |rho: f64| (self.concentrated)(sigma, rho, beta, 1.0 / s);
            if !holds(claimed) {
                return Finding::undecided(format!(
                    "{}: σ = {sigma}, β = {beta}, s = {s}: ρ = {claimed:.5} is not shown to hold",
                    self.name
                ));
            }
            // How much less can be shown: in halves, and then in thirds of an octave.
            let mut shown = claimed;
            for step in [0.5, 0.794] {
                while holds(shown * step) {
                    shown *= step;
                }
            }
            (least, most) = (least.min(claimed / shown), most.max(claimed / shown));
            points.push(((sigma, beta), s, claimed, shown));
        }
        let drawn = points[points.len() - 1].0;
        points.retain(|point| point.0 == drawn);
        let title = format!("ρ of {} noise on a smooth bound, σ = {}, β = {}", self.name, drawn.0, drawn.1);
        let figure = Figure::new(title, Axis::logarithmic("s"), Axis::logarithmic("ρ"))
            .curve("claimed", points.iter().map(|(_, s, claimed, _)| (*s, *claimed)))
            .curve("shown to hold", points.iter().map(|(_, s, _, shown)| (*s, *shown)));
        let detail = format!(
            "{}: for all orders on {} pairs of shift and ratio, with {least:.1} to {most:.0} times less ρ shown",
            self.name,
            cases.len(),
        );
        let slack = Slack { quantity: "ρ", least, most, gain: None };
        Finding::holds(detail).with_figure(figure).with_slack(slack)
    }
}

/// One σ and β with shifts in equal ratios.
fn over_shifts(sigma: f64, beta: f64, from: f64, to: f64) -> impl Iterator<Item = (f64, f64, f64)> {
    spaced(from, to, SHIFTS).map(move |s| (sigma, beta, s))
}

const SHIFTS: u8 = 9;

fn laplace_log_normal(factor: f64) -> Finding {
    let mut cases = vec![(0.4, 0.02, 0.05), (1.0, 0.3, 0.2)];
    cases.extend(over_shifts(0.6, 0.1, 0.03, 0.6));
    LAPLACE.judge(&cases, factor)
}

fn uniform_and_arsinh(factor: f64) -> Finding {
    let mut uniform = vec![(1.5, 0.1, 0.004), (2.0, 0.2, 0.0006)];
    uniform.extend(over_shifts(1.5, 0.3, 0.004, 0.04));
    let mut arsinh = vec![(0.5, 0.01, 0.1), (1.0, 0.3, 0.5)];
    arsinh.extend(over_shifts(1.0, 0.05, 0.03, 0.6));
    let (first, second) = (UNIFORM.judge(&uniform, factor), ARSINH.judge(&arsinh, factor));
    // Of both together.
    let slack = first.slack.clone().zip(second.slack.clone()).map(|(a, b)| Slack {
        least: a.least.min(b.least),
        most: a.most.max(b.most),
        ..a
    });
    let both = Finding::together([first, second]);
    match slack {
        Some(slack) => both.with_slack(slack),
        None => both,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_twentieth_is_not_shown() {
        assert_eq!(laplace_log_normal(0.05).verdict, Verdict::Undecided);
        assert_eq!(uniform_and_arsinh(0.01).verdict, Verdict::Undecided);
    }
}
