//! One file per law.
//!
//! Most laws are drawn by rejection: a proposal is drawn, and accepted or not, until one is
//! accepted. How often depends on the bits and the parameters of the law, never on an answer or a
//! scale, so the duration of a loop reveals nothing about the data.

use std::hint::{black_box, select_unpredictable};

use dp_core::rounding::Enclosure;

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

pub use arsinh_normal::ArsinhNormalLaw;
pub use cauchy::CauchyLaw;
pub use exponential::ExponentialLaw;
pub use flat::FlatLaw;
pub use gumbel::GumbelLaw;
pub use log_normal::{LaplaceLogNormalLaw, UniformLogNormalLaw};
pub use normal::NormalLaw;
pub use poly_place::PolyPlaceLaw;
pub use polynomial_tail::PolynomialTailLaw;
pub use signed::Signed;
pub use student_t::StudentTLaw;

/// The first or the second of two enclosures that are both computed: which one it is, which is a
/// fact about the noise, does not decide what is computed.
fn chosen(first: bool, [a, b]: [Enclosure; 2]) -> Enclosure {
    // The compiler is not to know that one of them is for nothing.
    let (a, b) = (black_box(a), black_box(b));
    Enclosure::new(select_unpredictable(first, a.lo(), b.lo()), select_unpredictable(first, a.hi(), b.hi()))
}

/// How many digits more than asked for are computed in between, so that roundings do not matter
/// beside the digits that were drawn.
const GUARD: u32 = 32;
