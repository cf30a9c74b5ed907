//! What differential privacy is, as types.
//!
//! This crate draws no randomness. It says what a release may cost and how costs add up, so that
//! the crates that do draw, count and learn can be checked against one set of definitions.
//!
//! # The objects
//!
//! | object | is | examples |
//! |---|---|---|
//! | [`Guarantee`] | a notion of privacy with its numbers | [`Pure`], [`Approx`], [`Zcdp`], [`Rdp`], [`Gdp`] |
//! | [`Adjacency`] | which data sets are neighbours | [`AddRemove`], [`ReplaceOne`], [`EdgeAdjacency`], [`LocalModel`] |
//! | [`Norm`] | how far apart two answers are | [`L1`], [`L2`], [`LInf`], [`LInfMonotone`] |
//! | [`Sensitivity`] | how far one step moves an answer | `Sensitivity<L1, AddRemove>` |
//! | [`Query`] | data → exact answer | a mean with declared bounds |
//! | [`Mechanism`] | exact answer → randomised answer | Laplace noise |
//! | [`Measurement`] | data → what may be published | the mean with Laplace noise |
//! | [`WithInterval`] | released value → where the exact answer lies | `mean.interval(&released, 0.95)?` |
//! | [`Interactive`] | one payment → an interaction that is asked again and again | which counts pass a threshold |
//! | [`DominatingPair`](pairs::DominatingPair) | the exact privacy loss of a mechanism | [`pairs::LaplacePair`] |
//!
//! A mistake that types can name does not compile: an ℓ2 sensitivity given to ℓ1 noise,
//! measurements under different neighbour relations added up, a zCDP release paid from a budget in
//! pure ε, a guarantee strengthened, a seeded generator used for a release, the sensitivity of one
//! answer given for a sequence of answers. The compiler says which one it is. Traits that check
//! this are sealed; a trait that you implement says under "Contract" what you assert by it.
//!
//! # The lattice of notions
//!
//! ```text
//!   Pure ──────► Gdp ──────► Zcdp ──────► Rdp          .relax::<G>()
//!     │           │            │           │
//!     └───────────┴──────┬─────┴───────────┘           .at_delta(δ)
//!                        ▼
//!                     Approx
//! ```
//!
//! Arrows weaken, and none leads back. See [`notion`] for what each says and how it composes.
//!
//! # Numbers
//!
//! Every ε, δ, ρ, μ is an upper bound on the truth: formulas are evaluated in
//! [enclosures](rounding::Enclosure) with [directed rounding](rounding), and the upper end is taken
//! once. What cannot be a type is [checked once](number), in a constructor that names the argument
//! and its range; reading from disk checks the same.
//!
//! # Features
//!
//! `std` (on by default; without it the crate needs `alloc`), `serde` (on by default: numbers and
//! guarantees on disk; numbers of more than fifteen digits are written as text, so that no reader
//! shortens them).
//!
//! # Example
//!
//! A query, a mechanism and a measurement, end to end. Real ones live in `dp-sensitivity` and
//! `dp-mechanisms`; these are the smallest that can be written: whether the number of records is
//! odd, by randomised response with odds 3 to 1.
//!
//! ```
//! use dp_core::*;
//! use rand_core::Rng;
//!
//! /// Is there an odd number of records?
//! struct Parity;
//!
//! impl Query for Parity {
//!     type Data = [u64];
//!     type Answer = bool;
//!     type Adjacency = AddRemove;
//!     fn answer(&self, data: &[u64]) -> Result<bool, Error> {
//!         Ok(data.len() % 2 == 1)
//!     }
//! }
//!
//! /// Two bits are at most 1 apart, in ℓ1 as in any norm; ℓ1 is the one that the mechanism below asks for.
//! impl SensitivityIn<L1> for Parity {
//!     fn sensitivity(&self) -> Sensitivity<L1, AddRemove> {
//!         Sensitivity::new(1.0).expect("one is a sensitivity")
//!     }
//! }
//!
//! /// Tells the truth three times out of four: ln 3-private.
//! struct ThreeToOne;
//!
//! impl Mechanism for ThreeToOne {
//!     type Input = bool;
//!     type Output = bool;
//!     type Norm = L1;
//!     type Guarantee = Pure;
//!     fn guarantee(&self, _: impl MeasuredIn<L1>) -> Pure {
//!         Epsilon::saturating(rounding::ln_up(3.0)).into()
//!     }
//!     fn draw<R: Rng + ?Sized>(&self, answer: &bool, rng: &mut R) -> Result<bool, Error> {
//!         let lie = rng.next_u32().is_multiple_of(4); // exact: 2³² is divisible by 4
//!         Ok(*answer ^ lie)
//!     }
//! }
//!
//! let release = Parity.with(ThreeToOne)?;
//! let twice = (&release).and(&release);
//! assert!((twice.guarantee().epsilon().get() - 2.0 * 3f64.ln()).abs() < 1e-14);
//! # Ok::<(), Error>(())
//! ```

#![forbid(unsafe_code)]
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

pub mod adjacency;
#[doc(hidden)]
pub mod arguments;
mod bounds;
mod error;
mod finite;
pub mod interactive;
pub mod interval;
mod invariant;
pub mod measurement;
pub mod mechanism;
pub mod normal;
pub mod notion;
pub mod number;
#[cfg(feature = "serde")]
mod on_disk;
pub mod pairs;
pub mod query;
mod records;
pub mod rng;
pub mod rounding;
mod sealed;
pub mod search;
pub mod sensitivity;
#[cfg(feature = "serde")]
mod serde_number;

#[doc(inline)]
pub use adjacency::{AddRemove, Adjacency, EdgeAdjacency, LocalModel, Metric, ReplaceOne};
pub use bounds::Bounds;
pub use error::Error;
pub use finite::{Finite, FiniteVec};
#[doc(inline)]
pub use interactive::{AllAnswers, Interactive};
#[doc(inline)]
pub use interval::{ConfidenceInterval, ErrorBound, ForError, WithInterval};
#[doc(hidden)]
pub use invariant::Invariant;
#[doc(inline)]
pub use measurement::Measurement;
#[doc(inline)]
pub use mechanism::{Calibrate, Dominated, ForGuarantee, Mechanism, Target};
#[doc(inline)]
pub use notion::{Approx, Curve, Gdp, Guarantee, Points, Pure, Rdp, Relax, Zcdp};
#[doc(inline)]
pub use number::{Alpha, Delta, Epsilon, Mu, Rho, Scale};
#[doc(inline)]
pub use query::{Answer, Query, SensitivityIn};
#[doc(hidden)]
pub use records::Predicate;
#[doc(inline)]
pub use records::{Everybody, Filterable, Of};
#[doc(inline)]
pub use rng::SecureRng;
#[doc(inline)]
pub use sensitivity::{L1, L2, LInf, LInfMonotone, MeasuredIn, Norm, Sensitivity, Subadditive};

/// The program of the README, which a test runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
