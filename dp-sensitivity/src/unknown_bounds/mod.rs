//! Bounds of records, where nobody knows them: `magnitudes` are the bins, `noise` what is put on
//! their counts, `release` the measurement.

mod magnitudes;
mod noise;
mod release;

pub use noise::NoiseOnBins;
pub use release::PrivateBounds;
