//! Who knows how far a release strays.

use alloc::vec::Vec;

use super::{Confidence, NoisySum};
use crate::Error;

/// A mechanism or a measurement whose releases say where the exact answer lies.
///
/// Measurements inherit it from their mechanism, through
/// [`at_delta`](crate::Measurement::at_delta), [`relax`](crate::Measurement::relax),
/// [`replace_one_as_two_steps`](crate::Measurement::replace_one_as_two_steps),
/// [`and`](crate::Measurement::and), [`then`](crate::Measurement::then),
/// [`ByKey`](crate::measurement::ByKey) and [`SplitAt`](crate::measurement::SplitAt). What a
/// function makes of a release ([`map`](crate::Measurement::map)) does not say what the release
/// was; where the function is monotone, map the release and [its
/// interval](super::ConfidenceInterval::map_monotone) by it.
///
/// Several intervals, of a list, of a pair or of groups, are *simultaneous*: all of them cover
/// their answers together with the confidence that was asked for.
///
/// # Contract
/// For all data: with probability 1 − β at least over what is drawn, the interval of the released
/// value covers the exact answer; all intervals cover theirs, where there are several. It is
/// computed from the released value and from public facts alone.
#[diagnostic::on_unimplemented(
    message = "nothing is known of how far releases of `{Self}` are from the exact answer",
    label = "no interval",
    note = "`interval` is for noise of a public scale, such as `Laplace`; after `map` it is lost: \
            map the release and its interval afterwards, by `ConfidenceInterval::map_monotone`"
)]
pub trait WithInterval {
    /// What was released.
    type Released;
    /// [`ConfidenceInterval`](super::ConfidenceInterval) for a number, a list of them for a list, a
    /// pair for a pair.
    type Interval;

    /// The interval that covers the answer at a confidence.
    ///
    /// # Errors
    /// When the confidence is so high that no finite noise has it.
    fn interval_at(&self, released: &Self::Released, confidence: Confidence)
    -> Result<Self::Interval, Error>;

    /// One interval for each of several releases, each at this confidence by itself: what
    /// simultaneous intervals are made of. It takes less work than one by one where the noise is
    /// the same.
    ///
    /// # Errors
    /// As [`interval_at`](Self::interval_at).
    fn each_interval_at(
        &self,
        released: &[Self::Released],
        confidence: Confidence,
    ) -> Result<Vec<Self::Interval>, Error>
    where
        Self::Released: Sized,
    {
        released.iter().map(|value| self.interval_at(value, confidence)).collect()
    }

    /// The interval that covers the answer at a confidence such as 0.95.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < confidence < 1.
    fn interval(&self, released: &Self::Released, confidence: f64) -> Result<Self::Interval, Error> {
        self.interval_at(released, Confidence::new(confidence)?)
    }
}

impl<M: WithInterval + ?Sized> WithInterval for &M {
    type Released = M::Released;
    type Interval = M::Interval;

    fn interval_at(&self, released: &M::Released, confidence: Confidence) -> Result<M::Interval, Error> {
        (**self).interval_at(released, confidence)
    }
}

/// A mechanism with a proven bound on the error of its releases.
///
/// What is counted, and what the error is, is a matter of the mechanism: of noise on numbers, how
/// many numbers, and their largest distance from the answers; of a selection, how many candidates,
/// and by how much the chosen one falls short of the best.
///
/// # Contract
/// For all answers: the error of a release is at most the bound with probability 1 − β at least.
/// Rounding onto the grid is covered. Where the grid is finer than the floats, the last rounding,
/// of a number that may have been published already, to a float is not; an [interval](WithInterval)
/// covers that, too.
pub trait ErrorBound {
    /// A bound on the error where there are `count` numbers, candidates or questions, which it
    /// exceeds with probability at most β; rounded up.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < β ≤ 1 and the count is one that the mechanism takes.
    fn error_bound_of(&self, count: usize, beta: f64) -> Result<f64, Error>;

    /// A bound on the error where there is one of them, which it exceeds with probability at most
    /// β; rounded up.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < β ≤ 1.
    fn error_bound(&self, beta: f64) -> Result<f64, Error> {
        self.error_bound_of(1, beta)
    }
}

/// Noise that can be calibrated to an error, whatever the sensitivity.
///
/// How large the noise is decides the error; the sensitivity of the query decides what that costs.
/// So noise of a kind for an error is a mechanism, and the measurement that
/// [`Query::with`](crate::Query::with) makes of it says its price.
///
/// # Contract
/// [`error_bound_of(count, β)`](ErrorBound::error_bound_of) of the returned mechanism is at most
/// `error`. It is the largest noise of this kind for which that was found, hence the cheapest.
pub trait ForError: ErrorBound + Sized {
    /// The largest noise with which all of `count` numbers stay within `error` of their answers.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the error is positive and finite;
    /// [`Error::Unreachable`] when no noise is that small.
    fn for_error(error: f64, count: usize, confidence: Confidence) -> Result<Self, Error>;
}

/// Noise of which a released number keeps law and scale: what the intervals of ratios and variances
/// of noisy sums are computed from.
///
/// # Contract
/// The released number is the answer, plus noise of the law and the scale of the [`NoisySum`], but
/// for its `off`.
#[diagnostic::on_unimplemented(
    message = "the law of `{Self}` is none of which ratios have an interval",
    label = "no interval of a ratio",
    note = "`Laplace` and `Gaussian` noise have one"
)]
pub trait SumNoise {
    /// A release with its noise.
    fn noisy_sum(&self, released: f64) -> NoisySum;
}
