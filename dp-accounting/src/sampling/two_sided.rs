//! Pairs that know their reverse, and the divergences of mixtures of their two sides.

use dp_core::pairs::{
    BoundedLaplacePair, BoundedRangePair, DiscreteGaussianPair, DiscreteLaplacePair, DominatingPair,
    FinitePair, GaussianPair, LaplacePair, RandomizedResponsePair,
};
use dp_core::rounding::Enclosure;
use dp_core::{Alpha, Epsilon, Mu};

use super::Direction;
use super::moments::{gaussian, gaussian_half, general, symmetrised};

/// A pair of which both directions, (P, Q) and (Q, P), are known, as sampling needs.
///
/// # Contract
/// `reversed` is the pair (Q, P). Where `is_symmetric` says so, (P, Q) and (Q, P) have the same
/// profile.
pub trait TwoSided: DominatingPair + Clone {
    /// Whether the reverse has the same profile.
    fn is_symmetric(&self) -> bool;

    /// The pair with P and Q exchanged.
    #[must_use]
    fn reversed(&self) -> Self;

    /// Encloses D_α(P‖Q) of the pair itself. [`renyi`](DominatingPair::renyi) may be smaller, where
    /// it bounds a family of mechanisms that no single pair stands for; mixtures of the two sides
    /// need the pair.
    fn divergence(&self, order: Alpha) -> Enclosure {
        self.renyi(order)
    }

    /// Encloses D_α(M‖Q) or D_α(Q‖M) for the mixture M = (1−q)Q + qP, q in (0, 1).
    ///
    /// What is provided works for every pair: exact at integer orders towards Q, and bounds
    /// elsewhere.
    fn mixture_renyi(&self, rate: Enclosure, direction: Direction, order: Alpha) -> Enclosure {
        general::mixture_renyi(self, rate, direction, order)
    }

    /// Encloses D_α of the pair whose profile is that of (M, Q) from ε = 0 on, and the reverse of
    /// it below.
    ///
    /// What is provided works for every pair, and overstates a small divergence by up to a factor
    /// of two.
    fn symmetrised_renyi(&self, rate: Enclosure, order: Alpha) -> Enclosure {
        symmetrised::renyi(self, rate, order)
    }
}

impl TwoSided for GaussianPair {
    fn is_symmetric(&self) -> bool {
        true
    }
    fn reversed(&self) -> Self {
        *self
    }

    /// At every order and in both directions, by quadrature with a proven error; bounds where μ is
    /// too large for that.
    fn mixture_renyi(&self, rate: Enclosure, direction: Direction, order: Alpha) -> Enclosure {
        gaussian::mixture_renyi(self.mu().get(), rate, direction, order)
            .unwrap_or_else(|| general::mixture_renyi(self, rate, direction, order))
    }

    fn symmetrised_renyi(&self, rate: Enclosure, order: Alpha) -> Enclosure {
        let bounds = symmetrised::renyi(self, rate, order);
        let below = Enclosure::point(order.get()) - Enclosure::ONE;
        let mixture = || (below * self.mixture_renyi(rate, Direction::Remove, order)).hi();
        let exact = (rate.hi() < 1.0 && self.mu() > Mu::ZERO)
            .then(|| gaussian_half::log_moment(self.mu().get(), rate, order, mixture()))
            .flatten();
        let Some(log) = exact else { return bounds };
        let computed = log / below;
        Enclosure::new(computed.lo().max(bounds.lo()), computed.hi().min(bounds.hi()))
    }
}

impl TwoSided for LaplacePair {
    fn is_symmetric(&self) -> bool {
        true
    }
    fn reversed(&self) -> Self {
        *self
    }
}

impl TwoSided for DiscreteGaussianPair {
    fn is_symmetric(&self) -> bool {
        true
    }
    fn reversed(&self) -> Self {
        *self
    }
}

impl TwoSided for DiscreteLaplacePair {
    fn is_symmetric(&self) -> bool {
        true
    }
    fn reversed(&self) -> Self {
        *self
    }
}

impl TwoSided for BoundedRangePair {
    fn is_symmetric(&self) -> bool {
        true
    }
    fn reversed(&self) -> Self {
        *self
    }

    /// The loss has the density ½e^((ε₀+s)/2)/(e^ε₀−1) on [−ε₀, ε₀], so E e^((α−1)L) =
    /// sinh((α−½)ε₀) / ((2α−1)·sinh(ε₀/2)); and it is an ε₀-private pair.
    fn divergence(&self, order: Alpha) -> Enclosure {
        let range = self.max_loss();
        let pure = RandomizedResponsePair::binary(Epsilon::saturating(range)).renyi(order).hi();
        let alpha = Enclosure::point(order.get());
        let [range, below] = [Enclosure::point(range), alpha - Enclosure::ONE];
        let twice = alpha + below;
        if range == Enclosure::ZERO || range.hi().is_infinite() {
            return Enclosure::point(range.hi());
        }
        let decayed = |exponent: Enclosure| -(-exponent).exp_m1();
        let computed = below * range + (decayed(twice * range) / decayed(range)).ln() - twice.ln();
        Enclosure::new((computed / below).lo().clamp(0.0, pure), (computed / below).hi().clamp(0.0, pure))
    }
}

impl TwoSided for BoundedLaplacePair {
    fn is_symmetric(&self) -> bool {
        true
    }
    fn reversed(&self) -> Self {
        *self
    }
}

impl TwoSided for RandomizedResponsePair {
    fn is_symmetric(&self) -> bool {
        true
    }
    fn reversed(&self) -> Self {
        *self
    }
}

impl TwoSided for FinitePair {
    fn is_symmetric(&self) -> bool {
        false
    }
    fn reversed(&self) -> Self {
        self.reversed()
    }
}
