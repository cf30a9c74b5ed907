//! Gaussian noise on vectors.

use dp_core::normal::upper_quantile;
use dp_core::pairs::GaussianPair;
use dp_core::rounding::{div_down, mul_down, mul_up};
use dp_core::{Approx, Dominated, Error, Gdp, L2, MeasuredIn, Zcdp};
use rand_core::Rng;

use super::Gaussian;
use crate::arguments::{failure, integer};
use crate::{Coordinatewise, CoordinatewiseIn, Vector};

/// Independent Gaussian noise of one σ looks the same from all sides. Turn the space so that x − y
/// is along the first axis: there the two laws are ‖x − y‖₂ apart, and in all other coordinates
/// they are equal, which a test may as well draw itself. So vectors are as hard to tell apart as
/// two numbers at that distance, for all ε at once.
impl Coordinatewise for Gaussian {
    fn draw_all<R: Rng + ?Sized>(&self, answers: &[f64], rng: &mut R) -> Result<Vec<f64>, Error> {
        let mut values = answers.to_vec();
        self.draw_into(&mut values, rng);
        Ok(values)
    }
}

/// All three are computed from μ = Δ₂/σ, which is that of vectors, too.
impl CoordinatewiseIn<Gdp> for Gaussian {}
impl CoordinatewiseIn<Zcdp> for Gaussian {}
impl CoordinatewiseIn<Approx> for Gaussian {}

impl Vector<Gaussian> {
    /// The magnitude that the noise on any of `coordinates` coordinates exceeds with probability at
    /// most β: σ·z with 2·Φ̄(z) = β/coordinates, rounded up. The probabilities of all coordinates
    /// add up to β at most.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < β ≤ 1 and there is at least one coordinate.
    pub fn error_bound(&self, coordinates: usize, beta: f64) -> Result<f64, Error> {
        integer("coordinates", "[1, ∞)", coordinates, 1..)?;
        #[allow(clippy::cast_precision_loss)] // the next float up is not below it
        let count = if coordinates == 1 { 1.0 } else { (coordinates as f64).next_up() };
        let tail = div_down(mul_down(0.5, failure(beta)?), count);
        Ok(mul_up(self.each().scale().get(), upper_quantile(tail)))
    }
}

impl Dominated for Vector<Gaussian> {
    type Pair = GaussianPair;

    fn dominating_pair(&self, sensitivity: impl MeasuredIn<L2>) -> Result<GaussianPair, Error> {
        self.each().dominating_pair(sensitivity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Insecure;
    use dp_core::{AddRemove, Calibrate, Mechanism, Scale, Sensitivity};

    fn scaled(sigma: f64) -> Vector<Gaussian> {
        Vector::new(Gaussian::with_scale(Scale::new(sigma).unwrap()))
    }

    #[test]
    fn vectors_are_calibrated_as_numbers_are() {
        let by = Sensitivity::<L2, AddRemove>::new(3.0).unwrap();
        let (zcdp, _) = Vector::new(Gaussian::rho(0.125).unwrap()).calibrate(by).unwrap();
        assert_eq!(zcdp, scaled(6.0));
        let (gdp, _) = Vector::new(Gaussian::mu(0.5).unwrap()).calibrate(by).unwrap();
        assert_eq!(gdp, zcdp);
        let (approx, promise) =
            Vector::new(Gaussian::epsilon_delta(1.0, 1e-6).unwrap()).calibrate(by).unwrap();
        assert_eq!(promise, Approx::new(1.0, 1e-6).unwrap());
        assert_eq!(approx.guarantee(by), approx.each().guarantee(by));
        assert_eq!(approx.dominating_pair(by), approx.each().dominating_pair(by));
    }

    #[test]
    fn every_coordinate_gets_its_own_noise() {
        let noise = scaled(1.0);
        let mut released = noise.draw(&[5.0; 300], &mut Insecure::seeded(1)).unwrap();
        released.sort_unstable_by(f64::total_cmp);
        released.dedup();
        assert_eq!(released.len(), 300); // two of 2³⁰ points per scale are equal with probability below 10⁻⁴
    }

    #[test]
    fn errors_of_many_coordinates_are_those_of_one_at_a_smaller_beta() {
        let noise = scaled(3.0);
        assert_eq!(noise.error_bound(1, 0.05), noise.each().error_bound(0.05));
        let (many, one) = (noise.error_bound(100, 0.05).unwrap(), noise.each().error_bound(5e-4).unwrap());
        assert!(many >= one && many < one * (1.0 + 1e-12), "{many} {one}");
        assert!(noise.error_bound(0, 0.05).is_err() && noise.error_bound(3, 0.0).is_err());
    }
}
