//! Convex losses: noise on the minimiser, or in the objective.

mod loss;
mod objective;
mod output;
mod problem;

pub use loss::{ConvexLoss, HuberLoss, LogisticLoss};
pub use objective::ObjectivePerturbation;
pub use problem::ConvexProblem;
