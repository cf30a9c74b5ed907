//! A discrete Gaussian with its tails in a table.

use std::sync::Arc;

use dp_core::Alpha;
use dp_core::pairs::{DiscreteGaussianPair, DominatingPair};
use dp_core::rounding::{Enclosure, mul_down, mul_up};

use super::TwoSided;

/// The pair of the discrete Gaussian, whose profile takes a look and not a sum over thousands of
/// integers: for grids of many points.
///
/// With T(a) = Σ_{x≥a} e^(−x²/2σ²)/Z, and y = tσ²/Δ − Δ/2 the place where the loss Δ(2x+Δ)/2σ²
/// passes t,
///
/// > Pr(L > t) = T(a),  δ(t) = T(a) − e^t·T(a+Δ),  a the first integer above y.
///
/// Every a gives a lower bound of δ, so where y is not known well enough to tell a from its
/// neighbour the larger of both is the answer.
///
/// Far shifts lead out of the table, and e^t out of the floats. There the masses of the second term
/// are known from those of the first, e^t·g(x+Δ) = e^(t−ℓ(x))·g(x), of which the first one counts
/// most:
///
/// > e^(t−ℓ(a))·g(a) ≤ e^t·T(a+Δ) ≤ e^(t−ℓ(a))·g(a) + e^(t−ℓ(a+1))·T(a+1).
#[derive(Clone, Debug)]
pub(crate) struct Tabulated {
    pair: DiscreteGaussianPair,
    /// T(a) for all integers a within [`REACH`] standard deviations, from the left to the right.
    tails: Arc<[Enclosure]>,
    first: f64,
}

/// How far tails are kept, in standard deviations: e^(−38²/2) is below 10⁻³¹³.
const REACH: f64 = 38.0;

impl Tabulated {
    /// About how many integers there are in the table.
    pub(crate) fn size(pair: DiscreteGaussianPair) -> f64 {
        2.0 * REACH * pair.sigma().get() + 3.0
    }

    pub(crate) fn new(pair: DiscreteGaussianPair) -> Self {
        let sigma = pair.sigma().get();
        let reach = libm::ceil(REACH * sigma);
        // Both sides of 0 have the same weights: from the far end on, and back again.
        let (mut weights, mut x) = (Vec::new(), reach);
        while x >= 0.0 {
            weights.push(weight(x / sigma));
            x -= 1.0;
        }
        let back = weights.iter().rev().skip(1);
        // What lies beyond is below a geometric series, and in any case below this.
        let mut sum = Enclosure::new(0.0, 1e-300);
        let mut tails = Vec::with_capacity(2 * weights.len());
        for weight in weights.iter().chain(back) {
            sum = sum + *weight;
            tails.push(sum);
        }
        let share = Enclosure::ONE / (sum + Enclosure::new(0.0, 1e-300));
        let part = |tail: &Enclosure| {
            Enclosure::new(mul_down(tail.lo(), share.lo()), mul_up(tail.hi(), share.hi()).min(1.0))
        };
        Self { pair, tails: tails.iter().rev().map(part).collect(), first: -reach }
    }

    /// Encloses T(a).
    fn upper_tail(&self, a: f64) -> Enclosure {
        let place = a - self.first;
        if place < 0.0 {
            return Enclosure::new(self.tails[0].lo(), 1.0);
        }
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "saturates, and is checked"
        )]
        let index = place as usize;
        self.tails.get(index).copied().unwrap_or(Enclosure::new(0.0, 1e-300))
    }

    /// Encloses e^t·T(a+Δ).
    fn beyond(&self, t: f64, a: f64) -> Enclosure {
        let shift = f64::from(self.pair.shift());
        let factor = |x: f64| {
            let (sigma, shift) = (Enclosure::point(self.pair.sigma().get()), Enclosure::point(shift));
            let loss = shift * (Enclosure::point(2.0 * x) + shift) / (sigma.square() * Enclosure::point(2.0));
            (Enclosure::point(t) - loss).exp()
        };
        let later = self.upper_tail(a + 1.0);
        let first = factor(a) * (self.upper_tail(a) - later).max(Enclosure::ZERO);
        let from_masses = Enclosure::new(first.lo(), (first + factor(a + 1.0) * later).hi());
        let growth = Enclosure::point(t).exp();
        if growth.hi().is_infinite() {
            return from_masses;
        }
        let computed = growth * self.upper_tail(a + shift);
        Enclosure::new(computed.lo().max(from_masses.lo()), computed.hi().min(from_masses.hi()))
    }

    /// The first integers above y, as far as it is known.
    fn starts(&self, t: f64) -> [f64; 2] {
        let (sigma, shift) =
            (Enclosure::point(self.pair.sigma().get()), Enclosure::point(self.pair.shift().into()));
        let place = Enclosure::point(t) * sigma.square() / shift - shift * Enclosure::point(0.5);
        // Beyond the table there is no difference.
        let ends = [place.lo(), place.hi()];
        ends.map(|y| libm::floor(y.clamp(2.0 * self.first, -2.0 * self.first)) + 1.0)
    }
}

/// Encloses e^(−z²/2), z having one rounding error.
///
/// The exponent has three then, each of half a unit in the last place, and the exponential one of a
/// unit or less. Near the smallest float that is a unit of the smallest one.
fn weight(z: f64) -> Enclosure {
    let exponent = 0.5 * z * z;
    let weight = libm::exp(-exponent);
    let error = (4.0 * exponent + 12.0) * (f64::EPSILON / 2.0);
    Enclosure::new((weight * (1.0 - error) - 1e-320).max(0.0), weight * (1.0 + error) + 1e-320)
}

impl DominatingPair for Tabulated {
    fn delta(&self, epsilon: f64) -> Enclosure {
        let floor = (-Enclosure::point(epsilon).exp_m1()).max(Enclosure::ZERO);
        let at = |a: f64| self.upper_tail(a) - self.beyond(epsilon, a);
        let [earliest, latest] = self.starts(epsilon);
        let computed = at(earliest).max(at(latest));
        if latest - earliest > 1.0 {
            return Enclosure::new(computed.lo().max(floor.lo()), self.upper_tail(earliest).hi())
                .probability();
        }
        computed.max(floor).probability()
    }

    fn tail(&self, loss: f64) -> Enclosure {
        let [earliest, latest] = self.starts(loss);
        Enclosure::new(self.upper_tail(latest).lo(), self.upper_tail(earliest).hi())
    }

    fn renyi(&self, order: Alpha) -> Enclosure {
        self.pair.renyi(order)
    }

    fn max_loss(&self) -> f64 {
        f64::INFINITY
    }
}

impl TwoSided for Tabulated {
    fn is_symmetric(&self) -> bool {
        true
    }
    fn reversed(&self) -> Self {
        self.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_core::Scale;

    /// The certified exponential function agrees, with room for the rounding of z.
    #[test]
    fn weights_enclose_the_exponential() {
        for k in 0..40_000u32 {
            let z = f64::from(k) * 9.7e-4;
            let (found, exact) = (weight(z), (-(Enclosure::point(z).square() * Enclosure::point(0.5))).exp());
            let error = exact.hi() * z * z * f64::EPSILON / 2.0;
            assert!(
                found.lo() <= exact.lo() - error && exact.hi() + error <= found.hi(),
                "{z}: {found:?} {exact:?}"
            );
        }
    }

    /// Where Q has nothing in the table, and e^t is no float.
    #[test]
    fn far_shifts_lead_out_of_the_table() {
        let pair = DiscreteGaussianPair::new(Scale::new(15.25).unwrap(), 700).unwrap();
        let table = Tabulated::new(pair);
        for t in [500.1, 900.1, 1000.1, 1200.1, 1246.9, 1400.1] {
            let (ours, truth) = (table.delta(t), pair.delta(t));
            assert!(ours.lo() <= truth.hi() && truth.lo() <= ours.hi(), "{ours:?} {truth:?} at {t}");
            assert!(ours.relative_width() < 0.05, "{ours:?} {truth:?} at {t}");
        }
    }

    #[test]
    fn the_table_says_what_the_sums_say() {
        for (sigma, shift) in [(3.0, 1), (12.5, 7), (150.0, 1), (30.0, 400)] {
            let pair = DiscreteGaussianPair::new(Scale::new(sigma).unwrap(), shift).unwrap();
            let table = Tabulated::new(pair);
            let mu = f64::from(shift) / sigma;
            for k in -12..40 {
                let t = mu * (f64::from(k) + 0.13) * 0.317 + mu * mu / 2.0; // off the lattice, where the tail jumps
                for (ours, truth) in [(table.delta(t), pair.delta(t)), (table.tail(t), pair.tail(t))] {
                    assert!(
                        ours.lo() <= truth.hi() && truth.lo() <= ours.hi(),
                        "σ {sigma}: {ours:?} {truth:?} at {t}"
                    );
                    assert!(
                        ours.hi() - ours.lo() <= 1e-9 * truth.hi() + 1e-15 * (1.0 + t.exp()),
                        "{ours:?} {truth:?} at {t}"
                    );
                }
            }
            // On the lattice itself, where a loss is attained: the first integer may be one or the
            // next.
            let attained = f64::from(shift) * (2.0 * 5.0 + f64::from(shift)) / (2.0 * sigma * sigma);
            let (ours, truth) = (table.tail(attained), pair.tail(attained));
            assert!(ours.lo() <= truth.hi() && truth.lo() <= ours.hi());
        }
    }
}
