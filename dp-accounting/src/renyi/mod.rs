//! The Rényi view: curves of sampled mechanisms, and what a curve proves about (ε,δ), enclosed from
//! both sides.
//!
//! | known about the mechanism | sampling | function |
//! |---|---|---|
//! | its dominating pairs | any | [`tabulate`] their divergences |
//! | a Rényi curve | Poisson, add/remove | [`poisson`] |
//! | a Rényi curve | without replacement, replace-one | [`without_replacement`] |
//!
//! A pair says more than a curve: use [`sampling`](crate::sampling) where there is one.
//!
//! ```
//! use dp_accounting::renyi::{smallest_epsilon, tabulate};
//! use dp_accounting::sampling::{Direction, Poisson};
//! use dp_core::pairs::{DominatingPair, GaussianPair};
//! use dp_core::rounding::Enclosure;
//! use dp_core::{Delta, Guarantee, Mu};
//!
//! let step = |direction| Poisson::new(GaussianPair::new(Mu::new(1.0)?), 0.01, direction);
//! let (remove, add) = (step(Direction::Remove)?, step(Direction::Add)?);
//! let delta = Delta::new(1e-6)?;
//!
//! // A curve that budgets can hold …
//! let curve = tabulate(&[&remove, &add])?.times(10_000);
//! // … and what the Rényi view can prove at all.
//! let best = smallest_epsilon(|order| Enclosure::point(10_000.0) * remove.renyi(order), delta);
//! assert!(best.hi() - best.lo() < 1e-9 && best.hi() <= curve.epsilon_at(delta).get());
//! assert!(curve.epsilon_at(delta).get() < best.hi() * 1.001);
//! # Ok::<(), dp_core::Error>(())
//! ```

mod conversion;
mod poisson;
mod table;
mod without_replacement;

pub(crate) use conversion::{
    FEW_ORDERS, PRECISION, delta_at_few_orders, epsilon_at_few_orders, provable_delta, provable_epsilon,
};
pub use conversion::{smallest_delta, smallest_epsilon};
pub use poisson::poisson;
pub use table::tabulate;
pub use without_replacement::without_replacement;
