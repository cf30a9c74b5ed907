//! The control: what the other programs do, done right.

use dp_accounting::Budget;
use dp_core::{AddRemove, Bounds, Delta, L1, Measurement, Mechanism, Pure, Query, Scale, Sensitivity, Zcdp};
use dp_mechanisms::Laplace;
use dp_mechanisms::rng::{Insecure, OsSeeded};
use dp_sensitivity::{Count, Mean};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ages = [23.0, 35.0, 61.0, 47.0];
    let mut rng = OsSeeded::new()?;

    let _ = Laplace::with_scale(Scale::new(2.0)?).guarantee(Sensitivity::<L1, AddRemove>::new(1.0)?);
    let mean = Mean::new(Bounds::new(0.0, 110.0)?, ages.len())?.with(Laplace::epsilon(0.5)?)?;
    let seniors = Count::matching(|age: &f64| *age >= 65.0).with(Laplace::epsilon(0.25)?)?;

    let both = (&mean).and((&seniors).under_replace_one());
    let mut budget = Budget::new(Pure::new(1.0)?);
    budget.spend(&both, &ages, &mut rng)?;

    let weaker = (&mean).relax::<Zcdp>().and((&mean).relax::<Zcdp>()).at_delta(Delta::new(1e-6)?);
    weaker.release(&ages, &mut rng)?;
    weaker.draw(&ages, &mut Insecure::seeded(1))?;
    Ok(())
}
