//! What all smooth noises have in common.

use dp_core::{Error, Guarantee, Scale};
use dp_mechanisms::sample::Law;

use crate::Smoothness;

/// Noise that may be multiplied by a smooth bound.
///
/// # Contract
/// For all answers a, b and all scales u, v with |a − b| ≤ min(u, v) and u/v between e^−β' and e^β', the laws of a + c·u·Z and b + c·v·Z satisfy
/// [`guarantee`](Self::guarantee). Here Z has the [`law`](Self::law), c is the [`multiple`](Self::multiple), and β' is the [`smoothness`](Self::smoothness) plus 2⁻⁵⁰.
///
/// The 2⁻⁵⁰ is what rounding c·u and c·v to floats may add: two factors of at most 1 + 2⁻⁵².
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not smooth noise",
    label = "not calibrated to a smooth bound",
    note = "`smoothly` takes the noises of `dp_sensitivity::smooth`: `SmoothLaplace::epsilon_delta(ε, δ)?` \
            hides a scale that depends on the data; `Laplace` does not, and goes on a query by `.with(…)`"
)]
pub trait SmoothNoise {
    /// The notion of the guarantee.
    type Guarantee: Guarantee;
    /// The law of Z.
    type Law: Law;

    /// β: how smooth the bound must be.
    fn smoothness(&self) -> Smoothness;

    /// c: how many times the bound the scale of the noise is.
    fn multiple(&self) -> Scale;

    /// The law of Z.
    fn law(&self) -> Self::Law;

    /// What a release has.
    fn guarantee(&self) -> Self::Guarantee;

    /// How many times less noise this is than the printed theorem takes with the same law, for queries whose smooth bound grows like 1/β: the ratio of c/β. One for
    /// the printed theorem itself.
    fn gain(&self) -> f64;
}

/// β and c, chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Calibrated {
    pub(crate) smoothness: Smoothness,
    pub(crate) multiple: Scale,
    pub(crate) gain: f64,
}

/// What is added to β in calibration, so that scales may be rounded: 2⁻⁵⁰.
const ROOM: f64 = f64::from_bits((1023 - 50) << 52);

/// The β for which noise is calibrated when the bound has the β that is passed: a little more, so that scales may be rounded.
pub(crate) fn with_room(beta: f64) -> f64 {
    dp_core::rounding::add_up(beta, ROOM)
}

impl Calibrated {
    /// The multiple that a calibration found for a β, beside the c/β of the printed theorem.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when β is out of range, [`Error::Unreachable`] when no multiple was found.
    pub(crate) fn new(beta: f64, multiple: f64, printed: f64) -> Result<Self, Error> {
        let smoothness = Smoothness::new(beta)?;
        // Below 2⁻³⁰⁰ products with small bounds would vanish; nobody has so large an ε.
        let least = f64::from_bits((1023 - 300) << 52);
        if !multiple.is_finite() {
            let request = "a finite multiple of a smooth bound for this guarantee and β";
            return Err(Error::Unreachable {
                request,
                instead: "ask for a smaller β, or allow a larger epsilon, delta or rho",
            });
        }
        let multiple = Scale::new(multiple.max(least))?;
        Ok(Self { smoothness, multiple, gain: printed / (multiple.get() / beta) })
    }
}
