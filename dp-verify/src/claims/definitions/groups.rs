//! Claims about data sets that are several steps apart (D12 and D13 of the ledger).
//!
//! About [`dp_core::Guarantee`].

use super::divergences::{ORDERS, order};
use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use crate::grid::in_steps;
use dp_core::pairs::{DominatingPair, FinitePair, GaussianPair, LaplacePair};
use dp_core::{Approx, Delta, Epsilon, Gdp, Guarantee, Mu, Pure, Zcdp};

pub(super) fn claims() -> Vec<Claim> {
    vec![
        Claim {
            id: "D12",
            source: "Cambridge, group privacy",
            statement: "k records together have kε, kμ, k²ρ and (kε, δ(e^kε−1)/(e^ε−1)).",
            formula: "k · ε;  k · μ;  k² · ρ;  (kε, δ(e^(kε) − 1)/(e^ε − 1))",
            meaning: "Data sets that differ in k records are k steps apart, and each notion says what that costs. Pure and Gaussian privacy grow in proportion to k, zCDP with its square, and the δ of \
                      (ε,δ)-privacy geometrically. Each rule was compared with exact pairs k steps apart: Laplace noise for ε, Gaussian noise for ρ and μ, and for δ a chain of two-outcome mechanisms built to \
                      be as bad as possible. All rules hold and all are reached, so none could promise more. The library applies them by itself wherever a group is asked for.",
            kind: Kind::Exact,
            expected: Verdict::Holds,
            check: || group_privacy([1.0; 3]),
        },
        Claim {
            id: "D13",
            source: "Wang, Lemma 11",
            statement: "D_α(P‖R) ≤ aα and D_α(R‖Q) ≤ bα for all α imply D_α(P‖Q) ≤ α(√a + √b)².",
            formula: "D_α(P‖Q) ≤ α · (√a + √b)²",
            meaning: "The divergences of zCDP do not add up along a chain of data sets, but their square roots do, as distances. Group privacy and the proofs for smooth sensitivity rest on it. For normal laws it is \
                      an equality, and it held for all 64 chains of three small laws at all orders tried. One percent less is refuted.",
            kind: Kind::Algebraic,
            expected: Verdict::Holds,
            check: || triangle(1.0),
        },
    ]
}

/// Group guarantees against exact pairs at k steps. Each rule is reached by some chain of
/// neighbours, so that claiming less (`share` < 1 of ε, ρ or δ) is noticed.
fn group_privacy([epsilon_share, rho_share, delta_share]: [f64; 3]) -> Finding {
    for k in [2u32, 3, 10] {
        let times = f64::from(k);
        for once in [0.1, 0.7, 2.0] {
            let (pure, gdp) = (Pure::from(Epsilon::saturating(once)), Gdp::from(Mu::saturating(once)));
            // Laplace noise: k steps are k times the shift.
            let exact = LaplacePair::new(Epsilon::saturating(times * once)).max_loss();
            let within = exact <= epsilon_share * pure.for_group(k).epsilon().get() * (1.0 + 1e-14);
            if !within {
                return Finding::refuted(format!("{k} records of {pure} lose {exact}"));
            }
            // Gaussian noise: k steps are k times the distance.
            let gaussian = GaussianPair::new(Mu::saturating(times * once));
            let rho = rho_share * gdp.relax::<Zcdp>().for_group(k).rho().get();
            for alpha in ORDERS {
                let within = gaussian.renyi(order(alpha)).lo() <= rho * alpha;
                if !within {
                    return Finding::refuted(format!(
                        "{k} records of {gdp} exceed {rho}-zCDP at order {alpha}"
                    ));
                }
            }
            for epsilon in [0.05, 0.5, 2.0] {
                let within = gaussian.delta(epsilon).lo()
                    <= gdp.for_group(k).delta_at(Epsilon::saturating(epsilon)).get();
                if !within {
                    return Finding::refuted(format!("{k} records of {gdp} exceed the group's own curve"));
                }
            }
        }
        if let Err(finding) = approximate_group(k, delta_share) {
            return finding;
        }
    }
    let sizes: Vec<(f64, f64, f64)> = (1..=15)
        .filter_map(|k| {
            approximate_group(k, delta_share).ok().map(|(claimed, exact)| (f64::from(k), claimed, exact))
        })
        .collect();
    Finding::holds(
        "ε by Laplace noise, ρ and μ by Gaussian noise, δ by a chain of two-outcome mechanisms; all are reached",
    )
    .with_figure(
        Figure::new("δ of k records of (0.2, 0.001)-DP, at kε", Axis::linear("k"), Axis::logarithmic("δ"))
            .curve("claimed", sizes.iter().map(|(k, claimed, _)| (*k, *claimed)))
            .curve("true, for the worst chain", sizes.iter().map(|(k, _, exact)| (*k, *exact))),
    )
    .with_slack(Slack::over("δ", sizes.iter().map(|(_, claimed, exact)| claimed / exact)))
}

/// The chain p_k = 0, p_{j−1} = e^ε·p_j + δ of probabilities of one outcome: neighbours are
/// (ε,δ)-private, and the ends reach the rule.
///
/// Returns the δ of the rule and that of the chain.
fn approximate_group(k: u32, share: f64) -> Result<(f64, f64), Finding> {
    let (epsilon, delta) = (0.2, 1e-3);
    let approx = Approx::from_parts(Epsilon::saturating(epsilon), Delta::saturating(delta));
    let pair = |p: f64, q: f64| FinitePair::new(&[p, 1.0 - p], &[q, 1.0 - q]);
    let mut first = 0.0;
    for _ in 0..k {
        let last = first;
        first = libm::exp(epsilon) * last + delta;
        let (Ok(down), Ok(up)) = (pair(first, last), pair(last, first)) else {
            return Err(Finding::undecided("a weight was refused"));
        };
        if down.delta(epsilon).lo().max(up.delta(epsilon).lo()) > delta * (1.0 + 1e-9) {
            return Err(Finding::undecided("the chain is not (ε,δ)-private"));
        }
    }
    let group = approx.for_group(k);
    let exact = pair(first, 0.0).map_or(f64::NAN, |ends| ends.delta(group.epsilon().get()).lo());
    let within = exact <= share * group.delta().get() * (1.0 + 1e-9);
    if within {
        Ok((group.delta().get(), exact))
    } else {
        Err(Finding::refuted(format!("{k} records of {approx} have δ = {exact}, not {}", group.delta())))
    }
}

/// The triangle inequality on normals, where it is an equality, and on small pairs, with √a + √b
/// scaled by `share`.
fn triangle(share: f64) -> Finding {
    let mut ratios = Vec::new();
    let line = |pair: &FinitePair| {
        let pure = Pure::from(Epsilon::saturating(pair.max_loss().max(pair.reversed().max_loss())));
        pure.relax::<Zcdp>().rho().get()
    };
    for (a, b) in [(0.5, 0.5), (0.1, 2.0), (3.0, 0.2)] {
        // D_α(N(0)‖N(a)) = αa²/2: the distances add up, and so do the square roots.
        let claimed = share * (libm::sqrt(a * a / 2.0) + libm::sqrt(b * b / 2.0));
        let truth = GaussianPair::new(Mu::saturating(a + b)).renyi(order(2.0));
        ratios.push(2.0 * claimed * claimed / truth.hi());
        if truth.lo() > 2.0 * claimed * claimed * (1.0 + 1e-12) {
            return Finding::refuted(format!("normals {a} and {b} apart have D₂ = {truth:?}"));
        }
    }
    let lists: [&[f64]; 4] = [&[1.0, 2.0, 3.0], &[3.0, 1.0, 1.0], &[5.0, 1.0, 9.0], &[1.0, 1.0, 1.0]];
    for p in lists {
        for r in lists {
            for q in lists {
                let (Ok(first), Ok(second), Ok(whole)) =
                    (FinitePair::new(p, r), FinitePair::new(r, q), FinitePair::new(p, q))
                else {
                    return Finding::undecided("a weight was refused");
                };
                let root = share * (libm::sqrt(line(&first)) + libm::sqrt(line(&second)));
                for alpha in ORDERS {
                    let (truth, claimed) = (whole.renyi(order(alpha)), alpha * root * root);
                    if truth.lo() > claimed * (1.0 + 1e-9) {
                        return Finding::refuted(format!("{p:?}, {r:?}, {q:?} at order {alpha}"));
                    }
                    if truth.lo() > 0.0 && alpha <= 10.0 {
                        ratios.push(claimed / truth.hi());
                    }
                }
            }
        }
    }
    let along = || in_steps(0.0, 3.0, 31);
    let second = |distance: f64| GaussianPair::new(Mu::saturating(distance)).renyi(order(2.0)).hi();
    let figure = Figure::new(
        "D₂ of normals: one step of length 1, then one of length t",
        Axis::linear("t"),
        Axis::linear("D₂"),
    )
    .curve(
        "claimed: 2(√a + √b)²",
        along().map(|t| (t, 2.0 * libm::pow(libm::sqrt(0.5) + t * libm::sqrt(0.5), 2.0))),
    )
    .curve("true", along().map(|t| (t, second(1.0 + t))))
    .curve("if divergences simply added up", along().map(|t| (t, second(1.0) + second(t))));
    Finding::holds("equality for normals, 64 triples of distributions on three outcomes")
        .with_figure(figure)
        .with_slack(Slack::over("D_α", ratios))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_variants_are_noticed() {
        for shares in [[0.99, 1.0, 1.0], [1.0, 0.99, 1.0], [1.0, 1.0, 0.99]] {
            assert_eq!(group_privacy(shares).verdict, Verdict::Refuted, "{shares:?}");
        }
        assert_eq!(triangle(0.99).verdict, Verdict::Refuted);
    }
}
