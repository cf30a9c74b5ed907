//! How to randomise: exact samplers, and the mechanisms that publish with them.
//!
//! A mechanism adds noise to the exact answer of a query, so that whoever reads the result learns little
//! about any one record. What "little" means is in [`dp_core`]; this crate draws.
//!
//! | mechanism | law | calibrated to | guarantee |
//! |---|---|---|---|
//! | [`Laplace`] | density e^(−\|v\|/b) / 2b | ℓ1 sensitivity | [`Pure`](dp_core::Pure) |
//!
//! # A release
//!
//! ```
//! use dp_core::{AddRemove, L1, Measurement, Pure, Query, Sensitivity, SensitivityIn};
//! use dp_mechanisms::{Laplace, rng::OsSeeded};
//!
//! /// How many people are older than 65?
//! struct Seniors;
//!
//! impl Query for Seniors {
//!     type Data = [f64];
//!     type Answer = f64;
//!     type Adjacency = AddRemove;
//!     fn answer(&self, ages: &[f64]) -> Result<f64, dp_core::Error> {
//!         Ok(ages.iter().filter(|age| **age > 65.0).map(|_| 1.0).sum())
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
//! Theorems speak of real numbers and programs of floats. Noise that is computed in floats has holes and
//! steps whose places depend on the exact answer, and they have been used to read it off (Mironov 2012). Here
//! nothing is computed in floats. What is released is the point of a fixed grid that is nearest to
//!
//! > answer + noise,
//!
//! both real: the answer is the number that its float denotes, and the noise has the law of the theorem, of
//! which as many random bits are drawn as it takes until no further bit can change the outcome. Rounding by a
//! function that does not look at the data is post-processing. So the guarantee of the theorem holds for the
//! program, and there is no error term to forget.
//!
//! Two conditions remain outside of the code. The sensitivity must be that of the answer *as it was
//! computed*, with its rounding errors. And the random bits are those of `ChaCha20` under a secret seed: the
//! guarantee holds against readers who cannot tell them from fair bits, which is what is believed of every
//! reader today.
//!
//! # What the clock tells
//!
//! The guarantee is about the released value, not about the time that it takes. Nearly all draws do the same work whatever they
//! draw and whatever the answer is. About one in 2¹⁴ takes twenty to two hundred times as long: when the ideal value lies so close to
//! the middle between two points of the grid that floats do not tell on which side, or beyond ten scales. A reader who can
//! time single draws learns that of such a draw. A grid more than 2⁴⁰ times finer than the scale takes the long way always.
//!
//! # Generators
//!
//! [`rng::OsSeeded`] drives releases. [`rng::Insecure`] repeats itself, drives tests and simulations, and does not
//! compile where a release is made.

#[cfg(feature = "claims")]
pub mod claims;
mod error;
mod laplace;
pub mod rng;
mod sample;

pub use error::Error;
pub use laplace::Laplace;
