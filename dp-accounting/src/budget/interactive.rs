//! What is paid once and asked many times.

use core::marker::PhantomData;

use dp_core::{Adjacency, Calibrate, Error, Mechanism, Sensitivity};

/// A mechanism that is asked question after question, with what one whole interaction costs.
///
/// The cost comes from the privacy map of the mechanism, or is the target that it was calibrated to; the relation is that of the sensitivity. A
/// [budget](super::Budget::open) books it before the interaction starts, so before the first noise.
///
/// # Contract
/// `start` begins one interaction, and all answers that it is asked about change by at most the sensitivity between neighbours. That is yours to keep: the
/// mechanism never sees the data.
///
/// ```
/// use dp_accounting::{Budget, Interactive};
/// use dp_core::{AddRemove, LInf, Pure, Sensitivity};
/// use dp_mechanisms::{AboveThreshold, rng::OsSeeded};
///
/// let counts = Sensitivity::<LInf, AddRemove>::new(1.0)?;
/// let watch = Interactive::new(AboveThreshold::epsilon(0.5, 100.0, 1)?, counts)?;
///
/// let mut budget = Budget::new(Pure::new(0.8)?);
/// let rng = OsSeeded::new()?;
/// let mut interaction = budget.open(&watch, |mechanism| mechanism.open(rng))?;
/// assert_eq!(budget.spent(), Pure::new(0.5)?);
/// let replies = [0.0, 10.0, 1000.0].map(|count| interaction.ask(count)); // as many as you like until it says yes
/// assert!(replies[2].is_ok() || replies.iter().any(Result::is_err));
/// assert!(budget.open(&watch, |_| unreachable!("it is not started when it is not paid")).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// An interaction for neighbours of another kind, or in another notion, does not compile:
///
/// ```compile_fail,E0277
/// use dp_accounting::{Budget, Interactive};
/// use dp_core::{AddRemove, LInf, Pure, ReplaceOne, Sensitivity};
/// use dp_mechanisms::AboveThreshold;
///
/// let counts = Sensitivity::<LInf, AddRemove>::new(1.0)?;
/// let watch = Interactive::new(AboveThreshold::epsilon(0.5, 100.0, 1)?, counts)?;
/// Budget::<Pure, ReplaceOne>::new(Pure::new(1.0)?).open(&watch, |_| ())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// ```compile_fail,E0277
/// use dp_accounting::{Budget, Interactive};
/// use dp_core::{AddRemove, LInf, Sensitivity, Zcdp};
/// use dp_mechanisms::AboveThreshold;
///
/// let counts = Sensitivity::<LInf, AddRemove>::new(1.0)?;
/// let watch = Interactive::new(AboveThreshold::epsilon(0.5, 100.0, 1)?, counts)?;
/// Budget::<Zcdp, AddRemove>::new(Zcdp::new(1.0)?).open(&watch, |_| ())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Interactive<M, G, A> {
    mechanism: M,
    cost: G,
    relation: PhantomData<fn() -> A>,
}

impl<M: Mechanism, G, A: Adjacency> Interactive<M, G, A> {
    /// A mechanism, or a target for one, that will be asked about answers of this sensitivity.
    ///
    /// # Errors
    /// When no mechanism of this kind meets the target.
    pub fn new<C>(noise: C, sensitivity: Sensitivity<M::Norm, A>) -> Result<Self, Error>
    where
        C: Calibrate<Mechanism = M, Guarantee = G>,
    {
        let (mechanism, cost) = noise.calibrate(sensitivity)?;
        Ok(Self { mechanism, cost, relation: PhantomData })
    }
}

impl<M, G, A> Interactive<M, G, A> {
    /// What one interaction costs.
    #[must_use]
    pub const fn cost(&self) -> &G {
        &self.cost
    }

    /// Starts an interaction that has been paid.
    pub(crate) fn start<T>(&self, start: impl FnOnce(&M) -> T) -> T {
        start(&self.mechanism)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Budget;
    use dp_core::{Guarantee, LInf, Pure, ReplaceOne};
    use dp_mechanisms::{AboveThreshold, rng::OsSeeded};

    #[test]
    fn an_interaction_is_paid_before_it_starts_and_once() {
        let answers = Sensitivity::<LInf, ReplaceOne>::new(1.0).unwrap();
        let watch = Interactive::new(AboveThreshold::epsilon(0.5, 10.0, 2).unwrap(), answers).unwrap();
        assert_eq!(watch.cost(), &Pure::new(0.5).unwrap());
        let mut budget = Budget::new(Pure::new(1.0).unwrap());
        let mut first = budget.open(&watch, |m| m.open(OsSeeded::new().unwrap())).unwrap();
        let mut second = budget.open(&watch, |m| m.open(OsSeeded::new().unwrap())).unwrap();
        for _ in 0..100 {
            assert!(!first.ask(-1e6).unwrap() && !second.ask(-1e6).unwrap()); // interleaved, and no dearer
        }
        assert_eq!(&budget.spent(), budget.total());
        let mut started = false;
        assert!(budget.open(&watch, |_| started = true).is_err());
        assert!(!started && budget.spent() == Pure::new(1.0).unwrap());
    }

    #[test]
    fn a_fixed_noise_costs_what_its_privacy_map_says() {
        let scale = dp_core::Scale::new(4.0).unwrap();
        let noise = AboveThreshold::with_scales(0.0, 1, scale, scale).unwrap();
        let by = Sensitivity::<LInf, ReplaceOne>::new(2.0).unwrap();
        let watch = Interactive::new(noise, by).unwrap();
        assert_eq!(watch.cost(), &noise.guarantee(by));
        assert!(watch.cost() != &Pure::perfect());
    }
}
