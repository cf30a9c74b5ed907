//! What the verifier of the workspace sees beyond the interface: oracles by brute force, and
//! whether smooth noise keeps a promise.

use dp_core::{Finite, L1, Query, SensitivityIn};

use crate::{PrivateSensitivityBound, SensitivityBound};

pub use crate::graphs::every;
pub use crate::smooth::inspect as smooth;
pub use crate::testing::jump::Jump;

/// Δ̃ from the noisy statistic.
pub fn bound_from<Q: SensitivityIn<L1> + Query<Answer = Finite>, B: SensitivityBound<Q>>(
    of: &PrivateSensitivityBound<Q, B>,
    noisy: f64,
) -> f64 {
    of.bound_from(noisy)
}

/// Ladders from their definition.
pub mod brute {
    pub use crate::testing::brute::{ladder, multisets, replaced, smooth};
}
