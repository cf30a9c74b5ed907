//! What is left of a total.

use dp_core::rounding::{add_down, mul_down, sqrt_down, sub_down, sub_up};
use dp_core::{Approx, Delta, Epsilon, Gdp, Guarantee, Mu, Pure, Rho, Zcdp};

/// A notion in which what is left of a total is again a guarantee. `Rdp` is not one: the difference
/// of two Rényi curves need not be the curve of any mechanism.
///
/// # Contract
/// `total.less(&spent)` is the largest guarantee that fits beside `spent`, up to rounding;
/// `perfect()` when more than the total is spent. A budget lets the result [shrink](Self::shrunk)
/// until it fits under the rounding of `compose`.
pub trait Remainder: Guarantee {
    /// What is left of this total when `spent` is gone.
    #[must_use]
    fn less(&self, spent: &Self) -> Self;

    /// The same guarantee, each number smaller by a factor of 1 − `by`.
    #[must_use]
    fn shrunk(&self, by: f64) -> Self;
}

/// total − spent, rounded down. An infinite total leaves infinity.
fn difference(total: f64, spent: f64) -> f64 {
    if total == f64::INFINITY { total } else { sub_down(total, spent).max(0.0) }
}

fn below(value: f64, by: f64) -> f64 {
    (value * (1.0 - by)).min(value.next_down()).max(0.0)
}

impl Remainder for Pure {
    fn less(&self, spent: &Self) -> Self {
        Epsilon::saturating(difference(self.epsilon().get(), spent.epsilon().get())).into()
    }

    fn shrunk(&self, by: f64) -> Self {
        Epsilon::saturating(below(self.epsilon().get(), by)).into()
    }
}

impl Remainder for Approx {
    fn less(&self, spent: &Self) -> Self {
        let delta = Delta::saturating(difference(self.delta().get(), spent.delta().get()));
        Self::from_parts(Pure::from(self.epsilon()).less(&spent.epsilon().into()).epsilon(), delta)
    }

    fn shrunk(&self, by: f64) -> Self {
        let delta = Delta::saturating(below(self.delta().get(), by));
        Self::from_parts(Pure::from(self.epsilon()).shrunk(by).epsilon(), delta)
    }
}

impl Remainder for Gdp {
    /// √(μ² − μ'²) = √((μ − μ')(μ + μ')).
    fn less(&self, spent: &Self) -> Self {
        let (total, spent) = (self.mu().get(), spent.mu().get());
        if spent == 0.0 || total == f64::INFINITY {
            return *self;
        }
        Mu::saturating(sqrt_down(mul_down(difference(total, spent), add_down(total, spent)))).into()
    }

    fn shrunk(&self, by: f64) -> Self {
        Mu::saturating(below(self.mu().get(), by)).into()
    }
}

impl Remainder for Zcdp {
    /// What is left of ξ and of ρ; where more ξ was spent than the total has, that was paid from ρ,
    /// at α = 1.
    fn less(&self, spent: &Self) -> Self {
        let over = Epsilon::saturating(sub_up(spent.xi().get(), self.xi().get())).get();
        let rho = sub_down(difference(self.rho().get(), spent.rho().get()), over);
        Self::from_parts(
            Epsilon::saturating(difference(self.xi().get(), spent.xi().get())),
            Rho::saturating(rho),
        )
    }

    fn shrunk(&self, by: f64) -> Self {
        Self::from_parts(
            Epsilon::saturating(below(self.xi().get(), by)),
            Rho::saturating(below(self.rho().get(), by)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Account, Budget};
    use dp_core::AddRemove;
    use proptest::prelude::*;

    /// What remains fits, and a little more does not.
    fn is_all_that_fits<G: Remainder>(
        total: G,
        costs: &[G],
        more: impl Fn(&G) -> G,
    ) -> Result<(), TestCaseError> {
        let mut budget = Budget::<G, AddRemove>::new(total);
        for cost in costs {
            if budget.charge(cost).is_ok() {
                let left = budget.remaining();
                prop_assert!(budget.affords(&left), "{left} of {budget:?}");
                prop_assert!(!budget.affords(&more(&left)), "{left} of {budget:?}");
            }
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn what_remains_fits_and_no_more(total in 0.1..10f64, costs in prop::collection::vec(prop_oneof![Just(0.1), Just(0.3), 0.0..2f64], 1..12)) {
            let more = |x: f64| x * (1.0 + 1e-9) + 1e-9;
            let pure: Vec<_> = costs.iter().map(|&c| Pure::new(c).unwrap()).collect();
            is_all_that_fits(Pure::new(total).unwrap(), &pure, |g| Pure::new(more(g.epsilon().get())).unwrap())?;
            let gdp: Vec<_> = costs.iter().map(|&c| Gdp::new(c).unwrap()).collect();
            is_all_that_fits(Gdp::new(total).unwrap(), &gdp, |g| Gdp::new(g.mu().get() * (1.0 + 1e-9) + 1e-5).unwrap())?;
            let approx = |epsilon, delta| Approx::from_parts(Epsilon::new(epsilon).unwrap(), Delta::new(delta).unwrap());
            let some: Vec<_> = costs.iter().map(|&c| approx(c, c / 1e3)).collect();
            is_all_that_fits(approx(total, 0.01), &some, |g| approx(more(g.epsilon().get()), g.delta().get()))?;
            let zcdp: Vec<_> = costs.iter().map(|&c| Zcdp::with_offset(c / 5.0, c / 3.0).unwrap()).collect();
            is_all_that_fits(Zcdp::with_offset(total / 10.0, total).unwrap(), &zcdp, |g| Zcdp::with_offset(g.xi().get(), more(g.rho().get())).unwrap())?;
        }
    }

    #[test]
    fn limits() {
        let one = Pure::new(1.0).unwrap();
        assert_eq!(one.less(&one), Pure::perfect());
        assert_eq!(one.less(&Pure::new(2.0).unwrap()), Pure::perfect());
        let endless = Pure::from(Epsilon::INFINITE);
        assert_eq!((endless.less(&one), endless.less(&endless)), (endless, endless));
        assert_eq!(Gdp::new(5.0).unwrap().less(&Gdp::new(3.0).unwrap()), Gdp::new(4.0).unwrap());
        assert!(Pure::new(f64::from_bits(1)).unwrap().shrunk(0.1) == Pure::perfect());
    }
}
