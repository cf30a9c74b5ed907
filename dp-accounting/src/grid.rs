//! Where to put the dots of a pair that is known by its views only.

use dp_core::pairs::DominatingPair;

/// How fine a grid is to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fineness {
    /// How often the mechanism runs.
    pub(crate) count: f64,
    /// The ε around which the answer lies.
    pub(crate) epsilon: f64,
    /// By how much the variance of all losses together may grow.
    pub(crate) variance: f64,
    /// What may be lost of δ.
    pub(crate) negligible: f64,
    /// About how many points a grid has at most.
    pub(crate) most_points: f64,
    /// What one grid may take, in nanoseconds.
    pub(crate) most_work: f64,
    /// Whether sampled Gaussians are put on grids, too, which is worth it when they are few.
    pub(crate) gaussians_too: bool,
}

/// A rising grid of losses for a pair.
///
/// Any grid gives true bounds; this one keeps them close. A cell of width w that holds the mass m
/// adds about mw²/6 to the variance of a loss. What counts are losses as they are when the total is
/// near ε: those of `count` ordinary runs, and of one run whose loss may be anything up to ε or
/// somewhat more. For a given sum of mw² the fewest cells have widths in proportion to the inverse
/// third power of the density.
pub(crate) fn grid(pair: &dyn DominatingPair, fineness: Fineness) -> Vec<f64> {
    let Fineness { count, variance, negligible, most_points, .. } = fineness;
    let top = crossing(|t| pair.delta(t).hi() > negligible).1.min(pair.max_loss());
    // Small losses are not worth more digits than a probability has.
    let ordinary = (1e-9 / count).max(1e-13);
    let (inside, bottom) = crossing(|t| pair.loss_distribution(-t).hi() > ordinary);
    if !(top.is_finite() && bottom.is_finite()) {
        return vec![0.0, if top.is_finite() { top.max(f64::MIN_POSITIVE) } else { 700.0 }];
    }
    let epsilon = fineness.epsilon.max(1e-3 * top).max(f64::MIN_POSITIVE);
    let mut coarse: Vec<f64> = geometric(bottom).into_iter().skip(1).map(|t| -t).collect();
    coarse.push(-bottom);
    coarse.extend(geometric(top));
    coarse.push(top);
    coarse.sort_by(f64::total_cmp);
    coarse.dedup();

    let tails: Vec<f64> = coarse.iter().map(|&t| pair.tail(t).hi()).collect();
    let roots: Vec<f64> = coarse
        .windows(2)
        .zip(tails.windows(2))
        .map(|(cell, tail)| {
            let width = cell[1] - cell[0];
            let one_run = if cell[1] > 0.0 {
                width / epsilon * libm::exp((2.0 - cell[0] / epsilon).min(0.0))
            } else {
                0.0
            };
            libm::cbrt((count * (tail[0] - tail[1]).max(0.0) + one_run) * width * width)
        })
        .collect();
    // As fine as asked for, within reason.
    let total = roots.iter().sum::<f64>();
    let scale = libm::sqrt(total / (6.0 * variance)).min(most_points / total);
    // The largest and the smallest loss, which may be atoms, are known up to some ulps only.
    let mut losses = vec![-inside];
    for exponent in [-51.0, -49.0, -46.0] {
        let below = 1.0 - libm::exp2(exponent);
        losses.extend([top * below, -inside * below]);
    }
    for (cell, root) in coarse.windows(2).zip(&roots) {
        let pieces = libm::ceil(scale * root).clamp(1.0, most_points);
        let mut piece = 0.0;
        while piece < pieces {
            losses.push(cell[0] + (cell[1] - cell[0]) * (piece / pieces));
            piece += 1.0;
        }
    }
    losses.push(top);
    losses.sort_by(f64::total_cmp);
    losses.dedup();
    losses
}

/// Zero, and numbers that grow by a fifth up to an end.
fn geometric(end: f64) -> Vec<f64> {
    let mut losses = vec![0.0];
    let mut t = end * 1e-9;
    while t < end {
        losses.push(t);
        t += (t * 0.2).min(end * 0.03);
    }
    losses
}

/// Where a falling condition on positive numbers stops to hold: a point at which it does (or zero),
/// and one close above at which it does not.
fn crossing(holds: impl Fn(f64) -> bool) -> (f64, f64) {
    if !holds(0.0) && !holds(f64::MIN_POSITIVE) {
        return (0.0, 0.0);
    }
    let mut high = 1.0;
    while holds(high) {
        high *= 2.0;
        if high > 1e12 {
            return (high, f64::INFINITY);
        }
    }
    let mut low = high / 2.0;
    while !holds(low) {
        (low, high) = (low / 2.0, low);
        if low < 1e-30 {
            return (0.0, high);
        }
    }
    for _ in 0..60 {
        let middle = low + (high - low) / 2.0;
        if holds(middle) { low = middle } else { high = middle }
    }
    (low, high)
}
