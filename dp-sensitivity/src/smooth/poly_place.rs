//! PolyPlace noise: Laplace within, a power beyond.

use dp_core::rounding::Enclosure;
use dp_core::{Error, Pure};
use dp_mechanisms::sample;

use super::calibrated::{Calibration, Printed, SmoothNoise, less_margin, with_margin};
use super::choice::cheapest;
use super::log_density::LogDensity;
use super::polynomial_tail::check;
use crate::Smoothness;
use crate::arguments::positive;

/// Density in proportion to e^−|z| up to |z| = γ and to (|z|/γ)^−γ·e^−γ beyond, γ > 1, for
/// ε-privacy (Hladík and Tětek 2025).
///
/// −ln h is φ(z) = |z| within and γ + γ·ln(|z|/γ) beyond. The two meet with the same slope, 1: no
/// shift costs more than a shift at the centre, and no ratio more than one in the tail.
///
/// **Theorem** (tight). With a = max(γ − 1, 1), the least multiple is c = 1/s for s = min(φ⁻¹(ε),
/// e^β·φ⁻¹(ε − aβ)), where φ⁻¹(x) is x up to γ and γ·e^(x/γ − 1) beyond.
///
/// *Proof.* On [0, ∞) φ is concave with φ(0) = 0, so φ(a + b) ≤ φ(a) + φ(b); and φ(e^μ·a) ≤ φ(a) +
/// γμ. Let Q be stretched by e^λ and shifted by t, in units of P. For λ = −μ ≤ 0 the loss at z is
/// at most −μ + φ((|z| + t)·e^μ) − φ(z) ≤ (γ−1)·μ + φ(t), where t ≤ e^−μ·s. For λ = μ ≥ 0 it is at
/// most μ + φ((|z| + t)·e^−μ) − φ(z) ≤ μ + φ(t·e^−μ), where t ≤ s. Together: at most a·μ +
/// φ(e^−μ·s), which is convex in μ, since φ(e^v) is convex in v. So over 0 ≤ μ ≤ β it is at most
/// max(φ(s), aβ + φ(e^−β·s)), and s is the largest for which this is at most ε. All of these bounds
/// are reached, the first one at z = −(γ − t) or at 0, so no smaller multiple is enough. ∎
///
/// [`printed`](Self::printed) spends ε/2 on shifts and ε/2 on ratios, as admissibility does.
///
/// ```
/// use dp_sensitivity::smooth::{PolyPlace, SmoothNoise};
///
/// let noise = PolyPlace::epsilon(1.0)?;
/// assert!(noise.gain() >= 1.0);
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolyPlace {
    gamma: f64,
    calibration: Calibration<Pure>,
}

impl PolyPlace {
    /// ε-private noise; γ and β are chosen, see [the module](super).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞ and the β that is chosen lies in its range.
    pub fn epsilon(epsilon: f64) -> Result<Self, Error> {
        positive("epsilon", epsilon)?;
        let cost = |gamma: f64| {
            let beta = chosen_beta(epsilon, gamma);
            multiple(epsilon, gamma, beta) / beta * upper_tenth(gamma)
        };
        Self::with_gamma(epsilon, cheapest(cost, 1.2, 30.0, 12, 30))
    }

    /// ε-private noise with this γ; β is chosen.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞, 1 < γ ≤ 1000, and the β that is chosen lies in its
    /// range.
    pub fn with_gamma(epsilon: f64, gamma: f64) -> Result<Self, Error> {
        check(epsilon, gamma)?;
        Self::with_beta(epsilon, gamma, chosen_beta(epsilon, gamma))
    }

    /// ε-private noise with this γ, for a bound with this β.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] as above; [`Error::Unreachable`] when no multiple is enough: β must be
    /// below ε/max(γ − 1, 1).
    pub fn with_beta(epsilon: f64, gamma: f64, beta: f64) -> Result<Self, Error> {
        check(epsilon, gamma)?;
        let smoothness = Smoothness::new(beta)?;
        let printed = printed(epsilon, gamma);
        let found = multiple(epsilon, gamma, smoothness.get());
        let calibration = Calibration::found(Pure::new(epsilon)?, beta, found, printed)?;
        Ok(Self { gamma, calibration })
    }

    /// ε-private noise by admissibility: shifts of ε/2 scales cost ε/2, and ratios with β =
    /// ε/(2·max(γ − 1, 1)) another ε/2.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞, 1 < γ ≤ 1000, and β lies in its range.
    pub fn printed(epsilon: f64, gamma: f64) -> Result<Self, Error> {
        check(epsilon, gamma)?;
        let printed = printed(epsilon, gamma);
        let calibration = Calibration::printed(Pure::new(epsilon)?, printed)?;
        Ok(Self { gamma, calibration })
    }

    /// The power γ, and where it begins.
    #[must_use]
    pub const fn gamma(&self) -> f64 {
        self.gamma
    }
}

/// max(γ − 1, 1).
fn steepness(gamma: f64) -> Enclosure {
    (Enclosure::point(gamma) - Enclosure::ONE).max(Enclosure::ONE)
}

/// β = ε/(2·max(γ − 1, 1)), rounded down; c = 2/ε, rounded up.
fn printed(epsilon: f64, gamma: f64) -> Printed {
    let (epsilon, two) = (Enclosure::point(epsilon), Enclosure::point(2.0));
    let beta = less_margin((epsilon / (two * steepness(gamma))).lo());
    Printed { beta, multiple: (two / epsilon).hi() }
}

/// The β that makes c/β about the least.
fn chosen_beta(epsilon: f64, gamma: f64) -> f64 {
    let largest = epsilon / (gamma - 1.0).max(1.0);
    cheapest(|beta| multiple(epsilon, gamma, beta) / beta, largest * 1e-3, largest, 12, 30).clamp(1e-9, 100.0)
}

/// The least multiple, rounded up; infinite where there is none.
fn multiple(epsilon: f64, gamma: f64, beta: f64) -> f64 {
    let (epsilon, power, beta) =
        (Enclosure::point(epsilon), Enclosure::point(gamma), Enclosure::point(with_margin(beta)));
    let left = epsilon - steepness(gamma) * beta;
    if left.lo() <= 0.0 {
        return f64::INFINITY;
    }
    let inverse = |x: Enclosure| {
        // At γ the two branches meet, and from there on the second one is above: an enclosure
        // around γ may take the first.
        if x.lo() > gamma { power * (x / power - Enclosure::ONE).exp() } else { x }
    };
    (Enclosure::ONE / inverse(epsilon).min(beta.exp() * inverse(left))).hi()
}

/// The magnitude that a draw passes one time in ten. With m = e^−γ/(γ−1) it passes z ≤ γ with
/// probability (e^−z + m)/(1 + m), and z ≥ γ with γm·(z/γ)^(1−γ)/(1 + m).
fn upper_tenth(gamma: f64) -> f64 {
    let m = libm::exp(-gamma) / (gamma - 1.0);
    let mass = 0.1 * (1.0 + m);
    if mass >= gamma * m {
        -libm::log(mass - m)
    } else {
        gamma * libm::pow(mass / (gamma * m), 1.0 / (1.0 - gamma))
    }
}

impl LogDensity for sample::PolyPlaceLaw {
    /// φ(z) = z up to γ, and γ + γ·ln(z/γ) beyond.
    fn exponent(&self, z: Enclosure) -> Enclosure {
        let gamma = Enclosure::point(self.gamma());
        let at = |z: f64| {
            if z <= self.gamma() {
                Enclosure::point(z)
            } else {
                gamma + gamma * (Enclosure::point(z) / gamma).ln()
            }
        };
        Enclosure::new(at(z.lo()).lo(), at(z.hi()).hi())
    }

    /// φ'(z) = min(1, γ/z), which falls.
    fn slope(&self, z: Enclosure) -> Enclosure {
        let at = |z: f64| {
            if z <= self.gamma() {
                Enclosure::ONE
            } else {
                Enclosure::point(self.gamma()) / Enclosure::point(z)
            }
        };
        Enclosure::new(at(z.hi()).lo(), at(z.lo()).hi())
    }

    fn growth(&self, _: f64) -> f64 {
        self.gamma()
    }
}

impl SmoothNoise for PolyPlace {
    type Guarantee = Pure;
    type Law = sample::PolyPlaceLaw;

    fn law(&self) -> sample::PolyPlaceLaw {
        sample::PolyPlaceLaw::new(self.gamma).expect("γ was checked")
    }

    fn calibration(&self) -> &Calibration<Pure> {
        &self.calibration
    }
}
