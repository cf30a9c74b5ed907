//! What was spent.
//!
//! A [`Budget`] is a total guarantee in one notion under one neighbour relation. It pays for measurements in the same notion and under the same
//! relation, refuses what does not fit before anything is drawn, and remembers.
//!
//! ```
//! use dp_accounting::{Budget, Error};
//! use dp_core::{Bounds, Pure, Query};
//! use dp_mechanisms::{Laplace, rng::OsSeeded};
//! use dp_sensitivity::Mean;
//!
//! let ages = [23.0, 35.0, 61.0, 47.0];
//! let mean = Mean::new(Bounds::new(0.0, 110.0)?, ages.len())?.with(Laplace::epsilon(0.75)?)?;
//!
//! let mut rng = OsSeeded::new()?;
//! let mut budget = Budget::new(Pure::new(1.0)?);
//! let answer = budget.spend(&mean, &ages, &mut rng)?;
//! assert!(answer.is_finite());
//! assert!(matches!(budget.spend(&mean, &ages, &mut rng), Err(Error::Exhausted { .. })));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod budget;
mod error;

pub use budget::Budget;
pub use error::Error;
