//! Minimisers of convex losses: output perturbation and objective perturbation.
//!
//! `problem` is what is minimised, `approximate` how close floats come; `output`, `objective` and
//! `pure` are the releases, `around` how far noise certainly moves the last two, and `errors` the
//! standard errors of a logistic regression.

mod approximate;
mod around;
mod errors;
mod objective;
mod output;
mod problem;
mod pure;

pub use errors::WithErrors;
pub use objective::ObjectivePerturbation;
pub use problem::ConvexProblem;
pub use pure::PureObjectivePerturbation;
