//! What a loss of the sampled mechanism asks of the base pair, and the base pair looked at there.

use dp_core::pairs::DominatingPair;
use dp_core::rounding::Enclosure;

use super::TwoSided;

/// Encloses t(ε) = ln(1 + (e^ε − 1)/q), where the likelihood ratio 1 − q + q·eᵗ of the mixture is
/// e^ε; −∞ where there is no such t, for ε ≤ ln(1−q). The rate is in (0, 1].
///
/// Three forms, each accurate in its part and none of which overflows.
pub(super) fn base_loss(epsilon: f64, rate: Enclosure) -> Enclosure {
    let point = Enclosure::point(epsilon);
    if epsilon == f64::INFINITY {
        return point;
    }
    if epsilon > 1.0 {
        // e^ε − 1 + q = e^ε·(1 − (1−q)e^−ε)
        return point - rate.ln() + (-((Enclosure::ONE - rate) * (-point).exp())).ln_1p();
    }
    let growth = point.exp_m1();
    let ratio = growth / rate;
    if ratio.hi() <= 1.0 { ratio.ln_1p() } else { (growth + rate).ln() - rate.ln() }
}

/// Encloses ln(1 − q + q·e^ℓ), the loss of the mixture where the base pair loses ℓ. The inverse of
/// [`base_loss`].
pub(super) fn mixture_loss(loss: Enclosure, rate: Enclosure) -> Enclosure {
    if loss.hi() < 700.0 {
        let change = rate * loss.exp_m1();
        if change.lo() > -0.5 {
            return change.ln_1p();
        }
        return (Enclosure::ONE - rate + rate * loss.exp()).ln();
    }
    let scaled = loss + rate.ln();
    if scaled.hi() < 700.0 {
        (scaled.exp() - rate).ln_1p()
    } else {
        scaled + ((Enclosure::ONE - rate) * (-scaled).exp()).ln_1p()
    }
}

/// What every profile satisfies: (1 − e^ε)₊ ≤ δ(ε) ≤ 1. Narrows a computed enclosure to it.
pub(super) fn within_profile_limits(computed: Enclosure, epsilon: f64) -> Enclosure {
    let floor = (-Enclosure::point(epsilon).exp_m1()).max(Enclosure::ZERO);
    computed.max(floor).probability()
}

/// Encloses the profile of a pair at an enclosed ε.
pub(super) fn profile(pair: &impl DominatingPair, epsilon: Enclosure) -> Enclosure {
    falling(|epsilon| pair.delta(epsilon), epsilon)
}

/// Encloses Pr(L > t), L ~ P, of a pair at an enclosed t.
pub(super) fn tail(pair: &impl DominatingPair, loss: Enclosure) -> Enclosure {
    falling(|loss| pair.tail(loss), loss)
}

/// Encloses Q(ln P/Q > t) of a pair at an enclosed t.
///
/// Two ways, of which each is accurate where the other is not: e^−t·(Pr(L > t) − δ(t)), for δ(t) =
/// Pr(L > t) − eᵗ·Q(ln P/Q > t); and one minus the tail of (Q, P), whose loss is at least −t, which
/// is more than −t or exactly −t.
pub(super) fn reference_tail<P: TwoSided>(pair: &P, loss: Enclosure) -> Enclosure {
    let at = |t: f64| {
        if t.is_infinite() {
            return if t > 0.0 { Enclosure::ZERO } else { Enclosure::new(0.0, 1.0) };
        }
        let below = pair.tail(t) - pair.delta(t);
        let first = (below.max(Enclosure::ZERO) * Enclosure::point(-t).exp()).probability();
        let reversed = pair.reversed();
        let (least, most) = (reversed.tail(-t), reversed.tail((-t).next_down()));
        let second = (Enclosure::ONE - Enclosure::new(least.lo(), most.hi())).probability();
        Enclosure::new(first.lo().max(second.lo()), first.hi().min(second.hi()))
    };
    falling(at, loss)
}

/// Encloses a falling function at an enclosed argument.
fn falling(function: impl Fn(f64) -> Enclosure, argument: Enclosure) -> Enclosure {
    if argument.lo() == argument.hi() {
        return function(argument.lo());
    }
    Enclosure::new(function(argument.hi()).lo(), function(argument.lo()).hi())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_maps_are_inverse() {
        for rate in [5e-324, 1e-300, 1e-9, 0.01, 0.5, 0.999, 1.0] {
            for epsilon in [-3.0, -0.1, -1e-9, 0.0, 1e-12, 1e-3, 0.4, 1.0, 1.5, 30.0, 700.0, 1e5] {
                let q = Enclosure::point(rate);
                let there = base_loss(epsilon, q);
                if there.lo() == f64::NEG_INFINITY {
                    assert!(epsilon < 0.0 && epsilon <= (-rate).ln_1p() + 1e-12, "{rate} {epsilon}");
                    continue;
                }
                let back = mixture_loss(there, q);
                assert!(back.contains(epsilon), "q {rate}, ε {epsilon}: {there:?} {back:?}");
                // Where 1 + (e^ε−1)/q is near 0 the way there loses what the way back cannot find
                // again.
                let slack = 1e-11 * epsilon.abs().max(rate) + 1e-300;
                assert!(back.hi() - back.lo() <= slack, "q {rate:e}, ε {epsilon}: {back:?}");
            }
        }
    }
}
