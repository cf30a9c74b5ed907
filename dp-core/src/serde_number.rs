//! Floats on disk. JSON has no infinity, and an honest ε may be infinite: it is written as the word.

use core::fmt;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serializer};

const INFINITY: &str = "infinity";

pub(crate) fn serialize<S: Serializer>(value: f64, serializer: S) -> Result<S::Ok, S::Error> {
    if value == f64::INFINITY && serializer.is_human_readable() {
        serializer.serialize_str(INFINITY)
    } else {
        serializer.serialize_f64(value)
    }
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    if deserializer.is_human_readable() {
        deserializer.deserialize_any(NumberOrInfinity)
    } else {
        f64::deserialize(deserializer)
    }
}

struct NumberOrInfinity;

impl Visitor<'_> for NumberOrInfinity {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a number or the word {INFINITY:?}")
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<f64, E> {
        Ok(value)
    }

    #[allow(clippy::cast_precision_loss)] // integers up to 2⁵³ are exact, and larger ones no privacy number needs
    fn visit_u64<E: Error>(self, value: u64) -> Result<f64, E> {
        Ok(value as f64)
    }

    #[allow(clippy::cast_precision_loss)] // as above
    fn visit_i64<E: Error>(self, value: i64) -> Result<f64, E> {
        Ok(value as f64)
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<f64, E> {
        if word == INFINITY { Ok(f64::INFINITY) } else { Err(E::invalid_value(Unexpected::Str(word), &self)) }
    }
}
