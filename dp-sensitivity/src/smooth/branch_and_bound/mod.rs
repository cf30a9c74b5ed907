//! An independent proof that arsinh-normal noise is concentrated, for all ρ up to 10⁻² at once.
//!
//! `concentrated` bounds divergences for one ρ, by the largest loss in each of many cells. This
//! proof has another form of the divergence and another quadrature, covers all ρ between two ends
//! together with all neighbours and all orders, and shares no code with that file. What both rest
//! on are the two lemmas of [the module](super) and the convexity of K.
//!
//! # Statement
//! Let κ = √(2ρ). For fixed σ, b and g, noise with β = bκ and c = 1/(gκ) is ρ-zCDP for all κ₁ ≤ κ ≤
//! κ₂; and for all κ ≤ κ₁, where κ₁ is small.
//!
//! # Branch and bound
//! The neighbours for κ ≤ h are among those for h: |λ| ≤ bh, and shifts s ≤ gh·min(1, e^λ). So all
//! κ from l to h with p ≤ λ ≤ q are settled when D_α ≤ ½l²·α for all α > 1 at λ = p and λ = q with
//! s = gh·min(1, e^q), by the lemmas on shifts and ratios. Where that is not shown, the range of λ
//! is halved, which makes the shift smaller; and where that helps no more, the range of κ is. How
//! one corner is settled for all orders is in [`corner`]. As κ falls to zero, loss/κ has a limit,
//! and one corner settles all κ ≤ h.

mod corner;
mod jet;

use dp_core::rounding::Enclosure;

use super::{ArsinhNormal, SmoothNoise};
use corner::Corner;

fn point(value: f64) -> Enclosure {
    Enclosure::point(value)
}

/// Noise of a shape, with β = b·κ and c = 1/(g·κ).
#[derive(Clone, Copy)]
struct Noise {
    sigma: f64,
    b: f64,
    g: f64,
}

impl Noise {
    /// Noise of scale c = C/κ on a bound with β = bκ.
    fn new(sigma: f64, b: f64, multiple: f64) -> Self {
        Self { sigma, b, g: (Enclosure::ONE / point(multiple)).hi() }
    }

    /// Whether ρ-zCDP surely holds for all 0 < ρ ≤ ½h².
    fn is_concentrated_below(self, high: f64) -> bool {
        let [lambda, shift] = [self.b, self.g].map(|share| (point(share) * point(high)).hi());
        let half = point(0.5);
        [-lambda, lambda]
            .into_iter()
            .all(|lambda| Corner::below(self.sigma, lambda, shift, high).is_within(half))
    }

    /// Whether ρ-zCDP surely holds for all ½l² ≤ ρ ≤ ½h². The range is halved until h/l is below
    /// `finest`.
    fn is_concentrated(self, low: f64, high: f64, finest: f64) -> bool {
        self.is_settled(low, high) || {
            let middle = (low * high).sqrt();
            high / low > finest
                && self.is_concentrated(middle, high, finest)
                && self.is_concentrated(low, middle, finest)
        }
    }

    /// Whether the neighbours of h surely have ½l²-zCDP.
    fn is_settled(self, low: f64, high: f64) -> bool {
        let reach = (point(self.b) * point(high)).hi();
        let budget = point(0.5) * (point(low) / point(high)).square();
        let mut waiting = vec![(0.0, reach), (-reach, 0.0)];
        while let Some((left, right)) = waiting.pop() {
            let shift = (point(self.g) * point(high) * point(right).exp().min(Enclosure::ONE)).hi();
            let settled = [left, right]
                .into_iter()
                .all(|lambda| Corner::at(self.sigma, lambda, shift, high).is_within(budget));
            if settled {
                continue;
            }
            // Half of this range of λ would change the shift by less than half of the range of κ
            // does.
            if right > 0.0 || right - left < 2.0 * (high / low).ln() + 1e-3 {
                return false;
            }
            let middle = left + 0.5 * (right - left);
            waiting.extend([(middle, right), (left, middle)]);
        }
        true
    }
}

/// From which κ to which, and a C for which noise of scale C/κ is shown to be enough there: just
/// below what the library takes with σ = 1.
const BANDS: [(f64, f64, f64); 5] = [
    (0.02, 0.0448, 1.226),
    (0.0448, 0.06, 1.207),
    (0.06, 0.08, 1.193),
    (0.08, 0.107, 1.18),
    (0.107, 0.1415, 1.167),
];
/// The same for all κ up to this one.
const BELOW: (f64, f64) = (0.02, 1.25);
/// β/κ: more than the library's 0.65 by enough to cover its margin, 10⁻⁶·κ ≥ 2⁻⁴⁹ for ρ ≥
/// 10⁻⁶.
const B: f64 = 0.650_001;
/// How close the ends of a range of κ come in the end.
const FINEST: f64 = 1.003;

/// Whether the noise that the library takes for this ρ is some that was shown to be enough.
fn assert_covered(rho: f64) {
    let (noise, kappa) = (ArsinhNormal::rho(rho).unwrap(), (2.0 * rho).sqrt());
    let band = BANDS.iter().find(|band| (band.0..=band.1).contains(&kappa));
    let enough = band.map_or(BELOW.1, |band| band.2);
    assert!(kappa <= BELOW.0 || band.is_some(), "no band holds {kappa}");
    assert_eq!(noise.sigma(), 1.0);
    assert!(noise.smoothness().get() + 2f64.powi(-49) <= B * kappa, "{rho}");
    let found = noise.multiple().get() * kappa;
    assert!(found * (1.0 - 1e-12) >= enough, "ρ = {rho}: {found} is not shown to be enough, {enough} is");
}

#[test]
fn small_rho_is_concentrated() {
    assert!(Noise::new(1.0, B, BELOW.1).is_concentrated_below(BELOW.0));
    let (low, high, multiple) = BANDS[4];
    assert!(Noise::new(1.0, B, multiple).is_concentrated(low, high, FINEST));
    for rho in [1e-5, 1e-3, 1e-2] {
        assert_covered(rho);
    }
}

/// The bands leave no gap, and hold for all of ρ ≤ 10⁻².
#[test]
#[ignore = "half a minute: the default one takes the first and the last band"]
fn all_small_rho_are_concentrated() {
    assert!(BANDS[0].0 <= BELOW.0 && BANDS[4].1 >= 0.02f64.sqrt());
    assert!(BANDS.windows(2).all(|pair| pair[1].0 <= pair[0].1));
    for (low, high, multiple) in BANDS {
        assert!(Noise::new(1.0, B, multiple).is_concentrated(low, high, FINEST), "{low}");
    }
    for k in 0..=32 {
        assert_covered(10f64.powf(-6.0 + f64::from(k) / 8.0).min(1e-2));
    }
}

#[test]
fn other_shapes_are_concentrated() {
    for (sigma, rho, share) in [(0.3, 1e-4, 0.65), (2.0, 1e-3, 0.65), (1.0, 5e-3, 0.3)] {
        let (kappa, b) = (f64::sqrt(2.0 * rho), share * sigma);
        let noise = ArsinhNormal::with_beta(rho, sigma, b * kappa).unwrap();
        let multiple = noise.multiple().get() * kappa * (1.0 - 1e-12);
        assert!(
            Noise::new(sigma, b * 1.000_001, multiple).is_settled(kappa * (1.0 - 1e-9), kappa),
            "{sigma}"
        );
    }
}

/// Six percent less noise than needed is not shown to be enough, near zero and at 10⁻².
#[test]
fn less_noise_is_not_shown_to_be_enough() {
    assert!(!Noise::new(1.0, B, 1.08).is_concentrated_below(1e-4));
    assert!(!Noise::new(1.0, B, 1.06).is_settled(0.1414, 0.14142));
}
