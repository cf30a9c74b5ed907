//! The commands behind `cargo xtask`: [`mod@bench`] measures what our work costs, [`guide`] builds
//! the guide, [`picture`] draws the picture of the README, [`verify`] checks every claim, and
//! [`mod@test`] is the one test command.

#![forbid(unsafe_code)]

pub mod bench;
pub mod guide;
pub mod picture;
pub mod test;
pub mod verify;
mod workspace;

/// The programs of the README.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../../docs/src/introduction.md")]
pub struct Introduction;

#[cfg(doctest)]
#[doc = include_str!("../../docs/src/first-release.md")]
pub struct FirstRelease;

#[cfg(doctest)]
#[doc = include_str!("../../docs/src/notions.md")]
pub struct Notions;

#[cfg(doctest)]
#[doc = include_str!("../../docs/src/neighbours.md")]
pub struct Neighbours;

#[cfg(doctest)]
#[doc = include_str!("../../docs/src/sensitivity.md")]
pub struct Sensitivity;

#[cfg(doctest)]
#[doc = include_str!("../../docs/src/mechanisms.md")]
pub struct Mechanisms;

#[cfg(doctest)]
#[doc = include_str!("../../docs/src/groups.md")]
pub struct Groups;

#[cfg(doctest)]
#[doc = include_str!("../../docs/src/tables.md")]
pub struct PrivateTables;

#[cfg(doctest)]
#[doc = include_str!("../../docs/src/quantiles.md")]
pub struct Quantiles;

#[cfg(doctest)]
#[doc = include_str!("../../docs/src/smooth.md")]
pub struct Smooth;

#[cfg(doctest)]
#[doc = include_str!("../../docs/src/budgets.md")]
pub struct Budgets;

#[cfg(doctest)]
#[doc = include_str!("../../docs/src/sure.md")]
pub struct Sure;

#[cfg(doctest)]
#[doc = include_str!("../../docs/src/training.md")]
pub struct Training;

#[cfg(doctest)]
#[doc = include_str!("../../docs/src/your-own.md")]
pub struct YourOwn;

#[cfg(doctest)]
#[doc = include_str!("../../docs/src/verifying.md")]
pub struct Verifying;

#[cfg(doctest)]
#[doc = include_str!("../../docs/src/claims.md")]
pub struct Claims;

#[cfg(doctest)]
#[doc = include_str!("../../docs/src/messages.md")]
pub struct Messages;

#[cfg(doctest)]
#[doc = include_str!("../../docs/src/accuracy.md")]
pub struct Accuracy;

#[cfg(doctest)]
#[doc = include_str!("../../docs/src/performance.md")]
pub struct Performance;

#[cfg(doctest)]
#[doc = include_str!("../../docs/src/other-libraries.md")]
pub struct OtherLibraries;

#[cfg(doctest)]
#[doc = include_str!("../../docs/src/glossary.md")]
pub struct Glossary;
