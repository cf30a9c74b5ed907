//! Records on the line of weights, each at a random place in the cell of its candidate.

use core::ops::Range;

use dp_mechanisms::sample::below_private;
use rand_core::Rng;

use super::candidates::Candidates;

/// How many digits finer than a unit of weight the places are. A line of 2⁵² units has 2⁶³ places.
const DIGITS: u32 = 11;

/// Records in order, each at a place of its own: a uniform one in the cell of its candidate,
/// independent of all others.
///
/// All places are drawn in the beginning, although a release looks at few of them: how many it
/// looks at, and how many records share their candidates, is private.
pub(super) struct Line<'a> {
    candidates: &'a Candidates,
    /// In order.
    places: Vec<u64>,
}

impl<'a> Line<'a> {
    pub(super) fn new<R: Rng + ?Sized>(data: &[f64], candidates: &'a Candidates, rng: &mut R) -> Self {
        let place = |record: &f64| {
            let cell = candidates.cell(*record);
            let length = ((cell.high - cell.low) << DIGITS).try_into().expect("a candidate has weight");
            (cell.low << DIGITS) + below_private(length, rng)
        };
        let mut line = Self { candidates, places: data.iter().map(place).collect() };
        let digits = u64::BITS - line.total().leading_zeros();
        sort(&mut line.places, digits);
        line
    }

    /// All places, and where the last one ends.
    pub(super) fn total(&self) -> u64 {
        self.candidates.total() << DIGITS
    }

    /// The candidate in whose cell a place lies.
    pub(super) fn at(&self, place: u64) -> f64 {
        self.candidates.at(place >> DIGITS)
    }

    /// The place of a record.
    pub(super) fn place(&self, record: usize) -> u64 {
        self.places[record]
    }

    /// How many of these records have places below this one.
    pub(super) fn count_below(&self, place: u64, of: Range<usize>) -> usize {
        self.places[of].partition_point(|other| *other < place)
    }
}

/// Sorts integers of this many binary digits, by eight digits after the other, from the last.
///
/// It does the same for all orders and all values, equal ones included.
fn sort(values: &mut Vec<u64>, digits: u32) {
    let mut sorted = vec![0; values.len()];
    for shift in (0..digits).step_by(8) {
        let digit = |value: u64| usize::from((value >> shift).to_le_bytes()[0]);
        let mut counts = [0; 256];
        values.iter().for_each(|value| counts[digit(*value)] += 1);
        let mut begin = 0;
        let mut next = counts.map(|count: usize| {
            begin += count;
            begin - count
        });
        for value in values.iter() {
            let place = &mut next[digit(*value)];
            sorted[*place] = *value;
            *place += 1;
        }
        core::mem::swap(values, &mut sorted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantiles::tests::Counting;
    use dp_core::Bounds;
    use dp_mechanisms::rng::Insecure;

    #[test]
    fn integers_are_sorted() {
        for (digits, length) in [(63, 0), (63, 1), (63, 2), (63, 1000), (9, 1000), (8, 5), (1, 30)] {
            let mut rng = Insecure::seeded(u64::from(digits));
            let mut values: Vec<u64> = (0..length).map(|_| rng.next_u64() >> (64 - digits)).collect();
            let mut sorted = values.clone();
            sorted.sort_unstable();
            sort(&mut values, digits);
            assert_eq!(values, sorted);
            sort(&mut values, digits);
            assert_eq!(values, sorted);
        }
    }

    /// Whether records share candidates, and how much these weigh, decides no number of words.
    #[test]
    fn every_record_takes_two_words() {
        let bounds = Bounds::new(0.0, 1e6).unwrap();
        let candidates = Candidates::round_numbers(bounds);
        let spread: Vec<f64> = (0..1000).map(|i| 1.000_1 * f64::from(i)).collect();
        for data in
            [vec![0.0; 1000], vec![777.0; 1000], vec![0.123_456_789; 1000], vec![1e-320; 1000], spread]
        {
            let mut rng = Counting::seeded(2);
            Line::new(&data, &candidates, &mut rng);
            assert_eq!(rng.words, 2000, "{}", data[1]);
        }
    }

    #[test]
    fn places_are_those_of_the_candidates_and_in_order() {
        let bounds = Bounds::new(0.0, 8.0).unwrap();
        let candidates = Candidates::multiples(bounds, 1.0).unwrap();
        let data = [7.0, 3.0, 3.2, f64::NAN, 1.0, 1.0, -9.0, 1.0, f64::INFINITY];
        let mut rng = Insecure::seeded(1);
        let line = Line::new(&data, &candidates, &mut rng);
        let asked = line.count_below(line.total() / 9 * 3 / 2, 0..9); // in the cell of 1
        let places: Vec<u64> = (0..9).map(|i| line.place(i)).collect();
        assert!(places.is_sorted());
        assert_eq!(
            places.iter().map(|p| line.at(*p)).collect::<Vec<_>>(),
            [0.0, 1.0, 1.0, 1.0, 3.0, 3.0, 4.0, 7.0, 8.0]
        );
        assert_eq!(asked, places.iter().filter(|p| **p < line.total() / 9 * 3 / 2).count());
        for place in 0..line.total() / 64 {
            let place = 64 * place;
            let from = places.partition_point(|p| *p < place);
            assert_eq!(line.count_below(place, 2..7), from.clamp(2, 7) - 2);
        }
    }
}
