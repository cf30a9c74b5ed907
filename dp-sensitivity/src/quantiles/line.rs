//! Records on the line of weights, each at a random place in the cell of its candidate.

use core::ops::Range;

use dp_core::Bounds;
use dp_mechanisms::sample::below;
use rand_core::Rng;

use super::candidates::{Candidates, Cell};

/// How many digits finer than a unit of weight the places are. A line of 2⁵² units has 2⁶³ places.
const DIGITS: u32 = 11;

/// Records in order, each at a place of its own: a uniform one in the cell of its candidate,
/// independent of all others.
///
/// Places are drawn when they are asked for, those of all records with the same candidate together.
/// Which are drawn does not matter: those that are not would have been independent of what is
/// asked.
pub(super) struct Line<'a> {
    candidates: &'a Candidates,
    records: Vec<f64>,
    /// In order; [`OPEN`] where none is drawn yet.
    places: Vec<u64>,
}

/// No place is this large.
const OPEN: u64 = u64::MAX;

impl<'a> Line<'a> {
    pub(super) fn new(data: &[f64], bounds: Bounds, candidates: &'a Candidates) -> Self {
        let mut records: Vec<f64> = data.iter().map(|record| bounds.clamp(*record)).collect();
        if !records.is_sorted() {
            records.sort_unstable_by(f64::total_cmp);
        }
        Self { candidates, places: vec![OPEN; records.len()], records }
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
    pub(super) fn place<R: Rng + ?Sized>(&mut self, record: usize, rng: &mut R) -> u64 {
        if self.places[record] == OPEN {
            self.draw(record, rng);
        }
        self.places[record]
    }

    /// How many of these records have places below this one.
    pub(super) fn count_below<R: Rng + ?Sized>(
        &mut self,
        place: u64,
        of: Range<usize>,
        rng: &mut R,
    ) -> usize {
        let records = &self.records[of.clone()];
        let certain = records.partition_point(|record| self.cell(*record).high <= place);
        let possible = certain + records[certain..].partition_point(|record| self.cell(*record).low < place);
        if certain == possible {
            return certain;
        }
        // These have the same candidate, in whose cell the place lies.
        let among = of.start + certain..of.start + possible;
        self.place(among.start, rng);
        certain + self.places[among].partition_point(|other| *other < place)
    }

    /// The cell of a record, in places.
    fn cell(&self, record: f64) -> Cell {
        let cell = self.candidates.cell(record);
        Cell { low: cell.low << DIGITS, high: cell.high << DIGITS }
    }

    /// Draws the places of all records with the candidate of this one.
    fn draw<R: Rng + ?Sized>(&mut self, record: usize, rng: &mut R) {
        let cell = self.cell(self.records[record]);
        #[allow(clippy::float_cmp)] // equal records have equal cells
        let alike = |other: &&f64| **other == self.records[record] || self.cell(**other) == cell;
        let before = self.records[..record].iter().rev().take_while(alike).count();
        let after = self.records[record + 1..].iter().take_while(alike).count();
        let places = &mut self.places[record - before..=record + after];
        let length = (cell.high - cell.low).try_into().expect("a candidate has weight");
        places.fill_with(|| cell.low + below(length, rng));
        places.sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_mechanisms::rng::Insecure;

    #[test]
    fn places_are_those_of_the_candidates_and_in_order() {
        let bounds = Bounds::new(0.0, 8.0).unwrap();
        let candidates = Candidates::multiples(bounds, 1.0).unwrap();
        let data = [7.0, 3.0, 3.2, f64::NAN, 1.0, 1.0, -9.0, 1.0, f64::INFINITY];
        let mut rng = Insecure::seeded(1);
        let mut line = Line::new(&data, bounds, &candidates);
        let asked = line.count_below(line.total() / 9 * 3 / 2, 0..9, &mut rng); // in the cell of 1
        let places: Vec<u64> = (0..9).map(|i| line.place(i, &mut rng)).collect();
        assert!(places.is_sorted());
        assert_eq!(
            places.iter().map(|p| line.at(*p)).collect::<Vec<_>>(),
            [0.0, 1.0, 1.0, 1.0, 3.0, 3.0, 4.0, 7.0, 8.0]
        );
        assert_eq!(asked, places.iter().filter(|p| **p < line.total() / 9 * 3 / 2).count());
        for place in 0..line.total() / 64 {
            let place = 64 * place;
            let from = places.partition_point(|p| *p < place);
            assert_eq!(line.count_below(place, 2..7, &mut rng), from.clamp(2, 7) - 2);
        }
    }
}
