//! The sparse vector technique, one query after the other.

use std::fmt;

use dp_core::{Error, Scale};
use rand_core::Rng;

use super::AboveThreshold;
use super::noised::Noised;
use crate::sample::Bits;

/// Replies to answers one by one, so that each query may be chosen after seeing the replies before
/// it.
///
/// The whole interaction, however many answers it is asked about, costs the guarantee of its
/// [`Watch`](super::Watch) once. All answers that it is asked about must be within the bound on
/// [`AllAnswers`](dp_core::AllAnswers) that the watch was made for, and for a
/// [monotone](AboveThreshold::monotone) one they must be monotone together. Dropping it early is
/// fine. It cannot be cloned.
///
/// ```
/// use dp_core::{AddRemove, AllAnswers, Interactive, LInf, Pure, Scale, Sensitivity};
/// use dp_mechanisms::{AboveThreshold, Watch, rng::OsSeeded};
///
/// // One more person, one more case on each day.
/// let cases = AllAnswers::asserting(Sensitivity::<LInf, AddRemove>::new(1.0)?);
/// let noise = AboveThreshold::with_scales(50.0, 1, Scale::new(2.0)?, Scale::new(4.0)?)?;
/// let watch = Watch::new(noise, cases)?;
/// assert_eq!(watch.guarantee(), Pure::new(1.0)?);
///
/// let mut interaction = watch.open(OsSeeded::new()?);
/// let mut day = 0;
/// while !interaction.ask(f64::from(day * 10))? { // an outbreak that grows by ten a day
///     day += 1;
/// }
/// assert!(day <= 20);
/// assert!(interaction.ask(1e9).is_err()); // it has said yes, and is over
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
pub struct Interaction<R> {
    pub(super) threshold: Noised,
    pub(super) answer_scale: Scale,
    pub(super) left: u32,
    pub(super) rng: R,
}

impl<R: Rng> Interaction<R> {
    /// Whether an answer lies above the threshold, both with noise.
    ///
    /// # Errors
    /// [`Error::Unreachable`] after the last positive reply that was paid for. This follows from
    /// the replies, and so reveals nothing more.
    pub fn ask(&mut self, answer: f64) -> Result<bool, Error> {
        if self.left == 0 {
            return Err(Error::Unreachable {
                request: "a reply after the last positive one",
                instead: "this interaction has said yes as often as was paid for; open another one, which costs its guarantee anew",
            });
        }
        let mut bits = Bits::new(&mut self.rng);
        let above = AboveThreshold::is_above(&mut self.threshold, answer, self.answer_scale, &mut bits);
        self.left -= u32::from(above);
        Ok(above)
    }
}

impl<R> Interaction<R> {
    /// The number of positive replies that are left.
    #[must_use]
    pub const fn positives_left(&self) -> u32 {
        self.left
    }

    /// The generator, for noise on what is released beside the replies.
    pub(crate) const fn generator(&mut self) -> &mut R {
        &mut self.rng
    }
}

/// Shows nothing that was drawn.
impl<R> fmt::Debug for Interaction<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interaction").field("positives_left", &self.left).finish_non_exhaustive()
    }
}
