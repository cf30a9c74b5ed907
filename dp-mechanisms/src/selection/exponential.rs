//! The exponential mechanism.

use dp_core::pairs::BoundedRangePair;
use dp_core::{Dominated, Error, ForGuarantee, MeasuredIn, Target, Zcdp};

use super::{General, GumbelNoise, Monotone, NoisyMax, Scores, calibration};
use crate::arguments::positive;

/// The exponential mechanism: candidate i is selected with probability e^(uᵢ/b)/Σ e^(u_j/b).
///
/// **Theorem** (McSherry and Talwar 2007; claim M11). Let each score change by at most Δ between
/// neighbours. Then the selection is (2Δ/b)-private, that is ε-private for b = 2Δ/ε. For
/// [`Monotone`] scores it is (Δ/b)-private.
///
/// **Bounded range** (Durfee and Rogers 2019). The loss of candidate i is (uᵢ − u′ᵢ)/b plus a
/// constant, so for each pair of neighbours all losses lie in an interval of length ε = 2Δ/b (Δ/b
/// for monotone scores). That is more than ε-privacy, and the interval contains 0, so it implies
/// it. It gives an accountant the [`BoundedRangePair`], and ε²/8-zCDP where ε-privacy alone gives
/// ε²/2.
///
/// **Proof of the law.** Gumbel noise is −ln E for a standard exponential E, so uᵢ/b + Gumbel is
/// largest where Eᵢ·e^(−uᵢ/b) is smallest: a race of independent exponentials with rates e^(uᵢ/b),
/// which each wins with probability in proportion to its rate. ∎
///
/// ```
/// use dp_core::pairs::DominatingPair;
/// use dp_core::{AddRemove, Dominated, ForGuarantee, LInf, Mechanism, Pure, Sensitivity, Zcdp};
/// use dp_mechanisms::{rng::OsSeeded, selection::Exponential};
///
/// let unit = Sensitivity::<LInf, AddRemove>::new(1.0)?;
/// let pure: Exponential = Exponential::for_guarantee(&Pure::new(1.0)?, unit)?;
/// assert_eq!(pure.scale().get(), 2.0);
/// assert_eq!(pure.concentrated(unit), Zcdp::new(0.125)?);
/// assert!(pure.dominating_pair(unit)?.delta(0.5).hi() < 0.08); // randomised response with ε = 1 has 0.23
///
/// let winner = pure.draw(&[10.0, 75.0, 12.0], &mut OsSeeded::new()?)?;
/// assert!(winner < 3);
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
///
/// Checked as M11, M12 and M13 by `cargo xtask verify`.
pub type Exponential<S = General> = NoisyMax<GumbelNoise, S>;

impl Exponential {
    /// The least noise that makes a selection ρ-zCDP.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ρ < ∞.
    pub fn rho(rho: f64) -> Result<Target<Self, Zcdp>, Error> {
        Ok(Target::new(Zcdp::new(positive("rho", rho)?)?))
    }

    /// [`rho`](Self::rho) for [`Monotone`] scores: half of the noise.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ρ < ∞.
    pub fn monotone_rho(rho: f64) -> Result<Target<Exponential<Monotone>, Zcdp>, Error> {
        Ok(Target::new(Zcdp::new(positive("rho", rho)?)?))
    }
}

impl<S: Scores> Exponential<S> {
    /// The guarantee in zCDP, from the bounded range: ρ = ε²/8 for ε = 2Δ/b (Δ/b for monotone
    /// scores), rounded up.
    ///
    /// **Proof.** Let L be the loss, which lies in an interval of length ε, and K(α) = ln E_Q
    /// e^(αL) = (α − 1)·D_α(P‖Q). Then K(0) = K(1) = 0, and K″(α) is the variance of L under a law
    /// on the same interval, at most ε²/4. So K(α) − α(α − 1)·ε²/8 is concave and vanishes at 0 and
    /// 1; for α ≥ 1 it is not positive. Hence D_α ≤ αε²/8. ∎
    pub fn concentrated(&self, sensitivity: impl MeasuredIn<S::Norm>) -> Zcdp {
        calibration::concentrated(calibration::loss::<S>(self.scale(), sensitivity), 1)
    }
}

impl<S: Scores> ForGuarantee<Zcdp> for Exponential<S> {
    /// b = 2Δ/ε (Δ/ε for monotone scores) for the largest ε whose range is provably enough: √(8ρ)
    /// without an offset.
    fn for_guarantee(target: &Zcdp, sensitivity: impl MeasuredIn<S::Norm>) -> Result<Self, Error> {
        Ok(Self::scaled(calibration::scale_for::<S>(calibration::range_for(target, 1), sensitivity)?))
    }
}

impl<S: Scores> Dominated for Exponential<S> {
    type Pair = BoundedRangePair;

    fn dominating_pair(&self, sensitivity: impl MeasuredIn<S::Norm>) -> Result<BoundedRangePair, Error> {
        Ok(BoundedRangePair::new(calibration::loss::<S>(self.scale(), sensitivity)))
    }
}
