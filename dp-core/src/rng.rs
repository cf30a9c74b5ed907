//! Which generators may drive a release. This crate never draws.

use rand_core::CryptoRng;

/// A cryptographic generator whose seed nobody but the machine knows.
///
/// Noise hides nothing from whoever can replay it, so a seeded generator must not drive a release.
/// `CryptoRng` does not exclude it: a ChaCha generator is one whatever its seed. This trait does,
/// and only types whose *construction* guarantees a secret seed implement it, such as
/// `dp_mechanisms::rng::OsSeeded`. To release with another source (a hardware module, say), wrap it
/// in a type of your own and implement the trait for it; that line is the place to review.
///
/// Generators with a chosen seed still serve for tests and simulations, through
/// [`Measurement::draw`](crate::Measurement::draw).
#[diagnostic::on_unimplemented(
    message = "`{Self}` may not drive a release: nothing says that its seed is secret",
    label = "not a `SecureRng`",
    note = "noise from a known seed can be subtracted again; release with `OsSeeded::new()?`, which the operating system \
            seeds, and keep generators with a known seed for `.draw(…)` in tests"
)]
pub trait SecureRng: CryptoRng {}

impl<R: SecureRng + ?Sized> SecureRng for &mut R {}
