//! Bins by sign and power of two.

use dp_core::{Bounds, Error};

use crate::arguments::within;

/// Bins over the reals, between public limits: |x| ≤ 2^least is one, and for each power of two from
/// there to 2^largest (2^(e−1), 2^e] and its mirror image are two. What lies beyond is in the
/// outermost ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Magnitudes {
    least: i32,
    largest: i32,
}

impl Magnitudes {
    /// About 10⁻⁹ to 10¹⁵.
    pub(super) const DEFAULT: Self = Self { least: -30, largest: 50 };

    /// From the power of two at or below `least` to the one at or above `largest`.
    pub(super) fn new(least: f64, largest: f64) -> Result<Self, Error> {
        const MOST: f64 = 4.494_232_837_155_79e307; // 2^1022, so that widths of bounds are finite
        within("the least magnitude", "(0, 2^1022]", least, least > 0.0 && least <= MOST)?;
        within("the largest magnitude", "(the least, 2^1022]", largest, largest > least && largest <= MOST)?;
        let (above, largest) = (ceil_log2(least), ceil_log2(largest));
        let least = if power_of_two(above) == least { above } else { above - 1 };
        Ok(Self { least, largest })
    }

    /// The number of bins on one side of zero.
    const fn side(self) -> i32 {
        self.largest - self.least
    }

    /// The powers of two from the least magnitude to the largest, in order.
    pub(super) fn powers(self) -> impl Iterator<Item = f64> {
        (self.least..=self.largest).map(power_of_two)
    }

    /// The largest magnitude.
    pub(super) fn largest(self) -> f64 {
        power_of_two(self.largest)
    }

    /// The number of bins.
    pub(super) fn bins(self) -> usize {
        usize::try_from(2 * self.side() + 1).expect("the largest exponent is above the least")
    }

    /// The bin of a record; none for what is no number.
    fn bin(self, record: f64) -> Option<usize> {
        if record.is_nan() {
            return None;
        }
        let magnitude = record.abs();
        let exponent = if magnitude == 0.0 { self.least } else { ceil_log2(magnitude) };
        let out = exponent.clamp(self.least, self.largest) - self.least;
        let place = self.side() + if record < 0.0 { -out } else { out };
        Some(usize::try_from(place).expect("at most one side from the middle"))
    }

    /// How many records are in each bin.
    pub(super) fn counts(self, data: &[f64]) -> Vec<i64> {
        let mut counts = vec![0i64; self.bins()];
        for bin in data.iter().filter_map(|record| self.bin(*record)) {
            counts[bin] += 1;
        }
        counts
    }

    /// The bounds of all records in the bins from the first to the last of these.
    pub(super) fn bounds(self, first: usize, last: usize) -> Bounds {
        // How far out a bin is: negative on the negative side.
        let [first, last] = [first, last].map(|bin| i32::try_from(bin).expect("few bins") - self.side());
        let least = power_of_two(self.least);
        let lower = match first {
            0 if last == 0 => -least,
            0 => 0.0,
            1.. => power_of_two(self.least + first - 1),
            _ => -power_of_two(self.least - first),
        };
        let upper = match last {
            0 if first == 0 => least,
            0 => 0.0,
            1.. => power_of_two(self.least + last),
            _ => -power_of_two(self.least - last - 1),
        };
        Bounds::new(lower, upper).expect("the edges of bins are in order, and at most 2^1022")
    }
}

/// ⌈log₂ x⌉ for x > 0; 1024 for what is larger than 2^1023.
fn ceil_log2(x: f64) -> i32 {
    let bits = x.to_bits();
    let (field, fraction) = (bits >> 52, bits & ((1 << 52) - 1));
    let exponent = if field == 0 {
        // x = fraction · 2^−1074
        i64::from(u64::BITS - (fraction - 1).leading_zeros()) - 1074
    } else {
        i64::try_from(field).expect("eleven bits") - 1023 + i64::from(fraction != 0)
    };
    i32::try_from(exponent.min(1024)).expect("at least −1074")
}

/// 2^exponent, from −1074 to 1023.
fn power_of_two(exponent: i32) -> f64 {
    let place = u64::try_from(exponent + 1074).expect("a float's exponent");
    f64::from_bits(if place < 52 { 1 << place } else { (place - 51) << 52 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: Magnitudes = Magnitudes { least: -1074, largest: 1022 };

    #[test]
    fn powers_and_logarithms() {
        for exponent in -1074..=1023 {
            let power = power_of_two(exponent);
            assert_eq!((ceil_log2(power), power.log2()), (exponent, f64::from(exponent)));
            assert_eq!(ceil_log2(power.next_up()), exponent + 1);
        }
        assert_eq!((ceil_log2(f64::MAX), ceil_log2(f64::INFINITY), ceil_log2(5e-324)), (1024, 1024, -1074));
    }

    #[test]
    fn limits_are_rounded_outwards() {
        assert_eq!(Magnitudes::new(1.0, 8.0).unwrap(), Magnitudes { least: 0, largest: 3 });
        assert_eq!(Magnitudes::new(0.9, 8.1).unwrap(), Magnitudes { least: -1, largest: 4 });
        assert_eq!(Magnitudes::new(5e-324, power_of_two(1022)).unwrap(), ALL);
        assert_eq!((ALL.bins(), Magnitudes::DEFAULT.bins()), (4193, 161));
        for (least, largest) in [
            (0.0, 1.0),
            (-1.0, 1.0),
            (1.0, 1.0),
            (2.0, 1.0),
            (f64::NAN, 1.0),
            (1.0, f64::NAN),
            (1.0, f64::INFINITY),
            (1.0, 1e308),
        ] {
            assert!(Magnitudes::new(least, largest).is_err(), "{least} {largest}");
        }
        // Limits within one bin still make an interval.
        let narrow = Magnitudes::new(1.1, 1.2).unwrap();
        assert_eq!((narrow, narrow.bins()), (Magnitudes { least: 0, largest: 1 }, 3));
    }

    #[test]
    fn bounds_end_where_bins_do() {
        let few = Magnitudes::new(1.0, 8.0).unwrap(); // −8, −4, −2, −1, 1, 2, 4, 8
        let ends = |first: usize, last: usize| {
            let bounds = few.bounds(first, last);
            (bounds.lower(), bounds.upper())
        };
        assert_eq!(few.bins(), 7);
        assert_eq!([ends(0, 6), ends(0, 0), ends(6, 6)], [(-8.0, 8.0), (-8.0, -4.0), (4.0, 8.0)]);
        assert_eq!([ends(3, 3), ends(3, 4), ends(2, 3)], [(-1.0, 1.0), (0.0, 2.0), (-2.0, 0.0)]);
        assert_eq!([ends(2, 2), ends(4, 4), ends(2, 4)], [(-2.0, -1.0), (1.0, 2.0), (-2.0, 2.0)]);
        assert_eq!(ALL.bounds(0, ALL.bins() - 1).width(), f64::MAX.log2().exp2().min(power_of_two(1023)));
    }

    /// What Google's approximate bounds expect of these records without noise (their tests basic,
    /// basic with multiplicities and negative maximum); a bin passes that reaches the threshold.
    #[test]
    fn without_noise_the_ends_are_those_of_googles_tests() {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // small whole numbers
        let times: Vec<f64> =
            [1.0f64, 2.0, 3.0, 5.0, 8.0, 13.0].iter().flat_map(|x| vec![*x; *x as usize]).collect();
        let basic = vec![0.0, -5.0, -5.0, -2_147_483_648.0, -7.0, 7.0, 7.0, 3.0, -6.0, 6.0, 5.0, 1.0];
        let negative = [[-3.0; 4], [-8.0; 4]].concat();
        for (records, (least, largest), threshold, ends) in [
            (basic, (1.0, 8.0), 3, (-8.0, 8.0)),
            (times, (1.0, 512.0), 3, (2.0, 16.0)),
            (negative, (1.0, 8.0), 4, (-8.0, -2.0)),
        ] {
            let bins = Magnitudes::new(least, largest).unwrap();
            let counts = bins.counts(&records);
            let passes = |count: &i64| *count >= threshold;
            let place = (counts.iter().position(passes).unwrap(), counts.iter().rposition(passes).unwrap());
            let bounds = bins.bounds(place.0, place.1);
            assert_eq!((bounds.lower(), bounds.upper()), ends, "{records:?}");
        }
    }

    #[test]
    fn hostile_records_have_a_bin_or_none() {
        for magnitudes in [ALL, Magnitudes::DEFAULT] {
            let (middle, last) = (magnitudes.bins() / 2, magnitudes.bins() - 1);
            for (record, bin) in [
                (0.0, middle),
                (-0.0, middle),
                (5e-324, middle),
                (-5e-324, middle),
                (f64::MAX, last),
                (f64::INFINITY, last),
                (f64::MIN, 0),
                (f64::NEG_INFINITY, 0),
            ] {
                assert_eq!(magnitudes.bin(record), Some(bin), "{record}");
            }
            assert_eq!((magnitudes.bin(f64::NAN), magnitudes.bin(-f64::NAN)), (None, None));
            assert!(magnitudes.counts(&[f64::NAN]).iter().all(|count| *count == 0));
        }
    }

    proptest! {
        /// A record that the limits do not cut lies between the bounds of its own bin, and in no
        /// other.
        #[test]
        fn records_lie_within_the_bounds_of_their_bin(record in any::<f64>(), log in -40.0..60.0f64, negative: bool) {
            for record in [record, if negative { -log.exp2() } else { log.exp2() }] {
                if record.is_nan() || record.abs() > power_of_two(1022) { continue }
                let bin = ALL.bin(record).unwrap();
                let bounds = ALL.bounds(bin, bin);
                prop_assert!(bounds.lower() <= record && record <= bounds.upper());
                prop_assert!(bounds.upper() <= 2.0 * bounds.lower() || bounds.lower() <= 2.0 * bounds.upper());
                let wide = Magnitudes::DEFAULT;
                let (low, high) = (power_of_two(wide.least), power_of_two(wide.largest));
                let cut = record.signum() * record.abs().clamp(low, high);
                let bin = wide.bin(record).unwrap();
                prop_assert!(wide.bounds(bin, bin).clamp(cut) == cut);
            }
        }

        /// One record more is one count more by one, and a record that is replaced two at most.
        #[test]
        fn neighbours_differ_in_one_bin(data in prop::collection::vec(any::<f64>(), 0..20), new in any::<f64>()) {
            let more = [&data[..], &[new]].concat();
            let apart = |x: &[f64], y: &[f64]| -> i64 {
                let [x, y] = [x, y].map(|data| Magnitudes::DEFAULT.counts(data));
                x.iter().zip(y).map(|(a, b)| (a - b).abs()).sum()
            };
            prop_assert!(apart(&data, &more) <= 1);
            if !data.is_empty() {
                prop_assert!(apart(&more[..data.len()], &more[1..]) <= 2);
            }
        }
    }
}
