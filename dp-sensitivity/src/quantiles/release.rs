//! One quantile by the exponential mechanism.

use core::marker::PhantomData;
use core::num::NonZero;

use dp_core::pairs::BoundedRangePair;
use dp_core::rounding::Enclosure;
use dp_core::{Adjacency, Epsilon, Error, Guarantee, Measurement, Pure, Zcdp};
use rand_core::Rng;

use super::candidates::{Candidates, Cell};
use super::choice::{Score, Window};
use super::price::{Neighbours, range_for_epsilon, range_for_rho, steepness};
use crate::Quantile;
use crate::arguments::positive;

impl<A: Adjacency> Quantile<A> {
    /// This quantile released with ε-privacy, by the exponential mechanism: the default for medians
    /// and all other quantiles.
    ///
    /// ```
    /// use dp_core::{Bounds, Measurement, Pure};
    /// use dp_mechanisms::rng::OsSeeded;
    /// use dp_sensitivity::Quantile;
    ///
    /// let wages: Vec<f64> = (0..501).map(|i| 20_000.0 + 1000.0 * f64::from(i / 10)).collect();
    /// let median = Quantile::median(Bounds::new(0.0, 200_000.0)?).epsilon(1.0)?;
    /// assert_eq!(median.guarantee(), Pure::new(1.0)?);
    /// let released = median.release(&wages, &mut OsSeeded::new()?)?;
    /// assert!((20_000.0..=70_000.0).contains(&released));
    /// # Ok::<(), dp_mechanisms::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞.
    pub fn epsilon(self, epsilon: f64) -> Result<ExponentialQuantile<A, Pure>, Error> {
        let range = range_for_epsilon(positive("epsilon", epsilon)?, NonZero::<u32>::MIN);
        Ok(ExponentialQuantile::new(self, range, Pure::new(epsilon)?))
    }

    /// This quantile released with ρ-zCDP, by the exponential mechanism.
    ///
    /// ```
    /// use dp_core::{Bounds, Measurement, Zcdp};
    /// use dp_sensitivity::Quantile;
    ///
    /// let median = Quantile::median(Bounds::new(0.0, 10.0)?).rho(0.125)?;
    /// assert_eq!(median.guarantee(), Zcdp::new(0.125)?); // what ε = 1 gives
    /// # Ok::<(), dp_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ρ < ∞.
    pub fn rho(self, rho: f64) -> Result<ExponentialQuantile<A, Zcdp>, Error> {
        let range = range_for_rho(positive("rho", rho)?, NonZero::<u32>::MIN);
        Ok(ExponentialQuantile::new(self, range, Zcdp::new(rho)?))
    }
}

/// A quantile by the exponential mechanism, made by [`Quantile::epsilon`] and [`Quantile::rho`].
///
/// A candidate v is released with probability in proportion to its weight times e^(θ·u(v)), where
///
/// > u(v) = −dist(p·n, [#{x < v}, #{x ≤ v}])
///
/// is how many ranks away from the target v is, less than zero. The candidates are decimals within
/// the bounds, of fifteen digits from the leading one of the bounds. Their weights are public: half
/// of the total is even, and half lies on round numbers, because data lie there. See
/// [`on_multiples_of`](Self::on_multiples_of) for candidates of your own.
///
/// **Theorem** (claim S23). With θ = ε/(2·max(p, 1−p)) under add/remove, θ = ε/2 under replace-one,
/// and θ = ε for the minimum and the maximum under both, the losses of a release span at most ε for
/// each pair of neighbours: *bounded range* ε, which is ε-privacy, ε²/8-zCDP, and gives an
/// accountant the [`BoundedRangePair`]. So ρ-zCDP takes ε = √(8ρ).
///
/// *Proof.* The loss of v is θ·(u(v) − u′(v)) plus a constant, the logarithm of the ratio of the
/// totals. Between neighbours all differences of scores lie in an interval of length ε/θ (the
/// source shows it, `price`). Both laws add up to 1, so no interval of losses is on one side of 0.
/// ∎ For the median that is a factor of e^−ε per rank.
///
/// # Why round numbers weigh more
/// People report wages in thousands. An even density gives the heap at 43 000 no probability at
/// all, and the gap beside it a large one; so an exponential mechanism on reals misses a median
/// that half of the records share. Records on a candidate share its weight, which is that of a gap
/// of a sixth of the distance to the next candidate of its kind. Data without heaps lose a factor
/// of two in the weight of their gaps: ln 2/θ ranks at most.
///
/// # Which records count
/// Records are clamped to the bounds, `NaN` is taken as their middle, and each is rounded to the
/// nearest candidate. On no records at all every candidate has its weight. Whatever the records
/// hold, a release has an answer.
///
/// # Timing
/// To find the records around the target takes a time that depends on their number and their order,
/// as for every query; data that are in order, none of them `NaN`, are not copied. From there on
/// the work is the same for the same number of records, whatever they hold: all ranks up to R =
/// ⌈(ln W + 28)/θ⌉ on both sides of the target are looked at, W the total weight. One draw in 2⁴⁰
/// or fewer goes farther out; and more digits are taken where a uniform real lies closer to the end
/// of a piece than floats tell, which is about one draw in 2⁵⁰/k² for k ranks.
///
/// Checked as S23 by `cargo xtask verify`.
#[derive(Clone, Debug, PartialEq)]
pub struct ExponentialQuantile<A, G> {
    quantile: Quantile<A>,
    range: f64,
    guarantee: G,
    candidates: Candidates,
    /// Invariant: a quantile under another relation has another price.
    calibrated: PhantomData<fn(A) -> A>,
}

impl<A: Adjacency, G: Guarantee> ExponentialQuantile<A, G> {
    fn new(quantile: Quantile<A>, range: f64, guarantee: G) -> Self {
        let candidates = Candidates::round_numbers(quantile.bounds());
        Self { quantile, range, guarantee, candidates, calibrated: PhantomData }
    }

    /// The same, with the multiples of a step within the bounds as candidates, all of the same
    /// weight. Choose the step without looking at the data.
    ///
    /// ```
    /// use dp_core::{Bounds, Measurement};
    /// use dp_mechanisms::rng::OsSeeded;
    /// use dp_sensitivity::Quantile;
    ///
    /// let age = Quantile::median(Bounds::new(0.0, 120.0)?).epsilon(0.5)?.on_multiples_of(1.0)?;
    /// let released = age.release(&[31.0, 40.0, 40.0, 62.0], &mut OsSeeded::new()?)?;
    /// assert_eq!(released.fract(), 0.0);
    /// # Ok::<(), dp_mechanisms::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a step that is not positive, or below 2⁻⁵⁰ of the larger bound,
    /// and [`Error::Unreachable`] when no multiple lies within the bounds.
    pub fn on_multiples_of(self, step: f64) -> Result<Self, Error> {
        let candidates = Candidates::multiples(self.quantile.bounds(), step)?;
        Ok(Self { candidates, ..self })
    }

    /// What is asked.
    pub const fn quantile(&self) -> &Quantile<A> {
        &self.quantile
    }

    /// θ: each rank farther from the target makes a candidate less likely by the factor e^−θ.
    #[must_use]
    pub fn steepness(&self) -> f64 {
        self.score().steepness
    }

    /// The pair that dominates it: what an accountant asks for.
    #[must_use]
    pub fn dominating_pair(&self) -> BoundedRangePair {
        BoundedRangePair::new(Epsilon::saturating(self.range))
    }

    /// A bound on how many ranks the released number is off, which holds except with probability
    /// `beta`: for any data, the target p·n is at most that far from the ranks of the number.
    ///
    /// **Theorem.** ln(W/β)/θ, where W is the total weight in units of the least one. *Proof.* Some
    /// candidate has the score 0, and weighs at least 1; all others together have at most W·e^(−θt)
    /// beyond t ranks. ∎ Most data need far less.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < `beta` ≤ 1.
    pub fn rank_error_bound(&self, beta: f64) -> Result<f64, Error> {
        crate::arguments::within("beta", "(0, 1]", beta, beta > 0.0 && beta <= 1.0)?;
        let logarithm = (Enclosure::integer(self.candidates.total()) / Enclosure::point(beta)).ln();
        Ok((logarithm / Enclosure::point(self.steepness())).hi())
    }

    fn score(&self) -> Score {
        let neighbours =
            if self.quantile.size().is_some() { Neighbours::Replaced } else { Neighbours::Resized };
        let level = self.quantile.level();
        Score { level, steepness: steepness(self.range, level, neighbours) }
    }

    /// The place on the line of weights, with R ranks looked at on both sides.
    fn place<R: Rng + ?Sized>(&self, data: &[f64], reach: usize, rng: &mut R) -> u64 {
        let (score, candidates) = (self.score(), &self.candidates);
        let around = score.window(data.len(), reach);
        let before = around.start;
        let cells: Vec<Cell> = if is_in_order(data) {
            data[around].iter().map(|record| candidates.cell(*record)).collect()
        } else {
            let bounds = self.quantile.bounds();
            let mut records: Vec<f64> = data.iter().map(|record| bounds.clamp(*record)).collect();
            sorted_within(&mut records, around).iter().map(|record| candidates.cell(*record)).collect()
        };
        let counts = |place: u64| {
            data.iter().map(|record| candidates.cell(*record)).fold((0, 0), |(ended, begun), cell| {
                (ended + usize::from(cell.high <= place), begun + usize::from(cell.low <= place))
            })
        };
        let window = Window { size: data.len(), before, cells: &cells };
        score.choose(candidates.total(), reach, &window, counts, rng)
    }
}

/// Whether the records are in order; those that are no numbers are in none. Whole blocks are looked
/// at, which takes vectors of comparisons.
pub(super) fn is_in_order(data: &[f64]) -> bool {
    const BLOCK: usize = 1 << 10;
    let following = data.get(1..).unwrap_or(&[]);
    let mut blocks = data.chunks(BLOCK).zip(following.chunks(BLOCK));
    blocks.all(|(these, next)| these.iter().zip(next).fold(true, |rises, (a, b)| rises & (a <= b)))
}

/// The records of these ranks, in order.
fn sorted_within(records: &mut [f64], ranks: core::ops::Range<usize>) -> &[f64] {
    if ranks.is_empty() {
        return &[];
    }
    let mut rest = records;
    if ranks.end < rest.len() {
        rest.select_nth_unstable_by(ranks.end, f64::total_cmp);
        rest = &mut rest[..ranks.end];
    }
    if ranks.start > 0 {
        rest.select_nth_unstable_by(ranks.start, f64::total_cmp);
        rest = &mut rest[ranks.start..];
    }
    rest.sort_unstable_by(f64::total_cmp);
    rest
}

impl<A: Adjacency, G: Guarantee> Measurement for ExponentialQuantile<A, G> {
    type Data = [f64];
    type Output = f64;
    type Guarantee = G;
    type Adjacency = A;

    fn guarantee(&self) -> G {
        self.guarantee.clone()
    }

    /// # Errors
    /// [`Error::WrongSize`] under replace-one, for another number of records than was declared.
    fn draw<R: Rng + ?Sized>(&self, data: &[f64], rng: &mut R) -> Result<f64, Error> {
        if let Some(declared) = self.quantile.size()
            && declared != data.len()
        {
            return Err(Error::WrongSize { declared, found: data.len() });
        }
        let reach = self.score().reach(self.candidates.total());
        Ok(self.candidates.at(self.place(data, reach, rng)))
    }
}

/// What a release is computed from, for oracles.
#[cfg(any(test, feature = "internals"))]
impl<A: Adjacency, G: Guarantee> ExponentialQuantile<A, G> {
    /// [`draw`](Measurement::draw), with only this many ranks looked at in every draw.
    pub fn draw_within<R: Rng + ?Sized>(&self, data: &[f64], reach: usize, rng: &mut R) -> f64 {
        self.candidates.at(self.place(data, reach, rng))
    }

    /// The candidates that are in the cells of these bounds, with their weights; for few of them.
    pub fn candidates(&self) -> Vec<(f64, u64)> {
        let (mut place, mut all) = (0, Vec::new());
        while place < self.candidates.total() {
            let value = self.candidates.at(place);
            let cell = self.candidates.cell(value);
            all.push((value, cell.high - cell.low));
            place = cell.high;
        }
        all
    }

    /// The bounds of the records.
    pub fn bounds(&self) -> dp_core::Bounds {
        self.quantile.bounds()
    }
}
