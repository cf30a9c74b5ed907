//! Stochastic gradient descent with noise by a schedule.
//!
//! The lecture's theorem (claim L5) adds noise in step h such that the iterate β⁽ʰ⁾ is
//! ε·a_h-private. It covers one iterate, not all of them or their average, and it needs gradients
//! that are bounded at all iterates. With subsampling stronger statements hold. So four types
//! select the theorem: the [loss](Loss), the [sampler], the [condition], and what is
//! [released](Released). See [`ScheduledSgd`].
//!
//! [`plan_pure`] and [`plan_approx`] choose rates, batches, steps and noise for a target guarantee.
//! For large models and many records use
//! [`training`](crate::training), which computes in single precision on all processors; this module
//! is exact on a lattice, which theorem L5 requires.

mod analysis;
mod bound;
pub mod condition;
#[cfg(any(test, feature = "internals"))]
pub(crate) mod exact_law;
mod lattice;
mod loss;
mod noise;
mod plain;
mod plan;
mod released;
#[cfg(test)]
mod runs;
pub mod sampler;
mod schedule;
mod setup;
mod sgd;
#[cfg(test)]
mod theorems;
mod walk;

pub use self::analysis::Analysis;
pub use self::bound::{Problem, UtilityBound, lecture_thetas};
#[doc(inline)]
pub use self::condition::{Asserted, Clipped, Condition, ConvexSmooth, SameIterate, StepBound};
pub use self::loss::{LeastSquares, Loss, SmoothLoss, SquaredDistance};
pub use self::noise::StepNoise;
pub use self::plain::descend;
pub use self::plan::{Lecture, SchedulePlan, Task, plan_approx, plan_pure};
pub use self::released::{AverageIterate, LastIterate, Released, Trajectory};
#[doc(inline)]
pub use self::sampler::{FullBatch, MultiPass, OnePass, PoissonBatches, Sampler};
pub use self::schedule::{NoiseSchedule, PrivacySchedule, Schedule};
pub use self::sgd::{Accounted, ScheduledSgd};
