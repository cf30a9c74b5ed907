//! What can pay.

use dp_core::adjacency::SameRelation;
use dp_core::{Adjacency, Guarantee, Interactive, Measurement, SecureRng};

use super::Budget;
use crate::Error;

/// Something from which guarantees in the notion `G` are paid.
///
/// # Contract
/// `charge` books the cost, or refuses it and changes nothing. Whoever spends draws only after it has booked.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not pay for guarantees in `{G}`",
    label = "this pays in another notion than `{G}`",
    note = "relax the measurement to the notion of the budget: `.relax::<Zcdp>()` and the like, or `.at_delta(…)` for Approx"
)]
pub trait Account<G: Guarantee> {
    /// The neighbour relation under which it is paid.
    type Adjacency: Adjacency;

    /// Books a cost for what is done after this. That it has this guarantee is the caller's assertion.
    ///
    /// # Errors
    /// [`Error::Exhausted`] when the cost does not fit: then nothing is booked.
    fn charge(&mut self, cost: &G) -> Result<(), Error>;

    /// Pays for one release of a measurement and draws it. See [`Budget::spend`].
    ///
    /// # Errors
    /// [`Error::Exhausted`] when the cost does not fit: then nothing was drawn and nothing is booked.
    /// [`Error::Core`] when the measurement fails.
    fn spend<M, R>(&mut self, measurement: &M, data: &M::Data, rng: &mut R) -> Result<M::Output, Error>
    where
        M: Measurement<Guarantee = G>,
        M::Adjacency: SameRelation<Self::Adjacency>,
        R: SecureRng + ?Sized,
    {
        self.charge(&measurement.guarantee())?;
        Ok(measurement.release(data, rng)?)
    }

    /// Pays for one interaction, then opens it. See [`Budget::open`].
    ///
    /// # Errors
    /// [`Error::Exhausted`] when the cost does not fit: then nothing was opened and nothing is booked.
    fn open<I, R>(&mut self, interactive: &I, rng: R) -> Result<I::Interaction<R>, Error>
    where
        I: Interactive<Guarantee = G>,
        I::Adjacency: SameRelation<Self::Adjacency>,
        R: SecureRng,
    {
        self.charge(&interactive.guarantee())?;
        Ok(interactive.open(rng))
    }
}

impl<G: Guarantee, A: Adjacency> Account<G> for Budget<G, A> {
    type Adjacency = A;

    fn charge(&mut self, cost: &G) -> Result<(), Error> {
        self.charge(cost)
    }
}
