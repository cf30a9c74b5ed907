//! The best ε and δ that a Rényi curve proves, enclosed from both sides.

use core::cell::Cell;

use dp_core::rounding::{Enclosure, exp_up};
use dp_core::{Alpha, Delta, Epsilon};

use crate::search::lowest_between;

/// Encloses the smallest ε ≥ 0 such that the bound of Canonne, Kamath and Steinke (2020) at some
/// order α > 1 proves (ε,δ), for a curve D_α that is the divergence of a pair or a sum of such:
///
/// > ln δ(ε) = inf_{t>0} tD_{1+t} − εt + t·ln t − (t+1)·ln(t+1),  t = α − 1.
///
/// The upper end holds at the order that was found, for every curve. The lower end says that no
/// other order does better: tD_{1+t} is convex, being the logarithm of a moment, and so is the rest
/// (its second derivative is 1/t(t+1)), so three points around the minimum bound it from below, by
/// their secants prolonged. It is 0 where no order in (1, 10¹²) is the best, as for a pure
/// guarantee at a tiny δ. Both ends are infinite at δ = 0, where no order proves anything.
///
/// ```
/// use dp_accounting::renyi::smallest_epsilon;
/// use dp_core::{Delta, rounding::Enclosure};
///
/// // ½-zCDP
/// let best = smallest_epsilon(|order| Enclosure::point(0.5 * order.get()), Delta::new(1e-5)?);
/// assert!(best.contains(4.728_386_984_943_314) && best.hi() - best.lo() < 1e-9);
/// # Ok::<(), dp_core::Error>(())
/// ```
pub fn smallest_epsilon(curve: impl Fn(Alpha) -> Enclosure, delta: Delta) -> Enclosure {
    if delta == Delta::ZERO {
        return Enclosure::point(f64::INFINITY);
    }
    if delta == Delta::ONE {
        return Enclosure::ZERO;
    }
    let conversion = Conversion { curve, log_delta: Enclosure::point(delta.get()).ln() };
    let (at, best) = conversion.search(PRECISION);
    let most = best.max(0.0);
    // Close points make the secants flat, and their noise large: the best of some distances.
    let least = [1e-3, 1e-4, 1e-5, 1e-6].map(|distance| conversion.lower_end(at, most, distance));
    Enclosure::new(least.into_iter().fold(0.0, f64::max).min(most), most)
}

/// How closely the best ln t is looked for, so that three points around it bound all others.
pub(crate) const PRECISION: f64 = 3e-5;

/// The upper end of [`smallest_epsilon`] alone, from the best of all orders that a search for the
/// best ln t looks at, down to a distance of `precision`. A curve may be infinite at orders at
/// which it is not known.
pub(crate) fn provable_epsilon(curve: impl Fn(Alpha) -> Enclosure, delta: Delta, precision: f64) -> f64 {
    if delta == Delta::ZERO {
        return f64::INFINITY;
    }
    let conversion = Conversion { curve, log_delta: Enclosure::point(delta.get()).ln() };
    let proven = |log: f64| {
        let (t, excess) = conversion.excess(log);
        (excess / t).hi()
    };
    least_seen(proven, precision).max(0.0)
}

/// The upper end of [`smallest_delta`] alone, likewise.
pub(crate) fn provable_delta(curve: impl Fn(Alpha) -> Enclosure, epsilon: Epsilon, precision: f64) -> f64 {
    if epsilon.is_infinite() {
        return 0.0;
    }
    let conversion = Conversion { curve, log_delta: Enclosure::ZERO };
    let log_bound = |log: f64| {
        let (t, excess) = conversion.excess(log);
        (excess - t * Enclosure::point(epsilon.get())).hi()
    };
    Enclosure::point(least_seen(log_bound, precision)).exp().hi().min(1.0)
}

/// The least value that a search for the lowest point comes across.
fn least_seen(value: impl Fn(f64) -> f64, precision: f64) -> f64 {
    let least = Cell::new(f64::INFINITY);
    lowest(
        |log| {
            let value = value(log);
            least.set(least.get().min(value)); // not where it is NaN
            value
        },
        precision,
    );
    least.get()
}

/// The orders 1 + t of which [`epsilon_at_few_orders`] and [`delta_at_few_orders`] take the best,
/// those that help most often first.
pub(crate) const FEW_ORDERS: [f64; 9] = [8.0, 2.0, 32.0, 4.0, 16.0, 1.0, 64.0, 0.5, 0.25];

/// An ε that one of few orders proves: for curves that take long.
pub(crate) fn epsilon_at_few_orders(curve: impl Fn(Alpha) -> Enclosure, delta: Delta) -> f64 {
    let conversion = Conversion { curve, log_delta: Enclosure::point(delta.get()).ln() };
    let proven = |t: &f64| {
        let (t, excess) = conversion.excess(libm::log(*t));
        (excess / t).hi()
    };
    FEW_ORDERS.iter().map(proven).fold(f64::INFINITY, f64::min).max(0.0)
}

/// A δ that one of few orders proves.
pub(crate) fn delta_at_few_orders(curve: impl Fn(Alpha) -> Enclosure, epsilon: Epsilon) -> f64 {
    let conversion = Conversion { curve, log_delta: Enclosure::ZERO };
    let proven = |t: &f64| {
        let (t, excess) = conversion.excess(libm::log(*t));
        (excess - t * Enclosure::point(epsilon.get())).exp().hi()
    };
    FEW_ORDERS.iter().map(proven).fold(1.0, f64::min)
}

/// Encloses the smallest δ such that the bound of [`smallest_epsilon`] proves (ε,δ) at some order.
///
/// The lower end comes from three points around the minimum of a convex function. It is 0 where no
/// order in (1, 10¹²) is the best.
///
/// ```
/// use dp_accounting::renyi::smallest_delta;
/// use dp_core::{Epsilon, rounding::Enclosure};
///
/// let epsilon = Epsilon::new(4.728_386_984_943_314)?;
/// let best = smallest_delta(|order| Enclosure::point(0.5 * order.get()), epsilon);
/// assert!((best.hi() / 1e-5 - 1.0).abs() < 1e-9 && best.relative_width() < 1e-6);
/// # Ok::<(), dp_core::Error>(())
/// ```
pub fn smallest_delta(curve: impl Fn(Alpha) -> Enclosure, epsilon: Epsilon) -> Enclosure {
    if epsilon.is_infinite() {
        return Enclosure::ZERO;
    }
    let conversion = Conversion { curve, log_delta: Enclosure::ZERO };
    let log_bound = |log: f64| {
        let (t, excess) = conversion.excess(log);
        (t, excess - t * Enclosure::point(epsilon.get()))
    };
    let at = lowest(|log| log_bound(log).1.hi(), PRECISION);
    let [(t1, g1), (t2, g2), (t3, g3)] = [at - 1e-4, at, at + 1e-4].map(log_bound);
    let beside = (g2 - (t2 - t1) * (g3 - g2) / (t3 - t2)).min(g2 - (t3 - t2) * (g1 - g2) / (t2 - t1));
    let least = if g1.lo() >= g2.hi() && g3.lo() >= g2.hi() { beside.lo() } else { f64::NEG_INFINITY };
    let most = g1.hi().min(g2.hi()).min(g3.hi());
    Enclosure::new(Enclosure::point(least.min(most)).exp().lo(), Enclosure::point(most).exp().hi())
        .probability()
}

/// About where a function of ln t that falls and then rises is lowest, ln t in [−30, 28].
fn lowest(value: impl Fn(f64) -> f64, precision: f64) -> f64 {
    const STEP: f64 = 0.5;
    let at = |log: f64| {
        let value = value(log);
        if value.is_nan() { f64::INFINITY } else { value }
    };
    let mut centre = 1.0;
    let mut best = at(centre);
    for direction in [STEP, -STEP] {
        loop {
            let next = centre + direction;
            let value = at(next);
            if value > best || !(-30.0..=28.0).contains(&next) || (value == best && value.is_finite()) {
                break;
            }
            (centre, best) = (next, value);
        }
    }
    let last = lowest_between(at, [centre - STEP, centre + STEP], precision);
    if last.1 < best { last.0 } else { centre }
}

struct Conversion<C> {
    curve: C,
    log_delta: Enclosure,
}

impl<C: Fn(Alpha) -> Enclosure> Conversion<C> {
    /// The order 1 + eˣ, and t = α − 1, which is a float.
    fn order(log: f64) -> (Alpha, Enclosure) {
        let order = Alpha::saturating(1.0 + exp_up(log));
        (order, Enclosure::point(order.get()) - Enclosure::ONE)
    }

    /// Encloses H(t) = tD + t·ln t − (t+1)·ln(t+1) − ln δ: ε is proven at this order if H(t) ≤ εt.
    fn excess(&self, log: f64) -> (Enclosure, Enclosure) {
        let (order, t) = Self::order(log);
        let alpha = Enclosure::point(order.get());
        // t·ln t − (t+1)·ln(t+1) = −t·ln(1 + 1/t) − ln(t+1)
        let entropy = t * (Enclosure::ONE / t).ln_1p() + alpha.ln();
        (t, t * (self.curve)(order) - entropy - self.log_delta)
    }

    /// The logarithm of the best t that was found, and the ε that is proven there. ε(t) falls and
    /// then rises: H(t)/t of a convex H that is positive at 0.
    fn search(&self, precision: f64) -> (f64, f64) {
        let proven = |log: f64| {
            let (t, excess) = self.excess(log);
            (excess / t).hi()
        };
        let at = lowest(proven, precision);
        let best = proven(at);
        (at, if best.is_nan() { f64::INFINITY } else { best })
    }

    /// An ε of which three points around t prove that no order proves it; 0 when they do not
    /// suffice.
    ///
    /// Let g(t) = H(t) − εt at t₁ < t₂ < t₃, lowest at t₂. Outside of the three points g is at
    /// least g(t₁) or g(t₃). Between t₁ and t₂ it lies above the line through t₂ and t₃, between t₂
    /// and t₃ above that through t₁ and t₂, hence above g₂ − (t₂−t₁)(g₃−g₂)/(t₃−t₂) and
    /// g₂ − (t₃−t₂)(g₁−g₂)/(t₂−t₁). Is all of this positive, then H(t) > εt everywhere.
    fn lower_end(&self, at: f64, most: f64, distance: f64) -> f64 {
        let points = [at - distance, at, at + distance].map(|log| self.excess(log));
        let [first, second, third] = points.map(|(t, _)| t);
        let refuted = |epsilon: f64| {
            let [g1, g2, g3] = points.map(|(t, excess)| excess - t * Enclosure::point(epsilon));
            let left = g2 - (second - first) * (g3 - g2) / (third - second);
            let right = g2 - (third - second) * (g1 - g2) / (second - first);
            g1.lo() >= g2.hi() && g3.lo() >= g2.hi() && left.lo() > 0.0 && right.lo() > 0.0
        };
        // From the upper end downwards, until the points suffice.
        let mut gap = most * 1e-15;
        while gap < most {
            if refuted(most - gap) {
                return most - gap;
            }
            gap *= 2.0;
        }
        0.0
    }
}
