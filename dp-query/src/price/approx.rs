//! (ε,δ): the kind of noise that is the least, by the accountant.

use dp_accounting::{Composition, calibration};
use dp_core::interval::{Confidence, NoiseLaw};
use dp_core::pairs::GaussianPair;
use dp_core::rounding::{div_down, mul_down};
use dp_core::{AddRemove, Approx, Epsilon, Error as Refusal, Pure};

use super::{Price, PriceOf, Priced, Shape, ShapeOf, mu, without_delta};
use crate::Error;

/// Three candidates, of which the one with the least standard deviation is taken:
///
/// 1. Laplace noise whose ε adds up, and all of δ for the keys;
/// 2. Laplace noise, composed by the accountant;
/// 3. Gaussian noise, composed by the accountant.
///
/// Keys that nobody declared take one part in m + 1 of ε, and in the last two cases half of δ. Each
/// of k keys is selected with (ε₀,δ₀); that k of them compose to (k·ε₀, 1 − (1−δ₀)^k) is the
/// theorem of `PeopleByKey`.
///
/// The accountant is asked for the composition of k selections that are (ε₀,δ₀)-private, and of k·m
/// releases that are ε′-private or μ-GDP: what it returns was evaluated to be at most (ε,δ).
impl Priced for Approx {
    fn price(&self, ShapeOf(shape): ShapeOf) -> Result<PriceOf, Error> {
        let (epsilon, delta) = (self.epsilon().get(), self.delta().get());
        let added = added(epsilon, delta, shape)?;
        if shape.measures == 0 || delta == 0.0 {
            return Ok(PriceOf(added));
        }
        let mut best = added;
        for law in [NoiseLaw::Laplace, NoiseLaw::Gaussian] {
            // Few parts of Laplace noise have nothing to gain, and no quantile is μ-GDP.
            if (law == NoiseLaw::Laplace && shape.parts() < 4)
                || (law == NoiseLaw::Gaussian && shape.quantiles)
            {
                continue;
            }
            if let Ok(found) = composed(*self, law, shape)
                && found.spread() < 0.98 * best.spread()
            {
                best = found;
            }
        }
        Ok(PriceOf(best))
    }
}

/// What the selection of each key may cost, for a share of ε and δ.
fn keys(epsilon: f64, delta: f64, shape: Shape) -> Result<(f64, f64), Error> {
    let each = Confidence::all_but(delta)?.independently(shape.groups as usize).beta();
    Ok((div_down(epsilon, f64::from(shape.groups)), each))
}

/// One part in m + 1 of ε.
#[allow(clippy::cast_precision_loss, reason = "a few measures")]
fn share_of_keys(epsilon: f64, shape: Shape) -> f64 {
    div_down(epsilon, shape.measures as f64 + 1.0)
}

fn added(epsilon: f64, delta: f64, shape: Shape) -> Result<Price, Error> {
    let (mut left, mut selection) = (epsilon, None);
    if shape.private_keys {
        if delta == 0.0 {
            return Err(without_delta());
        }
        let share = share_of_keys(epsilon, shape);
        selection = Some(keys(share, delta, shape)?);
        left = mul_down(epsilon - share, 1.0 - 4.0 * f64::EPSILON);
    }
    #[allow(clippy::cast_precision_loss, reason = "below 2^53")]
    let each = div_down(left, shape.parts() as f64);
    Ok(Price { law: NoiseLaw::Laplace, each, keys: selection })
}

fn composed(target: Approx, law: NoiseLaw, shape: Shape) -> Result<Price, Error> {
    let (epsilon, delta) = (target.epsilon().get(), target.delta().get());
    let mut before = Composition::<AddRemove>::new();
    let mut selection = None;
    if shape.private_keys {
        let (epsilon, delta) = keys(share_of_keys(epsilon, shape), 0.5 * delta, shape)?;
        before = before.with(Approx::new(epsilon, delta)?, u64::from(shape.groups));
        selection = Some((epsilon, delta));
    }
    let parts = shape.parts();
    let with = |each: f64| -> Result<Composition<AddRemove>, Refusal> {
        Ok(match law {
            NoiseLaw::Laplace => before.clone().with(Pure::from(Epsilon::new(each)?), parts),
            NoiseLaw::Gaussian => before.clone().with(GaussianPair::new(mu(each)), parts),
        })
    };
    // Beyond these no noise of the kind is within ε.
    #[allow(clippy::cast_precision_loss, reason = "below 2^53")]
    let most = match law {
        NoiseLaw::Laplace => epsilon,
        NoiseLaw::Gaussian => 64.0 * (1.0 + epsilon),
    };
    let found = calibration::largest(with, most, target)?;
    Ok(Price { law, each: found.value, keys: selection })
}
