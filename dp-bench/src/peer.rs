//! The peer: opendp 0.16 as its users get it.

#[cfg(feature = "peers")]
mod opendp;

use crate::Work;

/// A draw of opendp that does the work of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Peer {
    /// Scale 1, a vector, on the multiples of 2^k, or on its default lattice.
    Laplaces(Option<i32>),
    /// Scale 1, a vector, on the multiples of 2^k, or on its default lattice.
    Gaussians(Option<i32>),
    /// Scale 1, one value, on its default lattice.
    Laplace,
    /// Scale 1, one value, on its default lattice.
    Gaussian,
    /// Integers, of this scale.
    DiscreteLaplaces(f64),
    /// Integers, of this scale.
    DiscreteGaussians(f64),
    /// Its sampler of the exponential mechanism, scale 1: candidates are tried with replacement.
    Exponential(Scores),
    /// Its sampler of permute-and-flip, scale 1.
    PermuteAndFlip(Scores),
}

impl Peer {
    /// The work, where the peer was built.
    #[must_use]
    pub fn work(self) -> Option<Work> {
        #[cfg(feature = "peers")]
        return Some(opendp::work(self));
        #[cfg(not(feature = "peers"))]
        None
    }
}

/// Scores of candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scores {
    /// Spread evenly over ten scales, in no order.
    Spread,
    /// One is a hundred scales above all others, which are equal.
    OneWinner,
}

impl Scores {
    /// How many candidates a peer gets.
    pub const CANDIDATES: u32 = 100_000;

    /// The scores, for a scale of one.
    #[must_use]
    pub fn list(self, candidates: u32) -> Vec<f64> {
        let score = |candidate: u32| match self {
            Self::Spread => (f64::from(candidate) * 0.618_033_988_749_894_9).fract() * 10.0,
            Self::OneWinner => f64::from(u8::from(candidate == candidates / 3)) * 100.0,
        };
        (0..candidates).map(score).collect()
    }
}
