//! A staircase over a falling density, drawn from by one table look-up.
//!
//! A falling function f on [0, ∞) is cut into strips of equal width. Over strip i stand two boxes: one *under* the curve, as high as f is
//! everywhere on the strip, and one that holds what is *above* it, up to the largest value of f there. A point that is uniform on all boxes together, and on
//! something that covers the tail, has an abscissa with density f once points above the curve are thrown away. Points in boxes
//! under the curve need no test, and with narrow strips nearly all points are there (the idea of Marsaglia's ziggurat, with steps).
//!
//! What makes it exact is that all heights are integers, in units of 1/`unit`: heights below f are rounded down and heights above it up. Their sum
//! is at most 2²⁶, and the rest of 2²⁶ is a part that means "draw again". So 26 fair bits choose a part with exactly its probability.
//! The table is Walker's: 2¹⁰ buckets of 2¹⁶ bit strings, each shared by at most two parts.

use dp_core::rounding::{Enclosure, mul_down, mul_up};

/// log₂ of the number of buckets.
const BUCKET_BITS: u32 = 10;
/// log₂ of the number of strings in a bucket.
const SHARE_BITS: u32 = 16;
/// How many bits choose a part.
pub(super) const PART_BITS: u32 = BUCKET_BITS + SHARE_BITS;
const TOTAL: u32 = 1 << PART_BITS;

/// Where a point lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// The box on top of a strip: from `floor` to `floor + span`, in units. There the curve falls from `top`, which is right to 2⁻⁴⁰ of itself.
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

/// A bucket: its first `share` strings mean one part, the others another.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    share: u32,
    first: Code,
    second: Code,
}

/// The staircase over one function.
#[derive(Debug)]
pub(super) struct Envelope {
    buckets: [Bucket; 1 << BUCKET_BITS],
    strips: Vec<Heights>,
    /// The weight of the tail.
    tail: u32,
    /// How many units make the height one.
    unit: u32,
}

impl Envelope {
    /// The most strips for which there are buckets enough.
    pub(super) const MOST_STRIPS: usize = ((1 << BUCKET_BITS) - 2) / 2;

    /// The staircase over a function of which, strip by strip, the least and the largest value are enclosed; and the mass of what covers its tail,
    /// in strips of height one. Heights are at most one.
    pub(super) fn new(strips: &[(Enclosure, Enclosure)], tail: Enclosure) -> Self {
        assert!(strips.len() <= Self::MOST_STRIPS, "too many strips");
        let sum = strips.iter().fold(tail.hi(), |sum, (_, most)| sum + most.hi());
        // Rounding up adds a unit at most to each height. An even number of units makes one half exact.
        let room = f64::from(TOTAL) - 2.0 * f64::from(u16::try_from(strips.len() + 2).expect("at most 2⁹"));
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // at most 2²⁸, and saturating
        let unit = (room / sum * (1.0 - 1e-9)) as u32 & !1;
        let heights = strips.iter().map(|(least, most)| {
            let floor = below(unit, least.lo());
            Heights { floor, span: above(unit, most.hi()) - floor, top: f64::from(unit) * most.hi() }
        });
        let strips: Vec<Heights> = heights.collect();
        let tail = above(unit, tail.hi());

        let mut weights = Vec::with_capacity(1 << BUCKET_BITS);
        for (code, heights) in (0..).zip(&strips) {
            weights.push((code, heights.floor));
            weights.push((code | ABOVE, heights.span));
        }
        weights.push((TAIL, tail));
        let used: u32 = weights.iter().map(|(_, weight)| weight).sum();
        weights.push((NOWHERE, TOTAL.checked_sub(used).expect("the unit leaves room for all heights")));
        Self { buckets: share_out(weights), strips, tail, unit }
    }

    /// The part that the highest 26 bits of a word choose.
    #[inline]
    pub(super) fn part(&self, word: u64) -> Part {
        let code = self.code(word);
        if code < ABOVE {
            Part::Under(code.into())
        } else if code < 2 * ABOVE {
            Part::Above((code - ABOVE).into())
        } else if code == TAIL {
            Part::Tail
        } else {
            Part::Nowhere
        }
    }

    #[inline]
    fn code(&self, word: u64) -> Code {
        #[allow(clippy::cast_possible_truncation)] // ten bits and sixteen
        let (bucket, string) = (
            (word >> (64 - BUCKET_BITS)) as usize,
            (word >> (64 - PART_BITS)) as u32 & ((1 << SHARE_BITS) - 1),
        );
        let bucket = self.buckets[bucket];
        if string < bucket.share { bucket.first } else { bucket.second }
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

/// Shares all strings out: each part gets as many as it weighs, each bucket has at most two parts.
///
/// Walker's method: a part that weighs less than a bucket gets one, and a part that weighs more fills it up. The weights sum to all strings, so as long
/// as some part weighs less than a bucket, another weighs more; what is left when none weighs less are buckets of one part.
fn share_out(weights: Vec<(Code, u32)>) -> [Bucket; 1 << BUCKET_BITS] {
    const FULL: u32 = 1 << SHARE_BITS;
    let mut buckets = [Bucket { share: FULL, first: NOWHERE, second: NOWHERE }; 1 << BUCKET_BITS];
    let (mut light, mut heavy): (Vec<_>, Vec<_>) =
        weights.into_iter().filter(|(_, weight)| *weight > 0).partition(|(_, weight)| *weight < FULL);
    for bucket in &mut buckets {
        let Some((first, share)) = light.pop() else {
            let (code, weight) = heavy.last_mut().expect("strings that are left belong to a part");
            *bucket = Bucket { share: FULL, first: *code, second: *code };
            *weight -= FULL;
            if *weight < FULL {
                let rest = heavy.pop().expect("it was there");
                light.extend((rest.1 > 0).then_some(rest));
            }
            continue;
        };
        let (second, mut weight) = heavy.pop().expect("where a part is light, another one is heavy");
        *bucket = Bucket { share, first, second };
        weight -= FULL - share;
        match weight {
            0 => {}
            1..FULL => light.push((second, weight)),
            _ => heavy.push((second, weight)),
        }
    }
    buckets
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

    /// How many of the 2²⁶ strings mean each part, by counting buckets.
    fn strings(envelope: &Envelope) -> BTreeMap<Code, u32> {
        let mut strings = BTreeMap::new();
        for bucket in &envelope.buckets {
            *strings.entry(bucket.first).or_insert(0) += bucket.share;
            *strings.entry(bucket.second).or_insert(0) += (1 << SHARE_BITS) - bucket.share;
        }
        strings
    }

    #[test]
    fn each_part_has_as_many_strings_as_it_weighs() {
        let (envelope, ..) = example();
        let strings = strings(&envelope);
        for (code, heights) in (0..).zip(&envelope.strips) {
            assert_eq!(strings[&code], heights.floor);
            assert_eq!(strings[&(code | ABOVE)], heights.span);
        }
        assert_eq!(strings[&TAIL], envelope.tail);
        assert_eq!(strings.values().sum::<u32>(), TOTAL);
        assert!(strings[&NOWHERE] < TOTAL / 1000, "one draw in a thousand at most begins anew");
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
                // The highest bit of a word is the first one that chooses; bits are handed out from the lowest one on.
                let mut source = Fed::with([word.reverse_bits()]);
                let mut bits = Bits::new(&mut source);
                prop_assert_eq!(envelope.part_bit_by_bit(&mut bits), envelope.part(word));
            }
        }
    }
}
