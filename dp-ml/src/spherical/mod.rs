//! Noise with a density ∝ e^(−‖v‖/b): Laplace noise that looks the same from all sides.

mod law;

use dp_core::rounding::{Enclosure, div_up};
use dp_core::{Epsilon, Error, ForGuarantee, L2, MeasuredIn, Mechanism, Pure, Scale, Target};
use dp_mechanisms::sample::{FlatLaw, Rounded};
use rand_core::Rng;

use crate::arguments::{count, positive};
use law::{Coordinate, Stretch};

/// Adds noise with a density in proportion to e^(−‖v‖₂/b) to a vector, for a scale b: what pure
/// privacy takes where distances are Euclidean.
///
/// **Theorem** (Chaudhuri, Monteleoni and Sarwate 2011; claim L13). Let Δ₂ be the ℓ2 sensitivity of
/// f. Then f + V is (Δ₂/b)-differentially private.
///
/// **Proof.** ‖v‖ and ‖v − d‖ differ by ‖d‖ at most, so densities Δ₂ apart have a ratio of at most
/// e^(Δ₂/b). ∎
///
/// Its length is b·Gamma(d) for d coordinates, d·b on average, and a coordinate has the variance
/// (d+1)·b². Independent Laplace noise for the ℓ1 sensitivity, which may be √d·Δ₂, has a variance
/// of 2d·b² there. So this is the better noise for vectors whose ℓ1 sensitivity is as large as
/// that.
///
/// **What is released** is the point of a grid that is nearest to answer + noise, coordinate by
/// coordinate, the noise being the real vector of the theorem: it is drawn as √T·Z (see
/// [`sample::Lazy`](dp_mechanisms::sample::Lazy)), where Z are standard normals and T is a χ² with
/// d + 1 degrees of freedom. All coordinates share T, of which as many digits are drawn as the
/// rounding of all of them takes. An answer of NaN counts as 0.
///
/// ```
/// use dp_core::{AddRemove, ForGuarantee, L2, Mechanism, Pure, Sensitivity};
/// use dp_mechanisms::rng::OsSeeded;
/// use dp_ml::SphericalLaplace;
///
/// let moved = Sensitivity::<L2, AddRemove>::new(1.0)?;
/// let noise = SphericalLaplace::for_guarantee(&Pure::new(0.5)?, moved)?;
/// assert_eq!(noise.scale().get(), 2.0);
/// let released = noise.draw(&[10.0, 20.0, 30.0], &mut OsSeeded::new()?)?;
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
///
/// Checked as L13 by `cargo xtask verify`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SphericalLaplace {
    scale: Scale,
}

impl SphericalLaplace {
    /// The least noise of this kind that makes a release ε-private, as a target for
    /// [`Query::with`](dp_core::Query::with).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞.
    pub fn epsilon(epsilon: f64) -> Result<Target<Self, Pure>, Error> {
        Ok(Self::to(Pure::new(positive("epsilon", epsilon)?)?))
    }

    /// Noise of a given scale b.
    #[must_use]
    pub const fn with_scale(scale: Scale) -> Self {
        Self { scale }
    }

    /// The scale b: the length of the noise on d coordinates is d·b on average.
    #[must_use]
    pub const fn scale(&self) -> Scale {
        self.scale
    }

    /// The standard deviation of the noise on one of d coordinates before rounding, √(d+1)·b,
    /// rounded up.
    ///
    /// It is √T·Z with E T = d + 1.
    #[must_use]
    pub fn standard_deviation(&self, coordinates: usize) -> f64 {
        let root = Enclosure::point(count(coordinates) + 1.0).sqrt();
        (root * Enclosure::point(self.scale.get())).hi()
    }

    /// Replaces each answer by its release.
    pub fn draw_into<R: Rng + ?Sized>(&self, answers: &mut [f64], rng: &mut R) {
        let stretch = Stretch::start(answers.len(), rng);
        let noise = Rounded::new(Coordinate::new(&stretch), self.scale);
        for answer in answers {
            *answer = noise.around(*answer, rng);
        }
    }

    /// Half a step of the grid: how far rounding moves a coordinate.
    pub(crate) fn half_step(&self) -> Enclosure {
        // The default grid follows from the scale alone, whatever the law.
        Enclosure::point(libm::ldexp(0.5, Rounded::new(FlatLaw, self.scale).grid_exponent()))
    }
}

impl Mechanism for SphericalLaplace {
    type Input = [f64];
    type Output = Vec<f64>;
    type Norm = L2;
    type Guarantee = Pure;

    fn guarantee(&self, sensitivity: impl MeasuredIn<L2>) -> Pure {
        Pure::from(Epsilon::saturating(div_up(sensitivity.value(), self.scale.get())))
    }

    fn draw<R: Rng + ?Sized>(&self, answer: &[f64], rng: &mut R) -> Result<Vec<f64>, Error> {
        let mut released = answer.to_vec();
        self.draw_into(&mut released, rng);
        Ok(released)
    }
}

impl ForGuarantee<Pure> for SphericalLaplace {
    /// b = Δ₂/ε, rounded up.
    fn for_guarantee(target: &Pure, sensitivity: impl MeasuredIn<L2>) -> Result<Self, Error> {
        let scale = div_up(sensitivity.value(), target.epsilon().get());
        if scale > 0.0 && scale.is_finite() {
            return Ok(Self::with_scale(Scale::new(scale)?));
        }
        Err(Error::Unreachable {
            request: "a scale of noise for this sensitivity and guarantee",
            instead: "ask for 0 < epsilon < infinity, and state a sensitivity above 0 that is not too large",
        })
    }
}
