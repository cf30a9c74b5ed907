//! Floats on disk, to the last bit.
//!
//! A guarantee must not shrink by being written and read again. Readers of JSON disagree on the
//! last digit of long numbers, so a number is written as one only if every reader gets it right: up
//! to fifteen digits and a power of ten up to 22, which is one exact product or quotient of floats.
//! Others are written as text in their shortest form, which `f64::from_str` reads back exactly, and
//! so is infinity, which JSON has no number for.

use alloc::format;
use core::fmt;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

const INFINITY: &str = "infinity";

/// A float that is read back exactly as it was written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Exact(pub(crate) f64);

impl Serialize for Exact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = self.0;
        if !serializer.is_human_readable() || is_short(value) {
            serializer.serialize_f64(value)
        } else if value == f64::INFINITY {
            serializer.serialize_str(INFINITY)
        } else {
            serializer.serialize_str(&format!("{value:e}"))
        }
    }
}

impl<'de> Deserialize<'de> for Exact {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = if deserializer.is_human_readable() {
            deserializer.deserialize_any(NumberOrText)?
        } else {
            f64::deserialize(deserializer)?
        };
        Ok(Self(value))
    }
}

/// Whether the shortest decimal form has at most fifteen digits and a small exponent.
fn is_short(value: f64) -> bool {
    let text = format!("{value:e}");
    let Some((digits, exponent)) = text.split_once('e') else { return false };
    let places = digits.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    // value = (digits without the point) · 10^(exponent − places)
    let power = exponent.parse::<i32>().ok().zip(i32::try_from(places).ok()).map(|(e, p)| e - p);
    digits.chars().filter(char::is_ascii_digit).count() <= 15 && power.is_some_and(|power| power.abs() <= 22)
}

struct NumberOrText;

impl Visitor<'_> for NumberOrText {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a number such as 0.5 (with a point), the same as text, or the word {INFINITY:?}")
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<f64, E> {
        Ok(value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<f64, E> {
        #[allow(clippy::cast_precision_loss)] // refused where it would round
        if value <= 1 << 53 {
            Ok(value as f64)
        } else {
            Err(E::invalid_value(Unexpected::Unsigned(value), &self))
        }
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<f64, E> {
        #[allow(clippy::cast_precision_loss)] // as above
        if value.unsigned_abs() <= 1 << 53 {
            Ok(value as f64)
        } else {
            Err(E::invalid_value(Unexpected::Signed(value), &self))
        }
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<f64, E> {
        if text == INFINITY {
            return Ok(f64::INFINITY);
        }
        // Text that is read as 0 and is not, "1e-400" say, would lower what was spent.
        let digits = text.split(['e', 'E']).next().unwrap_or(text);
        let is_zero = !digits.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
        let kept = |value: &f64| value.is_finite() && (*value != 0.0 || is_zero);
        text.parse().ok().filter(kept).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn every_number_survives(value in prop_oneof![any::<f64>(), 0.0..10.0f64, (0u32..1000).prop_map(|n| f64::from(n) / 1000.0)]) {
            if value.is_finite() {
                let text = serde_json::to_string(&Exact(value)).unwrap();
                prop_assert_eq!(serde_json::from_str::<Exact>(&text).unwrap().0.to_bits(), value.to_bits(), "{}", text);
            }
        }
    }

    #[test]
    fn short_numbers_stay_numbers_and_long_ones_become_text() {
        let written = |value: f64| serde_json::to_string(&Exact(value)).unwrap();
        assert_eq!([0.5, 1e-6, 3.0, 0.0].map(written), ["0.5", "1e-6", "3.0", "0.0"]);
        assert_eq!(written(1.889_498_858_277_455e-11), "\"1.889498858277455e-11\"");
        assert_eq!(written(f64::INFINITY), "\"infinity\"");
        assert_eq!(serde_json::from_str::<Exact>("7").unwrap().0, 7.0);
        for bad in ["9007199254740993", "\"inf\"", "\"nan\"", "\"one\"", "null", "\"1e999\"", "\"1e-400\""] {
            assert!(serde_json::from_str::<Exact>(bad).is_err(), "{bad}");
        }
    }
}
