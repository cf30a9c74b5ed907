//! A measurement that counts its draws, and an interaction that counts how often it was opened, for
//! tests.

use core::convert::Infallible;
use core::sync::atomic::{AtomicU32, Ordering};

use dp_core::{Interactive, Measurement, Pure, ReplaceOne, SecureRng};
use rand_core::{Rng, TryCryptoRng, TryRng};

/// Publishes a constant, counts how often it was drawn, and fails on demand.
pub(crate) struct Probe {
    cost: f64,
    draws: AtomicU32,
    fails: bool,
}

impl Probe {
    pub(crate) fn new(cost: f64) -> Self {
        Self { cost, draws: AtomicU32::new(0), fails: false }
    }

    pub(crate) fn failing(cost: f64) -> Self {
        Self { fails: true, ..Self::new(cost) }
    }

    pub(crate) fn draws(&self) -> u32 {
        self.draws.load(Ordering::SeqCst)
    }
}

impl Measurement for Probe {
    type Data = [f64];
    type Output = u8;
    type Guarantee = Pure;
    type Adjacency = ReplaceOne;

    fn guarantee(&self) -> Pure {
        Pure::new(self.cost).unwrap()
    }

    fn draw<R: Rng + ?Sized>(&self, _: &[f64], _: &mut R) -> Result<u8, dp_core::Error> {
        self.draws.fetch_add(1, Ordering::SeqCst);
        if self.fails { Err(dp_core::Error::CostsMoreThanReserved) } else { Ok(7) }
    }
}

/// What it hands out is how often it was opened before.
impl Interactive for Probe {
    type Guarantee = Pure;
    type Adjacency = ReplaceOne;
    type Interaction<R: Rng> = u32;

    fn guarantee(&self) -> Pure {
        Measurement::guarantee(self)
    }

    fn simulate<R: Rng>(&self, _: R) -> u32 {
        self.draws.fetch_add(1, Ordering::SeqCst)
    }
}

/// Never asked for bits here; a release only needs its type.
pub(crate) struct Silent;

impl TryRng for Silent {
    type Error = Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(0)
    }
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(0)
    }
    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Infallible> {
        Ok(())
    }
}

impl TryCryptoRng for Silent {}
impl SecureRng for Silent {}
