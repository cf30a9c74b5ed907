//! Uniform log-normal noise.

use dp_core::normal::upper_tail;
use dp_core::rounding::Enclosure;
use dp_mechanisms::sample;

use super::calibrated::{Printed, with_margin};
use super::concentrated::Density;
use super::log_normal::{Family, LogNormal, Range};

/// Noise X·e^(σY) with X uniform on (−1, 1) and Y ~ N(0, 1), for ρ-zCDP.
///
/// **Theorem** (Bun and Steinke 2019; claim S12). For σ ≥ √2, noise of scale S/s is ½ε²-zCDP for
/// ε = β/σ + s·e^(3σ²/2)·√(2/πσ²): this is [`printed`](LogNormal::printed), which needs this σ;
/// nothing else does.
///
/// **Tight.** For z > 0 the density is ½e^(σ²/2)·Φ̄(w) with w = ln z/σ + σ, the upper tail of a
/// normal. φ = −ln Φ̄(w) is convex in w, hence in ln z, so the lemma on ratios applies. Its slope
/// n(w)/(σz·Φ̄(w)), n being the normal density, is a product: n(w)/z rises up to z = e^(−2σ²),
/// where it is e^(3σ²/2)/√(2π), and falls then; 1/Φ̄(w) rises; and so does the hazard n(w)/Φ̄(w),
/// which is at most w + √(2/π) for w ≥ 0. *Ratios alone.* Given X, the logarithms are two normals
/// of variance σ² at a distance of t, so D_α ≤ αt²/2σ².
///
/// [`rho`](LogNormal::rho) takes σ = 0.75, which may lie in [0.2, 3], and β = 0.8·σ·√(2ρ), for 10⁻⁴
/// ≤ ρ ≤ 2.
///
/// ```
/// use dp_sensitivity::smooth::{SmoothNoise, UniformLogNormal};
///
/// let noise = UniformLogNormal::rho(0.5)?;
/// assert!(noise.gain() > 5.0);
/// # Ok::<(), dp_core::Error>(())
/// ```
pub type UniformLogNormal = LogNormal<sample::UniformLogNormalLaw>;

/// 1/√(2π), between two adjacent floats.
const INV_SQRT_TWO_PI: Enclosure = Enclosure::new(0.398_942_280_401_432_65, 0.398_942_280_401_432_7);

pub struct Shape {
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
        by_product.meet(by_hazard) / self.sigma
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

    /// For w ≤ 0, 1/Φ̄(w) is at most 2. For w ≥ 0 the slope is at most (w + √(2/π))·e^(σ² − σw)/σ,
    /// which is largest at w = 1/σ − √(2/π), or at 0.
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

impl Family for sample::UniformLogNormalLaw {
    type Shape = Shape;

    const SIGMA: f64 = 0.75;
    const BETA: f64 = 0.8;
    const SIGMAS: Range = ("[0.2, 3]", 0.2, 3.0);
    const RHOS: Range = ("[1e-4, 2]", 1e-4, 2.0);
    const PRINTED_SIGMAS: Range = ("[√2, 3]", core::f64::consts::SQRT_2, 3.0);

    fn with_sigma(sigma: f64) -> Self {
        Self::new(sigma).expect("σ was checked")
    }

    fn sigma(&self) -> f64 {
        self.sigma()
    }

    fn nearest_printed(sigma: f64) -> f64 {
        sigma.max(1.415)
    }

    /// β = σε/2 and 1/s, rounded up: half of ε for each term.
    fn printed(rho: f64, sigma: f64) -> Printed {
        let (two, width) = (Enclosure::point(2.0), Enclosure::point(sigma));
        let epsilon = (two * Enclosure::point(rho)).sqrt();
        let beta = (epsilon * width / two).lo();
        let left = epsilon - Enclosure::point(with_margin(beta)) / width;
        let per_shift = (Enclosure::point(1.5) * width.square()).exp() * two * INV_SQRT_TWO_PI / width;
        Printed { beta, multiple: (per_shift / left).hi() }
    }

    fn shape(sigma: f64, reach: f64) -> Shape {
        Shape { sigma: Enclosure::point(sigma), reach }
    }
}
