//! Where the first 64 digits of a uniform real settle whether it lies below a probability.

use dp_core::rounding::Enclosure;

/// Bounds on p·2⁶⁴, as whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    /// A real whose first 64 digits are below this number is below p, …
    pub(super) certain: u128,
    /// … and one whose digits are not below this is not. Both are at most 2⁶⁴.
    pub(super) possible: u128,
}

impl Cut {
    /// p = 0.
    pub(crate) const NEVER: Self = Self { certain: 0, possible: 0 };
    /// p = 1.
    pub(crate) const ALWAYS: Self = Self { certain: 1 << 64, possible: 1 << 64 };

    /// Bounds from bounds in floats.
    pub(crate) fn between(enclosed: Enclosure) -> Self {
        const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;
        let enclosed = enclosed.probability();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        // whole numbers from 0 to 2⁶⁴: products with a power of two are exact
        let [certain, possible] =
            [enclosed.lo() * TWO_TO_64, (enclosed.hi() * TWO_TO_64).ceil()].map(|end| end as u128);
        Self { certain, possible }
    }

    /// Whether the real lies below p, if up to 64 of its digits suffice for it.
    pub(crate) fn settled(self, prefix: u64, known: u32) -> Option<bool> {
        let missing = u64::BITS - known;
        let prefix = u128::from(prefix);
        if (prefix + 1) << missing <= self.certain {
            Some(true)
        } else if prefix << missing >= self.possible {
            Some(false)
        } else {
            None
        }
    }
}
