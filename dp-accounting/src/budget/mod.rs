//! A total that is spent release by release.

mod account;
mod advanced;
#[cfg(test)]
mod adversary;
mod odometer;
#[cfg(test)]
pub(crate) mod probe;
mod remainder;
mod shared;
mod step;

pub use account::Account;
pub use advanced::AdvancedBudget;
pub use odometer::Odometer;
pub use remainder::Remainder;
pub use shared::Shared;
pub use step::Step;

use core::marker::PhantomData;

use dp_core::{Adjacency, Guarantee};

use crate::Error;

/// A budget in the notion `G` for data whose neighbours are those of `A`.
///
/// Measurements may be chosen adaptively, also their costs and when to stop: what was spent is the
/// composition of the guarantees so far, and a measurement is released only if the composition with
/// it stays within the total. This is a valid privacy filter: everything that was ever released
/// from the budget, together, has the total guarantee.
///
/// | total | why |
/// |---|---|
/// | [`Pure`](dp_core::Pure) | the likelihood ratio of all outputs is the product of those of the steps, at most e^Σε on every path (Rogers, Roth, Ullman and Vadhan 2016) |
/// | [`Approx`](dp_core::Approx) | the same outside of the event that some step fails, which has probability at most the largest Σδ (the same; [`AdvancedBudget`] spends less) |
/// | [`Rdp`](dp_core::Rdp), [`Zcdp`](dp_core::Zcdp) | for each order α, exp((α−1)(L − ΣD_α)) is a supermartingale in the loss L, hence D_α of all outputs is at most the largest ΣD_α (Feldman and Zrnic 2021, theorem 3.1). The curve of what is spent must lie below that of the total at all orders, not at one that is chosen at the end |
/// | [`Gdp`](dp_core::Gdp) | Σμ² ≤ μ² on every path (Smith and Thakurta 2022) |
///
/// Interactive mechanisms that stay [open](Account::open) while others are asked are covered too: a
/// filter that is valid for measurements is valid for interactions that run at the same time
/// (Haney, Shoemate, Tian, Vadhan, Vyrros, Xu and Zhang 2023; for Rényi curves order by order).
///
/// The relation is inferred from the first measurement that is spent, and fixed from then on. A
/// budget cannot be cloned, for then it could be spent twice; several threads spend one through
/// [`Shared`].
///
/// What was spent is rounded up, and equal costs in a row are counted, not added up one by one. Ten
/// releases at ε = 0.1 still do not fit a budget of 1, because the float `0.1` is above a tenth;
/// ten [shares](dp_core::Pure::share) of the total do.
///
/// ```
/// use dp_accounting::Budget;
/// use dp_core::{AddRemove, Guarantee, Pure};
///
/// let total = Pure::new(1.0)?;
/// let budget = Budget::<Pure, AddRemove>::new(total);
/// let tenth = total.share(10.try_into().expect("ten is not zero"));
/// assert!(budget.affords(&tenth.times(10)) && !budget.affords(&Pure::new(0.1)?.times(10)));
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Debug, PartialEq)]
pub struct Budget<G, A> {
    total: G,
    /// What was spent before the last run of equal costs.
    before: G,
    /// The cost of that run, and how often it was paid.
    run: (G, u64),
    relation: PhantomData<fn(A) -> A>,
}

impl<G: Guarantee, A: Adjacency> Budget<G, A> {
    /// A budget of which nothing is spent yet.
    #[must_use]
    pub fn new(total: G) -> Self {
        Self { total, before: G::perfect(), run: (G::perfect(), 0), relation: PhantomData }
    }

    /// The whole budget.
    #[must_use]
    pub const fn total(&self) -> &G {
        &self.total
    }

    /// What the releases so far cost together.
    #[must_use]
    pub fn spent(&self) -> G {
        let (cost, count) = &self.run;
        self.before.compose(&cost.times(*count))
    }

    /// What may still be spent, in one release; for the notions in which that is a number.
    #[must_use]
    pub fn remaining(&self) -> G
    where
        G: Remainder,
    {
        let most = self.total.less(&self.spent());
        // `compose` rounds up, which matters little to what was spent and may matter more to a
        // small rest.
        let shrunk = (0..24).map(|k| most.shrunk(f64::EPSILON * f64::from(1u32 << k)));
        core::iter::once(most.clone())
            .chain(shrunk)
            .find(|rest| self.affords(rest))
            .unwrap_or_else(G::perfect)
    }

    /// Whether a release at this cost would fit.
    #[must_use]
    pub fn affords(&self, cost: &G) -> bool {
        self.after(cost).0.is_at_most(&self.total)
    }

    /// Refuses a cost that does not fit.
    pub(crate) fn check(&self, cost: &G) -> Result<(), Error> {
        if self.affords(cost) {
            return Ok(());
        }
        Err(Error::Exhausted {
            total: self.total.to_string(),
            spent: self.spent().to_string(),
            requested: cost.to_string(),
        })
    }

    /// Books a cost whether or not it fits: it has been paid already, or another condition allows
    /// it.
    pub(crate) fn record(&mut self, cost: &G) {
        let (_, before, run) = self.after(cost);
        (self.before, self.run) = (before, run);
    }

    /// What would be spent after paying a cost, and how it would be booked.
    fn after(&self, cost: &G) -> (G, G, (G, u64)) {
        let (last, count) = &self.run;
        let (before, run) = match count.checked_add(1) {
            Some(more) if last == cost => (self.before.clone(), (cost.clone(), more)),
            _ => (self.spent(), (cost.clone(), 1)),
        };
        (before.compose(&run.0.times(run.1)), before, run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::probe::{Probe, Silent};
    use dp_core::{Measurement, Pure, ReplaceOne};

    #[test]
    fn a_budget_is_spent_to_the_last_bit_and_not_beyond() {
        let mut budget = Budget::new(Pure::new(1.0).unwrap());
        let quarter = Probe::new(0.25);
        for _ in 0..4 {
            assert_eq!(budget.spend(&quarter, &[], &mut Silent), Ok(7));
        }
        assert_eq!(&budget.spent(), budget.total());
        let refused = budget.spend(&Probe::new(1e-300), &[], &mut Silent).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "a release that costs 1e-300-DP does not fit: 1-DP of 1-DP is spent; \
             ask for less, or decide that more may be spent on these data"
        );
        assert!(budget.spend(&Probe::new(0.0), &[], &mut Silent).is_ok());
    }

    #[test]
    fn a_refused_release_draws_nothing_and_costs_nothing() {
        let mut budget = Budget::<_, ReplaceOne>::new(Pure::new(0.5).unwrap());
        let dear = Probe::new(0.6);
        assert!(!budget.affords(&Measurement::guarantee(&dear)));
        assert!(budget.spend(&dear, &[], &mut Silent).is_err());
        assert_eq!((dear.draws(), budget.spent()), (0, Pure::perfect()));
    }

    #[test]
    fn a_failed_release_keeps_its_cost() {
        let mut budget = Budget::new(Pure::new(0.5).unwrap());
        let failing = Probe::failing(0.5);
        assert!(matches!(budget.spend(&failing, &[], &mut Silent), Err(Error::Core(_))));
        assert_eq!(budget.spent(), Pure::new(0.5).unwrap());
    }

    #[test]
    fn sums_that_do_not_round_evenly_never_slip_through() {
        // Ten times 0.1 is above 1 in exact arithmetic: the float 0.1 is.
        let mut budget = Budget::new(Pure::new(1.0).unwrap());
        let tenth = Probe::new(0.1);
        let fitted = (0..10).filter(|_| budget.spend(&tenth, &[], &mut Silent).is_ok()).count();
        assert_eq!(fitted, 9);
    }

    #[test]
    fn shares_fit_to_the_last_one() {
        let total = Pure::new(1.0).unwrap();
        for parts in [3u32, 7, 10, 1000] {
            let mut budget = Budget::new(total);
            let share = Probe::new(total.share(parts.try_into().unwrap()).epsilon().get());
            let fitted = (0..parts + 1).filter(|_| budget.spend(&share, &[], &mut Silent).is_ok()).count();
            assert_eq!(fitted, parts as usize);
        }
    }

    #[test]
    fn what_is_spent_is_never_less_than_the_sum() {
        let mut budget = Budget::new(Pure::new(100.0).unwrap());
        let costs = [0.1, 0.1, 0.2, 0.2, 0.2, 0.1, 0.3];
        for cost in costs {
            budget.spend(&Probe::new(cost), &[], &mut Silent).unwrap();
        }
        let sum = costs.iter().fold(Pure::perfect(), |sum, cost| sum.compose(&Pure::new(*cost).unwrap()));
        // 1.2 and a little, exactly 1.2000000000000000388…: at or above it, and not above what
        // adding one by one gives.
        assert!(budget.spent().epsilon().get() >= 1.2f64.next_up() && budget.spent().is_at_most(&sum));
    }
}
