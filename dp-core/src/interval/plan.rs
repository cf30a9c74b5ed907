//! What a release will be like, before anything is spent.

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;

use super::{Confidence, ErrorBound};
use crate::Error;
use crate::notion::Guarantee;

/// Noise, error and price of a release, made from public facts before anything is spent.
///
/// It prints as a sentence. Made by [`Noisy::plan`](crate::measurement::Noisy::plan), or by
/// [`new`](Self::new) for any noise and price.
#[derive(Clone, Debug, PartialEq)]
pub struct ReleasePlan<G> {
    noise: String,
    error: f64,
    count: usize,
    confidence: Confidence,
    price: G,
}

impl<G: Guarantee> ReleasePlan<G> {
    /// The plan of releasing `count` numbers, or candidates or questions, whatever the noise
    /// [counts](ErrorBound), for a price.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < confidence < 1 and the count is one that the noise takes.
    pub fn new(
        noise: &(impl ErrorBound + fmt::Display),
        count: usize,
        confidence: f64,
        price: G,
    ) -> Result<Self, Error> {
        let confidence = Confidence::new(confidence)?;
        let error = noise.error_bound_of(count, confidence.beta())?;
        Ok(Self { noise: noise.to_string(), error, count, confidence, price })
    }

    /// The noise, in words.
    #[must_use]
    pub fn noise(&self) -> &str {
        &self.noise
    }

    /// A bound on all errors, at the confidence of the plan: half the width of the interval of a
    /// release.
    #[must_use]
    pub const fn error(&self) -> f64 {
        self.error
    }

    /// The confidence of the bound on the errors.
    #[must_use]
    pub const fn confidence(&self) -> Confidence {
        self.confidence
    }

    /// What the release will cost.
    #[must_use]
    pub const fn price(&self) -> &G {
        &self.price
    }
}

impl<G: Guarantee> fmt::Display for ReleasePlan<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { noise, error, count, confidence, price } = self;
        let off = Short(*error);
        let what = if *count == 1 { "off by at most" } else { "all off by at most" };
        write!(f, "{noise}: {what} {off} (confidence {confidence}), at a price of {price}")
    }
}

/// Three digits, rounded up; whole numbers below a million as they are.
struct Short(f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.0;
        if !(value > 0.0 && value.is_finite()) || (libm::floor(value) == value && value < 1e6) {
            return crate::number::write_number(value, f);
        }
        let digits = libm::floor(libm::log10(value)) - 2.0;
        let unit = libm::pow(10.0, digits);
        // As text it has the digits that are meant; the product may be a little beside them.
        let places = if digits < 0.0 { -digits } else { 0.0 };
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // between 0 and 330
        let places = places as usize;
        let written = |units: f64| {
            let up = units * unit;
            if (1e-3..1e6).contains(&value) { format!("{up:.places$}") } else { format!("{up:.2e}") }
        };
        let least = libm::ceil(value / unit);
        let is_above = |text: &String| text.parse().is_ok_and(|up: f64| up >= value && up.is_finite());
        // In full next to the smallest and the largest floats, where there is no such unit.
        match [least, least + 1.0].map(written).into_iter().find(is_above) {
            Some(text) => f.write_str(&text),
            None => write!(f, "{value:e}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pure;

    struct Three;

    impl ErrorBound for Three {
        fn error_bound_of(&self, count: usize, beta: f64) -> Result<f64, Error> {
            Confidence::all_but(beta)?;
            Ok(3.125_9 * f64::from(u8::try_from(count).unwrap()))
        }
    }

    impl fmt::Display for Three {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("noise of three")
        }
    }

    #[test]
    fn a_plan_is_a_sentence() {
        let price = Pure::new(0.5).unwrap();
        let plan = ReleasePlan::new(&Three, 1, 0.95, price).unwrap();
        assert_eq!(
            plan.to_string(),
            "noise of three: off by at most 3.13 (confidence 95 %), at a price of 0.5-DP"
        );
        let plan = ReleasePlan::new(&Three, 2, 0.95, price).unwrap();
        assert!(plan.to_string().contains("all off by at most 6.26"), "{plan}");
        assert_eq!((plan.error(), plan.noise(), *plan.price()), (6.251_8, "noise of three", price));
        assert!(ReleasePlan::new(&Three, 1, 1.0, price).is_err());
    }

    #[test]
    fn errors_print_with_three_digits_rounded_up() {
        let printed =
            [6.0, 0.012_341, 123_456.7, 1e9, 1.234_5e-7, f64::INFINITY, 0.0].map(|x| Short(x).to_string());
        assert_eq!(printed, ["6", "0.0124", "124000", "1.00e9", "1.24e-7", "∞", "0"]);
        for value in
            [5e-324, 3.3e-323, 2e-308, 1e308, 1.797e308, f64::MAX, 0.123f64.next_up(), 1.23e9f64.next_up()]
        {
            let printed: f64 = Short(value).to_string().parse().unwrap();
            assert!(value <= printed && printed <= 1.02 * value, "{value:e}: {printed:e}");
        }
    }
}
