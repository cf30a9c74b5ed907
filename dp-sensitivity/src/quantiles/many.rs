//! Many quantiles at once.

use core::marker::PhantomData;
use core::num::NonZero;
use core::ops::Range;

use dp_core::rounding::Enclosure;
use dp_core::{AddRemove, Adjacency, Bounds, Error, Guarantee, Measurement, Pure, ReplaceOne, Zcdp};
use rand_core::Rng;

use super::candidates::{Candidates, Cell};
use super::choice::{Score, Window};
use super::line::Line;
use super::price::{Neighbours, range_for_epsilon, range_for_rho, steepness};
use crate::arguments::{integer, positive, within};

/// Quantiles of several levels: what is asked, to be released by [`epsilon`](Self::epsilon) or
/// [`rho`](Self::rho).
///
/// ```
/// use dp_core::{Bounds, Measurement};
/// use dp_mechanisms::rng::OsSeeded;
/// use dp_sensitivity::Quantiles;
///
/// let ages: Vec<f64> = (0..2000).map(|i| f64::from(20 + i % 60)).collect();
/// let quartiles = Quantiles::new(Bounds::new(0.0, 120.0)?, &[0.25, 0.5, 0.75])?.epsilon(1.0)?;
/// let released = quartiles.release(&ages, &mut OsSeeded::new()?)?;
/// assert!(released.len() == 3 && released.is_sorted());
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Quantiles<A> {
    bounds: Bounds,
    levels: Vec<f64>,
    /// The declared number of records; none under add/remove.
    size: Option<usize>,
    kind: PhantomData<fn(A) -> A>,
}

impl Quantiles<AddRemove> {
    /// The quantiles of these levels, of any number of records that are declared to lie within
    /// `bounds`, under add/remove neighbours.
    ///
    /// # Errors
    /// [`Error::Empty`] without levels, and [`Error::OutOfRange`] unless they rise, all from 0 to
    /// 1.
    pub fn new(bounds: Bounds, levels: &[f64]) -> Result<Self, Error> {
        let first = levels.first().ok_or(Error::Empty { argument: "the list of levels" })?;
        within("a level", "[0, 1]", *first, (0.0..=1.0).contains(first))?;
        for pair in levels.windows(2) {
            let rises = pair[0] < pair[1] && pair[1] <= 1.0;
            within("a level", "(the level before it, 1]", pair[1], rises)?;
        }
        integer("the number of levels", "[1, 2^31)", levels.len(), ..1 << 31)?;
        Ok(Self { bounds, levels: levels.to_vec(), size: None, kind: PhantomData })
    }

    /// The quantiles of exactly `size` records, under replace-one neighbours.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when the size is zero.
    pub fn under_replace_one(self, size: usize) -> Result<Quantiles<ReplaceOne>, Error> {
        integer("size", "[1, ∞)", size, 1..)?;
        Ok(Quantiles { bounds: self.bounds, levels: self.levels, size: Some(size), kind: PhantomData })
    }
}

impl<A: Adjacency> Quantiles<A> {
    /// The declared bounds.
    #[must_use]
    pub const fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// The levels, which rise.
    #[must_use]
    pub const fn levels(&self) -> &[f64] {
        self.levels.as_slice()
    }

    /// The declared number of records, under replace-one.
    #[must_use]
    pub const fn size(&self) -> Option<usize> {
        self.size
    }

    /// All of them released with ε-privacy.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞.
    pub fn epsilon(self, epsilon: f64) -> Result<ExponentialQuantiles<A, Pure>, Error> {
        let range = range_for_epsilon(positive("epsilon", epsilon)?, self.rounds());
        Ok(ExponentialQuantiles::new(self, range, range / 2.0, Pure::new(epsilon)?))
    }

    /// All of them released with ρ-zCDP.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ρ < ∞.
    pub fn rho(self, rho: f64) -> Result<ExponentialQuantiles<A, Zcdp>, Error> {
        let range = range_for_rho(positive("rho", rho)?, self.rounds());
        let half = (Enclosure::point(range) * Enclosure::point(0.5).sqrt()).lo();
        Ok(ExponentialQuantiles::new(self, range, half, Zcdp::new(rho)?))
    }

    /// ⌊log₂ m⌋ + 1.
    fn rounds(&self) -> NonZero<u32> {
        NonZero::new(self.levels.len().ilog2() + 1).expect("one more than a logarithm")
    }
}

/// Many quantiles by the exponential mechanism, made by [`Quantiles::epsilon`] and
/// [`Quantiles::rho`].
///
/// The quantile in the middle of the list is released first, as an
/// [`ExponentialQuantile`](super::ExponentialQuantile) is. It divides the records, and the
/// candidates, into those below and those above; the quantiles below are released from the former,
/// those above from the latter, and so on (Kaplan, Schnapp and Stemmer 2022). What comes out is in
/// order. The error grows with log m only, because that is how many releases see a record.
///
/// The h records of a candidate are spread over its cell: they lie at the first h points of ½; ¼,
/// ¾; ⅛, ⅜, ⅝, ⅞; …. So a heap of records at one candidate is divided where the quantile divides
/// it, and is not lost to one side.
///
/// **Theorem** (claim S24). Let there be m quantiles, hence L = ⌊log₂ m⌋ + 1 rounds, and let each
/// release of a round have losses that span at most r when a record is added to *its* records.
/// - Under add/remove all together are L·r-private, and L·r²/8-zCDP.
/// - Under replace-one they are so if r is the range of the first release when a record is
///   *replaced*, and each release of a later round has both at most this range, and at most r/2
///   (for pure privacy; r/√2 for zCDP) when a record is added.
///
/// *Proof.* What is released depends on the places of the records alone. A record more is one place
/// more, in the cell of its candidate: where there were h records there are h + 1, and the first
/// h + 1 points of a sequence are the first h and another one. So it suffices to look at lists of
/// places as data. Given what was released, the side of a place is decided. In each round a place
/// takes part in one release at most: adding it costs r once, and the rounds compose adaptively. A
/// place that is replaced changes one release of a round, as a replacement, or two of them: one
/// loses a place and the other gains one, 2·(r/2), or 2·(r/√2)²/8 = r²/8. ∎
///
/// Heaps that were spread evenly would not do: one record more would move all others, across the
/// quantiles that were released.
///
/// # Which records count, and timing
/// As for [`ExponentialQuantile`](super::ExponentialQuantile). To find the records around the
/// targets takes a time that depends on their number, their order and how they are spread: data
/// that are not in order, or hold a `NaN`, are divided among 2048 groups, and the groups that are
/// needed are sorted. Data that are in order are not copied. From there on the draws take the same
/// random words, three for each quantile, and the same path for the same numbers of records. How
/// many records are looked at in a round depends on how many are on each side of what was released,
/// which a record more or less changes by one.
///
/// Checked as S24 by `cargo xtask verify`.
#[derive(Clone, Debug, PartialEq)]
pub struct ExponentialQuantiles<A, G> {
    quantiles: Quantiles<A>,
    /// r.
    range: f64,
    /// The range for a record that is added, where two releases of a round share a replacement.
    half: f64,
    guarantee: G,
    candidates: Candidates,
}

/// A part of the line, the records in it, and the levels at its ends.
struct Part {
    records: Range<usize>,
    places: Range<u64>,
    levels: (f64, f64),
}

impl<A: Adjacency, G: Guarantee> ExponentialQuantiles<A, G> {
    fn new(quantiles: Quantiles<A>, range: f64, half: f64, guarantee: G) -> Self {
        let candidates = Candidates::round_numbers(quantiles.bounds);
        Self { quantiles, range, half, guarantee, candidates }
    }

    /// The same, with the multiples of a step within the bounds as candidates, all of the same
    /// weight. Choose the step without looking at the data.
    ///
    /// # Errors
    /// As [`ExponentialQuantile::on_multiples_of`](super::ExponentialQuantile::on_multiples_of).
    pub fn on_multiples_of(self, step: f64) -> Result<Self, Error> {
        let candidates = Candidates::multiples(self.quantiles.bounds, step)?;
        Ok(Self { candidates, ..self })
    }

    /// What is asked.
    pub const fn quantiles(&self) -> &Quantiles<A> {
        &self.quantiles
    }

    fn score(&self, level: f64, is_first: bool) -> Score {
        let steepness = match self.quantiles.size {
            None => steepness(self.range, level, Neighbours::Resized),
            Some(_) => {
                let together = steepness(self.range, level, Neighbours::Replaced);
                let apart = steepness(self.half, level, Neighbours::Resized);
                if is_first { together } else { together.min(apart) }
            }
        };
        Score { level, steepness }
    }

    /// Releases the quantiles of some of the levels from a part, the middle one first.
    fn divide<R: Rng + ?Sized>(
        &self,
        wanted: Range<usize>,
        part: &Part,
        line: &mut Line<'_>,
        released: &mut [u64],
        rng: &mut R,
    ) {
        if wanted.is_empty() {
            return;
        }
        let middle = usize::midpoint(wanted.start, wanted.end);
        let level = self.quantiles.levels[middle];
        let place = self.place(level, wanted.len() == released.len(), part, line, rng);
        released[middle] = place;
        let split = part.records.start + line.count_below(place, part.records.clone());
        let lower = Part {
            records: part.records.start..split,
            places: part.places.start..place + 1,
            levels: (part.levels.0, level),
        };
        let upper = Part {
            records: split..part.records.end,
            places: place..part.places.end,
            levels: (level, part.levels.1),
        };
        self.divide(wanted.start..middle, &lower, line, released, rng);
        self.divide(middle + 1..wanted.end, &upper, line, released, rng);
    }

    /// One quantile of a part.
    fn place<R: Rng + ?Sized>(
        &self,
        level: f64,
        is_first: bool,
        part: &Part,
        line: &mut Line<'_>,
        rng: &mut R,
    ) -> u64 {
        let (start, total) = (part.places.start, part.places.end - part.places.start);
        // The levels of the ends are equal at most where a level is 0 or 1, and then so is this
        // one.
        let inner = (level - part.levels.0) / (part.levels.1 - part.levels.0);
        let inner = if inner.is_nan() { 0.5 } else { inner.clamp(0.0, 1.0) };
        let score = self.score(inner, is_first);
        let reach = score.reach(total);
        let around = score.window(part.records.len(), reach);
        let before = around.start;
        let ranks = part.records.start + around.start..part.records.start + around.end;
        let cell = |place: u64| Cell { low: place - start, high: place - start + 1 };
        let cells: Vec<Cell> = line.places(ranks).into_iter().map(cell).collect();
        let window = Window { size: part.records.len(), before, cells: &cells };
        let counts = |place: u64| {
            let mut count = |place| line.count_below(start + place, part.records.clone());
            (count(place), count(place + 1))
        };
        start + score.choose(total, reach, &window, counts, rng)
    }
}

impl<A: Adjacency, G: Guarantee> Measurement for ExponentialQuantiles<A, G> {
    type Data = [f64];
    type Output = Vec<f64>;
    type Guarantee = G;
    type Adjacency = A;

    fn guarantee(&self) -> G {
        self.guarantee.clone()
    }

    /// # Errors
    /// [`Error::WrongSize`] under replace-one, for another number of records than was declared.
    fn draw<R: Rng + ?Sized>(&self, data: &[f64], rng: &mut R) -> Result<Vec<f64>, Error> {
        if let Some(declared) = self.quantiles.size
            && declared != data.len()
        {
            return Err(Error::WrongSize { declared, found: data.len() });
        }
        let mut line = Line::new(data, &self.candidates);
        let all = Part { records: 0..data.len(), places: 0..line.total(), levels: (0.0, 1.0) };
        let mut released = vec![0; self.quantiles.levels.len()];
        self.divide(0..released.len(), &all, &mut line, &mut released, rng);
        Ok(released.into_iter().map(|place| line.at(place)).collect())
    }
}

/// What a release is computed from, for oracles.
#[cfg(any(test, feature = "internals"))]
impl<A: Adjacency, G: Guarantee> ExponentialQuantiles<A, G> {
    /// θ for a level within a part, which is all records for the first release.
    pub fn steepness(&self, level: f64, is_first: bool) -> f64 {
        self.score(level, is_first).steepness
    }

    /// The places of the records, in order, and how many places there are.
    pub fn places(&self, data: &[f64]) -> (Vec<u64>, u64) {
        let mut line = Line::new(data, &self.candidates);
        (line.places(0..data.len()), line.total())
    }
}
