//! Claims about the notions themselves (section D of the ledger).

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use super::{Claim, Finding, Kind, Verdict};
use crate::pairs::{DominatingPair, FinitePair, GaussianPair, LaplacePair, RandomizedResponsePair};
use crate::rounding::Enclosure;
use crate::{Alpha, Delta, Epsilon, Gdp, Guarantee, Mu, Pure, Rho, Zcdp};

pub(super) fn claims() -> Vec<Claim> {
    vec![
        Claim {
            id: "D3",
            source: "Cambridge, approximate DP",
            statement: "(ε,δ)-DP holds if and only if Pr[loss ≤ ε] ≥ 1 − δ.",
            kind: Kind::Refutation,
            expected: Verdict::Refuted,
            check: || tail_is_not_the_profile(&GaussianPair::new(Mu::saturating(1.0)), 1.0),
        },
        Claim {
            id: "D4",
            source: "Harvard 2.2",
            statement: "(ε,δ)-DP is a bound on the δ-smoothed max divergence.",
            kind: Kind::Enumeration,
            expected: Verdict::Holds,
            check: || smoothed_divergence_agrees(1.0),
        },
        Claim {
            id: "D7",
            source: "Cambridge, zCDP",
            statement: "D_α rises with α, from the Kullback–Leibler divergence at 1 to the largest loss at ∞.",
            kind: Kind::Algebraic,
            expected: Verdict::Holds,
            check: || divergences_rise(|alpha| alpha),
        },
        Claim {
            id: "D9",
            source: "Cambridge, zCDP",
            statement: "(ε,0)-zCDP is ε-DP.",
            kind: Kind::Algebraic,
            expected: Verdict::Holds,
            check: || flat_lines_are_pure(Zcdp::from),
        },
        Claim {
            id: "D10",
            source: "Harvard 3.2, note",
            statement: "As α → ∞, ρ-zCDP becomes pure DP; and zCDP is a further relaxation of (ε,δ)-DP.",
            kind: Kind::Refutation,
            expected: Verdict::Refuted,
            check: || zcdp_lies_between(Gdp::from(Mu::saturating(1.0))),
        },
        Claim {
            id: "D11",
            source: "Harvard 3.1",
            statement: "ρ-zCDP implies Pr[loss > λ + ρ] ≤ exp(−λ²/4ρ).",
            kind: Kind::Exact,
            expected: Verdict::Holds,
            check: || tail_bound(4.0),
        },
        Claim {
            id: "M6",
            source: "Harvard 4.2",
            statement: "Gaussian noise is ρ-zCDP if and only if σ² ≥ Δ₂²/2ρ.",
            kind: Kind::Exact,
            expected: Verdict::Holds,
            check: || gaussian_is_zcdp(1.0),
        },
    ]
}

/// Orders from just above one to a million.
pub(super) const ORDERS: [f64; 9] = [1.0001, 1.01, 1.3, 2.0, 3.5, 10.0, 64.0, 1e3, 1e6];

pub(super) fn order(alpha: f64) -> Alpha {
    Alpha::saturating(alpha)
}

/// Pairs of distributions on three and four outcomes, from a short deterministic list of weights, each with its largest loss.
fn small_pairs() -> Vec<(FinitePair, f64)> {
    let lists: [&[f64]; 6] = [
        &[1.0, 2.0, 3.0],
        &[3.0, 1.0, 1.0],
        &[5.0, 1.0, 9.0],
        &[1.0, 1.0, 1.0, 7.0],
        &[2.0, 8.0, 1.0, 1.0],
        &[1.0, 3.0, 3.0, 1.0],
    ];
    let mut pairs = vec![];
    for p in lists {
        for q in lists.iter().filter(|q| q.len() == p.len()) {
            let (p_total, q_total): (f64, f64) = (p.iter().sum(), q.iter().sum());
            let ratio = p.iter().zip(*q).map(|(a, b)| (a / p_total) / (b / q_total)).fold(0.0, f64::max);
            pairs.extend(FinitePair::new(p, q).ok().map(|pair| (pair, libm::log(ratio))));
        }
    }
    pairs
}

fn tail_is_not_the_profile(pair: &impl DominatingPair, epsilon: f64) -> Finding {
    let (delta, tail) = (pair.delta(epsilon), pair.tail(epsilon));
    if delta.lo() > tail.hi() {
        return Finding::undecided(format!(
            "the profile {delta:?} exceeds the tail {tail:?}, which cannot be"
        ));
    }
    if tail.lo() > delta.hi() {
        Finding::refuted(format!(
            "at ε = {epsilon} the mechanism is (ε, {:.6})-DP, yet Pr[loss > ε] = {:.6}; the tail implies the profile, not conversely",
            delta.hi(),
            tail.lo()
        ))
    } else {
        Finding::holds(format!("tail and profile agree at ε = {epsilon}"))
    }
}

/// sup over events with P(S) ≥ δ of ln((P(S) − δ)/Q(S)) is at most ε exactly when δ(ε) ≤ δ, on all events of small pairs.
fn smoothed_divergence_agrees(share: f64) -> Finding {
    let lists: [[f64; 4]; 4] =
        [[1.0, 2.0, 3.0, 2.0], [4.0, 1.0, 2.0, 1.0], [1.0, 1.0, 1.0, 5.0], [2.0, 2.0, 3.0, 1.0]];
    let mut compared = 0u32;
    for p in lists {
        for q in lists {
            let Ok(pair) = FinitePair::new(&p, &q) else { return Finding::undecided("a weight was refused") };
            for delta in [0.0, 0.05, 0.2] {
                // All weights sum to eight, so sums of eighths are exact.
                let mut smoothed = f64::NEG_INFINITY;
                for event in 1u8..16 {
                    let mass = |w: &[f64; 4]| {
                        (0..4).filter(|i| event >> i & 1 == 1).map(|i| w[i] / 8.0).sum::<f64>()
                    };
                    if mass(&p) > delta {
                        smoothed = smoothed.max(libm::log((mass(&p) - delta) / mass(&q)));
                    }
                }
                for shift in [-1e-9, 1e-9] {
                    let epsilon = smoothed + shift;
                    let within = share * pair.delta(epsilon).hi() <= delta + 1e-12;
                    if within != (shift > 0.0) && smoothed > 0.0 {
                        return Finding::refuted(format!(
                            "the two forms disagree at ε = {epsilon}, δ = {delta} for {p:?} and {q:?}"
                        ));
                    }
                    compared += 1;
                }
            }
        }
    }
    Finding::holds(format!("both forms agree on {compared} cases, just above and just below the boundary"))
}

/// The divergence as a function of its order, or of what `reordered` makes of it.
fn divergences_rise(reordered: impl Fn(f64) -> f64) -> Finding {
    let mut compared = 0u32;
    for (pair, largest_loss) in small_pairs() {
        let divergence = |alpha: f64| pair.renyi(order(reordered(alpha)));
        for window in ORDERS.windows(2) {
            if divergence(window[0]).lo() > divergence(window[1]).hi() {
                return Finding::refuted(format!("D falls from order {} to {}", window[0], window[1]));
            }
            compared += 1;
        }
        let gap = (divergence(1e9).hi() - largest_loss).abs().max((pair.max_loss() - largest_loss).abs());
        let reached = gap <= 1e-7;
        if !reached {
            return Finding::refuted(format!(
                "D of order 10⁹ or its limit is {gap:e} away from the largest loss"
            ));
        }
    }
    // At order one: randomised response has the Kullback–Leibler divergence ε·tanh(ε/2).
    for epsilon in [0.1, 1.0, 4.0] {
        let near_one = RandomizedResponsePair::binary(Epsilon::saturating(epsilon)).renyi(order(1.0 + 1e-9));
        let kl = epsilon * libm::tanh(epsilon / 2.0);
        if (near_one.hi() / kl - 1.0).abs() > 1e-5 {
            return Finding::refuted(format!(
                "D near order one is {near_one:?}, the Kullback–Leibler divergence {kl}"
            ));
        }
    }
    Finding::holds(format!("{compared} steps between orders, both limits"))
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
    // An (ε,δ)-private mechanism that is not zCDP: it tells all with probability δ, and its divergences are infinite.
    let tells_all = FinitePair::new(&[0.001, 0.0, 0.999], &[0.0, 0.001, 0.999]);
    let Ok(tells_all) = tells_all else { return Finding::undecided("a weight was refused") };
    let approx_only = tells_all.delta(0.0).hi() < 0.0011 && tells_all.renyi(order(2.0)).lo() == f64::INFINITY;
    // What is true: zCDP implies (ε,δ) for every δ > 0.
    let implied = [1e-2, 1e-6, 1e-12].iter().all(|delta| {
        let delta = Delta::saturating(*delta);
        let epsilon = zcdp.epsilon_at(delta);
        !epsilon.is_infinite() && gaussian.delta_at(epsilon) <= delta
    });
    match (positive, approx_only, implied) {
        (true, true, true) => Finding::refuted(
            "½-zCDP Gaussian noise has δ(37) > 0, so it is not pure; telling all with probability 0.001 is (0, 0.001)-DP and has \
             infinite divergences; zCDP implies (ε,δ) for every δ: it lies between the two",
        ),
        (false, _, _) => Finding::undecided("no positive δ was certified"),
        (_, false, _) => Finding::undecided("the mechanism that tells all was not separated"),
        (_, _, false) => Finding::undecided("the conversion to (ε,δ) did not cover the Gaussian"),
    }
}

/// Exact tails against exp(−λ²/(c·ρ)); the claim has c = 4. Gaussian noise, where ρ = μ²/2 is exact, and the worst pure mechanism.
fn tail_bound(c: f64) -> Finding {
    let mut tightest = 0.0f64;
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
            tightest = tightest.max(tail.hi() / bound.lo());
        }
    }
    Finding::holds(format!(
        "on 236 points of Gaussian noise, whose tail is at most {tightest:.3} of the bound, and 354 of pure mechanisms"
    ))
}

/// D_α ≤ ρα with ρ = `share`·μ²/2, and not with any less: against the divergence as an integral, by the trapezoidal rule, which for
/// Gaussian integrands and a step of a quarter errs by e^(−2π²·16) only.
fn gaussian_is_zcdp(share: f64) -> Finding {
    for mu in [0.1, 1.0, 7.0] {
        let zcdp: Zcdp = Gdp::from(Mu::saturating(mu)).relax();
        let rho = Rho::saturating(share * zcdp.rho().get());
        for alpha in [1.3, 2.0, 3.5, 10.0, 64.0] {
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
            let reached = (integral / (rho.get() * alpha) - 1.0).abs() <= 1e-9;
            if !reached {
                return Finding::refuted(format!(
                    "at Δ/σ = {mu}, D_{alpha} = {integral}, but ρα = {}",
                    rho.get() * alpha
                ));
            }
        }
    }
    Finding::holds("ρα is the divergence at every order, computed as an integral")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_variants_are_noticed() {
        assert_eq!(smoothed_divergence_agrees(0.9).verdict, Verdict::Refuted);
        assert_eq!(smoothed_divergence_agrees(1.1).verdict, Verdict::Refuted);
        assert_eq!(divergences_rise(|alpha| 1.0 + 1.0 / (alpha - 1.0)).verdict, Verdict::Refuted);
        assert_eq!(divergences_rise(f64::sqrt).verdict, Verdict::Refuted);
        assert_eq!(flat_lines_are_pure(|pure| pure.relax()).verdict, Verdict::Refuted);
        assert_eq!(zcdp_lies_between(Gdp::perfect()).verdict, Verdict::Undecided);
        assert_eq!(tail_bound(4.0).verdict, Verdict::Holds);
        assert_eq!(tail_bound(1.9).verdict, Verdict::Refuted);
        assert_eq!(gaussian_is_zcdp(0.99).verdict, Verdict::Refuted);
        assert_eq!(gaussian_is_zcdp(1.01).verdict, Verdict::Refuted);
        // Where all losses agree there is no gap between tail and profile to be found.
        let certain = FinitePair::new(&[1.0, 1.0], &[1.0, 1.0]).unwrap();
        assert_eq!(tail_is_not_the_profile(&certain, 1.0).verdict, Verdict::Holds);
    }
}
