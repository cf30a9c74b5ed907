//! The routes that every query with a ladder has.

use dp_core::rounding::mul_up;
use dp_core::{
    Approx, Calibrate, Delta, Error, ForGuarantee, Guarantee, L1, L2, Measurement, Mechanism, Pure, Scale,
    SensitivityIn, Zcdp,
};
use dp_mechanisms::rng::Insecure;
use dp_mechanisms::sample::Rounded;
use dp_mechanisms::{Gaussian, Laplace};

use super::{Comparison, Route};
use crate::smooth::{self, SmoothNoise};
use crate::{
    Exploratory, LocalSensitivity, LogSmooth, PrivateSensitivityBound, ProposeTestRelease, SensitivityBound,
    Smoothness,
};

/// How often a route is tried.
const DRAWS: usize = 501;

/// Compares all routes to the answer of a query at (ε,δ); those of pure privacy get ε, those of
/// concentrated privacy the ρ that gives (ε,δ). Routes that cannot meet the target are left out.
///
/// The query must state its sensitivity in ℓ1 and ℓ2, which are the same for one number
/// (`impl<N: Subadditive> SensitivityIn<N> for …`), and be `Clone`. With δ = 0 the routes of pure
/// privacy are left.
///
/// What [`ProposeTestRelease`] proposes here is the least bound that these data pass 19 times out
/// of 20. Half of ε goes into its test.
///
/// # Errors
/// When the data do not have the public shape that was declared.
pub fn of<Q>(query: &Q, data: &Q::Data, target: Approx) -> Result<Exploratory<Comparison>, Error>
where
    Q: LocalSensitivity + SensitivityIn<L2> + Clone,
{
    let answer = query.answer(data)?.get();
    Ok(Exploratory::new(Comparison::new(answer, routes(query, data, &Noises::new(target), answer, "")?)))
}

/// The smooth noises for a target: finding them takes longer than using them.
pub(super) struct Noises {
    target: Approx,
    student_t: Option<smooth::SmoothStudentT>,
    polynomial_tail: Option<smooth::PolynomialTail>,
    poly_place: Option<smooth::PolyPlace>,
    laplace: Option<smooth::SmoothLaplace>,
    gaussian: Option<smooth::SmoothGaussian>,
    laplace_log_normal: Option<smooth::LaplaceLogNormal>,
    uniform_log_normal: Option<smooth::UniformLogNormal>,
    arsinh_normal: Option<smooth::ArsinhNormal>,
}

impl Noises {
    pub(super) fn new(target: Approx) -> Self {
        let (epsilon, delta, rho) = (target.epsilon().get(), target.delta().get(), rho_for(target));
        Self {
            target,
            student_t: smooth::SmoothStudentT::epsilon(epsilon).ok(),
            polynomial_tail: smooth::PolynomialTail::epsilon(epsilon).ok(),
            poly_place: smooth::PolyPlace::epsilon(epsilon).ok(),
            laplace: smooth::SmoothLaplace::epsilon_delta(epsilon, delta).ok(),
            gaussian: smooth::SmoothGaussian::epsilon_delta(epsilon, delta).ok(),
            laplace_log_normal: smooth::LaplaceLogNormal::rho(rho).ok(),
            uniform_log_normal: smooth::UniformLogNormal::rho(rho).ok(),
            arsinh_normal: smooth::ArsinhNormal::rho(rho).ok(),
        }
    }
}

/// All routes to the answer of a query, judged by their distance from a `truth` that may be another
/// one.
pub(super) fn routes<Q>(
    query: &Q,
    data: &Q::Data,
    noises: &Noises,
    truth: f64,
    of: &str,
) -> Result<Vec<Route>, Error>
where
    Q: LocalSensitivity + SensitivityIn<L2> + Clone,
{
    let target = noises.target;
    let asked = Asked { query, data, answer: query.answer(data)?.get(), truth, of };
    let found = [
        asked.laplace(target.epsilon().get()),
        asked.gaussian(target.epsilon().get(), target.delta().get()),
        asked.proposed(target)?,
        asked.bounded(target)?,
        asked.smoothly("SmoothStudentT", noises.student_t)?,
        asked.smoothly("PolynomialTail", noises.polynomial_tail)?,
        asked.smoothly("PolyPlace", noises.poly_place)?,
        asked.smoothly("SmoothLaplace", noises.laplace)?,
        asked.smoothly("SmoothGaussian", noises.gaussian)?,
        asked.smoothly("LaplaceLogNormal", noises.laplace_log_normal)?,
        asked.smoothly("UniformLogNormal", noises.uniform_log_normal)?,
        asked.smoothly("ArsinhNormal", noises.arsinh_normal)?,
    ];
    Ok(found.into_iter().flatten().collect())
}

/// A query on data.
struct Asked<'a, Q: LocalSensitivity> {
    query: &'a Q,
    data: &'a Q::Data,
    answer: f64,
    truth: f64,
    of: &'a str,
}

impl<Q: LocalSensitivity + SensitivityIn<L2> + Clone> Asked<'_, Q> {
    fn laplace(&self, epsilon: f64) -> Option<Route> {
        let pure = Pure::new(epsilon).ok()?;
        let noise = Laplace::for_guarantee(&pure, SensitivityIn::<L1>::sensitivity(self.query)).ok()?;
        let draw = |rng: &mut Insecure| noise.draw(&self.answer, rng).unwrap_or(f64::INFINITY);
        Some(self.route("Laplace", pure.to_string(), noise.scale().get(), 0.0, draw))
    }

    fn gaussian(&self, epsilon: f64, delta: f64) -> Option<Route> {
        let sensitivity = SensitivityIn::<L2>::sensitivity(self.query);
        let (noise, guarantee) = Gaussian::epsilon_delta(epsilon, delta).ok()?.calibrate(sensitivity).ok()?;
        let draw = |rng: &mut Insecure| noise.draw(&self.answer, rng).unwrap_or(f64::INFINITY);
        Some(self.route("Gaussian", guarantee.to_string(), noise.scale().get(), 0.0, draw))
    }

    fn smoothly<N: SmoothNoise>(&self, name: &str, noise: Option<N>) -> Result<Option<Route>, Error>
    where
        N::Guarantee: core::fmt::Display,
    {
        let Some(noise) = noise else { return Ok(None) };
        let bound = self.query.smooth(self.data, noise.smoothness())?;
        let scale = Scale::saturating(mul_up(noise.multiple().get(), bound));
        let rounded = Rounded::new(noise.law(), scale);
        let draw = |rng: &mut Insecure| rounded.around(self.answer, rng);
        Ok(Some(self.route(name, noise.guarantee().to_string(), scale.get(), 0.0, draw)))
    }

    /// The least proposal that passes 19 times out of 20.
    fn proposed(&self, target: Approx) -> Result<Option<Route>, Error> {
        let Ok(any) = ProposeTestRelease::new(self.query.clone(), 1.0, target) else { return Ok(None) };
        let Some(distance) =
            (any.threshold()..).take(1 << 20).find(|k| any.refusal_probability(k + 1) <= 0.05)
        else {
            return Ok(None);
        };
        let proposal = self.query.local_at_distance(self.data, distance)?;
        let Ok(release) = ProposeTestRelease::new(self.query.clone(), proposal, target) else {
            return Ok(None);
        };
        let refused = release.refusal_probability(release.distance(self.data)?);
        let draw = |rng: &mut Insecure| release.noise().draw(&self.answer, rng).unwrap_or(f64::INFINITY);
        let (scale, guarantee) = (release.noise().scale().get(), release.guarantee().to_string());
        Ok(Some(self.route("ProposeTestRelease", guarantee, scale, refused, draw)))
    }

    /// With a bound from the logarithm of a smooth bound.
    fn bounded(&self, target: Approx) -> Result<Option<Route>, Error> {
        let beta = target.epsilon().get() / -libm::log(target.delta().get());
        let Ok(statistic) = Smoothness::new(beta).map(LogSmooth::new) else { return Ok(None) };
        let Ok(release) = PrivateSensitivityBound::new(self.query.clone(), statistic, target) else {
            return Ok(None);
        };
        let bound = release.bound_at(SensitivityBound::statistic(&statistic, self.query, self.data)?, 0.5)?;
        let noise = Laplace::with_scale(Scale::saturating(2.0 * bound / target.epsilon().get()));
        let draw = |rng: &mut Insecure| noise.draw(&self.answer, rng).unwrap_or(f64::INFINITY);
        let guarantee = release.guarantee().to_string();
        Ok(Some(self.route("PrivateSensitivityBound, LogSmooth", guarantee, noise.scale().get(), 0.0, draw)))
    }

    fn route(
        &self,
        name: &str,
        guarantee: String,
        scale: f64,
        refused: f64,
        release: impl FnMut(&mut Insecure) -> f64,
    ) -> Route {
        let [error, tail] = errors(self.truth, release);
        Route { name: format!("{}{name}", self.of), guarantee, scale, error, tail, refused }
    }
}

/// The distances from the truth that releases pass half of the time, and one time in twenty.
pub(super) fn errors(truth: f64, mut release: impl FnMut(&mut Insecure) -> f64) -> [f64; 2] {
    let mut rng = Insecure::seeded(1);
    let mut errors: Vec<f64> = (0..DRAWS).map(|_| (release(&mut rng) - truth).abs()).collect();
    errors.sort_by(f64::total_cmp);
    [errors[DRAWS / 2], errors[DRAWS - DRAWS / 20]]
}

/// About the largest ρ that gives (ε,δ), in round figures; zero for δ = 0.
fn rho_for(target: Approx) -> f64 {
    let Ok(delta) = Delta::new(target.delta().get()) else { return 0.0 };
    let enough =
        |rho: f64| Zcdp::new(rho).is_ok_and(|zcdp| zcdp.at_delta(delta).epsilon() <= target.epsilon());
    let (mut low, mut high) = (0.0, target.epsilon().get() + 1e-9);
    for _ in 0..60 {
        let middle = low + (high - low) / 2.0;
        if enough(middle) { low = middle } else { high = middle }
    }
    let digits = libm::exp10(2.0 - libm::floor(libm::log10(low)));
    if low > 0.0 { libm::floor(low * digits) / digits } else { 0.0 }
}
