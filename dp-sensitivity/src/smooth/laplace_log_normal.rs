//! Laplace log-normal noise.

use dp_core::rounding::Enclosure;
use dp_mechanisms::sample;

use super::calibrated::{Printed, with_margin};
use super::concentrated::Density;
use super::log_normal::{Family, LogNormal, Range};

/// Noise X·e^(σY) with X ~ Lap(1) and Y ~ N(0, 1), for ρ-zCDP.
///
/// **Theorem** (Bun and Steinke 2019; claim S11). Noise of scale S/s is ½ε²-zCDP for ε = β/σ +
/// e^(3σ²/2)·s: this is [`printed`](LogNormal::printed).
///
/// **Tight.** For z > 0 twice the density is m₁(z), where mₖ(z) = E x^k·e^(−zx) with x = e^(−σY);
/// its slope is −m₂, and Pr(Z > z) = ½·m₀. A mixture of exponentials is log-convex, so φ = −ln m₁
/// is concave on z > 0 and its slope m₂/m₁ falls, from e^(3σ²/2) on. ln|Z| = ln|X| + σY is the sum
/// of two variables with log-concave densities, so it has one, too, and φ is convex in ln z: the
/// lemma on ratios applies. *Ratios alone.* Given X, the logarithms are two normals of variance σ²
/// at a distance of t, so D_α ≤ αt²/2σ².
///
/// [`rho`](LogNormal::rho) takes σ = 0.6, which may lie in [0.2, 1.5], and β = 0.7·σ·√(2ρ), for
/// 10⁻⁴ ≤ ρ ≤ 2.
///
/// ```
/// use dp_sensitivity::smooth::{LaplaceLogNormal, SmoothNoise};
///
/// let noise = LaplaceLogNormal::rho(0.5)?;
/// assert!(noise.gain() > 1.5);
/// # Ok::<(), dp_core::Error>(())
/// ```
///
/// Checked as S11 by `cargo xtask verify`.
pub type LaplaceLogNormal = LogNormal<sample::LaplaceLogNormalLaw>;

/// mₖ(z) by the trapezoidal rule in y, on the multiples of h up to ±(R + 10), for a reach R ≥ 9;
/// all errors are below η = e^(−B) with B = R²/2 + 2σR + 30.
///
/// *Why.* The integrand n(y)·x^k·e^(−zx), x = e^(−σy), is entire in y, and on the lines Im y = ±a
/// with σa ≤ π/2 its magnitude is at most e^(a²/2)·n(y)·x^k, because Re(x) ≥ 0 there. So the rule
/// with all multiples of h is off by at most 2·e^(a²/2 + k²σ²/2)/(e^(2πa/h) − 1), with a ≤ 4, k ≤ 2
/// and σ ≤ 1.5 below e^(13.3 − 2πa/h), and h is such that 2πa/h ≥ B + 15. The nodes that are left
/// out add at most 2·e^(k²σ²/2)·Φ̄(R + 10 − h − kσ) ≤ 2·e^(4.5 − (R + 6.75)²/2), and (R + 6.75)²/2
/// ≥ R²/2 + 6.75R + 22.7 ≥ B + 3.75R − 7.3 ≥ B + 26. Those with zx > B + 8, which are skipped, add
/// e^(−B − 8 + 4.5) at most. In floats the terms are right to 10⁻¹⁰: the exponents are at most
/// 3000, and the error of each is a few 2⁻⁵² of it; the sums are widened by 10⁻⁹ of themselves, and
/// by η.
pub struct Shape {
    sigma: Enclosure,
    reach: f64,
    /// B.
    digits: f64,
    /// h·n(y) and x, by falling x.
    nodes: Vec<(f64, f64)>,
}

/// m₀, m₁ and m₂.
type Moments = [Enclosure; 3];

impl Shape {
    fn new(sigma: f64, reach: f64) -> Self {
        let reach = reach.max(9.0);
        let digits = 0.5 * reach * reach + 2.0 * sigma * reach + 30.0;
        let strip = (core::f64::consts::FRAC_PI_2 / sigma).min(4.0);
        // A multiple of 2⁻¹⁰, so that nodes are floats; less than ¼.
        let h = (1024.0 * (core::f64::consts::TAU * strip / (digits + 16.0)).min(0.25)).floor() / 1024.0;
        #[allow(clippy::cast_possible_truncation)] // a few thousand at most
        let last = ((reach + 10.0) / h) as i32;
        let node = |j: i32| {
            let y = f64::from(j) * h; // exact
            (h * 0.398_942_280_401_432_7 * libm::exp(-0.5 * y * y), libm::exp(-sigma * y))
        };
        Self { sigma: Enclosure::point(sigma), reach, digits, nodes: (-last..=last).map(node).collect() }
    }

    fn moments(&self, z: f64) -> Moments {
        let first = self.nodes.partition_point(|(_, x)| z * x > self.digits + 8.0);
        let mut sums = [0.0; 3];
        for (weight, x) in &self.nodes[first..] {
            let term = weight * libm::exp(-z * x);
            sums[0] += term;
            sums[1] += term * x;
            sums[2] += term * x * x;
        }
        let eta = libm::exp(-self.digits) + 1e-300; // what underflowed is less
        sums.map(|sum: f64| Enclosure::new((sum * (1.0 - 1e-9) - eta).max(0.0), sum * (1.0 + 1e-9) + eta))
    }
}

impl Density for Shape {
    fn exponent(&self, z: Enclosure) -> Enclosure {
        // At one end, and from there by the slope.
        let width = Enclosure::point(z.hi()) - Enclosure::point(z.lo());
        let rise = (width * self.steepest()).hi().max(0.0);
        -self.moments(z.lo())[1].ln() + Enclosure::new(0.0, rise)
    }

    fn slope(&self, z: Enclosure) -> Enclosure {
        let [first, last] = [z.lo(), z.hi()].map(|z| {
            let [_, m1, m2] = self.moments(z);
            m2 / m1
        });
        Enclosure::new(last.lo(), first.hi())
    }

    fn tail(&self, z: Enclosure) -> Enclosure {
        let [first, last] = [z.lo(), z.hi()].map(|z| self.moments(z)[0]);
        (Enclosure::new(last.lo(), first.hi()) * Enclosure::point(0.5)).probability()
    }

    fn steepest(&self) -> Enclosure {
        (Enclosure::point(1.5) * self.sigma.square()).exp()
    }

    fn dilation(&self, alpha: Enclosure, t: Enclosure) -> Enclosure {
        alpha * (t / self.sigma).square() * Enclosure::point(0.5)
    }

    fn at(&self, share: f64) -> f64 {
        libm::sinh(share * (self.reach * self.sigma.lo() + 3.0))
    }

    fn reach(&self) -> f64 {
        self.reach
    }
}

impl Family for sample::LaplaceLogNormalLaw {
    type Shape = Shape;

    const SIGMA: f64 = 0.6;
    const BETA: f64 = 0.7;
    const SIGMAS: Range = ("[0.2, 1.5]", 0.2, 1.5);
    const RHOS: Range = ("[1e-4, 2]", 1e-4, 2.0);

    fn with_sigma(sigma: f64) -> Self {
        Self::new(sigma).expect("σ was checked")
    }

    fn sigma(&self) -> f64 {
        self.sigma()
    }

    /// β = σε/2 and 1/s, rounded up: half of ε for each term.
    fn printed(rho: f64, sigma: f64) -> Printed {
        let (two, width) = (Enclosure::point(2.0), Enclosure::point(sigma));
        let epsilon = (two * Enclosure::point(rho)).sqrt();
        let beta = (epsilon * width / two).lo();
        let left = epsilon - Enclosure::point(with_margin(beta)) / width;
        Printed { beta, multiple: ((Enclosure::point(1.5) * width.square()).exp() / left).hi() }
    }

    fn shape(sigma: f64, reach: f64) -> Shape {
        Shape::new(sigma, reach)
    }
}
