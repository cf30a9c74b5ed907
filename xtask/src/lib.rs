//! The commands behind `cargo xtask`: [`account`] answers what a composition costs, [`bench`] measures what our work costs, [`verify`] re-checks every claim, [`mod@test`] is the one
//! test command.

#![forbid(unsafe_code)]

pub mod account;
pub mod bench;
pub mod test;
pub mod verify;
mod workspace;

/// Compiles and runs the examples of the README, so that the first code a reader tries works.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
