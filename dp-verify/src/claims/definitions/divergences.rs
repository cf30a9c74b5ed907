//! Claims about the definitions: profile, tail, smoothed and Rényi divergences
//! (section D of the ledger).
//!
//! About [`dp_core::pairs::DominatingPair`].

use crate::claim::{Claim, Finding, Kind, Verdict};
use crate::figure::{Axis, Figure};
use crate::grid::{in_ratios, in_steps};
use dp_core::pairs::{DominatingPair, FinitePair, GaussianPair, RandomizedResponsePair};
use dp_core::{Alpha, Delta, Epsilon, Mu};

pub(super) fn claims() -> Vec<Claim> {
    vec![
        Claim {
            id: "D3",
            source: "Cambridge, approximate DP",
            statement: "(ε,δ)-DP holds if and only if Pr[loss ≤ ε] ≥ 1 − δ.",
            formula: "(ε,δ)-DP ⇔ Pr(λ ≤ ε) ≥ 1 − δ",
            meaning: "A small chance of a large loss does imply (ε,δ)-privacy, but the converse is false: outputs whose loss is only a little above ε count in full in the tail and \
                      hardly at all in the definition. Gaussian noise as large as the sensitivity shows it. At ε = 1 its δ is 0.127, while its loss exceeds 1 with probability \
                      0.309, two and a half times as much. Both numbers are certified enclosures. The library offers the tail and the profile under different names and calls only \
                      the profile (ε,δ)-privacy.",
            kind: Kind::Refutation,
            expected: Verdict::Refuted,
            check: || tail_is_not_the_profile(&GaussianPair::new(Mu::saturating(1.0)), 1.0),
        },
        Claim {
            id: "D4",
            source: "Harvard 2.2",
            statement: "(ε,δ)-DP is a bound on the δ-smoothed max divergence.",
            formula: "max over S with P(S) ≥ δ of ln((P(S) − δ)/Q(S)) ≤ ε  ⇔  δ(ε) ≤ δ",
            meaning: "The same notion can be written as a largest log-ratio of probabilities after δ has been taken off. Both forms were evaluated on every event of many pairs of small laws. \
                      They give the same verdict a billionth above the boundary and a billionth below it. The library computes with the profile, and this \
                      shows that nothing is lost by that.",
            kind: Kind::Enumeration,
            expected: Verdict::Holds,
            check: || smoothed_divergence_agrees(1.0),
        },
        Claim {
            id: "D7",
            source: "Cambridge, zCDP",
            statement: "D_α rises with α, from the Kullback–Leibler divergence at 1 to the largest loss at ∞.",
            formula: "1 < α < β ⇒ D_α ≤ D_β;  D_α → E λ as α → 1;  D_α → sup λ as α → ∞",
            meaning: "The Rényi divergences form a scale between the mean of the privacy loss and its largest value. Certified divergences of many small laws rise from each order to the next, come \
                      to the largest loss at very large orders, and to the known mean loss of randomised response just above order one. The library relies on it when it searches for the best order.",
            kind: Kind::Algebraic,
            expected: Verdict::Holds,
            check: || divergences_rise(|alpha| alpha),
        },
    ]
}

/// Orders from just above one to a million.
pub(super) const ORDERS: [f64; 9] = [1.0001, 1.01, 1.3, 2.0, 3.5, 10.0, 64.0, 1e3, 1e6];

pub(super) fn order(alpha: f64) -> Alpha {
    Alpha::saturating(alpha)
}

/// Pairs of distributions on three and four outcomes, from a short deterministic list of weights,
/// each with its largest loss.
pub(super) fn small_pairs() -> Vec<(FinitePair, f64)> {
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

/// Compares the tail with the profile at ε, and draws both up to 4ε.
fn tail_is_not_the_profile(pair: &impl DominatingPair, epsilon: f64) -> Finding {
    let (delta, tail) = (pair.delta(epsilon), pair.tail(epsilon));
    let along = || in_steps(0.0, 4.0 * epsilon, 41);
    let figure = Figure::new("Gaussian noise with Δ/σ = 1", Axis::linear("ε"), Axis::logarithmic("δ"))
        .curve("claimed: Pr(loss > ε)", along().map(|at| (at, pair.tail(at).hi())))
        .curve("true: δ(ε)", along().map(|at| (at, pair.delta(at).hi())));
    if along().any(|at| pair.delta(at).lo() > pair.tail(at).hi()) {
        return Finding::undecided("the profile exceeds the tail, which cannot be");
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
    .with_figure(figure)
}

/// sup over events with P(S) ≥ δ of ln((P(S) − δ)/Q(S)) is at most ε exactly when δ(ε) ≤ δ, on all
/// events of small pairs.
fn smoothed_divergence_agrees(share: f64) -> Finding {
    let lists: [[f64; 4]; 4] =
        [[1.0, 2.0, 3.0, 2.0], [4.0, 1.0, 2.0, 1.0], [1.0, 1.0, 1.0, 5.0], [2.0, 2.0, 3.0, 1.0]];
    let mut compared = 0u32;
    for p in lists {
        for q in lists {
            let Ok(pair) = FinitePair::new(&p, &q) else { return Finding::undecided("a weight was refused") };
            for delta in [0.0, 0.05, 0.2] {
                let smoothed = smoothed(&p, &q, delta);
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
        .with_figure(smoothed_figure())
}

/// The smoothed divergence of one pair, by events and as the ε at which the profile has fallen to
/// δ.
fn smoothed_figure() -> Figure {
    let (p, q) = ([1.0, 2.0, 3.0, 2.0], [4.0, 1.0, 2.0, 1.0]);
    let deltas = || in_steps(0.0, 0.3, 31);
    let by_profile = FinitePair::new(&p, &q).map(|pair| {
        deltas().map(|delta| (delta, pair.epsilon(Delta::saturating(delta)).get())).collect::<Vec<_>>()
    });
    Figure::new("The least ε for each δ, on four outcomes", Axis::linear("δ"), Axis::linear("ε"))
        .curve(
            "smoothed divergence, over all events",
            deltas().map(|delta| (delta, smoothed(&p, &q, delta).max(0.0))),
        )
        .curve("δ(ε) = δ", by_profile.unwrap_or_default())
}

/// sup over events with P(S) > δ of ln((P(S) − δ)/Q(S)). All weights add up to eight, so sums of
/// eighths are exact.
fn smoothed(p: &[f64; 4], q: &[f64; 4], delta: f64) -> f64 {
    let mass =
        |w: &[f64; 4], event: u8| (0..4).filter(|i| event >> i & 1 == 1).map(|i| w[i] / 8.0).sum::<f64>();
    let events = (1u8..16).map(|event| (mass(p, event), mass(q, event))).filter(|(p, _)| *p > delta);
    events.map(|(p, q)| libm::log((p - delta) / q)).fold(f64::NEG_INFINITY, f64::max)
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
    let pair = RandomizedResponsePair::binary(Epsilon::saturating(1.0));
    let orders = || in_ratios(1.01, 1000.0, 50);
    let level = |value: f64| orders().map(move |alpha| (alpha, value));
    Finding::holds(format!("{compared} steps between orders, both limits")).with_figure(
        Figure::new("D_α of randomised response with ε = 1", Axis::logarithmic("α"), Axis::linear("D_α"))
            .curve("D_α", orders().map(|alpha| (alpha, pair.renyi(order(alpha)).hi())))
            .curve("α → 1: Kullback–Leibler", level(libm::tanh(0.5)))
            .curve("α → ∞: the largest loss", level(pair.max_loss())),
    )
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
        // Where all losses agree there is no gap between tail and profile to be found.
        let certain = FinitePair::new(&[1.0, 1.0], &[1.0, 1.0]).unwrap();
        assert_eq!(tail_is_not_the_profile(&certain, 1.0).verdict, Verdict::Holds);
    }
}
