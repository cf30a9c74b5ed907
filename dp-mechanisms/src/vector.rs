//! Noise on answers of many coordinates.

use core::fmt;

use dp_core::interval::{Confidence, ErrorBound, ForError, WithInterval};
use dp_core::pairs::LaplacePair;
use dp_core::{
    Calibrate, Dominated, Error, ForGuarantee, Guarantee, L1, MeasuredIn, Mechanism, Pure, Scale, Target,
};
use rand_core::Rng;

use crate::Laplace;

/// Adds independent noise to each coordinate of an answer, however many it has.
///
/// **Theorem.** The guarantee of the scalar mechanism `M` for numbers at most s apart holds for
/// `Vector<M>` and vectors at most s apart in the norm of `M`. `M` asserts that by implementing
/// [`Coordinatewise`], and for calibrated noise by implementing [`CoordinatewiseIn`] the notion of
/// the target.
///
/// The number of coordinates is that of the answer. It is released with it, so it must be public: a
/// query declares it (the bins of a histogram, the columns of a matrix) and does not read it off
/// the records.
///
/// `Vector` takes a mechanism, or a target for one as [`Query::with`](dp_core::Query::with) does:
///
/// ```
/// use dp_core::{AddRemove, Calibrate, L1, Mechanism, Pure, Sensitivity};
/// use dp_mechanisms::{Laplace, Vector, rng::OsSeeded};
///
/// let noise = Vector::new(Laplace::epsilon(0.5)?); // as much as ε = 0.5 takes
/// let one_bin = Sensitivity::<L1, AddRemove>::new(1.0)?;
/// let (noise, guarantee) = noise.calibrate(one_bin)?; // `Query::with` does this
/// assert_eq!(guarantee, Pure::new(0.5)?);
/// assert_eq!(noise.each().scale().get(), 2.0);
///
/// let released = noise.draw(&[120.0, 0.0, 37.0], &mut OsSeeded::new()?)?;
/// assert_eq!(released.len(), 3);
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct Vector<M> {
    each: M,
}

impl<M> Vector<M> {
    /// The noise that each coordinate gets, as a mechanism or as a target for one.
    #[must_use]
    pub const fn new(each: M) -> Self {
        Self { each }
    }

    /// The largest noise of this kind with which none of `coordinates` coordinates is more than
    /// `error` away from its answer, at a confidence.
    ///
    /// ```
    /// use dp_core::{AddRemove, L1, Mechanism, Sensitivity, WithInterval};
    /// use dp_mechanisms::{Laplace, Vector};
    ///
    /// let noise = Vector::<Laplace>::within(10.0, 50, 0.95)?; // fifty bins, all within ten
    /// assert!(noise.interval(&vec![0.0; 50], 0.95)?[0].upper() <= 10.0);
    /// let price = noise.guarantee(Sensitivity::<L1, AddRemove>::new(1.0)?);
    /// assert!(price.epsilon().get() < 0.7);
    /// # Ok::<(), dp_mechanisms::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the error is positive and finite, there is a coordinate and
    /// 0 < confidence < 1.
    pub fn within(error: f64, coordinates: usize, confidence: f64) -> Result<Self, Error>
    where
        M: ForError,
    {
        Self::for_error(error, coordinates, Confidence::new(confidence)?)
    }

    /// The noise that each coordinate gets.
    pub const fn each(&self) -> &M {
        &self.each
    }
}

/// A scalar mechanism whose guarantee carries over to vectors, coordinate by coordinate.
///
/// # Contract
/// For all vectors of the same length that are at most s apart in [`Norm`](Mechanism::Norm),
/// independent draws of `Self` on each coordinate satisfy [`guarantee(s)`](Mechanism::guarantee).
/// `draw_all` draws as independent calls of [`draw`](Mechanism::draw) would.
///
/// This is a fact about the noise and the norm together:
///
/// | noise | norm | because |
/// |---|---|---|
/// | Laplace, discrete Laplace | ℓ1 | losses \|xᵢ − yᵢ\|/b add up to at most ‖x − y‖₁/b |
/// | Gaussian | ℓ2 | it looks the same from all sides: turn x − y into the first axis |
/// | discrete Gaussian, in zCDP | ℓ2 | ρ = Σ (xᵢ − yᵢ)²/2σ² |
///
/// Calibration to a notion carries over where [`CoordinatewiseIn`] that notion says so.
#[diagnostic::on_unimplemented(
    message = "what `{Self}` guarantees for one number is not known to hold for vectors, coordinate by coordinate",
    label = "not for vectors",
    note = "`Vector` takes noise such as `Laplace`, or a target for it such as `Laplace::epsilon(0.5)?`"
)]
pub trait Coordinatewise: Mechanism<Input: Sized> {
    /// Draws one output for each answer, independently.
    ///
    /// # Errors
    /// Where a draw for one of the answers would fail.
    fn draw_all<R: Rng + ?Sized>(
        &self,
        answers: &[Self::Input],
        rng: &mut R,
    ) -> Result<Vec<Self::Output>, Error> {
        answers.iter().map(|answer| self.draw(answer, rng)).collect()
    }
}

/// A [`Coordinatewise`] mechanism whose calibration to guarantees in the notion `G` holds for
/// vectors, too.
///
/// # Contract
/// For all vectors of the same length that are at most s apart in [`Norm`](Mechanism::Norm),
/// independent draws of the mechanism that
/// [`for_guarantee(target, s)`](ForGuarantee::for_guarantee) returns satisfy the target.
///
/// It does not follow from [`Coordinatewise`]. A discrete Gaussian that is calibrated to (ε,δ) by
/// its profile for *one* integer is a counterexample: a step along several axes at once has another
/// profile, and ⌊Δ⌋, which is all that counts for one integer, is too small for vectors, which may
/// be √2 apart.
#[diagnostic::on_unimplemented(
    message = "the calibration of `{Self}` to `{G}` is known for one number, not for vectors",
    label = "not for vectors",
    note = "calibrate it to a notion in which the losses of the coordinates add up, such as Zcdp, and relax that"
)]
pub trait CoordinatewiseIn<G: Guarantee>: Coordinatewise + ForGuarantee<G> {}

/// Pr(outputs)/Pr'(outputs) is a product over the coordinates of factors of at most
/// e^(|xᵢ − yᵢ|/b), which is at most e^(‖x − y‖₁/b).
impl Coordinatewise for Laplace {
    fn draw_all<R: Rng + ?Sized>(&self, answers: &[f64], rng: &mut R) -> Result<Vec<f64>, Error> {
        let mut values = answers.to_vec();
        self.draw_into(&mut values, rng);
        Ok(values)
    }
}

/// b = Δ₁/ε is computed from the bound on the losses that [`Coordinatewise`] rests on.
impl CoordinatewiseIn<Pure> for Laplace {}

impl<M: Coordinatewise> Mechanism for Vector<M> {
    type Input = [M::Input];
    type Output = Vec<M::Output>;
    type Norm = M::Norm;
    type Guarantee = M::Guarantee;

    fn guarantee(&self, sensitivity: impl MeasuredIn<M::Norm>) -> M::Guarantee {
        self.each.guarantee(sensitivity)
    }

    /// Fails where a draw of one coordinate would.
    fn draw<R: Rng + ?Sized>(&self, answer: &[M::Input], rng: &mut R) -> Result<Vec<M::Output>, Error> {
        self.each.draw_all(answer, rng)
    }
}

impl<G: Guarantee, M: CoordinatewiseIn<G>> ForGuarantee<G> for Vector<M> {
    fn for_guarantee(target: &G, sensitivity: impl MeasuredIn<M::Norm>) -> Result<Self, Error> {
        M::for_guarantee(target, sensitivity).map(Self::new)
    }
}

/// "As little noise on each coordinate as meets the target."
impl<G: Guarantee, M: CoordinatewiseIn<G>> Calibrate for Vector<Target<M, G>> {
    type Mechanism = Vector<M>;
    type Guarantee = G;

    fn calibrate(self, sensitivity: impl MeasuredIn<M::Norm>) -> Result<(Vector<M>, G), Error> {
        let (each, guarantee) = self.each.calibrate(sensitivity)?;
        Ok((Vector::new(each), guarantee))
    }
}

impl Vector<Laplace> {
    /// Noise of the scale b on each coordinate.
    #[must_use]
    pub fn with_scale(scale: Scale) -> Self {
        Self::new(Laplace::with_scale(scale))
    }
}

/// The noise of different coordinates is independent, so the bound of one at 1 − (1−β)^(1/k) holds
/// for all k together.
impl<M: ErrorBound> ErrorBound for Vector<M> {
    fn error_bound_of(&self, coordinates: usize, beta: f64) -> Result<f64, Error> {
        self.each.error_bound_of(coordinates, beta)
    }
}

impl<M: ForError> ForError for Vector<M> {
    fn for_error(error: f64, coordinates: usize, confidence: Confidence) -> Result<Self, Error> {
        M::for_error(error, coordinates, confidence).map(Self::new)
    }
}

/// All coordinates together.
impl<M: WithInterval> WithInterval for Vector<M> {
    type Released = Vec<M::Released>;
    type Interval = Vec<M::Interval>;

    fn interval_at(
        &self,
        released: &Vec<M::Released>,
        confidence: Confidence,
    ) -> Result<Vec<M::Interval>, Error> {
        self.each.each_interval_at(released, confidence.independently(released.len()))
    }
}

impl<M: fmt::Display> fmt::Display for Vector<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on each number", self.each)
    }
}

/// The pair of one coordinate that takes the whole shift dominates vectors.
///
/// **Proof.** Let F be the distribution function of the noise and B_t(α) = F(F⁻¹(α) + t): by Neyman
/// and Pearson, and because the likelihood ratio of two shifts of a log-concave density is
/// monotone, B_t(α) is the largest power that a test of size α has between the noise and its shift
/// by t. Move from x to y one coordinate at a time, |xᵢ − yᵢ| = tᵢ. The other coordinates of a step
/// are the same independent noise on both sides, which a test may as well draw itself, so a test of
/// size α on the one side has at most size B_tᵢ(α) on the other. After all steps it has at most
/// B_t₁(B_t₂(…(α))) = F(F⁻¹(α) + Σtᵢ) = B_{‖x−y‖₁}(α), which one coordinate shifted by ‖x − y‖₁
/// attains. That is domination for all ε at once.
impl Dominated for Vector<Laplace> {
    type Pair = LaplacePair;

    fn dominating_pair(&self, sensitivity: impl MeasuredIn<L1>) -> Result<LaplacePair, Error> {
        self.each.dominating_pair(sensitivity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Insecure;
    use dp_core::pairs::DominatingPair;
    use dp_core::{AddRemove, Epsilon, Sensitivity};
    use proptest::prelude::*;

    fn moving(by: f64) -> Sensitivity<L1, AddRemove> {
        Sensitivity::new(by).unwrap()
    }

    #[test]
    fn targets_mechanisms_and_types_agree() {
        let target = Pure::new(0.25).unwrap();
        let by_target = Vector::new(Laplace::epsilon(0.25).unwrap()).calibrate(moving(3.0)).unwrap();
        let by_type = Target::<Vector<Laplace>, Pure>::new(target).calibrate(moving(3.0)).unwrap();
        assert_eq!(by_target, by_type);
        assert_eq!(by_target, (Vector::with_scale(Scale::new(12.0).unwrap()), target));
        assert_eq!(by_target.0.calibrate(moving(6.0)).unwrap().1, Pure::new(0.5).unwrap());
        assert!(Vector::new(Laplace::epsilon(0.25).unwrap()).calibrate(moving(0.0)).is_err());
    }

    #[test]
    fn every_coordinate_gets_its_own_noise() {
        let noise = Vector::with_scale(Scale::new(1.0).unwrap());
        let mut rng = Insecure::seeded(1);
        assert!(noise.draw(&[], &mut rng).unwrap().is_empty());
        let answers = [5.0; 300];
        let mut released = noise.draw(&answers, &mut rng).unwrap();
        let mut again = Insecure::seeded(1);
        let singly: Vec<f64> = answers.iter().map(|x| noise.each().draw(x, &mut again).unwrap()).collect();
        assert_eq!(released, singly);
        released.sort_unstable_by(f64::total_cmp);
        released.dedup();
        assert_eq!(released.len(), 300); // two of 2³⁰ points per scale are equal with probability below 10⁻⁴
    }

    #[test]
    fn error_bounds_cover_all_coordinates() {
        let noise = Vector::with_scale(Scale::new(2.0).unwrap());
        let bound = noise.error_bound_of(100, 0.05).unwrap();
        let independent = -(0.95f64.ln() / 100.0).exp_m1();
        assert!(bound >= -2.0 * independent.ln() && bound < 15.16, "{bound}");
        assert!(noise.error_bound_of(0, 0.05).is_err() && noise.error_bound(0.0).is_err());
        // In 1000 releases of 100 coordinates, more than 100 fail with probability below e^−20
        // (Chernoff: 50 are expected at most).
        let mut rng = Insecure::seeded(3);
        let failures = (0..1000).filter(|_| {
            let released = noise.draw(&[0.0; 100], &mut rng).unwrap();
            released.iter().any(|x| x.abs() > bound)
        });
        assert!((10..100).contains(&failures.count()));
    }

    /// sup_S P(S) − e^ε Q(S) for Lap(1) noise in two coordinates that are `a` and `b` apart, after
    /// rounding both to a grid of `step`, which lowers it.
    fn rounded_profile(a: f64, b: f64, step: f64, epsilon: f64) -> f64 {
        let cumulative = |t: f64| if t < 0.0 { 0.5 * t.exp() } else { 1.0 - 0.5 * (-t).exp() };
        let masses = |shift: f64| -> Vec<f64> {
            // The first and the last cell reach to infinity.
            let edges = (0..=120).map(|i| match i {
                0 => f64::NEG_INFINITY,
                120 => f64::INFINITY,
                _ => (f64::from(i) - 60.0) * step - shift,
            });
            let values: Vec<f64> = edges.map(cumulative).collect();
            values.windows(2).map(|pair| pair[1] - pair[0]).collect()
        };
        let (here_a, here_b, there_a, there_b) = (masses(0.0), masses(0.0), masses(a), masses(b));
        let mut total = 0.0;
        for (p, q) in here_a.iter().zip(&there_a) {
            for (r, s) in here_b.iter().zip(&there_b) {
                total += (p * r - epsilon.exp() * q * s).max(0.0);
            }
        }
        total
    }

    #[test]
    fn one_coordinate_with_the_whole_shift_dominates_two() {
        let noise = Vector::with_scale(Scale::new(1.0).unwrap());
        let mut told_apart = 0;
        for (a, b) in [(0.5, 0.5), (1.0, 0.25), (2.0, 1.0), (0.1, 0.9), (3.0, 3.0), (0.0, 1.0)] {
            let pair = noise.dominating_pair(moving(a + b)).unwrap();
            let larger = LaplacePair::new(Epsilon::new(f64::max(a, b)).unwrap());
            for k in -12..12 {
                let epsilon = f64::from(k) / 12.0 * (a + b);
                let profile = rounded_profile(a, b, 0.1, epsilon);
                assert!(profile <= pair.delta(epsilon).hi() + 1e-12, "({a}, {b}) at {epsilon}: {profile}");
                told_apart += usize::from(profile > larger.delta(epsilon).hi() + 1e-6);
            }
        }
        // The test has teeth: the pair of the larger coordinate alone does not dominate.
        assert!(told_apart > 30, "{told_apart}");
    }

    #[cfg(feature = "serde")]
    #[test]
    fn reading_validates_the_noise() {
        let noise = Vector::with_scale(Scale::new(2.0).unwrap());
        let written = serde_json::to_string(&noise).unwrap();
        assert_eq!(written, r#"{"scale":2.0,"grid":-29}"#);
        assert_eq!(serde_json::from_str::<Vector<Laplace>>(&written).unwrap(), noise);
        assert!(serde_json::from_str::<Vector<Laplace>>(r#"{"scale":0,"grid":-29}"#).is_err());
    }

    proptest! {
        #[test]
        fn the_guarantee_is_that_of_one_coordinate(b in 1e-3..1e3f64, by in 0.0..1e3f64) {
            let noise = Vector::with_scale(Scale::new(b).unwrap());
            prop_assert_eq!(noise.guarantee(moving(by)), noise.each().guarantee(moving(by)));
        }
    }
}
