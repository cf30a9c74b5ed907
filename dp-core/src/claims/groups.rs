//! Claims about data sets that are several steps apart (D12 and D13 of the ledger).

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use super::definitions::{ORDERS, order};
use super::{Claim, Finding, Kind, Verdict};
use crate::pairs::{DominatingPair, FinitePair, GaussianPair, LaplacePair};
use crate::{Approx, Delta, Epsilon, Gdp, Guarantee, Mu, Pure, Zcdp};

pub(super) fn claims() -> Vec<Claim> {
    vec![
        Claim {
            id: "D12",
            source: "Cambridge, group privacy",
            statement: "k records together have kε, kμ, k²ρ and (kε, δ(e^kε−1)/(e^ε−1)).",
            kind: Kind::Exact,
            expected: Verdict::Holds,
            check: || group_privacy([1.0; 3]),
        },
        Claim {
            id: "D13",
            source: "Wang, Lemma 11",
            statement: "D_α(P‖R) ≤ aα and D_α(R‖Q) ≤ bα for all α imply D_α(P‖Q) ≤ α(√a + √b)².",
            kind: Kind::Algebraic,
            expected: Verdict::Holds,
            check: || triangle(1.0),
        },
    ]
}

/// Group guarantees against exact pairs at k steps. Each rule is reached by some chain of neighbours, so that claiming less (`share` < 1 of
/// ε, ρ or δ) is noticed.
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
    Finding::holds(
        "ε by Laplace noise, ρ and μ by Gaussian noise, δ by a chain of two-outcome mechanisms; all are reached",
    )
}

/// The chain p_k = 0, p_{j−1} = e^ε·p_j + δ of probabilities of one outcome: neighbours are (ε,δ)-private, and the ends reach the rule.
fn approximate_group(k: u32, share: f64) -> Result<(), Finding> {
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
        Ok(())
    } else {
        Err(Finding::refuted(format!("{k} records of {approx} have δ = {exact}, not {}", group.delta())))
    }
}

/// The triangle inequality on normals, where it is an equality, and on small pairs, with √a + √b scaled by `share`.
fn triangle(share: f64) -> Finding {
    let line = |pair: &FinitePair| {
        let pure = Pure::from(Epsilon::saturating(pair.max_loss().max(pair.reversed().max_loss())));
        pure.relax::<Zcdp>().rho().get()
    };
    for (a, b) in [(0.5, 0.5), (0.1, 2.0), (3.0, 0.2)] {
        // D_α(N(0)‖N(a)) = αa²/2: the distances add up, and so do the square roots.
        let claimed = share * (libm::sqrt(a * a / 2.0) + libm::sqrt(b * b / 2.0));
        let truth = GaussianPair::new(Mu::saturating(a + b)).renyi(order(2.0));
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
                if ORDERS
                    .iter()
                    .any(|alpha| whole.renyi(order(*alpha)).lo() > alpha * root * root * (1.0 + 1e-9))
                {
                    return Finding::refuted(format!("{p:?}, {r:?}, {q:?}"));
                }
            }
        }
    }
    Finding::holds("equality for normals, 64 triples of distributions on three outcomes")
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
