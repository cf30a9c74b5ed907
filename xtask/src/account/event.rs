//! From a spec to what the accountant takes.

use dp_accounting::{Composition, Event};
use dp_core::adjacency::Adjacency;
use dp_core::pairs::{
    DiscreteGaussianPair, DiscreteLaplacePair, GaussianPair, LaplacePair, RandomizedResponsePair,
};
use dp_core::rounding::div_up;
use dp_core::{AddRemove, Approx, Delta, Epsilon, Error, Mu, Pure, ReplaceOne, Scale, Zcdp};

use super::mechanism::Mechanism;
use super::spec::{Release, Sampling};

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

/// The composition, with `unknown` or `count` in the one place where the spec states nothing.
pub(super) fn composition<A: Sampled>(
    releases: &[Release],
    unknown: f64,
    count: u64,
) -> Result<Composition<A>, Error> {
    releases.iter().try_fold(Composition::new(), |sum, release| {
        let event = A::sampled(release.sampling, unknown, event(release.mechanism, unknown)?)?;
        Ok(sum.with(event, release.count.unwrap_or(count)))
    })
}

/// One run. Quotients of sensitivity and noise are rounded up, which is the side of less privacy; one that overflows hides nothing.
fn event<A: Adjacency>(mechanism: Mechanism, unknown: f64) -> Result<Event<A>, Error> {
    Ok(match mechanism {
        Mechanism::Gaussian { sigma, sensitivity } => {
            GaussianPair::new(Mu::saturating(div_up(sensitivity, sigma.unwrap_or(unknown)))).into()
        }
        Mechanism::Laplace { scale, sensitivity } => {
            LaplacePair::new(Epsilon::saturating(div_up(sensitivity, scale.unwrap_or(unknown)))).into()
        }
        Mechanism::DiscreteGaussian { sigma, sensitivity } => {
            DiscreteGaussianPair::new(Scale::new(sigma.unwrap_or(unknown))?, sensitivity)?.into()
        }
        Mechanism::DiscreteLaplace { scale, sensitivity } => {
            DiscreteLaplacePair::new(Scale::new(scale.unwrap_or(unknown))?, sensitivity)?.into()
        }
        Mechanism::RandomizedResponse { epsilon } => {
            RandomizedResponsePair::binary(Epsilon::new(epsilon)?).into()
        }
        Mechanism::Pure { epsilon } => Pure::new(epsilon)?.into(),
        Mechanism::Approx { epsilon, delta } => {
            Approx::from_parts(Epsilon::new(epsilon)?, Delta::new(delta)?).into()
        }
        Mechanism::Zcdp { rho } => Zcdp::new(rho)?.into(),
    })
}
