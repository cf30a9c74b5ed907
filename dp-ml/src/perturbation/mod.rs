//! Minimisers of convex losses: output perturbation and objective perturbation.

mod objective;
mod output;
mod problem;

pub use objective::ObjectivePerturbation;
pub use problem::ConvexProblem;
