//! Gaussian noise.

use dp_core::normal::upper_tail;
use dp_core::rounding::Enclosure;
use dp_core::{Approx, Error};
use dp_mechanisms::sample::NormalLaw;

use super::calibrated::{Calibration, Printed, SmoothNoise, less_margin};
use super::hockey_stick::{FINE, chosen_beta, multiple};
use crate::Smoothness;
use crate::arguments::{positive, within};

/// Gaussian noise on one number, for (ε,δ)-privacy.
///
/// **Theorem** (Nissim, Raskhodnikova and Smith 2007; claim S9). For ε ≤ 1 and β ≤ ε/(4(1 +
/// ln(2/δ))), noise of standard deviation 5√(2·ln(2/δ))·S/ε is (ε,δ)-private: this is
/// [`printed`](Self::printed), which takes a larger ε as 1. For large ε the same constants fail,
/// from ε ≈ 37 on at δ = 10⁻⁶; and lecture notes that have β = ε/(2·ln(2/δ)) are wrong from ε ≈ 4
/// on.
///
/// **Tight.** The profile is known in closed form. Let r = e^λ and k = ε − λ; p > e^ε·q exactly
/// where (1 − r²)z² − 2sz + s² − 2r²k > 0. With D = s² + 2(1 − r²)k the roots are (s² − 2r²k)/(s +
/// r√D) and (s + r√D)/(1 − r²). For r < 1 the set lies outside of them, and for r > 1, where D > 0,
/// between them; for r = 1 it lies below the first one. Its mass under P and under Q is that of
/// normal tails. For r < 1 the loss at s is −s²/2 + λ < ε, so the set where p ≤ e^ε·q is an
/// interval that contains s, and the lemma of the calibration applies.
///
/// ```
/// use dp_sensitivity::smooth::{SmoothGaussian, SmoothNoise};
///
/// let noise = SmoothGaussian::epsilon_delta(1.0, 1e-6)?;
/// assert!(noise.gain() > 5.0);
/// # Ok::<(), dp_core::Error>(())
/// ```
///
/// Checked as S9 by `cargo xtask verify`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SmoothGaussian {
    calibration: Calibration<Approx>,
}

impl SmoothGaussian {
    /// (ε,δ)-private noise; β is chosen, see [the module](super).
    ///
    /// # Errors
    /// [`Error::LargeDelta`] for a δ that [`Approx::new`](dp_core::Approx::new) refuses.
    /// [`Error::OutOfRange`] unless 0 < ε < ∞, 0 < δ < 1, and the β that is chosen lies in its
    /// range.
    pub fn epsilon_delta(epsilon: f64, delta: f64) -> Result<Self, Error> {
        check(epsilon, delta)?;
        Self::with_beta(
            epsilon,
            delta,
            chosen_beta(profile, epsilon, delta, printed(epsilon, delta).multiple / 3.0),
        )
    }

    /// (ε,δ)-private noise for a bound with this β.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] as above; [`Error::Unreachable`] when no multiple is enough: then β is
    /// too large.
    pub fn with_beta(epsilon: f64, delta: f64, beta: f64) -> Result<Self, Error> {
        check(epsilon, delta)?;
        let smoothness = Smoothness::new(beta)?;
        let printed = printed(epsilon, delta);
        let found = multiple(profile, epsilon, delta, smoothness.get(), printed.multiple / 3.0, FINE);
        let calibration = Calibration::found(Approx::new(epsilon, delta)?, beta, found, printed)?;
        Ok(Self { calibration })
    }

    /// (ε,δ)-private noise by the printed theorem, with its β, for min(ε, 1).
    ///
    /// # Errors
    /// [`Error::LargeDelta`] for a δ that [`Approx::new`](dp_core::Approx::new) refuses.
    /// [`Error::OutOfRange`] unless 0 < ε < ∞, 0 < δ < 1, and β lies in its range.
    pub fn printed(epsilon: f64, delta: f64) -> Result<Self, Error> {
        check(epsilon, delta)?;
        let printed = printed(epsilon, delta);
        let calibration = Calibration::printed(Approx::new(epsilon, delta)?, printed)?;
        Ok(Self { calibration })
    }
}

pub(super) fn check(epsilon: f64, delta: f64) -> Result<(), Error> {
    positive("epsilon", epsilon)?;
    within("delta", "(0, 1)", delta, delta > 0.0 && delta < 1.0)?;
    Approx::new(epsilon, delta).map(drop)
}

/// β = ε/(4(1 + ln(2/δ))), rounded down; c = 5√(2·ln(2/δ))/ε, rounded up. The theorem is about ε ≤
/// 1; what is (1,δ)-private is (ε,δ)-private for all larger ε.
fn printed(epsilon: f64, delta: f64) -> Printed {
    let (e, two) = (Enclosure::point(epsilon.min(1.0)), Enclosure::point(2.0));
    let logarithm = (two / Enclosure::point(delta)).ln();
    let exact = (e / (Enclosure::point(4.0) * (Enclosure::ONE + logarithm))).lo();
    let multiple = (Enclosure::point(5.0) * (two * logarithm).sqrt() / e).hi();
    Printed { beta: less_margin(exact), multiple }
}

/// Encloses δ(ε).
pub(crate) fn profile(epsilon: Enclosure, shift: Enclosure, lambda: f64) -> Enclosure {
    let two = Enclosure::point(2.0);
    let (r, k) = (Enclosure::point(lambda).exp(), epsilon - Enclosure::point(lambda));
    let curvature = -Enclosure::point(2.0 * lambda).exp_m1(); // 1 − r²
    let discriminant = shift.square() + two * curvature * k;
    if discriminant.hi() <= 0.0 {
        return Enclosure::ZERO;
    }
    let sum = shift + r * discriminant.sqrt();
    let first = (shift.square() - two * r.square() * k) / sum;
    let second = sum / curvature;
    let there = |z: Enclosure| (z - shift) / r; // what z is for Q
    let below = |z: Enclosure| upper_tail(-z);
    let factor = epsilon.exp();
    let value = if lambda < 0.0 {
        let p = below(first) + upper_tail(second);
        let q = below(there(first)) + upper_tail(there(second));
        p - factor * q
    } else if lambda == 0.0 {
        below(first) - factor * below(there(first))
    } else {
        (below(first) - below(second)) - factor * (below(there(first)) - below(there(second)))
    };
    value.probability()
}

impl SmoothNoise for SmoothGaussian {
    type Guarantee = Approx;
    type Law = NormalLaw;

    fn law(&self) -> NormalLaw {
        NormalLaw
    }

    fn calibration(&self) -> &Calibration<Approx> {
        &self.calibration
    }
}
