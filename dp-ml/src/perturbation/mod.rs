//! Minimisers of convex losses: output perturbation and objective perturbation.

mod approximate;
mod objective;
mod output;
mod problem;
mod pure;

pub use objective::ObjectivePerturbation;
pub use problem::ConvexProblem;
pub use pure::PureObjectivePerturbation;
