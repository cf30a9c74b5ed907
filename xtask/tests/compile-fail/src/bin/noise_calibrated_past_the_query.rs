//! A target is calibrated for a query whose sensitivity nobody has stated.
// error: the sensitivity of `Everything` in the norm `L1` is not known, and the mechanism needs it

use dp_core::query::CalibrateFor;
use dp_core::{AddRemove, Error, Pure, Query, Scale, Target, Finite};
use dp_mechanisms::Laplace;

struct Everything;

impl Query for Everything {
    type Data = [f64];
    type Answer = Finite;
    type Adjacency = AddRemove;

    fn answer(&self, data: &[f64]) -> Result<Finite, Error> {
        Ok(Finite::or_zero(data.iter().sum()))
    }
}

impl CalibrateFor<Everything> for Target<Laplace, Pure> { // the mistake
    fn calibrate_for(self, _: &Everything) -> Result<(Laplace, Pure), Error> {
        Ok((Laplace::with_scale(Scale::new(1e-9)?), Pure::new(0.001)?))
    }
}

fn main() {}
