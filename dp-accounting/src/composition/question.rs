//! What is asked of a composition.

use dp_core::Delta;
use dp_core::pairs::DominatingPair;
use dp_core::rounding::Enclosure;

use crate::contour::Side;

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub(super) enum Question {
    /// ε at a δ.
    Epsilon(f64),
    /// δ at an ε.
    Delta(f64),
}

impl Question {
    /// What is known of the answer before anything is computed.
    pub(super) fn all(self) -> Enclosure {
        match self {
            Self::Epsilon(_) => Enclosure::new(0.0, f64::INFINITY),
            Self::Delta(_) => Enclosure::new(0.0, 1.0),
        }
    }

    /// An answer so small that it need not be known better: what is left of a δ near the smallest
    /// float.
    pub(super) fn negligible(self) -> f64 {
        match self {
            Self::Epsilon(_) => 0.0,
            Self::Delta(_) => 1e-290,
        }
    }

    pub(super) fn of_side(self, side: &Side, accuracy: f64, floor: f64) -> Enclosure {
        match self {
            Self::Epsilon(delta) => side.epsilon(delta, accuracy, floor),
            Self::Delta(epsilon) => side.delta(epsilon, accuracy, floor),
        }
    }

    pub(super) fn of_pair(self, pair: &dyn DominatingPair) -> Enclosure {
        match self {
            Self::Delta(epsilon) => pair.delta(epsilon),
            Self::Epsilon(delta) => {
                let above = pair.epsilon(Delta::saturating(delta)).get();
                if above == f64::INFINITY {
                    return Enclosure::new(largest_failure(pair, delta), above);
                }
                // Down until the profile is above δ for sure.
                let mut away = 1e-14;
                while away < 1.0 {
                    let candidate = above * (1.0 - away);
                    if pair.delta(candidate).lo() > delta {
                        return Enclosure::new(candidate, above);
                    }
                    away *= 2.0;
                }
                Enclosure::new(0.0, above)
            }
        }
    }
}

/// About the largest ε at which a profile is above δ for sure; infinite where it always is.
fn largest_failure(pair: &dyn DominatingPair, delta: f64) -> f64 {
    let fails = |epsilon: f64| pair.delta(epsilon).lo() > delta;
    if fails(f64::INFINITY) {
        return f64::INFINITY;
    }
    let (mut low, mut high) = (-1000.0, 1000.0);
    while high - low > 0.01 {
        let middle = f64::midpoint(low, high);
        if fails(libm::exp2(middle)) { low = middle } else { high = middle }
    }
    if fails(libm::exp2(low)) { libm::exp2(low) } else { 0.0 }
}
