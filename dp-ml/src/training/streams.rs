//! The random numbers of a training: one key, and a stream of it for each purpose.
//!
//! The key is drawn once from the generator of the release. Each stream is `ChaCha20` under this
//! key with a stream number of its own, so without the key streams are as good as independent
//! generators. The order in which threads draw does not matter: results are the same for any number
//! of threads. A checkpoint holds the key and the position of each stream.

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

/// The key.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Streams {
    key: [u8; 32],
}

impl Streams {
    /// A key from a generator.
    pub(crate) fn draw<R: Rng + ?Sized>(rng: &mut R) -> Self {
        let mut key = [0; 32];
        rng.fill_bytes(&mut key);
        Self { key }
    }

    /// The key, which is as secret as the data.
    pub(crate) const fn key(&self) -> &[u8; 32] {
        &self.key
    }

    /// The streams of a key.
    pub(crate) const fn of_key(key: [u8; 32]) -> Self {
        Self { key }
    }

    /// The stream that draws batches.
    pub(crate) fn of_sampling(&self) -> ChaCha20Rng {
        self.stream(0)
    }

    /// The stream that draws the first parameters.
    pub(crate) fn of_start(&self) -> ChaCha20Rng {
        self.stream(1)
    }

    /// The stream that draws the noise of a shard.
    pub(crate) fn of_shard(&self, shard: usize) -> ChaCha20Rng {
        self.stream(2 + u64::try_from(shard).expect("a length fits into 64 bits"))
    }

    fn stream(&self, number: u64) -> ChaCha20Rng {
        let mut rng = ChaCha20Rng::from_seed(self.key);
        rng.set_stream(number);
        rng
    }
}
