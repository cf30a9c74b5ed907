//! Compositions that make no sense, and targets that cannot be met.

use anyhow::Result;
use dp_accounting::{Composition, Event, calibration, theorems};
use dp_core::pairs::{GaussianPair, LaplacePair};
use dp_core::{AddRemove, Approx, Delta, Epsilon, Points, ReplaceOne};

use crate::{Mistake, refused};

pub(crate) fn mistakes() -> Result<Vec<Mistake>> {
    let step = LaplacePair::new(Epsilon::new(0.1)?);
    let rest = || Composition::<AddRemove>::new().with(LaplacePair::new(Epsilon::saturating(2.0)), 1);
    let target = Approx::new(1.0, 1e-6)?;
    let noise = |sigma| Ok(rest().with(GaussianPair::with_noise_multiplier(sigma)?, 100));
    Ok(vec![
        refused!("A sampling rate in percent.", Event::<AddRemove>::poisson(2.0, step)),
        refused!("A batch larger than the data.", Event::<ReplaceOne>::without_replacement(100, 200, step)),
        refused!("An empty batch.", Event::<ReplaceOne>::without_replacement(100, 0, step)),
        refused!(
            "A sample of a sample.",
            Event::<AddRemove>::poisson(0.1, Event::<AddRemove>::poisson(0.1, step)?)
        ),
        refused!("No noise.", GaussianPair::with_noise_multiplier(0.0)),
        refused!(
            "A target below what the rest of the composition costs (here ε = 2).",
            calibration::least(noise, target)
        ),
        refused!(
            "Advanced composition without a δ of its own.",
            theorems::advanced(target, 100, Delta::ZERO)
        ),
        refused!("A Rényi curve without points.", Points::new(vec![])),
    ])
}
