//! Exact samplers, and the mechanisms that release answers with them.
//!
//! A mechanism randomises the exact answer of a query, so that whoever reads the result learns
//! little about any one record. [`dp_core`] defines what "little" means; this crate draws.
//!
//! | mechanism | law | calibrated to | guarantee |
//! |---|---|---|---|
//! | [`Laplace`] | density e^(−\|v\|/b) / 2b | ℓ1 sensitivity | [`Pure`](dp_core::Pure) |
//! | [`Gaussian`] | density e^(−v²/2σ²) / σ√(2π) | ℓ2 sensitivity | [`Gdp`](dp_core::Gdp) |
//! | [`DiscreteLaplace`] | Pr(x) ∝ e^(−\|x\|/b) on the integers | ℓ1 sensitivity | [`Pure`](dp_core::Pure) |
//! | [`DiscreteGaussian`] | Pr(x) ∝ e^(−x²/2σ²) on the integers | ℓ2 sensitivity | [`Zcdp`](dp_core::Zcdp) |
//! | [`MixedNoise`] | Laplace or Gaussian, whichever costs less | both | [`Approx`](dp_core::Approx) |
//! | [`BoundedLaplace`] | Laplace confined to bounds | ℓ1 sensitivity | [`Pure`](dp_core::Pure) |
//! | [`AboveThreshold`] | which answers lie above a threshold, up to c of them | ℓ∞ sensitivity; half of the noise if [monotone](dp_core::LInfMonotone) | [`Pure`](dp_core::Pure) |
//! | [`selection::Exponential`] | the best candidate: Pr(i) ∝ e^(uᵢ/b) | ℓ∞ sensitivity; half of the noise if [monotone](dp_core::LInfMonotone) | [`Pure`](dp_core::Pure), [`Zcdp`](dp_core::Zcdp) |
//! | [`selection::NoisyMax`], [`selection::PermuteAndFlip`] | the best candidate, after noise | ℓ∞ sensitivity; half of the noise if [monotone](dp_core::LInfMonotone) | [`Pure`](dp_core::Pure) |
//! | [`selection::TopK`] | the k best candidates | ℓ∞ sensitivity; half of the noise if [monotone](dp_core::LInfMonotone) | [`Pure`](dp_core::Pure), [`Zcdp`](dp_core::Zcdp) |
//! | [`Vector`] | independent noise on each coordinate | that of the noise | that of the noise |
//! | [`StabilityHistogram`] | rounded Laplace on each count, above a threshold | ℓ1 sensitivity | [`Approx`](dp_core::Approx) |
//! | [`TruncatedHistogram`] | discrete Laplace within a limit on each count, above it | ℓ1 sensitivity | [`Approx`](dp_core::Approx) |
//! | [`KeySelection`] | which keys occur, each kept as probably as (ε,δ) allows | ℓ1 sensitivity | [`Approx`](dp_core::Approx) |
//! | [`HierarchicalCounts`] | discrete Gaussian on all counts of a tree | ℓ1 sensitivity of the leaves | [`Zcdp`](dp_core::Zcdp) |
//! | [`ReusableHoldout`] | means of a training set, or of a hold-out set where they disagree | one record | [`Pure`](dp_core::Pure) |
//! | [`SparseHistogram`] | rounded Laplace on all of up to 2⁶⁴ counts, above a threshold | ℓ1 sensitivity | [`Pure`](dp_core::Pure) |
//!
//! Randomisers for the local model, in which nobody is trusted with a value, are in [`local`].
//! Post-processing costs no privacy: [`SyntheticData`] lists records with the counts of a released
//! histogram, [`Hierarchy`] makes counts of a tree add up, and [`Symmetric`] finds the nearest
//! matrix without negative eigenvalues.
//!
//! # A release
//!
//! ```
//! use dp_core::{AddRemove, Finite, L1, Measurement, Pure, Query, Sensitivity, SensitivityIn};
//! use dp_mechanisms::{Laplace, rng::OsSeeded};
//!
//! /// How many people are older than 65?
//! struct Seniors;
//!
//! impl Query for Seniors {
//!     type Data = [f64];
//!     type Answer = Finite;
//!     type Adjacency = AddRemove;
//!     fn answer(&self, ages: &[f64]) -> Result<Finite, dp_core::Error> {
//!         Ok(Finite::count(ages.iter().filter(|age| **age > 65.0).count()))
//!     }
//! }
//!
//! impl SensitivityIn<L1> for Seniors {
//!     fn sensitivity(&self) -> Sensitivity<L1, AddRemove> {
//!         Sensitivity::new(1.0).expect("one person more or less changes a count by one")
//!     }
//! }
//!
//! let release = Seniors.with(Laplace::epsilon(0.5)?)?;
//! assert_eq!(release.guarantee(), Pure::new(0.5)?);
//!
//! let mut rng = OsSeeded::new()?;
//! let published = release.release(&[34.0, 71.0, 68.5, 12.0], &mut rng)?;
//! println!("about {published:.1} people are older than 65");
//! # Ok::<(), dp_mechanisms::Error>(())
//! ```
//!
//! # The ideal mechanism, rounded once
//!
//! Theorems speak of real numbers and programs of floats. Noise that is computed in floats has gaps
//! and steps whose places depend on the exact answer, which attacks have read off (Mironov 2012).
//! Here floats decide only what their proven error bounds settle, and long integers decide the
//! rest. What is released is the point of a fixed grid that is nearest to
//!
//! > answer + noise,
//!
//! both real: the answer is the number that its float denotes, and the noise has the law of the
//! theorem, of which as many random bits are drawn as it takes until no further bit can change the
//! outcome. Rounding by a function that does not look at the data is post-processing. So the
//! guarantee of the theorem holds for the program, without an error term.
//!
//! Two conditions remain outside of the code. The sensitivity must be that of the answer *as it was
//! computed*, with its rounding errors. And the random bits are those of `ChaCha20` under a secret
//! seed: the guarantee holds against readers who cannot tell them from fair bits, which every known
//! reader is believed to be.
//!
//! # Timing
//!
//! The guarantee is about the released value, not about the time that it takes. Nearly all draws do
//! the same work whatever they draw and whatever the answer is. A few take ten to two hundred times
//! as long: one in 18,000 (Laplace) or in 7,000 (Gaussian), when the ideal value lies so close to
//! the middle between two points of the grid that floats do not settle the side, or in the far
//! tail. A reader who can time single draws learns that of such a draw. Laws that are drawn by
//! rejection repeat a number of times that depends on the random bits alone. A grid more than 2⁴⁰
//! times finer than the scale always takes the slow path.
//!
//! # Generators
//!
//! [`rng::OsSeeded`] drives releases. [`rng::Insecure`] is seeded by the caller, drives tests and
//! simulations, and does not compile where a release is made.

#![forbid(unsafe_code)]

mod additive;
mod arguments;
mod bounded_laplace;
mod discrete_gaussian;
mod discrete_laplace;
mod error;
mod gaussian;
mod hierarchy;
mod holdout;
#[cfg(any(test, feature = "internals"))]
#[doc(hidden)]
pub mod internals;
mod key_selection;
mod laplace;
pub mod local;
mod mixed_noise;
pub mod rng;
pub mod sample;
pub mod selection;
mod sparse_histogram;
mod sparse_vector;
mod stability_histogram;
mod symmetric;
mod synthetic;
mod transfer;
mod truncated_histogram;
mod vector;

pub use bounded_laplace::{BoundedLaplace, BoundedTarget};
pub use discrete_gaussian::DiscreteGaussian;
pub use discrete_laplace::DiscreteLaplace;
pub use error::Error;
pub use gaussian::{Formula, Gaussian, PrintedGaussian};
pub use hierarchy::{HierarchicalCounts, HierarchicalTarget, Hierarchy};
pub use holdout::{Holdout, HoldoutAnswer, HoldoutSession, ReusableHoldout};
pub use key_selection::{KeySelection, KeySelectionTarget};
pub use laplace::Laplace;
pub use mixed_noise::{Branch, MixedNoise, MixedTarget};
pub use sparse_histogram::{SparseHistogram, SparseTarget};
pub use sparse_vector::{AboveThreshold, AboveThresholdTarget, Interaction, Watch};
pub use stability_histogram::StabilityHistogram;
pub use symmetric::Symmetric;
pub use synthetic::{SyntheticData, nearest_with_total};
pub use transfer::{printed_transfer_bound, transfer_bound};
pub use truncated_histogram::{TruncatedHistogram, TruncatedTarget};
pub use vector::{Coordinatewise, CoordinatewiseIn, Vector};

/// The program of the README, which a test runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
