//! From a spec to what the accountant takes.

use dp_accounting::{Composition, Event};
use dp_core::adjacency::Adjacency;
use dp_core::pairs::{
    BoundedRangePair, DiscreteGaussianPair, DiscreteLaplacePair, GaussianPair, LaplacePair,
    RandomizedResponsePair,
};
use dp_core::rounding::{div_up, mul_up};
use dp_core::{
    AddRemove, Approx, Curve, Delta, Epsilon, Error, Gdp, Guarantee, Mu, Pure, Rdp, ReplaceOne, Scale, Zcdp,
};

use super::mechanism::Mechanism;
use super::spec::{Release, Sampling, Spec, Step};

/// A neighbour relation, with the way of sampling that belongs to it.
pub(super) trait Sampled: Adjacency + Sized {
    /// The event on a sample, at the rate `rate` if the spec states none.
    fn sampled(sampling: Sampling, rate: f64, of: Event<Self>) -> Result<Event<Self>, Error>;
}

impl Sampled for AddRemove {
    fn sampled(sampling: Sampling, unknown: f64, of: Event<Self>) -> Result<Event<Self>, Error> {
        match sampling {
            Sampling::All => Ok(of),
            Sampling::Poisson { rate } => Event::poisson(rate.unwrap_or(unknown), of),
            Sampling::WithoutReplacement { .. } => Err(OTHER_RELATION),
        }
    }
}

impl Sampled for ReplaceOne {
    fn sampled(sampling: Sampling, _: f64, of: Event<Self>) -> Result<Event<Self>, Error> {
        match sampling {
            Sampling::All => Ok(of),
            Sampling::WithoutReplacement { records, batch } => Event::without_replacement(records, batch, of),
            Sampling::Poisson { .. } => Err(OTHER_RELATION),
        }
    }
}

/// A spec with this is refused when it is read.
const OTHER_RELATION: Error = Error::Unreachable {
    request: "sampling under another adjacency than its own",
    instead: "use poisson under add-remove and without-replacement under replace-one",
};

/// What a record may meet, with `unknown` or `count` in the one place where the spec states
/// nothing: a composition for each choice of a part in each parallel step.
///
/// A record lies in one part, so that neighbours under add/remove differ in what is released of
/// that part and of all records. The worst choice is what counts.
pub(super) fn compositions<A: Sampled>(
    spec: &Spec,
    unknown: f64,
    count: u64,
) -> Result<Vec<Composition<A>>, Error> {
    let with = |sum: Composition<A>, releases: &[Release]| {
        releases.iter().try_fold(sum, |sum, release| {
            let event = event(&release.mechanism, unknown, spec.group)?;
            let event = A::sampled(release.sampling, unknown, event)?;
            Ok(sum.with(event, release.count.unwrap_or(count)))
        })
    };
    spec.steps.iter().try_fold(vec![Composition::new()], |all, step| match step {
        Step::All(release) => all.into_iter().map(|sum| with(sum, std::slice::from_ref(release))).collect(),
        Step::Parallel(parts) => {
            all.iter().flat_map(|sum| parts.iter().map(|part| with(sum.clone(), part))).collect()
        }
    })
}

/// One run, for groups of `group` records. Quotients of sensitivity and noise are rounded up, which
/// is the side of less privacy; one that overflows hides nothing.
///
/// A sensitivity, a μ and a range of losses grow in proportion to the group, by the triangle
/// inequality; guarantees follow the law of their notion.
fn event<A: Adjacency>(mechanism: &Mechanism, unknown: f64, group: u32) -> Result<Event<A>, Error> {
    let pure = |epsilon: f64| Ok::<_, Error>(Pure::new(epsilon)?.for_group(group));
    let far = |sensitivity: f64| mul_up(sensitivity, group.into());
    let whole = |sensitivity: u32| {
        sensitivity.checked_mul(group).ok_or(Error::Unreachable {
            request: "a whole sensitivity of a group beyond 4294967295",
            instead: "pass a smaller group, or noise on real numbers",
        })
    };
    Ok(match mechanism {
        Mechanism::Gaussian { sigma, sensitivity } => {
            GaussianPair::new(Mu::saturating(div_up(far(*sensitivity), sigma.unwrap_or(unknown)))).into()
        }
        Mechanism::Laplace { scale, sensitivity } => {
            LaplacePair::new(Epsilon::saturating(div_up(far(*sensitivity), scale.unwrap_or(unknown)))).into()
        }
        Mechanism::DiscreteGaussian { sigma, sensitivity } => {
            DiscreteGaussianPair::new(Scale::new(sigma.unwrap_or(unknown))?, whole(*sensitivity)?)?.into()
        }
        Mechanism::DiscreteLaplace { scale, sensitivity } => {
            DiscreteLaplacePair::new(Scale::new(scale.unwrap_or(unknown))?, whole(*sensitivity)?)?.into()
        }
        Mechanism::RandomizedResponse { epsilon, answers } if group == 1 => {
            RandomizedResponsePair::new(Epsilon::new(*epsilon)?, *answers)?.into()
        }
        Mechanism::RandomizedResponse { epsilon, .. } | Mechanism::Pure { epsilon } => pure(*epsilon)?.into(),
        Mechanism::BoundedRange { range } => BoundedRangePair::new(pure(*range)?.epsilon()).into(),
        Mechanism::Finite(pair) => pair.clone().into(),
        Mechanism::Approx { epsilon, delta } => {
            Approx::from_parts(Epsilon::new(*epsilon)?, Delta::new(*delta)?).for_group(group).into()
        }
        Mechanism::Gdp { mu } => Gdp::new(*mu)?.for_group(group).into(),
        Mechanism::Zcdp { rho } => Zcdp::new(*rho)?.for_group(group).into(),
        Mechanism::Renyi(points) => Rdp::from(Curve::Points(points.clone())).for_group(group).into(),
    })
}
