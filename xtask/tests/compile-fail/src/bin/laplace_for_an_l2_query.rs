//! A query that knows its ℓ2 sensitivity only cannot take Laplace noise, which needs the one in ℓ1.
// error: the sensitivity of `Speed` in the norm `L1` is not known, and the mechanism needs it

use dp_core::{AddRemove, Error, L2, Query, Sensitivity, SensitivityIn};
use dp_mechanisms::Laplace;

/// The length of the sum of all velocities, each at most one long.
struct Speed;

impl Query for Speed {
    type Data = [[f64; 2]];
    type Answer = f64;
    type Adjacency = AddRemove;

    fn answer(&self, data: &[[f64; 2]]) -> Result<f64, Error> {
        let [x, y] = data.iter().fold([0.0, 0.0], |[x, y], v| [x + v[0].clamp(-0.5, 0.5), y + v[1].clamp(-0.5, 0.5)]);
        Ok(f64::hypot(x, y))
    }
}

impl SensitivityIn<L2> for Speed {
    fn sensitivity(&self) -> Sensitivity<L2, AddRemove> {
        Sensitivity::new(1.0).expect("one is a sensitivity")
    }
}

fn main() -> Result<(), Error> {
    let _ = Speed.with(Laplace::epsilon(0.5)?)?;
    Ok(())
}
