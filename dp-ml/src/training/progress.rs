//! The progress of a training.

use dp_core::Approx;

use super::accounting::Accounting;

/// What an observer is called with after each step: the public facts of the training so far.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    step: u64,
    steps: u64,
    accounting: &'a Accounting,
}

/// A function that is called after each step.
pub(crate) type Observer = dyn Fn(&Progress<'_>) + Send + Sync;

impl<'a> Progress<'a> {
    pub(crate) const fn new(step: u64, steps: u64, accounting: &'a Accounting) -> Self {
        Self { step, steps, accounting }
    }

    /// The number of steps done.
    #[must_use]
    pub const fn step(&self) -> u64 {
        self.step
    }

    /// The number of all steps.
    #[must_use]
    pub const fn steps(&self) -> u64 {
        self.steps
    }

    /// The guarantee of the steps so far. It takes some milliseconds: do not call it after each
    /// step.
    #[must_use]
    pub fn spent(&self) -> Approx {
        self.accounting.after(self.step)
    }
}

#[cfg(feature = "progress")]
impl<M: crate::model::Model> super::Training<M> {
    /// Shows a progress bar with the ε so far on the standard error stream. It replaces an
    /// [observer](Self::observed_by).
    ///
    /// # Panics
    /// Never: the template is fine.
    #[must_use]
    pub fn with_progress_bar(self) -> Self {
        let style =
            indicatif::ProgressStyle::with_template("{bar:40} step {pos}/{len} {msg} {elapsed} (left {eta})");
        let bar =
            indicatif::ProgressBar::new(self.settings.steps).with_style(style.expect("the template is fine"));
        let every = (self.settings.steps / UPDATES).max(1);
        self.observed_by(move |progress| {
            if progress.step().is_multiple_of(every) || progress.step() == progress.steps() {
                let spent = progress.spent();
                bar.set_message(format!("ε = {:.3} at δ = {:e}", spent.epsilon().get(), spent.delta().get()));
                bar.set_position(progress.step());
            }
            if progress.step() == progress.steps() {
                bar.finish();
            }
        })
    }
}

/// The number of times that the bar moves.
#[cfg(feature = "progress")]
const UPDATES: u64 = 50;
