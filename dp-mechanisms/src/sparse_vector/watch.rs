//! The cost of an interaction with the sparse vector technique.

use core::marker::PhantomData;

use dp_core::{Adjacency, AllAnswers, Calibrate, Error, Interactive, Pure};
use rand_core::Rng;

use super::{AboveThreshold, Interaction};
use crate::selection::Scores;

/// [`AboveThreshold`] as an interaction: the mechanism, with a bound on how far one record moves
/// all answers that it will be asked about.
///
/// The cost comes from the privacy map of the mechanism, or is the target that it was calibrated
/// to. The relation and the norm are those of [`AllAnswers`]: the sensitivity of *one* query is not
/// taken, because it says nothing of the others.
///
/// # Contract
/// All answers that an interaction is asked about are within the bound, together. That is yours to
/// keep: the mechanism never sees the data.
///
/// ```
/// use dp_core::{AllAnswers, Guarantee, Interactive, Query};
/// use dp_mechanisms::{AboveThreshold, Watch, rng::OsSeeded};
/// # use dp_core::{AddRemove, Error, Finite, FiniteVec, LInfMonotone, Pure, Sensitivity, SensitivityIn};
/// # /// Votes for each of three candidates.
/// # struct Votes;
/// # impl Query for Votes {
/// #     type Data = [usize];
/// #     type Answer = FiniteVec;
/// #     type Adjacency = AddRemove;
/// #     fn answer(&self, data: &[usize]) -> Result<FiniteVec, Error> {
/// #         Ok((0..3).map(|i| Finite::count(data.iter().filter(|vote| **vote == i).count())).collect())
/// #     }
/// # }
/// # impl SensitivityIn<LInfMonotone> for Votes {
/// #     fn sensitivity(&self) -> Sensitivity<LInfMonotone, AddRemove> {
/// #         Sensitivity::new(1.0).expect("one is a sensitivity")
/// #     }
/// # }
///
/// // Counts of votes, which a ballot more raises and never lowers: half of the noise.
/// let answers = AllAnswers::monotone_coordinates_of(&Votes);
/// let watch = Watch::new(AboveThreshold::epsilon(1.0, 50.0, 1)?.monotone(), answers)?;
/// assert_eq!(watch.guarantee(), Pure::new(1.0)?);
///
/// let votes = Votes.answer(&[0, 2, 2, 1, 2])?;
/// // A budget does this after it has booked the cost.
/// let mut interaction = watch.open(OsSeeded::new()?);
/// let _ = interaction.ask(votes[2])?;
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Watch<S, A> {
    mechanism: AboveThreshold<S>,
    cost: Pure,
    relation: PhantomData<fn(A) -> A>,
}

impl<S: Scores, A: Adjacency> Watch<S, A> {
    /// A mechanism, or a target for one, that will be asked about these answers.
    ///
    /// # Errors
    /// When no mechanism of this kind meets the target.
    pub fn new<C>(noise: C, answers: AllAnswers<S::Norm, A>) -> Result<Self, Error>
    where
        C: Calibrate<Mechanism = AboveThreshold<S>, Guarantee = Pure>,
    {
        let (mechanism, cost) = noise.calibrate(answers.sensitivity())?;
        Ok(Self { mechanism, cost, relation: PhantomData })
    }

    /// The mechanism.
    #[must_use]
    pub const fn mechanism(&self) -> &AboveThreshold<S> {
        &self.mechanism
    }
}

impl<S: Scores, A: Adjacency> Interactive for Watch<S, A> {
    type Guarantee = Pure;
    type Adjacency = A;
    type Interaction<R: Rng> = Interaction<R>;

    fn guarantee(&self) -> Pure {
        self.cost
    }

    fn simulate<R: Rng>(&self, rng: R) -> Interaction<R> {
        self.mechanism.start(rng)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_core::{Guarantee, LInf, Mechanism, ReplaceOne, Scale, Sensitivity};

    #[test]
    fn a_fixed_noise_costs_what_its_privacy_map_says() {
        let scale = Scale::new(4.0).unwrap();
        let noise = AboveThreshold::with_scales(0.0, 1, scale, scale).unwrap();
        let by = Sensitivity::<LInf, ReplaceOne>::new(2.0).unwrap();
        let watch = Watch::new(noise, AllAnswers::asserting(by)).unwrap();
        assert_eq!(watch.guarantee(), noise.guarantee(by));
        assert!(watch.guarantee() != Pure::perfect() && watch.mechanism() == &noise);
    }
}
