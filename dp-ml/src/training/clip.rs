//! Per-example clipping.

use dp_core::Error;

use crate::arguments::check;

/// How the gradient g of each record is clipped. Each kind bounds the ℓ2 norm of what a record
/// contributes by C, which is [`norm`](Self::norm).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Clip {
    /// Flat clipping, g·min(1, C/‖g‖) (Abadi et al. 2016).
    Flat {
        /// The clipping norm C.
        norm: f64,
    },
    /// Per-layer clipping: each of L layers is clipped to C/√L by itself, and the squares add up to
    /// C².
    PerLayer {
        /// The clipping norm C.
        norm: f64,
    },
    /// Automatic clipping, g·C/(‖g‖ + γ): nearly all gradients get the norm C (Bu et al. 2022).
    Normalised {
        /// The clipping norm C.
        norm: f64,
        /// γ > 0, so that small gradients stay small.
        stability: f64,
    },
}

/// Weights are below the exact quotient by this factor, 1 − 2⁻²⁰. It covers the errors of the norm
/// (2⁻³⁰), of the weight as an `f32` (2⁻²⁴), of the weighted factors (2⁻²¹ by the contract of a
/// model) and of their underflow. A weight that is too small for a normal float is zero.
const BELOW: f64 = 1.0 - 1.0 / 1_048_576.0;
/// A norm is certainly below C if this multiple of the computed norm is.
const SURELY: f64 = 1.0 + 1.0 / 536_870_912.0;

impl Clip {
    /// The bound C.
    #[must_use]
    pub const fn norm(self) -> f64 {
        match self {
            Self::Flat { norm } | Self::PerLayer { norm } | Self::Normalised { norm, .. } => norm,
        }
    }

    /// # Errors
    /// [`Error::OutOfRange`] unless C lies in [10⁻⁶, 10⁶], where floats of single precision neither
    /// overflow nor underflow, and γ too.
    pub(crate) fn checked(self) -> Result<Self, Error> {
        check("the clipping norm", "[1e-6, 1e6]", self.norm(), (1e-6..=1e6).contains(&self.norm()))?;
        if let Self::Normalised { stability, .. } = self {
            check("stability", "[1e-6, 1e6]", stability, (1e-6..=1e6).contains(&stability))?;
        }
        Ok(self)
    }

    /// Writes the weight of each layer of each record, given the squared norms of their gradients.
    /// A record with a norm that is not finite gets weight zero.
    ///
    /// # Contract
    /// Σ_l w_l²·‖g_l‖²·(1 + 2⁻²¹)² ≤ C² for each record, for all true norms within 2⁻³⁰ of the
    /// given ones.
    pub(crate) fn weigh(self, layers: usize, square_norms: &[f64], weights: &mut [f32]) {
        let records = square_norms.chunks_exact(layers).zip(weights.chunks_exact_mut(layers));
        for (squares, weights) in records {
            let total: f64 = squares.iter().sum();
            if !total.is_finite() {
                weights.fill(0.0);
                continue;
            }
            match self {
                Self::Flat { norm } => weights.fill(below(norm, libm::sqrt(total))),
                Self::PerLayer { norm } => {
                    #[allow(clippy::cast_precision_loss, reason = "a number of layers")]
                    let share = norm / libm::sqrt(layers as f64);
                    for (weight, square) in weights.iter_mut().zip(squares) {
                        *weight = below(share, libm::sqrt(*square));
                    }
                }
                Self::Normalised { norm, stability } => {
                    weights.fill(quotient(norm, libm::sqrt(total) + stability));
                }
            }
        }
    }
}

/// min(1, C/‖g‖), rounded down by [`BELOW`].
fn below(norm: f64, of: f64) -> f32 {
    // The weight 1 leaves factors as they are; only the norm's own error matters, and √ of it is
    // half.
    if of * SURELY <= norm * BELOW { 1.0 } else { quotient(norm, of).min(1.0) }
}

#[allow(clippy::cast_possible_truncation, reason = "rounded to single precision, which BELOW covers")]
fn quotient(norm: f64, of: f64) -> f32 {
    let weight = (norm / of * BELOW) as f32;
    // A subnormal float may be twice the quotient.
    if weight < f32::MIN_POSITIVE { 0.0 } else { weight }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// √Σ w²·g², in doubles.
    fn length(squares: &[f64], weights: &[f32]) -> f64 {
        let sum: f64 = squares.iter().zip(weights).map(|(s, w)| s * f64::from(*w) * f64::from(*w)).sum();
        sum.sqrt()
    }

    proptest! {
        #[test]
        fn no_record_passes_the_bound(
            squares in proptest::collection::vec(prop_oneof![Just(0.0), 1e-30..1e30f64, 0.9..1.1f64, (60.0..120.0f64).prop_map(|e| 10f64.powf(e))], 3),
            norm in prop_oneof![Just(1.0), 1e-6..1e6f64], stability in 1e-3..1.0f64,
        ) {
            for clip in [Clip::Flat { norm }, Clip::PerLayer { norm }, Clip::Normalised { norm, stability }] {
                let mut weights = [9.0; 3];
                clip.weigh(3, &squares, &mut weights);
                let found = length(&squares, &weights);
                // 2⁻²¹ for the factors and 2⁻³⁰ for the norm.
                prop_assert!(found * (1.0 + 4.9e-7) <= norm, "{clip:?} {found}");
                // And little is lost where gradients are long.
                let long = squares.iter().all(|s| s.sqrt() > norm && s.sqrt() < norm * 1e36);
                if long && !matches!(clip, Clip::Normalised { .. }) {
                    prop_assert!(found >= norm * (1.0 - 2e-6), "{clip:?} {found}");
                }
            }
        }
    }

    #[test]
    fn short_gradients_stay_and_broken_ones_vanish() {
        let clip = Clip::Flat { norm: 2.0 };
        let mut weights = [9.0; 6];
        clip.weigh(2, &[1.0, 2.0, f64::NAN, 1.0, 1.0, f64::INFINITY], &mut weights);
        assert_eq!(weights, [1.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn bounds_are_checked() {
        for norm in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e7] {
            assert!(Clip::Flat { norm }.checked().is_err());
        }
        assert!(Clip::Normalised { norm: 1.0, stability: 0.0 }.checked().is_err());
        assert!(Clip::PerLayer { norm: 1.0 }.checked().is_ok());
    }
}
