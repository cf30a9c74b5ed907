//! What the samplers cost, beside what noise costs that must not be released, and beside a peer.
//!
//! `cargo bench -p dp-bench` runs all benches. Of draws there are `noise`, which keeps a history in criterion, and `table`, which prints one line per [row](rows::rows) with
//! its limits, and whether they are met. `cargo bench -p dp-bench --bench table --features peers` adds the columns of opendp; its build takes a C
//! toolchain and some sixteen minutes. The bench `accounting` stands apart: it prints what the accountant's answers cost, against limits in milliseconds.
//!
//! # How it is measured
//!
//! Machines differ and are noisy, so only ratios are judged, and only of times that were taken side by side: ours, the floor, ours, the floor, and so on, each
//! some milliseconds long. Time is that of the processor, not of the clock on the wall, and the mean counts. One thread; ours and the floors draw from `ChaCha20Rng` of `rand_chacha`.
//!
//! # What is compared
//!
//! | row | ours | floor | opendp |
//! |---|---|---|---|
//! | Laplace, Gaussian, at once | `draw_all` on 10⁶ answers, default grid | −b·ln U from bytes in bulk; `rand_distr::Normal`, value by value | `make_laplace`, `make_gaussian` on vectors of 2,000: per value it costs as much as for 10⁶ |
//! | Gaussian, f32 | `draw_all_f32` on 10⁶ answers, 2¹² steps to σ | `rand_distr::Normal<f32>`, value by value; 32 random bits for each value, from bytes in bulk | |
//! | the same, one by one | `draw` | the same floats, from `next_u64` | the same on scalars |
//! | discrete Laplace | `draw_all` on 10⁶ integers | our Laplace at once | `make_laplace` on vectors of integers |
//! | discrete Gaussian | `draw_all` on 10⁶ integers | `rand_distr::Normal` | `make_gaussian` on vectors of integers |
//! | noisy max | the index of one of 10⁵ candidates, time per candidate | scores plus float Gumbel noise | `make_noisy_max`, by its rejection sampler for the same law |
//!
//! Floors do less work than ours: they round as they like. By default opendp releases floats on the finest lattice there is, 2⁻¹⁰⁷⁴, which is
//! more work than our default grid of 2⁻³⁰ scales; so there are rows with its lattice set to our grid, where both sides release the same thing. Opendp draws
//! its bits from OpenSSL, as its default build does.

#![forbid(unsafe_code)]

pub mod floors;
mod measure;
mod peer;
pub mod rows;
mod table;
mod work;

pub use peer::{Peer, Scores};
pub use table::{Row, Table};
pub use work::Work;
