//! The noise of a step.

use dp_core::{Error, Scale};
use dp_mechanisms::Gaussian;
use rand_core::Rng;

use crate::power_of_two::power_of_two_below;

/// Gaussian noise on sums of gradients, released on the multiples of a power of two near 2⁻¹² of
/// its scale. This grid follows from public facts, is far finer than a step needs, and coarse
/// enough for half a word of random bits to settle nearly every draw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noise(Gaussian);

impl Noise {
    /// # Errors
    /// [`Error::OutOfRange`] for scales near the ends of the floats.
    pub(crate) fn new(scale: Scale) -> Result<Self, Error> {
        // The exponent of a float. A subnormal scale gets one far below all grids, which `on_grid`
        // refuses.
        #[allow(clippy::cast_possible_truncation, reason = "the exponent of a float")]
        let exponent = (libm::log2(power_of_two_below(scale.get())) as i32).saturating_sub(12);
        Ok(Self(Gaussian::with_scale(scale).on_grid(exponent)?))
    }

    /// Adds noise to all sums, in place.
    pub(crate) fn release<R: Rng + ?Sized>(&self, sums: &mut [f64], rng: &mut R) {
        self.0.draw_into(sums, rng);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_mechanisms::rng::Insecure;

    #[test]
    fn releases_are_sums_with_noise_of_the_scale_on_the_grid() {
        let noise = Noise::new(Scale::new(1.0).unwrap()).unwrap();
        assert_eq!(noise.0.grid_exponent(), -12);
        let sums: Vec<f64> = (0..40_000_u32).map(|i| 1000.0 + f64::from(i % 256) * 2f64.powi(-20)).collect();
        let mut released = sums.clone();
        noise.release(&mut released, &mut Insecure::seeded(1));
        assert!(released.iter().all(|x| (x * 4096.0).fract() == 0.0));
        let noises = || released.iter().zip(&sums).map(|(a, b)| a - b);
        let (mean, square) =
            (noises().sum::<f64>() / 40_000.0, noises().map(|z| z * z).sum::<f64>() / 40_000.0);
        // Standard deviations 0.005 and 0.0071: six of them, false alarms below 10⁻⁸.
        assert!(mean.abs() < 0.03 && (square - 1.0).abs() < 0.043, "{mean} {square}");
    }
}
