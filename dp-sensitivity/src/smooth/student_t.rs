//! Student's t noise, Cauchy among it.

use dp_core::rounding::Enclosure;
use dp_core::{Error, Pure};
use dp_mechanisms::sample;

use super::calibrated::{Calibration, Printed, SmoothNoise, with_margin};
use super::choice::{cheapest, upper_tenth};
use super::log_density::LogDensity;
use crate::Smoothness;
use crate::arguments::{positive, within};

/// Student's t with d degrees of freedom, for ε-privacy. With d = 1 it is Cauchy noise.
///
/// **Theorem** (Bun and Steinke 2019; claim S10). Noise of scale S/s is ε-private for ε = β(d+1) +
/// s(d+1)/(2√d): this is [`printed`](Self::printed).
///
/// **Theorem** (tight). Let A(μ) = (2ε − |d−1|·μ)/(d+1) and k(μ) = e^μ·(cosh A(μ) − cosh μ). The
/// least multiple is c = 1/√(2d·min(k(0), k(β))).
///
/// *Proof.* Let Q be stretched by e^λ and shifted by s, in units of P. The loss is λ + (d+1)/2·ln
/// of a ratio of two quadratic forms in (z, 1), (d + (z−s)²e^(−2λ))/(d + z²), whose supremum is the
/// larger root m of m² − T·m + e^(−2λ) = 0 with T = 1 + e^(−2λ)·(1 + s²/d). With m = ν·e^−λ this
/// reads ν + 1/ν = 2·cosh λ + e^−λ·s²/d, so the largest loss is
///
/// > (d+1)/2 · arcosh(cosh λ + e^−λ·s²/2d) − (d−1)/2 · λ.
///
/// The shift is at most S(x)/(c·S(x)) = 1/c and at most S(y)/(c·S(x)) = e^λ/c, and the loss rises
/// with it. For λ = μ ≥ 0 and for λ = −μ alike e^−λ·s² is at most e^−μ/c², so the largest loss over
/// all neighbours is the largest (d+1)/2·arcosh(cosh μ + e^−μ/(2dc²)) + |d−1|/2·μ over 0 ≤ μ ≤ β.
/// It is at most ε where 1/(2dc²) ≤ k(μ). With r = |d−1|/(d+1) < 1, e^−μ·k'(μ) = cosh A − r·sinh A
/// − e^μ has the derivative r·(r·cosh A − sinh A) − e^μ ≤ r² − 1 < 0 wherever A ≥ 0. So k rises and
/// then falls, and its least value is at an end. ∎
///
/// ```
/// use dp_sensitivity::smooth::{SmoothNoise, SmoothStudentT};
///
/// let noise = SmoothStudentT::epsilon(1.0)?;
/// assert!(noise.gain() > 1.2); // less noise than the printed theorem takes
/// assert_eq!(SmoothStudentT::cauchy(1.0)?.degrees(), 1.0);
/// # Ok::<(), dp_core::Error>(())
/// ```
///
/// Checked as S10 by `cargo xtask verify`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SmoothStudentT {
    degrees: f64,
    calibration: Calibration<Pure>,
}

impl SmoothStudentT {
    /// ε-private noise; the degrees of freedom and β are chosen, see [the module](super).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞ and the β that is chosen lies in its range.
    pub fn epsilon(epsilon: f64) -> Result<Self, Error> {
        positive("epsilon", epsilon)?;
        let cost = |degrees: f64| {
            let beta = chosen_beta(epsilon, degrees);
            multiple(epsilon, degrees, beta) / beta
                * upper_tenth(|z| -(degrees + 1.0) / 2.0 * libm::log1p(z * z / degrees))
        };
        Self::with_degrees(epsilon, cheapest(cost, 1.0, 30.0, 8, 12))
    }

    /// ε-private noise with these degrees of freedom; β is chosen.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞, 0 < degrees < ∞, and the β that is chosen lies in
    /// its range.
    pub fn with_degrees(epsilon: f64, degrees: f64) -> Result<Self, Error> {
        check(epsilon, degrees)?;
        Self::with_beta(epsilon, degrees, chosen_beta(epsilon, degrees))
    }

    /// ε-private noise with these degrees of freedom, for a bound with this β.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] as above; [`Error::Unreachable`] when no multiple is enough: β must be
    /// below ε/max(d, 1).
    pub fn with_beta(epsilon: f64, degrees: f64, beta: f64) -> Result<Self, Error> {
        check(epsilon, degrees)?;
        let smoothness = Smoothness::new(beta)?;
        let found = multiple(epsilon, degrees, smoothness.get());
        let printed = printed(epsilon, degrees);
        Ok(Self { degrees, calibration: Calibration::found(Pure::new(epsilon)?, beta, found, printed)? })
    }

    /// ε-private Cauchy noise: one degree of freedom.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞ and the β that is chosen lies in its range.
    pub fn cauchy(epsilon: f64) -> Result<Self, Error> {
        Self::with_degrees(epsilon, 1.0)
    }

    /// ε-private noise by the printed theorem, with the β = ε/(2(d+1)) for which the quotient of
    /// the multiple c and β is least.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞, 0 < degrees < ∞, and β lies in its range.
    pub fn printed(epsilon: f64, degrees: f64) -> Result<Self, Error> {
        check(epsilon, degrees)?;
        let printed = printed(epsilon, degrees);
        Ok(Self { degrees, calibration: Calibration::printed(Pure::new(epsilon)?, printed)? })
    }

    /// The degrees of freedom d.
    #[must_use]
    pub const fn degrees(&self) -> f64 {
        self.degrees
    }
}

fn check(epsilon: f64, degrees: f64) -> Result<(), Error> {
    positive("epsilon", epsilon)?;
    within("degrees", "[0.01, 1000]", degrees, (0.01..=1000.0).contains(&degrees)).map(drop)
}

/// The β that makes c/β about the least.
fn chosen_beta(epsilon: f64, degrees: f64) -> f64 {
    let largest = epsilon / degrees.max(1.0);
    cheapest(|beta| multiple(epsilon, degrees, beta) / beta, largest * 1e-3, largest, 12, 30)
        .clamp(1e-9, 100.0)
}

/// The least multiple, rounded up; infinite where there is none.
fn multiple(epsilon: f64, degrees: f64, beta: f64) -> f64 {
    let (one, d, two) = (Enclosure::ONE, Enclosure::point(degrees), Enclosure::point(2.0));
    let distance = (d - one).max(one - d); // |d − 1|
    let room = |mu: f64| {
        let mu = Enclosure::point(mu);
        let a = (two * Enclosure::point(epsilon) - distance * mu) / (d + one);
        // cosh A − cosh μ = 2·sinh((A+μ)/2)·sinh((A−μ)/2)
        mu.exp() * two * sinh((a + mu) / two) * sinh((a - mu) / two)
    };
    let least = room(0.0).min(room(with_margin(beta)));
    if least.lo() > 0.0 { (one / (two * d * least).sqrt()).hi() } else { f64::INFINITY }
}

fn sinh(x: Enclosure) -> Enclosure {
    (x.exp_m1() - (-x).exp_m1()) * Enclosure::point(0.5)
}

/// The printed theorem, with ε split in halves between both terms.
fn printed(epsilon: f64, degrees: f64) -> Printed {
    let (e, d, two) = (Enclosure::point(epsilon), Enclosure::point(degrees), Enclosure::point(2.0));
    let steepness = d + Enclosure::ONE;
    let beta = (e / (two * steepness)).lo();
    // s = 2√d·(ε/(d+1) − β)
    let s = two * d.sqrt() * (e / steepness - Enclosure::point(with_margin(beta)));
    Printed { beta, multiple: (Enclosure::ONE / s).hi() }
}

impl LogDensity for sample::StudentTLaw {
    /// φ(z) = (d+1)/2·ln(1 + z²/d).
    fn exponent(&self, z: Enclosure) -> Enclosure {
        let d = Enclosure::point(self.degrees());
        (d + Enclosure::ONE) * Enclosure::point(0.5) * (z.square() / d).ln_1p()
    }

    /// φ'(z) = (d+1)·z/(d + z²), which beyond 1 is (d+1)/(z + d/z).
    fn slope(&self, z: Enclosure) -> Enclosure {
        let d = Enclosure::point(self.degrees());
        let power = d + Enclosure::ONE;
        if z.lo() >= 1.0 {
            power / (z * (Enclosure::ONE + d / z.square()))
        } else {
            power * z / (d + z.square())
        }
    }

    fn growth(&self, _: f64) -> f64 {
        (Enclosure::point(self.degrees()) + Enclosure::ONE).hi()
    }
}

impl SmoothNoise for SmoothStudentT {
    type Guarantee = Pure;
    type Law = sample::StudentTLaw;

    fn law(&self) -> sample::StudentTLaw {
        sample::StudentTLaw::new(self.degrees).expect("the degrees were checked")
    }

    fn calibration(&self) -> &Calibration<Pure> {
        &self.calibration
    }
}
