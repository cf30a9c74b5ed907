//! A value with smooth noise, and a private bound on how large that noise was.

use core::fmt;

use dp_core::interval::{Confidence, ConfidenceInterval, WithInterval};
use dp_core::measurement::Noisy;
use dp_core::query::CalibrateFor;
use dp_core::rounding::{add_up, exp_up, ln_up, mul_up};
use dp_core::{
    Adjacency, Calibrate, Error, Finite, Guarantee, Measurement, Mechanism, Query, Sensitivity,
    SensitivityIn, Subadditive,
};
use rand_core::Rng;

use super::{Smooth, SmoothTail};
use crate::LocalSensitivity;

/// The logarithm of the scale that smooth noise has on the data at hand: a query, because that
/// scale is private.
///
/// **Theorem.** Its sensitivity is β + 2⁻³⁹. *Proof.* The scales u, v of neighbours have a ratio
/// between e^±(β + 2⁻⁵⁰): that is the theorem of [`Smooth`]. Their logarithms are at most 745, are
/// rounded up by at most three floats, less than 2⁻⁴¹, and two of them are compared. ∎
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogScale<Q, N> {
    smooth: Smooth<Q, N>,
}

/// 2⁻³⁹.
const ROUNDED: f64 = f64::from_bits((1023 - 39) << 52);

impl<Q: LocalSensitivity, N: SmoothTail> Query for LogScale<Q, N> {
    type Data = Q::Data;
    type Answer = Finite;
    type Adjacency = Q::Adjacency;

    /// ln u, rounded up.
    fn answer(&self, data: &Q::Data) -> Result<Finite, Error> {
        Ok(Finite::or_zero(ln_up(self.smooth.scale_on(data)?.get())))
    }
}

impl<Q: LocalSensitivity, N: SmoothTail, M: Subadditive> SensitivityIn<M> for LogScale<Q, N> {
    fn sensitivity(&self) -> Sensitivity<M, Q::Adjacency> {
        let beta = self.smooth.noise().smoothness().get();
        Sensitivity::new(add_up(beta, ROUNDED)).expect("at most a hundred")
    }
}

/// A value with smooth noise and, released beside it, the logarithm of its scale with noise: an
/// error bar for the data at hand. Made by [`Smooth::with_error_bar`].
///
/// The scale of smooth noise depends on the data, so it is private, and without paying for it a
/// release says no more than that the scale is at most that of the global sensitivity: this is the
/// interval of [`Smooth`] itself. The logarithm of a β-smooth bound has a global sensitivity, β,
/// which is small, so it can be released for little.
///
/// **Theorem.** The guarantee is that of two releases, and
/// [the interval](WithInterval::interval) covers the answer. *Proof.* The two are independent given
/// the data. With probability √(1−β₁) the noise on the logarithm leaves its interval above ln u,
/// and then u is at most e^(its upper end), and at most the largest scale in any case. With
/// probability √(1−β₁) |Z| is within its quantile q, so that the value is within u·q, and half a
/// step of the grid, of the answer. ∎
///
/// ```
/// use dp_core::{Bounds, Measurement, WithInterval};
/// use dp_mechanisms::{Laplace, rng::OsSeeded};
/// use dp_sensitivity::Quantile;
/// use dp_sensitivity::smooth::{Smoothly, SmoothStudentT};
///
/// let incomes: Vec<f64> = (0..1001).map(|i| 30_000.0 + 40.0 * f64::from(i)).collect();
/// let median = Quantile::median(Bounds::new(0.0, 1e6)?).smoothly(SmoothStudentT::epsilon(1.0)?)?;
/// let median = median.with_error_bar(Laplace::epsilon(0.25)?)?;
/// assert_eq!(median.guarantee(), dp_core::Pure::new(1.25)?);
/// let released = median.release(&incomes, &mut OsSeeded::new()?)?;
/// let interval = median.interval(&released, 0.9)?;
/// println!("{:.0}, with 90 % confidence within {interval:.0}", released.0);
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct ErrorBar<Q, N, M, G> {
    smooth: Smooth<Q, N>,
    bar: Noisy<LogScale<Q, N>, M, G>,
}

impl<Q: Clone, N: Clone> Smooth<Q, N> {
    /// This release, and beside it the logarithm of its scale with `noise`, for which it pays too.
    ///
    /// # Errors
    /// When the noise cannot be calibrated.
    pub fn with_error_bar<C>(self, noise: C) -> Result<ErrorBar<Q, N, C::Mechanism, C::Guarantee>, Error>
    where
        Q: LocalSensitivity,
        N: SmoothTail<Guarantee = C::Guarantee>,
        C: CalibrateFor<LogScale<Q, N>> + Calibrate,
        C::Mechanism: Mechanism<Input = f64, Output = f64>,
    {
        let bar = LogScale { smooth: self.clone() }.with(noise)?;
        Ok(ErrorBar { smooth: self, bar })
    }
}

impl<Q: fmt::Debug, N: fmt::Debug, M: fmt::Debug, G: fmt::Debug> fmt::Debug for ErrorBar<Q, N, M, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ErrorBar").field("smooth", &self.smooth).field("bar", &self.bar).finish()
    }
}

/// The value, and the logarithm of its scale with noise.
impl<Q, N, M, G, A> Measurement for ErrorBar<Q, N, M, G>
where
    A: Adjacency,
    G: Guarantee,
    Q: LocalSensitivity<Adjacency = A>,
    N: SmoothTail<Guarantee = G>,
    M: Mechanism<Input = f64, Output = f64>,
{
    type Data = Q::Data;
    type Output = (f64, f64);
    type Guarantee = G;
    type Adjacency = A;

    fn guarantee(&self) -> G {
        self.smooth.guarantee().compose(&self.bar.guarantee())
    }

    fn draw<R: Rng + ?Sized>(&self, data: &Q::Data, rng: &mut R) -> Result<(f64, f64), Error> {
        Ok((self.smooth.draw(data, rng)?, self.bar.draw(data, rng)?))
    }
}

impl<Q, N, M, G> WithInterval for ErrorBar<Q, N, M, G>
where
    Q: LocalSensitivity,
    N: SmoothTail,
    M: WithInterval<Released = f64, Interval = ConfidenceInterval>,
{
    type Released = (f64, f64);
    type Interval = ConfidenceInterval;

    fn interval_at(
        &self,
        released: &(f64, f64),
        confidence: Confidence,
    ) -> Result<ConfidenceInterval, Error> {
        let each = confidence.independently(2);
        let scale = exp_up(self.bar.interval_at(&released.1, each)?.upper());
        Ok(self.smooth.interval_for(released.0, scale.min(self.smooth.largest_scale()), each))
    }
}

/// The interval for the largest scale that any data may have: the only one that public facts give.
/// [`with_error_bar`](Smooth::with_error_bar) pays for a better one.
impl<Q: LocalSensitivity, N: SmoothTail> WithInterval for Smooth<Q, N> {
    type Released = f64;
    type Interval = ConfidenceInterval;

    fn interval_at(&self, released: &f64, confidence: Confidence) -> Result<ConfidenceInterval, Error> {
        Ok(self.interval_for(*released, self.largest_scale(), confidence))
    }
}

impl<Q: LocalSensitivity, N: SmoothTail> Smooth<Q, N> {
    /// Where the answer lies if the scale was at most this.
    fn interval_for(&self, released: f64, scale: f64, confidence: Confidence) -> ConfidenceInterval {
        let half_step = mul_up(0.5, libm::ldexp(1.0, self.grid_exponent()));
        let noise = mul_up(scale, self.noise().quantile(confidence.beta()));
        ConfidenceInterval::of_released(released, self.grid_exponent()).widened(add_up(noise, half_step))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Quantile;
    use crate::smooth::{SmoothStudentT, Smoothly};
    use dp_core::{AddRemove, Bounds, Pure};
    use dp_mechanisms::Laplace;
    use dp_mechanisms::rng::Insecure;

    fn median() -> Smooth<Quantile<AddRemove>, SmoothStudentT> {
        let noise = SmoothStudentT::with_degrees(1.0, 3.0).unwrap();
        Quantile::median(Bounds::new(0.0, 1e6).unwrap()).smoothly(noise).unwrap()
    }

    fn incomes() -> Vec<f64> {
        (0..301).map(|i| 30_000.0 + 100.0 * f64::from(i)).collect()
    }

    /// 2·10⁴ releases at 0.9: more than 2250 failures have probability below 10⁻⁷ (Bernstein).
    #[test]
    fn the_interval_covers_and_the_bar_pays() {
        let (public, data) = (median(), incomes());
        let paid = median().with_error_bar(Laplace::epsilon(0.5).unwrap()).unwrap();
        assert_eq!(paid.guarantee(), Pure::new(1.5).unwrap());
        let answer = public.query().answer(&data).unwrap().get();
        let mut rng = Insecure::seeded(1);
        let (mut missed, mut widths) = (0, vec![]);
        let quantile = paid.smooth.noise().quantile(Confidence::new(0.9).unwrap().independently(2).beta());
        let each = Confidence::new(0.9).unwrap().independently(2);
        for run in 0..20_000 {
            let released = paid.draw(&data, &mut rng).unwrap();
            // As `interval_at`, with the quantile computed once; some are compared.
            let scale =
                exp_up(paid.bar.interval_at(&released.1, each).unwrap().upper()).min(public.largest_scale());
            let interval = ConfidenceInterval::around(released.0, scale * quantile * (1.0 + 1e-12) + 1e-3);
            if run % 2000 == 0 {
                let found = paid.interval(&released, 0.9).unwrap();
                assert!(found.lower() >= interval.lower() && found.upper() <= interval.upper());
            }
            missed += u32::from(!interval.contains(answer));
            widths.push(interval.width());
        }
        assert!(missed <= 2250, "{missed}");
        widths.sort_by(f64::total_cmp);
        let public = public.interval(&answer, 0.9).unwrap().width();
        assert!(widths[10_000] < 0.2 * public, "{} {public}", widths[10_000]);
    }

    #[test]
    fn neighbours_move_the_logarithm_of_the_scale_by_its_sensitivity_at_most() {
        let query = LogScale { smooth: median() };
        let by = SensitivityIn::<dp_core::L1>::sensitivity(&query).value();
        let data = incomes();
        let here = query.answer(&data).unwrap().get();
        let mut largest = 0f64;
        for extreme in [0.0, 1e6, f64::NAN, 45_000.0] {
            for at in [0, 100, 150, 151, 300] {
                let (mut other, mut fewer) = (data.clone(), data.clone());
                other.push(extreme);
                fewer.remove(at);
                for there in [other, fewer] {
                    let moved = (query.answer(&there).unwrap().get() - here).abs();
                    assert!(moved <= by, "{moved} {by}");
                    largest = largest.max(moved);
                }
            }
        }
        assert!(largest > 0.0);
    }
}
