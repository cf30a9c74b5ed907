//! Labels for outputs that are not integers.

use dp_mechanisms::rng::Insecure;

use super::engine::Label;

/// Intervals that hold about the same share of the outputs, learned from a sample of its own and
/// fixed from then on.
#[derive(Clone, Debug)]
pub(crate) struct Bins {
    /// Strictly rising; the bin of v is the number of cuts at or below v.
    cuts: Vec<f64>,
}

impl Bins {
    /// Cuts at quantiles of `draws` outputs of each sampler, pooled: every 1/`count`, and in both
    /// tails every half of that again, as far as the sample reaches.
    pub(crate) fn learn(
        x: &mut dyn FnMut(&mut Insecure) -> f64,
        y: &mut dyn FnMut(&mut Insecure) -> f64,
        count: u32,
        draws: u64,
        seed: u64,
    ) -> Self {
        // A stream of its own: what is judged later must not have chosen the bins.
        let rng = &mut Insecure::seeded(!seed);
        let mut sample: Vec<f64> = (0..draws).flat_map(|_| [x(rng), y(rng)]).collect();
        sample.sort_by(f64::total_cmp);
        let width = sample.len() / count.max(1) as usize;
        let tail = std::iter::successors(Some(width / 2), |n| (*n > 16).then_some(n / 2));
        let places = (1..count as usize).map(|i| i * width);
        let mut cuts: Vec<f64> = tail
            .clone()
            .chain(places)
            .chain(tail.map(|n| sample.len().saturating_sub(n + 1)))
            .filter_map(|place| sample.get(place).copied())
            .filter(|cut| !cut.is_nan())
            .collect();
        cuts.sort_by(f64::total_cmp);
        cuts.dedup();
        Self { cuts }
    }

    /// The number of the bin of `value`. Not a number has one of its own.
    pub(crate) fn label(&self, value: f64) -> Label {
        if value.is_nan() {
            return Label::MAX;
        }
        self.cuts.partition_point(|cut| *cut <= value) as Label
    }

    /// The bin in words.
    pub(crate) fn describe(&self, label: Label) -> String {
        let cut = |i: u64| usize::try_from(i).ok().and_then(|i| self.cuts.get(i));
        match (label.checked_sub(1).and_then(cut), cut(label)) {
            _ if label == Label::MAX => "NaN".into(),
            (Some(low), Some(high)) => format!("[{low:.6}, {high:.6})"),
            (None, Some(high)) => format!("below {high:.6}"),
            (Some(low), None) => format!("{low:.6} and above"),
            (None, None) => "any number".into(),
        }
    }
}

/// A signed integer as a label, such that neighbours stay neighbours.
pub(crate) fn integer(value: i64) -> Label {
    value.cast_unsigned() ^ (1 << 63)
}

/// The integer of a label made by [`integer`].
pub(crate) fn as_integer(label: Label) -> i64 {
    (label ^ (1 << 63)).cast_signed()
}

/// A few small numbers as one label: those of a base below which all of them are, lowest first.
/// Numbers from the base on count as base − 1.
pub(crate) fn digits(
    values: impl IntoIterator<Item = u64, IntoIter: DoubleEndedIterator>,
    base: u64,
) -> Label {
    values
        .into_iter()
        .rev()
        .fold(0_u64, |label, digit| label.wrapping_mul(base).wrapping_add(digit.min(base - 1)))
}

/// The place of the lowest bit of a float, its exponent of two plus 1100: what noise made of floats
/// gives away, because a float that came from a large answer has no low bits.
pub(crate) fn lowest_bit(value: f64) -> Label {
    if value == 0.0 || !value.is_finite() {
        return Label::MAX;
    }
    let bits = value.to_bits();
    let (exponent, fraction) = ((bits >> 52) & 0x7ff, bits & ((1 << 52) - 1));
    // A normal float is (2⁵² + fraction)·2^(exponent − 1075), a subnormal one fraction·2^(−1074).
    let (significand, exponent) =
        if exponent == 0 { (fraction, 1) } else { (fraction | (1 << 52), exponent) };
    exponent + u64::from(significand.trailing_zeros()) + 25
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::Rng;

    #[test]
    fn bins_hold_equal_shares_and_reach_into_the_tails() {
        let mut uniform = |rng: &mut Insecure| f64::from(rng.next_u32()) / 4_294_967_296.0;
        let mut same = |rng: &mut Insecure| f64::from(rng.next_u32()) / 4_294_967_296.0;
        let bins = Bins::learn(&mut uniform, &mut same, 16, 8192, 1);
        // The k-th of 16 equal shares ends near k/16: 1024 of 16384 draws, 30 of them one standard
        // deviation or so.
        for k in 1..16 {
            let cut = bins.cuts.iter().map(|cut| (cut - f64::from(k) / 16.0).abs()).fold(1.0, f64::min);
            assert!(cut < 0.02, "{k}: {cut}");
        }
        assert!(bins.cuts[0] < 0.003 && bins.cuts[bins.cuts.len() - 1] > 0.997);
        let labels = [-1.0, bins.cuts[0], 0.5, 2.0, f64::INFINITY].map(|v| bins.label(v));
        assert!(
            labels.is_sorted() && labels[0] == 0 && labels[1] == 1 && labels[3] == bins.cuts.len() as u64
        );
        assert_eq!(bins.label(f64::NAN), Label::MAX);
        assert!(
            bins.describe(0).starts_with("below 0.00") && bins.describe(labels[3]).ends_with("and above")
        );
    }

    #[test]
    fn constant_outputs_have_bins_too() {
        let bins = Bins::learn(&mut |_| 3.0, &mut |_| 3.0, 16, 100, 1);
        assert_eq!((bins.label(2.9), bins.label(3.0), bins.label(3.1)), (0, 1, 1));
        assert_eq!(Bins::learn(&mut |_| 3.0, &mut |_| 3.0, 16, 0, 1).describe(0), "any number");
    }

    #[test]
    fn integers_keep_their_order() {
        let values = [i64::MIN, -2, -1, 0, 1, i64::MAX];
        assert!(values.map(integer).is_sorted());
        assert_eq!(values.map(|v| as_integer(integer(v))), values);
        assert_eq!(integer(-1) + 1, integer(0));
    }

    #[test]
    fn digits_are_those_of_a_number() {
        assert_eq!(digits([1, 2, 3], 10), 321);
        assert_eq!(digits([12, 2], 10), 29);
    }

    #[test]
    fn the_lowest_bit_is_where_a_float_ends() {
        for (value, place) in [
            (1.0, 0),
            (-3.0, 0),
            (12.0, 2),
            (0.375, -3),
            (2f64.powi(-1074), -1074),
            (1.0 + f64::EPSILON, -52),
        ] {
            assert_eq!(lowest_bit(value), integer(place + 1100) ^ (1 << 63), "{value}");
        }
        assert_eq!(lowest_bit(0.0), Label::MAX);
    }
}
