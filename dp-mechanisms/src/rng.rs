//! Generators: one for releases, one for tests, and a type that keeps them apart.
//!
//! Noise hides an answer only from those who cannot compute the noise. Whoever knows the seed of a
//! generator can run it again and subtract: the release then is the exact answer. So whether a
//! generator may drive a release depends on *how it was seeded*, and the type says which:
//! [`OsSeeded`] is a [`SecureRng`], [`Insecure`] is not.

use std::convert::Infallible;
use std::fmt;

use dp_core::SecureRng;
use rand_chacha::ChaCha20Rng;
use rand_core::{SeedableRng, TryCryptoRng, TryRng};

use crate::Error;

/// `ChaCha20` with a 256-bit seed from the operating system, read once: the generator for releases.
///
/// It is not `Clone`, because two copies draw the same noise, and the difference of two releases
/// with the same noise is the exact difference of the answers. For the same reason make a new one
/// after a `fork`: the child of a process has a copy of its parent's memory. `Debug` shows no
/// state.
///
/// ```
/// use dp_mechanisms::rng::OsSeeded;
///
/// let rng = OsSeeded::new()?;
/// assert_eq!(format!("{rng:?}"), "OsSeeded { .. }");
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
pub struct OsSeeded(ChaCha20Rng);

impl OsSeeded {
    /// A generator with a seed from the operating system.
    ///
    /// # Errors
    /// [`Error::Entropy`] when it gives none. There is no fallback.
    pub fn new() -> Result<Self, Error> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(|error| Error::Entropy { reason: error.to_string() })?;
        Ok(Self(ChaCha20Rng::from_seed(seed)))
    }
}

impl fmt::Debug for OsSeeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OsSeeded").finish_non_exhaustive()
    }
}

impl TryRng for OsSeeded {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.0.try_next_u32()
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0.try_next_u64()
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.try_fill_bytes(bytes)
    }
}

impl TryCryptoRng for OsSeeded {}

/// The seed comes from the operating system in the only constructor, and no method reveals it.
impl SecureRng for OsSeeded {}

/// `ChaCha20` with a seed of your choice: the same draws on every run, for tests and simulations,
/// never for a release.
///
/// It implements `Rng` but neither `CryptoRng` nor [`SecureRng`], so that it drives `draw` and does
/// not reach `release`:
///
/// ```compile_fail,E0277
/// use dp_core::Measurement;
/// use dp_mechanisms::rng::Insecure;
///
/// fn publish<M: Measurement>(measurement: &M, data: &M::Data) {
///     // `Insecure` may not drive a release.
///     let _ = measurement.release(data, &mut Insecure::seeded(1));
/// }
/// ```
///
/// ```
/// use dp_core::Measurement;
/// use dp_mechanisms::rng::Insecure;
///
/// fn simulate<M: Measurement>(measurement: &M, data: &M::Data) {
///     let _ = measurement.draw(data, &mut Insecure::seeded(1)); // a simulation may
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Insecure(ChaCha20Rng);

impl Insecure {
    /// The generator of this seed. Its stream is that of `ChaCha20` under the key `seed`
    /// (little-endian, padded with zeros), and will not change from version to version.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        Self(ChaCha20Rng::from_seed(key))
    }
}

impl TryRng for Insecure {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.0.try_next_u32()
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0.try_next_u64()
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.try_fill_bytes(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::Rng;

    #[test]
    fn two_generators_from_the_operating_system_differ() {
        let (mut a, mut b) = (OsSeeded::new().unwrap(), OsSeeded::new().unwrap());
        let draws = |rng: &mut OsSeeded| [rng.next_u64(), rng.next_u64()];
        assert_ne!(draws(&mut a), draws(&mut b)); // equal with probability 2⁻¹²⁸
    }

    #[test]
    fn a_seed_is_the_key_of_the_published_cipher() {
        // ChaCha20 under the key of 32 zero bytes, nonce 0, block 0: it begins 76 b8 e0 ad a0 f1
        // 3d 90.
        let mut bytes = [0; 8];
        Insecure::seeded(0).fill_bytes(&mut bytes);
        assert_eq!(bytes, [0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90]);
        assert_eq!(Insecure::seeded(0).next_u64(), u64::from_le_bytes(bytes));
        assert_eq!(Insecure::seeded(0).next_u32(), 0xade0_b876);
        assert_ne!(Insecure::seeded(0).next_u64(), Insecure::seeded(1 << 63).next_u64());
    }
}
