//! A pair and its reverse behind a pointer: what adaptors of a privacy loss mix.

use std::sync::Arc;

use dp_core::pairs::DominatingPair;
use dp_core::rounding::Enclosure;
use dp_core::{Alpha, Delta, Epsilon};

use super::{Direction, TwoSided};

/// Any pair that knows its reverse.
#[derive(Clone)]
pub(crate) struct AnyPair(Arc<dyn Sides>);

/// [`TwoSided`] without the type.
trait Sides: DominatingPair + Send + Sync {
    fn is_symmetric(&self) -> bool;
    fn reversed(&self) -> AnyPair;
    fn divergence(&self, order: Alpha) -> Enclosure;
    fn mixture_renyi(&self, rate: Enclosure, direction: Direction, order: Alpha) -> Enclosure;
    fn symmetrised_renyi(&self, rate: Enclosure, order: Alpha) -> Enclosure;
}

impl AnyPair {
    pub(crate) fn new(pair: impl TwoSided + Send + Sync + 'static) -> Self {
        Self(Arc::new(pair))
    }
}

impl<P: TwoSided + Send + Sync + 'static> Sides for P {
    fn is_symmetric(&self) -> bool {
        TwoSided::is_symmetric(self)
    }
    fn reversed(&self) -> AnyPair {
        AnyPair::new(TwoSided::reversed(self))
    }
    fn divergence(&self, order: Alpha) -> Enclosure {
        TwoSided::divergence(self, order)
    }
    fn mixture_renyi(&self, rate: Enclosure, direction: Direction, order: Alpha) -> Enclosure {
        TwoSided::mixture_renyi(self, rate, direction, order)
    }
    fn symmetrised_renyi(&self, rate: Enclosure, order: Alpha) -> Enclosure {
        TwoSided::symmetrised_renyi(self, rate, order)
    }
}

impl DominatingPair for AnyPair {
    fn delta(&self, epsilon: f64) -> Enclosure {
        self.0.delta(epsilon)
    }
    fn tail(&self, loss: f64) -> Enclosure {
        self.0.tail(loss)
    }
    fn renyi(&self, order: Alpha) -> Enclosure {
        self.0.renyi(order)
    }
    fn max_loss(&self) -> f64 {
        self.0.max_loss()
    }
    fn loss_distribution(&self, loss: f64) -> Enclosure {
        self.0.loss_distribution(loss)
    }
    fn epsilon(&self, delta: Delta) -> Epsilon {
        self.0.epsilon(delta)
    }
}

impl TwoSided for AnyPair {
    fn is_symmetric(&self) -> bool {
        self.0.is_symmetric()
    }
    fn reversed(&self) -> Self {
        self.0.reversed()
    }
    fn divergence(&self, order: Alpha) -> Enclosure {
        self.0.divergence(order)
    }
    fn mixture_renyi(&self, rate: Enclosure, direction: Direction, order: Alpha) -> Enclosure {
        self.0.mixture_renyi(rate, direction, order)
    }
    fn symmetrised_renyi(&self, rate: Enclosure, order: Alpha) -> Enclosure {
        self.0.symmetrised_renyi(rate, order)
    }
}
