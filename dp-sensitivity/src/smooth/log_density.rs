//! Densities by their logarithm, and the largest loss between two of them.

use dp_core::rounding::Enclosure;

/// A symmetric density h that falls on both sides of zero, by φ = −ln h.
///
/// # Contract
/// For all z ≥ 0: φ rises; `exponent` and `slope` enclose φ, up to one constant, and its
/// derivative, everywhere on the interval that they get; and `growth(z)` is at least y·φ'(y) for
/// all y ≥ z. The narrower the interval, the narrower both are.
pub trait LogDensity {
    /// Encloses φ on an interval of z ≥ 0, up to a constant.
    fn exponent(&self, z: Enclosure) -> Enclosure;

    /// Encloses φ' on an interval of z ≥ 0.
    fn slope(&self, z: Enclosure) -> Enclosure;

    /// At least y·φ'(y), for all y ≥ z: the power of a tail. Infinite where the tail has none, as
    /// that of Laplace noise.
    fn growth(&self, z: f64) -> f64;
}

/// Whether ln p/q surely stays within ε, for Q stretched by e^λ and shifted by s. A no may mean
/// that the cells did not suffice.
///
/// The largest loss is λ + sup over y ≥ 0 of φ((y + s)·e^−λ) − φ(y): left of zero this is the loss
/// itself at −y, between 0 and s the loss falls, and beyond s it is less than at −z. Cells of y are
/// halved until each is settled: where the slope has one sign the supremum is at an end, elsewhere
/// it is bounded by the slope; and beyond y it is at most growth(y)·max(0, ln(1 + s/y) − λ).
pub(crate) fn loses_at_most(
    law: &impl LogDensity,
    epsilon: Enclosure,
    shift: Enclosure,
    lambda: Enclosure,
    cells: u32,
) -> bool {
    let (allowed, stretch) = ((epsilon - lambda).lo(), (-lambda).exp());
    let excess = |y: Enclosure| law.exponent((y + shift) * stretch) - law.exponent(y);
    let slope = |y: Enclosure| stretch * law.slope((y + shift) * stretch) - law.slope(y);
    let beyond = |y: f64| {
        (Enclosure::point(law.growth(y))
            * ((shift / Enclosure::point(y)).ln_1p() - lambda).max(Enclosure::ZERO))
        .hi()
    };
    // Where the rest is settled by its bound, cells of doubling ends lead up to it.
    let mut end = 1.0;
    let mut waiting = vec![(0.0, 1.0)];
    while beyond(end) > allowed {
        waiting.push((end, end * 2.0));
        end *= 2.0;
        if end > 1e30 {
            return false;
        }
    }
    let mut left = cells;
    while let Some((a, b)) = waiting.pop() {
        let (cell, middle) = (Enclosure::new(a, b), Enclosure::point(0.5 * (a + b)));
        let (here, steepest) = (excess(middle), slope(cell));
        // Rising, falling, or by the mean value theorem: (y − middle)·slope.
        let most = if steepest.lo() >= 0.0 {
            excess(Enclosure::point(b))
        } else if steepest.hi() <= 0.0 {
            excess(Enclosure::point(a))
        } else {
            here + (cell - middle) * steepest
        };
        if most.hi() <= allowed {
            continue;
        }
        if left == 0 || here.lo() > allowed {
            return false;
        }
        left -= 1;
        waiting.push((a, middle.lo()));
        waiting.push((middle.lo(), b));
    }
    true
}
