//! Sums over the integers by integrals, for large σ.
//!
//! With g(x) = e^(−x²/2σ²), the sums of the profile and of the tail have the form Σ_{x≥a} f(x) with
//! f = g·h, where h(x) = 1 − e^(ε−ℓ(x)) = 1 − e^(−c(x−x₀)), c = Δ/σ², or h = 1. The midpoint rule
//! on each cell [x−½, x+½] errs by at most ⅛∫|f''| (its Peano kernel ½(½−|t|)² is at most ⅛), so
//! with x₁ = a − ½
//!
//! > |Σ_{x≥a} f(x) − ∫_{x₁}^∞ f| ≤ ⅛ ∫_{x₁}^∞ |f''|.
//!
//! The integral is a difference of normal tails. The error is bounded by moments Iₙ(u) of Mills'
//! ratio at u = x₁/σ, because g(x₁ + σs) = g(x₁)·e^(−us−s²/2): it is a few (u² + 1)/8σ² of the sum,
//! about 10⁻⁴ at σ = 1024 and u = 12, and falls with σ².
//!
//! These bounds want u ≥ −1. What starts farther left is the mirror image of what does not: with T
//! for the sums of masses, and because P mirrored is Q,
//!
//! > T(a) = 1 − T(1 − a),  δ(−ε) = 1 − e^−ε + e^−ε·δ(ε).

use super::DiscreteGaussianPair;
use crate::normal::{density, mills_difference, moments};
use crate::rounding::Enclosure;

/// Z/(σ√(2π)) for σ ≥ 1024, by Poisson summation: 1 up to less than an ulp.
const NEARLY_ONE: Enclosure = Enclosure::new(1.0f64.next_down(), 1.0f64.next_up());

impl DiscreteGaussianPair {
    /// Encloses Pr(L > t) for large σ; `None` where the bounds of this module do not apply.
    pub(super) fn wide_tail(self, t: f64) -> Option<Enclosure> {
        let (earliest, latest) = self.wide_start(t)?;
        Some(Enclosure::new(self.masses_from(latest).lo(), self.masses_from(earliest).hi()).probability())
    }

    /// Encloses δ(ε) for large σ; `None` where the bounds of this module do not apply.
    pub(super) fn wide_profile(self, epsilon: f64) -> Option<Enclosure> {
        if epsilon < 0.0 {
            let point = Enclosure::point(epsilon);
            let mirrored = self.wide_profile(-epsilon)?;
            return Some((point.exp() * mirrored - point.exp_m1()).probability());
        }
        let (earliest, latest) = self.wide_start(epsilon)?;
        let gains = |first: f64| {
            // At ε ≥ 0 the sums start at u ≥ −μ/2, or just before it.
            let near = f64::from(self.shift) <= 2.0 * self.sigma.get();
            if near && self.standardised(first).lo() >= -1.0 {
                self.sum_of_gains(first, epsilon)
            } else {
                self.gains_far_apart(first, epsilon)
            }
        };
        // The sum from the true start is the largest of all, so the larger of the two candidates is
        // the answer.
        Some(gains(earliest).max(gains(latest)).probability())
    }

    /// The first integers whose loss may and does exceed t: equal or adjacent.
    fn wide_start(self, t: f64) -> Option<(f64, f64)> {
        if self.sigma.get() < 1024.0 || !self.integers_are_exact(t) {
            return None;
        }
        let mut earliest = self.first_above(t);
        while self.loss(earliest).hi() <= t {
            earliest += 1.0;
        }
        let latest = if self.loss(earliest).lo() > t { earliest } else { earliest + 1.0 };
        (self.loss(latest).lo() > t).then_some((earliest, latest))
    }

    /// Encloses Σ_{x≥a} g(x)/Z, wherever a lies.
    fn masses_from(self, first: f64) -> Enclosure {
        if self.standardised(first).lo() >= -1.0 {
            self.sum_of_masses(first)
        } else {
            (Enclosure::ONE - self.sum_of_masses(1.0 - first)).probability()
        }
    }

    /// Encloses the same as [`sum_of_gains`](Self::sum_of_gains) for ε ≥ 0 and Δ near 2σ or above,
    /// where the two sums of which it is the difference do not cancel: T(a) and e^ε·T(a+Δ). In the
    /// second one e^ε·g(x₁+Δ) is g(x₁)·e^(ε−ℓ(x₁)), which is a float where e^ε is none.
    fn gains_far_apart(self, first: f64, epsilon: f64) -> Enclosure {
        let lift = (Enclosure::point(epsilon) - self.loss(first - 0.5)).exp();
        let second =
            density(self.standardised(first)) * lift * self.relative_masses(first + f64::from(self.shift));
        self.masses_from(first) - second * NEARLY_ONE
    }

    /// Encloses Σ_{x≥a} g(x)/Z at u ≥ −1.
    fn sum_of_masses(self, first: f64) -> Enclosure {
        density(self.standardised(first)) * self.relative_masses(first) * NEARLY_ONE
    }

    /// Encloses Σ_{x≥a} g(x)/(σ·g(x₁)) at u ≥ −1.
    fn relative_masses(self, first: f64) -> Enclosure {
        let u = self.standardised(first);
        let (near, far) = (moments(u.lo()), moments(u.hi()));
        let integral = Enclosure::new(far[0].lo(), near[0].hi());
        // 0.13 instead of ⅛ covers the ulp between the two ends of u, and the one in Z.
        let error = self.curvature(u.lo(), &near) * Enclosure::point(0.13);
        (integral + symmetric(error)).max(Enclosure::ZERO)
    }

    /// Encloses Σ_{x≥a} g(x)·(1 − e^(ε−ℓ(x)))/Z at an a within two of x₀.
    fn sum_of_gains(self, first: f64, epsilon: f64) -> Enclosure {
        let (u, sigma) = (self.standardised(first), Enclosure::point(self.sigma.get()));
        let mu = Enclosure::point(f64::from(self.shift)) / sigma;
        let rate = mu / sigma; // c
        // ∫f/Z = φ(u)·(R(u) − e^η·R(u+μ)), η = ε − ℓ(x₁): a difference of Mills ratios and a small
        // correction.
        let eta = Enclosure::point(epsilon) - self.loss(first - 0.5);
        let difference =
            Enclosure::new(mills_difference(u.hi(), mu.lo()).lo(), mills_difference(u.lo(), mu.hi()).hi());
        let end = u + mu;
        let beyond = Enclosure::new(moments(end.hi())[0].lo(), moments(end.lo())[0].hi());
        // ⅛∫|f''|/(σ·g(x₁)) with |h| ≤ 1.01c(x − x₁ + 3), |h'| ≤ 1.01c, |h''| ≤ 1.01c², for
        // |x₁ − x₀| ≤ 2.5 and c ≤ 2/σ. In units of cσ: |g''h| raises each moment by one; ∫|g'| is
        // g(x₁) for x₁ ≥ 0 and at most 2 ≤ 3.4·g(x₁) from −σ on.
        let near = moments(u.lo());
        let bent = self.raised_curvature(u.lo(), &near)
            + Enclosure::point(3.0) / sigma * self.curvature(u.lo(), &near);
        let sloped = Enclosure::point(if u.lo() >= 0.0 { 2.0 } else { 6.8 }) / sigma.square();
        let flat = rate * near[0] / sigma;
        let error = (bent + sloped + flat) * rate * sigma * Enclosure::point(0.13);
        density(u) * (difference - eta.exp_m1() * beyond + symmetric(error)) * NEARLY_ONE
    }

    /// u = (a − ½)/σ.
    fn standardised(self, first: f64) -> Enclosure {
        Enclosure::point(first - 0.5) / Enclosure::point(self.sigma.get())
    }

    /// ∫_{x₁}^∞ (x²/σ⁴ + 1/σ²)·g dx / (σ·g(x₁)), which bounds ∫|g''| in that unit:
    /// ((u²+1)I₀ + 2uI₁ + I₂)/σ².
    fn curvature(self, u: f64, moment: &[Enclosure; 4]) -> Enclosure {
        self.curvature_of([moment[0], moment[1], moment[2]], u)
    }

    /// The same with a factor (x − x₁)/σ under the integral.
    fn raised_curvature(self, u: f64, moment: &[Enclosure; 4]) -> Enclosure {
        self.curvature_of([moment[1], moment[2], moment[3]], u)
    }

    fn curvature_of(self, [low, middle, high]: [Enclosure; 3], u: f64) -> Enclosure {
        let u = Enclosure::point(u);
        let weighted = (u.square() + Enclosure::ONE) * low + Enclosure::point(2.0) * u * middle + high;
        weighted.max(Enclosure::ZERO) / Enclosure::point(self.sigma.get()).square()
    }
}

/// [−x, x].
fn symmetric(x: Enclosure) -> Enclosure {
    Enclosure::new(-x.hi(), x.hi())
}
