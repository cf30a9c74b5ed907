//! How far noise in and on an objective certainly moves its minimiser.

use dp_core::interval::{Confidence, ConfidenceInterval, WithInterval};
use dp_core::rounding::Enclosure;
use dp_core::{Bounds, Error};

use super::{ObjectivePerturbation, PureObjectivePerturbation};
use crate::arguments::count;
use crate::loss::ConvexLoss;
use crate::{LinearModel, SphericalLaplace};
use dp_mechanisms::Gaussian;

/// An upper bound on the length of noise on p coordinates, which it exceeds with probability β.
trait Length {
    fn length(&self, coordinates: usize, beta: f64) -> Enclosure;
    /// Half a step of the grid.
    fn half_a_step(&self) -> Enclosure;
}

impl Length for Gaussian {
    /// σ·(√p + √(2 ln(1/β))): the length is a function of normals with Lipschitz constant σ and a
    /// mean of at most σ√p, and such a function exceeds its mean by t·σ with probability e^(−t²/2).
    fn length(&self, coordinates: usize, beta: f64) -> Enclosure {
        let root = Enclosure::point(count(coordinates)).sqrt();
        let tail = (Enclosure::point(-2.0) * Enclosure::point(beta).ln()).sqrt();
        Enclosure::point(self.scale().get()) * (root + tail)
    }

    fn half_a_step(&self) -> Enclosure {
        Enclosure::point(libm::ldexp(0.5, self.grid_exponent()))
    }
}

impl Length for SphericalLaplace {
    /// b·(p + √(2p·l) + l) for l = ln(1/β): the length is b·Gamma(p), whose logarithm of moments
    /// −p·ln(1 − s) − ps is at most ps²/(2(1 − s)), which gives that tail.
    fn length(&self, coordinates: usize, beta: f64) -> Enclosure {
        let (p, l) = (Enclosure::point(count(coordinates)), -Enclosure::point(beta).ln());
        Enclosure::point(self.scale().get()) * (p + (Enclosure::point(2.0) * p * l).sqrt() + l)
    }

    fn half_a_step(&self) -> Enclosure {
        self.half_step()
    }
}

/// The intervals around a released point.
fn around(
    released: &LinearModel,
    ridge: f64,
    (apart, within): (f64, f64),
    (inside, outside): (&impl Length, &impl Length),
    confidence: Confidence,
) -> Result<Vec<ConfidenceInterval>, Error> {
    let (p, beta) = (released.coefficients().len(), 0.5 * confidence.beta());
    let moved = inside.length(p, beta) / Enclosure::point(ridge) + Enclosure::point(apart);
    let radius = (moved + outside.length(p, beta) + outside.half_a_step()).hi();
    let within = within * (1.0 + 2f64.powi(-40)); // it was computed by a few operations on floats
    let possible = Bounds::new(-within, within)?;
    let each = released.coefficients().iter();
    Ok(each.map(|w| ConfidenceInterval::around(*w, radius).clamped(possible)).collect())
}

/// Where the coefficients of the exact minimiser of J lie, all together: certainly, and widely.
///
/// **Theorem.** J is nλ-strongly convex, so the minimiser of J + ⟨b, w⟩ is at most ‖b‖/nλ from that
/// of J, which is at most a public distance from 0. To shorten a point brings it no farther from a
/// point that is short, as that of J is. What the certificate leaves and the noise on the point are
/// added. ∎
///
/// Where the data are curved in a direction, the noise moves the point by less than that in it: see
/// [`and_errors`](Self::and_errors) for estimates.
impl<L: ConvexLoss> WithInterval for ObjectivePerturbation<L> {
    type Released = LinearModel;
    type Interval = Vec<ConfidenceInterval>;

    fn interval_at(
        &self,
        released: &LinearModel,
        confidence: Confidence,
    ) -> Result<Vec<ConfidenceInterval>, Error> {
        around(released, self.problem().ridge(), (self.apart(), self.farthest()), self.noises(), confidence)
    }
}

/// As that of [`ObjectivePerturbation`].
impl<L: ConvexLoss> WithInterval for PureObjectivePerturbation<L> {
    type Released = LinearModel;
    type Interval = Vec<ConfidenceInterval>;

    fn interval_at(
        &self,
        released: &LinearModel,
        confidence: Confidence,
    ) -> Result<Vec<ConfidenceInterval>, Error> {
        around(released, self.problem().ridge(), (self.apart(), self.farthest()), self.noises(), confidence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ConvexProblem, Data, LogisticLoss, Matrix};
    use dp_core::{Measurement, Query};
    use dp_mechanisms::rng::Insecure;

    /// 2000 releases each, of which the intervals cover all coefficients; without records that
    /// curve the loss much, they are not ten times too wide.
    #[test]
    fn the_minimiser_is_covered() {
        let data = Data::new(
            Matrix::new(4, 2, vec![0.1, 0.0, 0.0, 0.1, -0.1, 0.0, 0.1, 0.1]).unwrap(),
            vec![1, 0, 0, 1],
        );
        let data = data.unwrap();
        let pure = PureObjectivePerturbation::epsilon(1.0, LogisticLoss, 4, 2, 1.0).unwrap();
        let approximate = ObjectivePerturbation::epsilon_delta(1.0, 1e-5, LogisticLoss, 4, 2, 1.0).unwrap();
        let exact =
            |lambda| ConvexProblem::new(LogisticLoss, 4, 2, 1.0, lambda).unwrap().answer(&data).unwrap();
        let mut rng = Insecure::seeded(1);
        let mut check =
            |minimiser: Vec<f64>, draw: &dyn Fn(&mut Insecure) -> (LinearModel, Vec<ConfidenceInterval>)| {
                let (mut missed, mut farthest) = (0, 0.0f64);
                for _ in 0..2000 {
                    let (model, intervals) = draw(&mut rng);
                    missed += u32::from(!intervals.iter().zip(&minimiser).all(|(at, w)| at.contains(*w)));
                    let off = model
                        .coefficients()
                        .iter()
                        .zip(&minimiser)
                        .map(|(w, v)| (w - v).abs() / intervals[0].width());
                    farthest = off.fold(farthest, f64::max);
                }
                // More than 150 of 2000 at 0.95 have a probability below 10⁻⁶.
                assert!(missed <= 150 && farthest > 0.1, "{missed} {farthest}");
            };
        check(exact(pure.lambda()).into_vec(), &|rng| {
            let model = pure.draw(&data, rng).unwrap();
            let intervals = pure.interval(&model, 0.95).unwrap();
            (model, intervals)
        });
        check(exact(approximate.lambda()).into_vec(), &|rng| {
            let model = approximate.draw(&data, rng).unwrap();
            let intervals = approximate.interval(&model, 0.95).unwrap();
            (model, intervals)
        });
    }
}
