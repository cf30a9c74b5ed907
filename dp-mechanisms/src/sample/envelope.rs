//! A staircase over a falling density, drawn from by one table look-up.
//!
//! A falling function f on [0, ∞) is cut into strips of equal width. Over strip i stand two boxes:
//! one *under* the curve, as high as f is everywhere on the strip, and one that holds what is
//! *above* it, up to the largest value of f there. A point that is uniform on all boxes together,
//! and on something that covers the tail, has an abscissa with density f once points above the
//! curve are thrown away. Points in boxes under the curve need no test, and with narrow strips
//! nearly all points are there (the idea of Marsaglia's ziggurat, with steps).
//!
//! What makes it exact is that all heights are integers, in units of 1/`unit`: heights below f are
//! rounded down and heights above it up. Their sum is at most 2²⁶, and the rest of 2²⁶ is a part
//! that means "draw again". So 26 fair bits choose a part with exactly its probability.
//!
//! The strings of 26 bits are shared out in buckets of 2¹³ that begin with the same 13 bits. A box
//! under the curve gets as many buckets of its own as it can fill; these come first, and thirteen
//! bits and one look-up tell its strip. What is left of it, and all other parts, share the last
//! buckets, one after the other: about one in 38 for a normal curve in strips of 2⁻⁶.

use dp_core::rounding::{Enclosure, mul_down, mul_up};

/// log₂ of the number of buckets.
pub(super) const BUCKET_BITS: u32 = 13;
/// log₂ of the number of strings in a bucket.
const SHARE_BITS: u32 = 13;
/// How many bits choose a part.
pub(super) const PART_BITS: u32 = BUCKET_BITS + SHARE_BITS;
const TOTAL: u32 = 1 << PART_BITS;

/// How many bits of a word are left for the place in a part, beside the sign and the bits that
/// choose the part; and how many of half a word, where a bucket chooses it.
pub(super) const PLACE_BITS: u32 = u64::BITS - PART_BITS - 1;
pub(super) const HALF_PLACE_BITS: u32 = u32::BITS - BUCKET_BITS - 1;

/// Where a point lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(test, derive(PartialOrd, Ord))]
pub(super) enum Part {
    /// In the box under the curve on this strip.
    Under(u32),
    /// In the box on top of it, which the curve crosses.
    Above(u32),
    /// Beyond the last strip.
    Tail,
    /// Nowhere: draw again.
    Nowhere,
}

/// The box on top of a strip: from `floor` to `floor + span`, in units. There the curve falls from
/// `top`, which is right to 2⁻⁴⁰ of itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Heights {
    pub(super) floor: u32,
    pub(super) span: u32,
    pub(super) top: f64,
}

/// A part in 16 bits: the strip, with [`ABOVE`] for the upper box, or one of the two constants.
type Code = u16;
const ABOVE: Code = 1 << 14;
const TAIL: Code = Code::MAX - 1;
const NOWHERE: Code = Code::MAX;

/// What marks a bucket that is shared.
const SHARED: u16 = 1 << 15;

/// The staircase over one function. It has no `Debug`: printed, it is tens of thousands of
/// characters.
pub(super) struct Envelope {
    /// The strip of each bucket that belongs to one box under the curve; for the buckets after
    /// these [`SHARED`], and the place in `shared` at which the search begins.
    buckets: [u16; 1 << BUCKET_BITS],
    /// The parts of shared buckets in the order of their strings, each with the string after its
    /// last one.
    shared: Vec<(u32, Code)>,
    strips: Vec<Heights>,
    /// The weight of the tail.
    tail: u32,
    /// How many units make the height one.
    unit: u32,
}

impl Envelope {
    /// The most strips: [`Code`] could hold more, but with many narrow boxes few buckets are whole.
    pub(super) const MOST_STRIPS: usize = 511;

    /// The staircase over a function of which, strip by strip, the least and the largest value are
    /// enclosed; and the mass of what covers its tail, in strips of height one. Heights are at most
    /// one.
    pub(super) fn new(strips: &[(Enclosure, Enclosure)], tail: Enclosure) -> Self {
        assert!(strips.len() <= Self::MOST_STRIPS, "too many strips");
        let sum = strips.iter().fold(tail.hi(), |sum, (_, most)| sum + most.hi());
        // Rounding up adds a unit at most to each height. An even number of units makes one half
        // exact.
        let room = f64::from(TOTAL) - 2.0 * f64::from(u16::try_from(strips.len() + 2).expect("at most 2⁹"));
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // at most 2²⁸, and saturating
        let unit = (room / sum * (1.0 - 1e-9)) as u32 & !1;
        let heights = strips.iter().map(|(least, most)| {
            let floor = below(unit, least.lo());
            Heights { floor, span: above(unit, most.hi()) - floor, top: f64::from(unit) * most.hi() }
        });
        let strips: Vec<Heights> = heights.collect();
        let tail = above(unit, tail.hi());

        let mut parts = Vec::with_capacity(2 * strips.len() + 2);
        for (code, heights) in (0..).zip(&strips) {
            parts.push((code, heights.floor));
            parts.push((code | ABOVE, heights.span));
        }
        parts.push((TAIL, tail));
        let used: u32 = parts.iter().map(|(_, weight)| weight).sum();
        parts.push((NOWHERE, TOTAL.checked_sub(used).expect("the unit leaves room for all heights")));
        let (buckets, shared) = share_out(&parts);
        Self { buckets, shared, strips, tail, unit }
    }

    /// The part that the highest 26 bits of a word choose.
    #[inline]
    pub(super) fn part(&self, word: u64) -> Part {
        #[allow(clippy::cast_possible_truncation)] // the highest half
        let entry = self.entry((word >> 32) as u32);
        match strip(entry) {
            Some(strip) => Part::Under(strip),
            None => self.shared_part(word, entry),
        }
    }

    /// What the table says of the bucket in the highest bits of half a word: see [`strip`].
    #[inline]
    pub(super) const fn entry(&self, half: u32) -> u16 {
        self.buckets[(half >> (u32::BITS - BUCKET_BITS)) as usize]
    }

    /// The part of a word in a bucket that several parts share.
    fn shared_part(&self, word: u64, entry: u16) -> Part {
        #[allow(clippy::cast_possible_truncation)] // 26 bits
        let string = (word >> (64 - PART_BITS)) as u32;
        let candidates = &self.shared[(entry & !SHARED).into()..];
        let (_, code) = candidates.iter().find(|(end, _)| string < *end).expect("the last part ends at 2²⁶");
        match *code {
            TAIL => Part::Tail,
            NOWHERE => Part::Nowhere,
            code if code < ABOVE => Part::Under(code.into()),
            code => Part::Above((code - ABOVE).into()),
        }
    }

    /// The part that the next bits choose, no more of them than it takes.
    #[cfg(test)]
    pub(super) fn part_bit_by_bit<R: rand_core::Rng + ?Sized>(&self, bits: &mut super::Bits<'_, R>) -> Part {
        let mut word = bits.take(BUCKET_BITS) << (64 - BUCKET_BITS);
        for missing in (0..=SHARE_BITS).rev() {
            // All strings that begin with what is known lie between these two.
            let last = word | ((1 << missing) - 1) << (64 - PART_BITS);
            if self.part(word) == self.part(last) {
                break;
            }
            word |= bits.take(1) << (64 - PART_BITS + missing - 1);
        }
        self.part(word)
    }

    /// The box on top of a strip.
    pub(super) fn heights(&self, strip: u32) -> Heights {
        self.strips[strip as usize]
    }

    /// The weight of the tail, in units.
    pub(super) const fn tail(&self) -> u32 {
        self.tail
    }

    /// How many units make the height one.
    pub(super) const fn unit(&self) -> u32 {
        self.unit
    }
}

/// The strip of an entry of the table, if its bucket belongs to one box under the curve.
#[inline]
pub(super) fn strip(entry: u16) -> Option<u32> {
    (entry < SHARED).then_some(entry.into())
}

/// The word whose bucket, first digits of the place and sign are in `half`, and whose other bits
/// are those of `rest`: from the lowest bit on a word has the sign, the place and the string of its
/// part.
pub(super) fn widened(half: u32, rest: u32) -> u64 {
    let (half, rest) = (u64::from(half), u64::from(rest));
    let bucket = half >> (u32::BITS - BUCKET_BITS) << (u64::BITS - BUCKET_BITS);
    let digits = (half >> 1 & ((1 << HALF_PLACE_BITS) - 1)) << (PLACE_BITS + 1 - HALF_PLACE_BITS);
    let more_digits = PLACE_BITS - HALF_PLACE_BITS;
    let share = rest >> more_digits << (PLACE_BITS + 1);
    bucket | share | digits | (rest & ((1 << more_digits) - 1)) << 1 | half & 1
}

/// ⌊unit·height⌋, or less by the error of a product.
fn below(unit: u32, height: f64) -> u32 {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // below 2²⁷
    let floor = mul_down(unit.into(), height).floor() as u32;
    floor
}

/// ⌈unit·height⌉, or more by the error of a product.
fn above(unit: u32, height: f64) -> u32 {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // below 2²⁷
    let ceiling = mul_up(unit.into(), height).ceil() as u32;
    ceiling
}

/// Shares all strings out, to each part as many as it weighs: the table of buckets, and the parts
/// of those that are shared.
fn share_out(parts: &[(Code, u32)]) -> ([u16; 1 << BUCKET_BITS], Vec<(u32, Code)>) {
    let own = |code: Code, weight: u32| if code < ABOVE { weight >> SHARE_BITS } else { 0 };
    let mut buckets = [0; 1 << BUCKET_BITS];
    let mut first_shared = 0;
    for (code, weight) in parts {
        let end = first_shared + own(*code, *weight) as usize;
        buckets[first_shared..end].fill(*code);
        first_shared = end;
    }
    let start = |bucket: usize| u32::try_from(bucket << SHARE_BITS).expect("there are 2²⁶ strings");
    let (mut shared, mut end) = (Vec::with_capacity(parts.len()), start(first_shared));
    for (code, weight) in parts {
        end += weight - (own(*code, *weight) << SHARE_BITS);
        shared.push((end, *code));
    }
    for (bucket, entry) in buckets.iter_mut().enumerate().skip(first_shared) {
        let place = shared.partition_point(|(end, _)| *end <= start(bucket));
        *entry = SHARED | u16::try_from(place).expect("there are at most 2¹⁰ parts");
    }
    (buckets, shared)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Bits;
    use crate::sample::replay::Fed;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// The staircase over e^(−x) in strips of one eighth up to 4.
    fn example() -> (Envelope, Vec<(Enclosure, Enclosure)>, Enclosure) {
        let curve = |i: i32| Enclosure::point(-f64::from(i) / 8.0).exp();
        let strips: Vec<_> = (0..32).map(|i| (curve(i + 1), curve(i))).collect();
        let tail = curve(32) * Enclosure::point(8.0);
        (Envelope::new(&strips, tail), strips, tail)
    }

    /// How many of the 2²⁶ strings mean each part. The part changes at most at the ends of buckets
    /// and of parts, so it is asked there, and at the last string before.
    fn strings(envelope: &Envelope) -> BTreeMap<Part, u32> {
        let mut ends: Vec<u32> = (1..=1 << BUCKET_BITS).map(|bucket| bucket << SHARE_BITS).collect();
        ends.extend(envelope.shared.iter().map(|(end, _)| *end));
        ends.sort_unstable();
        let part = |string: u32| envelope.part(u64::from(string) << (64 - PART_BITS));
        let (mut strings, mut start) = (BTreeMap::new(), 0);
        for end in ends.into_iter().filter(|end| *end > 0) {
            if end > start {
                assert_eq!(part(start), part(end - 1));
                *strings.entry(part(start)).or_insert(0) += end - start;
                start = end;
            }
        }
        strings
    }

    #[test]
    fn each_part_has_as_many_strings_as_it_weighs() {
        let (envelope, ..) = example();
        let strings = strings(&envelope);
        for (strip, heights) in (0..).zip(&envelope.strips) {
            assert_eq!(strings[&Part::Under(strip)], heights.floor);
            assert_eq!(strings[&Part::Above(strip)], heights.span);
        }
        assert_eq!(strings[&Part::Tail], envelope.tail);
        assert_eq!(strings.values().sum::<u32>(), TOTAL);
        assert!(strings[&Part::Nowhere] < TOTAL / 1000, "one draw in a thousand at most begins anew");
    }

    #[test]
    fn heights_are_on_their_sides_of_the_curve_and_close_to_it() {
        let (envelope, strips, tail) = example();
        let unit = f64::from(envelope.unit());
        for (heights, (least, most)) in envelope.strips.iter().zip(strips) {
            let (floor, ceiling) = (f64::from(heights.floor), f64::from(heights.floor + heights.span));
            assert!(floor <= unit * least.lo() && floor + 1.0 >= unit * least.hi());
            assert!(ceiling >= unit * most.hi() && ceiling - 1.0 <= unit * most.lo());
            assert!((heights.top / (unit * most.hi()) - 1.0).abs() < 1e-12);
        }
        assert!(f64::from(envelope.tail) >= unit * tail.hi());
        assert_eq!(envelope.unit() % 2, 0);
    }

    #[test]
    fn one_strip_and_many() {
        let half = Enclosure::point(0.5);
        let single = Envelope::new(&[(half, half)], Enclosure::new(0.0, 1e-300));
        assert_eq!(strings(&single).values().sum::<u32>(), TOTAL);
        assert_eq!((single.strips[0].floor, single.strips[0].span, single.tail), (single.unit / 2, 0, 1));
        let many = vec![(Enclosure::ZERO, Enclosure::ONE); Envelope::MOST_STRIPS];
        assert_eq!(strings(&Envelope::new(&many, Enclosure::ONE)).values().sum::<u32>(), TOTAL);
    }

    proptest! {
        #[test]
        fn bits_and_words_choose_alike(words in prop::collection::vec(any::<u64>(), 1..50)) {
            let (envelope, ..) = example();
            for word in words {
                // The highest bit of a word is the first one that chooses; bits are handed out from
                // the lowest one on.
                let mut source = Fed::with([word.reverse_bits()]);
                let mut bits = Bits::new(&mut source);
                prop_assert_eq!(envelope.part_bit_by_bit(&mut bits), envelope.part(word));
            }
        }
    }
}
