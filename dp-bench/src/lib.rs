//! What our work costs, beside what a machine needs at the least for something like it, and beside
//! peers.
//!
//! `cargo xtask bench` runs all of it and writes a page; `cargo bench -p dp-bench --bench samplers`
//! (and `mechanisms`, `selection`, `sensitivity`, `accounting`, `learning`) keeps a history of one
//! area in criterion. The program of this crate measures and prints JSON, which is what the command
//! calls.
//!
//! # How it is measured
//!
//! Machines differ and are noisy, so ratios are what to read, and only of times that were [taken in
//! turns](measure). Time is that of the processor on one thread; work on two threads is timed by
//! the clock on the wall, beside one thread timed the same way, and means something on a quiet
//! machine only. Ours and the floors draw from `ChaCha20Rng` of `rand_chacha`. Python peers run in
//! processes of their own, after ours: their ratios are less steady. Instructions, counted by
//! valgrind, are a second opinion that no noise reaches; it knows no vectors of 512 bits, so where
//! the processor has them it counts narrower ones.
//!
//! # What is compared
//!
//! A *floor* does less than ours: random words, float noise (which must not be released), a copy, a
//! sort, matrix products, a training step without privacy. A *peer* does the same: opendp in this
//! process with the feature `peers`, which takes a C toolchain and some sixteen minutes to build,
//! and Python libraries in processes of their own (`peers/`). By default opendp releases floats on
//! the finest lattice there is, 2⁻¹⁰⁷⁴, which is more work than our default grid of 2⁻³⁰ scales; so
//! there are rows with its lattice set to our grid. Its vectors have 2,000 values: for each it
//! costs as much as for 10⁶.

#![deny(unsafe_code)] // but for one call of dense kernels

pub mod floors;
pub mod measure;
mod peer;
mod row;
pub mod rows;
pub mod scaling;
mod work;

pub use peer::{Peer, Scores};
pub use row::{Area, Limits, Make, Row};
pub use work::{Work, generator};
