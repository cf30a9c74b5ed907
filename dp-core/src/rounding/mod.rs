//! Directed rounding: numbers that are known to lie on the safe side of the truth.
//!
//! Every privacy number this workspace reports is an upper bound. Three layers make that
//! mechanical:
//!
//! - [`add_up`], [`mul_down`], … round one exact arithmetic operation to the next float on the
//!   named side. When the exact result is a float they return it: `add_up(0.5, 0.5)` is `1.0`, so
//!   two releases of ε = 0.5 fit a budget of 1.
//! - [`exp_up`], [`ln_down`], … do the same for elementary functions, up to a stated number of
//!   ulps.
//! - [`Enclosure`] carries both ends through a formula, so that nobody chooses a direction by hand.
//!
//! Nothing here touches the processor's rounding mode or the platform's mathematical library: the
//! same input gives the same bits on x86-64 and on s390x, which is big-endian
//! (`tests/same_bits.rs`). Other platforms are untested.
//!
//! ```
//! use dp_core::rounding::{Enclosure, add_up, add_down};
//!
//! assert!(add_down(0.1, 0.2) < add_up(0.1, 0.2)); // 0.1 + 0.2 is not a float
//! assert_eq!(add_up(0.5, 0.5), 1.0);              // 1.0 is
//!
//! let two = Enclosure::point(2.0);
//! let identity = two.ln().exp();                  // contains 2, a few ulps wide
//! assert!(identity.contains(2.0) && identity.relative_width() < 1e-14);
//! ```

mod directed;
mod elementary;
mod enclosure;

pub use directed::{
    add_down, add_up, div_down, div_up, mul_down, mul_up, sqrt_down, sqrt_up, sub_down, sub_up,
};
pub use elementary::{
    ELEMENTARY_ULPS, exp_down, exp_m1_down, exp_m1_up, exp_up, ln_1p_down, ln_1p_up, ln_down, ln_up,
};
pub use enclosure::Enclosure;
