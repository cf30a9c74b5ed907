//! Two discrete Gaussian distributions, an integer shift apart.

mod wide;

use super::{DominatingPair, GaussianPair, within_profile_limits};
use crate::arguments::integer;
use crate::rounding::{Enclosure, div_up};
use crate::search::smallest_with_value_at_most;
use crate::{Alpha, Delta, Epsilon, Error, Mu, Scale};

/// P(x) ∝ e^(−x²/2σ²) on the integers, Q the same shifted by Δ: the discrete Gaussian mechanism on
/// integer answers (Canonne, Kamath and Steinke 2020), in one coordinate.
///
/// The loss at x is Δ(Δ−2x)/2σ²; tests are of the form S = {x ≤ m}. Mirrored, with a = −m,
///
/// > δ(ε) = (1/Z) Σ_{x≥a} e^(−x²/2σ²)·(1 − e^(ε−ℓ(x))), ℓ(x) = Δ(2x+Δ)/2σ², a the first x with
/// > ℓ(x) > ε,
///
/// every term of which is positive. The sum runs until what is left is below an ulp, bounded by a
/// geometric series, which takes a number of terms proportional to σ. From σ = 1024 on integrals
/// with a bounded error replace the sums; where neither applies (σ below 10⁻⁶, or integers that are
/// no floats) the upper end comes from D_α ≤ αΔ²/2σ², which holds always.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiscreteGaussianPair {
    sigma: Scale,
    shift: u32,
    /// Encloses Z = Σ_x e^(−x²/2σ²).
    normaliser: Enclosure,
}

impl DiscreteGaussianPair {
    /// The pair with parameter σ and integer shift Δ.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when the shift is zero: nothing needs to be hidden then.
    pub fn new(sigma: Scale, shift: u32) -> Result<Self, Error> {
        integer("shift", "[1, ∞)", shift, 1..)?;
        let normaliser = theta(sigma, 0.0);
        Ok(Self { sigma, shift, normaliser })
    }

    /// The least σ whose δ(ε) at this shift is at most `delta`, rounded up: the calibration of one
    /// coordinate.
    ///
    /// It is a σ at which the upper end of the profile is at most `delta`, and just below which it
    /// is not; infinite when there is none. The sums take a time proportional to σ up to σ = 1024.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when the shift is zero.
    pub fn least_sigma(epsilon: Epsilon, delta: Delta, shift: u32) -> Result<f64, Error> {
        Self::new(Scale::saturating(1.0), shift)?;
        if delta == Delta::ZERO {
            return Ok(f64::INFINITY);
        }
        let at = |sigma: f64| match Scale::new(sigma).and_then(|sigma| Self::new(sigma, shift)) {
            Ok(pair) => pair.delta(epsilon.get()).hi(),
            Err(_) => 1.0, // σ = 0 hides nothing
        };
        // The continuous law is close and gives the search its start.
        let guess = f64::from(shift) / GaussianPair::largest_mu(epsilon, delta).get();
        Ok(smallest_with_value_at_most(at, delta.get(), guess))
    }

    /// The parameter σ.
    #[must_use]
    pub const fn sigma(self) -> Scale {
        self.sigma
    }

    /// The shift Δ.
    #[must_use]
    pub const fn shift(self) -> u32 {
        self.shift
    }

    /// Encloses x²/2σ² for an integer x.
    fn exponent(self, x: f64) -> Enclosure {
        half_square(Enclosure::point(x), self.sigma)
    }

    /// Encloses the loss ℓ(x) = Δ(2x+Δ)/2σ².
    fn loss(self, x: f64) -> Enclosure {
        let (shift, sigma) = (Enclosure::point(f64::from(self.shift)), Enclosure::point(self.sigma.get()));
        shift * (Enclosure::point(2.0 * x) + shift) / (sigma.square() * Enclosure::point(2.0))
    }

    /// An integer close to the first x whose loss exceeds t, surely not above it.
    fn first_above(self, t: f64) -> f64 {
        let (shift, sigma) = (f64::from(self.shift), self.sigma.get());
        let estimate = libm::floor(t * sigma * sigma / shift - shift / 2.0) - 1.0;
        let mut x = estimate - libm::floor(estimate.abs() * 1e-12);
        let mut step = 1.0;
        while self.loss(x).hi() > t && x > -1e15 {
            x -= step;
            step *= 2.0; // the estimate may be far off where σ² overflows
        }
        x
    }

    /// Encloses (1/Z) Σ_{x ≥ first} e^(−x²/2σ²)·weight(x), for weights in [0, 1] that rise from 0,
    /// or are 1.
    fn upper_sum(self, first: f64, weight: impl Fn(f64) -> Enclosure) -> Enclosure {
        let sigma = self.sigma.get();
        // Left of −40σ lies less than e^−800 of the mass: at most a subnormal, added below.
        let start = first.max(-libm::ceil(40.0 * sigma) - 1.0);
        let mut sum = if start > first { Enclosure::new(0.0, f64::MIN_POSITIVE) } else { Enclosure::ZERO };
        let mut x = start;
        loop {
            let mass = (-self.exponent(x)).exp();
            let term = mass * weight(x);
            sum = sum + term;
            if x > 0.0 {
                // From x > 0 on the masses fall at least by the factor e^(−(2x+1)/2σ²): a geometric
                // series bounds the rest.
                let factor = -(-(Enclosure::point(2.0 * x + 1.0)
                    / (Enclosure::point(sigma).square() * Enclosure::point(2.0))))
                .exp_m1();
                let rest = (mass / factor).hi();
                if rest <= sum.lo() * 1e-18 || rest <= f64::MIN_POSITIVE {
                    return (sum + Enclosure::new(0.0, rest)) / self.normaliser;
                }
            }
            x += 1.0;
        }
    }

    /// Whether the sums are short enough to be run.
    fn is_summable(self, t: f64) -> bool {
        (1e-6..4096.0).contains(&self.sigma.get()) && self.integers_are_exact(t)
    }

    /// Whether the integers around which the loss passes t are exact floats, and σ² is one.
    fn integers_are_exact(self, t: f64) -> bool {
        let sigma = self.sigma.get();
        sigma < 1e150 && (t * sigma * sigma / f64::from(self.shift)).abs() < 1e14
    }
}

/// Encloses x²/2σ².
fn half_square(x: Enclosure, sigma: Scale) -> Enclosure {
    (x / Enclosure::point(sigma.get())).square() * Enclosure::point(0.5)
}

/// Encloses Σ_x e^(−(x+offset)²/2σ²) over the integers, for 0 ≤ offset ≤ 1.
fn theta(sigma: Scale, offset: f64) -> Enclosure {
    if sigma.get() >= 2.0 {
        // Poisson summation: σ√(2π)·(1 + 2Σ_k e^(−2π²σ²k²) cos 2πk·offset), and 2Σ_k
        // … < 3e^(−2π²·4) < 2⁻¹¹².
        let root = Enclosure::new(2.506_628_274_631_000_2, 2.506_628_274_631_000_7); // √(2π)
        return Enclosure::point(sigma.get()) * root * Enclosure::new(1.0f64.next_down(), 1.0f64.next_up());
    }
    // Below σ = 2 the terms beyond |x| = 85 are less than e^−882 together.
    let terms = (-85..=85i8).map(|x| {
        let x = Enclosure::point(f64::from(x)) + Enclosure::point(offset);
        (-half_square(x, sigma)).exp()
    });
    terms.fold(Enclosure::new(0.0, f64::MIN_POSITIVE), |sum, term| sum + term)
}

impl DominatingPair for DiscreteGaussianPair {
    fn delta(&self, epsilon: f64) -> Enclosure {
        if let Some(computed) = self.wide_profile(epsilon) {
            return within_profile_limits(computed, epsilon);
        }
        if !self.is_summable(epsilon) {
            let rho = half_square(Enclosure::point(f64::from(self.shift)), self.sigma);
            let bound =
                crate::notion::delta_from_renyi(|order| (Enclosure::point(order) * rho).hi(), epsilon);
            return within_profile_limits(Enclosure::new(0.0, bound), epsilon);
        }
        let first = self.first_above(epsilon);
        let computed = self.upper_sum(first, |x| {
            let gained = -(Enclosure::point(epsilon) - self.loss(x)).exp_m1();
            gained.max(Enclosure::ZERO)
        });
        within_profile_limits(computed, epsilon)
    }

    fn tail(&self, loss: f64) -> Enclosure {
        if let Some(computed) = self.wide_tail(loss) {
            return computed;
        }
        if !self.is_summable(loss) {
            // Chernoff: Pr[L > t] ≤ e^(−(t−ρ)²/4ρ) for t > ρ (claim D11).
            let rho = half_square(Enclosure::point(f64::from(self.shift)), self.sigma);
            let excess = (Enclosure::point(loss) - rho).max(Enclosure::ZERO);
            let bound = (-(excess.square() / (rho * Enclosure::point(4.0)))).exp();
            return Enclosure::new(0.0, bound.hi()).probability();
        }
        let computed = self.upper_sum(self.first_above(loss), |x| {
            let value = self.loss(x);
            Enclosure::new(f64::from(u8::from(value.lo() > loss)), f64::from(u8::from(value.hi() > loss)))
        });
        computed.probability()
    }

    /// Completing the square, D_α = αΔ²/2σ² + ln(Σ_x e^(−(x+(α−1)Δ)²/2σ²)/Z)/(α−1). The last sum is
    /// largest when (α−1)Δ is an integer, where it is Z: the upper end is αΔ²/2σ². It is smallest
    /// half-way between integers.
    fn renyi(&self, order: Alpha) -> Enclosure {
        let gaussian =
            Enclosure::point(order.get()) * half_square(Enclosure::point(f64::from(self.shift)), self.sigma);
        let below = Enclosure::point(order.get()) - Enclosure::ONE;
        let smallest = (theta(self.sigma, 0.5) / self.normaliser).ln() / below;
        Enclosure::new((gaussian + smallest).lo().clamp(0.0, gaussian.hi()), gaussian.hi())
    }

    fn max_loss(&self) -> f64 {
        f64::INFINITY
    }

    fn epsilon(&self, delta: Delta) -> Epsilon {
        // The continuous pair is close and gives the search its start.
        let near = GaussianPair::new(Mu::saturating(div_up(f64::from(self.shift), self.sigma.get())));
        let guess = near.epsilon(delta).get();
        let found = smallest_with_value_at_most(|epsilon| self.delta(epsilon).hi(), delta.get(), guess);
        Epsilon::saturating(found)
    }
}

#[cfg(test)]
mod tests {
    use super::super::laws::assert_laws;
    use super::*;

    fn pair(sigma: f64, shift: u32) -> DiscreteGaussianPair {
        DiscreteGaussianPair::new(Scale::new(sigma).unwrap(), shift).unwrap()
    }

    #[test]
    fn laws() {
        for (sigma, shift) in [(0.4, 1), (1.0, 1), (3.0, 2)] {
            let mu = f64::from(shift) / sigma;
            assert_laws(&pair(sigma, shift), mu.max(mu * mu));
        }
    }

    /// Direct sums over both tails in plain floats, with nothing in common with the code above.
    fn direct(sigma: f64, shift: f64, epsilon: f64) -> (f64, f64) {
        let (mut delta, mut tail, mut total) = (0.0, 0.0, 0.0);
        for k in -3000..3000 {
            let x = f64::from(k);
            let (p, q) = (
                (-x * x / (2.0 * sigma * sigma)).exp(),
                (-(x - shift).powi(2) / (2.0 * sigma * sigma)).exp(),
            );
            total += p;
            delta += (p - epsilon.exp() * q).max(0.0);
            if shift * (shift - 2.0 * x) / (2.0 * sigma * sigma) > epsilon {
                tail += p;
            }
        }
        (delta / total, tail / total)
    }

    #[test]
    fn agrees_with_direct_sums() {
        for (sigma, shift) in [(0.5, 1u32), (1.0, 1), (2.0, 3), (20.0, 1), (100.0, 7)] {
            for t in [-0.51, 0.0, 0.0201, 0.3, 1.01, 3.003] {
                let (delta, tail) = direct(sigma, f64::from(shift), t);
                let ours = pair(sigma, shift).delta(t);
                assert!(
                    (ours.hi() - delta).abs() <= 1e-12 * delta + 1e-15,
                    "σ {sigma} Δ {shift} δ({t}): {ours:?} {delta:e}"
                );
                let ours = pair(sigma, shift).tail(t);
                assert!(
                    ours.lo() <= tail * (1.0 + 1e-12) && ours.hi() >= tail * (1.0 - 1e-12),
                    "tail({t}): {ours:?} {tail:e}"
                );
            }
        }
    }

    #[test]
    fn integrals_enclose_the_sums() {
        for (sigma, shift) in
            [(1024.0, 1u32), (1500.5, 7), (2000.0, 3000), (1100.0, 2200), (1030.0, 9000), (3999.0, 1)]
        {
            let pair = pair(sigma, shift);
            let mu = f64::from(shift) / sigma;
            for u in [-8.0, -3.0, -1.0001, -0.4, 0.0, 0.3, 1.0, 2.5, 5.0, 9.0, 20.0] {
                let t = mu * (u + 0.3 / sigma) + mu * mu / 2.0; // off the lattice, where the tail jumps
                let (wide, first) = (pair.wide_profile(t), pair.first_above(t));
                let summed = pair.upper_sum(first, |x| {
                    (-(Enclosure::point(t) - pair.loss(x)).exp_m1()).max(Enclosure::ZERO)
                });
                let wide = wide.unwrap_or_else(|| panic!("σ {sigma} Δ {shift} u {u} is refused"));
                // Far to the left the profile is a mirror image, and the sum the wider of the two.
                let encloses = wide.lo() <= summed.lo() && summed.hi() <= wide.hi();
                let mirrored = u < -1.0 && wide.lo() <= summed.hi() && summed.lo() <= wide.hi();
                assert!(encloses || mirrored, "δ: {wide:?} {summed:?} at {u}");
                assert!(wide.relative_width() < 4.0 * (u * u + 2.0) / (sigma * sigma), "δ: {wide:?} at {u}");
                let indicator = |x: f64| Enclosure::point(f64::from(u8::from(pair.loss(x).lo() > t)));
                let (wide, summed) = (pair.wide_tail(t).unwrap(), pair.upper_sum(first, indicator));
                assert!(
                    wide.lo() <= summed.hi() && summed.lo() <= wide.hi(),
                    "tail: {wide:?} {summed:?} at {u}"
                );
                assert!(wide.relative_width() < 2.0 * (u * u + 2.0) / (sigma * sigma), "{wide:?} at {u}");
            }
        }
    }

    #[test]
    fn far_tails_and_large_scales_stay_sound() {
        let far = pair(1.0, 1).delta(37.0);
        assert!(far.hi() < 1e-280 && far.lo() > 0.0, "{far:?}");
        // The lattice vanishes at large scales.
        let mu = 1e-6;
        let (wide, continuous) =
            (pair(1e6, 1).delta(4.5 * mu), GaussianPair::new(Mu::new(mu).unwrap()).delta(4.5 * mu));
        assert!((wide.hi() / continuous.hi() - 1.0).abs() < 1e-6, "{wide:?} {continuous:?}");
        assert!(pair(1e300, 1).delta(0.1).hi() < 1e-10);
        // Where σ² is no float every loss looks like zero: no search may count integers one by one.
        for t in [-1.0, -1e-300, -1e-320, 0.0, 5e-324, 1e-320, 1e-12] {
            for sigma in [1e140, 4.27e162, 1e300] {
                let found = pair(sigma, 1);
                assert!(found.delta(t).hi() >= -t.exp_m1() && found.tail(t).hi() >= 0.0, "{t} {sigma}");
            }
        }
        assert!(pair(1e-3, 1).delta(10.0).hi() > 0.999);
        assert!(pair(1e-300, 1).delta(10.0).hi() == 1.0);
        let epsilon = pair(1e6, 1).epsilon(Delta::new(1e-6).unwrap()).get();
        assert!(epsilon < 1e-4, "{epsilon}");
    }

    #[test]
    fn divergences_of_integer_orders_are_those_of_the_continuous_gaussian() {
        for (sigma, shift, order) in [(0.5, 1u32, 3.0), (0.3, 1, 2.0), (2.0, 2, 5.0)] {
            let sum: f64 = (-200..200)
                .map(|k| {
                    let (x, s) = (f64::from(k), f64::from(shift));
                    (-(order * x * x - (order - 1.0) * (x - s).powi(2)) / (2.0 * sigma * sigma)).exp()
                })
                .sum();
            let total: f64 = (-200..200).map(|k| (-f64::from(k * k) / (2.0 * sigma * sigma)).exp()).sum();
            let truth = (sum / total).ln() / (order - 1.0);
            let ours = pair(sigma, shift).renyi(Alpha::new(order).unwrap());
            assert!((ours.hi() - truth).abs() < 1e-9 * truth && ours.lo() <= truth, "{ours:?} {truth}");
        }
    }

    #[test]
    fn the_least_sigma_meets_the_target_and_a_smaller_one_does_not() {
        for (epsilon, delta, shift) in
            [(1.0, 1e-6, 1), (0.5, 1e-3, 3), (4.0, 1e-9, 1), (20.0, 1e-5, 2), (1e-3, 1e-6, 1)]
        {
            let (target, at) = (Delta::new(delta).unwrap(), |sigma| pair(sigma, shift).delta(epsilon));
            let sigma =
                DiscreteGaussianPair::least_sigma(Epsilon::new(epsilon).unwrap(), target, shift).unwrap();
            assert!(at(sigma).hi() <= delta);
            // The integrals that replace the sums from 1024 on are known to a part in 10⁵.
            let less = sigma * if sigma < 1024.0 { 1.0 - 1e-9 } else { 1.0 - 1e-3 };
            assert!(at(less).lo() > delta, "ε {epsilon} δ {delta} Δ {shift}: {sigma}");
        }
        let least = |delta, shift| {
            DiscreteGaussianPair::least_sigma(Epsilon::ZERO, Delta::new(delta).unwrap(), shift)
        };
        assert_eq!(least(0.0, 1), Ok(f64::INFINITY));
        assert_eq!(least(1.0, 1), Ok(0.0));
        assert!(least(0.1, 0).is_err());
    }

    #[test]
    fn zero_shift_is_refused() {
        assert!(DiscreteGaussianPair::new(Scale::new(1.0).unwrap(), 0).is_err());
    }
}
