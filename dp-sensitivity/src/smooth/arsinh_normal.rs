//! Arsinh-normal noise.

use dp_core::normal::upper_tail;
use dp_core::rounding::Enclosure;
use dp_core::{Error, Scale, Zcdp};
use dp_mechanisms::sample;

use super::calibrated::{Calibrated, SmoothNoise, with_room};
use super::choice::cheapest;
use super::concentrated::{Density, multiple};
use crate::Smoothness;
use crate::arguments::{positive, within};

/// Noise sinh(σY)/σ with Y ~ N(0, 1), for ρ-zCDP.
///
/// **Theorem** (Bun and Steinke 2019; claim S12). Noise of scale S/s is ½ε²-zCDP for ε = √(β(β/σ² + 1/σ + 2)) + s(4 + 3σ²)/(6σ): this is [`printed`](Self::printed).
///
/// **Tight.** With a = arsinh(σz), φ(z) = a²/2σ² + ½·ln(1 + σ²z²). Its slope a/(σ·cosh a) + σ·tanh a/cosh a is at most 2/3σ + σ/2, since a/cosh a < 2/3 and tanh a/cosh a ≤ ½. As a function of v = ln z its slope is
/// a·tanh a/σ² + tanh² a, which rises, so the lemma on ratios applies. *Ratios alone.* For λ = t the loss is at most t. For λ = −t it is −t + φ(e^t·z) − φ(z), at most t·(arsinh(σe^t·z)/σ² + 1) − t ≤ t·(|Y|/σ + t/σ²), and
/// E e^(x|Y|) ≤ 2e^(x²/2), so D_α ≤ (α+1)·t²/2σ² + ln 2/(α−1).
///
/// ```
/// use dp_sensitivity::smooth::{ArsinhNormal, SmoothNoise};
///
/// let noise = ArsinhNormal::rho(0.5)?;
/// assert!(noise.gain() > 5.0);
/// # Ok::<(), dp_core::Error>(())
/// ```
///
/// Checked as S12 by `cargo xtask verify`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArsinhNormal {
    guarantee: Zcdp,
    sigma: f64,
    calibrated: Calibrated,
}

impl ArsinhNormal {
    /// ρ-zCDP noise with σ = 1 and β = 0.65·√(2ρ), which are about the best for all ρ up to 1; see [the module](super). Finding it takes a second or so: keep it.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 10⁻⁶ ≤ ρ ≤ 2.
    pub fn rho(rho: f64) -> Result<Self, Error> {
        Self::with_sigma(rho, 1.0)
    }

    /// ρ-zCDP noise with this σ, and β = 0.65·σ·√(2ρ).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ρ < ∞, 0.1 ≤ σ ≤ 4, and β lies in its range.
    pub fn with_sigma(rho: f64, sigma: f64) -> Result<Self, Error> {
        check(rho, sigma)?;
        Self::with_beta(rho, sigma, 0.65 * sigma * libm::sqrt(2.0 * rho))
    }

    /// ρ-zCDP noise with this σ, for a bound with this β.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] as above, or unless 10⁻⁶ ≤ ρ ≤ 2, which is where the divergences are enclosed well; [`Error::Unreachable`] when no multiple is enough: β must be below σ·√(2ρ).
    pub fn with_beta(rho: f64, sigma: f64, beta: f64) -> Result<Self, Error> {
        check(rho, sigma)?;
        within("rho", "[1e-6, 2]", rho, (1e-6..=2.0).contains(&rho))?;
        let smoothness = Smoothness::new(beta)?;
        let (printed_beta, printed_multiple) = printed(rho, sigma);
        let found = multiple(|reach| Shape { sigma: Enclosure::point(sigma), reach }, rho, smoothness.get());
        let calibrated = Calibrated::new(beta, found, printed_multiple / printed_beta)?;
        Ok(Self { guarantee: Zcdp::new(rho)?, sigma, calibrated })
    }

    /// ρ-zCDP noise by the printed theorem, with the β that makes c/β least.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ρ < ∞, 0.1 ≤ σ ≤ 4, and β lies in its range.
    pub fn printed(rho: f64, sigma: f64) -> Result<Self, Error> {
        check(rho, sigma)?;
        let (beta, multiple) = printed(rho, sigma);
        let calibrated = Calibrated::new(beta, multiple, multiple / beta)?;
        Ok(Self { guarantee: Zcdp::new(rho)?, sigma, calibrated })
    }

    /// The σ in sinh(σY)/σ.
    #[must_use]
    pub const fn sigma(&self) -> f64 {
        self.sigma
    }
}

/// Whether ρ-zCDP surely holds with this σ, β and multiple, for all neighbours and all orders.
#[cfg(any(test, feature = "internals"))]
#[must_use]
pub fn is_concentrated(sigma: f64, rho: f64, beta: f64, multiple: f64) -> bool {
    super::concentrated::is_concentrated(
        |reach| Shape { sigma: Enclosure::point(sigma), reach },
        rho,
        beta,
        multiple,
    )
}

fn check(rho: f64, sigma: f64) -> Result<(), Error> {
    positive("rho", rho)?;
    within("sigma", "[0.1, 4]", sigma, (0.1..=4.0).contains(&sigma)).map(drop)
}

/// β, and 1/s rounded up.
fn printed(rho: f64, sigma: f64) -> (f64, f64) {
    let (two, one, width) = (Enclosure::point(2.0), Enclosure::ONE, Enclosure::point(sigma));
    let epsilon = (two * Enclosure::point(rho)).sqrt();
    let multiple = |beta: f64| {
        let t = Enclosure::point(with_room(beta));
        let left = epsilon - (t * (t / width.square() + one / width + two)).sqrt();
        let per_shift = (Enclosure::point(4.0) + Enclosure::point(3.0) * width.square())
            / (Enclosure::point(6.0) * width);
        if left.lo() > 0.0 { (per_shift / left).hi() } else { f64::INFINITY }
    };
    let largest = sigma * epsilon.hi();
    let beta = cheapest(|beta| multiple(beta) / beta, largest * 1e-6, largest, 40, 30);
    (beta, multiple(beta))
}

struct Shape {
    sigma: Enclosure,
    reach: f64,
}

impl Shape {
    /// arsinh(u) = ln(1 + u + u²/(1 + √(1 + u²))), which rises, for u ≥ 0.
    fn arsinh(u: Enclosure) -> Enclosure {
        let at = |u: f64| {
            let u = Enclosure::point(u);
            (u + u.square() / (Enclosure::ONE + (Enclosure::ONE + u.square()).sqrt())).ln_1p()
        };
        Enclosure::new(at(u.lo()).lo(), at(u.hi()).hi())
    }
}

impl Density for Shape {
    fn exponent(&self, z: Enclosure) -> Enclosure {
        let (u, half) = (self.sigma * z, Enclosure::point(0.5));
        half * (Self::arsinh(u) / self.sigma).square() + half * u.square().ln_1p()
    }

    fn slope(&self, z: Enclosure) -> Enclosure {
        let u = self.sigma * z;
        let one_more = Enclosure::ONE + u.square();
        Self::arsinh(u) / (self.sigma * one_more.sqrt()) + self.sigma * u / one_more
    }

    fn tail(&self, z: Enclosure) -> Enclosure {
        upper_tail(Self::arsinh(self.sigma * z) / self.sigma)
    }

    fn steepest(&self) -> Enclosure {
        Enclosure::point(2.0) / (Enclosure::point(3.0) * self.sigma) + self.sigma * Enclosure::point(0.5)
    }

    fn dilation(&self, alpha: Enclosure, t: Enclosure) -> Enclosure {
        let (one, two) = (Enclosure::ONE, Enclosure::point(2.0));
        let narrower = (alpha + one) * (t / self.sigma).square() / two + two.ln() / (alpha - one);
        narrower.max(t)
    }

    fn at(&self, share: f64) -> f64 {
        libm::sinh(self.reach * share * self.sigma.lo()) / self.sigma.lo()
    }

    fn reach(&self) -> f64 {
        self.reach
    }
}

impl SmoothNoise for ArsinhNormal {
    type Guarantee = Zcdp;
    type Law = sample::ArsinhNormalLaw;

    fn smoothness(&self) -> Smoothness {
        self.calibrated.smoothness
    }

    fn multiple(&self) -> Scale {
        self.calibrated.multiple
    }

    fn law(&self) -> sample::ArsinhNormalLaw {
        sample::ArsinhNormalLaw::new(self.sigma).expect("σ was checked")
    }

    fn guarantee(&self) -> Zcdp {
        self.guarantee
    }

    fn gain(&self) -> f64 {
        self.calibrated.gain
    }
}
