//! A bound on the excess loss of the average: three sums, computed rather than bounded by their
//! rates.

use super::noise::StepNoise;
use crate::arguments::count;

/// The public facts of a convex problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Problem {
    /// The number p of parameters.
    pub dimension: usize,
    /// G with ‖∇L(β, x)‖₂ ≤ G: the clipping norm, if no gradient is longer.
    pub gradient: f64,
    /// D = ‖β⁽⁰⁾ − β*‖₂, or a guess of it.
    pub distance: f64,
}

/// The bound A₁ + A₂ + A₃ on E f(β̄) − f*, term by term.
///
/// Checked as L1, L2, L6, L7 and L8 by `cargo xtask verify`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UtilityBound {
    /// A₁: the distance of the start.
    pub start: f64,
    /// A₂: the sampling of gradients.
    pub sampling: f64,
    /// A₃: the noise.
    pub privacy: f64,
}

impl UtilityBound {
    /// The bound for rates γ₀, γ₁, … and levels θ₁, θ₂, … of the noise that belongs to the norm
    /// `N`.
    ///
    /// **Theorem** (L6). Let f be convex and batches drawn so that E g_h = ∇f(β⁽ʰ⁾), ‖g_h‖₂ ≤ G.
    /// With v the variance of the standard noise (2 for Laplace, 1 for normal), S = Σγ_j and β̄ =
    /// Σγ_jβ⁽ʲ⁾/S,
    ///
    /// > E f(β̄) − f* ≤ D²/2S + G²·Σγ_j²/2S + p·v·Σγ_j²θ_{j+1}²/2S.
    ///
    /// **Proof.** Given β⁽ʰ⁾, E‖β⁽ʰ⁺¹⁾ − β*‖² = ‖β⁽ʰ⁾ − β*‖² − 2γ_h⟨∇f(β⁽ʰ⁾), β⁽ʰ⁾ − β*⟩ +
    /// γ_h²(E‖g_h‖² + p·v·θ_{h+1}²), and the inner product is at least f(β⁽ʰ⁾) − f*. Add over h,
    /// drop the last distance, and use f(β̄) ≤ Σγ_jf(β⁽ʲ⁾)/S. ∎
    ///
    /// The lecture has the same sums with unnamed constants.
    #[must_use]
    pub fn new<N: StepNoise>(problem: &Problem, rates: &[f64], thetas: &[f64]) -> Self {
        let total: f64 = rates.iter().sum();
        let squares: f64 = rates.iter().map(|rate| rate * rate).sum();
        let noise: f64 = rates.iter().zip(thetas).map(|(rate, theta)| (rate * theta) * (rate * theta)).sum();
        Self {
            start: problem.distance * problem.distance / (2.0 * total),
            sampling: problem.gradient * problem.gradient * squares / (2.0 * total),
            privacy: count(problem.dimension) * N::VARIANCE * noise / (2.0 * total),
        }
    }

    /// A₁ + A₂ + A₃.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.start + self.sampling + self.privacy
    }

    /// The factor c on all rates that minimises the bound, and the bound there.
    ///
    /// A₁/c + c(A₂ + A₃) is least for c = √(A₁/(A₂ + A₃)). Levels θ do not change with c: they are
    /// in units of gradients.
    #[must_use]
    pub fn at_best_factor(&self) -> (f64, Self) {
        let c = f64::sqrt(self.start / (self.sampling + self.privacy));
        let bound = Self { start: self.start / c, sampling: c * self.sampling, privacy: c * self.privacy };
        (c, bound)
    }
}

/// θ_h = (1/a_h)(Σ_{j≤h−2} γ_j/γ_{h−1} + 1)·Δ/ε, the lecture's levels, for h = 1, 2, …
#[must_use]
pub fn lecture_thetas(
    rates: &[f64],
    factors: impl Fn(usize) -> f64,
    sensitivity: f64,
    epsilon: f64,
) -> Vec<f64> {
    let mut total = 0.0;
    rates
        .iter()
        .enumerate()
        .map(|(h, rate)| {
            total += rate;
            total / rate / factors(h + 1) * sensitivity / epsilon
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduled::*;
    use crate::training::LearningRate;
    use dp_core::L1;

    #[test]
    fn sums_are_those_of_the_theorem() {
        let problem = Problem { dimension: 3, gradient: 2.0, distance: 4.0 };
        let bound = UtilityBound::new::<L1>(&problem, &[1.0, 0.5], &[1.0, 4.0]);
        assert_eq!(
            (bound.start, bound.sampling, bound.privacy),
            (16.0 / 3.0, 5.0 / 3.0, 3.0 * 2.0 * 5.0 / 3.0)
        );
        let (c, best) = bound.at_best_factor();
        assert!(best.total() <= bound.total());
        assert!(
            (UtilityBound::new::<L1>(&problem, &[c, 0.5 * c], &[1.0, 4.0]).total() - best.total()).abs()
                < 1e-12
        );
    }

    #[test]
    fn levels_are_those_of_the_library() {
        // The library's scales are γθ, from sums on its lattice; the lecture's formula for clipped
        // gradients, b = 1.
        let plan = Schedule {
            learning_rate: LearningRate::Power { initial: 1.0, rho: 0.5 },
            steps: 50,
            noise: NoiseSchedule::Iterates { level: 0.7, factors: PrivacySchedule::Power(0.8) },
        };
        let loss = LeastSquares::<[f64; 2]>::new(1).unwrap();
        let sampler = MultiPass::new(50, 1).unwrap();
        let sgd =
            ScheduledSgd::new(LastIterate, loss, sampler, Clipped::l1(1.5).unwrap(), &plan, &[0.0]).unwrap();
        let rates = plan.learning_rate.positive(50).unwrap();
        let thetas = lecture_thetas(&rates, |h| count(h).powf(0.8), 3.0, 0.7);
        for ((scale, rate), theta) in sgd.scales().iter().zip(&rates).zip(thetas) {
            assert!((scale / (rate * theta) - 1.0).abs() < 1e-6, "{scale} {}", rate * theta);
        }
    }
}
