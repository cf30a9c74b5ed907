//! How far smooth noise strays, in scales.

use dp_core::normal::upper_quantile;
use dp_core::rounding::{Enclosure, mul_down};
use dp_core::search::smallest_float;
use dp_mechanisms::sample::{PolyPlaceLaw, PolynomialTailLaw, StudentTLaw};

use super::concentrated::Density;
use super::log_normal::Family;
use super::{
    LogDensity, LogNormal, PolyPlace, PolynomialTail, SmoothGaussian, SmoothLaplace, SmoothNoise,
    SmoothStudentT,
};

/// Smooth noise with a proven upper quantile.
///
/// # Contract
/// |Z| passes [`quantile(β)`](Self::quantile) with probability β at most.
pub trait SmoothTail: SmoothNoise {
    /// An upper bound on the magnitude that a draw of Z exceeds with probability β, for 0 < β ≤ 1;
    /// infinite where none was found.
    fn quantile(&self, beta: f64) -> f64;
}

impl SmoothTail for SmoothLaplace {
    fn quantile(&self, beta: f64) -> f64 {
        (-Enclosure::point(beta).ln()).hi().max(0.0)
    }
}

impl SmoothTail for SmoothGaussian {
    fn quantile(&self, beta: f64) -> f64 {
        upper_quantile(mul_down(0.5, beta))
    }
}

impl<L: Family> SmoothTail for LogNormal<L> {
    /// The least z at which the enclosed tail is at most β/2.
    fn quantile(&self, beta: f64) -> f64 {
        const REACH: f64 = 8.0;
        let (shape, half) = (L::shape(self.sigma(), REACH), mul_down(0.5, beta));
        let within = |z: f64| shape.tail(Enclosure::point(z)).hi() <= half;
        smallest_float(0.0, f64::MAX, within).unwrap_or(f64::INFINITY)
    }
}

impl SmoothTail for SmoothStudentT {
    fn quantile(&self, beta: f64) -> f64 {
        quantile::<StudentTLaw>(&self.law(), beta)
    }
}

impl SmoothTail for PolynomialTail {
    fn quantile(&self, beta: f64) -> f64 {
        quantile::<PolynomialTailLaw>(&self.law(), beta)
    }
}

impl SmoothTail for PolyPlace {
    fn quantile(&self, beta: f64) -> f64 {
        quantile::<PolyPlaceLaw>(&self.law(), beta)
    }
}

/// An upper bound on what |Z| exceeds with probability β, for a density whose z·φ'(z) rises, as
/// those of the three laws with power tails do.
///
/// Let h = e^−φ. As h falls, a cell [a, b] has a mass between h(b)·(b − a) and h(a)·(b − a). Beyond
/// R, z·φ'(z) ≥ κ = R·φ'(R), so that h(z) ≤ h(R)·(z/R)^−κ, which has the mass h(R)·R/(κ − 1). With
/// B a lower bound on the mass of [0, z] and T an upper one on that beyond, Pr(|Z| > z) is at most
/// T/(B + T). The cells have equal widths in arsinh z, up to where the rest does not matter.
fn quantile<L: LogDensity>(law: &L, beta: f64) -> f64 {
    const CELLS: u16 = 4096;
    let mass = |z: f64| (-law.exponent(Enclosure::point(z))).exp();
    let rest = |r: f64| {
        let kappa = (Enclosure::point(r) * law.slope(Enclosure::point(r))).lo();
        (kappa > 1.0)
            .then(|| (mass(r) * Enclosure::point(r) / (Enclosure::point(kappa) - Enclosure::ONE)).hi())
    };
    // The mass of [0, 1] is at least h(1).
    let enough = |u: f64| rest(libm::sinh(u)).is_some_and(|rest| rest <= 1e-4 * beta * mass(1.0).lo());
    let Some(end) = (1..600u16).map(f64::from).find(|u| enough(*u)) else { return f64::INFINITY };
    let edge = |k: u16| libm::sinh(end * f64::from(k) / f64::from(CELLS));
    let edges: Vec<f64> = (0..=CELLS).map(edge).collect();
    let cell = |pair: &[f64]| {
        let width = Enclosure::point(pair[1]) - Enclosure::point(pair[0]);
        (mass(pair[1]) * width, mass(pair[0]) * width)
    };
    let cells: Vec<_> = edges.windows(2).map(cell).collect();
    let mut body = cells.iter().fold(Enclosure::ZERO, |sum, (least, _)| sum + *least);
    let mut tail = Enclosure::point(rest(edges[cells.len()]).unwrap_or(f64::INFINITY));
    let mut found = f64::INFINITY;
    for (k, (least, most)) in cells.iter().enumerate().rev() {
        let share = Enclosure::point(tail.hi())
            / (Enclosure::point(tail.hi()) + Enclosure::point(body.lo().max(0.0)));
        if share.hi() > beta {
            return found;
        }
        found = edges[k + 1];
        (body, tail) = (body - *least, tail + *most);
    }
    if beta < 1.0 { found } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::smooth::{ArsinhNormal, LaplaceLogNormal, UniformLogNormal};

    #[test]
    fn quantiles_are_those_of_known_laws_from_above() {
        // tan(π(1−β)/2), and mpmath for seven degrees of freedom.
        let cauchy = SmoothStudentT::cauchy(1.0).unwrap();
        for (beta, truth) in
            [(0.5, 1.0), (0.1, 6.313_751_514_675), (0.05, 12.706_204_736_175), (1e-4, 6_366.197_671_4)]
        {
            let found = cauchy.quantile(beta);
            assert!(found >= truth && found < truth * 1.05, "{beta}: {found} {truth}");
        }
        let seven = SmoothStudentT::with_degrees(1.0, 7.0).unwrap();
        for (beta, truth) in [(0.1, 1.894_578_605_06), (0.05, 2.364_624_251_59), (0.001, 5.407_882_520_86)] {
            let found = seven.quantile(beta);
            assert!(found >= truth && found < truth * 1.05, "{beta}: {found} {truth}");
        }
        let laplace = SmoothLaplace::epsilon_delta(1.0, 1e-6).unwrap();
        assert!((laplace.quantile(0.05) - 20f64.ln()).abs() < 1e-12);
        let gaussian = SmoothGaussian::epsilon_delta(1.0, 1e-6).unwrap();
        assert!((gaussian.quantile(0.05) - 1.959_963_984_54).abs() < 1e-9);
    }

    #[test]
    fn the_middle_and_the_tail_of_poly_place() {
        // Mass 1 − e^−γ within γ and γ·e^−γ/(γ−1) beyond, on either side.
        let noise = PolyPlace::epsilon(1.0).unwrap();
        let gamma = noise.law().gamma();
        let total = 1.0 + (-gamma).exp() / (gamma - 1.0);
        for z in [0.5, 0.9 * gamma, 1.5 * gamma, 40.0 * gamma] {
            let beyond = if z <= gamma {
                (-z).exp() + (-gamma).exp() / (gamma - 1.0)
            } else {
                (-gamma).exp() * gamma / (gamma - 1.0) * (z / gamma).powf(1.0 - gamma)
            };
            let found = noise.quantile(beyond / total);
            assert!(found >= z * (1.0 - 1e-12) && found < z * 1.05, "{z}: {found}");
        }
    }

    #[test]
    fn a_log_normal_law_passes_its_quantile_seldom() {
        // By the middles of 300 × 300 cells of equal probability.
        let normal = |k: u32| upper_normal((f64::from(k) + 0.5) / 300.0);
        let check = |quantile: f64, draw: &dyn Fn(f64, f64) -> f64| {
            let mut beyond = 0u32;
            for i in 0..300 {
                for j in 0..300 {
                    beyond += u32::from(draw(normal(i), (f64::from(j) + 0.5) / 300.0).abs() > quantile);
                }
            }
            let share = f64::from(beyond) / 90_000.0;
            assert!((0.045..0.0505).contains(&share), "{share}");
        };
        let noise = LaplaceLogNormal::with_sigma(0.1, 0.5).unwrap();
        check(noise.quantile(0.05), &|y, u| -u.ln() * (0.5 * y).exp());
        let noise = UniformLogNormal::with_sigma(0.1, 1.0).unwrap();
        check(noise.quantile(0.05), &|y, u| u * y.exp());
        let noise = ArsinhNormal::rho(0.1).unwrap();
        let sigma = noise.sigma();
        check(noise.quantile(0.05), &|y, _| (sigma * y).sinh() / sigma);
    }

    /// Φ⁻¹ by bisection of the enclosed tail.
    fn upper_normal(share: f64) -> f64 {
        let (mut low, mut high) = (-9.0, 9.0);
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            let above = dp_core::normal::upper_tail(Enclosure::point(middle)).hi();
            if 1.0 - above < share { low = middle } else { high = middle }
        }
        low
    }
}
