//! The saddle point: which tilt makes a query a matter of the bulk.
//!
//! With K(θ) = Σ kᵢ ln E e^(θLᵢ) the profile is δ(ε) = (1/2πi) ∫ e^(K(θ) − θε)/(θ(θ+1)) dθ along a
//! vertical line. On the real axis the integrand is least at the θ with ε = K'(θ) − 1/θ − 1/(1+θ),
//! and there Laplace's method gives δ. Both only guide the choice of a lattice and of a tilt: every
//! choice is sound.

use dp_accounting::internals::above;
use dp_core::pairs::DominatingPair;

use super::part::Range;
use super::{Query, float};

/// K of a composition, from coarse dots.
pub(super) struct Cumulants {
    parts: Vec<(Vec<(f64, f64)>, f64)>,
    /// How much is lost whatever ε is.
    lost: f64,
}

/// How far below the saddle point the tilt is: at most this share of it, and this number over the
/// deviation. Rare and large losses, as of small samples, blow up a composition that is tilted too
/// much, and a little less costs a normal one next to nothing.
const EASE: (f64, f64) = (0.25, 3.0);

/// A tilt, and what is known around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Saddle {
    /// The saddle point, the ε that it belongs to, and ln δ(ε).
    pub point: f64,
    pub epsilon: f64,
    pub ln_delta: f64,
    /// The tilt to use.
    pub tilt: f64,
    /// The standard deviation of the sum of the tilted losses.
    pub deviation: f64,
}

impl Cumulants {
    pub(super) fn new(parts: &[(&dyn DominatingPair, u64)]) -> Self {
        let coarse = |&(pair, count): &(&dyn DominatingPair, u64)| {
            let dots = above(pair, &spread(pair, Range::of(pair, 0.0, 1e-60)));
            let masses = dots.losses.into_iter().zip(dots.masses).filter(|(_, mass)| *mass > 0.0).collect();
            (masses, float(count))
        };
        let kept: f64 =
            parts.iter().map(|(pair, k)| float(*k) * libm::log1p(-pair.delta(f64::INFINITY).lo())).sum();
        Self { parts: parts.iter().map(coarse).collect(), lost: -libm::expm1(kept) }
    }

    /// The saddle with a given tilt.
    fn saddle(&self, tilt: f64) -> Saddle {
        let (mut value, mut mean, mut variance) = (0.0, 0.0, 0.0);
        for (masses, count) in &self.parts {
            let top = masses.last().map_or(0.0, |(loss, _)| *loss).max(0.0);
            let (mut excess, mut first, mut second) = (0.0, 0.0, 0.0);
            for &(loss, mass) in masses {
                let weight = mass * libm::exp(tilt * (loss - top));
                first += weight * loss;
                second += weight * loss * loss;
                // e^(θ(L − top)) − e^(−θ·top), which keeps what is small
                excess += if tilt * top < 1.0 { mass * libm::expm1(tilt * loss) } else { weight };
            }
            let log = if tilt * top < 1.0 { libm::log1p(excess) } else { libm::log(excess) + tilt * top };
            let scale = libm::exp(log - tilt * top);
            value += count * log;
            mean += count * first / scale;
            variance += count * (second / scale - (first / scale) * (first / scale)).max(0.0);
        }
        let epsilon = mean - 1.0 / tilt - 1.0 / (1.0 + tilt);
        let curvature = variance + 1.0 / (tilt * tilt) + 1.0 / ((1.0 + tilt) * (1.0 + tilt));
        let ln_delta = value
            - tilt * epsilon
            - libm::log(tilt * (1.0 + tilt))
            - 0.5 * libm::log(2.0 * core::f64::consts::PI * curvature);
        Saddle { point: tilt, epsilon, ln_delta, tilt, deviation: libm::sqrt(variance) }
    }

    /// The saddle that belongs to a query: ε rises with the tilt, and δ falls.
    pub(super) fn find(&self, query: Query) -> Saddle {
        let too_small = |saddle: Saddle| match query {
            Query::Delta(epsilon) => saddle.epsilon < epsilon,
            Query::Epsilon(delta) => saddle.ln_delta > libm::log(delta),
        };
        let (mut low, mut high) = (-8.0f64, 24.0); // as powers of two
        for _ in 0..40 {
            let middle = (low + high) / 2.0;
            let saddle = self.saddle(libm::exp2(middle));
            if too_small(saddle) { low = middle } else { high = middle }
        }
        let saddle = self.saddle(libm::exp2(high));
        let eased = self.saddle(saddle.point - (EASE.0 * saddle.point).min(EASE.1 / saddle.deviation));
        let ln_delta = saddle.ln_delta.max(libm::log(self.lost));
        Saddle { ln_delta, tilt: eased.tilt, deviation: eased.deviation, ..saddle }
    }
}

/// A grid over a range that is fine where the bulk of the losses is and coarse far out.
fn spread(pair: &dyn DominatingPair, range: Range) -> Vec<f64> {
    const POINTS: u16 = 500;
    let reach = range.last.max(-range.first);
    // The scale beyond which a third of the losses lie.
    let (mut low, mut high) = (1e-12 * reach, reach);
    while high > 2.0 * low {
        let middle = libm::sqrt(low * high);
        let outside = pair.tail(middle).hi() + pair.loss_distribution(-middle).hi();
        if outside > 1.0 / 3.0 { low = middle } else { high = middle }
    }
    let scale = high / 8.0;
    let end = libm::asinh(reach / scale);
    let positive = |i: u16| scale * libm::sinh(end * f64::from(i) / f64::from(POINTS));
    let negative = (1..=POINTS).rev().map(|i| -positive(i)).filter(|loss| *loss > range.first);
    let inner = (0..=POINTS).map(positive).filter(|loss| *loss < range.last);
    let mut grid: Vec<f64> =
        core::iter::once(range.first).chain(negative).chain(inner).chain([range.last]).collect();
    grid.sort_by(f64::total_cmp);
    grid.dedup();
    grid
}
