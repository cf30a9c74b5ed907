//! Laplace noise.

use dp_core::rounding::Enclosure;
use dp_core::{Approx, Error};
use dp_mechanisms::sample::{Bits, Law, Signed, lazy};
use rand_core::Rng;

use super::calibrated::{Calibration, Printed, SmoothNoise, less_margin};
use super::gaussian::check;
use super::hockey_stick::{FINE, chosen_beta, multiple};
use crate::Smoothness;

/// Laplace noise, for (ε,δ)-privacy.
///
/// **Theorem** (Nissim, Raskhodnikova and Smith 2007; claim S7). With β ≤ ε/(2·ln(2/δ')), noise of
/// scale 2S/ε is (ε, δ'·(e^(ε/2) + 1)/2)-private: this is [`printed`](Self::printed).
///
/// **Tight.** The profile is known in closed form. Let r = e^λ and k = ε − λ; p > e^ε·q exactly
/// where |z − s|/r − |z| > k, a function with kinks at 0 and s.
/// - For r < 1 this is below a and above b > s, with b = (kr + s)/(1 − r), and a = (s − kr)/(1 − r)
///   if that is negative, else (s − kr)/(1 + r). At both ends e^ε·q = p, so there e^ε times the
///   tail of Q is r times that of P, and δ = ½(1−r)·e^−b + (½(1−r)·e^a, or 1 − ½(1+r)·e^−a for a >
///   0).
/// - For r > 1 it is between a = (kr − s)/(r − 1) and b = (s − kr)/(1 + r), where s > kr and k >
///   −s, and δ = 1 + ½(r−1)·e^a − ½(r+1)·e^−b.
/// - For r = 1 it is below (s − k)/2, where s > k, and δ = 1 − e^((k−s)/2).
///
/// For r < 1 the set where p ≤ e^ε·q is an interval that contains s, so the lemma of the
/// calibration applies.
///
/// ```
/// use dp_sensitivity::smooth::{SmoothLaplace, SmoothNoise};
///
/// let noise = SmoothLaplace::epsilon_delta(1.0, 1e-6)?;
/// assert!(noise.gain() > 1.5);
/// # Ok::<(), dp_core::Error>(())
/// ```
///
/// Checked as S7 by `cargo xtask verify`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SmoothLaplace {
    calibration: Calibration<Approx>,
}

impl SmoothLaplace {
    /// (ε,δ)-private noise; β is chosen, see [the module](super).
    ///
    /// # Errors
    /// [`Error::LargeDelta`] for a δ that [`Approx::new`](dp_core::Approx::new) refuses.
    /// [`Error::OutOfRange`] unless 0 < ε < ∞, 0 < δ < 1, and the β that is chosen lies in its
    /// range.
    pub fn epsilon_delta(epsilon: f64, delta: f64) -> Result<Self, Error> {
        check(epsilon, delta)?;
        Self::with_beta(epsilon, delta, chosen_beta(profile, epsilon, delta, 2.0 / epsilon))
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
        let found = multiple(profile, epsilon, delta, smoothness.get(), printed.multiple, FINE);
        let calibration = Calibration::found(Approx::new(epsilon, delta)?, beta, found, printed)?;
        Ok(Self { calibration })
    }

    /// (ε,δ)-private noise by the printed theorem, with its β.
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

/// β = ε/(2·ln(2/δ')) for the δ' with δ = δ'·(e^(ε/2) + 1)/2, rounded down; c = 2/ε, rounded up.
fn printed(epsilon: f64, delta: f64) -> Printed {
    let (e, two) = (Enclosure::point(epsilon), Enclosure::point(2.0));
    // ln((e^(ε/2) + 1)/δ), without overflow
    let logarithm = e / two + (-(e / two)).exp().ln_1p() - Enclosure::point(delta).ln();
    let exact = (e / (two * logarithm)).lo();
    Printed { beta: less_margin(exact), multiple: (two / e).hi() }
}

/// Encloses δ(ε).
pub(crate) fn profile(epsilon: Enclosure, shift: Enclosure, lambda: f64) -> Enclosure {
    let (one, half) = (Enclosure::ONE, Enclosure::point(0.5));
    let (r, k) = (Enclosure::point(lambda).exp(), epsilon - Enclosure::point(lambda));
    let reach = shift - k * r; // positive where p > e^ε·q at zero
    let value = if lambda < 0.0 {
        let narrower = -Enclosure::point(lambda).exp_m1(); // 1 − r
        let right = half * narrower * (-(k * r + shift) / narrower).exp();
        let outside = half * narrower * (reach.min(Enclosure::ZERO) / narrower).exp();
        let inside = one - half * (one + r) * (-(reach.max(Enclosure::ZERO) / (one + r))).exp();
        right
            + if reach.hi() <= 0.0 {
                outside
            } else if reach.lo() >= 0.0 {
                inside
            } else {
                Enclosure::new(outside.lo(), inside.hi())
            }
    } else if reach.hi() <= 0.0 {
        Enclosure::ZERO
    } else if (k + shift).lo() <= 0.0 {
        Enclosure::new(0.0, 1.0) // so wide a law is of no use
    } else {
        let reach = reach.max(Enclosure::ZERO);
        let wider = Enclosure::point(lambda).exp_m1(); // r − 1
        let left = if lambda == 0.0 { Enclosure::ZERO } else { half * wider * (-(reach / wider)).exp() };
        one + left - half * (r + one) * (-(reach / (one + r))).exp()
    };
    value.probability()
}

/// Density e^−|z|/2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StandardLaplace;

impl Law for StandardLaplace {
    type Draw = Signed<lazy::ExponentialDraw>;

    fn start<R: Rng + ?Sized>(&self, bits: &mut Bits<'_, R>) -> Self::Draw {
        let magnitude = lazy::ExponentialDraw::start(bits);
        Signed::fairly(magnitude, bits)
    }
}

impl SmoothNoise for SmoothLaplace {
    type Guarantee = Approx;
    type Law = StandardLaplace;

    fn law(&self) -> StandardLaplace {
        StandardLaplace
    }

    fn calibration(&self) -> &Calibration<Approx> {
        &self.calibration
    }
}
