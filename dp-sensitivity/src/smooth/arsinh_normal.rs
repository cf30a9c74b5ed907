//! Arsinh-normal noise.

use dp_core::normal::upper_tail;
use dp_core::rounding::Enclosure;
use dp_mechanisms::sample;

use super::calibrated::{Printed, with_margin};
use super::choice::cheapest;
use super::concentrated::Density;
use super::log_normal::{Family, LogNormal, Range};

/// Noise sinh(σY)/σ with Y ~ N(0, 1), for ρ-zCDP.
///
/// **Theorem** (Bun and Steinke 2019; claim S12). Noise of scale S/s is ½ε²-zCDP for ε = √(β(β/σ² +
/// 1/σ + 2)) + s(4 + 3σ²)/(6σ): this is [`printed`](LogNormal::printed).
///
/// **Tight.** With a = arsinh(σz), φ(z) = a²/2σ² + ½·ln(1 + σ²z²). Its slope a/(σ·cosh a) + σ·tanh
/// a/cosh a is at most 2/3σ + σ/2, since a/cosh a < 2/3 and tanh a/cosh a ≤ ½. As a function of v =
/// ln z its slope is a·tanh a/σ² + tanh² a, which rises, so the lemma on ratios applies. *Ratios
/// alone.* For λ = t the loss is at most t. For λ = −t it is −t + φ(e^t·z) − φ(z), at most
/// t·(arsinh(σe^t·z)/σ² + 1) − t ≤ t·(|Y|/σ + t/σ²), and E e^(x|Y|) ≤ 2e^(x²/2), so D_α ≤
/// (α+1)·t²/2σ² + ln 2/(α−1).
///
/// [`rho`](LogNormal::rho) takes σ = 1, which may lie in [0.1, 4], and β = 0.65·σ·√(2ρ), for 10⁻⁶ ≤
/// ρ ≤ 2.
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
pub type ArsinhNormal = LogNormal<sample::ArsinhNormalLaw>;

pub struct Shape {
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

impl Family for sample::ArsinhNormalLaw {
    type Shape = Shape;

    const SIGMA: f64 = 1.0;
    const BETA: f64 = 0.65;
    const SIGMAS: Range = ("[0.1, 4]", 0.1, 4.0);
    const RHOS: Range = ("[1e-6, 2]", 1e-6, 2.0);

    fn with_sigma(sigma: f64) -> Self {
        Self::new(sigma).expect("σ was checked")
    }

    fn sigma(&self) -> f64 {
        self.sigma()
    }

    /// β, and 1/s rounded up.
    fn printed(rho: f64, sigma: f64) -> Printed {
        let (two, one, width) = (Enclosure::point(2.0), Enclosure::ONE, Enclosure::point(sigma));
        let epsilon = (two * Enclosure::point(rho)).sqrt();
        let multiple = |beta: f64| {
            let t = Enclosure::point(with_margin(beta));
            let left = epsilon - (t * (t / width.square() + one / width + two)).sqrt();
            let per_shift = (Enclosure::point(4.0) + Enclosure::point(3.0) * width.square())
                / (Enclosure::point(6.0) * width);
            if left.lo() > 0.0 { (per_shift / left).hi() } else { f64::INFINITY }
        };
        let largest = sigma * epsilon.hi();
        let beta = cheapest(|beta| multiple(beta) / beta, largest * 1e-6, largest, 40, 30);
        Printed { beta, multiple: multiple(beta) }
    }

    fn shape(sigma: f64, reach: f64) -> Shape {
        Shape { sigma: Enclosure::point(sigma), reach }
    }
}
