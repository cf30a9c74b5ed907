//! How far a density may be moved and stretched.

use dp_core::rounding::Enclosure;
use dp_core::{Error, Scale};

use super::choice::least;
use super::gaussian::check;
use super::hockey_stick::{Profile, holds};
use super::log_density::{LogDensity, loses_at_most};
use super::{gaussian, laplace};
use crate::arguments::positive;

/// The largest α and β for which a density is admissible (Nissim, Raskhodnikova and Smith 2007),
/// rounded down: for all |Δ| ≤ α, |λ| ≤ β and all sets A,
///
/// - *sliding*: Pr(Z ∈ A) ≤ e^(ε/2)·Pr(Z ∈ A + Δ) + δ/2;
/// - *dilation*: Pr(Z ∈ A) ≤ e^(ε/2)·Pr(Z ∈ e^λ·A) + δ/2.
///
/// Then f + S/α·Z is (ε, δ/2·(1 + e^(ε/2)))-private for a β-smooth S, and ε-private for δ = 0. The
/// noises of this module need neither half: they look at the shift and the ratio together.
///
/// ```
/// use dp_mechanisms::sample;
/// use dp_sensitivity::smooth::Admissible;
///
/// let cauchy = Admissible::of(&sample::StudentTLaw::new(1.0)?, 1.0)?;
/// assert!((cauchy.alpha() - 2.0 * 0.25f64.sinh()).abs() < 1e-6); // 2·sinh(ε/4)
/// assert!((cauchy.beta() - 0.5).abs() < 1e-6);
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Admissible {
    alpha: f64,
    beta: f64,
}

const CELLS: u32 = 2000;
const TOLERANCE: f64 = 1e-7;

impl Admissible {
    /// For δ = 0 and any density; zero where no shift or no ratio is admissible.
    ///
    /// By the lemma on shifts only |Δ| = α counts. Ratios below one cost |λ| at the centre and no
    /// more, because φ rises. Ratios above one are tried at λ = β only, so φ(e^v) must be convex in
    /// v, as it is for the laws of this crate.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞.
    pub fn of(density: &impl LogDensity, epsilon: f64) -> Result<Self, Error> {
        let half = 0.5 * positive("epsilon", epsilon)?;
        let within = |shift: f64, lambda: f64| {
            loses_at_most(
                density,
                Enclosure::point(half),
                Enclosure::point(shift),
                Enclosure::point(lambda),
                CELLS,
            )
        };
        // The law that is stretched by λ is e^−λ·Z.
        Ok(Self {
            alpha: largest(|alpha| within(alpha, 0.0), half),
            beta: largest(|beta| within(0.0, -beta), half).min(half),
        })
    }

    /// For Laplace noise and δ > 0.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞ and 0 < δ < 1; [`Error::LargeDelta`] for a δ that
    /// [`Approx::new`](dp_core::Approx::new) refuses.
    pub fn of_laplace(epsilon: f64, delta: f64) -> Result<Self, Error> {
        Self::by_profile(laplace::profile, epsilon, delta)
    }

    /// For Gaussian noise and δ > 0.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞ and 0 < δ < 1; [`Error::LargeDelta`] for a δ that
    /// [`Approx::new`](dp_core::Approx::new) refuses.
    pub fn of_gaussian(epsilon: f64, delta: f64) -> Result<Self, Error> {
        Self::by_profile(gaussian::profile, epsilon, delta)
    }

    fn by_profile(profile: Profile, epsilon: f64, delta: f64) -> Result<Self, Error> {
        check(epsilon, delta)?;
        let (epsilon, delta) = (0.5 * epsilon, 0.5 * delta);
        let slides =
            |alpha: f64| profile(Enclosure::point(epsilon), Enclosure::point(alpha), 0.0).hi() <= delta;
        let dilates = |beta: f64| holds(profile, epsilon, delta, beta, Enclosure::ZERO, 1);
        Ok(Self { alpha: largest(slides, epsilon), beta: largest(dilates, epsilon) })
    }

    /// The largest shift.
    #[must_use]
    pub const fn alpha(self) -> f64 {
        self.alpha
    }

    /// The logarithm of the largest ratio.
    #[must_use]
    pub const fn beta(self) -> f64 {
        self.beta
    }

    /// The multiple 1/α of a smooth bound that sliding asks for, rounded up.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when no shift is admissible.
    pub fn multiple(self) -> Result<Scale, Error> {
        Scale::new((Enclosure::ONE / Enclosure::point(self.alpha)).hi())
    }
}

/// About the largest x at which `fits`, which must fit up to some x; zero when none is found.
fn largest(fits: impl Fn(f64) -> bool, guess: f64) -> f64 {
    let inverse = least(|inverse| fits(1.0 / inverse), 1.0 / guess, 2.0, TOLERANCE);
    if inverse.is_finite() { 1.0 / inverse } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_mechanisms::sample;

    fn close(found: f64, exact: f64) {
        assert!(
            found <= exact * (1.0 + 1e-15) && found >= exact * (1.0 - 1e-6),
            "{found} is not just below {exact}"
        );
    }

    #[test]
    fn laws_with_known_answers_have_them() {
        for epsilon in [0.1, 1.0, 3.0f64] {
            for d in [1.0, 3.0, 10.0f64] {
                let found = Admissible::of(&sample::StudentTLaw::new(d).unwrap(), epsilon).unwrap();
                close(found.alpha(), 2.0 * d.sqrt() * (epsilon / (2.0 * (d + 1.0))).sinh());
                close(found.beta(), epsilon / (2.0 * d));
            }
            for gamma in [2.0, 4.0] {
                let place = Admissible::of(&sample::PolyPlaceLaw::new(gamma).unwrap(), epsilon).unwrap();
                close(place.alpha(), epsilon / 2.0);
                close(place.beta(), epsilon / (2.0 * (gamma - 1.0)));
                // The printed constants are admissible, and not the largest.
                let power = Admissible::of(&sample::PolynomialTailLaw::new(gamma).unwrap(), epsilon).unwrap();
                close(power.beta(), epsilon / (2.0 * (gamma - 1.0)));
                assert!(power.alpha() > 1.2 * epsilon / (2.0 * (gamma + 1.0)));
            }
        }
    }

    #[test]
    fn light_tails_are_admissible_for_a_delta_only() {
        struct Laplacian;
        impl LogDensity for Laplacian {
            fn exponent(&self, z: Enclosure) -> Enclosure {
                z
            }
            fn slope(&self, _: Enclosure) -> Enclosure {
                Enclosure::ONE
            }
            fn growth(&self, _: f64) -> f64 {
                f64::INFINITY
            }
        }
        let pure = Admissible::of(&Laplacian, 1.0).unwrap();
        assert_eq!(pure.beta(), 0.0);
        let (epsilon, delta) = (1.0, 1e-6);
        let laplace = Admissible::of_laplace(epsilon, delta).unwrap();
        assert!(laplace.alpha() >= 0.5 && laplace.alpha() < 0.500_01);
        assert!(laplace.beta() > epsilon / (2.0 * (2.0 / delta).ln()));
        let gaussian = Admissible::of_gaussian(epsilon, delta).unwrap();
        assert!(gaussian.alpha() > epsilon / (5.0 * (2.0 * (2.0 / delta).ln()).sqrt()));
        assert!(gaussian.beta() > epsilon / (4.0 * (1.0 + (2.0 / delta).ln())));
        assert!(Admissible::of_laplace(delta, 0.5).is_err() && Admissible::of_gaussian(delta, 0.5).is_err());
        // Beyond them the properties fail.
        let half = Enclosure::point(0.5 * epsilon);
        assert!(gaussian::profile(half, Enclosure::point(gaussian.alpha() * 1.001), 0.0).lo() > delta / 2.0);
        assert!(gaussian::profile(half, Enclosure::ZERO, -gaussian.beta() * 1.001).lo() > delta / 2.0);
    }
}
