//! What the privacy loss of one step obeys: the common ground of filters and odometers for (ε,δ).

use dp_core::{Alpha, Approx, Curve, Delta, Epsilon, Gdp, Guarantee, Mu, Pure, Rdp, Relax, Zcdp};

/// A guarantee that splits into a part whose loss is bounded and a failure of probability δ, for
/// any neighbours and in both directions.
///
/// # Contract
/// The two output distributions are P = (1−δ)P' + δP'' and Q = (1−δ)Q' + δQ'' with one δ, at most
/// [`failure`](Self::failure), such that the loss ln dP'/dQ' is at most
/// [`max_loss`](Self::max_loss) and D_α(P'‖Q') is at most [`divergence`](Self::divergence).
pub trait Step: Guarantee {
    /// An upper bound on δ, the probability of the failure.
    fn failure(&self) -> Delta;

    /// An upper bound on the loss without the failure, which may be infinite.
    fn max_loss(&self) -> Epsilon;

    /// An upper bound on the Rényi divergence without the failure.
    fn divergence(&self, order: Alpha) -> f64;

    /// Largest loss and failure, as one pair.
    fn as_approx(&self) -> Approx {
        Approx::from_parts(self.max_loss(), self.failure())
    }
}

impl Step for Pure {
    fn failure(&self) -> Delta {
        Delta::ZERO
    }

    fn max_loss(&self) -> Epsilon {
        self.epsilon()
    }

    /// That of randomised response, which dominates.
    fn divergence(&self, order: Alpha) -> f64 {
        Rdp::from(Curve::Pure(*self)).divergence(order)
    }
}

/// With probability δ the loss is infinite, else that of ε-randomised response: that simulates
/// every (ε,δ)-private mechanism (Kairouz, Oh and Viswanath 2015).
impl Step for Approx {
    fn failure(&self) -> Delta {
        self.delta()
    }

    fn max_loss(&self) -> Epsilon {
        self.epsilon()
    }

    fn divergence(&self, order: Alpha) -> f64 {
        Pure::from(self.epsilon()).divergence(order)
    }
}

impl Step for Gdp {
    fn failure(&self) -> Delta {
        Delta::ZERO
    }

    fn max_loss(&self) -> Epsilon {
        if self.mu() == Mu::ZERO { Epsilon::ZERO } else { Epsilon::INFINITE }
    }

    fn divergence(&self, order: Alpha) -> f64 {
        self.relax::<Zcdp>().divergence(order)
    }
}

impl Step for Zcdp {
    fn failure(&self) -> Delta {
        Delta::ZERO
    }

    fn max_loss(&self) -> Epsilon {
        self.as_pure().map_or(Epsilon::INFINITE, Pure::epsilon)
    }

    fn divergence(&self, order: Alpha) -> f64 {
        Relax::<Rdp>::relaxed(self).divergence(order)
    }
}

impl Step for Rdp {
    fn failure(&self) -> Delta {
        Delta::ZERO
    }

    fn max_loss(&self) -> Epsilon {
        self.epsilon_at(Delta::ZERO)
    }

    fn divergence(&self, order: Alpha) -> f64 {
        Self::divergence(self, order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_notions_agree_where_they_overlap() {
        let order = Alpha::new(7.5).unwrap();
        let pure = Pure::new(0.3).unwrap();
        let approx = Approx::new(0.3, 1e-6).unwrap();
        assert_eq!(pure.divergence(order), Step::divergence(&approx, order));
        assert_eq!(pure.divergence(order), Step::divergence(&pure.relax::<Rdp>(), order));
        assert_eq!(approx.as_approx(), approx);
        let gdp = Gdp::new(2.0).unwrap();
        assert_eq!(gdp.divergence(order), 15.0);
        assert_eq!(gdp.relax::<Zcdp>().divergence(order), 15.0);
        assert!(gdp.max_loss().is_infinite() && Gdp::perfect().max_loss() == Epsilon::ZERO);
        assert_eq!(Zcdp::with_offset(0.25, 0.0).unwrap().max_loss().get(), 0.25);
        assert_eq!(pure.relax::<Rdp>().max_loss().get(), 0.3);
    }
}
