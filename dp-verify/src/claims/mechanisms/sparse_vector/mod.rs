//! The sparse vector technique, four published variants of it that are not private, and its noise
//! for monotone answers on answers that are not.
//!
//! The variants exist here only, as the scales of their noise and what they release; nothing draws
//! from them. The numbers in SV3 to SV6 are those of the algorithms in Lyu, Su and Li,
//! "Understanding the sparse vector technique for differential privacy" (2017).

mod correct;
mod integral;
mod variants;

pub(super) use correct::SV1;
pub(super) use variants::{SV3, SV4, SV5, SV6, SV7};

use dp_core::{AddRemove, Calibrate, Error, LInf, LInfMonotone, Sensitivity};

use self::integral::Noise;
use dp_mechanisms::AboveThreshold;

/// The library's noise for a threshold of 0 and a sensitivity of one.
fn calibrated(epsilon: f64, positives: u32, monotone: bool) -> Result<AboveThreshold, Error> {
    let target = AboveThreshold::epsilon(epsilon, 0.0, positives)?;
    let (threshold, answers) = if monotone {
        let (noise, _) = target.monotone().calibrate(Sensitivity::<LInfMonotone, AddRemove>::new(1.0)?)?;
        (noise.threshold_scale(), noise.answer_scale())
    } else {
        let (noise, _) = target.calibrate(Sensitivity::<LInf, AddRemove>::new(1.0)?)?;
        (noise.threshold_scale(), noise.answer_scale())
    };
    AboveThreshold::with_scales(0.0, positives, threshold, answers)
}

fn noise_of(mechanism: &AboveThreshold) -> Noise {
    Noise { threshold: mechanism.threshold_scale().get(), answers: mechanism.answer_scale().get() }
}
