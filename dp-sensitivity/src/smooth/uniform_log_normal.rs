//! Uniform log-normal noise.

use dp_core::normal::upper_tail;
use dp_core::rounding::Enclosure;
use dp_core::{Error, Scale, Zcdp};
use dp_mechanisms::sample;

use super::calibrated::{Calibrated, SmoothNoise, with_room};
use super::concentrated::{Density, multiple};
use crate::Smoothness;
use crate::arguments::{positive, within};

/// Noise X·e^(σY) with X uniform on (−1, 1) and Y ~ N(0, 1), for ρ-zCDP.
///
/// **Theorem** (Bun and Steinke 2019; claim S12). For σ ≥ √2, noise of scale S/s is ½ε²-zCDP for ε = β/σ + s·e^(3σ²/2)·√(2/πσ²): this is [`printed`](Self::printed), which needs this σ; nothing else does.
///
/// **Tight.** For z > 0 the density is ½e^(σ²/2)·Φ̄(w) with w = ln z/σ + σ, the upper tail of a normal. φ = −ln Φ̄(w) is convex in w, hence in ln z, so the lemma on ratios applies. Its slope n(w)/(σz·Φ̄(w)), n being the normal density, is a product: n(w)/z rises
/// up to z = e^(−2σ²), where it is e^(3σ²/2)/√(2π), and falls then; 1/Φ̄(w) rises; and so does the hazard n(w)/Φ̄(w), which is at most w + √(2/π) for w ≥ 0. *Ratios alone.* Given X, the logarithms are two normals of variance σ² at a
/// distance of t, so D_α ≤ αt²/2σ².
///
/// ```
/// use dp_sensitivity::smooth::{SmoothNoise, UniformLogNormal};
///
/// let noise = UniformLogNormal::rho(0.5)?;
/// assert!(noise.gain() > 5.0);
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UniformLogNormal {
    guarantee: Zcdp,
    sigma: f64,
    calibrated: Calibrated,
}

impl UniformLogNormal {
    /// ρ-zCDP noise with σ = 0.75 and β = 0.8·σ·√(2ρ), which are about the best for all ρ up to 1; see [the module](super). Finding it takes a second or so: keep it.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 10⁻⁴ ≤ ρ ≤ 2.
    pub fn rho(rho: f64) -> Result<Self, Error> {
        Self::with_sigma(rho, 0.75)
    }

    /// ρ-zCDP noise with this σ, and β = 0.8·σ·√(2ρ).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ρ < ∞, 0.2 ≤ σ ≤ 3, and β lies in its range.
    pub fn with_sigma(rho: f64, sigma: f64) -> Result<Self, Error> {
        check(rho, sigma)?;
        Self::with_beta(rho, sigma, 0.8 * sigma * libm::sqrt(2.0 * rho))
    }

    /// ρ-zCDP noise with this σ, for a bound with this β.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] as above, or unless 10⁻⁴ ≤ ρ ≤ 2, which is where the divergences are enclosed well; [`Error::Unreachable`] when no multiple is enough: β must be below σ·√(2ρ).
    pub fn with_beta(rho: f64, sigma: f64, beta: f64) -> Result<Self, Error> {
        check(rho, sigma)?;
        within("rho", "[1e-4, 2]", rho, (1e-4..=2.0).contains(&rho))?;
        let smoothness = Smoothness::new(beta)?;
        let (printed_beta, printed_multiple) = printed(rho, sigma.max(1.415));
        let found = multiple(|reach| Shape { sigma: Enclosure::point(sigma), reach }, rho, smoothness.get());
        let calibrated = Calibrated::new(beta, found, printed_multiple / printed_beta)?;
        Ok(Self { guarantee: Zcdp::new(rho)?, sigma, calibrated })
    }

    /// ρ-zCDP noise by the printed theorem, with the β that makes c/β least.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ρ < ∞, √2 ≤ σ ≤ 3, and β lies in its range.
    pub fn printed(rho: f64, sigma: f64) -> Result<Self, Error> {
        check(rho, sigma)?;
        within("sigma", "[√2, 3]", sigma, sigma * sigma >= 2.0)?;
        let (beta, multiple) = printed(rho, sigma);
        let calibrated = Calibrated::new(beta, multiple, multiple / beta)?;
        Ok(Self { guarantee: Zcdp::new(rho)?, sigma, calibrated })
    }

    /// The σ in e^(σY).
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
    within("sigma", "[0.2, 3]", sigma, (0.2..=3.0).contains(&sigma)).map(drop)
}

/// β = σε/2 and 1/s, rounded up: half of ε for each term.
fn printed(rho: f64, sigma: f64) -> (f64, f64) {
    let (two, width) = (Enclosure::point(2.0), Enclosure::point(sigma));
    let epsilon = (two * Enclosure::point(rho)).sqrt();
    let beta = (epsilon * width / two).lo();
    let left = epsilon - Enclosure::point(with_room(beta)) / width;
    let per_shift = (Enclosure::point(1.5) * width.square()).exp() * two * INV_SQRT_TWO_PI / width;
    (beta, (per_shift / left).hi())
}

/// 1/√(2π), between two adjacent floats.
const INV_SQRT_TWO_PI: Enclosure = Enclosure::new(0.398_942_280_401_432_65, 0.398_942_280_401_432_7);

struct Shape {
    sigma: Enclosure,
    reach: f64,
}

impl Shape {
    /// w = ln z/σ + σ.
    fn place(&self, z: Enclosure) -> Enclosure {
        z.ln() / self.sigma + self.sigma
    }

    /// n(w), which rises up to 0 and falls then.
    fn normal(w: Enclosure) -> Enclosure {
        (w.square() * Enclosure::point(-0.5)).exp() * INV_SQRT_TWO_PI
    }

    /// The largest n(w)/z.
    fn peak(&self) -> Enclosure {
        (Enclosure::point(1.5) * self.sigma.square()).exp() * INV_SQRT_TWO_PI
    }
}

impl Density for Shape {
    fn exponent(&self, z: Enclosure) -> Enclosure {
        -upper_tail(self.place(z)).ln()
    }

    fn slope(&self, z: Enclosure) -> Enclosure {
        let at = |z: f64| {
            if z <= 0.0 {
                Enclosure::ZERO
            } else {
                Self::normal(self.place(Enclosure::point(z))) / Enclosure::point(z)
            }
        };
        let tail = |z: f64| upper_tail(self.place(Enclosure::point(z)));
        let (low, high) = (at(z.lo()), at(z.hi()));
        let (tail_low, tail_high) = (tail(z.lo()), tail(z.hi()));
        let top = (Enclosure::point(-2.0) * self.sigma.square()).exp();
        let holds_top = z.lo() <= top.hi() && top.lo() <= z.hi();
        let most = if holds_top { self.peak().hi() } else { low.hi().max(high.hi()) };
        let by_product =
            Enclosure::new(low.lo().min(high.lo()), most) / Enclosure::new(tail_high.lo(), tail_low.hi());
        // The hazard rises, and with z > 0 it is divided by less than the upper end.
        let by_hazard = if z.lo() > 0.0 {
            let [first, last] = [(low, tail_low, z.lo()), (high, tail_high, z.hi())]
                .map(|(at, tail, z)| at * Enclosure::point(z) / tail);
            Enclosure::new(first.lo(), last.hi()) / z
        } else {
            by_product
        };
        Enclosure::new(by_product.lo().max(by_hazard.lo()), by_product.hi().min(by_hazard.hi())) / self.sigma
    }

    /// Pr(Z > z) = ½·E(1 − z·e^−σY)₊ = ½·(Φ̄(y) − z·e^(σ²/2)·Φ̄(y + σ)), where y = ln z/σ.
    fn tail(&self, z: Enclosure) -> Enclosure {
        if z.hi() <= 0.0 {
            return Enclosure::point(0.5);
        }
        let y = z.ln() / self.sigma;
        let half = Enclosure::point(0.5);
        (half * (upper_tail(y) - z * (half * self.sigma.square()).exp() * upper_tail(y + self.sigma)))
            .probability()
    }

    /// For w ≤ 0, 1/Φ̄(w) is at most 2. For w ≥ 0 the slope is at most (w + √(2/π))·e^(σ² − σw)/σ, which is largest at w = 1/σ − √(2/π), or at 0.
    fn steepest(&self) -> Enclosure {
        let mean = Enclosure::point(2.0) * INV_SQRT_TWO_PI;
        let w = (Enclosure::ONE / self.sigma - mean).max(Enclosure::ZERO);
        let right = (w + mean) * (self.sigma.square() - self.sigma * w).exp();
        (Enclosure::point(2.0) * self.peak()).max(right) / self.sigma
    }

    fn dilation(&self, alpha: Enclosure, t: Enclosure) -> Enclosure {
        alpha * (t / self.sigma).square() * Enclosure::point(0.5)
    }

    fn at(&self, share: f64) -> f64 {
        let sigma = self.sigma.lo();
        let unit = libm::exp(-sigma * sigma);
        unit * libm::sinh(share * (self.reach * sigma + sigma * sigma + core::f64::consts::LN_2))
    }

    fn reach(&self) -> f64 {
        self.reach
    }
}

impl SmoothNoise for UniformLogNormal {
    type Guarantee = Zcdp;
    type Law = sample::UniformLogNormalLaw;

    fn smoothness(&self) -> Smoothness {
        self.calibrated.smoothness
    }

    fn multiple(&self) -> Scale {
        self.calibrated.multiple
    }

    fn law(&self) -> sample::UniformLogNormalLaw {
        sample::UniformLogNormalLaw::new(self.sigma).expect("σ was checked")
    }

    fn guarantee(&self) -> Zcdp {
        self.guarantee
    }

    fn gain(&self) -> f64 {
        self.calibrated.gain
    }
}
