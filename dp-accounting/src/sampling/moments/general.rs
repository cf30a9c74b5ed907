//! Mixtures of any pair, from the divergences of the pair.

use dp_core::Alpha;
use dp_core::rounding::Enclosure;

use crate::sampling::threshold::mixture_loss;
use crate::sampling::{Direction, TwoSided};

/// Up to this order the binomial sum is taken.
pub(crate) const LARGEST_SUM: u16 = 2048;

/// Encloses the divergence of the mixture.
///
/// - Towards Q at an integer order n: 1 + Σ_{j≥2} C(n,j)(1−q)^(n−j) q^j (E_Q r^j − 1), exactly,
///   with E_Q r^j = e^((j−1)D_j).
/// - At orders in between: ln E_Q(1+y)^α is convex in α, so it lies below the chord of the two
///   integers beside it, and above the chords beyond them.
/// - From Q: D_α(Q‖M) is at most D_α(M‖Q) if the base pair is symmetric. *Proof* (the statement is
///   that of Mironov, Talwar and Zhang 2019): it suffices to look at one pair of losses ±ℓ, to
///   which Q gives the weights a : e^ℓ·a, and ratios m = 1−q+qe^ℓ, m' = 1−q+qe^−ℓ. The claim
///   a(m^α − m^(1−α)) ≥ ae^ℓ(m'^(1−α) − m'^α) is, with s = α − ½, √m·sinh(s·ln
///   m) ≥ e^ℓ√m'·sinh(s·ln 1/m'). At s = ½ both sides are equal, because E_Q 1 = E_Q(1+y); and the
///   quotient of the two rises in s, because mm' ≥ 1. ∎
/// - Always: both e^((α−1)D) are convex in the mixture, hence at most 1 − q + q·e^((α−1)D'), D'
///   that of the base pair; no loss is larger than the largest; and M ≥ qP.
pub(in crate::sampling) fn mixture_renyi<P: TwoSided>(
    pair: &P,
    rate: Enclosure,
    direction: Direction,
    order: Alpha,
) -> Enclosure {
    match direction {
        Direction::Remove => towards_reference(pair, rate, order),
        Direction::Add => {
            let reversed = pair.reversed();
            let convex = by_convexity(reversed.divergence(order), rate, order);
            let lowest = Enclosure::point(-reversed.max_loss());
            let largest = -(rate * lowest.exp_m1()).ln_1p();
            let most = convex.hi().min(largest.hi());
            let most =
                if pair.is_symmetric() { most.min(towards_reference(pair, rate, order).hi()) } else { most };
            Enclosure::new(0.0, most.max(0.0))
        }
    }
}

/// Encloses D_α(M‖Q).
fn towards_reference<P: TwoSided>(pair: &P, rate: Enclosure, order: Alpha) -> Enclosure {
    let alpha = Enclosure::point(order.get());
    let below = alpha - Enclosure::ONE;
    let base = pair.divergence(order);
    let largest = mixture_loss(Enclosure::point(pair.max_loss()), rate).hi();
    let most = base.hi().min(largest).min(by_convexity(base, rate, order).hi());
    let least = (base + alpha * rate.ln() / below).lo().max(0.0);
    let summed = if order.get() <= f64::from(LARGEST_SUM) {
        between_integers(pair, rate, order.get()) / below
    } else {
        Enclosure::new(0.0, f64::INFINITY)
    };
    Enclosure::new(summed.lo().max(least).min(most.max(0.0)), summed.hi().min(most).max(0.0))
}

/// Encloses an upper bound: ln(1 − q + q·e^((α−1)D)) / (α−1).
pub(crate) fn by_convexity(base: Enclosure, rate: Enclosure, order: Alpha) -> Enclosure {
    let below = Enclosure::point(order.get()) - Enclosure::ONE;
    if base.hi().is_infinite() {
        return Enclosure::new(0.0, f64::INFINITY);
    }
    mixture_loss(Enclosure::point((below * base).hi()), rate) / below
}

/// Encloses ψ(α) = ln E_Q(1+y)^α, for 1 < α ≤ [`LARGEST_SUM`].
fn between_integers<P: TwoSided>(pair: &P, rate: Enclosure, alpha: f64) -> Enclosure {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // between 1 and LARGEST_SUM
    let n = alpha.floor() as u16;
    let exact = alpha == f64::from(n);
    let divergence = |j: u16| pair.divergence(Alpha::saturating(f64::from(j)));
    let excesses = excesses(divergence, if exact { n } else { n + 2 });
    let at = |n: u16| log_moment(&excesses, rate, n);
    if exact {
        return at(n);
    }
    let [before, left, right, after] = [n - 1, n, n + 1, n + 2].map(at);
    let share = Enclosure::point(alpha) - Enclosure::point(f64::from(n));
    let chord = left + share * (right - left);
    let (from_left, from_right) =
        (left + share * (left - before), right - (Enclosure::ONE - share) * (after - right));
    Enclosure::new(from_left.lo().max(from_right.lo()).min(chord.hi()), chord.hi())
}

/// Encloses ln(E_Q r^j − 1) for j = 2 … n, from the divergences D_j.
pub(crate) fn excesses(divergence: impl Fn(u16) -> Enclosure, n: u16) -> Vec<Enclosure> {
    let excess = |j: u16| {
        let exponent = Enclosure::point(f64::from(j - 1)) * divergence(j);
        // ln(eˣ − 1), also where eˣ is no float.
        if exponent.lo() > 1.0 { exponent + (-(-exponent).exp()).ln_1p() } else { exponent.exp_m1().ln() }
    };
    (2..=n).map(excess).collect()
}

/// Encloses ln(1 + Σ_{j=2}^n C(n,j)(1−q)^(n−j) q^j (E_Q r^j − 1)).
pub(crate) fn log_moment(excesses: &[Enclosure], rate: Enclosure, n: u16) -> Enclosure {
    if n < 2 {
        return Enclosure::ZERO;
    }
    let count = Enclosure::point(f64::from(n));
    let (into, out) = (rate.ln(), (-rate).ln_1p());
    let odds = into - out;
    let mut weight = count * out + count.ln() + odds; // ln of n(1−q)^(n−1)q
    let terms: Vec<Enclosure> = (2..=n)
        .zip(excesses)
        .map(|(j, &excess)| {
            weight = weight + odds + Enclosure::point(f64::from(n + 1 - j)).ln()
                - Enclosure::point(f64::from(j)).ln();
            weight + excess
        })
        .collect();
    let top = terms.iter().map(|term| term.hi()).fold(f64::NEG_INFINITY, f64::max);
    if !top.is_finite() {
        return Enclosure::new(0.0, if top > 0.0 { top } else { f64::MIN_POSITIVE });
    }
    let top = Enclosure::point(top);
    let sum = terms.iter().fold(Enclosure::ZERO, |sum, &term| sum + (term - top).exp());
    let log = top + sum.ln();
    // ln(1 + e^log)
    if log.lo() > 1.0 { log + (-log).exp().ln_1p() } else { log.exp().ln_1p() }
}
