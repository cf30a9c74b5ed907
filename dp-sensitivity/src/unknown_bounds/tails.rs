//! Bounds that leave a few records out at each end, by the sparse vector technique.

use core::fmt;

use dp_core::interval::{Confidence, ErrorBound};
use dp_core::rounding::{mul_down, sqrt_down};
use dp_core::{
    AddRemove, Adjacency, AllAnswers, Bounds, Error, Guarantee, Interactive, LInfMonotone, Measurement, Pure,
    ReplaceOne, Sensitivity, Zcdp,
};
use dp_mechanisms::selection::Monotone;
use dp_mechanisms::{AboveThreshold, Interaction, Watch};
use rand_core::Rng;

use super::edges::Edges;
use crate::arguments::positive;

/// Bounds that clamp about as many records at each end as the noise would hide anyway, for data of
/// which nobody knows how large they are.
///
/// ```
/// use dp_core::{Measurement, Pure};
/// use dp_mechanisms::{Laplace, rng::OsSeeded};
/// use dp_sensitivity::{Estimator, Mean, TailBounds};
///
/// let wages: Vec<f64> = (0..20_000).map(|i| 18_000.0 + f64::from(i)).collect();
/// let mean = TailBounds::epsilon(0.25)?
///     .then(Pure::new(0.75)?, |bounds| Mean::new(*bounds).with(Laplace::epsilon(0.75)?));
/// assert_eq!(mean.guarantee(), Pure::new(1.0)?);
/// let (bounds, released) = mean.release(&wages, &mut OsSeeded::new()?)?;
/// assert!(bounds.lower() > 11_000.0 && bounds.upper() < 47_000.0); // in almost all releases
/// # let _ = released;
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
///
/// **What is released** (after Durfee 2023). The edges ±√2^j are a public line. From the outermost
/// edge inwards, one question after the other: are there more than t records beyond it? The reply
/// is that of the sparse vector technique, with noise on t and on the count. The edge before the
/// first yes is the upper bound; from the other end the lower bound is found in the same way.
/// Records that are no numbers are not counted.
///
/// **Theorem** (claim S34). The release has the guarantee of the replies: ε for one interaction
/// that says yes twice, under add/remove; under replace-one for two interactions that say yes once,
/// with ε/2 each. *Proof.* One record more raises the counts beyond all edges, from both ends, by 0
/// or 1: all answers are monotone together, at a sensitivity of 1. A record that is replaced moves
/// from one interval between edges to another, so that the counts from one end change in one
/// direction, by 1 at most; those from the other end change in the other one. What is made of the
/// replies is post-processing. ∎ In zCDP it is ε²/2.
///
/// **Which t.** Where an edge has no record beyond it, it gets a yes with probability 1 − c at
/// most, all of them together: t is what the noise of all questions stays below with confidence c.
///
/// **Why so many records are left out.** The sum of n records clamped at C with noise of scale C/ε′
/// is off by about C/ε′ + Σ(x − C)₊. It is least where as many records as 1/ε′ lie beyond C: a
/// record more is worth a larger C if its excess is more than the noise that it costs. So t records
/// too many beyond C cost at most t times as much as they exceed it, and t is a few times
/// 1/ε. [`PrivateBounds`](super::PrivateBounds) spend nothing on a second end and need three times
/// fewer records, in one bin: on most columns they are the better ones, and that is why
/// `bounds_privately` takes them.
///
/// # Failure
/// Where no edge has enough records beyond it, there are too few for the budget, and a draw returns
/// [`Error::Unreachable`]. It is an outcome like the bounds: the guarantee covers it, and a budget
/// is charged for it.
///
/// Checked as S34 by `cargo xtask verify`.
#[derive(Clone)]
pub struct TailBounds<A, G> {
    edges: Edges,
    confidence: Confidence,
    /// Of the interactions.
    epsilon: f64,
    threshold: f64,
    watch: Watch<Monotone, A>,
    guarantee: G,
}

impl TailBounds<AddRemove, Pure> {
    /// Bounds with ε-privacy, under add/remove neighbours: magnitudes from 2⁻³⁰ to 2⁵⁰, about 10⁻⁹
    /// to 10¹⁵, at a confidence of 0.99.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞.
    pub fn epsilon(epsilon: f64) -> Result<Self, Error> {
        let guarantee = Pure::new(positive("epsilon", epsilon)?)?;
        Self::made(Edges::DEFAULT, Confidence::new(0.99)?, epsilon, guarantee)
    }
}

impl TailBounds<AddRemove, Zcdp> {
    /// Bounds with ρ-zCDP, under add/remove neighbours, of interactions with ε = √(2ρ).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ρ < ∞.
    pub fn rho(rho: f64) -> Result<Self, Error> {
        let epsilon = sqrt_down(mul_down(2.0, positive("rho", rho)?));
        Self::made(Edges::DEFAULT, Confidence::new(0.99)?, epsilon, Zcdp::new(rho)?)
    }
}

impl<G: Guarantee> TailBounds<AddRemove, G> {
    /// The same under replace-one neighbours: each end gets half of ε.
    ///
    /// # Errors
    /// [`Error::Unreachable`] when no finite noise is enough.
    pub fn under_replace_one(self) -> Result<TailBounds<ReplaceOne, G>, Error> {
        TailBounds::made(self.edges, self.confidence, self.epsilon, self.guarantee)
    }
}

impl<A: Ends, G: Guarantee> TailBounds<A, G> {
    fn made(edges: Edges, confidence: Confidence, epsilon: f64, guarantee: G) -> Result<Self, Error> {
        let (each, positives) = if A::BOTH_AT_ONCE { (epsilon, 2) } else { (0.5 * epsilon, 1) };
        let answers = AllAnswers::asserting(Sensitivity::<LInfMonotone, A>::new(1.0)?);
        let at = |t: f64| Watch::new(AboveThreshold::epsilon(each, t, positives)?.monotone(), answers);
        // The bound speaks of both directions, and noise is as likely above it as below.
        let beta = (2.0 * confidence.beta()).min(1.0);
        let threshold = at(0.0)?.mechanism().error_bound_of(2 * edges.intervals(), beta)?.min(f64::MAX);
        Ok(Self { edges, confidence, epsilon, threshold, watch: at(threshold)?, guarantee })
    }

    /// The same with other limits, which must be known without looking at the data: larger numbers
    /// count as the largest, and smaller ones as zero. Both are rounded outwards to powers of two.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < least < largest ≤ 2¹⁰²².
    pub fn magnitudes(self, least: f64, largest: f64) -> Result<Self, Error> {
        Self::made(Edges::new(least, largest)?, self.confidence, self.epsilon, self.guarantee)
    }

    /// The same with another probability that no bound has no record beyond the edge inside of it.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < confidence < 1.
    pub fn confidence(self, confidence: f64) -> Result<Self, Error> {
        Self::made(self.edges, Confidence::new(confidence)?, self.epsilon, self.guarantee)
    }

    /// t: about as many records are left out at each end, at most.
    #[must_use]
    pub const fn threshold(&self) -> f64 {
        self.threshold
    }
}

/// How both ends share a budget.
pub trait Ends: Adjacency {
    /// Whether the counts from both ends are monotone together.
    const BOTH_AT_ONCE: bool;
}

impl Ends for AddRemove {
    const BOTH_AT_ONCE: bool = true;
}

impl Ends for ReplaceOne {
    const BOTH_AT_ONCE: bool = false;
}

/// The number of questions before the first yes.
fn first_yes<R: Rng>(counts: &[usize], interaction: &mut Interaction<R>) -> Result<usize, Error> {
    for (place, count) in counts.iter().enumerate() {
        #[allow(clippy::cast_precision_loss)] // a sum of ones as a float never falls, and rises by 1 at most
        if interaction.ask(*count as f64)? {
            return Ok(place);
        }
    }
    Err(Error::Unreachable {
        request: "to read bounds from these noisy counts, of which none stands out,",
        instead: "spend more on the bounds, declare narrower limits, or declare the bounds",
    })
}

impl<A: Ends, G: Guarantee> Measurement for TailBounds<A, G> {
    type Data = [f64];
    type Output = Bounds;
    type Guarantee = G;
    type Adjacency = A;

    fn guarantee(&self) -> G {
        self.guarantee.clone()
    }

    /// # Errors
    /// [`Error::Unreachable`] where no noisy count passes the threshold.
    fn draw<R: Rng + ?Sized>(&self, data: &[f64], rng: &mut R) -> Result<Bounds, Error> {
        let (below, beyond) = self.edges.tails(data);
        let last = self.edges.intervals() - 1;
        let mut interaction = self.watch.simulate(&mut *rng);
        let upper = last - first_yes(&beyond, &mut interaction)?;
        if !A::BOTH_AT_ONCE {
            interaction = self.watch.simulate(rng);
        }
        let lower = first_yes(&below, &mut interaction)?;
        Ok(self.edges.bounds(lower.min(upper), lower.max(upper)))
    }
}

impl<A: Adjacency, G: fmt::Debug> fmt::Debug for TailBounds<A, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TailBounds")
            .field("relation", &A::NAME)
            .field("edges", &self.edges)
            .field("confidence", &self.confidence)
            .field("guarantee", &self.guarantee)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_mechanisms::rng::Insecure;

    fn drawn<A: Ends, G: Guarantee>(release: &TailBounds<A, G>, data: &[f64]) -> Result<(f64, f64), Error> {
        release.draw(data, &mut Insecure::seeded(1)).map(|bounds| (bounds.lower(), bounds.upper()))
    }

    #[test]
    fn crowds_are_bounded_and_outliers_are_not() {
        let release = TailBounds::epsilon(1.0).unwrap().confidence(1.0 - 1e-12).unwrap();
        let t = release.threshold();
        assert!((60.0..250.0).contains(&t), "{t}");
        let crowd = |value: f64| vec![value; 1000];
        assert_eq!(drawn(&release, &crowd(8.0)), Ok((4.0 * 2f64.sqrt(), 8.0)));
        assert_eq!(drawn(&release, &crowd(-8.0)), Ok((-8.0 * 2f64.sqrt(), -8.0))); // intervals are open below
        let mixed = [crowd(0.0), crowd(3.0), crowd(-100.0), vec![1e9; 3], vec![f64::NAN; 500]].concat();
        assert_eq!(drawn(&release, &mixed), Ok((-128.0, 4.0)));
        // Many records in bins that are small one by one.
        let spread: Vec<f64> = (0..4000).map(|k| (f64::from(k) / 100.0).exp2()).collect();
        let (lower, upper) = drawn(&release, &spread).unwrap();
        assert!(lower > 1.0 && upper < 40f64.exp2() && upper > 30f64.exp2(), "{lower} {upper}");
        let large = 50f64.exp2();
        assert_eq!(drawn(&release, &crowd(f64::INFINITY)), Ok((49f64.exp2() * 2f64.sqrt(), large)));
        for few in [&[][..], &[7.0], &[f64::NAN; 1000], &[1.0; 20]] {
            let said = drawn(&release, few).unwrap_err().to_string();
            assert!(said.contains("none stands out"), "{said}");
        }
    }

    /// Two positive replies of one interaction under add/remove; one each of two, for half of ε,
    /// under replace-one; ε²/2 for ρ.
    #[test]
    fn the_guarantee_is_that_of_the_interactions() {
        let mut rng = Insecure::seeded(1);
        let add_remove = TailBounds::epsilon(1.0).unwrap();
        assert_eq!(add_remove.watch.simulate(&mut rng).positives_left(), 2);
        assert_eq!(add_remove.watch.guarantee(), Pure::new(1.0).unwrap());
        let replace_one = add_remove.under_replace_one().unwrap();
        assert_eq!(replace_one.watch.simulate(&mut rng).positives_left(), 1);
        assert_eq!(replace_one.watch.guarantee(), Pure::new(0.5).unwrap());
        assert_eq!(replace_one.guarantee(), Pure::new(1.0).unwrap());
        let rho = TailBounds::rho(0.5).unwrap();
        assert!(rho.watch.guarantee().epsilon().get() <= 1.0 && rho.guarantee() == Zcdp::new(0.5).unwrap());
    }

    #[test]
    fn parameters_are_checked_and_no_data_is_refused_but_by_what_is_drawn() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(TailBounds::epsilon(bad).is_err() && TailBounds::rho(bad).is_err());
            assert!(TailBounds::epsilon(1.0).unwrap().magnitudes(bad, 1.0).is_err());
            assert!(TailBounds::epsilon(1.0).unwrap().confidence(bad).is_err());
        }
        assert!(drawn(&TailBounds::epsilon(1e-300).unwrap(), &[1.0; 100]).is_err());
        let odd = [f64::MAX, f64::MIN, f64::NAN, 0.0, -0.0, 5e-324];
        let release =
            TailBounds::epsilon(50.0).unwrap().confidence(0.5).unwrap().under_replace_one().unwrap();
        assert!(drawn(&release, &odd.repeat(100)).is_ok());
    }
}
