//! What all smooth noises have in common.

use dp_core::{Error, Guarantee, Scale};
use dp_mechanisms::sample::Law;

use crate::Smoothness;

/// Noise that may be multiplied by a smooth bound.
///
/// # Contract
/// For all answers a, b and all scales u, v with |a − b| ≤ min(u, v) and u/v between e^−β' and
/// e^β', the laws of a + c·u·Z and b + c·v·Z satisfy [`guarantee`](Self::guarantee). Here Z has the
/// [`law`](Self::law), c is the [`multiple`](Self::multiple), and β' is the
/// [`smoothness`](Self::smoothness) plus 2⁻⁵⁰. The first two methods decide everything; the others
/// read the [`calibration`](Self::calibration).
///
/// The 2⁻⁵⁰ is what rounding c·u and c·v to floats may add: two factors of at most 1 + 2⁻⁵².
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not smooth noise",
    label = "not calibrated to a smooth bound",
    note = "`smoothly` takes the noises of the module `smooth`: `SmoothLaplace::epsilon_delta(ε, δ)?` \
            hides a scale that depends on the data; `Laplace` does not, and goes on a query by `.with(…)`"
)]
pub trait SmoothNoise {
    /// The notion of the guarantee.
    type Guarantee: Guarantee;
    /// The law of Z.
    type Law: Law;

    /// The law of Z.
    fn law(&self) -> Self::Law;

    /// The guarantee, β and c.
    fn calibration(&self) -> &Calibration<Self::Guarantee>;

    /// The β of the smooth bounds that this noise is calibrated to.
    fn smoothness(&self) -> Smoothness {
        self.calibration().smoothness
    }

    /// c: the scale of the noise for a smooth bound of 1.
    fn multiple(&self) -> Scale {
        self.calibration().multiple
    }

    /// The guarantee of a release.
    fn guarantee(&self) -> Self::Guarantee {
        self.calibration().guarantee.clone()
    }

    /// The factor by which the printed theorem takes more noise with the same law, for queries
    /// whose smooth bound grows like 1/β: the ratio of c/β. One for the printed theorem itself.
    fn gain(&self) -> f64 {
        self.calibration().gain
    }
}

/// What a smooth noise is calibrated to: its guarantee, β and c.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration<G> {
    guarantee: G,
    smoothness: Smoothness,
    multiple: Scale,
    gain: f64,
}

/// The β and c of a printed theorem.
#[derive(Clone, Copy)]
pub struct Printed {
    pub beta: f64,
    pub multiple: f64,
}

/// What calibration adds to β to cover the rounding of scales: 2⁻⁵⁰.
const MARGIN: f64 = f64::from_bits((1023 - 50) << 52);

/// The β that the divergences are computed for when a bound has the β that is passed: larger by
/// 2⁻⁵⁰, which covers the rounding of scales.
pub(super) fn with_margin(beta: f64) -> f64 {
    dp_core::rounding::add_up(beta, MARGIN)
}

/// A β for bounds, from the one that a theorem allows, rounded down: smaller by more than the
/// margin.
pub(super) fn less_margin(beta: f64) -> f64 {
    2.0 * beta - with_margin(beta).next_up()
}

impl<G> Calibration<G> {
    /// The calibration of a noise of your own, with a gain of 1.
    #[must_use]
    pub const fn new(guarantee: G, smoothness: Smoothness, multiple: Scale) -> Self {
        Self { guarantee, smoothness, multiple, gain: 1.0 }
    }

    /// The calibration of a printed theorem.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when β is out of range, [`Error::Unreachable`] when c is infinite.
    pub(super) fn printed(guarantee: G, printed: Printed) -> Result<Self, Error> {
        Self::found(guarantee, printed.beta, printed.multiple, printed)
    }

    /// The c that a calibration found for a β, beside the printed theorem.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when β is out of range, [`Error::Unreachable`] when c is infinite.
    pub(super) fn found(guarantee: G, beta: f64, multiple: f64, printed: Printed) -> Result<Self, Error> {
        let smoothness = Smoothness::new(beta)?;
        if !multiple.is_finite() {
            let request = "a finite multiple of a smooth bound for this guarantee and β";
            return Err(Error::Unreachable {
                request,
                instead: "ask for a smaller β, or allow a larger epsilon, delta or rho",
            });
        }
        // Below 2⁻³⁰⁰ products with small bounds would underflow. Such an ε protects nobody.
        let least = f64::from_bits((1023 - 300) << 52);
        let multiple = Scale::new(multiple.max(least))?;
        let gain = printed.multiple / printed.beta / (multiple.get() / beta);
        Ok(Self { guarantee, smoothness, multiple, gain })
    }
}
