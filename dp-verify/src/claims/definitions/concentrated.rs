//! Claims about zero-concentrated privacy: D8 to D11 of the ledger, and the Gaussian noise that it
//! is made for (M6).
//!
//! About [`dp_core::Zcdp`] and [`dp_core::pairs::GaussianPair`].

use super::divergences::{ORDERS, order};
use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use crate::grid::{in_ratios, in_steps};
use dp_core::pairs::{DominatingPair, FinitePair, GaussianPair, LaplacePair, RandomizedResponsePair};
use dp_core::rounding::Enclosure;
use dp_core::{Delta, Epsilon, Gdp, Guarantee, Mu, Pure, Rho, Zcdp};

pub(super) fn claims() -> Vec<Claim> {
    vec![
        Claim {
            id: "D8",
            source: "Cambridge; Harvard 3.2",
            statement: "(ξ,ρ)-zCDP: every Rényi divergence between neighbours lies below the line ξ + ρα.",
            formula: "D_α(M(x)‖M(y)) ≤ ξ + ρα for all neighbours x, y and all α > 1",
            meaning: "This notion bounds the privacy loss by that of Gaussian noise: its divergences may grow with the order, but no faster than along a line. The lines which the library states for \
                      pure mechanisms, for Gaussian noise and for one of each together were compared with certified divergences at sixty orders from just above one to a million. None \
                      lies above its line, and each line is reached somewhere, so neither its offset nor its slope could be smaller.",
            kind: Kind::Exact,
            expected: Verdict::Holds,
            check: || lines_bound_divergences(|line| line),
        },
        Claim {
            id: "D9",
            source: "Cambridge, zCDP",
            statement: "(ε,0)-zCDP is ε-DP.",
            formula: "D_α ≤ ε for all α > 1  ⇔  ε-DP",
            meaning: "A line of slope zero is a bound on the largest loss, and that is pure privacy. It was checked both ways: the library turns ε-privacy into such a line and back without changing \
                      ε, and the divergences of the worst ε-private mechanism stay below ε and come as close to it as one likes. A line with a slope cannot be turned back, and the types do not allow it.",
            kind: Kind::Algebraic,
            expected: Verdict::Holds,
            check: || flat_lines_are_pure(Zcdp::from),
        },
        Claim {
            id: "D10",
            source: "Harvard 3.2, note",
            statement: "As α → ∞, ρ-zCDP becomes pure DP; and zCDP is a further relaxation of (ε,δ)-DP.",
            formula: "claimed: Pure ⇐ ρ-zCDP (α → ∞) and (ε,δ) ⇒ zCDP;  true: ε-DP ⇒ ½ε²-zCDP ⇒ (ρ + 2√(ρ ln 1/δ), δ) for every δ",
            meaning: "Both halves are wrong. The bound of zCDP grows without limit as the order does, so it never becomes pure: Gaussian noise is zCDP, and its δ is certified to be positive \
                      even at ε = 37. Nor does (ε,δ)-privacy imply zCDP: a mechanism that tells all with probability one in a thousand has infinite divergences. The notion lies between the two. The library's \
                      types allow steps from pure over zCDP to (ε,δ) and none back.",
            kind: Kind::Refutation,
            expected: Verdict::Refuted,
            check: || zcdp_lies_between(Gdp::from(Mu::saturating(1.0))),
        },
        Claim {
            id: "D11",
            source: "Harvard 3.1",
            statement: "ρ-zCDP implies Pr[loss > λ + ρ] ≤ exp(−λ²/4ρ).",
            formula: "Pr(L > λ + ρ) ≤ e^(−λ²/4ρ) for all λ > 0",
            meaning: "Under zCDP the privacy loss has tails at least as thin as those of a normal law with mean ρ and variance 2ρ. The bound was compared with the exact tail of Gaussian noise, \
                      where ρ is exact, and with those of randomised response and Laplace noise. It holds at all points; the true tail of Gaussian noise is at most half of it. The library converts to (ε,δ) by a sharper route.",
            kind: Kind::Exact,
            expected: Verdict::Holds,
            check: || tail_bound(4.0),
        },
        Claim {
            id: "M6",
            source: "Harvard 4.2",
            statement: "Gaussian noise is ρ-zCDP if and only if σ² ≥ Δ₂²/2ρ.",
            formula: "D_α(N(Δ, σ²)‖N(0, σ²)) = αΔ²/2σ², so ρ = Δ₂²/2σ²",
            meaning: "For Gaussian noise the bound of zCDP is not a bound but the divergence itself, at every order. That is why this notion adds up Gaussian releases without loss. The divergence was computed as an integral, by a method \
                      that shares nothing with the library's formula, at twenty orders and three amounts of noise, and agrees to nine digits. One percent less noise, or more, is noticed.",
            kind: Kind::Exact,
            expected: Verdict::Holds,
            check: || gaussian_is_zcdp(1.0),
        },
    ]
}

/// A line that the library states, and the divergences that it is to bound.
type Stated = (Zcdp, fn(f64) -> Enclosure);

/// Compares the lines of the library, changed by `line`, with exact divergences: none may be
/// exceeded, and each must be reached.
fn lines_bound_divergences(line: impl Fn(Zcdp) -> Zcdp) -> Finding {
    let (pure, gdp) = (Pure::from(Epsilon::saturating(1.5)), Gdp::from(Mu::saturating(0.8)));
    let gaussian = |alpha| GaussianPair::new(Mu::saturating(0.8)).renyi(order(alpha));
    let response = |alpha| RandomizedResponsePair::binary(Epsilon::saturating(1.5)).renyi(order(alpha));
    // Independent releases: divergences add up. The pure one as a flat line, and as a rising one.
    let both = |alpha| {
        GaussianPair::new(Mu::saturating(0.8)).renyi(order(alpha))
            + RandomizedResponsePair::binary(Epsilon::saturating(1.5)).renyi(order(alpha))
    };
    let stated: [Stated; 5] = [
        (gdp.relax(), gaussian),
        (pure.relax(), response),
        (pure.into(), response),
        (Zcdp::from(pure).compose(&gdp.relax()), both),
        (pure.relax::<Zcdp>().compose(&gdp.relax()), both),
    ];
    let orders = || in_ratios(1e-6, 1e6, 60).map(|above| 1.0 + above);
    let height = |zcdp: Zcdp, alpha: f64| {
        Enclosure::point(zcdp.xi().get()) + Enclosure::point(zcdp.rho().get()) * Enclosure::point(alpha)
    };
    for (zcdp, divergence) in stated {
        let zcdp = line(zcdp);
        let mut closest = f64::INFINITY;
        for alpha in orders() {
            let (limit, found) = (height(zcdp, alpha), divergence(alpha));
            if found.lo() > limit.hi() {
                return Finding::refuted(format!(
                    "a mechanism of {zcdp} has D_α = {found} at order {alpha}, above {limit}"
                ));
            }
            closest = closest.min(limit.lo() / found.hi());
        }
        if closest > 1.001 {
            return Finding::undecided(format!(
                "{zcdp} is above all divergences by a factor {closest:.4} at least"
            ));
        }
    }
    let (flat, divergence) = stated[3];
    let shown = || in_ratios(1.05, 20.0, 40);
    Finding::holds("five lines, 60 orders from 1 + 10⁻⁶ to 10⁶: none is exceeded, and each is reached to a part in a thousand")
        .with_figure(
            Figure::new(
                "A 1.5-private release and Gaussian noise with Δ/σ = 0.8, together",
                Axis::logarithmic("α"),
                Axis::linear("D_α"),
            )
            .curve("claimed: ξ + ρα", shown().map(|alpha| (alpha, height(flat, alpha).hi())))
            .curve("true", shown().map(|alpha| (alpha, divergence(alpha).hi()))),
        )
        .with_slack(Slack::over(
            "D_α",
            orders().map(|alpha| height(flat, alpha).lo() / divergence(alpha).hi()),
        ))
}

fn flat_lines_are_pure(line: impl Fn(Pure) -> Zcdp) -> Finding {
    for epsilon in [0.0, 1e-6, 0.3, 2.0, 50.0] {
        let Ok(pure) = Pure::new(epsilon) else { return Finding::undecided("ε was refused") };
        if line(pure).as_pure() != Some(pure) {
            return Finding::refuted(format!("ε = {epsilon} does not come back"));
        }
        // Every divergence of the worst ε-private mechanism is at most ε, and they reach it.
        let worst = RandomizedResponsePair::binary(pure.epsilon());
        if ORDERS.iter().any(|alpha| worst.renyi(order(*alpha)).lo() > epsilon)
            || worst.renyi(order(1e18)).hi() < epsilon * (1.0 - 1e-9)
        {
            return Finding::refuted(format!("the divergences of {pure} do not have ε as their supremum"));
        }
    }
    Finding::holds("both directions, and the supremum over all orders is ε")
}

fn zcdp_lies_between(gaussian: Gdp) -> Finding {
    // A ρ-zCDP mechanism that is not ε-DP for any ε tried: its profile stays positive.
    let zcdp: Zcdp = gaussian.relax();
    let positive =
        [1.0, 5.0, 20.0, 37.0].iter().all(|epsilon| gaussian.dominating_pair().delta(*epsilon).lo() > 0.0);
    // An (ε,δ)-private mechanism that is not zCDP: it tells all with probability δ, and its
    // divergences are infinite.
    let tells_all = FinitePair::new(&[0.001, 0.0, 0.999], &[0.0, 0.001, 0.999]);
    let Ok(tells_all) = tells_all else { return Finding::undecided("a weight was refused") };
    let approx_only = tells_all.delta(0.0).hi() < 0.0011 && tells_all.renyi(order(2.0)).lo() == f64::INFINITY;
    // What is true: zCDP implies (ε,δ) for every δ > 0.
    let implied = [1e-2, 1e-6, 1e-12].iter().all(|delta| {
        let delta = Delta::saturating(*delta);
        let epsilon = zcdp.epsilon_at(delta);
        !epsilon.is_infinite() && gaussian.delta_at(epsilon) <= delta
    });
    let along = || in_steps(0.0, 12.0, 49);
    let figure =
        Figure::new("½-zCDP: Gaussian noise with Δ/σ = 1", Axis::linear("ε"), Axis::logarithmic("δ"))
            .curve("implied by ½-zCDP", along().map(|at| (at, zcdp.delta_at(Epsilon::saturating(at)).get())))
            .curve("true, and never 0", along().map(|at| (at, gaussian.dominating_pair().delta(at).hi())));
    match (positive, approx_only, implied) {
        (true, true, true) => Finding::refuted(
            "½-zCDP Gaussian noise has δ(37) > 0, so it is not pure; telling all with probability 0.001 is (0, 0.001)-DP and has \
             infinite divergences; zCDP implies (ε,δ) for every δ: it lies between the two",
        ),
        (false, _, _) => Finding::undecided("no positive δ was certified"),
        (_, false, _) => Finding::undecided("the mechanism that tells all was not separated"),
        (_, _, false) => Finding::undecided("the conversion to (ε,δ) did not cover the Gaussian"),
    }
    .with_figure(figure)
}

/// Exact tails against exp(−λ²/(c·ρ)); the claim has c = 4. Gaussian noise, where ρ = μ²/2 is
/// exact, and the worst pure mechanism.
fn tail_bound(c: f64) -> Finding {
    let (mut ratios, mut drawn) = (Vec::new(), [Vec::new(), Vec::new()]);
    for epsilon in [0.1, 1.0, 3.0] {
        let pure = Pure::from(Epsilon::saturating(epsilon));
        let rho = Enclosure::point(pure.relax::<Zcdp>().rho().get());
        for k in 1..60u8 {
            let lambda = epsilon * f64::from(k) / 50.0;
            let bound = (-(Enclosure::point(lambda).square() / (rho * Enclosure::point(c)))).exp();
            let at = (Enclosure::point(lambda) + rho).hi();
            for tail in [
                RandomizedResponsePair::binary(pure.epsilon()).tail(at),
                LaplacePair::new(pure.epsilon()).tail(at),
            ] {
                if tail.lo() > bound.hi() {
                    return Finding::refuted(format!(
                        "at ε = {epsilon}, λ = {lambda} the tail {tail:?} exceeds {bound:?}"
                    ));
                }
            }
        }
    }
    for mu in [0.01, 0.3, 1.0, 5.0] {
        let rho = Enclosure::point(mu).square() * Enclosure::point(0.5);
        for k in 1..60u8 {
            let lambda = mu * f64::from(k) / 4.0;
            let tail = GaussianPair::new(Mu::saturating(mu)).tail((Enclosure::point(lambda) + rho).hi());
            let bound = (-(Enclosure::point(lambda).square() / (rho * Enclosure::point(c)))).exp();
            if tail.lo() > bound.hi() {
                return Finding::refuted(format!(
                    "at μ = {mu}, λ = {lambda} the tail {tail:?} exceeds the bound {bound:?}"
                ));
            }
            ratios.push(bound.lo() / tail.hi());
            if mu == 1.0 && k <= 24 {
                drawn[0].push((lambda, bound.hi()));
                drawn[1].push((lambda, tail.hi()));
            }
        }
    }
    let slack = Slack::over("Pr(loss > λ + ρ)", ratios);
    let [bound, tail] = drawn;
    Finding::holds(format!(
        "on 236 points of Gaussian noise, whose tail is at most {:.3} of the bound, and 354 of pure mechanisms",
        1.0 / slack.least
    ))
    .with_figure(
        Figure::new("Gaussian noise with ρ = ½", Axis::linear("λ"), Axis::logarithmic("Pr(loss > λ + ρ)"))
            .curve("claimed: exp(−λ²/4ρ)", bound)
            .curve("true", tail),
    )
    .with_slack(slack)
}

/// D_α ≤ ρα with ρ = `share`·μ²/2, and not with any less: against the divergence as an integral, by
/// the trapezoidal rule, which for Gaussian integrands and a step of a quarter errs by e^(−2π²·16)
/// only.
fn gaussian_is_zcdp(share: f64) -> Finding {
    let (mut drawn, mut ratios) = ([Vec::new(), Vec::new()], Vec::new());
    for mu in [0.1, 1.0, 7.0] {
        let zcdp: Zcdp = Gdp::from(Mu::saturating(mu)).relax();
        let rho = Rho::saturating(share * zcdp.rho().get());
        for alpha in in_ratios(1.25, 64.0, 20) {
            // ln of p(x)^α·q(x)^(1−α)·√(2π), p = N(μ, 1), q = N(0, 1), around its peak at αμ.
            let exponents: Vec<f64> = (-80..=80i8)
                .map(|k| {
                    let x = alpha * mu + f64::from(k) / 4.0;
                    -0.5 * (alpha * (x - mu) * (x - mu) + (1.0 - alpha) * x * x)
                })
                .collect();
            let top = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 =
                exponents.iter().map(|e| libm::exp(e - top)).sum::<f64>() * 0.25 * 0.398_942_280_401_432_7;
            let integral = (top + libm::log(sum)) / (alpha - 1.0);
            ratios.push(rho.get() * alpha / integral);
            if mu == 1.0 {
                drawn[0].push((alpha, rho.get() * alpha));
                drawn[1].push((alpha, integral));
            }
            let reached = (integral / (rho.get() * alpha) - 1.0).abs() <= 1e-9;
            if !reached {
                return Finding::refuted(format!(
                    "at Δ/σ = {mu}, D_{alpha} = {integral}, but ρα = {}",
                    rho.get() * alpha
                ));
            }
        }
    }
    let [claimed, integral] = drawn;
    Finding::holds("ρα is the divergence at every order, computed as an integral")
        .with_figure(
            Figure::new(
                "D_α of Gaussian noise with Δ/σ = 1",
                Axis::logarithmic("α"),
                Axis::logarithmic("D_α"),
            )
            .curve("claimed: ρα", claimed)
            .curve("true, as an integral", integral),
        )
        .with_slack(Slack::over("D_α", ratios))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_variants_are_noticed() {
        let scaled = |xi: f64, rho: f64| {
            move |line: Zcdp| {
                Zcdp::from_parts(
                    Epsilon::saturating(line.xi().get() * xi),
                    Rho::saturating(line.rho().get() * rho),
                )
            }
        };
        assert_eq!(lines_bound_divergences(scaled(1.0, 0.99)).verdict, Verdict::Refuted);
        assert_eq!(lines_bound_divergences(scaled(0.99, 1.0)).verdict, Verdict::Refuted);
        assert_eq!(lines_bound_divergences(scaled(1.0, 1.01)).verdict, Verdict::Undecided);
        assert_eq!(lines_bound_divergences(scaled(1.01, 1.0)).verdict, Verdict::Undecided);
        assert_eq!(flat_lines_are_pure(|pure| pure.relax()).verdict, Verdict::Refuted);
        assert_eq!(zcdp_lies_between(Gdp::perfect()).verdict, Verdict::Undecided);
        assert_eq!(tail_bound(4.0).verdict, Verdict::Holds);
        assert_eq!(tail_bound(1.9).verdict, Verdict::Refuted);
        assert_eq!(gaussian_is_zcdp(0.99).verdict, Verdict::Refuted);
        assert_eq!(gaussian_is_zcdp(1.01).verdict, Verdict::Refuted);
    }
}
