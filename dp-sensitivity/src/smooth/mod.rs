//! Noise in proportion to a smooth bound on the local sensitivity.
//!
//! What is released is round(f(x) + c·S(x)·Z), where S is a β-smooth bound
//! ([`LocalSensitivity::smooth`](crate::LocalSensitivity::smooth)), and β, c and the law of Z
//! follow from the guarantee alone. Between neighbours the answer moves by at most the smaller of
//! S(x), S(y), and the scale changes by a factor between e^−β and e^β: a law must hide both.
//!
//! | noise | guarantee | claim |
//! |---|---|---|
//! | [`SmoothStudentT`], Cauchy among them | [`Pure`](dp_core::Pure) | S10 |
//! | [`PolynomialTail`], 1/(1 + \|z\|^γ) | [`Pure`](dp_core::Pure) | S8 |
//! | [`PolyPlace`], Laplace within and a power beyond | [`Pure`](dp_core::Pure) | |
//! | [`SmoothLaplace`] | [`Approx`](dp_core::Approx) | S7 |
//! | [`SmoothGaussian`] | [`Approx`](dp_core::Approx) | S9 |
//! | [`LaplaceLogNormal`], X·e^(σY) | [`Zcdp`](dp_core::Zcdp) | S11 |
//! | [`UniformLogNormal`], X·e^(σY) | [`Zcdp`](dp_core::Zcdp) | S12 |
//! | [`ArsinhNormal`], sinh(σY)/σ | [`Zcdp`](dp_core::Zcdp) | S12 |
//!
//! Every noise has two calibrations. `printed` is the theorem of the literature, with its
//! constants. Everything else is *tight*: c is the smallest multiple, or close to it, for which the
//! exact divergence, over all shifts and all ratios that neighbours can have, meets the guarantee;
//! each file proves which shifts and ratios are the worst. [`SmoothNoise::gain`] says how much
//! noise that saves. [`Admissible`] judges a density as the literature does, shifts and ratios
//! apart.
//!
//! # Which one
//!
//! For pure ε start with [`PolyPlace`] (or [`SmoothStudentT`]), for (ε,δ) with [`SmoothLaplace`],
//! for zCDP with [`ArsinhNormal`]; a [comparison](crate::comparison) on public data of the same
//! kind shows which is best for a query. Under pure privacy no law with light tails can hide a
//! scale that depends on the data, so these laws fall like powers: the middle of their noise is
//! small, and one release in twenty is off by ten times as much or more. Two remedies:
//! - clamp what is released to what is possible, which is post-processing and costs nothing:
//!   `.map(|median| median.clamp(a, b))`;
//! - choose a lighter tail and a wider middle: more degrees, a larger γ (`with_degrees`,
//!   `with_gamma`), or (ε,δ) and zCDP, whose laws have all moments.
//!
//! ```
//! use dp_core::{Bounds, Measurement};
//! use dp_mechanisms::rng::OsSeeded;
//! use dp_sensitivity::Quantile;
//! use dp_sensitivity::smooth::{PolyPlace, Smoothly};
//!
//! let incomes: Vec<f64> = (0..1001).map(|i| 30_000.0 + 40.0 * f64::from(i)).collect();
//! let median = Quantile::median(Bounds::new(0.0, 1e6)?).smoothly(PolyPlace::epsilon(1.0)?)?;
//! let median = median.map(|income| income.clamp(0.0, 1e6));
//! println!("{:.0}", median.release(&incomes, &mut OsSeeded::new()?)?);
//! # Ok::<(), dp_mechanisms::Error>(())
//! ```
//!
//! # Two lemmas
//!
//! Let P have the density h, symmetric and falling on both sides of zero, and let Q be the same law
//! stretched by e^λ and shifted by s.
//!
//! **Shift.** Every divergence between P and Q rises with |s|. *Proof.* ∫ min(p, a·q) = ∫₀^∞ |{p >
//! u} ∩ {a·q > u}| du, where both sets are intervals, one about 0 and one about s. Their
//! intersection shrinks as |s| grows. So each hockey-stick divergence 1 − ∫ min(p, e^ε·q) rises,
//! and with them whatever is a mixture of them or a supremum: Rényi divergences, the largest loss.
//! ∎
//!
//! **Ratio.** If φ(e^v) is convex in v, where φ = −ln h, then the largest loss sup ln p/q and the
//! Rényi divergences D_α(P‖Q), α > 1, are convex in λ for a fixed s. *Proof.* −ln q(z) = λ + φ(|z −
//! s|·e^−λ) is convex in λ for each z. So is the loss, and its supremum; and ∫ p^α·q^(1−α) is a
//! mixture of log-convex functions of λ, hence log-convex. ∎ So on an interval of ratios the ends
//! are the worst, for a fixed shift in units of P.
//!
//! Both directions, P‖Q and Q‖P, are covered when all |λ| ≤ β and all shifts up to S(x) are: seen
//! in units of Q, P is stretched by e^−λ and shifted by at most S(y).
//!
//! # How β and the shape are chosen
//!
//! A larger β makes S(x) smaller and c larger. S(x) is private, so the choice cannot depend on it.
//! For medians and other order statistics S grows like 1/β, and what is minimised is c/β times the
//! magnitude that Z passes one time in ten. Every noise also takes a β of your choice.
//!
//! # A query of your own
//!
//! ```
//! use dp_core::Measurement;
//! use dp_core::{AddRemove, Error, Finite, L1, Query, Sensitivity, SensitivityIn};
//! use dp_mechanisms::rng::OsSeeded;
//! use dp_sensitivity::LocalSensitivity;
//! use dp_sensitivity::smooth::{Smoothly, SmoothStudentT};
//!
//! /// How many records there are, up to a hundred.
//! struct Capped;
//!
//! impl Query for Capped {
//!     type Data = [u64];
//!     type Answer = Finite;
//!     type Adjacency = AddRemove;
//!     fn answer(&self, data: &[u64]) -> Result<Finite, Error> {
//!         Ok(Finite::count(data.len().min(100)))
//!     }
//! }
//!
//! impl SensitivityIn<L1> for Capped {
//!     fn sensitivity(&self) -> Sensitivity<L1, AddRemove> {
//!         Sensitivity::new(1.0).expect("one is a sensitivity")
//!     }
//! }
//!
//! /// Beyond a hundred nothing changes any more.
//! impl LocalSensitivity for Capped {
//!     fn local_at_distance(&self, data: &[u64], distance: u64) -> Result<f64, Error> {
//!         Ok(if data.len() as u64 > 100 + distance { 0.0 } else { 1.0 })
//!     }
//! }
//!
//! let measurement = Capped.smoothly(SmoothStudentT::epsilon(1.0)?)?;
//! assert_eq!(measurement.guarantee(), dp_core::Pure::new(1.0)?);
//! let released = measurement.release(&[7; 1000], &mut OsSeeded::new().expect("the system has randomness"))?;
//! assert!(released.is_finite());
//! # Ok::<(), Error>(())
//! ```

mod admissible;
mod arsinh_normal;
mod calibrated;
mod choice;
mod concentrated;
mod error_bar;
mod gaussian;
mod hockey_stick;
mod laplace;
mod laplace_log_normal;
mod log_density;
mod log_normal;
mod poly_place;
mod polynomial_tail;
mod release;
mod student_t;
mod tails;
mod uniform_log_normal;

pub use admissible::Admissible;
pub use arsinh_normal::ArsinhNormal;
pub use calibrated::{Calibration, SmoothNoise};
pub use error_bar::{ErrorBar, LogScale};
pub use gaussian::SmoothGaussian;
pub use laplace::{SmoothLaplace, StandardLaplace};
pub use laplace_log_normal::LaplaceLogNormal;
pub use log_density::LogDensity;
pub use log_normal::LogNormal;
pub use poly_place::PolyPlace;
pub use polynomial_tail::PolynomialTail;
pub use release::{Smooth, Smoothly};
pub use student_t::SmoothStudentT;
pub use tails::SmoothTail;
pub use uniform_log_normal::UniformLogNormal;

/// What the verifier asks of the laws.
#[cfg(any(test, feature = "internals"))]
pub mod inspect {
    use dp_core::rounding::Enclosure;

    use super::{LogDensity, gaussian, hockey_stick, laplace, log_density};

    pub use super::log_normal::is_concentrated;

    /// Encloses δ(ε) of Gaussian noise that is shifted and stretched by e^λ.
    #[must_use]
    pub fn gaussian_profile(epsilon: Enclosure, shift: Enclosure, lambda: f64) -> Enclosure {
        gaussian::profile(epsilon, shift, lambda)
    }

    /// Encloses δ(ε) of Laplace noise that is shifted and stretched by e^λ.
    #[must_use]
    pub fn laplace_profile(epsilon: Enclosure, shift: Enclosure, lambda: f64) -> Enclosure {
        laplace::profile(epsilon, shift, lambda)
    }

    /// Whether a profile surely stays within δ for all neighbours: shifts up to `shift` and ratios
    /// within e^±β.
    #[must_use]
    pub fn profile_holds(
        profile: fn(Enclosure, Enclosure, f64) -> Enclosure,
        epsilon: f64,
        delta: f64,
        beta: f64,
        shift: Enclosure,
        pieces: u32,
    ) -> bool {
        hockey_stick::holds(profile, epsilon, delta, beta, shift, pieces)
    }

    /// Whether ln p/q surely stays within ε, for q stretched by e^λ and shifted.
    #[must_use]
    pub fn loses_at_most(
        law: &impl LogDensity,
        epsilon: Enclosure,
        shift: Enclosure,
        lambda: Enclosure,
        cells: u32,
    ) -> bool {
        log_density::loses_at_most(law, epsilon, shift, lambda, cells)
    }
}

#[cfg(test)]
mod branch_and_bound;
#[cfg(test)]
mod tests;
