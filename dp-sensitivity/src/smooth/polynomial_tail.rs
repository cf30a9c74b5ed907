//! Noise with density 1/(1 + |z|^γ).

use dp_core::rounding::Enclosure;
use dp_core::{Error, Pure};
use dp_mechanisms::sample;

use super::calibrated::{Calibration, Printed, SmoothNoise, less_margin, with_margin};
use super::choice::{cheapest, least};
use super::log_density::{LogDensity, loses_at_most};
use crate::Smoothness;
use crate::arguments::{positive, within};

/// Density in proportion to 1/(1 + |z|^γ), γ > 1, for ε-privacy.
///
/// **Theorem** (Nissim, Raskhodnikova and Smith 2007; claim S8). With β ≤ ε/(2(γ+1)), noise of
/// scale 2(γ+1)·S/ε is ε-private: this is [`printed`](Self::printed).
///
/// **Tight.** φ(z) = ln(1 + |z|^γ) is convex in ln|z|, so by the two lemmas of [the module](super)
/// the full shift and the ends of any interval of ratios are the worst. The interval is cut in
/// pieces, because a ratio e^−μ allows a shift of e^−μ/c only: on the piece [μ₁, μ₂] the shift is
/// at most e^−μ₁/c, and the losses at the two ends are bounded. The largest loss of each pair is
/// bounded by halving cells of z.
///
/// ```
/// use dp_sensitivity::smooth::{PolynomialTail, SmoothNoise};
///
/// let noise = PolynomialTail::with_gamma(1.0, 4.0)?;
/// assert!(noise.gain() > 2.0);
/// # Ok::<(), dp_core::Error>(())
/// ```
///
/// Checked as S8 by `cargo xtask verify`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolynomialTail {
    gamma: f64,
    calibration: Calibration<Pure>,
}

impl PolynomialTail {
    /// ε-private noise with γ = 2, which is near the best for all ε: from γ = 2 to 2.3 the noise
    /// changes by a few percent. β is chosen, see [the module](super).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞ and the β that is chosen lies in its range.
    pub fn epsilon(epsilon: f64) -> Result<Self, Error> {
        Self::with_gamma(epsilon, 2.0)
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
        let tight = multiple(epsilon, gamma, smoothness.get(), FINE);
        // Where the bounds do not suffice, the printed theorem still holds.
        let found = if beta <= printed.beta { tight.min(printed.multiple) } else { tight };
        let calibration = Calibration::found(Pure::new(epsilon)?, beta, found, printed)?;
        Ok(Self { gamma, calibration })
    }

    /// ε-private noise by the printed theorem, with its β = ε/(2(γ+1)).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞, 1 < γ ≤ 1000, and β lies in its range.
    pub fn printed(epsilon: f64, gamma: f64) -> Result<Self, Error> {
        check(epsilon, gamma)?;
        let printed = printed(epsilon, gamma);
        let calibration = Calibration::printed(Pure::new(epsilon)?, printed)?;
        Ok(Self { gamma, calibration })
    }

    /// The power γ.
    #[must_use]
    pub const fn gamma(&self) -> f64 {
        self.gamma
    }
}

pub(super) fn check(epsilon: f64, gamma: f64) -> Result<(), Error> {
    positive("epsilon", epsilon)?;
    within("gamma", "(1, 1000]", gamma, gamma > 1.0 && gamma <= 1000.0).map(drop)
}

/// β = ε/(2(γ+1)), rounded down; c = 2(γ+1)/ε, rounded up.
fn printed(epsilon: f64, gamma: f64) -> Printed {
    let epsilon = Enclosure::point(epsilon);
    let double = Enclosure::point(2.0) * (Enclosure::point(gamma) + Enclosure::ONE);
    Printed { beta: less_margin((epsilon / double).lo()), multiple: (double / epsilon).hi() }
}

/// The β that makes c/β about the least.
fn chosen_beta(epsilon: f64, gamma: f64) -> f64 {
    let largest = epsilon / (gamma - 1.0).max(1.0);
    let beta = cheapest(|beta| multiple(epsilon, gamma, beta, ROUGH) / beta, largest * 0.02, largest, 5, 6)
        .clamp(1e-9, 100.0);
    // For a tiny ε the search may find nothing, or nothing better than the printed theorem.
    let printed = printed(epsilon, gamma);
    let better = multiple(epsilon, gamma, beta, ROUGH) / beta < printed.multiple / printed.beta;
    if better { beta } else { printed.beta }
}

/// How far a search goes.
#[derive(Clone, Copy)]
struct Effort {
    /// How close to the least multiple.
    tolerance: f64,
    /// How many cells may be halved for each shift and ratio.
    cells: u32,
    /// In how many pieces the ratios below one are cut.
    pieces: u32,
}

const ROUGH: Effort = Effort { tolerance: 3e-3, cells: 60, pieces: 1 };
const FINE: Effort = Effort { tolerance: 1e-7, cells: 1000, pieces: 12 };

/// A multiple that is enough, close to the least; infinite where none was found.
fn multiple(epsilon: f64, gamma: f64, beta: f64, effort: Effort) -> f64 {
    let beta = with_margin(beta);
    if beta * (gamma - 1.0).max(1.0) >= epsilon {
        return f64::INFINITY;
    }
    let Ok(law) = sample::PolynomialTailLaw::new(gamma) else { return f64::INFINITY };
    let within = |shift: Enclosure, lambda: Enclosure| {
        loses_at_most(&law, Enclosure::point(epsilon), shift, lambda, effort.cells)
    };
    let holds = |c: f64| {
        let shift = Enclosure::ONE / Enclosure::point(c);
        within(shift, Enclosure::point(beta))
            && (0..effort.pieces).rev().all(|k| {
                let at = |k: u32| {
                    Enclosure::point(beta) * Enclosure::point(f64::from(k) / f64::from(effort.pieces))
                };
                let shift = shift * (-at(k)).exp();
                within(shift, -at(k + 1)) && within(shift, -at(k))
            })
    };
    least(holds, printed(epsilon, gamma).multiple, 1.5, effort.tolerance)
}

impl LogDensity for sample::PolynomialTailLaw {
    /// φ(z) = ln(1 + z^γ).
    fn exponent(&self, z: Enclosure) -> Enclosure {
        let gamma = Enclosure::point(self.gamma());
        let powers = powers(z, gamma);
        // Beyond 10³⁰⁰ the one does not matter: ln(1 + z^γ) ≤ γ·ln z + 10⁻³⁰⁰.
        if powers.hi() > 1e300 { gamma * z.ln() + Enclosure::new(0.0, 1e-300) } else { powers.ln_1p() }
    }

    /// φ'(z) = γ·z^(γ−1)/(1 + z^γ).
    fn slope(&self, z: Enclosure) -> Enclosure {
        let (gamma, one) = (Enclosure::point(self.gamma()), Enclosure::ONE);
        if z.lo() >= 1.0 {
            // γ/(z·(1 + z^−γ)), where z^−γ is at most 1
            gamma / (z * (one + one / powers(z, gamma)))
        } else {
            gamma * powers(z, gamma - one) / (one + powers(z, gamma))
        }
    }

    fn growth(&self, _: f64) -> f64 {
        self.gamma()
    }
}

/// z^exponent on an interval of z ≥ 0, for a positive exponent.
fn powers(z: Enclosure, exponent: Enclosure) -> Enclosure {
    let power = |z: f64| if z <= 0.0 { Enclosure::ZERO } else { (exponent * Enclosure::point(z).ln()).exp() };
    Enclosure::new(power(z.lo()).lo(), power(z.hi()).hi())
}

impl SmoothNoise for PolynomialTail {
    type Guarantee = Pure;
    type Law = sample::PolynomialTailLaw;

    fn law(&self) -> sample::PolynomialTailLaw {
        sample::PolynomialTailLaw::new(self.gamma).expect("γ was checked")
    }

    fn calibration(&self) -> &Calibration<Pure> {
        &self.calibration
    }
}
