//! D5 and D6: the privacy loss, and the divergence that is made of it.
//!
//! About [`dp_core::pairs::DominatingPair`].

use super::divergences::{order, small_pairs};
use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use crate::grid::{in_ratios, in_steps};
use dp_core::pairs::{DominatingPair, FinitePair};
use dp_core::rounding::Enclosure;

pub(super) fn claims() -> Vec<Claim> {
    vec![
        Claim {
            id: "D5",
            source: "Cambridge; Harvard 2.3",
            statement: "The privacy loss is λ = ln P(r)/P'(r) for an output r drawn from P; every notion is a view of its law.",
            formula: "λ(r) = ln(P(r)/P'(r)), r ~ P;  δ(ε) = E(1 − e^(ε−λ))₊,  D₁ = E λ,  ε = sup λ",
            meaning: "The privacy loss says how strongly one output speaks for one data set and against its neighbour. As the output is random, so is the loss, and its law \
                      holds all that an accountant needs. For many pairs of small laws the loss of each outcome was listed, and its law, its mean, its largest value and the \
                      profile were computed from that list alone. The library's views agree with all of them. A library that drew the output from the wrong one of the two \
                      laws would be caught.",
            kind: Kind::Enumeration,
            expected: Verdict::Holds,
            check: || views_of_the_loss(Clone::clone),
        },
        Claim {
            id: "D6",
            source: "Cambridge, zCDP",
            statement: "The Rényi divergence is 1/(α−1)·ln ∫ (P/P') dP. (A misprint: P/P' must have the exponent α−1.)",
            formula: "printed: 1/(α−1) · ln ∫ (P/P') dP;  right: 1/(α−1) · ln ∫ (P/P')^(α−1) dP",
            meaning: "Without the exponent, the order would enter only as a factor in front, and the divergence would fall as the order rises, though it must rise. On small laws the printed \
                      formula was compared with the right one, both computed from the list of outcomes: they agree at order two and at no other, and at order \
                      three the printed one is certified to be too small. The library uses the right formula, with which its divergences agree at all orders tried.",
            kind: Kind::Refutation,
            expected: Verdict::Refuted,
            check: || divergence_by_outcomes(|_| 1.0),
        },
    ]
}

/// The loss of each outcome that P can produce, with its probability under P.
fn losses(pair: &FinitePair) -> Vec<(Enclosure, Enclosure)> {
    pair.outcomes().iter().filter(|(p, _)| p.hi() > 0.0).map(|&(p, q)| ((p / q).ln(), p)).collect()
}

fn expectation(of: &[(Enclosure, Enclosure)], term: impl Fn(Enclosure) -> Enclosure) -> Enclosure {
    of.iter().fold(Enclosure::ZERO, |sum, &(loss, p)| sum + p * term(loss))
}

/// Compares what the library says of `seen(pair)` with the list of the losses of the pair itself.
fn views_of_the_loss(seen: impl Fn(&FinitePair) -> FinitePair) -> Finding {
    let apart = |a: Enclosure, b: Enclosure| (a.lo() - b.hi()).max(b.lo() - a.hi()) > 1e-12;
    let mut compared = 0u32;
    let mut drawn = Vec::new();
    for (pair, _) in small_pairs() {
        let (library, list) = (seen(&pair), losses(&pair));
        // E e^−λ is the whole mass of the other law: the list is complete.
        if !expectation(&list, |loss| (-loss).exp()).contains(1.0) {
            return Finding::undecided("the list of losses is not complete");
        }
        let largest = list.iter().map(|(loss, _)| loss.hi()).fold(0.0, f64::max);
        let mean = expectation(&list, |loss| loss);
        let near_one = library.renyi(order(1.0 + 1e-9));
        if (library.max_loss() - largest).abs() > 1e-9 || apart(near_one, mean + Enclosure::new(-1e-6, 1e-6))
        {
            return Finding::refuted(format!(
                "the losses are {mean} on average and at most {largest}, but the library has {near_one} and {}",
                library.max_loss()
            ));
        }
        // Between the losses, where both laws are constant, and the profile everywhere.
        for at in in_steps(-2.03, 3.07, 41) {
            let above = list.iter().filter(|(loss, _)| loss.lo() > at);
            let above = above.fold(Enclosure::ZERO, |sum, (_, p)| sum + *p);
            let undecided = list.iter().any(|(loss, _)| loss.contains(at));
            let gain = |loss: Enclosure| (-(Enclosure::point(at) - loss).exp_m1()).max(Enclosure::ZERO);
            let profile = expectation(&list, gain);
            let both = Enclosure::ONE - library.loss_distribution(at);
            if apart(profile, library.delta(at))
                || (!undecided && (apart(above, library.tail(at)) || apart(above, both)))
            {
                return Finding::refuted(format!(
                    "at {at} the losses give {profile} and {above}, the library {} and {}",
                    library.delta(at),
                    library.tail(at)
                ));
            }
            compared += 1;
        }
        drawn.push(pair);
    }
    let Some(pair) = drawn.get(1) else { return Finding::undecided("no pair was looked at") };
    let curve = |view: &dyn Fn(f64) -> Enclosure| -> Vec<(f64, f64)> {
        in_steps(-2.0, 2.0, 60).map(|at| (at, view(at).hi())).collect()
    };
    Finding::holds(format!(
        "law, mean, largest value and profile of the loss agree with the list of outcomes, at {compared} points of {} pairs",
        drawn.len()
    ))
    .with_figure(
        Figure::new(
            "The loss of a mechanism with three outcomes: its tail, and the profile that follows",
            Axis::linear("ε"),
            Axis::linear("probability"),
        )
        .curve("Pr(λ > ε)", curve(&|at| pair.tail(at)))
        .curve("δ(ε) = E(1 − e^(ε−λ))₊", curve(&|at| pair.delta(at))),
    )
}

/// Compares 1/(α−1)·ln Σ p·(p/q)^e with the library, e being what `exponent` makes of α; and the
/// right one with it.
fn divergence_by_outcomes(exponent: impl Fn(f64) -> f64) -> Finding {
    let by_outcomes = |pair: &FinitePair, alpha: f64, exponent: f64| {
        let sum = expectation(&losses(pair), |loss| (Enclosure::point(exponent) * loss).exp());
        sum.ln() / (Enclosure::point(alpha) - Enclosure::ONE)
    };
    let (mut worst, mut falls) = (None, false);
    let mut ratios = Vec::new();
    for (pair, largest) in small_pairs().into_iter().filter(|(_, largest)| *largest > 0.0) {
        for alpha in [1.25, 2.0, 3.0, 8.0] {
            let printed = by_outcomes(&pair, alpha, exponent(alpha));
            let right = by_outcomes(&pair, alpha, alpha - 1.0);
            let library = pair.renyi(order(alpha));
            if right.lo() > library.hi() + 1e-12 || library.lo() > right.hi() + 1e-12 {
                return Finding::undecided(format!(
                    "at order {alpha} the library has {library}, and the outcomes give {right}"
                ));
            }
            ratios.push(printed.hi() / library.lo());
            if alpha == 3.0 && printed.hi() < library.lo() {
                worst = Some((printed, library, largest));
            }
            falls |= alpha > 2.0 && printed.hi() < by_outcomes(&pair, 2.0, exponent(2.0)).lo();
        }
    }
    let Some(pair) = FinitePair::new(&[1.0, 2.0, 3.0], &[3.0, 1.0, 1.0]).ok() else {
        return Finding::undecided("a weight was refused");
    };
    let orders = || in_ratios(1.05, 20.0, 40);
    let figure =
        Figure::new("D_α of two laws on three outcomes", Axis::logarithmic("α"), Axis::logarithmic("D_α"))
            .curve("printed", orders().map(|alpha| (alpha, by_outcomes(&pair, alpha, exponent(alpha)).hi())))
            .curve("true", orders().map(|alpha| (alpha, pair.renyi(order(alpha)).hi())));
    match worst {
        Some((printed, library, largest)) if falls => Finding::refuted(format!(
            "for a pair whose losses reach {largest:.3} the printed formula gives {:.4} at order 3 where the divergence is {:.4}, and it falls with the order; \
             with the exponent the outcomes agree with the library",
            printed.hi(),
            library.lo()
        )),
        _ => Finding::holds("the formula agrees with the divergences of the library"),
    }
    .with_figure(figure)
    .with_slack(Slack::over("D_α", ratios))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_variants_are_noticed() {
        assert_eq!(views_of_the_loss(FinitePair::reversed).verdict, Verdict::Refuted);
        // A law that forgets an outcome.
        let forgets = |pair: &FinitePair| {
            let (p, q): (Vec<f64>, Vec<f64>) =
                pair.outcomes().iter().skip(1).map(|(p, q)| (p.hi(), q.hi())).unzip();
            FinitePair::new(&p, &q).unwrap()
        };
        assert_eq!(views_of_the_loss(forgets).verdict, Verdict::Refuted);
        // With the exponent there is nothing to refute.
        assert_eq!(divergence_by_outcomes(|alpha| alpha - 1.0).verdict, Verdict::Holds);
        assert_eq!(divergence_by_outcomes(|_| 1.0).verdict, Verdict::Refuted);
    }
}
