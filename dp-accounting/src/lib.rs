//! Budgets that pay for releases, and what many releases cost together.
//!
//! A [`Budget`] is a total guarantee in one notion under one neighbour relation. It pays for
//! measurements in the same notion and under the same relation, refuses what does not fit before
//! anything is drawn, and remembers.
//!
//! ```
//! use dp_accounting::{Account, Budget, Error};
//! use dp_core::{Bounds, Pure, Query};
//! use dp_mechanisms::{Laplace, rng::OsSeeded};
//! use dp_sensitivity::Mean;
//!
//! let ages = [23.0, 35.0, 61.0, 47.0];
//! let mean = Mean::new(Bounds::new(0.0, 110.0)?).under_replace_one(ages.len())?;
//! let mean = mean.with(Laplace::epsilon(0.75)?)?;
//!
//! let mut rng = OsSeeded::new()?;
//! let mut budget = Budget::new(Pure::new(1.0)?);
//! let answer = budget.spend(&mean, &ages, &mut rng)?;
//! assert!(answer.is_finite());
//! assert!(matches!(budget.spend(&mean, &ages, &mut rng), Err(Error::Exhausted { .. })));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | spend a total in one notion | [`Budget`]; from several threads [`Shared`] |
//! | pay for something that is asked question after question | [`Account::open`], with a [`dp_core::Interactive`] |
//! | spend (ε,δ) at the rate of advanced composition, all choices made on the way | [`AdvancedBudget`] |
//! | know at any time what was spent, without a total | [`Odometer`] |
//! | keep the account on disk, for several processes and through crashes | `Ledger` |
//! | know what many releases cost together, from their exact losses | [`Composition`] of [`Event`]s |
//! | find the noise, the sampling rate or the number of steps for a target | [`calibration`] |
//! | say what a guarantee means for a person: a guess, a suspicion, a test of membership | [`risk`] |
//! | see a mechanism that looks at a random part of the data | [`sampling`] |
//! | work with Rényi curves, or with the printed theorems | [`renyi`], [`theorems`] |
//!
//! # The words of the field
//!
//! The **privacy loss distribution** (PLD) of a mechanism is the law of the loss L = ln P/Q under
//! P, for its dominating pair (P, Q). The **profile** δ(ε) is the hockey-stick divergence of that
//! pair. What the **moments accountant** adds up, the logarithm of the moment function E e^(sL), is
//! used here on a line in the complex plane instead of at real orders. **Amplification** by
//! subsampling is part of the pair ([`sampling`]). A mass of **infinite loss** lies in every δ. A
//! loss that is known by its profile only is **discretised** by connecting the dots:
//! pessimistically (from above), which gives the upper end of an answer, and optimistically (from
//! below), which gives the lower one.
//!
//! # How a number is found
//!
//! The profile of a [`Composition`] is an integral of its moment function along a line, with all
//! errors bounded: nothing is discretised, time does not grow with the number of steps, and δ is
//! relatively accurate however small. Pairs that are known by their profile only, and a few runs of
//! a subsampled Gaussian, are discretised first. A second engine, which is not part of this crate,
//! composes the same pairs by tilted Fourier transforms on a grid; tests of the verifier hold the
//! two against each other.
//!
//! # Features
//!
//! `ledger` (on by default): the module of that name, with the ledger on disk.

#![forbid(unsafe_code)]

mod budget;
pub mod calibration;
mod composition;
mod contour;
mod dots;
mod error;
mod event;
mod finite_law;
mod grid;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals;
#[cfg(feature = "ledger")]
pub mod ledger;
mod limit;
mod loss;
pub mod renyi;
pub mod risk;
pub mod sampling;
mod search;
pub mod theorems;
mod trade_off;

pub use budget::{Account, AdvancedBudget, Budget, Odometer, Remainder, Shared, Step};
pub use composition::{Composition, DEFAULT_ACCURACY, Method};
pub use error::Error;
pub use event::Event;
#[cfg(feature = "ledger")]
#[doc(inline)]
pub use ledger::Ledger;
pub use limit::Limit;

/// The program of the README, which a test runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
