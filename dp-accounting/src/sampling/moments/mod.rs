//! Rényi divergences of mixtures.
//!
//! With r = dP/dQ the mixture M = (1−q)Q + qP has the likelihood ratio 1 + y, y = q(r − 1), and E_Q
//! y = 0. So
//!
//! > e^((α−1)·D_α(M‖Q)) = E_Q (1+y)^α = 1 + E_Q R_α(y),
//! > e^((α−1)·D_α(Q‖M)) = E_Q (1+y)^(1−α) = 1 + E_Q R_{1−α}(y)
//!
//! with R_p(y) = (1+y)^p − 1 − py, which is never negative for these p.

pub(super) mod gaussian;
pub(super) mod gaussian_half;
pub(crate) mod general;
mod quick;
mod remainder;
pub(super) mod symmetrised;
