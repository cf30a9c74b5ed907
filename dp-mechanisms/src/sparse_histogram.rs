//! Histograms over universes too large to list.

use std::collections::BTreeMap;

use dp_core::pairs::LaplacePair;
use dp_core::rounding::Enclosure;
use dp_core::search::smallest_integer;
use dp_core::{Calibrate, Dominated, Error, ForGuarantee, L1, MeasuredIn, Mechanism, Pure, Scale};
use rand_core::Rng;

use crate::Laplace;
use crate::arguments::{integer, positive, within};
use crate::sample::{Bits, Gaps};

/// Adds Laplace noise to *every* cell of a universe of up to 2⁶⁴ cells, publishes those that pass a
/// threshold, and never visits the others.
///
/// **Theorem** (Cormode, Procopiuc, Srivastava and Tran 2012). Let N be Laplace noise of scale b,
/// rounded to the nearest integer, independent for each cell. The list of all cells with
/// count + N ≥ T, with these values, is post-processing of the noisy histogram of the whole
/// universe, hence (Δ₁/b)-private. Its law is sampled exactly by visiting the cells that are not
/// empty, and of the empty ones those that pass, each of which does with probability
/// p = ½e^(−(T−½)/b).
///
/// **Sampling.** Empty cells are independent trials in the order of their numbers, so the gaps
/// between those that pass are geometric: they are drawn exactly, from as many random bits as
/// needed. The value of an empty cell that passes is a draw of T − ½ + Laplace that came out above
/// T − ½, rounded: that is the law of N given N ≥ T. So the time is proportional to the output, and
/// the δ of a [`StabilityHistogram`](crate::StabilityHistogram) is not needed. The price: empty
/// cells are published too, as if there were records in them.
///
/// **Timing.** The time of a draw grows with the number of cells that are not empty,
/// which the guarantee does not cover.
///
/// Counts of cells outside of the universe are left out.
///
/// ```
/// use std::collections::BTreeMap;
/// use dp_core::{AddRemove, Calibrate, L1, Mechanism, Pure, Sensitivity};
/// use dp_mechanisms::{SparseHistogram, rng::OsSeeded};
///
/// // Two coordinates on a grid of a million steps each; about ten empty cells may be published.
/// let one_place_each = Sensitivity::<L1, AddRemove>::new(1.0)?;
/// let target = SparseHistogram::epsilon(0.5, 1_000_000_000_000, 10.0)?;
/// let (noise, guarantee) = target.calibrate(one_place_each)?;
/// assert_eq!((guarantee, noise.threshold()), (Pure::new(0.5)?, 50));
///
/// let places = BTreeMap::from([(123_456_789, 500), (42, 1)]);
/// let published = noise.draw(&places, &mut OsSeeded::new()?)?;
/// assert!(published.contains_key(&123_456_789));
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Written", into = "Written"))]
pub struct SparseHistogram {
    noise: Laplace,
    universe: u64,
    threshold: u64,
}

/// The largest threshold: T − ½ is a float up to here.
const HIGHEST: u64 = 1 << 52;

/// The largest expected number of empty cells that pass: they are listed in memory.
const MOST_EXPECTED: f64 = 16_777_216.0;

impl SparseHistogram {
    /// "As little noise as makes the release ε-private, and the least threshold that about
    /// `expected` empty cells of the universe pass": what [`Query::with`](dp_core::Query::with)
    /// takes.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞, the universe has a cell, and 0 < expected ≤ 2²⁴.
    pub fn epsilon(epsilon: f64, universe: u64, expected: f64) -> Result<SparseTarget, Error> {
        let guarantee = Pure::new(positive("epsilon", epsilon)?)?;
        integer("universe", "[1, ∞)", universe, 1..)?;
        within("expected", "(0, 2^24]", expected, expected > 0.0 && expected <= MOST_EXPECTED)?;
        Ok(SparseTarget { guarantee, universe, expected })
    }

    /// Noise of scale b on the cells 0, …, `universe` − 1, and a threshold T.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 1 ≤ T ≤ 2⁵², b ≤ 2¹⁰⁰, the universe has a cell, and at most 2²⁴
    /// empty cells are expected to pass.
    pub fn new(scale: Scale, universe: u64, threshold: u64) -> Result<Self, Error> {
        integer("universe", "[1, ∞)", universe, 1..)?;
        integer("threshold", "[1, 2^52]", threshold, 1..=HIGHEST)?;
        let histogram = Self { noise: Laplace::with_scale(scale).on_grid(0)?, universe, threshold };
        let expected = histogram.expected_false_cells();
        let argument = "the number of empty cells that are expected to pass the threshold";
        within(argument, "[0, 2^24]", expected, expected <= MOST_EXPECTED)?;
        Ok(histogram)
    }

    /// The scale b of the noise.
    #[must_use]
    pub const fn scale(&self) -> Scale {
        self.noise.scale()
    }

    /// The number of cells.
    #[must_use]
    pub const fn universe(&self) -> u64 {
        self.universe
    }

    /// The threshold T: the least value that is published.
    #[must_use]
    pub const fn threshold(&self) -> u64 {
        self.threshold
    }

    /// An upper bound on the expected number of cells that are published from an empty universe.
    #[must_use]
    pub fn expected_false_cells(&self) -> f64 {
        #[allow(clippy::cast_precision_loss)]
        let cells = Enclosure::point((self.universe as f64).next_up());
        let exponent = Enclosure::point(self.edge()) / Enclosure::point(self.scale().get());
        (cells * Enclosure::point(0.5) * (-exponent).exp()).hi()
    }

    /// T − ½: the real threshold.
    fn edge(&self) -> f64 {
        #[allow(clippy::cast_precision_loss)] // at most 2⁵², so that the half is exact too
        let edge = self.threshold as f64 - 0.5;
        edge
    }

    /// The values of the empty cells that pass, by the number of empty cells before them.
    fn draw_empty<R: Rng + ?Sized>(&self, cells: u64, rng: &mut R) -> Result<Vec<(u64, u64)>, Error> {
        let gaps = Gaps::new(self.edge(), self.scale());
        let (mut passed, mut next) = (Vec::new(), 0);
        while let Some(gap) = gaps.draw(cells - next, &mut Bits::new(rng)) {
            passed.push((next + gap, self.draw_passing(rng)?));
            next += gap + 1;
        }
        Ok(passed)
    }

    /// A draw of N given N ≥ T: the noise that a cell of T − ½ gets, if it is upwards.
    fn draw_passing<R: Rng + ?Sized>(&self, rng: &mut R) -> Result<u64, Error> {
        loop {
            let value = whole(self.noise.draw(&self.edge(), rng)?);
            if value >= self.threshold {
                return Ok(value);
            }
        }
    }
}

/// A released whole number; negative ones become 0, which no threshold lets pass.
fn whole(value: f64) -> u64 {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
    let value = value as u64;
    value
}

impl Mechanism for SparseHistogram {
    type Input = BTreeMap<u64, u64>;
    type Output = BTreeMap<u64, u64>;
    type Norm = L1;
    type Guarantee = Pure;

    fn guarantee(&self, sensitivity: impl MeasuredIn<L1>) -> Pure {
        self.noise.guarantee(sensitivity)
    }

    /// Never fails.
    fn draw<R: Rng + ?Sized>(
        &self,
        answer: &BTreeMap<u64, u64>,
        rng: &mut R,
    ) -> Result<BTreeMap<u64, u64>, Error> {
        let occupied = || answer.range(..self.universe).filter(|(_, count)| **count > 0);
        let mut published = BTreeMap::new();
        for (cell, count) in occupied() {
            #[allow(clippy::cast_precision_loss)]
            // exact up to 2⁵³ and constant beyond: never farther apart than the counts
            let value = whole(self.noise.draw(&((*count).min(1 << 53) as f64), rng)?);
            if value >= self.threshold {
                published.insert(*cell, value);
            }
        }
        let count = u64::try_from(occupied().count()).expect("cells have different numbers of 64 bits");
        // The empty cell with `before` empty cells before it also has all occupied cells before it
        // whose number is not larger.
        let mut occupied = occupied().map(|(cell, _)| *cell).peekable();
        let mut skipped = 0;
        for (before, value) in self.draw_empty(self.universe - count, rng)? {
            while occupied.next_if(|cell| *cell <= before + skipped).is_some() {
                skipped += 1;
            }
            published.insert(before + skipped, value);
        }
        Ok(published)
    }
}

/// The noisy histogram of the whole universe is [dominated](crate::Vector) by one coordinate, and
/// what is published is computed from it.
impl Dominated for SparseHistogram {
    type Pair = LaplacePair;

    fn dominating_pair(&self, sensitivity: impl MeasuredIn<L1>) -> Result<LaplacePair, Error> {
        self.noise.dominating_pair(sensitivity)
    }
}

/// The target of [`SparseHistogram::epsilon`]: becomes a [`SparseHistogram`] when the sensitivity
/// is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SparseTarget {
    guarantee: Pure,
    universe: u64,
    expected: f64,
}

impl Calibrate for SparseTarget {
    type Mechanism = SparseHistogram;
    type Guarantee = Pure;

    /// b = Δ₁/ε, rounded up, and the least threshold that keeps the expectation.
    fn calibrate(self, sensitivity: impl MeasuredIn<L1>) -> Result<(SparseHistogram, Pure), Error> {
        let scale = Laplace::for_guarantee(&self.guarantee, sensitivity)?.scale();
        let suffices = |threshold: u64| {
            SparseHistogram::new(scale, self.universe, threshold)
                .is_ok_and(|histogram| histogram.expected_false_cells() <= self.expected)
        };
        let threshold = smallest_integer(1, HIGHEST, suffices).ok_or(Error::Unreachable {
            request: "a threshold for this epsilon, sensitivity and universe",
            instead: "allow a larger epsilon, or make the universe coarser",
        })?;
        Ok((SparseHistogram::new(scale, self.universe, threshold)?, self.guarantee))
    }
}

#[cfg(feature = "serde")]
dp_core::on_disk! {
    Written for histogram: SparseHistogram {
        scale: Scale = histogram.scale(),
        universe: u64 = histogram.universe,
        threshold: u64 = histogram.threshold,
    } => Self::new(scale, universe, threshold)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Insecure;
    use dp_core::pairs::DominatingPair;
    use dp_core::{AddRemove, Sensitivity};

    fn apart(by: f64) -> Sensitivity<L1, AddRemove> {
        Sensitivity::new(by).unwrap()
    }

    fn histogram(scale: f64, universe: u64, threshold: u64) -> SparseHistogram {
        SparseHistogram::new(Scale::new(scale).unwrap(), universe, threshold).unwrap()
    }

    /// Noise on every cell, one by one: what the sparse way must look like.
    fn densely(
        histogram: &SparseHistogram,
        counts: &BTreeMap<u64, u64>,
        rng: &mut Insecure,
    ) -> BTreeMap<u64, u64> {
        let mut published = BTreeMap::new();
        for cell in 0..histogram.universe {
            let count = u32::try_from(counts.get(&cell).copied().unwrap_or(0)).unwrap();
            let value = histogram.noise.draw(&f64::from(count), rng).unwrap();
            if whole(value) >= histogram.threshold {
                published.insert(cell, whole(value));
            }
        }
        published
    }

    #[test]
    fn sparse_and_dense_have_the_same_law() {
        const DRAWS: u32 = 20_000;
        let histogram = histogram(1.5, 6, 2);
        let counts = BTreeMap::from([(1, 3), (4, 1), (99, 50)]); // the last is not in the universe
        let mut rng = Insecure::seeded(11);
        let (mut sparse, mut dense) = (BTreeMap::new(), BTreeMap::new());
        for _ in 0..DRAWS {
            *sparse.entry(histogram.draw(&counts, &mut rng).unwrap()).or_insert(0u32) += 1;
            *dense.entry(densely(&histogram, &counts, &mut rng)).or_insert(0u32) += 1;
        }
        // The shares of 64 sets of published cells, and of values in the empty cell 5 and the
        // occupied cell 1, differ by less than 2√(ln(2·m/10⁻⁹)/2n) for all m = 200 events at once,
        // but for a probability of 10⁻⁹ (Hoeffding, for each of the two samples).
        let limit = 2.0 * ((2.0 * 400.0 / 1e-9f64).ln() / (2.0 * f64::from(DRAWS))).sqrt();
        let share = |sample: &BTreeMap<BTreeMap<u64, u64>, u32>,
                     event: &dyn Fn(&BTreeMap<u64, u64>) -> bool| {
            f64::from(sample.iter().filter(|(release, _)| event(release)).map(|(_, n)| n).sum::<u32>())
                / f64::from(DRAWS)
        };
        let compare = |event: &dyn Fn(&BTreeMap<u64, u64>) -> bool| {
            let (a, b) = (share(&sparse, event), share(&dense, event));
            assert!((a - b).abs() < limit, "{a} {b}");
        };
        for set in 0..64u64 {
            compare(&|release| (0..6).all(|cell| release.contains_key(&cell) == (set >> cell & 1 == 1)));
        }
        for cell in [0, 1, 3, 5] {
            for value in 2..12 {
                compare(&|release| release.get(&cell) == Some(&value));
            }
        }
        assert!(sparse.keys().flat_map(BTreeMap::values).all(|value| *value >= 2));
        // The comparison has teeth: an empty cell passes with probability ½e^−1 ≈ 0.18, and the
        // limit is far below that.
        assert!(limit < 0.06 && share(&sparse, &|release| release.contains_key(&5)) > 0.15);
    }

    #[test]
    fn values_of_empty_cells_fall_by_the_same_factor() {
        const DRAWS: u32 = 40_000;
        let histogram = histogram(1.5, 100, 7);
        let mut rng = Insecure::seeded(12);
        let values: Vec<u64> = (0..DRAWS).map(|_| histogram.draw_passing(&mut rng).unwrap()).collect();
        // Pr(N ≥ T + j | N ≥ T) = e^(−j/b), each of ten shares within √(ln(20/10⁻⁹)/2n) but for a
        // probability of 10⁻⁹ (Hoeffding).
        let slack = ((20.0 / 1e-9f64).ln() / (2.0 * f64::from(DRAWS))).sqrt();
        for j in 0..10u8 {
            let above = values.iter().filter(|value| **value >= 7 + u64::from(j)).count();
            let share = f64::from(u32::try_from(above).unwrap()) / f64::from(DRAWS);
            assert!((share - (-f64::from(j) / 1.5).exp()).abs() < slack, "{j}: {share}");
        }
    }

    #[test]
    fn huge_universes_take_little_time() {
        let (noise, _) =
            SparseHistogram::epsilon(1.0, u64::MAX, 20.0).unwrap().calibrate(apart(1.0)).unwrap();
        let counts = BTreeMap::from([(0, 1000), (u64::MAX - 1, 1000), (u64::MAX, 1000)]);
        let mut rng = Insecure::seeded(3);
        let published = noise.draw(&counts, &mut rng).unwrap();
        assert!(published.contains_key(&0) && published.contains_key(&(u64::MAX - 1)));
        assert!(!published.contains_key(&u64::MAX)); // the universe ends before it
        assert!((4..60).contains(&published.len()), "{}", published.len()); // two, and a Poisson number of mean ≤ 20
    }

    #[test]
    fn the_threshold_is_the_least_that_suffices() {
        for (epsilon, universe, expected) in [(1.0, 1000, 1.0), (0.1, 1 << 40, 5.0), (5.0, 3, 0.001)] {
            let (noise, guarantee) =
                SparseHistogram::epsilon(epsilon, universe, expected).unwrap().calibrate(apart(2.0)).unwrap();
            assert_eq!(guarantee, Pure::new(epsilon).unwrap());
            assert!(noise.guarantee(apart(2.0)).epsilon().get() <= epsilon);
            assert!(noise.expected_false_cells() <= expected);
            assert!(noise.dominating_pair(apart(2.0)).unwrap().max_loss() <= epsilon);
            let lower = SparseHistogram::new(noise.scale(), universe, noise.threshold() - 1);
            assert!(lower.is_err() || lower.unwrap().expected_false_cells() > expected);
        }
    }

    #[test]
    fn bad_requests_are_refused() {
        let scale = |b: f64| Scale::new(b).unwrap();
        assert!(SparseHistogram::new(scale(1.0), 0, 5).is_err());
        assert!(SparseHistogram::new(scale(1.0), 10, 0).is_err());
        assert!(SparseHistogram::new(scale(1.0), 10, HIGHEST + 1).is_err());
        let message = SparseHistogram::new(scale(1.0), u64::MAX, 1).unwrap_err().to_string();
        assert!(message.starts_with("the number of empty cells"), "{message}");
        for (epsilon, universe, expected) in
            [(0.0, 9, 1.0), (f64::NAN, 9, 1.0), (1.0, 0, 1.0), (1.0, 9, 0.0), (1.0, 9, f64::NAN)]
        {
            assert!(SparseHistogram::epsilon(epsilon, universe, expected).is_err());
        }
        assert!(SparseHistogram::epsilon(1.0, 9, 1.0).unwrap().calibrate(apart(0.0)).is_err());
        assert!(SparseHistogram::epsilon(1e-17, 9, 1e-9).unwrap().calibrate(apart(1.0)).is_err());
    }

    #[cfg(feature = "serde")]
    #[test]
    fn reading_validates_as_the_constructor_does() {
        let noise = histogram(2.0, 100, 9);
        let written = serde_json::to_string(&noise).unwrap();
        assert_eq!(written, r#"{"scale":2.0,"universe":100,"threshold":9}"#);
        assert_eq!(serde_json::from_str::<SparseHistogram>(&written).unwrap(), noise);
        assert!(
            serde_json::from_str::<SparseHistogram>(r#"{"scale":2,"universe":0,"threshold":9}"#).is_err()
        );
    }
}
