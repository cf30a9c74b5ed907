//! What the verifier of the workspace sees beyond the interface: the exact law of a small training,
//! from the definitions.

pub use crate::scheduled::exact_law::{Batches, at_origin, carried, loss, transitions};
