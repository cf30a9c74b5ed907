//! An (ε,δ) budget that is spent by advanced composition, step by step.

use dp_core::rounding::{Enclosure, add_up, sub_down};
use dp_core::{Adjacency, Alpha, Approx, Delta, Epsilon, Guarantee};

use super::{Account, Budget, Step};
use crate::Error;

/// A fully adaptive (ε,δ) privacy filter: it pays for steps in any notion, whose costs and number
/// are chosen along the way, at the rate of advanced composition.
///
/// A `Budget<Approx, A>` adds up ε. This one also adds up Rényi divergences, at one order α that is
/// fixed in the beginning, and reserves a part δ' of the total δ for the event that the loss is
/// larger than it should be. A step is paid if afterwards
///
/// > Σδᵢ ≤ δ − δ', and (Σεᵢ ≤ ε or ΣD_α,ᵢ ≤ K), where K = ε − ln(1 − 1/α) + (ln δ' + ln α)/(α − 1).
///
/// So it never pays for less than basic composition with δ − δ' does, and hundreds of small steps
/// fit where basic composition has room for a hundred.
///
/// **Theorem.** All outputs together are (ε,δ)-private, if each step is chosen from the outputs
/// before it.
///
/// *Proof.* Write each step as in [`Step`]: with probability δᵢ it fails, else its loss is Lᵢ ≤ εᵢ
/// with E(e^((α−1)Lᵢ)) ≤ e^((α−1)D_α,ᵢ), given the past. What may be spent next depends on the past
/// only, so failures have the same probability on both neighbours, and Pr(some step fails) ≤ E(Σδᵢ)
/// ≤ δ − δ'. Without failures let L be the sum of the losses up to the last step. It remains to
/// show E(1 − e^(ε−L))₊ ≤ δ'. On paths that end with Σεᵢ ≤ ε the bracket is zero. On the others
/// ΣD_α,ᵢ ≤ K. With λ = α − 1, e^(λL − λΣD_α,ᵢ) is a nonnegative supermartingale that starts at 1,
/// so E(e^(λL); others) ≤ e^(λK). And (1 − e^(−t))₊ ≤ c·e^(λt) for c = (1 − 1/α)^λ/α, by calculus
/// (the largest (1−x)x^λ is at x = 1 − 1/α), so that E(1 − e^(ε−L))₊ ≤ c·e^(λ(K−ε)) = δ'. ∎
///
/// Two things that look harmless are not valid, and not done: to let steps use all of δ on paths
/// with Σεᵢ ≤ ε (a path may decide, once it knows that its loss is small, to spend δ' on failures,
/// while others go on to a large loss), and to choose the order at the end.
///
/// An [interaction](dp_core::Interactive) whose cost is pure or (ε,δ) may stay open while other
/// steps are taken: it is post-processing of one step of (ε,δ)-randomised response, interactive as
/// it is (Vadhan and Zhang 2023). One whose cost is a Rényi curve should be over before the next
/// step, because the theorem for those covers filters at a fixed order alone.
///
/// It pays for all that the filter of Whitehouse, Ramdas, Rogers and Wu (2023), ½Σεᵢ² + √(2
/// ln(1/δ')·Σεᵢ²) ≤ ε, pays for: that condition is Σεᵢ² ≤ V for one V; D_α ≤ ½αεᵢ² for ε-private
/// steps; and at α = 1 + √(2 ln(1/δ')/V) the condition reads ½αV ≤ ε + (ln δ')/(α − 1), which is
/// below K. The order that is used makes K/α largest, up to one part in a hundred in α − 1.
///
/// ```
/// use dp_accounting::{Account, AdvancedBudget};
/// use dp_core::{AddRemove, Approx, Pure};
///
/// let total = Approx::new(1.0, 1e-6)?;
/// let mut budget = AdvancedBudget::<AddRemove>::new(total);
/// let step = Pure::new(0.01)?;
/// let mut paid = 0;
/// while budget.charge(&step).is_ok() {
///     paid += 1;
/// }
/// assert!(paid > 350); // 100 by adding up
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Debug, PartialEq)]
pub struct AdvancedBudget<A> {
    /// What was spent by basic composition; its own total is not asked.
    basic: Budget<Approx, A>,
    /// δ'.
    reserve: Delta,
    /// α.
    order: Alpha,
    /// K, rounded down; may be negative.
    capacity: f64,
    /// The sum of D_α, rounded up.
    divergence: f64,
}

impl<A: Adjacency> AdvancedBudget<A> {
    /// A budget that reserves half of δ, which costs little: ε depends on the logarithm of the
    /// reserve.
    #[must_use]
    pub fn new(total: Approx) -> Self {
        Self::reserving(total, Delta::saturating(total.delta().get() / 2.0), &|order| order)
    }

    /// A budget that reserves a given δ'. When no step has a δ of its own, reserve all of it; with
    /// none reserved this is basic composition.
    ///
    /// # Errors
    /// [`dp_core::Error::Above`] when more is reserved than the total has.
    pub fn with_reserve(total: Approx, reserve: Delta) -> Result<Self, Error> {
        checked(total, reserve).map(|()| Self::reserving(total, reserve, &|order| order))
    }

    /// A budget whose order is the best one for steps like this. It pays for other steps, too.
    ///
    /// # Errors
    /// [`dp_core::Error::Above`] when more is reserved than the total has.
    pub fn for_steps_like(total: Approx, reserve: Delta, step: &impl Step) -> Result<Self, Error> {
        let cost = |order: f64| step.divergence(Alpha::saturating(order));
        checked(total, reserve).map(|()| Self::reserving(total, reserve, &cost))
    }

    fn reserving(total: Approx, reserve: Delta, cost: &dyn Fn(f64) -> f64) -> Self {
        let order = best_order(total.epsilon(), reserve, cost);
        let capacity = capacity(total.epsilon(), reserve, order);
        Self { basic: Budget::new(total), reserve, order, capacity, divergence: 0.0 }
    }

    /// The whole budget.
    #[must_use]
    pub const fn total(&self) -> &Approx {
        self.basic.total()
    }

    /// The part δ' of δ that steps cannot spend.
    #[must_use]
    pub const fn reserve(&self) -> Delta {
        self.reserve
    }

    /// The order at which divergences are added up.
    #[must_use]
    pub const fn order(&self) -> Alpha {
        self.order
    }

    /// The smallest total with which the same steps would have been paid, at this order and
    /// reserve.
    #[must_use]
    pub fn spent(&self) -> Approx {
        let basic = self.basic.spent();
        if basic == Approx::perfect() {
            return basic;
        }
        let delta = Delta::saturating(add_up(basic.delta().get(), self.reserve.get()));
        let advanced = (Enclosure::point(self.divergence) + price(self.reserve, self.order)).hi();
        Approx::from_parts(Epsilon::saturating(advanced.min(basic.epsilon().get())), delta)
    }

    /// Whether a step at this cost would be paid.
    #[must_use]
    pub fn affords<G: Step>(&self, cost: &G) -> bool {
        let (after, ..) = self.basic.after(&cost.as_approx());
        let total = self.total();
        after.delta().get() <= sub_down(total.delta().get(), self.reserve.get())
            && (after.epsilon() <= total.epsilon() || self.divergence_with(cost) <= self.capacity)
    }

    fn divergence_with<G: Step>(&self, cost: &G) -> f64 {
        add_up(self.divergence, cost.divergence(self.order))
    }
}

impl<G: Step, A: Adjacency> Account<G> for AdvancedBudget<A> {
    type Adjacency = A;

    fn charge(&mut self, cost: &G) -> Result<(), Error> {
        if !self.affords(cost) {
            return Err(Error::Exhausted {
                total: self.total().to_string(),
                spent: self.spent().to_string(),
                requested: cost.to_string(),
            });
        }
        self.divergence = self.divergence_with(cost);
        self.basic.record(&cost.as_approx());
        Ok(())
    }
}

fn checked(total: Approx, reserve: Delta) -> Result<(), Error> {
    if reserve <= total.delta() {
        return Ok(());
    }
    let (argument, limit) = ("the reserve", "the delta of the total");
    Err(dp_core::Error::Above { argument, found: reserve.get(), limit, most: total.delta().get() }.into())
}

/// ε − D in terms of the order: ln(1 − 1/α) − (ln δ' + ln α)/(α − 1).
fn price(reserve: Delta, order: Alpha) -> Enclosure {
    let alpha = Enclosure::point(order.get());
    let above_one = alpha - Enclosure::ONE;
    let logs = Enclosure::point(reserve.get()).ln() + alpha.ln();
    above_one.ln() - alpha.ln() - logs / above_one
}

/// K, the divergence that may be spent, rounded down.
fn capacity(epsilon: Epsilon, reserve: Delta, order: Alpha) -> f64 {
    (Enclosure::point(epsilon.get()) - price(reserve, order)).lo()
}

/// The order at which the most steps of a cost fit. Any order is sound; this one only decides how
/// many.
fn best_order(epsilon: Epsilon, reserve: Delta, cost: &dyn Fn(f64) -> f64) -> Alpha {
    let orders = (-640..=1280).map(|k| Alpha::saturating(1.0 + (f64::from(k) / 64.0).exp2()));
    let steps = |order: Alpha| capacity(epsilon, reserve, order) / cost(order.get());
    orders.max_by(|a, b| steps(*a).total_cmp(&steps(*b))).expect("the range is not empty")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Odometer;
    use crate::budget::probe::{Probe, Silent};
    use dp_core::{AddRemove, Gdp, Pure, Rdp, Relax, ReplaceOne, Zcdp};

    fn delta(value: f64) -> Delta {
        Delta::new(value).unwrap()
    }

    #[test]
    fn no_other_order_fits_more_steps() {
        for (epsilon, reserve) in [(1000.0, 0.1), (1.0, 1e-6), (0.01, 1e-9)] {
            let (epsilon, reserve) = (Epsilon::new(epsilon).unwrap(), delta(reserve));
            let steps = |order: Alpha| capacity(epsilon, reserve, order) / order.get();
            let most = steps(best_order(epsilon, reserve, &|order| order));
            let orders = (-9000..12_000).map(|k| Alpha::saturating(1.0 + (f64::from(k) / 1000.0).exp()));
            let other = orders.map(steps).fold(0.0, f64::max);
            assert!(most >= other * (1.0 - 1e-4), "{epsilon} {reserve}: {most}, but {other}");
        }
    }

    /// How often a cost is paid, up to ten thousand times.
    fn count<G: Step>(mut budget: AdvancedBudget<AddRemove>, cost: &G) -> u32 {
        (0..10_000).take_while(|_| budget.charge(cost).is_ok()).map(|_| 1).sum()
    }

    #[test]
    fn no_fewer_steps_than_the_filter_of_whitehouse_and_others() {
        for (epsilon, reserve) in [(0.1, 1e-9), (1.0, 1e-6), (3.0, 1e-3), (10.0, 0.05), (0.5, 0.4)] {
            for step in [0.003, 0.02, 0.1, 0.5] {
                let total = Approx::from_parts(Epsilon::new(epsilon).unwrap(), Delta::new(reserve).unwrap());
                let log = (1.0 / reserve).ln();
                let root = (2.0 * log + 2.0 * epsilon).sqrt() - (2.0 * log).sqrt(); // ½V + √(2·log·V) = ε
                let theirs = (root * root / (step * step)).floor();
                let basic = (epsilon / step).floor();
                if theirs > 3000.0 {
                    continue; // as the others, only slower
                }
                let budget = AdvancedBudget::with_reserve(total, delta(reserve)).unwrap();
                let ours = f64::from(count(budget, &Pure::new(step).unwrap()));
                assert!(
                    ours >= theirs.max(basic - 1.0),
                    "{epsilon} {reserve} {step}: {ours} {theirs} {basic}"
                );
            }
        }
    }

    #[test]
    fn a_known_step_gets_its_own_order() {
        let gained = [(3.0, 0.2), (10.0, 0.5), (30.0, 1.0)].map(|(epsilon, step)| {
            let (total, step) = (Approx::new(epsilon, 1e-3).unwrap(), Pure::new(step).unwrap());
            let vanishing = AdvancedBudget::with_reserve(total, delta(1e-3)).unwrap();
            let tuned = AdvancedBudget::for_steps_like(total, delta(1e-3), &step).unwrap();
            (count(vanishing, &step), count(tuned, &step))
        });
        assert!(gained.iter().all(|(vanishing, tuned)| tuned >= vanishing), "{gained:?}");
        assert!(gained.iter().any(|(vanishing, tuned)| tuned > vanishing), "{gained:?}");
    }

    #[test]
    fn steps_of_all_notions_are_paid() {
        let mut budget = AdvancedBudget::<AddRemove>::new(Approx::new(2.0, 1e-5).unwrap());
        assert_eq!(budget.spent(), Approx::perfect());
        budget.charge(&Pure::new(0.1).unwrap()).unwrap();
        budget.charge(&Zcdp::new(0.003).unwrap()).unwrap();
        budget.charge(&Gdp::new(0.05).unwrap()).unwrap();
        budget.charge(&Relax::<Rdp>::relaxed(&Pure::new(0.1).unwrap())).unwrap();
        budget.charge(&Approx::new(0.1, 4e-6).unwrap()).unwrap();
        let spent = budget.spent();
        assert!(spent.delta().get() >= 9e-6 && spent.delta().get() < 9.000_001e-6);
        assert!(spent.epsilon().get() > 0.3 && spent.epsilon().get() <= 2.0, "{spent}");
        // The δ of steps stays within δ − δ' = 5e-6.
        let refused = budget.charge(&Approx::new(0.0, 2e-6).unwrap()).unwrap_err();
        assert!(matches!(refused, Error::Exhausted { .. }));
        assert_eq!(budget.spent(), spent);
        assert!(!budget.affords(&Approx::from_parts(Epsilon::INFINITE, Delta::ZERO)));
    }

    #[test]
    fn measurements_and_interactions_are_paid_at_their_own_notion() {
        let mut budget = AdvancedBudget::<ReplaceOne>::new(Approx::new(0.3, 1e-6).unwrap());
        let probe = Probe::new(0.125);
        assert_eq!(budget.spend(&probe, &[], &mut Silent), Ok(7));
        assert_eq!(budget.open(&probe, Silent), Ok(1));
        assert!(matches!(budget.spend(&probe, &[], &mut Silent), Err(Error::Exhausted { .. })));
        assert_eq!((budget.spent().epsilon().get(), probe.draws()), (0.25, 2));
        let mut odometer = Odometer::<ReplaceOne>::new(delta(1e-6));
        assert_eq!(odometer.spend(&probe, &[], &mut Silent), Ok(7));
        assert_eq!(odometer.epsilon().get(), 0.125);
    }

    #[test]
    fn without_a_reserve_it_is_basic_composition() {
        let total = Approx::new(1.0, 1e-6).unwrap();
        let basic = AdvancedBudget::with_reserve(total, Delta::ZERO).unwrap();
        assert_eq!(count(basic, &Approx::new(0.25, 1e-7).unwrap()), 4);
        let nothing_to_reserve = AdvancedBudget::new(Approx::new(1.0, 0.0).unwrap());
        assert_eq!(count(nothing_to_reserve, &Pure::new(0.25).unwrap()), 4);
        assert!(AdvancedBudget::<AddRemove>::with_reserve(total, delta(2e-6)).is_err());
        // Nor does a total of which δ is one make anything free.
        let careless = AdvancedBudget::with_reserve(
            Approx::from_parts(Epsilon::new(1.0).unwrap(), Delta::ONE),
            Delta::ZERO,
        )
        .unwrap();
        assert_eq!(count(careless, &Pure::new(0.5).unwrap()), 2);
    }

    #[test]
    fn what_is_spent_is_the_total_that_would_have_sufficed() {
        let step = Pure::new(0.05).unwrap();
        let mut budget = AdvancedBudget::<AddRemove>::new(Approx::new(1.0, 1e-4).unwrap());
        assert!((0..10_000).any(|_| budget.charge(&step).is_err()));
        let spent = budget.spent();
        assert!(spent.epsilon().get() <= 1.0 && spent.epsilon().get() > 0.95, "{spent}");
        assert_eq!(spent.delta(), budget.reserve());
    }
}
