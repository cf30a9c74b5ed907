//! Stochastic gradient descent that is private by a schedule, with guarantees that hold.
//!
//! The lecture's theorem (claim L5) gives step h so much noise that the iterate β⁽ʰ⁾ is ε·a_h-private. It covers less than it seems to: one iterate, not all of them or their
//! average; and gradients that are bounded wherever the iterates are. With sampling much more is true than it says. So four things are types here, and together they select
//! what is proven: the [loss](Loss), the [sampler], the [condition], and what is [released](Released). See [`ScheduledSgd`].
//!
//! [`plan_pure`] and [`plan_approx`] go the other way: from a guarantee for what is released to rates, batches, steps and noise.

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
pub(crate) mod rate;
mod released;
#[cfg(test)]
mod runs;
pub mod sampler;
mod sgd;
#[cfg(test)]
mod theorems;
mod training;

pub use self::analysis::Analysis;
pub use self::bound::{Problem, UtilityBound, lecture_thetas};
#[doc(inline)]
pub use self::condition::{Asserted, Clip, Condition, ConvexSmooth, SameIterate, StepBound};
pub use self::loss::{LinearRegression, Loss, SmoothLoss, SquaredDistance};
pub use self::noise::StepNoise;
pub use self::plain::descend;
pub use self::plan::{Lecture, Plan, Task, plan_approx, plan_pure};
pub use self::rate::{LearningRate, PrivacySchedule};
pub use self::released::{Average, LastIterate, Released, Trajectory};
#[doc(inline)]
pub use self::sampler::{FullBatch, MultiPass, OnePass, Poisson, Sampler};
pub use self::sgd::{Accounted, ScheduledSgd};
pub use self::training::{Noise, Schedule};
