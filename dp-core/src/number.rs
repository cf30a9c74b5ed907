//! Checked numbers: a value of one of these types has been looked at once and needs no second look.
//!
//! `new` takes what a person types: it refuses `NaN`, infinities and whatever lies outside of the
//! range, and names the argument. `saturating` takes what a bound computed: it moves to the next
//! valid value *on the safe side*, so that an overflow or a `NaN` becomes "no guarantee" and never
//! a small number.
//!
//! ```
//! use dp_core::{Delta, Epsilon};
//!
//! assert_eq!(Epsilon::new(0.5)?.to_string(), "0.5");
//! assert_eq!(Delta::new(1e-6)?.to_string(), "1e-6");
//! assert!(Epsilon::new(-1.0).is_err() && Epsilon::new(f64::NAN).is_err());
//! assert!(Epsilon::saturating(f64::NAN).is_infinite()); // a bound that got lost bounds nothing
//! # Ok::<(), dp_core::Error>(())
//! ```

use core::fmt;

use crate::Error;

macro_rules! checked_number {
    (
        $(#[$doc:meta])*
        $name:ident: $argument:literal in $allowed:literal, accepts $accepts:expr, saturates $saturate:expr
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
        pub struct $name(f64);

        impl $name {
            #[doc = concat!("Checks that `value` lies in ", $allowed, ".")]
            ///
            /// # Errors
            #[doc = concat!("[`Error::OutOfRange`] when it does not, or is `NaN`.")]
            pub fn new(value: f64) -> Result<Self, Error> {
                let accepts: fn(f64) -> bool = $accepts;
                if accepts(value) {
                    Ok(Self(value + 0.0)) // turns −0 into 0
                } else {
                    Err(Error::OutOfRange { argument: $argument, allowed: $allowed, found: value })
                }
            }

            /// The nearest valid value that is not on the unsafe side of a computed bound.
            #[must_use]
            pub fn saturating(bound: f64) -> Self {
                let saturate: fn(f64) -> f64 = $saturate;
                Self(saturate(bound))
            }

            /// The number itself.
            #[must_use]
            pub const fn get(self) -> f64 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write_number(self.0, f)
            }
        }

        impl TryFrom<f64> for $name {
            type Error = Error;
            fn try_from(value: f64) -> Result<Self, Error> {
                Self::new(value)
            }
        }

        #[cfg(feature = "serde")]
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                crate::serde_number::Exact(self.0).serialize(serializer)
            }
        }

        #[cfg(feature = "serde")]
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let value = crate::serde_number::Exact::deserialize(deserializer)?.0;
                // What a computation may produce, a file may hold: an infinite ε is honest, a
                // negative one is not.
                if Self::saturating(value).0 == value { Ok(Self(value + 0.0)) } else { Self::new(value).map_err(serde::de::Error::custom) }
            }
        }
    };
}

/// For bounds in [0, ∞]: negative means zero, lost means infinite.
fn non_negative(bound: f64) -> f64 {
    if bound.is_nan() { f64::INFINITY } else { bound.max(0.0) + 0.0 }
}

fn is_finite_non_negative(value: f64) -> bool {
    (0.0..f64::INFINITY).contains(&value)
}

checked_number! {
    /// A privacy loss in nats: the ε of (ε,δ)-differential privacy.
    ///
    /// A computed ε may be infinite, which means that nothing is guaranteed.
    Epsilon: "epsilon" in "[0, ∞)", accepts is_finite_non_negative, saturates non_negative
}

checked_number! {
    /// The probability δ with which a guarantee in ε may fail. A computed δ of 1 guarantees
    /// nothing.
    Delta: "delta" in "[0, 1]", accepts |value| (0.0..=1.0).contains(&value),
    saturates |bound| if bound.is_nan() { 1.0 } else { bound.clamp(0.0, 1.0) }
}

checked_number! {
    /// The slope ρ of zero-concentrated differential privacy: D_α ≤ ξ + ρα. A computed ρ may be
    /// infinite.
    Rho: "rho" in "[0, ∞)", accepts is_finite_non_negative, saturates non_negative
}

checked_number! {
    /// The parameter μ of Gaussian differential privacy: no easier to tell apart than N(0,1) and
    /// N(μ,1). A computed μ may be infinite.
    Mu: "mu" in "[0, ∞)", accepts is_finite_non_negative, saturates non_negative
}

checked_number! {
    /// The order α of a Rényi divergence, strictly between 1 (Kullback–Leibler) and ∞
    /// (the largest loss).
    ///
    /// Rényi divergences grow with their order, so the safe side is up.
    Alpha: "alpha" in "(1, ∞)", accepts |value| value > 1.0 && value.is_finite(),
    saturates |bound| if bound.is_nan() { f64::MAX } else { bound.clamp(1.0f64.next_up(), f64::MAX) }
}

checked_number! {
    /// The scale of a noise distribution. More noise is the safe side.
    Scale: "scale" in "(0, ∞)", accepts |value| value > 0.0 && value.is_finite(),
    saturates |bound| if bound.is_nan() { f64::MAX } else { bound.clamp(f64::from_bits(1), f64::MAX) }
}

impl Epsilon {
    /// ε = 0: no loss at all.
    pub const ZERO: Self = Self(0.0);
    /// ε = ∞: no guarantee at all.
    pub const INFINITE: Self = Self(f64::INFINITY);

    /// Whether nothing is guaranteed.
    #[must_use]
    pub const fn is_infinite(self) -> bool {
        self.0 == f64::INFINITY
    }
}

impl Delta {
    /// δ = 0: the guarantee never fails.
    pub const ZERO: Self = Self(0.0);
    /// δ = 1: the guarantee says nothing.
    pub const ONE: Self = Self(1.0);
}

impl Rho {
    /// ρ = 0: no divergence at all.
    pub const ZERO: Self = Self(0.0);
}

impl Mu {
    /// μ = 0: neighbours cannot be distinguished.
    pub const ZERO: Self = Self(0.0);
}

/// Writes a number as people do: 0.5, 1e-6, ∞.
pub(crate) fn write_number(value: f64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let magnitude = value.abs();
    if magnitude == f64::INFINITY {
        f.write_str(if value > 0.0 { "∞" } else { "-∞" })
    } else if magnitude != 0.0 && !(1e-4..1e9).contains(&magnitude) {
        fmt::LowerExp::fmt(&value, f)
    } else {
        fmt::Display::fmt(&value, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn constructors_refuse_what_makes_no_sense() {
        for bad in [f64::NAN, -1.0, f64::INFINITY, f64::NEG_INFINITY, -f64::MIN_POSITIVE] {
            assert!(Epsilon::new(bad).is_err() && Rho::new(bad).is_err() && Mu::new(bad).is_err(), "{bad}");
            assert!(
                Delta::new(bad).is_err() && Scale::new(bad).is_err() && Alpha::new(bad).is_err(),
                "{bad}"
            );
        }
        assert!(
            Alpha::new(1.0).is_err() && Scale::new(0.0).is_err() && Delta::new(1.0f64.next_up()).is_err()
        );
        assert!(Epsilon::new(0.0).is_ok() && Delta::new(1.0).is_ok() && Delta::new(0.0).is_ok());
    }

    #[test]
    fn the_error_names_the_argument_and_the_range() {
        assert_eq!(
            Delta::new(2.0).unwrap_err().to_string(),
            "delta must lie in [0, 1], but 2 was passed: pass a number from that range"
        );
    }

    #[test]
    fn numbers_print_as_people_write_them() {
        let printed =
            [0.0, 0.5, 1.0, 1e-6, 2.5e-10, 123_456.0, 1e12, f64::INFINITY].map(|x| Epsilon(x).to_string());
        assert_eq!(printed, ["0", "0.5", "1", "1e-6", "2.5e-10", "123456", "1e12", "∞"]);
    }

    #[test]
    fn saturation_is_on_the_safe_side() {
        assert_eq!(Epsilon::saturating(f64::NAN), Epsilon::INFINITE);
        assert_eq!(Epsilon::saturating(-0.1), Epsilon::ZERO);
        assert_eq!(Delta::saturating(f64::NAN), Delta::ONE);
        assert_eq!(Delta::saturating(7.0), Delta::ONE);
        assert_eq!(Scale::saturating(f64::NAN).get(), f64::MAX);
        assert!(Alpha::saturating(0.5).get() > 1.0);
    }

    #[cfg(feature = "serde")]
    #[test]
    fn reading_validates_as_the_constructors_do() {
        assert_eq!(serde_json::from_str::<Epsilon>("0.5").unwrap(), Epsilon(0.5));
        assert_eq!(serde_json::from_str::<Epsilon>("1").unwrap(), Epsilon(1.0));
        assert_eq!(serde_json::to_string(&Epsilon::INFINITE).unwrap(), "\"infinity\"");
        assert_eq!(serde_json::from_str::<Epsilon>("\"infinity\"").unwrap(), Epsilon::INFINITE);
        assert_eq!(serde_json::from_str::<Epsilon>("-0.0").unwrap().to_string(), "0");
        for bad in ["-1", "null", "\"NaN\"", "\"-infinity\"", "[]"] {
            assert!(serde_json::from_str::<Epsilon>(bad).is_err(), "{bad}");
        }
        assert!(
            serde_json::from_str::<Delta>("1.5").is_err()
                && serde_json::from_str::<Delta>("\"infinity\"").is_err()
        );
        assert!(serde_json::from_str::<Scale>("0").is_err() && serde_json::from_str::<Alpha>("1").is_err());
        let message = serde_json::from_str::<Epsilon>("-1").unwrap_err().to_string();
        assert!(message.starts_with("epsilon must lie in [0, ∞), but -1 was passed"), "{message}");
    }
}
