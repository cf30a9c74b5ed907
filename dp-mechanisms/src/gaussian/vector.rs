//! Gaussian noise on vectors.

use dp_core::pairs::GaussianPair;
use dp_core::{Approx, Dominated, Error, Gdp, L2, MeasuredIn, Zcdp};
use rand_core::Rng;

use super::Gaussian;
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
}
