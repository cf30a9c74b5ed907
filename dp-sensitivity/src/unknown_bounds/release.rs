//! Bounds from noisy counts of magnitudes.

use core::fmt;
use core::marker::PhantomData;

use dp_core::interval::Confidence;
use dp_core::{AddRemove, Adjacency, Bounds, Error, Measurement, Mechanism, Pure, ReplaceOne, Zcdp};
use dp_mechanisms::{DiscreteGaussian, DiscreteLaplace, Vector};
use rand_core::Rng;

use super::magnitudes::Magnitudes;
use super::noise::NoiseOnBins;
use crate::arguments::{positive, within};

/// Bounds in which most records lie, for data of which nobody knows how large they are.
///
/// What comes out goes into a query by [`then`](Measurement::then), which reserves the budget of
/// the second release:
///
/// ```
/// use dp_core::{Measurement, Pure, Query};
/// use dp_mechanisms::{Laplace, rng::OsSeeded};
/// use dp_sensitivity::{PrivateBounds, Sum};
///
/// let wages: Vec<f64> = (0..2000).map(|i| 18_000.0 + 10.0 * f64::from(i)).collect();
/// let sum = PrivateBounds::epsilon(0.25)?
///     .then(Pure::new(0.5)?, |bounds| Sum::new(*bounds).with(Laplace::epsilon(0.5)?));
/// assert_eq!(sum.guarantee(), Pure::new(0.75)?);
/// let (bounds, released) = sum.release(&wages, &mut OsSeeded::new()?)?;
/// // (16 384, 65 536] in 99 of 100 releases; otherwise an empty bin passed, too.
/// assert!(bounds.lower() <= 16_384.0 && bounds.upper() >= 65_536.0);
/// # let _ = released;
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
///
/// **What is released.** Records are counted in bins by sign and power of two, (2^(e−1), 2^e] and
/// its mirror image, with one bin for what is smaller than the least magnitude. The counts get
/// noise. The lowest and the highest bin whose noisy count passes a threshold t are the ends of the
/// bounds. Zero is an end where the bin around it is one, and [−2^e, 2^e] are the bounds where no
/// other bin passes. Records that are no numbers are in no bin; larger ones than the largest
/// magnitude are in the outermost bins.
///
/// **Theorem.** The release has the guarantee of the noisy counts: ε with discrete Laplace noise of
/// scale Δ₁/ε, ρ with discrete Gaussian noise of Δ₂/√(2ρ), where Δ₁ = Δ₂ = 1 under add/remove, and
/// Δ₁ = 2, Δ₂ = √2 under replace-one. The bins are public, so the rest is post-processing; so is
/// the failure where no bin passes. Bins without a record pass with probability 1 − c at most, all
/// of them together, c being the confidence.
///
/// *Proof of the last sentence.* t is the least number that one noise exceeds with probability
/// 1 − c^(1/B) at most, B being the number of bins. The noise of the bins is independent, so no
/// empty one passes with probability c at least. ∎
///
/// A bin of n records passes if n exceeds t by more than its noise: see
/// [`records_for`](Self::records_for). So bounds are not those of *all* records: bins with few
/// records are left out, at both ends, which is what makes them useful for sums and means of data
/// with outliers.
///
/// # Failure
/// Where no bin passes, there are too few records for the budget, and a draw returns
/// [`Error::Unreachable`]. It is an outcome like the bounds: the guarantee covers it, and a budget
/// is charged for it.
///
/// Checked as S33 by `cargo xtask verify`.
pub struct PrivateBounds<A, M: Mechanism> {
    magnitudes: Magnitudes,
    confidence: Confidence,
    noise: Vector<M>,
    threshold: i64,
    guarantee: M::Guarantee,
    /// How many counts differ between neighbours.
    counts: u8,
    relation: PhantomData<fn(A) -> A>,
}

impl PrivateBounds<AddRemove, DiscreteLaplace> {
    /// Bounds with ε-privacy, under add/remove neighbours: magnitudes from 2⁻³⁰ to 2⁵⁰, about 10⁻⁹
    /// to 10¹⁵, at a confidence of 0.99.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞.
    pub fn epsilon(epsilon: f64) -> Result<Self, Error> {
        Self::start(Pure::new(positive("epsilon", epsilon)?)?)
    }
}

impl PrivateBounds<AddRemove, DiscreteGaussian> {
    /// Bounds with ρ-zCDP, under add/remove neighbours: magnitudes from 2⁻³⁰ to 2⁵⁰, about 10⁻⁹ to
    /// 10¹⁵, at a confidence of 0.99.
    ///
    /// ```
    /// use dp_core::{Measurement, Zcdp};
    /// use dp_sensitivity::PrivateBounds;
    ///
    /// let bounds = PrivateBounds::rho(0.01)?.magnitudes(1.0, 1e6)?.under_replace_one()?;
    /// assert_eq!(bounds.guarantee(), Zcdp::new(0.01)?);
    /// # Ok::<(), dp_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ρ < ∞.
    pub fn rho(rho: f64) -> Result<Self, Error> {
        Self::start(Zcdp::new(positive("rho", rho)?)?)
    }
}

impl<M: NoiseOnBins> PrivateBounds<AddRemove, M> {
    fn start(guarantee: M::Guarantee) -> Result<Self, Error> {
        Self::made(Magnitudes::DEFAULT, Confidence::new(0.99)?, guarantee, 1)
    }

    /// The same under replace-one neighbours: one count falls and another rises.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when no finite noise is enough.
    pub fn under_replace_one(self) -> Result<PrivateBounds<ReplaceOne, M>, Error> {
        PrivateBounds::made(self.magnitudes, self.confidence, self.guarantee, 2)
    }
}

impl<A: Adjacency, M: NoiseOnBins> PrivateBounds<A, M> {
    pub(super) fn made(
        magnitudes: Magnitudes,
        confidence: Confidence,
        guarantee: M::Guarantee,
        counts: u8,
    ) -> Result<Self, Error> {
        let noise = M::for_counts(&guarantee, counts)?;
        let beta = confidence.independently(magnitudes.bins()).beta();
        // The noise is as likely above t as below −t.
        let bound = noise.error_bound((2.0 * beta).min(1.0))?;
        #[allow(clippy::cast_possible_truncation)] // saturates: no count passes that
        let threshold = bound.floor() as i64;
        let noise = Vector::new(noise);
        Ok(Self { magnitudes, confidence, noise, threshold, guarantee, counts, relation: PhantomData })
    }

    /// The same with other limits, which must be known without looking at the data: numbers that
    /// are smaller than the least magnitude count as zero, those above the largest as that. Both
    /// are rounded outwards to powers of two. Fewer bins need fewer records, though not by much:
    /// the threshold grows with the logarithm of their number.
    ///
    /// ```
    /// use dp_sensitivity::PrivateBounds;
    ///
    /// let any = PrivateBounds::epsilon(0.1)?;
    /// let cents_to_millions = PrivateBounds::epsilon(0.1)?.magnitudes(0.01, 1e6)?;
    /// assert_eq!((any.threshold(), cents_to_millions.threshold()), (90, 79));
    /// # Ok::<(), dp_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < least < largest ≤ 2¹⁰²².
    pub fn magnitudes(self, least: f64, largest: f64) -> Result<Self, Error> {
        Self::made(Magnitudes::new(least, largest)?, self.confidence, self.guarantee, self.counts)
    }

    /// The same with another probability that both ends are those of bins that hold a record.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < confidence < 1.
    pub fn confidence(self, confidence: f64) -> Result<Self, Error> {
        Self::made(self.magnitudes, Confidence::new(confidence)?, self.guarantee, self.counts)
    }

    /// t: noisy counts that are larger pass.
    #[must_use]
    pub const fn threshold(&self) -> i64 {
        self.threshold
    }

    /// How many records in one bin are enough for it to pass, but with probability `beta`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < `beta` ≤ 1.
    pub fn records_for(&self, beta: f64) -> Result<f64, Error> {
        within("beta", "(0, 1]", beta, beta > 0.0 && beta <= 1.0)?;
        let noise = self.noise.each().error_bound((2.0 * beta).min(1.0))?;
        #[allow(clippy::cast_precision_loss)] // of whole numbers of records
        let threshold = self.threshold as f64;
        Ok(threshold + noise.floor() + 1.0)
    }
}

impl<A: Adjacency, M: NoiseOnBins> Measurement for PrivateBounds<A, M> {
    type Data = [f64];
    type Output = Bounds;
    type Guarantee = M::Guarantee;
    type Adjacency = A;

    fn guarantee(&self) -> M::Guarantee {
        self.guarantee.clone()
    }

    /// # Errors
    /// [`Error::Unreachable`] where no noisy count passes the threshold.
    fn draw<R: Rng + ?Sized>(&self, data: &[f64], rng: &mut R) -> Result<Bounds, Error> {
        let noisy = self.noise.each().draw_all(&self.magnitudes.counts(data), rng)?;
        let passes = |count: &i64| *count > self.threshold;
        match (noisy.iter().position(passes), noisy.iter().rposition(passes)) {
            (Some(first), Some(last)) => Ok(self.magnitudes.bounds(first, last)),
            _ => Err(Error::Unreachable {
                request: "to read bounds from these noisy counts, of which none stands out,",
                instead: "spend more on the bounds, declare narrower limits, or declare the bounds",
            }),
        }
    }
}

impl<A, M: Mechanism<Guarantee: Clone> + Clone> Clone for PrivateBounds<A, M> {
    fn clone(&self) -> Self {
        let Self { magnitudes, confidence, threshold, counts, relation, .. } = *self;
        let (noise, guarantee) = (self.noise.clone(), self.guarantee.clone());
        Self { magnitudes, confidence, noise, threshold, guarantee, counts, relation }
    }
}

impl<A: Adjacency, M: Mechanism + fmt::Debug> fmt::Debug for PrivateBounds<A, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PrivateBounds")
            .field("relation", &A::NAME)
            .field("magnitudes", &self.magnitudes)
            .field("confidence", &self.confidence)
            .field("noise", &self.noise)
            .field("threshold", &self.threshold)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sum;
    use dp_core::Query;
    use dp_mechanisms::Laplace;
    use dp_mechanisms::rng::Insecure;

    fn ends(bounds: Bounds) -> (f64, f64) {
        (bounds.lower(), bounds.upper())
    }

    /// Bounds at a confidence of 1 − 10⁻¹² of data whose bins pass with at least as much.
    fn surely(data: &[f64]) -> Result<(f64, f64), Error> {
        let release = PrivateBounds::epsilon(1.0)?.confidence(1.0 - 1e-12)?;
        release.draw(data, &mut Insecure::seeded(1)).map(ends)
    }

    #[test]
    fn crowds_are_bounded_and_outliers_are_not() {
        let crowd = |value: f64| vec![value; 100];
        assert_eq!(surely(&crowd(8.0)), Ok((4.0, 8.0)));
        assert_eq!(surely(&crowd(-8.0)), Ok((-8.0, -4.0)));
        assert_eq!(surely(&[crowd(8.1), crowd(-0.3), vec![1e9; 3]].concat()), Ok((-0.5, 16.0)));
        assert_eq!(surely(&[crowd(0.0), crowd(100.0)].concat()), Ok((0.0, 128.0)));
        assert_eq!(surely(&[crowd(-0.0), crowd(-100.0)].concat()), Ok((-128.0, 0.0)));
        let least = 2f64.powi(-30);
        for zero in [0.0, -0.0, 5e-324, -1e-300, f64::MIN_POSITIVE / 3.0] {
            assert_eq!(surely(&crowd(zero)), Ok((-least, least)), "{zero}");
        }
        let largest = 2f64.powi(50);
        for huge in [1e300, f64::MAX, f64::INFINITY] {
            assert_eq!(surely(&crowd(huge)), Ok((largest / 2.0, largest)), "{huge}");
            assert_eq!(surely(&crowd(-huge)), Ok((-largest, -largest / 2.0)), "{huge}");
        }
        for few in [&[][..], &[7.0], &[f64::NAN; 1000], &[1.0, 2.0, 4.0, 8.0]] {
            let said = surely(few).unwrap_err().to_string();
            assert!(said.contains("none stands out") && said.contains("declare the bounds"), "{said}");
        }
        assert_eq!(surely(&[crowd(3.0), vec![f64::NAN; 500]].concat()), Ok((2.0, 4.0)));
    }

    /// With Laplace noise and a threshold for reals, Google's approximate bounds take 3.5 for four
    /// bins on each side of zero, of which seven are different, at ε = 1 and a confidence of 0.9.
    #[test]
    fn the_threshold_is_that_of_one_bin_of_many() {
        let few = PrivateBounds::epsilon(1.0).unwrap().magnitudes(1.0, 8.0).unwrap().confidence(0.9).unwrap();
        assert_eq!(few.threshold(), 3);
        // Pr(noise > t) = r^(t+1)/(1+r) ≤ 1 − 0.9^(1/7) at t = 3, and not at 2.
        let beyond = |t: f64| (-(t + 1.0)).exp() / (1.0 + (-1f64).exp());
        let each = 1.0 - 0.9f64.powf(1.0 / 7.0);
        assert!(beyond(3.0) <= each && beyond(2.0) > each);
        // Twice the noise under replace-one, √2 of it for ρ.
        assert_eq!(few.clone().under_replace_one().unwrap().noise.each().scale().get(), 2.0);
        let rho = PrivateBounds::rho(0.5).unwrap();
        assert_eq!(rho.noise.each().scale().get(), 1.0);
        let scale = rho.under_replace_one().unwrap().noise.each().scale().get();
        assert!(scale >= 2f64.sqrt() && scale < 1.414_213_57);
    }

    /// Pr(a bin without records passes) against the confidence, and that of a crowded one.
    fn is_as_sure_as_it_says<M: NoiseOnBins>(release: &PrivateBounds<AddRemove, M>, seed: u64) {
        const DRAWS: u32 = 20_000;
        let mut rng = Insecure::seeded(seed);
        let (mut wrong, mut missed) = (0, 0);
        let enough = release.records_for(0.05).unwrap();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let crowd = vec![3.0; enough as usize];
        for _ in 0..DRAWS {
            wrong += u32::from(release.draw(&[], &mut rng).is_ok());
            missed += u32::from(release.draw(&crowd, &mut rng).is_err());
        }
        // Within √(ln(10⁹)/2n) above 0.2 but for a probability of 10⁻⁹ (Hoeffding), and by Chernoff
        // 1000 expected failures are not 1250 but for a probability of e^−28.
        let slack = (1e9f64.ln() / (2.0 * f64::from(DRAWS))).sqrt();
        let share = f64::from(wrong) / f64::from(DRAWS);
        assert!(share <= 0.2 + slack && share > 0.05, "{share}");
        assert!(missed < 1250, "{missed}");
    }

    #[test]
    fn empty_bins_pass_as_seldom_as_promised() {
        is_as_sure_as_it_says(&PrivateBounds::epsilon(0.3).unwrap().confidence(0.8).unwrap(), 1);
        is_as_sure_as_it_says(&PrivateBounds::rho(0.02).unwrap().confidence(0.8).unwrap(), 2);
    }

    #[test]
    fn bounds_go_into_a_query() {
        let sum = PrivateBounds::epsilon(0.5)
            .unwrap()
            .then(Pure::new(0.25).unwrap(), |bounds| Sum::new(*bounds).with(Laplace::epsilon(0.25)?));
        assert_eq!(sum.guarantee(), Pure::new(0.75).unwrap());
        let (bounds, released) = sum.draw(&vec![3.0; 10_000], &mut Insecure::seeded(2)).unwrap();
        // The noise of the sum has the scale 4/0.25: beyond 1000 with probability e^−62.
        assert_eq!(ends(bounds), (2.0, 4.0));
        assert!((released - 30_000.0).abs() < 1000.0);
        assert!(sum.draw(&[1.0], &mut Insecure::seeded(2)).is_err());
        let dearer = PrivateBounds::epsilon(0.5)
            .unwrap()
            .then(Pure::new(0.25).unwrap(), |bounds| Sum::new(*bounds).with(Laplace::epsilon(0.3)?));
        assert_eq!(
            dearer.draw(&vec![3.0; 10_000], &mut Insecure::seeded(2)),
            Err(Error::CostsMoreThanReserved)
        );
    }

    #[test]
    fn parameters_are_checked() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(PrivateBounds::epsilon(bad).is_err() && PrivateBounds::rho(bad).is_err());
            assert!(PrivateBounds::epsilon(1.0).unwrap().magnitudes(bad, 1.0).is_err());
            assert!(PrivateBounds::epsilon(1.0).unwrap().confidence(bad).is_err());
            assert!(PrivateBounds::epsilon(1.0).unwrap().records_for(bad).is_err());
        }
        // Where the noise is beyond all counts, no count passes, and nothing fails but the release.
        let hopeless = PrivateBounds::epsilon(1e-300).unwrap();
        assert!(hopeless.draw(&[1.0; 1000], &mut Insecure::seeded(1)).is_err());
        assert!(format!("{:?}", PrivateBounds::rho(0.5).unwrap()).len() < 300);
    }
}
