//! What can pay.

use dp_core::adjacency::SameRelation;
use dp_core::{Adjacency, Guarantee, Measurement, SecureRng};

use super::{Budget, Interactive};
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

    /// Pays for one interaction with a mechanism, then starts it. See [`Interactive`].
    ///
    /// # Errors
    /// [`Error::Exhausted`] when the cost does not fit: then `start` was not called and nothing is booked.
    fn open<M, B, T>(
        &mut self,
        mechanism: &Interactive<M, G, B>,
        start: impl FnOnce(&M) -> T,
    ) -> Result<T, Error>
    where
        B: SameRelation<Self::Adjacency>,
    {
        self.charge(mechanism.cost())?;
        Ok(mechanism.start(start))
    }
}

impl<G: Guarantee, A: Adjacency> Account<G> for Budget<G, A> {
    type Adjacency = A;

    fn charge(&mut self, cost: &G) -> Result<(), Error> {
        self.charge(cost)
    }
}
