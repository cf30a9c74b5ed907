//! M11: the exponential mechanism is ε-private.
//!
//! About [`dp_mechanisms::selection::Exponential`].

use crate::claim::{Claim, Finding, Kind, Verdict};
use crate::figure::{Axis, Figure};
use crate::grid::in_steps;
use dp_core::pairs::{DominatingPair, FinitePair};
use dp_core::{Alpha, Dominated, Error, ForGuarantee, Pure, Scale};

use super::{EPSILONS, bits_have_the_law, moving, moving_one_way, triples, try_neighbours};
use dp_mechanisms::internals::{laws, winner};
use dp_mechanisms::selection::{Exponential, GumbelNoise, Monotone};

pub(in crate::claims) const M11: Claim = Claim {
    id: "M11",
    source: "Cambridge; Kearns; Ottawa Thm 27; Harvard 6.2",
    statement: "the exponential mechanism, Pr(i) ∝ exp(εuᵢ/2Δ), is ε-DP",
    formula: "Pr(i) = e^(εuᵢ/2Δ)/Σⱼ e^(εuⱼ/2Δ)",
    meaning: "The exponential mechanism picks one of several candidates, better ones with exponentially larger probability. The exact probabilities of all \
              neighbours of three candidates were compared: none is beyond the ratio that ε allows, and some come within one percent of it, so that the theorem is \
              tight. Where a record can move all scores in one direction only, half of the noise is enough, and the library's types tell the two cases apart. The \
              sampler was run on all short bit strings and has the exact law. The library also uses that the loss of this mechanism has a bounded range, which makes \
              it cheaper under composition; that was checked against exact divergences.",
    kind: Kind::Enumeration,
    expected: Verdict::Holds,
    check: || judge(general, monotone).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

fn general(epsilon: f64) -> Result<Scale, Error> {
    Ok(Exponential::<dp_mechanisms::selection::General>::for_guarantee(&Pure::new(epsilon)?, moving(1.0)?)?
        .scale())
}

fn monotone(epsilon: f64) -> Result<Scale, Error> {
    Ok(Exponential::<Monotone>::for_guarantee(&Pure::new(epsilon)?, moving_one_way(1.0)?)?.scale())
}

/// Checks two calibrations, for scores that move in any way and in one direction: their exact laws,
/// their bits, and the bounded range.
fn judge(
    general: fn(f64) -> Result<Scale, Error>,
    monotone: fn(f64) -> Result<Scale, Error>,
) -> Result<Finding, Error> {
    let scale = general(1.0)?;
    let figure = picture(scale.get(), monotone(1.0)?.get());
    let finding = Finding::together([
        try_neighbours(laws::exponential, false, general)?,
        try_neighbours(laws::exponential, true, monotone)?,
        bits_have_the_law(laws::exponential, scale, 1.0, |scores, bits| {
            winner::<GumbelNoise, _>(scores, scale, bits)
        }),
        range_bounds_divergences(general)?,
    ]);
    Ok(finding.with_figure(figure))
}

/// The loss of selecting the first of two candidates that is a distance ahead, when the scores
/// change by one each, at ε = 1.
fn picture(any: f64, one_way: f64) -> Figure {
    let loss = |ahead: f64, change: [f64; 2], scale: f64| {
        let [here, there] =
            [[ahead, 0.0], [ahead + change[0], change[1]]].map(|scores| laws::exponential(&scores, scale)[0]);
        (here / there).ln().hi()
    };
    let along = || in_steps(-12.0, 6.0, 37);
    Figure::new(
        "Two candidates at ε = 1: the loss of selecting the first",
        Axis::linear("how far it is ahead, in Δ"),
        Axis::linear("loss"),
    )
    .curve("claimed", along().map(|ahead| (ahead, 1.0)))
    .curve("true, any scores", along().map(|ahead| (ahead, loss(ahead, [-1.0, 1.0], any))))
    .curve("true, monotone scores", along().map(|ahead| (ahead, loss(ahead, [-1.0, 0.0], one_way))))
}

/// The exact divergences of neighbours stay below αε²/8 and below the dominating pair, and exceed
/// 0.9 of αε²/8 somewhere, which ε-privacy alone does not give.
fn range_bounds_divergences(scale: fn(f64) -> Result<Scale, Error>) -> Result<Finding, Error> {
    let mut closest = 0.0f64;
    for epsilon in EPSILONS {
        let scale = scale(epsilon)?;
        let pair = Exponential::with_scale(scale).dominating_pair(moving(1.0)?)?;
        // The worst case has equal masses on the two ends of the range.
        for scores in triples([0.0, 0.5, 1.0]) {
            for change in [[1.0, -1.0, -1.0], [1.0, 1.0, -1.0], [-1.0, 1.0, 0.0]] {
                let moved = [0, 1, 2].map(|i| scores[i] + change[i]);
                let [p, q] = [scores, moved].map(|scores| {
                    laws::exponential(&scores, scale.get()).iter().map(|p| p.lo()).collect::<Vec<_>>()
                });
                let exact = FinitePair::new(&p, &q)?;
                for order in [1.01, 2.0, 8.0] {
                    let divergence = exact.renyi(Alpha::new(order)?).lo();
                    let limit = order * epsilon * epsilon / 8.0;
                    if divergence > limit * (1.0 + 1e-9)
                        || divergence > pair.renyi(Alpha::new(order)?).hi() * (1.0 + 1e-9)
                    {
                        return Ok(Finding::refuted(format!(
                            "range: D_{order} = {divergence} at ε = {epsilon}, above αε²/8 = {limit} or the dominating pair"
                        )));
                    }
                    closest = closest.max(divergence / limit);
                }
            }
        }
    }
    Ok(if closest > 0.9 {
        Finding::holds(format!("range: all divergences are below αε²/8, the closest at {closest:.3} of it"))
    } else {
        Finding::undecided(format!("range: no divergence above {closest:.3} of αε²/8"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_noise_is_refuted_and_twice_does_not_hold() {
        let scale = |factor: f64| Scale::new(factor);
        let half = try_neighbours(laws::exponential, false, |epsilon| scale(1.0 / epsilon)).unwrap();
        assert_eq!(half.verdict, Verdict::Refuted, "{}", half.detail); // what monotone scores need is too little for others
        let less = try_neighbours(laws::exponential, true, |epsilon| scale(0.97 / epsilon)).unwrap();
        assert_eq!(less.verdict, Verdict::Refuted, "{}", less.detail);
        let twice = try_neighbours(laws::exponential, false, |epsilon| scale(4.0 / epsilon)).unwrap();
        assert_eq!(twice.verdict, Verdict::Undecided, "{}", twice.detail);
        assert_eq!(judge(monotone, monotone).unwrap().verdict, Verdict::Refuted);
    }

    #[test]
    fn broken_bits_and_ranges_are_refuted() {
        let scale = general(1.0).unwrap();
        let narrow = Scale::new(scale.get() / 2.0).unwrap();
        let finding = bits_have_the_law(laws::exponential, scale, 1.0, |scores, bits| {
            winner::<GumbelNoise, _>(scores, narrow, bits)
        });
        assert_eq!(finding.verdict, Verdict::Refuted, "{}", finding.detail);
        let finding = bits_have_the_law(laws::exponential, scale, 1.0, |scores, bits| {
            winner::<dp_mechanisms::selection::ExponentialNoise, _>(scores, scale, bits)
        });
        assert_eq!(finding.verdict, Verdict::Refuted, "{}", finding.detail);
        assert_eq!(range_bounds_divergences(monotone).unwrap().verdict, Verdict::Refuted);
    }
}
