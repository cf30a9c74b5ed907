//! From sensitivities and scales to guarantees, and back.

use dp_core::rounding::{Enclosure, div_up};
use dp_core::{Epsilon, Error, MeasuredIn, Rho, Scale, Zcdp};

use super::Scores;

/// ε = 2Δ/b (Δ/b for monotone scores), rounded up.
pub(super) fn loss<S: Scores>(scale: Scale, sensitivity: impl MeasuredIn<S::Norm>) -> Epsilon {
    // A product with one or two is exact or overflows, and an infinite ε is what that leaves.
    Epsilon::saturating(div_up(S::RANGE * sensitivity.value(), scale.get()))
}

/// The smallest scale whose loss is at most ε: 2Δ/ε (Δ/ε for monotone scores), rounded up.
pub(super) fn scale_for<S: Scores>(
    epsilon: Epsilon,
    sensitivity: impl MeasuredIn<S::Norm>,
) -> Result<Scale, Error> {
    if epsilon.is_infinite() {
        return Err(Error::Unreachable {
            request: "a scale of noise for an infinite epsilon",
            instead: "it asks for no noise at all; ask for a finite epsilon",
        });
    }
    if sensitivity.value() == 0.0 {
        return Err(Error::Unreachable {
            request: "a scale of noise for a sensitivity of 0",
            instead: "the scores are the same on all neighbours and need no noise; choose the best candidate as it is, \
                      or state their true sensitivity",
        });
    }
    let scale = div_up(S::RANGE * sensitivity.value(), epsilon.get());
    if scale.is_finite() {
        Scale::new(scale) // never zero: a positive quotient is rounded up to a positive float
    } else {
        Err(Error::Unreachable {
            request: "the sensitivity divided by epsilon, the scale of the noise,",
            instead: "no finite scale is that large; allow a larger epsilon or bound the scores more tightly",
        })
    }
}

/// The zCDP of `rounds` adaptive selections of bounded range ε each: rounds·ε²/8, rounded up. The
/// proof is at [`Exponential::concentrated`](super::Exponential::concentrated); adaptive rounds add
/// up.
pub(super) fn concentrated(range: Epsilon, rounds: u32) -> Zcdp {
    let rho = Enclosure::point(range.get()).square() * Enclosure::point(f64::from(rounds) / 8.0);
    Rho::saturating(rho.hi()).into()
}

/// A range ε for which `rounds` selections keep D_α ≤ ξ + ρα for all α > 1, as large as one can
/// prove, rounded down.
///
/// D_α of one round is at most ε and at most αε²/8. The two meet at α = 8/ε, and D_α ≤ ξ + ρα holds
/// for all α if it does there: on the left the bound is a line through the origin, where ξ ≥ 0, and
/// on the right it is constant. So kε ≤ ξ + 8ρ/ε suffices, that is ε ≤ (ξ + √(ξ² + 32kρ))/2k. For
/// ξ = 0 it is √(8ρ/k), and for ρ = 0 it is ξ/k.
pub(super) fn range_for(target: &Zcdp, rounds: u32) -> Epsilon {
    let (xi, rho) = (Enclosure::point(target.xi().get()), Enclosure::point(target.rho().get()));
    let k = Enclosure::point(f64::from(rounds));
    let root = (xi.square() + Enclosure::point(32.0) * k * rho).sqrt();
    let range = (xi + root) / (Enclosure::point(2.0) * k);
    Epsilon::saturating(range.lo())
}
