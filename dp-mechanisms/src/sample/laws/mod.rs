//! One file per law.
//!
//! Most laws are drawn by rejection: a proposal is drawn, and accepted or not, until one is accepted. How often depends on the bits and the parameters of the
//! law, never on an answer or a scale, so the time of a loop says nothing about the data.

mod arsinh_normal;
mod cauchy;
mod disc;
mod exponential;
mod flat;
mod gumbel;
mod log_normal;
mod normal;
mod poly_place;
mod polynomial_tail;
mod signed;
mod student_t;
#[cfg(test)]
pub(crate) mod testing;

pub use arsinh_normal::ArsinhNormal;
pub use cauchy::Cauchy;
pub use exponential::Exponential;
pub use flat::Flat;
pub use gumbel::Gumbel;
pub use log_normal::{LaplaceLogNormal, UniformLogNormal};
pub use normal::StandardNormal;
pub use poly_place::PolyPlace;
pub use polynomial_tail::PolynomialTail;
pub use signed::Signed;
pub use student_t::StudentT;

/// How many digits more than asked for are computed in between, so that roundings do not matter beside the digits that were drawn.
const GUARD: u32 = 32;
