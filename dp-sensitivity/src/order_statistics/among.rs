//! A quantile chosen among listed candidates.

use core::fmt;

use dp_core::measurement::Noisy;
use dp_core::{
    AddRemove, Adjacency, Error, Finite, FiniteVec, Guarantee, LInf, Measurement, Pure, Query, ReplaceOne,
    Sensitivity, SensitivityIn, Zcdp,
};
use dp_mechanisms::selection::{Exponential, PermuteAndFlip};
use rand_core::Rng;

use super::Quantile;
use crate::arguments::integer;

/// How well each of a list of candidates would do as a quantile, made by [`Quantile::among`].
///
/// The score of v is −dist(q·n, [#{x < v}, #{x ≤ v}]): how many ranks it is off. So that scores are
/// exact floats, q is rounded to a multiple of 2⁻³⁰, and who is off by more than 2²² ranks is off
/// by that.
///
/// **Theorem** (claim S35). The sensitivity in ℓ∞ is max(q, 1 − q) under add/remove, and 1 under
/// replace-one.
///
/// *Proof.* Write the score as −dist(0, [A, B]) with A = #{x < v} − q·n and B = #{x ≤ v} − q·n. A
/// record more moves each of A and B by −q or 1 − q. The distance of 0 from an interval moves by no
/// more than its ends do, and to cut it off at a constant brings two distances no farther apart. A
/// record that is replaced does not move q·n, and A and B by −1, 0 or 1. ∎
///
/// Checked as S35 by `cargo xtask verify`.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantileAmong<A> {
    quantile: Quantile<A>,
    candidates: Vec<f64>,
}

/// Levels are multiples of 1/UNITS, and scores, too.
const UNITS: i128 = 1 << 30;
/// The largest distance from the target, in ranks.
const FARTHEST: i128 = 1 << 22;

impl<A: Adjacency> Quantile<A> {
    /// This quantile, chosen among candidates that are listed without looking at the data.
    ///
    /// Under ε they are chosen by permute-and-flip, which is at least as good as the exponential
    /// mechanism on the same list, and looks at all of it: some thousands are fine.
    /// [`Quantile::epsilon`] needs no list, and its candidates may be as fine as floats.
    ///
    /// Records keep their place between candidates; `on_multiples_of` rounds each to its nearest
    /// candidate instead, which is better where many records share a number that is none.
    ///
    /// ```
    /// use dp_core::{Bounds, Measurement, Pure};
    /// use dp_mechanisms::rng::OsSeeded;
    /// use dp_sensitivity::Quantile;
    ///
    /// let ages = [31.0, 40.0, 40.0, 62.0, 17.0];
    /// let median = Quantile::median(Bounds::new(0.0, 120.0)?).among((0..=120).map(f64::from))?;
    /// let release = median.epsilon(0.5)?;
    /// assert_eq!(release.guarantee(), Pure::new(0.5)?);
    /// let released = release.release(&ages, &mut OsSeeded::new()?)?;
    /// assert!((0.0..=120.0).contains(&released));
    /// # Ok::<(), dp_mechanisms::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Empty`] without a candidate between the bounds, [`Error::OutOfRange`] for more than
    /// 2²⁴ candidates.
    pub fn among(self, candidates: impl IntoIterator<Item = f64>) -> Result<QuantileAmong<A>, Error> {
        const MOST: usize = 1 << 24;
        let bounds = self.bounds();
        let lies_between = |x: &f64| (bounds.lower()..=bounds.upper()).contains(x);
        let mut candidates: Vec<f64> = candidates.into_iter().take(MOST + 1).collect();
        integer("the number of candidates", "[0, 2^24]", candidates.len(), 0..=MOST)?;
        candidates.retain(lies_between);
        candidates.sort_by(f64::total_cmp);
        candidates.dedup();
        if candidates.is_empty() {
            return Err(Error::Empty { argument: "the list of candidates between the bounds" });
        }
        Ok(QuantileAmong { quantile: self, candidates })
    }
}

impl<A: Adjacency> QuantileAmong<A> {
    /// The candidates between the bounds, in order.
    #[must_use]
    pub fn candidates(&self) -> &[f64] {
        &self.candidates
    }

    /// q in units.
    fn level(&self) -> i128 {
        #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)] // at most 2³⁰
        let level = (self.quantile.level() * UNITS as f64).round() as i128;
        level
    }
}

impl<A: Step> QuantileAmong<A>
where
    Self: SensitivityIn<LInf> + Query<Answer = FiniteVec, Data = [f64], Adjacency = A>,
{
    /// The candidate that is chosen with ε-privacy, by permute-and-flip.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞.
    pub fn epsilon(self, epsilon: f64) -> Result<ChosenQuantile<A, PermuteAndFlip, Pure>, Error> {
        Ok(ChosenQuantile { scores: self.with(PermuteAndFlip::epsilon(epsilon)?)? })
    }

    /// The candidate that is chosen with ρ-zCDP, by the exponential mechanism.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ρ < ∞.
    pub fn rho(self, rho: f64) -> Result<ChosenQuantile<A, Exponential, Zcdp>, Error> {
        Ok(ChosenQuantile { scores: self.with(Exponential::rho(rho)?)? })
    }
}

impl<A: Adjacency> Query for QuantileAmong<A> {
    type Data = [f64];
    type Answer = FiniteVec;
    type Adjacency = A;

    fn answer(&self, data: &[f64]) -> Result<FiniteVec, Error> {
        if let Some(declared) = self.quantile.size()
            && declared != data.len()
        {
            return Err(Error::WrongSize { declared, found: data.len() });
        }
        // How many more records there are below a candidate, and up to it, than for the one before.
        let (mut below, mut up_to) =
            (vec![0i128; self.candidates.len() + 1], vec![0i128; self.candidates.len() + 1]);
        for record in data {
            let record = self.quantile.bounds().clamp(*record);
            below[self.candidates.partition_point(|v| *v <= record)] += UNITS;
            up_to[self.candidates.partition_point(|v| *v < record)] += UNITS;
        }
        let target = self.level() * i128::try_from(data.len()).expect("a number of records");
        let (mut low, mut high) = (-target, -target);
        let scores = below.iter().zip(&up_to).take(self.candidates.len()).map(|(below, up_to)| {
            low += below;
            high += up_to;
            let off = low.max(-high).clamp(0, FARTHEST * UNITS);
            #[allow(clippy::cast_precision_loss)] // whole numbers up to 2⁵²
            let score = -(off as f64) / UNITS as f64;
            Finite::or_zero(score)
        });
        Ok(scores.collect())
    }
}

/// What a step of a relation does to scores.
pub trait Step: Adjacency {
    /// The sensitivity at a level.
    fn moves(level: f64) -> f64;
}

impl Step for AddRemove {
    fn moves(level: f64) -> f64 {
        level.max(1.0 - level)
    }
}

impl Step for ReplaceOne {
    fn moves(_: f64) -> f64 {
        1.0
    }
}

impl<A: Step> SensitivityIn<LInf> for QuantileAmong<A> {
    fn sensitivity(&self) -> Sensitivity<LInf, A> {
        #[allow(clippy::cast_precision_loss)] // at most 2³⁰, and exact as a share of that
        let level = self.level() as f64 / UNITS as f64;
        Sensitivity::new(A::moves(level)).expect("between a half and one")
    }
}

/// A quantile that is chosen among listed candidates, made by [`QuantileAmong::epsilon`] and
/// [`QuantileAmong::rho`].
#[derive(Clone, PartialEq)]
pub struct ChosenQuantile<A, M, G> {
    scores: Noisy<QuantileAmong<A>, M, G>,
}

impl<A, M, G> ChosenQuantile<A, M, G> {
    /// The choice of a position, which knows how many ranks off it is: `plan_of`.
    pub const fn choice(&self) -> &Noisy<QuantileAmong<A>, M, G> {
        &self.scores
    }
}

impl<A, M, G> Measurement for ChosenQuantile<A, M, G>
where
    A: Adjacency,
    G: Guarantee,
    Noisy<QuantileAmong<A>, M, G>: Measurement<Data = [f64], Output = usize, Guarantee = G, Adjacency = A>,
{
    type Data = [f64];
    type Output = f64;
    type Guarantee = G;
    type Adjacency = A;

    fn guarantee(&self) -> G {
        self.scores.guarantee()
    }

    /// # Errors
    /// [`Error::WrongSize`] under replace-one, for another number of records than was declared.
    fn draw<R: Rng + ?Sized>(&self, data: &[f64], rng: &mut R) -> Result<f64, Error> {
        Ok(self.scores.query().candidates[self.scores.draw(data, rng)?])
    }
}

impl<A, M: fmt::Debug, G> fmt::Debug for ChosenQuantile<A, M, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let candidates = self.scores.query().candidates.len();
        write!(f, "ChosenQuantile(of {candidates} candidates, {:?})", self.scores.mechanism())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_core::Bounds;
    use dp_mechanisms::rng::Insecure;
    use proptest::prelude::*;

    fn bounds() -> Bounds {
        Bounds::new(-10.0, 10.0).unwrap()
    }

    fn scores<A: Adjacency>(among: &QuantileAmong<A>, data: &[f64]) -> Vec<f64> {
        among.answer(data).unwrap().into_vec()
    }

    fn record() -> impl Strategy<Value = f64> {
        prop_oneof![-11.0..11.0f64, (-11i32..11).prop_map(f64::from), Just(f64::NAN)]
    }

    proptest! {
        /// The scores are those of the definition, and neighbours are within the sensitivity, which
        /// is reached.
        #[test]
        #[allow(clippy::cast_precision_loss)] // small counts
        fn scores_are_ranks_off(
            data in prop::collection::vec(record(), 1..40),
            new in -11.0..11.0f64, level in prop_oneof![0.0..=1.0f64, Just(0.5), Just(0.9)],
        ) {
            let quantile = Quantile::new(bounds(), level).unwrap();
            let among = quantile.among((-10..=10).map(f64::from)).unwrap();
            let here = scores(&among, &data);
            for (v, score) in among.candidates().iter().zip(&here) {
                let clamped: Vec<f64> = data.iter().map(|x| bounds().clamp(*x)).collect();
                let below = clamped.iter().filter(|x| *x < v).count() as f64;
                let up_to = clamped.iter().filter(|x| *x <= v).count() as f64;
                let target = level * data.len() as f64;
                let off = (below - target).max(target - up_to).max(0.0);
                prop_assert!((off + score).abs() < 1e-6, "{v}: {off} {score}");
            }
            let moved = |there: &[f64]| here.iter().zip(there).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let by = moved(&scores(&among, &[&data[..], &[new]].concat()));
            prop_assert!(by <= SensitivityIn::<LInf>::sensitivity(&among).value(), "{by}");
            let fixed = quantile.under_replace_one(data.len()).unwrap().among((-10..=10).map(f64::from)).unwrap();
            let by = moved(&scores(&fixed, &[&data[1..], &[new]].concat()));
            prop_assert!(by <= SensitivityIn::<LInf>::sensitivity(&fixed).value(), "{by}");
        }
    }

    #[test]
    fn the_sensitivity_is_reached() {
        let among = Quantile::new(bounds(), 0.9).unwrap().among([0.0, 1.0]).unwrap();
        let many = vec![5.0; 100];
        let more = [&many[..], &[6.0]].concat();
        assert!((scores(&among, &many)[0] - scores(&among, &more)[0] - 0.9).abs() < 1e-8);
        let stated = SensitivityIn::<LInf>::sensitivity(&among).value();
        assert!((0.9..0.900_000_1).contains(&stated) || (stated - 0.9).abs() < 1e-9, "{stated}");
    }

    #[test]
    fn lists_are_put_in_order_and_checked() {
        let median = Quantile::median(bounds());
        let among = median.among([3.0, 11.0, f64::NAN, -2.0, 3.0, f64::INFINITY]).unwrap();
        assert_eq!(among.candidates(), [-2.0, 3.0]);
        assert!(median.among([]).is_err() && median.among([99.0]).is_err());
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(among.clone().epsilon(bad).is_err() && among.clone().rho(bad).is_err());
        }
        let mut rng = Insecure::seeded(1);
        let release = among.epsilon(50.0).unwrap();
        assert_eq!(release.draw(&[3.0; 40], &mut rng), Ok(3.0));
        assert!(release.draw(&[], &mut rng).is_ok() && release.draw(&[f64::NAN], &mut rng).is_ok());
        assert!(release.choice().plan_of(2, 0.95).unwrap().error() < 1.0);
        let fixed = median.under_replace_one(2).unwrap().among([0.0]).unwrap().rho(1.0).unwrap();
        assert!(fixed.draw(&[1.0], &mut rng).is_err());
        assert_eq!(fixed.guarantee(), Zcdp::new(1.0).unwrap());
        assert!(format!("{fixed:?}").len() < 200);
    }
}
