//! Curves as tables at many orders.

use core::f64::consts::LN_2;

use dp_core::pairs::DominatingPair;
use dp_core::rounding::exp_up;
use dp_core::{Alpha, Curve, Epsilon, Error, Points, Rdp};

/// A Rényi curve that bounds the divergences of all given pairs, such as both directions of
/// add/remove.
///
/// The table has about 600 orders from 1.004 to 2048; in between (α−1)·D_α lies below its chord.
/// Two steps of the table differ by two percent in α − 1, which makes a converted ε too large by a
/// part in 10³ where the curve bends sharply, and by far less elsewhere.
///
/// # Errors
/// [`Error::Empty`] without any pair.
pub fn tabulate(pairs: &[&dyn DominatingPair]) -> Result<Rdp, Error> {
    if pairs.is_empty() {
        return Err(Error::Empty { argument: "the list of pairs" });
    }
    const STEPS: i32 = 32; // in each doubling of α − 1
    let orders = (-8 * STEPS..=11 * STEPS)
        .map(|k| Alpha::saturating(1.0 + exp_up(f64::from(k) / f64::from(STEPS) * LN_2)));
    let worst = |order| pairs.iter().map(|pair| pair.renyi(order).hi()).fold(0.0, f64::max);
    from_bounds(orders.map(|order| (order, worst(order))))
}

/// The orders of curves that are known at integers: all up to 128, and one percent apart up
/// to 1024.
pub(super) fn integer_orders() -> impl Iterator<Item = u16> {
    let mut last = 1;
    core::iter::from_fn(move || {
        last += (last / 128).max(1);
        (last <= 1024).then_some(last)
    })
}

/// A curve from upper bounds at rising orders.
pub(super) fn from_bounds(bounds: impl Iterator<Item = (Alpha, f64)>) -> Result<Rdp, Error> {
    let points = bounds.map(|(order, bound)| (order, Epsilon::saturating(bound))).collect();
    Ok(Rdp::from(Curve::Points(Points::new(points)?)))
}
