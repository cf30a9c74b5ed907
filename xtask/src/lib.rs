//! The commands behind `cargo xtask`: [`mod@bench`] measures what our work costs, [`guide`] writes the guide as pages, [`picture`] draws the picture of the README, [`verify`] re-checks every claim, [`mod@test`] is the one
//! test command.

#![forbid(unsafe_code)]

pub mod bench;
pub mod guide;
pub mod picture;
pub mod test;
pub mod verify;
mod workspace;

/// Compiles and runs the examples of the README, so that the first code a reader tries works. The first wants a file: it is compiled here, and run as the example that it equals.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;

/// Compiles and runs the code of the guide.
#[cfg(doctest)]
#[doc = include_str!("../../docs/src/notions.md")]
pub struct Notions;

#[cfg(doctest)]
#[doc = include_str!("../../docs/src/mechanisms.md")]
pub struct Mechanisms;

#[cfg(doctest)]
#[doc = include_str!("../../docs/src/neighbours.md")]
pub struct Neighbours;

#[cfg(doctest)]
#[doc = include_str!("../../docs/src/sensitivity.md")]
pub struct Sensitivity;

#[cfg(doctest)]
#[doc = include_str!("../../docs/src/budgets.md")]
pub struct Budgets;

#[cfg(doctest)]
#[doc = include_str!("../../docs/src/smooth.md")]
pub struct Smooth;

#[cfg(doctest)]
#[doc = include_str!("../../docs/src/training.md")]
pub struct Training;

#[cfg(doctest)]
#[doc = include_str!("../../docs/src/verifying.md")]
pub struct Verifying;

#[cfg(doctest)]
#[doc = include_str!("../../docs/src/messages.md")]
pub struct Messages;

#[cfg(doctest)]
#[doc = include_str!("../../docs/src/your-own.md")]
pub struct YourOwn;
