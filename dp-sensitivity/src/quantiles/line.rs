//! Records on the line of weights, each at a place in the cell of its candidate.

use core::ops::Range;

use super::candidates::Candidates;
use super::order::Order;

/// Records in order, each at a place in the cell of its candidate: so a heap of records at one
/// candidate is spread over its cell, and a quantile divides it where it divides the line.
///
/// The h records of a candidate are at the first h points of a sequence that is the same for all
/// cells: ½; ¼, ¾; ⅛, ⅜, ⅝, ⅞; … of the cell, rounded down. So
///
/// **Theorem.** When a record is added, the places are those of before and one more. When a record
/// is replaced, one place is replaced. *Proof.* One candidate has h + 1 records instead of h, and
/// the first h + 1 points of a sequence are the first h and one more. ∎
///
/// Nothing is drawn for it. Whose place is which does not matter: what is released depends on the
/// list of places alone. A cell of one unit of weight has 2¹¹ places or more, and records beyond
/// that number share places with others, which stay together.
pub(super) struct Line<'a> {
    candidates: &'a Candidates,
    /// How many binary digits finer than a unit of weight the places are.
    digits: u32,
    order: Order<'a>,
}

/// The records of one candidate.
struct Heap {
    /// Where the cell of the candidate begins, and its length.
    low: u64,
    length: u64,
    /// How many records there are, and one more.
    points: usize,
}

impl Heap {
    /// The place of a record of the heap, counted in order.
    ///
    /// Let 2^k be the largest power of two that is at most h + 1, and e = h + 1 − 2^k. The first h
    /// points are the multiples of 2^−k, and the first e odd multiples of 2^−(k+1). In order: 2e
    /// multiples of 2^−(k+1), and then multiples of 2^−k.
    fn place(&self, index: usize) -> u64 {
        let digits = self.points.ilog2();
        let odd = self.points - (1 << digits);
        let is_fine = index < 2 * odd;
        let multiple = if is_fine { index + 1 } else { index + 1 - odd };
        let product = u128::from(self.length) * multiple as u128;
        #[allow(clippy::cast_possible_truncation)] // below the length
        let share = (product >> (digits + u32::from(is_fine))) as u64;
        self.low + share
    }

    /// How many records have places below this one, which is in the cell or at its end.
    ///
    /// ⌊length·m/2^j⌋ < t for as many positive m as are less than t·2^j/length.
    fn count_below(&self, place: u64) -> usize {
        let digits = self.points.ilog2();
        let odd = self.points - (1 << digits);
        let multiples = |digits: u32| {
            let product = u128::from(place - self.low) << digits;
            #[allow(clippy::cast_possible_truncation)] // at most 2^digits
            let count = product.div_ceil(u128::from(self.length)) as usize;
            count.saturating_sub(1)
        };
        let fine = multiples(digits + 1);
        if fine < 2 * odd { fine } else { odd + multiples(digits) }
    }
}

impl<'a> Line<'a> {
    pub(super) fn new(data: &'a [f64], candidates: &'a Candidates) -> Self {
        // As many as leave fewer than 2⁶³ places.
        let digits = candidates.total().leading_zeros() - 1;
        Self { candidates, digits, order: Order::new(data, candidates) }
    }

    /// All places, and where the last one ends.
    pub(super) fn total(&self) -> u64 {
        self.candidates.total() << self.digits
    }

    /// The candidate in whose cell a place lies.
    pub(super) fn at(&self, place: u64) -> f64 {
        self.candidates.at(place >> self.digits)
    }

    fn heap(&self, steps: i64, records: usize) -> Heap {
        let cell = self.candidates.cell_of(steps);
        Heap {
            low: cell.low << self.digits,
            length: (cell.high - cell.low) << self.digits,
            points: records + 1,
        }
    }

    /// The places of the records of these ranks, in order.
    pub(super) fn places(&mut self, ranks: Range<usize>) -> Vec<u64> {
        let steps = self.order.steps(ranks.clone());
        let (Some(first), Some(last)) = (steps.first(), steps.last()) else { return vec![] };
        // Where the heaps at both ends begin and end.
        let begin = self.order.count_below(*first);
        let end = self.order.count_below(last + 1);
        // How many records of the same candidate are at or after each.
        let mut left = vec![end - ranks.end + 1; steps.len()];
        for index in (1..steps.len()).rev() {
            left[index - 1] = if steps[index - 1] == steps[index] { left[index] + 1 } else { 1 };
        }
        let (mut before, mut previous) = (ranks.start - begin, *first);
        let mut places = Vec::with_capacity(steps.len());
        for (steps, left) in steps.iter().zip(left) {
            before = if *steps == previous { before } else { 0 };
            previous = *steps;
            places.push(self.heap(*steps, before + left).place(before));
            before += 1;
        }
        places
    }

    /// How many of these records have places below this one.
    pub(super) fn count_below(&mut self, place: u64, of: Range<usize>) -> usize {
        let steps = self.candidates.steps_at(place >> self.digits);
        let (begin, end) = (self.order.count_below(steps), self.order.count_below(steps + 1));
        let heap = self.heap(steps, end - begin);
        (begin + heap.count_below(place)).clamp(of.start, of.end) - of.start
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_core::Bounds;
    use proptest::prelude::*;

    fn eight() -> Candidates {
        Candidates::multiples(Bounds::new(0.0, 8.0).unwrap(), 1.0).unwrap()
    }

    fn places(data: &[f64], candidates: &Candidates) -> Vec<u64> {
        Line::new(data, candidates).places(0..data.len())
    }

    /// Whether a list in order is another one and one more.
    fn is_one_more(more: &[u64], list: &[u64]) -> bool {
        let same = list.iter().zip(more).take_while(|(a, b)| a == b).count();
        more.len() == list.len() + 1 && more[same + 1..] == list[same..]
    }

    #[test]
    fn points_are_halves_and_quarters_and_eighths() {
        let heap = |records: usize| {
            let heap = Heap { low: 5, length: 1600, points: records + 1 };
            (0..records).map(|index| heap.place(index) - 5).collect::<Vec<u64>>()
        };
        assert_eq!(heap(1), [800]);
        assert_eq!(heap(3), [400, 800, 1200]);
        assert_eq!(heap(5), [200, 400, 600, 800, 1200]);
        assert_eq!(heap(7), [200, 400, 600, 800, 1000, 1200, 1400]);
        assert!((0..3000).all(|records| is_one_more(&heap(records + 1), &heap(records))));
    }

    #[test]
    fn counts_are_those_of_the_places() {
        for (length, records) in
            [(1, 0), (1, 9), (3, 2), (7, 7), (7, 100), (64, 40), (1000, 1), (1000, 13), (1000, 999)]
        {
            let heap = Heap { low: 11, length, points: records + 1 };
            for place in 11..=11 + length {
                let found = (0..records).filter(|index| heap.place(*index) < place).count();
                assert_eq!(heap.count_below(place), found, "{length} {records} {place}");
            }
        }
        // The largest numbers.
        let heap = Heap { low: 0, length: (1 << 63) - 1, points: 1 << 59 };
        let last = (1 << 59) - 2;
        assert_eq!(heap.count_below(heap.place(last)), last);
        assert_eq!(heap.count_below(heap.place(last) + 1), last + 1);
    }

    #[test]
    fn places_are_those_of_the_candidates_and_in_order() {
        let candidates = eight();
        let data = [7.0, 3.0, 3.2, f64::NAN, 1.0, 1.0, -9.0, 1.0, f64::INFINITY];
        let mut line = Line::new(&data, &candidates);
        let places = line.places(0..9);
        assert!(places.is_sorted());
        assert_eq!(
            places.iter().map(|p| line.at(*p)).collect::<Vec<_>>(),
            [0.0, 1.0, 1.0, 1.0, 3.0, 3.0, 4.0, 7.0, 8.0]
        );
        for share in 0..1000 {
            let place = line.total() / 1000 * share;
            let from = places.partition_point(|p| *p < place);
            assert_eq!(line.count_below(place, 2..7), from.clamp(2, 7) - 2);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]
        #[test]
        fn a_record_more_is_a_place_more(
            values in prop::collection::vec(0u32..9, 0..60), new in 0u32..9, heaps in 1u32..9,
        ) {
            let candidates = eight();
            let mut data: Vec<f64> = values.iter().map(|value| f64::from(value % heaps)).collect();
            let before = places(&data, &candidates);
            data.push(f64::from(new));
            prop_assert!(is_one_more(&places(&data, &candidates), &before));
        }

        /// Whatever is asked, in whatever order records are, and whether or not all are asked for.
        #[test]
        fn order_and_ranges_do_not_matter(
            values in prop::collection::vec(prop_oneof![0..9i32, -2000..2000i32, Just(1 << 30)], 1..5000),
            ranges in prop::collection::vec((any::<prop::sample::Index>(), 0usize..300), 1..6),
            asked in prop::collection::vec(0.0..1.0f64, 4),
        ) {
            let candidates = Candidates::round_numbers(Bounds::new(-1e6, 2e9).unwrap());
            let data: Vec<f64> = values.iter().map(|value| f64::from(*value)).collect();
            let mut sorted = data.clone();
            sorted.sort_by(f64::total_cmp);
            let all = places(&sorted, &candidates);
            prop_assert!(all.is_sorted());
            let mut line = Line::new(&data, &candidates);
            for (start, length) in ranges {
                let start = start.index(data.len());
                let ranks = start..(start + length).min(data.len());
                prop_assert_eq!(line.places(ranks.clone()), &all[ranks]);
            }
            #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            for share in asked {
                let place = (share * line.total() as f64) as u64;
                let found = all.iter().filter(|other| **other < place).count();
                prop_assert_eq!(line.count_below(place, 0..data.len()), found);
            }
        }
    }
}
