//! A query that does not know its ℓ1 sensitivity cannot take Laplace noise.
// error: the sensitivity of `TotalVelocity` in the norm `L1` is not known, and the mechanism needs it
// note: Laplace noise is calibrated to ℓ1, Gaussian noise to ℓ2: choose the mechanism for the norm that the query states, or implement `SensitivityIn<L1>` for it

use dp_core::{AddRemove, Error, Finite, FiniteVec, L2, Query, Sensitivity, SensitivityIn};
use dp_mechanisms::{Laplace, Vector};

/// The sum of velocities, each cut to a length of at most one.
struct TotalVelocity;

impl Query for TotalVelocity {
    type Data = [[f64; 2]];
    type Answer = FiniteVec;
    type Adjacency = AddRemove;

    fn answer(&self, data: &[[f64; 2]]) -> Result<FiniteVec, Error> {
        let finite = data.iter().filter(|[x, y]| x.is_finite() && y.is_finite());
        let total = finite.fold([0.0, 0.0], |[sum_x, sum_y], [x, y]| {
            let length = x.hypot(*y).max(1.0);
            [sum_x + x / length, sum_y + y / length]
        });
        Ok(total.into_iter().map(Finite::or_zero).collect())
    }
}

impl SensitivityIn<L2> for TotalVelocity {
    fn sensitivity(&self) -> Sensitivity<L2, AddRemove> {
        Sensitivity::new(1.0).expect("one is a sensitivity")
    }
}

fn main() -> Result<(), Error> {
    let _ = TotalVelocity.with(Vector::new(Laplace::epsilon(0.5)?))?; // the mistake
    Ok(())
}
