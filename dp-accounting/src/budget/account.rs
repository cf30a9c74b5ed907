//! What can pay.

use dp_core::adjacency::SameRelation;
use dp_core::notion::SameNotion;
use dp_core::{Adjacency, Guarantee, Interactive, Measurement, SecureRng};

use super::Budget;
use crate::Error;

/// Something from which guarantees in the notion `G` are paid: a [`Budget`], a
/// `Ledger`, a [filter](super::AdvancedBudget), an [odometer](super::Odometer), or
/// a [shared](super::Shared) one of them.
///
/// # Contract
/// `charge` books the cost, or refuses it and changes nothing. Whoever spends draws only after it
/// has booked.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not pay for guarantees in `{G}`",
    label = "this pays in another notion than `{G}`",
    note = "relax the measurement to the notion of the budget: `.relax::<Zcdp>()` and the like, or `.at_delta(…)` for Approx"
)]
pub trait Account<G: Guarantee> {
    /// The neighbour relation under which it is paid.
    type Adjacency: Adjacency;

    /// Books the cost of something that is neither a [`Measurement`] nor [`Interactive`], before it
    /// is done.
    ///
    /// That what you do has this guarantee under the relation of the account is your assertion; the
    /// other two methods ask the types.
    ///
    /// # Errors
    /// [`Error::Exhausted`] when the cost does not fit, `Error::Ledger` when a ledger could not
    /// record it: then nothing is booked, and nothing may be done.
    fn charge(&mut self, cost: &G) -> Result<(), Error>;

    /// Pays for one release of a measurement and draws it.
    ///
    /// The cost is booked before anything is drawn. A measurement that fails after that keeps its
    /// cost, because a failure may depend on what was drawn before it.
    ///
    /// # Errors
    /// As for [`charge`](Self::charge): then nothing was drawn. [`Error::Core`] when the
    /// measurement fails.
    fn spend<M, R>(&mut self, measurement: &M, data: &M::Data, rng: &mut R) -> Result<M::Output, Error>
    where
        M: Measurement,
        M::Guarantee: SameNotion<G>,
        M::Adjacency: SameRelation<Self::Adjacency>,
        R: SecureRng + ?Sized,
    {
        self.charge(&measurement.guarantee().into_notion())?;
        Ok(measurement.release(data, rng)?)
    }

    /// Pays for one interaction, then opens it. What comes back is the interaction alone, with a
    /// generator whose seed is secret.
    ///
    /// ```
    /// use dp_accounting::{Account, Budget};
    /// use dp_core::{AddRemove, AllAnswers, LInf, Pure, Sensitivity};
    /// use dp_mechanisms::{AboveThreshold, Watch, rng::OsSeeded};
    ///
    /// // Every count that will be asked about moves by at most one.
    /// let counts = AllAnswers::asserting(Sensitivity::<LInf, AddRemove>::new(1.0)?);
    /// let watch = Watch::new(AboveThreshold::epsilon(0.5, 100.0, 1)?, counts)?;
    ///
    /// let mut budget = Budget::new(Pure::new(0.8)?);
    /// let mut interaction = budget.open(&watch, OsSeeded::new()?)?;
    /// assert_eq!(budget.spent(), Pure::new(0.5)?);
    /// // As many as you like until it says yes.
    /// let replies = [0.0, 10.0, 1000.0].map(|count| interaction.ask(count));
    /// assert!(replies[2].is_ok() || replies.iter().any(Result::is_err));
    /// // Not opened, because it is not paid.
    /// assert!(budget.open(&watch, OsSeeded::new()?).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// An interaction for neighbours of another kind, or in another notion, does not compile:
    ///
    /// ```compile_fail,E0277
    /// # use dp_accounting::{Account, Budget};
    /// # use dp_core::{AddRemove, AllAnswers, LInf, Pure, ReplaceOne, Sensitivity};
    /// # use dp_mechanisms::{AboveThreshold, Watch, rng::OsSeeded};
    /// let counts = AllAnswers::asserting(Sensitivity::<LInf, AddRemove>::new(1.0)?);
    /// let watch = Watch::new(AboveThreshold::epsilon(0.5, 100.0, 1)?, counts)?;
    /// Budget::<Pure, ReplaceOne>::new(Pure::new(1.0)?).open(&watch, OsSeeded::new()?)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// ```compile_fail,E0277
    /// # use dp_accounting::{Account, Budget};
    /// # use dp_core::{AddRemove, AllAnswers, LInf, Sensitivity, Zcdp};
    /// # use dp_mechanisms::{AboveThreshold, Watch, rng::OsSeeded};
    /// let counts = AllAnswers::asserting(Sensitivity::<LInf, AddRemove>::new(1.0)?);
    /// let watch = Watch::new(AboveThreshold::epsilon(0.5, 100.0, 1)?, counts)?;
    /// Budget::<Zcdp, AddRemove>::new(Zcdp::new(1.0)?).open(&watch, OsSeeded::new()?)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As for [`charge`](Self::charge): then nothing was opened.
    fn open<I, R>(&mut self, interactive: &I, rng: R) -> Result<I::Interaction<R>, Error>
    where
        I: Interactive,
        I::Guarantee: SameNotion<G>,
        I::Adjacency: SameRelation<Self::Adjacency>,
        R: SecureRng,
    {
        self.charge(&interactive.guarantee().into_notion())?;
        Ok(interactive.open(rng))
    }
}

impl<G: Guarantee, A: Adjacency> Account<G> for Budget<G, A> {
    type Adjacency = A;

    fn charge(&mut self, cost: &G) -> Result<(), Error> {
        self.check(cost)?;
        self.record(cost);
        Ok(())
    }
}
