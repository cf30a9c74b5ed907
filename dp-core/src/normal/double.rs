//! Numbers of twice the precision of floats, for what the compiler computes.

/// high + low, where low is at most half an ulp of high: about 31 digits.
#[derive(Clone, Copy)]
pub(super) struct Double {
    pub(super) high: f64,
    low: f64,
}

impl Double {
    pub(super) const fn of(value: f64) -> Self {
        Self { high: value, low: 0.0 }
    }

    /// a + b exactly, for |a| ≥ |b|.
    const fn quick_sum(a: f64, b: f64) -> Self {
        let high = a + b;
        Self { high, low: b - (high - a) }
    }

    /// a + b exactly (Knuth).
    const fn sum(a: f64, b: f64) -> Self {
        let high = a + b;
        let part = high - a;
        Self { high, low: (a - (high - part)) + (b - part) }
    }

    /// a·b exactly (Dekker).
    const fn product(a: f64, b: f64) -> Self {
        let (a_high, b_high) = (Self::upper_half(a), Self::upper_half(b));
        let (a_low, b_low) = (a - a_high, b - b_high);
        let high = a * b;
        Self { high, low: a_low * b_low - (((high - a_high * b_high) - a_low * b_high) - a_high * b_low) }
    }

    /// The upper 26 bits (Veltkamp).
    const fn upper_half(a: f64) -> f64 {
        let shifted = 134_217_729.0 * a;
        shifted - (shifted - a)
    }

    pub(super) const fn plus(self, other: Self) -> Self {
        let sum = Self::sum(self.high, other.high);
        Self::quick_sum(sum.high, sum.low + (self.low + other.low))
    }

    pub(super) const fn times(self, other: Self) -> Self {
        let product = Self::product(self.high, other.high);
        Self::quick_sum(product.high, product.low + (self.high * other.low + self.low * other.high))
    }

    pub(super) const fn over(self, other: Self) -> Self {
        let first = self.high / other.high;
        let rest = self.plus(other.times(Self::of(-first)));
        Self::quick_sum(first, rest.high / other.high)
    }
}
