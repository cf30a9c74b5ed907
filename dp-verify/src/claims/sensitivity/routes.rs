//! How far from the truth each route to a private answer is on given data, for the pictures of S18
//! and S19.

use std::sync::OnceLock;

use crate::figure::{Axis, Figure};
use dp_core::{Approx, Error, ForGuarantee, L1, L2, Scale, SensitivityIn};
use dp_mechanisms::Gaussian;
use dp_mechanisms::rng::Insecure;
use dp_mechanisms::sample::Rounded;

use dp_sensitivity::smooth::{self, SmoothNoise};
use dp_sensitivity::{
    LocalSensitivity, LogSmooth, PrivateSensitivityBound, ProposeTestRelease, SensitivityBound, Smoothness,
};

const EPSILON: f64 = 1.0;
const DELTA: f64 = 1e-6;
/// The ρ whose zCDP gives about (1, 10⁻⁶).
const RHO: f64 = 0.016;

/// The medians of the magnitudes of standard Laplace and normal variables.
const LAPLACE: f64 = core::f64::consts::LN_2;
const NORMAL: f64 = 0.674_49;

/// A route with smooth noise.
struct Route {
    name: &'static str,
    beta: Smoothness,
    /// The distance that a release passes half of the time, for a smooth bound of 1.
    typical: f64,
}

/// All of them.
pub(super) struct Routes(Vec<Route>);

/// Calibrated once: that takes longer than all the rest.
pub(super) fn routes() -> Result<&'static Routes, Error> {
    static ROUTES: OnceLock<Result<Routes, Error>> = OnceLock::new();
    ROUTES.get_or_init(Routes::new).as_ref().map_err(Clone::clone)
}

impl Routes {
    fn new() -> Result<Self, Error> {
        Ok(Self(vec![
            route("smooth Student's t, ε", &smooth::SmoothStudentT::epsilon(EPSILON)?),
            route("smooth 1/(1+|z|^γ), ε", &smooth::PolynomialTail::epsilon(EPSILON)?),
            route("smooth Laplace with tails, ε", &smooth::PolyPlace::epsilon(EPSILON)?),
            route("smooth Laplace, (ε,δ)", &smooth::SmoothLaplace::epsilon_delta(EPSILON, DELTA)?),
            route("smooth Gaussian, (ε,δ)", &smooth::SmoothGaussian::epsilon_delta(EPSILON, DELTA)?),
            route("smooth arsinh-normal, zCDP", &smooth::ArsinhNormal::rho(RHO)?),
        ]))
    }

    /// The typical errors of all routes to the answer on these data.
    pub(super) fn errors<Q>(&self, query: &Q, data: &Q::Data) -> Result<Vec<(&'static str, f64)>, Error>
    where
        Q: LocalSensitivity + SensitivityIn<L2> + Clone,
    {
        let target = Approx::new(EPSILON, DELTA)?;
        let global = SensitivityIn::<L1>::sensitivity(query).value();
        let gaussian = Gaussian::for_guarantee(&target, SensitivityIn::<L2>::sensitivity(query))?;
        let mut errors = vec![
            ("global Laplace, ε", LAPLACE * global / EPSILON),
            ("global Gaussian, (ε,δ)", NORMAL * gaussian.scale().get()),
        ];
        for route in &self.0 {
            errors.push((route.name, route.typical * query.smooth(data, route.beta)?));
        }
        // The least bound that these data pass 19 times out of 20.
        let any = ProposeTestRelease::new(query.clone(), 1.0, target)?;
        let passed = |k: &u64| any.refusal_probability(k + 1) <= 0.05;
        let distance = (any.threshold()..).take(1000).find(passed).unwrap_or(u64::MAX);
        let proposal = query.local_at_distance(data, distance)?;
        errors.push(("propose-test-release, (ε,δ)", LAPLACE * proposal / (EPSILON / 2.0)));
        let statistic = LogSmooth::new(Smoothness::new(EPSILON / -libm::log(DELTA))?);
        let release = PrivateSensitivityBound::new(query.clone(), statistic, target)?;
        let bound = release.bound_at(SensitivityBound::statistic(&statistic, query, data)?, 0.5)?;
        errors.push(("private bound, (ε,δ)", LAPLACE * bound / (EPSILON / 2.0)));
        Ok(errors)
    }
}

/// Half of 2001 draws pass the distance.
fn route<N: SmoothNoise>(name: &'static str, noise: &N) -> Route {
    let (law, mut rng) = (Rounded::new(noise.law(), Scale::saturating(1.0)), Insecure::seeded(19));
    let mut draws: Vec<f64> = (0..2001).map(|_| law.around(0.0, &mut rng).abs()).collect();
    draws.sort_by(f64::total_cmp);
    Route { name, beta: noise.smoothness(), typical: noise.multiple().get() * draws[1000] }
}

/// A picture of errors over n, one curve for each route.
pub(super) fn figure(title: &str, label: &str, found: &[(f64, Vec<(&'static str, f64)>)]) -> Figure {
    let title = format!("{title}, at ε = {EPSILON}, δ = {DELTA:e}");
    let names = found.first().map_or(&[][..], |(_, errors)| errors);
    let figure = Figure::new(title, Axis::logarithmic(label), Axis::logarithmic("median error"));
    (0..names.len())
        .fold(figure, |figure, i| figure.curve(names[i].0, found.iter().map(|(n, errors)| (*n, errors[i].1))))
}
